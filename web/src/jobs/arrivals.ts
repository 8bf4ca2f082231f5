// When ranks reached each barrier of a recorded step, and its end: the last of them is the one for which the others waited.

import type { Span } from "./spans.ts";

/** A rank, and its time in picoseconds since the begin of the step. */
export interface Arrival {
  rank: number;
  time: number;
}

/** A barrier, or the end of the step. */
export interface Arrivals {
  title: string;
  /** The first to arrive comes first; those that arrive together are in the order of ranks. */
  ranks: Arrival[];
}

const inOrder = (arrivals: Arrival[]): Arrival[] => [...arrivals].sort((one, other) => one.time - other.time || one.rank - other.rank);

/** The barriers of a step in order of time: ranks leave one together, and those of different phases are different. */
function barriers(spans: Span[]): Arrivals[] {
  const found = new Map<string, { end: number; ranks: Arrival[] }>();
  for (const { activity, rank, phase, start, length } of spans) {
    if (activity === "barrier") {
      const end = length === null ? Infinity : start + length;
      const key = `${phase ?? ""} ${end}`;
      const barrier = found.get(key) ?? { end, ranks: [] };
      barrier.ranks.push({ rank, time: start });
      found.set(key, barrier);
    }
  }
  const several = [...found.values()].filter(({ ranks }) => ranks.length > 1);
  several.sort((one, other) => one.end - other.end);
  return several.map(({ ranks }, nth) => ({ title: several.length === 1 ? "barrier" : `barrier ${nth + 1}`, ranks: inOrder(ranks) }));
}

/** When ranks ended the step; nothing if a barrier makes all of them end together. */
function ends(spans: Span[], hasBarriers: boolean): Arrivals[] {
  const ranks = spans.flatMap(({ activity, rank, start, length }) => (activity === "step" && length !== null ? [{ rank, time: start + length }] : []));
  const together = ranks.every(({ time }) => time === ranks[0]?.time);
  return ranks.length === 0 || (together && hasBarriers) ? [] : [{ title: "end of the step", ranks: inOrder(ranks) }];
}

/** The barriers of a step, and its end unless a barrier decides it. */
export function arrivalsOf(spans: Span[]): Arrivals[] {
  const found = barriers(spans);
  return [...found, ...ends(spans, found.length > 0)];
}

/** The last rank to arrive; null if others arrive at the same time. */
export function lastOf({ ranks }: Arrivals): Arrival | null {
  const [before, last] = ranks.slice(-2);
  return last === undefined || before?.time === last.time ? null : last;
}
