// The data of ports by tier: that of crates/report/src/panels/tier_ports.rs, and over time of tier_times.rs beside it.

/** The ports of one kind of node towards another one; shares are of the time. */
export interface TierStrip {
  from: string;
  to: string;
  ports: number;
  /** Ports in a cell. */
  each: number;
  cells: number;
  mean: number;
  median: number;
  most: number;
  busiest: [string, string];
  /** Longest queue in bytes. */
  queue: number | null;
  longest: [string, string];
  dropped: number;
  paused: number;
}

export interface TierPortsOfRun {
  strips: TierStrip[];
  /** By strip, value (utilization, queue, dropped, paused; shares in hundredths of a percent) and cell. */
  packed: string;
  /** By strip and cell: first and last node, and the ends of the busiest port. */
  names: string;
}

export interface TierTimesOfRun {
  /** The kinds of nodes at both ends of the ports of each strip. */
  kinds: [string, string][];
  /** Length of an interval, in seconds. */
  interval: number;
  intervals: number;
  /** By value (utilization, queue, dropped, blocked; shares in hundredths of a percent), strip and interval. */
  packed: string;
  /** Ends of steps, in seconds; empty if there are too many. */
  steps: number[];
}
