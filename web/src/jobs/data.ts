// What the command tells of recorded steps; the structs of the same names in crates/report/src/panels/timeline.rs.
//
// Times in seconds, unless they say ps.

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
  /** Null where it was not over. */
  time: number | null;
  ranks: number;
  /** Spans that are drawn; 0 where there was no room. */
  drawn: number;
  compute: OverRanks;
  exposed: OverRanks;
  barrier: OverRanks;
}

export interface TimelineOfRun {
  steps: RecordedStep[];
  packed: string;
}
