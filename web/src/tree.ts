// A fabric in tiers, hosts at the bottom, with the ports of a congestion tree over its links.

import { chart, tip, tooltip } from "./chart.ts";
import type { CongestedPort, CongestionOfRun, CongestionScene } from "./data.ts";
import type { Stroke } from "./palette.ts";
import { percent, size } from "./units.ts";

/** How ports of each role are drawn: they differ in colour, dashes and width. */
export const ROLES: Record<CongestedPort["role"], Stroke & { width: number }> = {
  root: { colour: "var(--run-1)", dash: "solid", width: 6 },
  branch: { colour: "var(--run-0)", dash: "solid", width: 3 },
  leaf: { colour: "var(--run-4)", dash: [3, 3], width: 3 },
};

/** Hosts whose flows are victims. */
export const VICTIM: Stroke = { colour: "var(--run-3)", dash: "solid" };

/** Links without congestion. */
export const FREE: Stroke & { width: number } = { colour: "var(--line)", dash: "solid", width: 1 };

const TIER = 110;
const EDGE = 44;
/** Pixels between a link and a port drawn beside it. */
const ASIDE = 3;
/** Largest number of nodes in a tier with names. */
const NAMED = 24;
/** Approximate width of a letter in pixels, and the largest number of letters in a tier without rotation of names. */
const LETTER = 6.5;
const SIDE_BY_SIDE = 60;

type Point = [number, number];

/** Positions of nodes: from 0 to 1 across, by tiers up. */
function places({ nodes }: CongestionOfRun): Point[] {
  const inTier = new Map<number, number>();
  const rank = nodes.map(({ tier }) => {
    const before = inTier.get(tier) ?? 0;
    inTier.set(tier, before + 1);
    return before;
  });
  return nodes.map(({ tier }, nth) => [((rank[nth] ?? 0) + 0.5) / (inTier.get(tier) ?? 1), tier]);
}

interface Api {
  value: (dimension: number) => number;
  coord: (point: Point) => Point;
}

/** A line between two nodes, moved to its right-hand side by some pixels. */
function line(api: Api, from: Point, to: Point, aside: number, drawn: Stroke & { width: number }, arrow: boolean): unknown {
  const [[x1, y1], [x2, y2]] = [api.coord(from), api.coord(to)];
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [along, across] = [(x2 - x1) / length, (y2 - y1) / length];
  const [dx, dy] = [-across * aside, along * aside];
  const shape = { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy };
  const style = { stroke: drawn.colour, lineWidth: drawn.width, lineDash: drawn.dash === "solid" ? null : drawn.dash };
  const [mx, my] = [x1 + dx + (x2 - x1) * 0.62, y1 + dy + (y2 - y1) * 0.62];
  const reach = 6 + drawn.width / 2;
  const points = [
    [mx + along * reach, my + across * reach],
    [mx - along * reach - across * reach, my - across * reach + along * reach],
    [mx - along * reach + across * reach, my - across * reach - along * reach],
  ];
  const head = { type: "polygon", shape: { points }, style: { fill: drawn.colour } };
  return { type: "group", children: [{ type: "line", shape, style }, ...(arrow ? [head] : [])] };
}

/** The tooltip of a port. */
function about({ name, role, occupied, sending, credit_stalled, waiting, peak, blocked_by }: CongestedPort): HTMLElement {
  const lines = [
    `${role}: sending ${percent(sending)} of the interval, without credits ${percent(credit_stalled)}`,
    ...(occupied === null ? [] : [`packets waiting ${percent(occupied)} of the interval`]),
    ...(waiting === null || peak === null ? [] : [`backlog ${size(waiting)} on average, ${size(peak)} at most`]),
    ...(blocked_by === null ? [] : [`blocked by ${blocked_by}`]),
  ];
  return tip(name, lines);
}

/** How the name of a node is written: in the box of a switch, below a host. */
function label(name: string, tier: number, leans: boolean): Record<string, unknown> {
  const below = leans
    ? { position: "bottom", rotate: 45, align: "right", verticalAlign: "middle", distance: 8 }
    : { position: "bottom" };
  return { show: true, formatter: () => name, ...(tier === 0 ? below : { position: "inside" }) };
}

/** The nodes as points, with their names unless there are too many. */
function points(run: CongestionOfRun, scene: CongestionScene, leans: boolean): Record<string, unknown>[] {
  const at = places(run);
  const widest = Math.max(...run.nodes.map(({ tier }) => run.nodes.filter((other) => other.tier === tier).length));
  const victims = new Set(scene.victims.map(({ source }) => source));
  return run.nodes.map(({ name, tier }, nth) => ({
    name,
    value: at[nth],
    symbolSize: tier === 0 ? 10 : [Math.max(26, name.length * LETTER + 10), 18],
    label: widest <= NAMED ? label(name, tier, leans) : { show: false },
    ...(victims.has(nth) ? { itemStyle: { color: VICTIM.colour } } : {}),
  }));
}

/** The drawing of an interval. */
export function treeChart(label: string, run: CongestionOfRun, scene: CongestionScene): HTMLElement {
  const at = places(run);
  const point = (node: number | null): Point => at[node ?? 0] ?? [0, 0];
  const tiers = Math.max(...run.nodes.map(({ tier }) => tier));
  const hosts = run.nodes.filter(({ tier }) => tier === 0);
  const leans = hosts.reduce((letters, { name }) => letters + name.length + 1, 0) > SIDE_BY_SIDE;
  const below = leans ? 24 + 5 * Math.max(...hosts.map(({ name }) => name.length)) : EDGE / 2;
  const ports = scene.ports.filter(({ from, to }) => from !== null && to !== null);
  return chart(label, tiers * TIER + EDGE / 2 + below, {
    grid: { left: 24, right: 24, top: EDGE / 2, bottom: below },
    tooltip: tooltip(({ data }: { data: { port?: CongestedPort; name?: string } }) =>
      data.port === undefined ? tip(data.name ?? "", []) : about(data.port),
    ),
    xAxis: { type: "value", min: 0, max: 1, show: false },
    yAxis: { type: "value", min: 0, max: tiers, show: false },
    series: [
      {
        type: "custom",
        silent: true,
        data: run.links,
        renderItem: (_: unknown, api: Api) => line(api, point(api.value(0)), point(api.value(1)), 0, FREE, false),
      },
      {
        type: "custom",
        data: ports.map((port) => ({ value: [port.from, port.to], port })),
        renderItem: ({ dataIndex }: { dataIndex: number }, api: Api) => {
          const port = ports[dataIndex];
          const drawn = ROLES[port?.role ?? "branch"];
          return line(api, point(port?.from ?? null), point(port?.to ?? null), ASIDE, drawn, true);
        },
      },
      {
        type: "scatter",
        symbol: "rect",
        data: points(run, scene, leans),
        label: { color: "var(--ink)", fontSize: 11 },
        itemStyle: { color: "var(--surface)", borderColor: "var(--ink)", borderWidth: 1.5, opacity: 1 },
        emphasis: { disabled: true },
      },
    ],
  });
}
