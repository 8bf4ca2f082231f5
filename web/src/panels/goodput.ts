// Goodput of hosts with queue pairs, compared with the line rate.

import { barChart } from "../bars.ts";
import type { GoodputOfRun, Report } from "../data.ts";
import { note } from "../dom.ts";
import { runColour } from "../palette.ts";
import { asTable } from "../tables.ts";
import { bitRate, count, percent, rateUnit } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

const found = (report: Report): { run: number; name: string; goodput: GoodputOfRun }[] =>
  report.goodput.flatMap((goodput, run) =>
    goodput === null ? [] : [{ run, name: report.runs[run]?.name ?? "", goodput }],
  );

function content(report: Report): HTMLElement[] {
  const shown = found(report);
  if (shown.length === 0) {
    return [];
  }
  const unit = rateUnit(Math.max(...shown.map(({ goodput }) => goodput.line)));
  const bars = shown.map(({ run, name, goodput: { hosts, mean, slowest, slowest_host, fastest, line } }) => ({
    name,
    colour: runColour(run),
    value: mean,
    low: slowest,
    high: fastest,
    marks: [{ value: line, symbol: "diamond" as const }],
    tip: [
      `mean of ${count(hosts)} hosts ${bitRate(mean)}, ${percent(mean / line)} of line rate`,
      `slowest ${bitRate(slowest)}, ${slowest_host}`,
      `fastest ${bitRate(fastest)}`,
      `line rate ${bitRate(line)}`,
    ],
  }));
  return [
    note(
      "Goodput of a host: payload of its messages, divided by the time in which it had at least one message in flight. " +
        "The line rate is that of the ports that these messages could use: the link inside the server for messages within it, " +
        "NIC ports for others. Headers, ACKs and the latency to the receiver keep goodput below it; " +
        "a run with transport “ideal” shows the upper bound of this fabric.",
    ),
    figure(
      "Mean over hosts, with a line from the slowest to the fastest host; ◇ line rate of the ports they used",
      barChart("Goodput of each run", "goodput", unit, bars),
    ),
    asTable(
      "Goodput of hosts",
      [
        { title: "run" },
        ...["hosts", "mean", "share of line rate", "slowest", "fastest", "line rate"].map((title) => ({ title, number: true })),
        { title: "slowest host" },
      ],
      shown.map(({ name, goodput: { hosts, mean, slowest, slowest_host, fastest, line } }) => [
        name,
        count(hosts),
        bitRate(mean),
        percent(mean / line),
        bitRate(slowest),
        bitRate(fastest),
        bitRate(line),
        slowest_host,
      ]),
    ),
  ];
}

/** The panel. */
export const GOODPUT: Panel = { id: "goodput", title: "Goodput", content };
