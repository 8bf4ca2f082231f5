// Arrows between nodes as pages write them: the command writes names of causes and sites for terminals.

import type { StepCauses } from "./answer_data.ts";
import type { Report } from "./data.ts";

/** A text with the arrows of pages. */
export const arrows = (text: string): string => text.replaceAll(" -> ", " → ");

const named = <Rest>(pairs: [string, Rest][]): [string, Rest][] => pairs.map(([name, rest]) => [arrows(name), rest]);

const step = (causes: StepCauses): StepCauses => ({ ...causes, causes: named(causes.causes) });

/** The report with the arrows of pages in all names of causes and sites. */
export function withArrows(report: Report): Report {
  const { answer, why, explained } = report;
  return {
    ...report,
    why: why.map((job) => ({ ...job, causes: job.causes.map(arrows), sites: named(job.sites) })),
    explained: explained.map((run) => ({
      ...run,
      causes: run.causes.map(arrows),
      steps: run.steps.map((chain) => ({ ...chain, causes: named(chain.causes) })),
    })),
    answer: answer && {
      ...answer,
      verdicts: answer.verdicts.map((verdict) => ({
        ...verdict,
        compared: verdict.compared.map((found) => ({
          ...found,
          reason: found.reason && { ...found.reason, own: step(found.reason.own), baseline: step(found.reason.baseline) },
        })),
      })),
    },
  };
}
