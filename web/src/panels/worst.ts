// The worst messages, with the ways that their packets took.

import type { PassedPort, Report, SlowMessage, WorstOfRun } from "../data.ts";
import { element, folded, note } from "../dom.ts";
import { runName } from "../palette.ts";
import { table } from "../tables.ts";
import type { Cell, Column } from "../tables.ts";
import { count, significant, size, some, span } from "../units.ts";
import type { Panel } from "./panel.ts";

const port = ({ from, to, packets, waited, longest }: PassedPort): string =>
  `${from} → ${to}: ${some(packets, "packet")}, waited ${span(waited)} on average, ${span(longest)} at most`;

/** The way of a message, hop by hop. */
function way({ hops }: SlowMessage): Cell {
  if (hops.length === 0) {
    return "not recorded";
  }
  // Where its packets waited longest is what one looks for first.
  const ports = hops.flatMap((hop) => hop.ports);
  const worst = ports.reduce((most, one) => (one.longest > most.longest ? one : most), ports[0]!);
  const items = hops.map(({ total, ports: passed }) => {
    const more = total > passed.length ? [element("li", {}, `and ${count(total - passed.length)} ports more`)] : [];
    const list = element("ul", {}, ...passed.map((one) => element("li", {}, port(one))), ...more);
    return element("li", {}, list);
  });
  const title = `${some(hops.length, "hop")}; longest wait ${span(worst.longest)} at ${worst.from} → ${worst.to}`;
  return folded(title, element("ol", { class: "way", start: "0" }, ...items));
}

/** A column and what stands in it. */
type WorstColumn = Column & { cell: (message: SlowMessage) => Cell };

const COLUMNS: WorstColumn[] = [
  { title: "message", cell: ({ flow, number }) => `${flow} #${number}` },
  { title: "of", cell: (message) => message.of },
  { title: "size", number: true, cell: (message) => size(message.size) },
  { title: "start", number: true, cell: ({ start }) => span(start) },
  { title: "time", number: true, cell: ({ time }) => (time === null ? "never came" : span(time)) },
  { title: "alone", number: true, cell: ({ alone }) => (alone === null ? null : span(alone)) },
  { title: "slowdown", number: true, cell: ({ slowdown }) => (slowdown === null ? null : significant(slowdown)) },
];

/** Of messages on queue pairs. */
const REPAIR: WorstColumn[] = [
  { title: "timeouts", number: true, cell: ({ repair }) => (repair === null ? null : count(repair.timeouts)) },
  { title: "retransmitted", number: true, cell: ({ repair }) => (repair === null ? null : some(repair.again, "packet")) },
];

const WAY: WorstColumn = { title: "way", cell: way };

function tableOf(caption: string, messages: SlowMessage[]): HTMLElement[] {
  const repair = messages.some((message) => message.repair !== null) ? REPAIR : [];
  const columns = [...COLUMNS, ...repair, WAY];
  const row = (message: SlowMessage): Cell[] => columns.map(({ cell }) => cell(message));
  return messages.length === 0 ? [] : [table(caption, columns, messages.map(row))];
}

/** The caption of a list that is cut. */
const captionOf = (what: string, listed: number, all: number): string => `${what}, ${count(listed)} of ${count(all)}`;

function slowedTable(name: string, { slowed, total_slowed }: WorstOfRun): HTMLElement[] {
  const what = `${name}: background messages that took longest over their time alone`;
  return tableOf(captionOf(what, slowed.length, total_slowed), slowed);
}

function followedTable(name: string, { slowed, followed, total_followed }: WorstOfRun): HTMLElement[] {
  const above = slowed.filter(({ hops }) => hops.length > 0).length;
  const what = `${name}: slowest messages of all whose ways were recorded`;
  const rest = above === 0 ? "" : " that are not in the table above";
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
    ? [note("Ways are recorded of the slowest messages if a scenario asks for it: “netloom run … --set record.slowest_flows=20” simulates twice.")]
    : [];
  return shown.length === 0 ? [] : [...shown, ...how];
}

/** The panel. */
export const WORST: Panel = { id: "worst", title: "Worst messages", content };
