// What the answer says besides the verdict: how evenly ports are loaded, what background messages take, what was lost, and
// what is ruled out as a reason.
//
// Of each variant its first run is taken, and the sentences say so.

import type { Answer } from "./answer_data.ts";
import type { Report, WholeRun } from "./data.ts";
import { independent } from "./over.ts";
import type { TierStrip } from "./tier_data.ts";
import { change, count, percent, some, span } from "./units.ts";

/** A completion time from which on a change is stated. */
const WORSE = 1.05;

/** From this ratio on, of the busiest port to the median one under one variant and under another, loads are compared. */
const UNEVEN = 1.5;
/** Ports that are busy for a smaller share of the time are not compared. */
const BUSY = 0.02;

/** A variant with its first run. */
interface Shown {
  name: string;
  run: number;
}

const shownOf = ({ variants }: Answer): Shown[] => variants.map(({ name, runs }) => ({ name, run: runs[0] ?? 0 }));

/** The baseline, and the first of the variants that were compared with it, the best one. */
function comparedOf(answer: Answer): [Shown, Shown] | null {
  const shown = shownOf(answer);
  const [base, best] = [shown[answer.baseline], shown[answer.verdicts[0]?.compared[0]?.variant ?? -1]];
  return base === undefined || best === undefined ? null : [base, best];
}

const loadOf = ({ most, median }: TierStrip): string => `the busiest ${percent(most)} of the time, the median ${percent(median)}`;

/** How many times as busy as the median port the busiest one is. */
const unevennessOf = ({ most, median }: TierStrip): number => (most < BUSY ? 1 : most / Math.max(median, BUSY / 10));

/** The tier whose ports are loaded least evenly under the baseline or the best variant, compared with the other of them. */
function uneven(report: Report, answer: Answer): string[] {
  const compared = comparedOf(answer);
  if (compared === null) {
    return [];
  }
  const [base, best] = compared;
  const [strips, others] = [base, best].map(({ run }) => report.tier_ports[run]?.strips ?? []);
  const pairs = (strips ?? []).flatMap((strip, nth) => {
    const other = others?.[nth];
    const isAlike = other !== undefined && other.from === strip.from && other.to === strip.to;
    return isAlike ? [{ strip, other, ratio: unevennessOf(strip) / unevennessOf(other) }] : [];
  });
  const by = ({ ratio }: { ratio: number }): number => Math.max(ratio, 1 / ratio);
  const [first] = pairs.sort((one, two) => by(two) - by(one));
  if (first === undefined || by(first) < UNEVEN) {
    return [];
  }
  const { strip, other, ratio } = first;
  const [one, two] = ratio > 1 ? [[base, strip] as const, [best, other] as const] : [[best, other] as const, [base, strip] as const];
  return [
    `Ports ${strip.from} → ${strip.to} are loaded unevenly under ${one[0].name}: ${loadOf(one[1])}; under ${two[0].name} ${loadOf(two[1])} (first run of each)`,
  ];
}

/** Variants under which background messages take longer than under the baseline in any respect. */
function background(report: Report, answer: Answer): string[] {
  const shown = shownOf(answer);
  const timesOf = (run: number | undefined) => report.fct[run ?? -1]?.background.arrived ?? null;
  const base = timesOf(shown[answer.baseline]?.run);
  if (base === null || answer.verdicts.every(({ job }) => job === null)) {
    return [];
  }
  const order = answer.verdicts[0]?.compared.flatMap(({ variant }) => shown[variant] ?? []) ?? [];
  return order.flatMap(({ name, run }) => {
    const own = timesOf(run);
    if (own === null || [own.p50 / base.p50, own.mean / base.mean, own.p99 / base.p99].every((ratio) => ratio <= WORSE)) {
      return [];
    }
    const compared = (title: string, one: number, other: number): string => `${title} ${span(one)} instead of ${span(other)} (${change(one / other)})`;
    const times = [compared("p50", own.p50, base.p50), compared("mean", own.mean, base.mean), compared("p99", own.p99, base.p99)];
    return [`Beside the job, completion times of ${independent(report)} under ${name} against ${shown[answer.baseline]?.name ?? ""}: ${times.join(", ")} (first run of each)`];
  });
}

/** The figures of a whole run. */
const wholeOf = (report: Report, run: number): WholeRun | null => report.summary.find((row) => row.run === run)?.whole ?? null;

/** Whether packets lost were counted, as they are unless a run was measured. */
const hasCounts = (report: Report, run: number): boolean => typeof wholeOf(report, run)?.dropped === "number";

/** What was lost or sent again under each variant; nothing if nothing was. */
function losses(report: Report, answer: Answer): string[] {
  const of = ({ name, run }: Shown): string[] => {
    const whole = wholeOf(report, run);
    const repairs = report.repairs[run];
    const facts = [
      [whole?.dropped ?? 0, "packet lost", "packets lost"],
      [repairs?.nacks ?? 0, "NACK", "NACKs"],
      [repairs?.timeouts ?? 0, "timeout", "timeouts"],
      [repairs?.spurious ?? 0, "packet sent again in vain", "packets sent again in vain"],
      [whole?.unfinished ?? 0, "message that never arrived", "messages that never arrived"],
    ] as const;
    const there = facts.filter(([number]) => number > 0).map(([number, one, many]) => `${count(number)} ${number === 1 ? one : many}`);
    return there.length === 0 ? [] : [`${name}: ${there.join(", ")}`];
  };
  const shown = shownOf(answer);
  const found = shown.flatMap(of);
  const others = shown.every(({ run }) => hasCounts(report, run)) ? "; variants that are not named have none" : "";
  return found.length === 0 ? [] : [`Losses (first run of each${others}): ${found.join("; ")}`];
}

/** What cannot be a reason, since no run has it. */
function ruledOut(report: Report, answer: Answer): string[] {
  const runs = answer.variants.flatMap(({ runs: those }) => those);
  if (!runs.every((run) => hasCounts(report, run))) {
    return [];
  }
  const wholes = runs.map((run) => wholeOf(report, run));
  const out = [
    ...(wholes.every((whole) => whole?.dropped === 0) ? ["no packet was lost"] : []),
    ...(wholes.every((whole) => whole?.unfinished === 0) ? ["all messages arrived"] : []),
    ...(runs.every((run) => report.faults[run]?.total_events === 0 && report.faults[run].total === 0) ? ["nothing failed"] : []),
    ...(runs.every((run) => report.signals[run]?.paused === 0) ? ["no link was paused"] : []),
  ];
  return out.length === 0 ? [] : [`Ruled out as reasons in all ${some(runs.length, "run")}: ${out.join(", ")}`];
}

/** The sentences. */
export function besides(report: Report, answer: Answer): string[] {
  return [...uneven(report, answer), ...losses(report, answer), ...ruledOut(report, answer), ...background(report, answer)];
}
