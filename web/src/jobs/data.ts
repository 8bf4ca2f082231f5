// Data of recorded steps from the command; the structs of the same names in crates/report/src/panels/timeline.rs.
//
// Times in seconds, unless their names end in ps.

export interface OverRanks {
  mean: number;
  least: number;
  most: number;
}

export interface RecordedStep {
  job: number;
  name: string;
  step: number;
  start: number;
  start_ps: string;
  /** Null if it was not completed. */
  time: number | null;
  ranks: number;
  /** Number of spans that are drawn; 0 if the page has no room for them. */
  drawn: number;
  compute: OverRanks;
  exposed: OverRanks;
  barrier: OverRanks;
  idle: OverRanks;
}

/** A time of ranks in a step: mean over ranks and steps, the largest mean of a rank, and the share of the mean step. */
export interface MeanTime {
  mean: number;
  worst: number;
  rank: number;
  share: number;
}

/** The first rows of a list; those of crates/report/src/breakdown, as the rest of this part. */
export interface CutList<Row> {
  rows: Row[];
  total: number;
}

export interface PhaseTime {
  phase: number;
  name: string;
  activity: string;
  group: string;
  time: number;
  /** Null for computation and barriers. */
  exposed: number | null;
  share: number;
  worst: number;
  worst_rank: number;
}

export interface MemberWait {
  phase: number;
  bucket: number;
  name: string;
  group: string;
  collectives: number;
  mean: number;
  largest: number;
  communicator: string;
  last_rank: number;
  step: number;
}

/** Bandwidths in bytes per second. */
export interface GroupBandwidth {
  group: string;
  phase: number;
  name: string;
  communicators: number;
  busbw: number;
  from_first: number;
  lowest: number;
  lowest_communicator: string;
  bound: number | null;
  bound_kind: "nic" | "local" | null;
  share: number | null;
}

export interface Breakdown {
  job: number;
  steps: number[];
  ranks: number;
  times: Record<"step" | "compute" | "communication" | "exposed" | "barrier" | "idle", MeanTime>;
  phases: CutList<PhaseTime>;
  waits: CutList<MemberWait>;
  bandwidths: CutList<GroupBandwidth>;
}

export interface TimelineOfRun {
  steps: RecordedStep[];
  packed: string;
  /** Jobs that compute or have groups. */
  jobs: Breakdown[];
}
