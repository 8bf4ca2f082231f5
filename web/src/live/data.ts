// What the page of a run that goes on is told: once, in the page (the structs of the same names in crates/report/src/live.rs),
// and whenever it asks (crates/lab/src/live/board.rs).

import type { FabricOfRun } from "../fabric/data.ts";

export interface Live {
  scenario: string;
  seed: string;
  netloom: string;
  folder: string;
  /** As it is before anything has happened. */
  fabric: FabricOfRun;
}

/** Since the run began, by edge. */
export interface Edges {
  /** Picoseconds: the simulated time of all this. */
  read: number;
  /** Bytes. */
  sent: number[];
  /** Bytes, at the port where most wait. */
  waiting: number[];
  /** Picoseconds, summed over ports. */
  paused: number[];
  /** Packets. */
  dropped: number[];
}

export interface State {
  /** Rises with every state. */
  number: number;
  /** Null while the run goes on; its status is null where the run failed. */
  ended: { status: string | null; details: string[] } | null;
  /** Whether this is the second run, for the paths of the slowest messages. */
  again: boolean;
  /** Picoseconds. */
  simulated: number;
  hops: number;
  steps: number;
  total_steps: number;
  /** Seconds of wall time: so far, and left. */
  elapsed: number;
  left: number | null;
  /** Packet-hops per second of wall time. */
  rate: number;
  share: number | null;
  edges: Edges;
}
