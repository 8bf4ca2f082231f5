// Ports that marked packets, were paused, or lost packets.

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

/** Largest number of bars in a figure. */
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
    axis: "paused",
    unit: { name: "% of simulated time", worth: 0.01 },
    of: (port) => port.paused_share,
  },
  { title: "Packets marked (ECN)", axis: "packets marked", unit: PLAIN, of: (port) => port.marked },
  { title: "Packets lost", axis: "packets lost", unit: PLAIN, of: (port) => port.lost },
];

const where = (port: SignalledPort): string => `${port.from} → ${port.to}`;

/** The reasons of losses with the number of packets. */
const reasons = (of: { reasons: Record<string, number> }): string =>
  Object.entries(of.reasons)
    .map(([reason, packets]) => `${reason.replaceAll("_", " ")} ${count(packets)}`)
    .join(", ");

function tipOf(port: SignalledPort): string[] {
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
    tip: tipOf(port),
  }));
  return [figure(title, barChart(title, axis, unit, bars))];
}

function totals(report: Report): HTMLElement {
  const rows = report.signals.flatMap((of, run): Cell[][] =>
    of === null
      ? []
      : [[runName(report.runs, run), ...[of.total, of.paused, of.marked, of.pauses, of.lost, of.lost_without_port].map(count), reasons(of)]],
  );
  const numbers = ["ports with marks, pauses or losses", "ports paused", "packets marked", "pause frames sent", "packets lost", "lost before routing"];
  const columns = [{ title: "run" }, ...numbers.map((title) => ({ title, number: true })), { title: "reasons of losses" }];
  return table("Totals over all ports and the whole run", columns, rows);
}

function content(report: Report): HTMLElement[] {
  const found = report.signals.flatMap((of, run) => (of?.ports ?? []).map((port) => ({ run, port })));
  if (report.signals.every((of) => of === null)) {
    return [];
  }
  const runs = [...new Set(found.map(({ run }) => run))];
  const unplaced = report.signals.some((of) => of !== null && of.lost_without_port > 0);
  const numbers = ["packets", "marked", "paused", "share of time paused", "pause frames sent", "lost"];
  return [
    note(
      `Counted over the whole run; bars show the ${BARS} ports with the largest values. ` +
        "A port is paused by the node at the other end of its link, and sends pause frames to that node." +
        (unplaced ? " Packets lost before an egress port was chosen, such as those without a path, are only in the totals." : ""),
    ),
    ...(runs.length > 1 ? [legend(report.runs, runs)] : []),
    pair(...KINDS.flatMap((kind) => drawing(kind, found))),
    totals(report),
    asTable(
      "Ports with marks, pauses or losses",
      [{ title: "run" }, { title: "port" }, ...numbers.map((title) => ({ title, number: true })), { title: "reasons of losses" }],
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
