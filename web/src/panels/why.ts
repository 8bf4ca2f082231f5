// What steps waited for: their causes on average, and step by step, for each job of each run that recorded causes.

import type { Area } from "../areas.ts";
import { areaName } from "../areas.ts";
import { areasOf } from "../cause_colours.ts";
import { columnsChart } from "../columns.ts";
import type { JobCauses, Report } from "../data.ts";
import { element, folded, note } from "../dom.ts";
import { legendOf } from "../palette.ts";
import { partsChart } from "../parts.ts";
import { asTable, table } from "../tables.ts";
import { count, percent, some, span, spanUnit } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

const sum = (times: number[]): number => times.reduce((total, time) => total + time, 0);

/** The name of the run, with the job if some run has several. */
function namer({ runs, why }: Report): (job: JobCauses) => string {
  const several = why.some((job, index) => why[index + 1]?.run === job.run);
  return (job) => (several ? `${runs[job.run]?.name ?? ""} · ${job.job}` : (runs[job.run]?.name ?? ""));
}

/** Times in the order of all causes of the page. */
const inOrder = (names: string[], job: JobCauses, times: number[]): number[] =>
  names.map((name) => times[job.causes.indexOf(name)] ?? 0);

/** The largest causes of a job, as a sentence. */
function finding(job: JobCauses, name: string): string {
  const total = sum(job.mean);
  const largest = job.causes.slice(0, 3).map((cause, index) => `${cause} ${percent((job.mean[index] ?? 0) / total)}`);
  return `${name}: of the mean step of ${span(total)}, ${largest.join(", ")}`;
}

/** Where the steps of one job waited. */
function sites(job: JobCauses, name: string): HTMLElement[] {
  const total = sum(job.mean);
  const rows = job.sites.map(([site, time]) => [site, span(time), percent(time / total)]);
  const columns = [{ title: "site" }, { title: "mean wait in a step", number: true }, { title: "share of the step", number: true }];
  return rows.length === 0 ? [] : [table(`${name}: where the chain of messages waited most`, columns, rows)];
}

/** Largest number of jobs whose sentences, and of those whose steps are not folded. */
const [MOST_SENTENCES, MOST_CHARTS] = [8, 4];

/** The first elements, and the others folded. */
function partly(all: HTMLElement[], most: number, noun: string): HTMLElement[] {
  const rest = all.slice(most);
  return [...all.slice(0, most), ...(rest.length === 0 ? [] : [folded(some(rest.length, `more ${noun}`), ...rest)])];
}

/** The steps of one job. */
function steps(job: JobCauses, name: string, names: string[], areas: Area[], most: number): HTMLElement[] {
  const shown = job.steps.length < job.n_steps ? `${count(job.steps.length)} of ${some(job.n_steps, "step")}, the longest among them` : some(job.n_steps, "step");
  const columns = job.steps.map(({ step, times }) => {
    const ordered = inOrder(names, job, times);
    const parts = ordered.flatMap((time, index) => (time > 0 ? [`${names[index] ?? ""}: ${span(time)}`] : []));
    return { name: count(step), parts: ordered, tip: [`${span(sum(times))} in all`, ...parts] };
  });
  const title = `What each step of ${name} waited for (${shown})`;
  const titles = [{ title: "step", number: true }, { title: "time", number: true }, ...names.map((cause) => ({ title: cause, number: true }))];
  const rows = columns.map(({ name: step, parts }) => [step, span(sum(parts)), ...parts.map(span)]);
  return [figure(title, columnsChart(title, "step", "time of the step", spanUnit(most), most, areas, columns)), asTable(title, titles, rows)];
}

function content(report: Report): HTMLElement[] {
  const { why } = report;
  if (why.length === 0) {
    return [];
  }
  const name = namer(report);
  const known = areasOf(report);
  const names = [...new Set(why.flatMap(({ causes }) => causes))].filter((name) => known.has(name));
  const areas = names.flatMap((name) => known.get(name) ?? []);
  const unit = spanUnit(Math.max(...why.map(({ mean }) => sum(mean))));
  const rows = why.map((job) => {
    const parts = inOrder(names, job, job.mean);
    return { name: name(job), parts, tip: names.map((cause, index) => `${cause}: ${span(parts[index] ?? 0)}`) };
  });
  const most = Math.max(...why.flatMap((job) => job.steps.map(({ times }) => sum(times))));
  const cells = why.map((job, index) => [name(job), span(sum(job.mean)), ...(rows[index]?.parts ?? []).map(span)]);
  const columns = [{ title: "run" }, { title: "mean step", number: true }, ...names.map((title) => ({ title, number: true }))];
  return [
    ...partly(why.map((job) => note(finding(job, name(job)))), MOST_SENTENCES, "job"),
    legendOf(areas.map((area, index) => areaName(names[index] ?? "", area))),
    figure("What the chain of messages of a step waited for, mean of all steps", partsChart("Causes of the mean step", "time of the mean step", unit, areas, rows)),
    ...partly(why.map((job) => element("div", {}, ...steps(job, name(job), names, areas, most))), MOST_CHARTS, "chart"),
    ...partly(why.flatMap((job) => sites(job, name(job))), MOST_CHARTS, "table"),
    asTable("Causes of the mean step", columns, cells),
    note("A step waits for a chain of messages, each of which started when the one before had arrived; its causes add up to its time. Turn at the NIC of the sender: packets of other messages of that host were on its wire; queues A → B: waits of a message's last packet at ports of A towards B."),
  ];
}

/** The panel. */
export const WHY: Panel = { id: "why", title: "What steps waited for", needs: "messages", content };
