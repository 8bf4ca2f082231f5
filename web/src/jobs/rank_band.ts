// A thin row below a chain of messages: a tick for each rank at the time at which it reached a barrier, or the end of its step.

import { element } from "../dom.ts";
import { shape } from "../svg.ts";
import { asTable } from "../tables.ts";
import type { Cell } from "../tables.ts";
import { count, some, span } from "../units.ts";
import { lastOf } from "./arrivals.ts";
import type { Arrival, Arrivals } from "./arrivals.ts";

const PS = 1e12;
/** Width and height of the drawing, in its own units, and the top of ticks of ranks that are not the last. */
const [WIDTH, HEIGHT, TOP] = [1000, 14, 4];
/** Smallest distance between names, as a share of the width of all chains. */
const APART = 0.09;

/** The time between the first and the last arrival. */
const waitOf = ({ ranks }: Arrivals): number => (ranks.at(-1)?.time ?? 0) - (ranks[0]?.time ?? 0);

/** Those last ranks that can be named at some distance from each other, the longest waits first. */
function named(arrivals: Arrivals[], shareOf: (arrival: Arrival) => number, distance: number): { at: number; rank: number; title: string }[] {
  const chosen: { at: number; rank: number; title: string }[] = [];
  for (const one of [...arrivals].sort((left, right) => waitOf(right) - waitOf(left))) {
    const last = lastOf(one);
    const at = last === null ? 0 : shareOf(last);
    if (last !== null && chosen.every((other) => Math.abs(other.at - at) >= distance)) {
      chosen.push({ at, rank: last.rank, title: `the last at ${one.title}, after ${span(last.time / PS)}` });
    }
  }
  return chosen;
}

/** Ticks of one barrier above the stretch of time in which ranks waited. */
function ticks({ ranks }: Arrivals, shareOf: (arrival: Arrival) => number): SVGElement[] {
  const across = ranks.map((arrival) => WIDTH * shareOf(arrival));
  const [first = 0, last = 0] = [across[0], across.at(-1)];
  const path = across.map((x) => `M${x.toFixed(2)} ${TOP}V${HEIGHT}`).join("");
  return [
    shape("rect", { class: "waiting", x: first, y: TOP, width: Math.max(0, last - first), height: HEIGHT - TOP }),
    shape("path", { class: "tick", d: path }),
    shape("path", { class: "last", d: `M${last.toFixed(2)} 0V${HEIGHT}` }),
  ];
}

/** The content of the row, over `time` seconds from the begin of the step; the whole width of the drawing is `whole` seconds. */
export function rankBand(label: string, arrivals: Arrivals[], time: number, whole: number): HTMLElement {
  const shareOf = ({ time: at }: Arrival): number => Math.min(1, at / PS / time);
  const drawn = arrivals.flatMap((one) => ticks(one, shareOf));
  const lasts = arrivals.flatMap((one) => {
    const last = lastOf(one);
    return last === null ? [] : [`rank ${last.rank} at ${one.title}`];
  });
  const description = `${label}${lasts.length === 0 ? "" : `; the last: ${lasts.join(", ")}`}`;
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": description }, ...drawn);
  const names = named(arrivals, shareOf, (APART * whole) / time).map(({ at, rank, title }) => {
    const made = element("span", { title }, `rank ${rank}`);
    made.style.setProperty("left", `${100 * at}%`);
    return made;
  });
  return element("div", { class: "rank-band" }, svg, element("div", { class: "rank-names", "aria-hidden": "true" }, ...names));
}

/** A step whose ranks are shown. */
export interface ArrivedStep {
  run: string;
  step: number;
  arrivals: Arrivals[];
}

/** The rows of the table: of each barrier the first rank, the median, and the last. */
export function arrivalsTable(steps: ArrivedStep[]): HTMLElement {
  const rankAt = (arrival: Arrival | undefined): Cell[] => (arrival === undefined ? [null, null] : [`rank ${arrival.rank}`, span(arrival.time / PS)]);
  const rows = steps.flatMap(({ run, step, arrivals }) =>
    arrivals.map((one): Cell[] => {
      const { ranks, title } = one;
      const median = ranks[Math.floor((ranks.length - 1) / 2)];
      return [run, count(step), title, count(ranks.length), ...rankAt(ranks[0]), median === undefined ? null : span(median.time / PS), ...rankAt(ranks.at(-1)), span(waitOf(one) / PS)];
    }),
  );
  const columns = [
    { title: "run" },
    { title: "step", number: true },
    { title: "at" },
    { title: "ranks", number: true },
    { title: "first" },
    { title: "after", number: true },
    { title: "median after", number: true },
    { title: "last" },
    { title: "after (last)", number: true },
    { title: "from first to last", number: true },
  ];
  return asTable(`When ranks reached barriers and the end of these steps, ${some(rows.length, "row")}`, columns, rows);
}
