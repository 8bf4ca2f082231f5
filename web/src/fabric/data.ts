// Data of a fabric from the command; the structs of the same names in crates/report/src/panels/fabric.rs and
// crates/report/src/drawing.

export interface Square {
  name: string;
  /** The last of several nodes. */
  last: string | null;
  nodes: number;
  /** Links to the nearest host. */
  tier: number;
  /** Packets. */
  dropped: number;
}

/** A direction between squares, over the whole run; sums over its ports unless noted. */
export interface Edge {
  from: number;
  to: number;
  /** Id of its first port, and the number of its ports. */
  port: number;
  ports: number;
  /** Bits per second. */
  rate: number;
  /** Bytes. */
  sent: number;
  /** Utilization: mean over ports, and the busiest port. */
  busy: number;
  busiest: number;
  /** Largest number of bytes that waited at one of them. */
  peak: number | null;
  /** Packets. */
  dropped: number;
  /** Picoseconds. */
  paused: number;
  /** Packets. */
  marked: number;
  /** 3 root, 2 branch, 1 leaf of a congestion tree, 0 none. */
  role: number;
}

export interface PackedFrames {
  /** Seconds. */
  length: number;
  count: number;
  edges: number;
  /** Number of samples in an interval; null if ports were not sampled. */
  joined: number | null;
  has_roles: boolean;
  packed: string;
}

export interface FabricOfRun {
  /** Largest number of nodes in a square. */
  most_nodes: number;
  ports: number;
  squares: Square[];
  edges: Edge[];
  /** Null without data over time. */
  frames: PackedFrames | null;
}
