// The data of the answer: which variant is better; that of crates/report/src/answer.

/** How many times as fast as the baseline a variant is; the interval is absent for a single pair. */
export interface Speedup {
  ratio: number;
  low: number | null;
  high: number | null;
  pairs: number;
  faster: number;
}

/** A variant against the baseline; times are means over the pairs. */
export interface Compared {
  variant: number;
  time: number | null;
  baseline_time: number | null;
  speedup: Speedup | null;
  outcome: "faster" | "no_difference" | "slower" | "one_pair" | "no_pair";
  sentence: string;
  reason: Reason | null;
}

/** What the steps of a run waited for; the causes add up to their time. */
export interface StepCauses {
  /** A typical one by its number, or the mean of this many. */
  basis: { typical: number } | { mean: number };
  time_s: number;
  causes: [string, number][];
}

/** Why a variant differs from the baseline: the steps of both. */
export interface Reason {
  own: StepCauses;
  baseline: StepCauses;
  sentence: string;
}

/** Which variant is better. */
export interface Answer {
  /** Index among the variants. */
  baseline: number;
  variants: { name: string; runs: number[] }[];
  /** Job by job; without a name for completion times of messages. */
  verdicts: { job: string | null; compared: Compared[] }[];
  notes: string[];
}
