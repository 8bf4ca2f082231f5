// Values of edges and squares in each interval, unpacked.

import { numbersOf } from "../packed.ts";
import type { PackedFrames } from "./data.ts";

/** The values of each edge and interval, in the order in which they are packed. */
const KINDS = ["sent", "waiting", "paused", "dropped", "down", "role"] as const;

/** Values whose maximum over intervals counts, not their sum. */
const MOST: readonly Kind[] = ["waiting", "down", "role"];

/** Bytes sent, largest number of bytes waiting, picoseconds paused, packets dropped, links down, role in a congestion tree. */
export type Kind = (typeof KINDS)[number];

/** Consecutive intervals of a run, both ends included. */
export interface Stretch {
  first: number;
  last: number;
}

/** Values over time. */
export interface Frames {
  /** Length of an interval in seconds, and number of intervals. */
  length: number;
  count: number;
  /** Whether ports were sampled, and there was a congestion tree. */
  sampled: boolean;
  hasRoles: boolean;
  /** Number of samples in an interval. */
  joined: number;
  /** Start and end of intervals, in seconds; the run may end before its last interval. */
  bounds: (stretch: Stretch) => [number, number];
  of: (kind: Kind, edge: number, frame: number) => number;
  /** The sum over some intervals, or the maximum for the kinds that are not summed. */
  over: (kind: Kind, edge: number, stretch: Stretch) => number;
  hasVictims: (square: number, stretch: Stretch) => boolean;
}

/** Unpacks the frames of a run that lasted `simulated` seconds. */
export async function unpack(
  { length, count, edges, joined, has_roles, packed }: PackedFrames,
  simulated: number,
): Promise<Frames> {
  const numbers = await numbersOf(packed);
  const cells = edges * count;
  const at = (place: number): number => numbers[place] ?? 0;
  const of = (kind: Kind, edge: number, frame: number): number => at(KINDS.indexOf(kind) * cells + edge * count + frame);
  const over = (kind: Kind, edge: number, stretch: Stretch): number => {
    // Called very often: no intermediate lists.
    const takesMost = MOST.includes(kind);
    let found = 0;
    for (let frame = stretch.first; frame <= stretch.last; frame += 1) {
      const value = of(kind, edge, frame);
      found = takesMost ? Math.max(found, value) : found + value;
    }
    return found;
  };
  return {
    length,
    count,
    sampled: joined !== null,
    joined: joined ?? 1,
    hasRoles: has_roles,
    bounds: ({ first, last }) => [first * length, Math.max(Math.min((last + 1) * length, simulated), first * length)],
    of,
    over,
    hasVictims: (square, { first, last }) => {
      const place = KINDS.length * cells + square * count;
      return numbers.subarray(place + first, place + last + 1).some((victim) => victim > 0);
    },
  };
}
