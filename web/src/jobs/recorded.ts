// The recorded step that another panel shows, and its address in view Jobs.

import type { Report } from "../data.ts";
import type { RecordedStep } from "./data.ts";
import { spansOf } from "./spans.ts";
import type { Span } from "./spans.ts";

/** The recorded step of a job with this name; null if its spans are not in the page. */
export function recordedStep(report: Report, run: number, job: string, step: number): RecordedStep | null {
  const steps = report.timeline[run]?.steps ?? [];
  return steps.find((found) => found.name === job && found.step === step && found.drawn > 0) ?? null;
}

/** The address of the ranks of a recorded step. */
export const ranksAddress = (run: number, { job, step }: RecordedStep): string => `#ranks?run=${run}&job=${job}&step=${step}`;

/** The spans of a recorded step. */
export async function spansIn(report: Report, run: number, step: RecordedStep): Promise<Span[]> {
  const timeline = report.timeline[run] ?? null;
  return timeline === null ? [] : ((await spansOf(timeline)).get(step) ?? []);
}
