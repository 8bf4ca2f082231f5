// The jobs of each run over simulated time: a row for each job, a bar for each of its steps.

import type { JobSteps, Report } from "../data.ts";
import { note } from "../dom.ts";
import { markLegend, marksOf } from "../events.ts";
import { courseChart } from "../jobs/course.ts";
import { asTable, table } from "../tables.ts";
import { count, span } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

const nameOf = ({ runs }: Report, { run, job }: JobSteps): string => `${runs[run]?.name ?? ""} · ${job}`;

/** Sums over each job. */
function totals(report: Report, jobs: JobSteps[]): HTMLElement {
  const rows = jobs.map((job) => [
    nameOf(report, job),
    count(job.ranks),
    count(job.steps),
    span(job.course.starts[0] ?? 0),
    job.time === null ? null : span(job.time),
  ]);
  const titles = ["ranks", "steps", "start of the first step", "completion time"];
  return table("Jobs", [{ title: "job" }, ...titles.map((title) => ({ title, number: true }))], rows);
}

/** The bars of the chart as a table. */
function bars(report: Report, jobs: JobSteps[]): HTMLElement {
  const rows = jobs.flatMap((job) =>
    job.course.starts.map((start, nth) => [nameOf(report, job), span(start), span(job.course.times[nth] ?? 0)]),
  );
  const titles = ["start", "step time"];
  return asTable("Steps of each job", [{ title: "job" }, ...titles.map((title) => ({ title, number: true }))], rows);
}

function content(report: Report): HTMLElement[] {
  const jobs = report.steps.filter(({ course }) => course.starts.length > 0);
  if (jobs.length === 0) {
    return [];
  }
  const rows = jobs.map((job) => ({ name: nameOf(report, job), run: job.run, ...job.course }));
  const each = Math.max(...jobs.map(({ course }) => course.each));
  const many = each > 1 ? [note(`Up to ${count(each)} consecutive steps share a bar, which shows the slowest of them.`)] : [];
  const marks = marksOf(report, [...new Set(jobs.map(({ run }) => run))]);
  return [
    note("A bar is a step, from the start of its first rank to the end of its last rank; consecutive steps alternate between dark and light."),
    ...many,
    figure("Steps of each job", courseChart("Steps of each job over time", rows, marks)),
    ...markLegend(report, marks),
    totals(report, jobs),
    bars(report, jobs),
  ];
}

/** The panel. */
export const COURSE: Panel = { id: "course", title: "Jobs over time", content };
