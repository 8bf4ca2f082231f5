// Throughput to hosts and backlog of switches over time, a line for each run.

import type { OverTimeOfRun, Report } from "../data.ts";
import { note } from "../dom.ts";
import { overNote } from "../over.ts";
import { markLegend, marksOf } from "../events.ts";
import { timeChart } from "../lines.ts";
import type { TimeLine } from "../lines.ts";
import { legend, runName, runStroke } from "../palette.ts";
import { asTable, table } from "../tables.ts";
import { bitRate, rateUnit, size, sizeUnit, span } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

type Found = OverTimeOfRun & { run: number; name: string };

const lines = (found: Found[], read: (run: Found) => number[]): TimeLine[] =>
  found.map((run) => ({
    name: run.name,
    ...runStroke(run.run),
    points: read(run).map((value, nth): [number, number] => [(nth + 1) * run.interval, value]),
  }));

const largest = (numbers: number[]): number => numbers.reduce((left, right) => Math.max(left, right), 0);

/** Sums over each run. */
function totals(report: Report, found: Found[]): HTMLElement {
  const rows = found.map(({ run, interval, throughput, mean, backlog, worst }) => [
    runName(report.runs, run),
    span(interval),
    bitRate(mean),
    bitRate(largest(throughput)),
    size(largest(backlog)),
    worst ?? "–",
  ]);
  const numbers = ["interval", "mean throughput", "largest throughput in an interval", "largest backlog"];
  const columns = [{ title: "run" }, ...numbers.map((title) => ({ title, number: true })), { title: "switch with the largest backlog" }];
  return table("Throughput and backlog over time", columns, rows);
}

/** The points of the charts as a table. */
function intervals(found: Found[]): HTMLElement {
  const rows = found.flatMap(({ name, interval, throughput, backlog }) =>
    throughput.map((rate, nth) => [name, span((nth + 1) * interval), bitRate(rate), size(backlog[nth] ?? 0)]),
  );
  const numbers = ["end of the interval", "throughput", "backlog"];
  return asTable("Throughput and backlog in each interval", [{ title: "run" }, ...numbers.map((title) => ({ title, number: true }))], rows);
}

function content(report: Report): HTMLElement[] {
  const found = report.over_time.flatMap((sampled, run): Found[] =>
    sampled === null ? [] : [{ ...sampled, run, name: report.runs[run]?.name ?? "" }],
  );
  if (found.length === 0) {
    return [];
  }
  const runs = found.map(({ run }) => run);
  const marks = marksOf(report, runs);
  const [rates, backlogs] = [lines(found, ({ throughput }) => throughput), lines(found, ({ backlog }) => backlog)];
  const rate = rateUnit(largest(found.flatMap(({ throughput }) => throughput)));
  const bytes = sizeUnit(largest(found.flatMap(({ backlog }) => backlog)));
  return [
    note(
      "Throughput: bytes sent on the links to all hosts in an interval, per second. Backlog: the bytes waiting at all ports of " +
        "one switch at the end of a sample; the largest over switches and samples of the interval." +
        overNote(report, "Mean throughput was taken"),
    ),
    legend(report.runs, runs),
    pair(
      figure("Throughput to all hosts", timeChart("Throughput over time", "throughput", rate, rates, bitRate, [], marks)),
      figure("Largest backlog of a switch", timeChart("Backlog over time", "backlog", bytes, backlogs, size, [], marks)),
    ),
    ...markLegend(report, marks),
    totals(report, found),
    intervals(found),
  ];
}

/** The panel. */
export const OVER_TIME: Panel = { id: "over_time", title: "Throughput and backlog", content };
