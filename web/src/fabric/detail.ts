// One port, or the ports between two squares, over time: a chart for each metric, and a table.

import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { markLegend, marksOf } from "../events.ts";
import { timeChart } from "../lines.ts";
import type { TimeLine } from "../lines.ts";
import { figure, pair } from "../panels/panel.ts";
import { legend, runName, runStroke } from "../palette.ts";
import { asTable, table } from "../tables.ts";
import { bitRate, count, percent, size, sizeUnit, some, span } from "../units.ts";
import type { Edge } from "./data.ts";
import { METRICS } from "./metrics.ts";
import type { Metric } from "./metrics.ts";
import { edgeName, portsOf } from "./names.ts";
import type { Shown } from "./shown.ts";

/** An edge of a run that is shown. */
interface Found extends Shown {
  edge: Edge;
  number: number;
}

/** The edge of this name in each run. */
export function find(shown: Shown[], name: string): Found[] {
  return shown.flatMap((run) => {
    const number = run.fabric.edges.findIndex((edge) => edgeName(run.fabric, edge) === name);
    const edge = run.fabric.edges[number];
    return edge === undefined ? [] : [{ ...run, edge, number }];
  });
}

function course(metric: Metric, { run, frames, edge, number }: Found, name: string): TimeLine[] {
  if (frames === null || !frames.sampled) {
    return [];
  }
  const points = Array.from({ length: frames.count }, (_, frame): [number, number] => [
    frames.bounds({ first: frame, last: frame })[1],
    metric.during(edge, number, frames, { first: frame, last: frame }),
  ]);
  return [{ name, ...runStroke(run), points }];
}

const PERCENT = { name: "%", worth: 0.01 };
const PLAIN = { name: "packets", worth: 1 };

/** A chart of a metric, unless it is always zero. */
function chartOf(report: Report, metric: Metric, found: Found[]): HTMLElement[] {
  const lines = found.flatMap((one) => course(metric, one, report.runs[one.run]?.name ?? ""));
  const most = lines.flatMap(({ points }) => points).reduce((left, [, value]) => Math.max(left, value ?? 0), 0);
  const always = metric.id === "utilization" || metric.id === "backlog";
  if (lines.length === 0 || (most === 0 && !always)) {
    return [];
  }
  const unit = metric.id === "backlog" ? sizeUnit(most) : metric.id === "drops" ? PLAIN : PERCENT;
  const marks = marksOf(report, found.map(({ run }) => run));
  const chart = timeChart(`${metric.title} over time`, metric.title.toLowerCase(), unit, lines, metric.write, [], marks);
  return [figure(`${metric.title}: ${metric.span}`, chart)];
}

/** Totals over the run. */
function totals(report: Report, found: Found[]): HTMLElement {
  const numbers = ["link rate", "sent", "mean utilization", "largest utilization of a port", "longest queue", "dropped", "marked", "blocked"];
  const rows = found.map(({ run, edge }) => [
    runName(report.runs, run),
    edge.ports === 1 ? bitRate(edge.rate) : `${bitRate(edge.rate)} (${count(edge.ports)} ports)`,
    size(edge.sent),
    percent(edge.busy),
    percent(edge.busiest),
    edge.peak === null ? null : size(edge.peak),
    some(edge.dropped, "packet"),
    some(edge.marked, "packet"),
    span(edge.paused / 1e12),
  ]);
  const columns = [{ title: "run" }, ...numbers.map((title) => ({ title, number: true }))];
  return table("Over the whole run; utilization over the time that figures are taken over", columns, rows);
}

/** The values of each interval, as whole numbers. */
function spansOf(report: Report, { run, frames, number }: Found): HTMLElement[] {
  if (frames === null || !frames.sampled) {
    return [];
  }
  const rows = Array.from({ length: frames.count }, (_, frame) => [
    span((frame + 1) * frames.length),
    ...(["sent", "waiting", "paused", "dropped"] as const).map((kind) => count(frames.of(kind, number, frame))),
  ]);
  const titles = ["bytes sent", "bytes waiting", "blocked (ps)", "packets dropped"];
  const columns = [{ title: "end of interval" }, ...titles.map((title) => ({ title, number: true }))];
  return [asTable(`Intervals of ${report.runs[run]?.name ?? ""}`, columns, rows)];
}

/** A port that exists, as an example of names. */
function instance([first]: Shown[]): string {
  const edge = first?.fabric.edges[0];
  return first === undefined || edge === undefined ? "" : `; a port is named, for instance, ${edgeName(first.fabric, edge)}`;
}

/** All data of an edge. */
export function detail(report: Report, shown: Shown[], name: string): HTMLElement {
  const found = find(shown, name);
  const first = found[0];
  const many = first === undefined || first.edge.ports === 1 ? "" : portsOf(first.edge);
  const heading = element("h3", { tabindex: "-1" }, name, many);
  if (first === undefined) {
    return element("div", { class: "detail" }, heading, note(`None of the runs shown has a port of this name${instance(shown)}.`));
  }
  const charts = METRICS.flatMap((metric) => chartOf(report, metric, found));
  const silent = found.filter(({ frames }) => frames === null || !frames.sampled);
  const unsampled = silent.length > 0 ? [note("Ports were not sampled over time, so there are no charts; record.series enables sampling.")] : [];
  const runs = found.map(({ run }) => run);
  return element(
    "div",
    { class: "detail" },
    heading,
    totals(report, found),
    ...(charts.length > 0 ? [legend(report.runs, runs), pair(...charts)] : []),
    ...(charts.length > 0 ? markLegend(report, marksOf(report, runs)) : []),
    ...unsampled,
    ...found.flatMap((one) => spansOf(report, one)),
  );
}
