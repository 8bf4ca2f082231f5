// The slowest messages, with the paths of their packets.

import type { PassedPort, Report, SlowMessage, WorstOfRun } from "../data.ts";
import { element, folded, note } from "../dom.ts";
import { runName } from "../palette.ts";
import { table } from "../tables.ts";
import type { Cell, Column } from "../tables.ts";
import { count, significant, size, some, span } from "../units.ts";
import type { Panel } from "./panel.ts";

const port = ({ from, to, packets, waited, longest }: PassedPort): string =>
  `${from} → ${to}: ${some(packets, "packet")}, waited ${span(waited)} on average, ${span(longest)} at most`;

/** The path of a message, hop by hop. */
function pathOf({ hops }: SlowMessage): Cell {
  if (hops.length === 0) {
    return "not recorded";
  }
  // The longest wait is shown without unfolding.
  const ports = hops.flatMap((hop) => hop.ports);
  const worst = ports.reduce((most, one) => (one.longest > most.longest ? one : most), ports[0]!);
  const items = hops.map(({ total, ports: passed }) => {
    const more = total > passed.length ? [element("li", {}, `and ${count(total - passed.length)} more ports`)] : [];
    const list = element("ul", {}, ...passed.map((one) => element("li", {}, port(one))), ...more);
    return element("li", {}, list);
  });
  const title = `${some(hops.length, "hop")}; longest wait ${span(worst.longest)} at ${worst.from} → ${worst.to}`;
  return folded(title, element("ol", { class: "way", start: "0" }, ...items));
}

/** A column and its cells. */
type WorstColumn = Column & { cell: (message: SlowMessage) => Cell };

const COLUMNS: WorstColumn[] = [
  { title: "message", cell: ({ flow, number }) => `${flow} (message ${number})` },
  { title: "traffic", cell: (message) => message.of },
  { title: "size", number: true, cell: (message) => size(message.size) },
  { title: "start", number: true, cell: ({ start }) => span(start) },
  { title: "FCT", number: true, cell: ({ time }) => (time === null ? "never arrived" : span(time)) },
  { title: "ideal FCT", number: true, cell: ({ ideal }) => (ideal === null ? null : span(ideal)) },
  { title: "slowdown", number: true, cell: ({ slowdown }) => (slowdown === null ? null : significant(slowdown)) },
];

/** Of messages on queue pairs. */
const REPAIR: WorstColumn[] = [
  { title: "timeouts", number: true, cell: ({ repair }) => (repair === null ? null : count(repair.timeouts)) },
  { title: "retransmitted", number: true, cell: ({ repair }) => (repair === null ? null : some(repair.retransmitted, "packet")) },
];

const PATH: WorstColumn = { title: "path", cell: pathOf };

function tableOf(caption: string, messages: SlowMessage[]): HTMLElement[] {
  const repair = messages.some((message) => message.repair !== null) ? REPAIR : [];
  const path = messages.some(({ hops }) => hops.length > 0) ? [PATH] : [];
  const columns = [...COLUMNS, ...repair, ...path];
  const row = (message: SlowMessage): Cell[] => columns.map(({ cell }) => cell(message));
  return messages.length === 0 ? [] : [table(caption, columns, messages.map(row))];
}

/** The caption of a list that is cut. */
const captionOf = (what: string, listed: number, all: number): string => `${what}, ${count(listed)} of ${count(all)}`;

function slowedTable(name: string, { slowed, total_slowed }: WorstOfRun): HTMLElement[] {
  const what = `${name}: messages with the largest slowdown (FCT over ideal FCT)`;
  return tableOf(captionOf(what, slowed.length, total_slowed), slowed);
}

function followedTable(name: string, { slowed, followed, total_followed }: WorstOfRun): HTMLElement[] {
  const above = slowed.filter(({ hops }) => hops.length > 0).length;
  const what = `${name}: slowest messages with recorded paths`;
  const rest = above === 0 ? "" : ", without those of the table above";
  return tableOf(captionOf(what, followed.length, total_followed - above) + rest, followed);
}

function tables(report: Report, found: WorstOfRun, run: number): HTMLElement[] {
  const title = element("h3", {}, runName(report.runs, run));
  const name = report.runs[run]?.name ?? "";
  const shown = [...slowedTable(name, found), ...followedTable(name, found)];
  return shown.length === 0 ? [] : [title, ...shown];
}

function content(report: Report): HTMLElement[] {
  const shown = report.worst.flatMap((found, run) => tables(report, found, run));
  const silent = report.worst.every(({ total_followed }) => total_followed === 0);
  const how = silent
    ? [note("Paths of the slowest messages are recorded on request: “netloom run … --set record.slowest_flows=20” simulates twice.")]
    : [];
  return shown.length === 0 ? [] : [...shown, ...how];
}

/** The panel. */
export const WORST: Panel = { id: "worst", title: "Messages with the largest slowdown", content };
