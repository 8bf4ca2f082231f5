// Ports that marked, that were paused, or at which packets were lost.

import { barChart } from "../bars.ts";
import type { Report, SignalledPort } from "../data.ts";
import { asTable, note } from "../dom.ts";
import { legend, runColour } from "../palette.ts";
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
const reasons = (port: SignalledPort): string =>
  Object.entries(port.reasons)
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

function content(report: Report): HTMLElement[] {
  const found = report.signals.flatMap((of, run) => (of?.ports ?? []).map((port) => ({ run, port })));
  if (found.length === 0) {
    return [];
  }
  const runs = [...new Set(found.map(({ run }) => run))];
  const totals = report.signals.flatMap((of, run) => {
    const name = report.runs.length > 1 ? `${report.runs[run]?.name ?? ""}: ` : "";
    return of === null
      ? []
      : [
          `${name}${some(of.total, "port")} of which ${count(of.paused)} paused, ` +
            `${some(of.marked, "mark")}, ${some(of.pauses, "pause frame")}`,
        ];
  });
  const numbers = ["packets", "marked", "paused", "share of time", "pause frames sent", "lost"];
  return [
    note(
      `Ports with something to tell: ${totals.join("; ")}. Bars show the ${BARS} ports with most of each kind; ` +
        "a port is paused by the node at its other end, and sends pause frames to it.",
    ),
    ...(runs.length > 1 ? [legend(report.runs, runs)] : []),
    pair(...KINDS.flatMap((kind) => drawing(kind, found))),
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
