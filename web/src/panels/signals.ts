// Ports that marked, that were paused, or at which packets were lost.

import { barChart } from "../bars.ts";
import type { Report, SignalledPort } from "../data.ts";
import { note } from "../dom.ts";
import { legend, runColour, runName } from "../palette.ts";
import { asTable, table } from "../tables.ts";
import type { Cell } from "../tables.ts";
import { count, percent, some, span } from "../units.ts";
import type { Unit } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** Bars of a figure. */
const BARS = 12;

interface Found {
  run: number;
  port: SignalledPort;
}

interface Kind {
  title: string;
  axis: string;
  unit: Unit;
  of: (port: SignalledPort) => number;
}

const PLAIN: Unit = { name: "", worth: 1 };

const KINDS: Kind[] = [
  {
    title: "Paused: share of simulated time",
    axis: "time paused",
    unit: { name: "% of simulated time", worth: 0.01 },
    of: (port) => port.paused_share,
  },
  { title: "Packets marked", axis: "packets marked", unit: PLAIN, of: (port) => port.marked },
  { title: "Packets lost", axis: "packets lost", unit: PLAIN, of: (port) => port.lost },
];

const where = (port: SignalledPort): string => `${port.from} → ${port.to}`;

/** Reasons with their numbers, in words. */
const reasons = (of: { reasons: Record<string, number> }): string =>
  Object.entries(of.reasons)
    .map(([reason, packets]) => `${reason.replaceAll("_", " ")} ${count(packets)}`)
    .join(", ");

function told(port: SignalledPort): string[] {
  return [
    `paused ${span(port.paused)}, ${percent(port.paused_share)} of the time`,
    `marked ${count(port.marked)} of ${some(port.packets, "packet")}`,
    `lost ${count(port.lost)}${port.lost > 0 ? `: ${reasons(port)}` : ""}`,
    `pause frames sent ${count(port.pauses)}`,
  ];
}

function drawing({ title, axis, unit, of }: Kind, found: Found[]): HTMLElement[] {
  const most = found.filter(({ port }) => of(port) > 0).sort((left, right) => of(right.port) - of(left.port));
  if (most.length === 0) {
    return [];
  }
  const bars = most.slice(0, BARS).map(({ run, port }) => ({
    name: where(port),
    colour: runColour(run),
    value: of(port),
    tip: told(port),
  }));
  return [figure(title, barChart(title, axis, unit, bars))];
}

function totals(report: Report): HTMLElement {
  const rows = report.signals.flatMap((of, run): Cell[][] =>
    of === null
      ? []
      : [[runName(report.runs, run), ...[of.total, of.paused, of.marked, of.pauses, of.lost, of.lost_without_port].map(count), reasons(of)]],
  );
  const numbers = ["ports with any of it", "ports paused", "packets marked", "pause frames", "packets lost", "before a port was chosen"];
  const columns = [{ title: "run" }, ...numbers.map((title) => ({ title, number: true })), { title: "why lost" }];
  return table("Over all ports", columns, rows);
}

function content(report: Report): HTMLElement[] {
  const found = report.signals.flatMap((of, run) => (of?.ports ?? []).map((port) => ({ run, port })));
  if (report.signals.every((of) => of === null)) {
    return [];
  }
  const runs = [...new Set(found.map(({ run }) => run))];
  const unplaced = report.signals.some((of) => of !== null && of.lost_without_port > 0);
  const numbers = ["packets", "marked", "paused", "share of time", "pause frames sent", "lost"];
  return [
    note(
      `Bars show the ${BARS} ports with most of each kind. ` +
        "A port is paused by the node at its other end, and sends pause frames to it." +
        (unplaced ? " Packets lost before a port was chosen, such as those without a path, are at no port and in the totals." : ""),
    ),
    ...(runs.length > 1 ? [legend(report.runs, runs)] : []),
    pair(...KINDS.flatMap((kind) => drawing(kind, found))),
    totals(report),
    asTable(
      "Ports with marks, pauses or losses",
      [{ title: "run" }, { title: "port" }, ...numbers.map((title) => ({ title, number: true })), { title: "why lost" }],
      found.map(({ run, port }) => [
        report.runs[run]?.name ?? "",
        where(port),
        count(port.packets),
        count(port.marked),
        span(port.paused),
        percent(port.paused_share),
        count(port.pauses),
        count(port.lost),
        reasons(port),
      ]),
    ),
  ];
}

/** The panel. */
export const SIGNALS: Panel = { id: "signals", title: "Marks, pauses and losses by port", content };
