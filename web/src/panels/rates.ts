// Selected flows over time: retransmission ratio, sending rate that congestion control allows, and goodput.

import type { RatedFlow, RatesOfRun, Report } from "../data.ts";
import { note } from "../dom.ts";
import { markLegend, marksOf } from "../events.ts";
import { timeChart } from "../lines.ts";
import type { TimeLine } from "../lines.ts";
import { jobStroke, legendOf, lineName } from "../palette.ts";
import type { Stroke } from "../palette.ts";
import { asTable } from "../tables.ts";
import { bitRate, count, percent, rateUnit, span } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** Largest number of lines that can be distinguished in one chart. */
const LINES = 16;

interface Line extends Stroke {
  name: string;
  run: RatesOfRun;
  flow: RatedFlow;
}

/** The flows of each run that sent most, up to the number of lines. */
function lines(report: Report): Line[] {
  const shown = report.rates.filter((run) => run !== null);
  const each = Math.max(1, Math.floor(LINES / Math.max(shown.length, 1)));
  const most = Math.max(0, ...shown.map(({ flows }) => Math.min(flows.length, each)));
  return report.rates.flatMap((run, place) =>
    (run?.flows ?? []).slice(0, each).flatMap((flow, nth) => {
      const name = report.runs.length > 1 ? `${report.runs[place]?.name ?? ""} · ${flow.flow}` : flow.flow;
      return run === null ? [] : [{ name, run, flow, ...jobStroke(place, nth, most, report.runs.length) }];
    }),
  );
}

/** Values of intervals: `at` is 1 for values at their ends, and 0.5 for values over the whole interval. */
function points({ run, flow }: Line, values: (number | null)[], at: number): TimeLine["points"] {
  return values.map((value, nth) => [flow.begin + (nth + at) * run.interval, value]);
}

function left(report: Report, shown: Line[]): HTMLElement[] {
  const total = report.rates.reduce((sum, run) => sum + (run?.total ?? 0), 0);
  const text = `The ${shown.length} of ${count(total)} recorded flows that sent most are shown; table “rates” has all of them.`;
  return total > shown.length ? [note(text)] : [];
}

function content(report: Report): HTMLElement[] {
  const shown = lines(report);
  if (shown.length === 0) {
    return [];
  }
  const drawn = (values: (flow: RatedFlow) => (number | null)[], at: number): TimeLine[] =>
    shown.map((line) => ({ ...line, points: points(line, values(line.flow), at) }));
  const rates = shown.flatMap(({ flow }) => [...flow.rates, ...flow.goodputs]);
  const unit = rateUnit(rates.reduce<number>((most, rate) => Math.max(most, rate ?? 0), 1));
  const shares = { name: "%", worth: 0.01 };
  const marks = marksOf(report);
  const intervals = [...new Set(shown.map(({ run }) => span(run.interval)))].join(", ");
  const numbers = ["packets", "retransmitted", "spurious retransmissions", "NACKs", "ECN-marked", "congestion notifications", "mean rate", "mean goodput"];
  return [
    note(
      `Interval: ${intervals}. The scenario selects flows by “rates_of” and “rates_from”: all messages of a ` +
        "pair of hosts, or a single message. The rate is what congestion control allows a queue pair at the end of an " +
        "interval; mean over the queue pairs with data in flight.",
    ),
    legendOf(shown.map((line) => lineName(line.name, line))),
    pair(
      figure(
        "Retransmission ratio: retransmitted packets over all packets sent in an interval",
        timeChart("Retransmission ratio over time", "retransmitted", shares, drawn((flow) => flow.shares, 0.5), percent, [], marks),
      ),
      figure(
        "Sending rate that congestion control allows a queue pair",
        timeChart("Sending rate over time", "rate", unit, drawn((flow) => flow.rates, 1), bitRate, [], marks),
      ),
      figure(
        "Goodput: payload that arrived for the first time in an interval, per second",
        timeChart("Goodput over time", "goodput", unit, drawn((flow) => flow.goodputs, 0.5), bitRate, [], marks),
      ),
    ),
    ...markLegend(report, marks),
    ...left(report, shown),
    asTable(
      "Selected flows over the whole run",
      [{ title: "flow" }, ...numbers.map((title) => ({ title, number: true }))],
      shown.map(({ name, flow }) => [
        name,
        count(flow.packets),
        `${count(flow.retransmitted)} (${percent(flow.retransmitted / Math.max(flow.packets, 1))})`,
        ...[flow.spurious, flow.nacks, flow.marked, flow.notifications].map(count),
        flow.mean_rate === null ? null : bitRate(flow.mean_rate),
        bitRate(flow.mean_goodput),
      ]),
    ),
  ];
}

/** The panel. */
export const RATES: Panel = { id: "rates", title: "Flows over time", content };
