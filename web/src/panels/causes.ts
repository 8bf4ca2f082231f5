// What messages waited for: by how slow they were, at which ports, and the slowest ones one by one.

import { areaName } from "../areas.ts";
import { areasOfCauses } from "../cause_colours.ts";
import type { CausesOfRun, Report } from "../data.ts";
import { element, folded, note } from "../dom.ts";
import { messageList } from "../messages.ts";
import { legendOf, runName } from "../palette.ts";
import { partsChart } from "../parts.ts";
import type { PartsRow } from "../parts.ts";
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

/** The names of causes that occur, with their areas. */
function known({ causes, groups }: CausesOfRun) {
  const areas = areasOfCauses(causes);
  const occurs = (index: number): boolean => groups.some(({ times }) => (times[index] ?? 0) > 0);
  return causes.flatMap((name, index) => {
    const area = areas.get(name);
    return area !== undefined && occurs(index) ? [{ name, area, index }] : [];
  });
}

function bars(title: string, found: CausesOfRun, rows: { name: string; times: number[]; more: string[] }[]): HTMLElement {
  const shown = known(found);
  const unit = spanUnit(Math.max(...rows.map(({ times }) => sum(times))));
  const drawn: PartsRow[] = rows.map(({ name, times, more }) => ({
    name,
    parts: shown.map(({ index }) => times[index] ?? 0),
    tip: [...shown.map(({ name: cause, index }) => `${cause}: ${span(times[index] ?? 0)}`), ...more],
  }));
  return figure(title, partsChart(title, "completion time", unit, shown.map(({ area }) => area), drawn));
}

/** The slowest messages hop by hop, if the run was run again. */
function hopByHop({ explained }: Report, name: string, run: number): HTMLElement[] {
  const again = explained.find((one) => one.run === run);
  if (again === undefined || again.slowest.length === 0) {
    return [];
  }
  const areas = areasOfCauses(again.causes);
  const until = again.until === null ? "" : ` of those that had arrived by ${span(again.until)}, the end of the last explained step`;
  return [
    element("h4", {}, `${name}: the ${count(again.slowest.length)} slowest messages${until}, hop by hop`),
    legendOf([...areas].map(([cause, area]) => areaName(cause, area))),
    messageList(again, areas, again.slowest, `slowest-${run}`),
  ];
}

function ofRun(report: Report, found: CausesOfRun, run: number): HTMLElement[] {
  const name = report.runs[run]?.name ?? "";
  const shown = known(found);
  const columns = shown.map(({ name: title }) => ({ title, number: true }));
  const cells = (times: number[]): string[] => [span(sum(times)), ...shown.map(({ index }) => span(times[index] ?? 0))];
  const groups = found.groups.map(({ name: group, messages, times }) => [group, count(messages), ...cells(times)]);
  const slowest = found.slowest.map(({ message, of, times, port }) => [
    message,
    of,
    ...cells(times),
    port === null ? "" : `${port[0]}, ${span(port[1])}`,
  ]);
  const ports = found.ports.map(({ port, waited, messages }) => [port, span(waited), count(messages), span(waited / messages)]);
  return [
    element("h3", {}, runName(report.runs, run)),
    ...finding(found).map((text) => note(text)),
    bars(
      `${name}: what messages waited for, by how slow they were (mean of each group)`,
      found,
      found.groups.map(({ name: group, messages, times }) => ({ name: group, times, more: [some(messages, "message")] })),
    ),
    asTable(
      `${name}: causes by how slow messages were`,
      [{ title: "messages" }, { title: "number", number: true }, { title: "mean", number: true }, ...columns],
      groups,
    ),
    bars(
      `${name}: the ${count(found.slowest.length)} slowest of ${some(found.n_messages, "message")}`,
      found,
      found.slowest.map(({ message, of, times, port }) => ({
        name: message,
        times,
        more: [of, ...(port === null ? [] : [`longest wait at ${port[0]}: ${span(port[1])}`])],
      })),
    ),
    asTable(
      `${name}: the slowest messages`,
      [{ title: "message" }, { title: "traffic" }, { title: "FCT", number: true }, ...columns, { title: "longest wait at" }],
      slowest,
    ),
    ...hopByHop(report, name, run),
    ...(ports.length === 0
      ? []
      : [
          table(
            `${name}: where messages waited most, ${count(ports.length)} of ${some(found.total_ports, "port")}`,
            [{ title: "port" }, { title: "sum of waits", number: true }, { title: "messages", number: true }, { title: "mean wait", number: true }],
            ports,
          ),
        ]),
  ];
}

/** Number of runs whose messages are not folded. */
const MOST_RUNS = 2;

/** A run by its causes, or by its slowest messages alone if it recorded none. */
function section(report: Report, run: number): HTMLElement[] {
  const found = report.causes[run] ?? null;
  const name = report.runs[run]?.name ?? "";
  if (found !== null) {
    return ofRun(report, found, run);
  }
  const messages = hopByHop(report, name, run);
  return messages.length === 0 ? [] : [element("h3", {}, runName(report.runs, run)), ...messages];
}

function content(report: Report): HTMLElement[] {
  const shown = report.runs.map((_, run) => section(report, run)).filter((elements) => elements.length > 0);
  const names = [...new Set(report.causes.flatMap((found) => (found === null ? [] : known(found).map(({ name }) => name))))];
  const legend = names.length === 0 ? [] : [legendOf([...areasOfCauses(names)].map(([name, area]) => areaName(name, area)))];
  const rest = shown.slice(MOST_RUNS);
  return shown.length === 0
    ? []
    : [
        note(
          "What the completion times of messages consist of. Turn at the NIC of the sender: packets of other messages of that host were on its wire. " +
            "Queues behind the sender: waits of the last packet at all switches on its path.",
        ),
        ...legend,
        ...shown.slice(0, MOST_RUNS).flat(),
        ...(rest.length === 0 ? [] : [folded(some(rest.length, "more run"), ...rest.flat())]),
      ];
}

/** The panel. */
export const CAUSES: Panel = { id: "causes", title: "What messages waited for", needs: "messages", content };
