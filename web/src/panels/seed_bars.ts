// Step times by variant: a bar for each variant, with a dot for each of its seeds.

import type { Bar } from "../bars.ts";
import type { JobSteps, Report, StepTimes } from "../data.ts";
import { runColour } from "../palette.ts";
import { count, span } from "../units.ts";
import { variantOf } from "../variants.ts";

type Timed = JobSteps & { times: StepTimes };

/** The name of a variant, with the job if there are several. */
function nameOf({ runs, answer }: Report, { run, job }: Timed, hasJobs: boolean): string {
  const { variant } = variantOf(run);
  const name = answer?.variants[variant]?.name ?? runs[run]?.name ?? "";
  return hasJobs ? `${name} · ${job}` : name;
}

/** The bars, or null if no variant has several seeds. */
export function seedBars(report: Report, timed: Timed[]): Bar[] | null {
  const hasJobs = new Set(timed.map(({ job }) => job)).size > 1;
  const groups = new Map<string, Timed[]>();
  timed.forEach((job) => {
    const name = nameOf(report, job, hasJobs);
    groups.set(name, [...(groups.get(name) ?? []), job]);
  });
  if ([...groups.values()].every((seeds) => seeds.length < 2)) {
    return null;
  }
  return [...groups].map(([name, seeds]) => {
    const means = seeds.map(({ times }) => times.mean.value);
    const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
    const tip = seeds.map(({ run, times }) => `seed ${report.runs[run]?.seed ?? ""}: ${span(times.mean.value)}`);
    return {
      name,
      colour: runColour(seeds[0]?.run ?? 0),
      value: mean,
      marks: means.map((value) => ({ value, symbol: "circle" })),
      tip: [`mean of ${count(seeds.length)} seeds ${span(mean)}`, ...tip],
    };
  });
}
