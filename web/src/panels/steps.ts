// Step times: means with confidence intervals, the distribution, and step times over time.

import { barChart } from "../bars.ts";
import type { Bar } from "../bars.ts";
import { cdfChart } from "../cdf.ts";
import type { JobSteps, Report, StepTimes } from "../data.ts";
import { note } from "../dom.ts";
import { jobStroke, legendOf, lineName } from "../palette.ts";
import type { Stroke } from "../palette.ts";
import { markLegend, marksOf } from "../events.ts";
import { timeChart } from "../lines.ts";
import { asTable } from "../tables.ts";
import { count, span, spanUnit } from "../units.ts";
import type { Unit } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";
import { seedBars } from "./seed_bars.ts";
import { interval } from "./summary.ts";

type Timed = JobSteps & { times: StepTimes };

/** The name of the run, with the job if some run has several. */
function namer({ runs, steps }: Report): (job: JobSteps) => string {
  const several = steps.some((job, place) => steps[place + 1]?.run === job.run);
  return (job) => (several ? `${runs[job.run]?.name ?? ""} · ${job.job}` : (runs[job.run]?.name ?? ""));
}

/** The stroke of the line of a job. */
function stroker({ runs, steps }: Report): (job: JobSteps) => Stroke {
  const jobs = runs.map((_, run) => steps.filter((job) => job.run === run).map(({ job }) => job));
  const most = Math.max(...jobs.map((found) => found.length));
  return ({ run, job }) => jobStroke(run, jobs[run]?.indexOf(job) ?? 0, most, runs.length);
}

function bar(name: string, colour: string, { steps, times }: Timed): Bar {
  const line = (what: string, read: keyof Pick<StepTimes, "mean" | "p95" | "p99">): string => {
    const within = interval(times[read]);
    return `${what} ${span(times[read].value)}${within === "" ? "" : `  (${within})`}`;
  };
  return {
    name,
    colour,
    value: times.mean.value,
    low: times.mean.low,
    high: times.mean.high,
    marks: [
      { value: times.p95.value, symbol: "circle" },
      { value: times.p99.value, symbol: "diamond" },
    ],
    tip: [line("mean", "mean"), line("p95", "p95"), line("p99", "p99"), `${count(steps)} steps`],
  };
}

/** Step times over the start of each step, a line for each job of each run. */
function overTime(report: Report, timed: Timed[], name: (job: JobSteps) => string): HTMLElement[] {
  if (timed.every(({ course }) => course.starts.length < 2)) {
    return [];
  }
  const stroke = stroker(report);
  const lines = timed.map((job) => ({
    name: name(job),
    ...stroke(job),
    points: job.course.starts.map((start, nth): [number, number] => [start, job.course.times[nth] ?? 0]),
  }));
  const unit = spanUnit(Math.max(...timed.flatMap(({ course }) => course.times)));
  const each = Math.max(...timed.map(({ course }) => course.each));
  const many = each > 1 ? ` Up to ${count(each)} consecutive steps share a point, which shows the slowest of them.` : "";
  const marks = marksOf(report, [...new Set(timed.map(({ run }) => run))]);
  return [
    figure(
      `Step time over the start of each step.${many}`,
      timeChart("Step time over the start of each step", "step time", unit, lines, span, [], marks),
    ),
    ...markLegend(report, marks),
  ];
}

/** Means of each run, or of each variant with its seeds as dots. */
function means(bars: Bar[], variants: Bar[] | null, unit: Unit): HTMLElement {
  return variants === null
    ? figure("Mean with its 95 % confidence interval over steps; ○ p95, ◇ p99", barChart("Step time of each run", "step time", unit, bars))
    : figure("Mean of all seeds of each variant; ○ mean of each seed", barChart("Step time of each variant", "step time", unit, variants));
}

function content(report: Report): HTMLElement[] {
  const timed = report.steps.filter((job): job is Timed => job.times !== null);
  if (report.steps.length === 0) {
    return [];
  }
  if (timed.length === 0) {
    return [note("No step was completed in any of these runs.")];
  }
  const name = namer(report);
  const most = Math.max(...timed.map((job) => job.times.p99.value));
  const stroke = stroker(report);
  const bars = timed.map((job) => bar(name(job), stroke(job).colour, job));
  const lines = timed.map((job) => ({ name: name(job), ...stroke(job), cdf: job.times.cdf }));
  const rows = timed.map(({ times, steps, ...job }) => [
    name({ times, steps, ...job }),
    ...[times.mean, times.p95, times.p99].flatMap((found) => [span(found.value), interval(found)]),
    count(steps),
    times.exact ? "exact" : "within 0.4 %",
  ]);
  const columns = ["mean", "95 % interval", "p95", "95 % interval", "p99", "95 % interval", "steps", "percentiles"];
  return [
    note("A step lasts from the start of its first rank to the end of its last rank. Figures cover all completed steps of the run."),
    legendOf(lines.map((line) => lineName(line.name, line))),
    pair(
      means(bars, seedBars(report, timed), spanUnit(most)),
      figure("All steps", cdfChart("Distribution of step times", "step time", "steps", lines)),
    ),
    ...overTime(report, timed, name),
    asTable(
      "Step times",
      [{ title: "run" }, ...columns.map((title) => ({ title, number: true }))],
      rows,
    ),
  ];
}

/** The panel. */
export const STEPS: Panel = { id: "steps", title: "Step time", content };
