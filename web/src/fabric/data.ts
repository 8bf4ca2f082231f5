// What the command tells of a fabric; the structs of the same names in crates/report/src/panels/fabric.rs and
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

/** A direction between squares, over the whole run; sums over its ports unless it says otherwise. */
export interface Edge {
  from: number;
  to: number;
  /** Id of its first port, and how many there are. */
  port: number;
  ports: number;
  /** Bits per second. */
  rate: number;
  /** Bytes. */
  sent: number;
  /** Shares of the time: mean over ports, and the busiest one. */
  busy: number;
  busiest: number;
  /** Most bytes that waited at one of them. */
  peak: number | null;
  /** Packets. */
  dropped: number;
  /** Picoseconds. */
  paused: number;
  /** Packets. */
  marked: number;
  /** 3 root, 2 branch, 1 leaf, 0 none of a congestion tree. */
  role: number;
}

export interface PackedFrames {
  /** Seconds. */
  length: number;
  count: number;
  edges: number;
  /** Samples that share a span; null where nothing was sampled. */
  joined: number | null;
  has_roles: boolean;
  packed: string;
}

export interface FabricOfRun {
  /** Most nodes that share a square. */
  most_nodes: number;
  ports: number;
  squares: Square[];
  edges: Edge[];
  /** Null where nothing is known of any span. */
  frames: PackedFrames | null;
}
