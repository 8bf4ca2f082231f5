// Staged flows: throughput of each over time, or in each stage, and fairness.

import type { Report, Stage, StagesOfRun } from "../data.ts";
import { note } from "../dom.ts";
import { groupChart } from "../groups.ts";
import { markLegend, marksOf } from "../events.ts";
import type { Mark } from "../events.ts";
import { timeChart } from "../lines.ts";
import { jobStroke, legendOf, lineName } from "../palette.ts";
import type { Stroke } from "../palette.ts";
import { table } from "../tables.ts";
import { bitRate, count, rateUnit, significant, span, spanUnit } from "../units.ts";
import type { Unit } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

interface Shown {
  /** The name of the run if there are several. */
  prefix: string;
  found: StagesOfRun;
  marks: Mark[];
}

function shown(report: Report): Shown[] {
  return report.stages.flatMap((found, place) => {
    const prefix = report.runs.length > 1 ? `${report.runs[place]?.name ?? ""} · ` : "";
    return found === null ? [] : [{ prefix, found, marks: marksOf(report, [place]) }];
  });
}

/** Flows of a run differ in colours, then in dashes; each run has its own chart. */
const strokeOf = (flow: number, flows: number): Stroke => jobStroke(flow, flow, flows, 1);

const fastest = (found: StagesOfRun): number => {
  const all = found.stages.flatMap(({ throughputs }) => throughputs.map((value) => value ?? 0));
  return Math.max(1, ...all, ...found.lines.map(({ goodputs }) => Math.max(0, ...goodputs)));
};

/** The next number of one digit and a half: 1, 1.5, 2, 2.5, and so on. */
function roundedUp(value: number): number {
  const half = 10 ** Math.floor(Math.log10(value)) / 2;
  return Math.ceil(value / half) * half;
}

/** Instants at which stages begin and end. */
const boundaries = ({ stages }: StagesOfRun): number[] =>
  [...new Set(stages.flatMap(({ start, end }) => [start, end]))].filter((instant) => instant > 0);

/** The unit of the times of stages of a run. */
const stageUnit = ({ stages }: StagesOfRun): Unit => spanUnit(stages.at(-1)?.end ?? 1);

const stageName = ({ start, end }: Stage, { worth }: Unit): string =>
  [start, end].map((instant) => significant(instant / worth)).join(" – ");

/** Throughput over time, with a vertical line at the start and end of each stage. */
function overTime(report: Report, { prefix, found, marks }: Shown, most: number): HTMLElement[] {
  const { lines } = found;
  const drawn = lines.map(({ name, begin, interval, goodputs }, nth) => ({
    name,
    ...strokeOf(nth, lines.length),
    points: goodputs.map((value, place): [number, number] => [begin + (place + 0.5) * interval, value]),
  }));
  const unit = rateUnit(most);
  const label = `${prefix}Throughput over time; dashed vertical lines separate stages`;
  return [
    legendOf(drawn.map((line) => lineName(line.name, line))),
    figure(label, timeChart(label, "throughput", unit, drawn, bitRate, boundaries(found), marks, most)),
    ...markLegend(report, marks),
  ];
}

/** A group of bars for each stage. */
function byStage({ prefix, found }: Shown, most: number): HTMLElement[] {
  const { flows, stages } = found;
  const kinds = flows.map(({ name }, nth) => ({
    name,
    colour: strokeOf(nth, flows.length).colour,
    bars: stages.map(({ throughputs }) => {
      const value = throughputs[nth] ?? null;
      return value === null ? null : { value, low: value, high: value, tip: [bitRate(value)] };
    }),
  }));
  const scale = stageUnit(found);
  const axis = { name: `stage, in simulated time (${scale.name})`, names: stages.map((stage) => stageName(stage, scale)) };
  const label = `${prefix}Throughput in each stage`;
  return [
    legendOf(kinds.map(({ name }, nth) => lineName(name, strokeOf(nth, flows.length)))),
    figure(label, groupChart(label, "throughput", rateUnit(most), axis, kinds, most)),
  ];
}

/** The unit of variances of rates. */
const squared = ({ worth }: Unit): number => worth * worth;

function stageTable({ prefix, found }: Shown): HTMLElement {
  const { flows, stages } = found;
  const unit = rateUnit(fastest(found));
  const scale = stageUnit(found);
  const titles = [
    ...flows.map(({ name }) => `${name} (${unit.name})`),
    `sum (${unit.name})`,
    "Jain’s index",
    `variance (${unit.name}²)`,
  ];
  const rate = (value: number | null): string | null => (value === null ? null : significant(value / unit.worth));
  const rows = stages.map((stage) => [
    stageName(stage, scale),
    ...stage.throughputs.map(rate),
    rate(stage.sum),
    stage.jain === null ? null : stage.jain.toFixed(4),
    significant(stage.variance / squared(unit)),
  ]);
  const columns = [{ title: `stage (${scale.name})` }, ...titles.map((title) => ({ title, number: true }))];
  return table(`${prefix}Throughput and fairness in each stage`, columns, rows);
}

/** The warm-up of stages. */
function warmUp(all: Shown[]): string {
  const left = new Set(
    all.flatMap(({ found }) => found.stages.map(({ start, measured_from }) => span(Math.max(0, measured_from - start)))),
  );
  const some = [...left].join(", ");
  return some === "0 s"
    ? "Figures are taken over the whole of each stage."
    : `Figures are taken over each stage without its warm-up (${some}).`;
}

function cut({ prefix, found }: Shown): HTMLElement[] {
  const { total_flows, total_stages, flows, stages } = found;
  const text =
    `${prefix}${count(flows.length)} of ${count(total_flows)} flows and ${count(stages.length)} of ` +
    `${count(total_stages)} stages are shown; sum, index and variance cover all flows. Table “stages” has all of them.`;
  return total_flows > flows.length || total_stages > stages.length ? [note(text)] : [];
}

const scaled = ({ prefix, found: { scale } }: Shown): HTMLElement[] =>
  scale === null ? [] : [note(`${prefix}Times are scaled to ${scale} of those of the source.`)];

function content(report: Report): HTMLElement[] {
  const all = shown(report);
  if (all.length === 0) {
    return [];
  }
  // One scale for all runs, so that they can be compared.
  const most = roundedUp(Math.max(...all.map(({ found }) => fastest(found))));
  return [
    note(
      "Throughput is payload that arrived for the first time, per second. Jain’s index is 1 if all flows of a stage have the " +
        "same throughput, and 1/n if one of n flows has all of it; the variance is that of the throughputs of the n flows " +
        `(sum of squares divided by n). ${warmUp(all)}`,
    ),
    ...all.flatMap((run) => [
      ...scaled(run),
      ...(run.found.lines.length > 0 ? overTime(report, run, most) : byStage(run, most)),
      stageTable(run),
      ...cut(run),
    ]),
  ];
}

/** The panel. */
export const STAGES: Panel = { id: "stages", title: "Staged flows", content };
