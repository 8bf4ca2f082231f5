// Variants: runs that differ only in their seed. Each has a colour, and the first drawings compare two of them.
//
// The assignment is made once, when the page begins.

import type { Report } from "./data.ts";

/** The variant of a run, which of its seeds the run has, and the number of dashes by which it differs from the first of them. */
interface Member {
  variant: number;
  seed: number;
  dashes: number;
}

/** Number of colours of lines. */
export const COLOURS = 8;

/** By run; without an entry a run is a variant of its own. */
let members: Member[] = [];

/** The variant of a run. */
export const variantOf = (run: number): Member => members[run] ?? { variant: run, seed: 0, dashes: 0 };

/** Assigns the runs of a report to the variants of its answer; other runs are variants of their own. */
export function colourByVariant({ runs, answer }: Report): void {
  const variants = answer?.variants ?? [];
  const others = runs.flatMap((_, run) => (variants.some((variant) => variant.runs.includes(run)) ? [] : [run]));
  // Variants of one colour differ in their dashes, too, so seeds skip those.
  const each = Math.ceil((variants.length + others.length) / COLOURS);
  members = runs.map((_, run) => {
    const variant = variants.findIndex((one) => one.runs.includes(run));
    const seed = variants[variant]?.runs.indexOf(run) ?? 0;
    return { variant: variant < 0 ? variants.length + others.indexOf(run) : variant, seed, dashes: seed * each };
  });
}

/** The variant that is the most times as fast as the baseline, of the first job. */
function best({ answer }: Report): number | undefined {
  const compared = answer?.verdicts[0]?.compared.filter(({ speedup }) => speedup !== null) ?? [];
  const sorted = [...compared].sort((one, other) => (other.speedup?.ratio ?? 0) - (one.speedup?.ratio ?? 0));
  return sorted[0]?.variant;
}

/** These runs, in the order in which they are compared: the baseline, the best variant, then one run of each other variant. */
export function comparedFirst(report: Report, runs: number[]): number[] {
  const { answer } = report;
  const runOf = (variant: number | undefined): number | undefined => answer?.variants[variant ?? -1]?.runs.find((run) => runs.includes(run));
  const ofAnswer = [runOf(answer?.baseline), runOf(best(report))].filter((run) => run !== undefined);
  const firsts = runs.filter((run) => variantOf(run).seed === 0);
  return [...new Set([...ofAnswer, ...firsts, ...runs])];
}
