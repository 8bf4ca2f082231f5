// What happened at edges and squares, span by span, and how it is read.

import { numbersOf } from "../packed.ts";
import type { PackedFrames } from "./data.ts";

/** What is known of each edge and span, in the order in which it is packed. */
const KINDS = ["sent", "waiting", "paused", "dropped", "down", "role"] as const;

/** What is not added up over spans: the most of it counts. */
const MOST: readonly Kind[] = ["waiting", "down", "role"];

/** Bytes sent, most bytes waiting, picoseconds paused, packets dropped, links down, part in a congestion tree. */
export type Kind = (typeof KINDS)[number];

/** Spans of a run that follow each other, both ends included. */
export interface Stretch {
  first: number;
  last: number;
}

/** Values over time. */
export interface Frames {
  /** Seconds of a span, and how many there are. */
  length: number;
  count: number;
  /** Whether ports were sampled, and there was a congestion tree. */
  sampled: boolean;
  hasRoles: boolean;
  /** Samples that share a span. */
  joined: number;
  /** From when to when spans last, in seconds; the run may end before its last span does. */
  bounds: (stretch: Stretch) => [number, number];
  of: (kind: Kind, edge: number, frame: number) => number;
  /** The sum over some spans, or the most of what is not added up. */
  over: (kind: Kind, edge: number, stretch: Stretch) => number;
  hasVictims: (square: number, stretch: Stretch) => boolean;
}

/** Unpacks those of a run that lasted so many seconds. */
export async function unpack(
  { length, count, edges, joined, has_roles, packed }: PackedFrames,
  simulated: number,
): Promise<Frames> {
  const numbers = await numbersOf(packed);
  const cells = edges * count;
  const at = (place: number): number => numbers[place] ?? 0;
  const of = (kind: Kind, edge: number, frame: number): number => at(KINDS.indexOf(kind) * cells + edge * count + frame);
  const over = (kind: Kind, edge: number, stretch: Stretch): number => {
    // Read very often: without lists in between.
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
