// What happened at edges and squares, span by span, and how it is read.

import { numbersOf } from "../packed.ts";
import type { PackedFrames } from "./data.ts";

/** What is known of each edge and span, in the order in which it is packed. */
const KINDS = ["sent", "waiting", "paused", "dropped", "down", "role"] as const;

/** Bytes sent, most bytes waiting, picoseconds paused, packets dropped, links down, part in a congestion tree. */
export type Kind = (typeof KINDS)[number];

/** Values over time. */
export interface Frames {
  /** Seconds. */
  length: number;
  count: number;
  /** Whether ports were sampled, and there was a congestion tree. */
  sampled: boolean;
  hasRoles: boolean;
  /** Samples that share a span. */
  joined: number;
  of: (kind: Kind, edge: number, frame: number) => number;
  hasVictims: (square: number, frame: number) => boolean;
}

/** Unpacks them. */
export async function unpack({ length, count, edges, joined, has_roles, packed }: PackedFrames): Promise<Frames> {
  const numbers = await numbersOf(packed);
  const cells = edges * count;
  const at = (place: number): number => numbers[place] ?? 0;
  return {
    length,
    count,
    sampled: joined !== null,
    joined: joined ?? 1,
    hasRoles: has_roles,
    of: (kind, edge, frame) => at(KINDS.indexOf(kind) * cells + edge * count + frame),
    hasVictims: (square, frame) => at(KINDS.length * cells + square * count + frame) > 0,
  };
}
