// What happened at edges and squares, span by span: numbers packed into a text, and how they are read.
//
// The text is base 64 of zlib of LEB128, see crates/report/src/drawing/pack.rs; browsers undo the first two themselves.

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

/** Undoes base 64 and zlib. */
async function inflate(text: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Seven bits at a time, the lowest first; doubles hold whole numbers up to 2^53, which no run of a fabric reaches. */
function numbersIn(bytes: Uint8Array): Float64Array {
  const count = bytes.reduce((sum, byte) => sum + (byte < 0x80 ? 1 : 0), 0);
  const numbers = new Float64Array(count);
  let [place, number, worth] = [0, 0, 1];
  for (const byte of bytes) {
    number += (byte & 0x7f) * worth;
    worth *= 0x80;
    if (byte < 0x80) {
      numbers[place] = number;
      [place, number, worth] = [place + 1, 0, 1];
    }
  }
  return numbers;
}

/** Unpacks them. */
export async function unpack({ length, count, edges, joined, has_roles, packed }: PackedFrames): Promise<Frames> {
  const numbers = numbersIn(await inflate(packed));
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
