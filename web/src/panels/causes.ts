// What messages waited for: by how slow they were, at which ports, and the slowest ones one by one.

import { areaName } from "../areas.ts";
import type { Area } from "../areas.ts";
import { areasOf } from "../cause_colours.ts";
import type { CausesOfRun, Report } from "../data.ts";
import { element, folded, note } from "../dom.ts";
import type { ExplainedRun } from "../explained_data.ts";
import { HOPS } from "../message_hops.ts";
import { MESSAGE_NUMBER, messageName } from "../message_names.ts";
import { messageList } from "../messages.ts";
import { legendOf, runName } from "../palette.ts";
import { partsChart } from "../parts.ts";
import type { PartsRow } from "../parts.ts";
import { rankOf } from "../path_order.ts";
import { SHARERS } from "../sharers.ts";
import { asTable, table } from "../tables.ts";
import { count, percent, some, span, spanUnit } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

const sum = (times: number[]): number => times.reduce((total, time) => total + time, 0);

/** The largest cause of some messages, in words. */
function largest(causes: string[], times: number[]): string {
  const most = Math.max(...times);
  return `${causes[times.indexOf(most)] ?? ""} (${percent(most / sum(times))})`;
}

/** What the slowest group waited for, beside the fastest one. */
function finding({ causes, groups }: CausesOfRun): string[] {
  const [first, last] = [groups[0], groups.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    return [];
  }
  const [fast, slow] = [first, last].map(({ times }) => span(sum(times)));
  return [
    `${last.name}, ${some(last.messages, "message")}: ${slow} on average, most of it ${largest(causes, last.times)}; ` +
      `${first.name}: ${fast}, most of it ${largest(causes, first.times)}`,
  ];
}

/** The messages that means and sums are taken over. */
function overWhich({ over, n_messages, of_messages }: CausesOfRun): string {
  switch (over) {
    case "all":
      return "messages";
    case "jobs":
      return "messages of jobs";
    case "random":
      return `${count(n_messages)} of the ${some(of_messages, "message")} of jobs, chosen at random,`;
  }
}

/** The names of causes that occur, with their areas, in the order of the path of a message. */
function known({ causes, groups }: CausesOfRun, areas: Map<string, Area>) {
  const occurs = (index: number): boolean => groups.some(({ times }) => (times[index] ?? 0) > 0);
  const found = causes.flatMap((name, index) => {
    const area = areas.get(name);
    return area !== undefined && occurs(index) ? [{ name, area, index }] : [];
  });
  return found.sort((one, other) => rankOf(one.name) - rankOf(other.name));
}

type Known = ReturnType<typeof known>;

function bars(title: string, shown: Known, rows: { name: string; times: number[]; more: string[] }[]): HTMLElement {
  const unit = spanUnit(Math.max(...rows.map(({ times }) => sum(times))));
  const drawn: PartsRow[] = rows.map(({ name, times, more }) => ({
    name,
    parts: shown.map(({ index }) => times[index] ?? 0),
    tip: [...shown.map(({ name: cause, index }) => `${cause}: ${span(times[index] ?? 0)}`), ...more],
  }));
  return figure(title, partsChart(title, "completion time", unit, shown.map(({ area }) => area), drawn));
}

/** Which messages are shown hop by hop, and why they may be others than the slowest of the whole run. */
function whichOnes(name: string, { slowest, until }: ExplainedRun, hasOthers: boolean): HTMLElement[] {
  const title = `${name}: the ${count(slowest.length)} slowest messages`;
  const others = hasOthers ? ", so they may be others than in the chart above" : "";
  return until === null
    ? [element("h4", {}, `${title} of the whole run, hop by hop`), note("Found by running the scenario again.")]
    : [
        element("h4", {}, `${title} of those that had arrived by ${span(until)}, hop by hop`),
        note(`Found by running the scenario again, only up to ${span(until)}, the end of the last explained step${others}.`),
      ];
}

/** The slowest messages hop by hop, if the run was run again. */
function hopByHop({ explained, causes }: Report, name: string, run: number, areas: Map<string, Area>): HTMLElement[] {
  const again = explained.find((one) => one.run === run);
  if (again === undefined || again.slowest.length === 0) {
    return [];
  }
  const occurs = again.causes.flatMap((cause) => {
    const area = areas.get(cause);
    return area === undefined ? [] : [{ cause, area }];
  });
  occurs.sort((one, other) => rankOf(one.cause) - rankOf(other.cause));
  return [
    ...whichOnes(name, again, causes[run] !== null && causes[run] !== undefined),
    legendOf(occurs.map(({ cause, area }) => areaName(cause, area))),
    messageList(again, areas, again.slowest, `slowest-${run}`),
    note(`${HOPS} ${SHARERS} ${MESSAGE_NUMBER}`),
  ];
}

function ofRun(report: Report, found: CausesOfRun, run: number, areas: Map<string, Area>): HTMLElement[] {
  const name = report.runs[run]?.name ?? "";
  const shown = known(found, areas);
  const again = report.explained.some((one) => one.run === run && one.slowest.length > 0);
  const columns = shown.map(({ name: title }) => ({ title, number: true }));
  const cells = (times: number[]): string[] => [span(sum(times)), ...shown.map(({ index }) => span(times[index] ?? 0))];
  const groups = found.groups.map(({ name: group, messages, times }) => [group, count(messages), ...cells(times)]);
  const slowest = found.slowest.map(({ message, of, times, port }) => [
    messageName(message),
    of,
    ...cells(times),
    port === null ? "" : `${port[0]}, ${span(port[1])}`,
  ]);
  const ports = found.ports.map(({ port, waited, messages }) => [port, span(waited), count(messages), span(waited / messages)]);
  return [
    element("h3", {}, runName(report.runs, run)),
    ...finding(found).map((text) => note(text)),
    bars(
      `${name}: what ${overWhich(found)} waited for, by how slow they were (mean of each group)`,
      shown,
      found.groups.map(({ name: group, messages, times }) => ({ name: group, times, more: [some(messages, "message")] })),
    ),
    asTable(
      `${name}: causes by how slow messages were`,
      [{ title: "messages" }, { title: "number", number: true }, { title: "mean", number: true }, ...columns],
      groups,
    ),
    bars(
      `${name}: the ${count(found.slowest.length)} slowest of all ${some(found.of_messages, "message")} ${found.over === "all" ? "" : "of jobs "}of the whole run`,
      shown,
      found.slowest.map(({ message, of, times, port }) => ({
        name: messageName(message),
        times,
        more: [of, ...(port === null ? [] : [`longest wait at ${port[0]}: ${span(port[1])}`])],
      })),
    ),
    asTable(
      `${name}: the slowest messages of the whole run`,
      [{ title: "message" }, { title: "traffic" }, { title: "FCT", number: true }, ...columns, { title: "longest wait at" }],
      slowest,
    ),
    note(
      "The run recorded these causes as sums for each message, not hop by hop: its queues are one part, and the table has the port of its longest wait." +
        (again ? " Messages hop by hop, as far as the run was repeated, follow." : " “netloom report --why” shows slow messages hop by hop."),
    ),
    ...hopByHop(report, name, run, areas),
    ...(ports.length === 0
      ? []
      : [
          table(
            `${name}: where ${overWhich(found)} waited most, ${count(ports.length)} of ${some(found.total_ports, "port")}`,
            [{ title: "port" }, { title: "sum of waits", number: true }, { title: "messages", number: true }, { title: "mean wait", number: true }],
            ports,
          ),
        ]),
  ];
}

/** Number of runs whose messages are not folded. */
const MOST_RUNS = 2;

/** A run by its causes, or by its slowest messages alone if it recorded none. */
function section(report: Report, run: number, areas: Map<string, Area>): HTMLElement[] {
  const found = report.causes[run] ?? null;
  const name = report.runs[run]?.name ?? "";
  if (found !== null) {
    return ofRun(report, found, run, areas);
  }
  const messages = hopByHop(report, name, run, areas);
  return messages.length === 0 ? [] : [element("h3", {}, runName(report.runs, run)), ...messages];
}

function content(report: Report): HTMLElement[] {
  const areas = areasOf(report);
  const shown = report.runs.map((_, run) => section(report, run, areas)).filter((elements) => elements.length > 0);
  const occurs = new Map(report.causes.flatMap((found) => (found === null ? [] : known(found, areas).map(({ name, area }) => [name, area]))));
  const legend = occurs.size === 0 ? [] : [legendOf([...occurs].map(([name, area]) => areaName(name, area)))];
  const rest = shown.slice(MOST_RUNS);
  return shown.length === 0
    ? []
    : [
        note(
          "What the completion times of messages consist of. Turn at the NIC of the sender: packets of other messages of that host were on its wire. " +
            "Queues behind the sender: waits of the last packet at all switches on its path. " +
            "Messages that took about equally long are in one group, so groups may be larger or smaller than their names say.",
        ),
        ...legend,
        ...shown.slice(0, MOST_RUNS).flat(),
        ...(rest.length === 0 ? [] : [folded(some(rest.length, "more run"), ...rest.flat())]),
      ];
}

/** The panel. */
export const CAUSES: Panel = { id: "causes", title: "What messages waited for", needs: "messages", content };
