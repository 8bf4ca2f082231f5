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
}

export interface TimelineOfRun {
  steps: RecordedStep[];
  packed: string;
}
