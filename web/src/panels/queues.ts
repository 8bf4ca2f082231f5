// The longest queues, separately at hosts and at switches.

import { barChart } from "../bars.ts";
import type { Peak, QueuesOfRun, Report } from "../data.ts";
import { note } from "../dom.ts";
import { runColour } from "../palette.ts";
import { asTable } from "../tables.ts";
import { count, size, sizeUnit } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

interface Side {
  title: string;
  of: (run: QueuesOfRun) => Peak | null;
}

const SIDES: Side[] = [
  { title: "At hosts", of: (run) => run.hosts },
  { title: "At switches", of: (run) => run.switches },
];

const packets = (peak: Peak): string => (peak.packets === null ? "not counted" : count(peak.packets));

function peaks(report: Report, side: Side): { run: number; peak: Peak }[] {
  return report.queues.flatMap((found, run) => {
    const peak = side.of(found);
    return peak === null ? [] : [{ run, peak }];
  });
}

function drawing(report: Report, side: Side): HTMLElement {
  const found = peaks(report, side);
  const unit = sizeUnit(Math.max(...found.map(({ peak }) => peak.longest), 1));
  const bars = found.map(({ run, peak }) => ({
    name: report.runs[run]?.name ?? "",
    colour: runColour(run),
    value: peak.longest,
    marks: [{ value: peak.mean, symbol: "circle" as const }],
    tip: [
      `longest ${size(peak.longest)}, at ${peak.node} towards ${peak.peer}`,
      `mean over ${count(peak.ports)} ports ${size(peak.mean)}`,
      `largest number of packets waiting there: ${packets(peak)}`,
    ],
  }));
  return figure(side.title, barChart(`Longest queue ${side.title.toLowerCase()}`, "longest queue", unit, bars));
}

function row(report: Report, side: Side, { run, peak }: { run: number; peak: Peak }): string[] {
  const where = `${peak.node} → ${peak.peer}`;
  const sizes = [peak.longest, peak.mean, peak.p50, peak.p95].map(size);
  return [report.runs[run]?.name ?? "", side.title.toLowerCase(), ...sizes, packets(peak), count(peak.ports), where];
}

const COLUMNS = ["longest", "mean over ports", "median over ports", "p95 over ports", "packets at the longest", "ports"];

function content(report: Report): HTMLElement[] {
  const shown = SIDES.filter((side) => peaks(report, side).length > 0);
  if (shown.length === 0) {
    return [];
  }
  return [
    note(
      "Bar: the largest number of bytes waiting at one port at any time in the whole run, including the rest of the packet " +
        "being transmitted; ○ mean over all ports of their largest queues.",
    ),
    pair(...shown.map((side) => drawing(report, side))),
    asTable(
      "Longest queues",
      [
        { title: "run" },
        { title: "where" },
        ...COLUMNS.map((title) => ({ title, number: true })),
        { title: "port with the longest" },
      ],
      shown.flatMap((side) => peaks(report, side).map((peak) => row(report, side, peak))),
    ),
  ];
}

/** The panel. */
export const QUEUES: Panel = { id: "queues", title: "Queues", needs: "ports", content };
