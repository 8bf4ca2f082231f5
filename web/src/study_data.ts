// A sweep of which no run folders are kept; the structs of the same names in crates/report/src/study.rs.

import type { Answer } from "./answer_data.ts";

/** In seconds; half of the 95 % interval is absent for a single seed. */
export interface MeanData {
  mean: number;
  half: number | null;
}

export interface StudyJob {
  name: string;
  seeds: number;
  step: MeanData | null;
  step_p99: number | null;
  /** From the baseline, paired by seed; absent for that one. */
  difference: (MeanData & { seeds: number; base: number }) | null;
}

export interface StudyVariant {
  name: string;
  points: number;
  jobs: StudyJob[];
  fct: MeanData | null;
  fct_p99: number | null;
}

/** The axis of varied values. */
export interface ValueAxis {
  path: string;
  unit: "bit/s" | "B" | "s" | "number";
  log: boolean;
  /** Names at 0, 1, ... in place of numbers; empty if there are numbers. */
  names: string[];
}

export interface CurvePoint {
  value: string;
  number: number;
  seeds: number;
  mean: number;
  half: number | null;
}

export interface CurveLine {
  name: string;
  points: CurvePoint[];
}

export interface CurveData {
  quantity: string;
  axis: ValueAxis;
  is_joined: boolean;
  lines: CurveLine[];
}

export interface FoundThreshold {
  words: string;
  estimate: number | null;
  interval: [number, number] | null;
  tried: CurveLine;
}

/** What a search for thresholds found. */
export interface ThresholdData {
  axis: ValueAxis;
  threshold: number;
  found: FoundThreshold[];
}

export interface FailedData {
  variant: string;
  seed: number;
  reason: string;
}

/** A sweep. */
export interface StudyData {
  name: string;
  scenarios: string[];
  netloom: string;
  varied: string[];
  seeds: [number, number];
  over: string;
  points: number;
  total: number;
  failed: FailedData[];
  variants: StudyVariant[];
  baseline: number;
  answer: Answer | null;
  curves: CurveData[];
  thresholds: ThresholdData | null;
}
