// Values between two readings of the ports of a run, in the form of an interval of a report.

import type { FabricOfRun } from "../fabric/data.ts";
import type { Frames, Kind } from "../fabric/frames.ts";
import type { Edges } from "./data.ts";

const PS = 1e12;

/** The single interval between two readings; null if no simulated time has passed. */
export function between(before: Edges, now: Edges): Frames | null {
  const length = (now.read - before.read) / PS;
  if (length <= 0) {
    return null;
  }
  const since = (kind: "sent" | "paused" | "dropped", edge: number): number =>
    (now[kind][edge] ?? 0) - (before[kind][edge] ?? 0);
  const of = (kind: Kind, edge: number): number => {
    if (kind === "waiting") {
      return now.waiting[edge] ?? 0;
    }
    return kind === "sent" || kind === "paused" || kind === "dropped" ? since(kind, edge) : 0;
  };
  const bounds = (): [number, number] => [before.read / PS, now.read / PS];
  return { length, count: 1, sampled: true, hasRoles: false, joined: 1, bounds, of, over: of, hasVictims: () => false };
}

/** Bits per second of simulated time that hosts sent. */
export function throughput({ squares, edges }: FabricOfRun, span: Frames): number {
  const fromHosts = edges.map(({ from }, edge) => (squares[from]?.tier === 0 ? span.of("sent", edge, 0) : 0));
  return (8 * fromHosts.reduce((sum, bytes) => sum + bytes, 0)) / span.length;
}
