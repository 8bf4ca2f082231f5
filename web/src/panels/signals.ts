// Ports that marked packets, were blocked by pause frames or for lack of credits, or lost packets.

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

/** How ports were blocked. */
interface Blocking {
  /** What a blocked port was. */
  done: string;
  /** Why a port is blocked. */
  why: string;
  /** Whether pause frames were sent. */
  hasFrames: boolean;
}

const PAUSED: Blocking = {
  done: "paused",
  why: "A port is paused by the node at the other end of its link, and sends pause frames to that node.",
  hasFrames: true,
};
const WITHOUT_CREDITS: Blocking = {
  done: "without credits",
  why: "A port without credits may not send: the buffer at the other end of its link has no room. There are no pause frames in these runs.",
  hasFrames: false,
};
const EITHER: Blocking = {
  done: "paused or without credits",
  why: `${PAUSED.why} In runs without pause frames, a port is blocked for lack of credits.`,
  hasFrames: true,
};

/** How the ports of a report were blocked: runs in which ports were blocked without any pause frame have credits. */
function blockingOf(report: Report): Blocking {
  const blocked = report.signals.flatMap((of) => (of === null || of.paused === 0 ? [] : [of.pauses > 0]));
  const [frames, credits] = [blocked.includes(true), blocked.includes(false)];
  return credits ? (frames ? EITHER : WITHOUT_CREDITS) : PAUSED;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface Kind {
  title: string;
  axis: string;
  unit: Unit;
  of: (port: SignalledPort) => number;
}

const PLAIN: Unit = { name: "", worth: 1 };

const kindsOf = ({ done }: Blocking): Kind[] => [
  {
    title: `${capital(done)}: share of simulated time`,
    axis: done,
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

function tipOf({ done, hasFrames }: Blocking, port: SignalledPort): string[] {
  return [
    `${done} ${span(port.paused)}, ${percent(port.paused_share)} of the time`,
    `marked ${count(port.marked)} of ${some(port.packets, "packet")}`,
    `lost ${count(port.lost)}${port.lost > 0 ? `: ${reasons(port)}` : ""}`,
    ...(hasFrames ? [`pause frames sent ${count(port.pauses)}`] : []),
  ];
}

function drawing(blocking: Blocking, { title, axis, unit, of }: Kind, found: Found[]): HTMLElement[] {
  const most = found.filter(({ port }) => of(port) > 0).sort((left, right) => of(right.port) - of(left.port));
  if (most.length === 0) {
    return [];
  }
  const bars = most.slice(0, BARS).map(({ run, port }) => ({
    name: where(port),
    colour: runColour(run),
    value: of(port),
    tip: tipOf(blocking, port),
  }));
  return [figure(title, barChart(title, axis, unit, bars))];
}

function totals(report: Report, { done, hasFrames }: Blocking): HTMLElement {
  const rows = report.signals.flatMap((of, run): Cell[][] => {
    const frames = hasFrames ? [of?.pauses ?? 0] : [];
    return of === null
      ? []
      : [[runName(report.runs, run), ...[of.total, of.paused, of.marked, ...frames, of.lost, of.lost_without_port].map(count), reasons(of)]];
  });
  const frames = hasFrames ? ["pause frames sent"] : [];
  const numbers = ["ports in this panel", `ports ${done}`, "packets marked", ...frames, "packets lost", "lost before routing"];
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
  const blocking = blockingOf(report);
  const { done, hasFrames } = blocking;
  const numbers = ["packets", "marked", done, `share of time ${done}`, ...(hasFrames ? ["pause frames sent"] : []), "lost"];
  return [
    note(
      `Counted over the whole run; bars show the ${BARS} ports with the largest values. ` +
        blocking.why +
        (unplaced ? " Packets lost before an egress port was chosen, such as those without a path, are only in the totals." : ""),
    ),
    ...(runs.length > 1 ? [legend(report.runs, runs)] : []),
    pair(...kindsOf(blocking).flatMap((kind) => drawing(blocking, kind, found))),
    asTable(
      `Ports that marked packets, were ${done}, or lost packets`,
      [{ title: "run" }, { title: "port" }, ...numbers.map((title) => ({ title, number: true })), { title: "reasons of losses" }],
      found.map(({ run, port }) => [
        report.runs[run]?.name ?? "",
        where(port),
        count(port.packets),
        count(port.marked),
        span(port.paused),
        percent(port.paused_share),
        ...(hasFrames ? [count(port.pauses)] : []),
        count(port.lost),
        reasons(port),
      ]),
    ),
    totals(report, blocking),
  ];
}

/** The panel. */
export const SIGNALS: Panel = { id: "signals", title: "Marks, blocked ports and losses", content };
