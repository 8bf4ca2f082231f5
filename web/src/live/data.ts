// Data for the page of a run in progress: once, in the page (the structs of the same names in crates/report/src/live.rs),
// and with each request (crates/lab/src/live/board.rs).

import type { FabricOfRun } from "../fabric/data.ts";

export interface Live {
  scenario: string;
  seed: string;
  netloom: string;
  folder: string;
  /** At the start of the run, without traffic. */
  fabric: FabricOfRun;
}

/** Values since the start of the run, by edge. */
export interface Edges {
  /** Picoseconds: the simulated time of these values. */
  read: number;
  /** Bytes. */
  sent: number[];
  /** Bytes, at the port with the largest backlog. */
  waiting: number[];
  /** Picoseconds, summed over ports. */
  paused: number[];
  /** Packets. */
  dropped: number[];
}

export interface State {
  /** Increases with every state. */
  number: number;
  /** Null while the run is in progress; its status is null if the run failed. */
  ended: { status: string | null; details: string[] } | null;
  /** Whether this is the second run, for the paths of the slowest messages. */
  again: boolean;
  /** Picoseconds. */
  simulated: number;
  hops: number;
  steps: number;
  total_steps: number;
  /** Seconds of wall time: elapsed, and the estimate of those left. */
  elapsed: number;
  left: number | null;
  /** Packet-hops per second of wall time. */
  rate: number;
  share: number | null;
  edges: Edges;
}
