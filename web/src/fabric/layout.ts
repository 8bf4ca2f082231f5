// Positions of the squares of a fabric: in tiers, hosts at the bottom; or, if switches of a tier are connected with each
// other, as in groups, on a ring with their hosts around it.

import type { FabricOfRun } from "./data.ts";

export type Point = [number, number];

/** The positions of a drawing. */
export interface Layout {
  width: number;
  height: number;
  at: Point[];
  /** How the name of a square is written: beside it at an angle in degrees, or not at all. */
  label: ({ angle: number; anchor: "start" | "middle" | "end"; aside: Point } | null)[];
}

/** The width of a drawing by the squares of its widest row, in pixels. */
const [NARROW, WIDE, EACH] = [560, 1200, 14];
const EDGE = 24;
/** Distance between tiers: larger if many lines cross. */
const [NEAR, FAR] = [110, 320];
/** Largest number of squares in a row with names: of switches, and of hosts. */
const [SWITCHES, NAMED] = [20, 40];
/** Width of a letter in pixels. */
const LETTER = 6.6;

/** Whether switches of the same tier are connected. */
const hasRing = ({ squares, edges }: FabricOfRun): boolean =>
  edges.some(({ from, to }) => from !== to && squares[from]?.tier === squares[to]?.tier && squares[from]?.tier !== 0);

/** The layout of a fabric. */
export const layout = (fabric: FabricOfRun): Layout => (hasRing(fabric) ? ring(fabric) : tiers(fabric));

function tiers({ squares }: FabricOfRun): Layout {
  const highest = squares.reduce((most, { tier }) => Math.max(most, tier), 0);
  const rows = Array.from({ length: highest + 1 }, (_, tier) => squares.filter((square) => square.tier === tier));
  const hosts = rows[0] ?? [];
  const longest = hosts.reduce((most, { name }) => Math.max(most, name.length), 0);
  const leans = hosts.length * (longest + 2) * LETTER > NARROW - 2 * EDGE;
  const named = hosts.length <= NAMED;
  const widest = Math.max(...rows.map((row) => row.length));
  // Rotated names reach beyond the last host.
  const right = leans && named ? EDGE + longest * LETTER * 0.64 : EDGE;
  const width = Math.min(WIDE, Math.max(NARROW, widest * EACH)) + right - EDGE;
  const apart = Math.min(FAR, NEAR + widest * 4);
  const below = !named ? EDGE : leans ? EDGE + longest * LETTER * 0.8 : 2 * EDGE;
  const places = rows.map(() => 0);
  const at = squares.map(({ tier }): Point => {
    const nth = (places[tier] = (places[tier] ?? 0) + 1) - 1;
    const n = rows[tier]?.length ?? 1;
    return [EDGE + ((nth + 0.5) / n) * (width - EDGE - right), EDGE + (highest - tier) * apart];
  });
  const label = squares.map(({ tier }): Layout["label"][number] => {
    const n = rows[tier]?.length ?? 0;
    if (n > NAMED) {
      return null;
    }
    if (tier > 0) {
      return n > SWITCHES ? null : { angle: 0, anchor: "middle", aside: [0, -12] };
    }
    return leans ? { angle: 50, anchor: "start", aside: [0, 12] } : { angle: 0, anchor: "middle", aside: [0, 20] };
  });
  return { width, height: EDGE + highest * apart + below, at, label };
}

function ring({ squares, edges }: FabricOfRun): Layout {
  const hosts = squares.filter(({ tier }) => tier === 0);
  const named = hosts.length <= 2 * NAMED;
  const longest = hosts.reduce((most, { name }) => Math.max(most, name.length), 0);
  const margin = named ? EDGE + longest * LETTER : EDGE;
  const outer = Math.min(WIDE, Math.max(NARROW, hosts.length * 6)) / 2;
  const [middle, inner] = [outer + margin, outer - 60];
  const switches = squares.flatMap(({ tier }, nth) => (tier > 0 ? [nth] : []));
  const turn = new Map(switches.map((square, nth) => [square, (2 * Math.PI * nth) / switches.length - Math.PI / 2]));
  const point = (angle: number, radius: number): Point => [
    middle + radius * Math.cos(angle),
    middle + radius * Math.sin(angle),
  ];
  // Hosts are outside, around the switch of their first link.
  const above = new Map<number, number>();
  edges.forEach(({ from, to }) => squares[from]?.tier === 0 && !above.has(from) && above.set(from, to));
  const below = new Map<number, number[]>();
  above.forEach((leaf, host) => below.set(leaf, [...(below.get(leaf) ?? []), host]));
  const slice = (2 * Math.PI) / Math.max(1, switches.length);
  const angleOf = (square: number): number => {
    const leaf = above.get(square);
    const beside = leaf === undefined ? [] : (below.get(leaf) ?? []);
    const off = ((beside.indexOf(square) + 0.5) / Math.max(1, beside.length) - 0.5) * 0.8 * slice;
    return turn.get(square) ?? (turn.get(leaf ?? -1) ?? 0) + off;
  };
  const angles = squares.map((_, nth) => angleOf(nth));
  const at = squares.map(({ tier }, nth) => point(angles[nth] ?? 0, tier === 0 ? outer : inner));
  const label = squares.map(({ tier }, nth): Layout["label"][number] => {
    const degrees = ((angles[nth] ?? 0) * 180) / Math.PI;
    const flips = degrees > 90;
    const outwards = point(angles[nth] ?? 0, 14);
    const aside: Point = [outwards[0] - middle, outwards[1] - middle];
    if (tier !== 0 || !named) {
      return null;
    }
    return { angle: flips ? degrees - 180 : degrees, anchor: flips ? "end" : "start", aside };
  });
  return { width: 2 * middle, height: 2 * middle, at, label };
}
