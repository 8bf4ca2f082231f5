// The table at the top: a row for each job of each run, with confidence intervals and changes relative to the baseline of
// the answer, or to the first run if there is no answer. Leaves out: which of these changes are shown by the runs.

import type { Estimate, Report, SummaryRow, WholeRun } from "../data.ts";
import { note, stacked } from "../dom.ts";
import { independent, overNote } from "../over.ts";
import { runName } from "../palette.ts";
import { table } from "../tables.ts";
import type { Cell, Column } from "../tables.ts";
import { change, count, size, span, spanUnit, significant, spans } from "../units.ts";
import type { Panel } from "./panel.ts";

interface Metric extends Column {
  cell: (row: SummaryRow, base: SummaryRow | undefined) => Cell;
}

/** The change of a value relative to that of the baseline. */
function relative(value: number, base: number | null | undefined): string {
  return typeof base === "number" && base > 0 ? change(value / base) : "";
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
  const cell = (row: SummaryRow, base: SummaryRow | undefined): Cell => {
    const found = read(row);
    return found && stacked(span(found.value), interval(found), relative(found.value, base && read(base)?.value));
  };
  return { title, number: true, cell };
}

function plain(title: string, write: (value: number) => string, read: (row: SummaryRow) => number | null): Metric {
  const cell = (row: SummaryRow, base: SummaryRow | undefined): Cell => {
    const found = read(row);
    return found === null ? null : stacked(write(found), relative(found, base && read(base)));
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

/** What changes are relative to: a name, and the runs of that name. */
interface Base {
  name: string;
  runs: number[];
}

function baseOf({ runs, answer }: Report): Base {
  const variant = answer?.variants[answer.baseline];
  return variant ?? { name: `the first run, ${runs[0]?.name ?? ""}`, runs: [0] };
}

/** The row of the baseline with the seed of this one, or that of its first run; none if this is a row of the baseline. */
function rowOfBase({ runs, summary }: Report, base: Base, { run, job }: SummaryRow): SummaryRow | undefined {
  const paired = base.runs.find((other) => runs[other]?.seed === runs[run]?.seed) ?? base.runs[0];
  return base.runs.includes(run) ? undefined : summary.find((other) => other.run === paired && other.job === job);
}

/** The heading of the table, with what percentages are relative to. */
function heading({ runs }: Report, base: Base): string {
  const seeds = base.runs.length > 1 ? " (its run of the same seed, or its first one)" : "";
  return `Figures of each run${runs.length > 1 ? `; percentages are changes relative to ${base.name}${seeds}` : ""}`;
}

function content(report: Report): HTMLElement[] {
  const { runs, summary } = report;
  const severalJobs = summary.some((row, place) => summary[place + 1]?.run === row.run);
  const shown = METRICS.filter((metric) => summary.some((row) => metric.cell(row, undefined) !== null));
  if (shown.length === 0) {
    return [];
  }
  const base = baseOf(report);
  const cells = (row: SummaryRow): Cell[] => {
    const job = severalJobs ? [row.job] : [];
    const relativeTo = rowOfBase(report, base, row);
    return [runName(runs, row.run), ...job, ...shown.map((metric) => metric.cell(row, relativeTo))];
  };
  const columns: Column[] = [{ title: "run" }, ...(severalJobs ? [{ title: "job" }] : []), ...shown];
  const intervals =
    "Below step times: the 95 % confidence interval over the steps of the run, assuming that steps are independent of each " +
    "other. It covers the variation between steps of this run, not the variation between seeds; " +
    "“from” marks an interval without an upper end, because there are too few steps.";
  const hasSteps = summary.some(({ steps }) => steps !== null);
  return [
    table(heading(report, base), columns, summary.map(cells), true),
    ...(hasSteps ? [note(intervals)] : []),
    note(
      `FCT: completion time of ${independent(report)}. Queues: the largest number of bytes waiting at one port at any time in the run.` +
        overNote(report, `Of ${independent(report)}, only those count that started`),
    ),
  ];
}

/** The panel. */
export const SUMMARY: Panel = { id: "summary", title: "Summary", content };
