// The table at the top: a row for each job of each run, with confidence intervals and changes relative to the first run.

import type { Estimate, Report, SummaryRow, WholeRun } from "../data.ts";
import { note, stacked } from "../dom.ts";
import { independent, overNote } from "../over.ts";
import { runName } from "../palette.ts";
import { table } from "../tables.ts";
import type { Cell, Column } from "../tables.ts";
import { change, count, size, span, spanUnit, significant, spans } from "../units.ts";
import type { Panel } from "./panel.ts";

interface Metric extends Column {
  cell: (row: SummaryRow, first: SummaryRow | undefined) => Cell;
}

/** The change of a value relative to that of the first run. */
function relative(value: number, first: number | null | undefined): string {
  return typeof first === "number" && first > 0 ? change(value / first) : "";
}

/** An interval as text, also with one end open because of too few steps. */
export function interval({ low, high }: Estimate): string {
  if (low === null && high === null) {
    return "";
  }
  if (low !== null && high !== null) {
    return spans(low, high);
  }
  const known = low ?? high ?? 0;
  const unit = spanUnit(known);
  const text = `${significant(known / unit.worth)} ${unit.name}`;
  return low === null ? `up to ${text}` : `from ${text}`;
}

function estimate(title: string, read: (row: SummaryRow) => Estimate | null): Metric {
  const cell = (row: SummaryRow, first: SummaryRow | undefined): Cell => {
    const found = read(row);
    const base = first === undefined ? null : (read(first)?.value ?? null);
    return found && stacked(span(found.value), interval(found), relative(found.value, base));
  };
  return { title, number: true, cell };
}

function plain(title: string, write: (value: number) => string, read: (row: SummaryRow) => number | null): Metric {
  const cell = (row: SummaryRow, first: SummaryRow | undefined): Cell => {
    const found = read(row);
    return found === null ? null : stacked(write(found), relative(found, first && read(first)));
  };
  return { title, number: true, cell };
}

const whole = (read: (run: WholeRun) => number | null) => (row: SummaryRow) => row.whole && read(row.whole);

const METRICS: Metric[] = [
  { title: "steps", number: true, cell: (row) => (row.steps === null ? null : count(row.steps)) },
  estimate("step mean", (row) => row.mean),
  estimate("step p95", (row) => row.p95),
  estimate("step p99", (row) => row.p99),
  plain("job time", span, (row) => row.time),
  plain("FCT mean", span, whole((run) => run.fct_mean)),
  plain("FCT p99", span, whole((run) => run.fct_p99)),
  plain("longest host queue", size, whole((run) => run.host_queue)),
  plain("longest switch queue", size, whole((run) => run.switch_queue)),
  plain("dropped packets", count, whole((run) => run.dropped)),
  plain("unfinished messages", count, whole((run) => run.unfinished)),
];

function content(report: Report): HTMLElement[] {
  const { runs, summary } = report;
  const severalJobs = summary.some((row, place) => summary[place + 1]?.run === row.run);
  const shown = METRICS.filter((metric) => summary.some((row) => metric.cell(row, undefined) !== null));
  if (shown.length === 0) {
    return [];
  }
  const first = (row: SummaryRow): SummaryRow | undefined =>
    row.run === 0 ? undefined : summary.find((other) => other.run === 0 && other.job === row.job);
  const cells = (row: SummaryRow): Cell[] => {
    const job = severalJobs ? [row.job] : [];
    return [runName(runs, row.run), ...job, ...shown.map((metric) => metric.cell(row, first(row)))];
  };
  const columns: Column[] = [{ title: "run" }, ...(severalJobs ? [{ title: "job" }] : []), ...shown];
  const against = runs.length > 1 ? ` Percentages are changes relative to the first run, ${runs[0]?.name ?? ""}.` : "";
  const intervals =
    "Below step times: the 95 % confidence interval over the steps of the run, assuming that steps are independent of each " +
    "other. It covers the variation between steps of this run, not the variation between seeds; " +
    "“from” marks an interval without an upper end, because there are too few steps.";
  const hasSteps = summary.some(({ steps }) => steps !== null);
  const remarks = `${hasSteps ? intervals : ""}${against}`.trim();
  return [
    table("Figures of each run", columns, summary.map(cells), true),
    ...(remarks === "" ? [] : [note(remarks)]),
    note(
      `FCT: completion time of ${independent(report)}. Queues: the largest number of bytes waiting at one port at any time in the run.` +
        overNote(report, `Of ${independent(report)}, only those count that started`),
    ),
  ];
}

/** The panel. */
export const SUMMARY: Panel = { id: "summary", title: "Summary", content };
