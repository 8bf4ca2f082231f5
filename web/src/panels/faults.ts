// Faults as events, and packets lost.

import type { FaultsOfRun, Report } from "../data.ts";
import { note, table } from "../dom.ts";
import type { Cell } from "../dom.ts";
import { runName } from "../palette.ts";
import { count, size, some, span } from "../units.ts";
import type { Panel } from "./panel.ts";

function events(report: Report): HTMLElement[] {
  const rows = report.faults.flatMap(({ events: found }, run) =>
    found.map((event): Cell[] => [
      runName(report.runs, run),
      span(event.time),
      event.link,
      event.up ? "▲ comes up" : "▼ goes down",
    ]),
  );
  if (rows.length === 0) {
    return [note("No link went down or came up.")];
  }
  const columns = [{ title: "run" }, { title: "time", number: true }, { title: "link" }, { title: "event" }];
  return [table("Links that went down or came up", columns, rows), ...cut(report)];
}

/** Says where the list of events was cut. */
function cut({ runs, faults }: Report): HTMLElement[] {
  return faults.flatMap(({ total, events: found }, run) => {
    const name = runs[run]?.name ?? "";
    const text = `${name}: the first ${found.length} of ${count(total)} events; the table “faults” has all of them.`;
    return total > found.length ? [note(text)] : [];
  });
}

function drops(report: Report): HTMLElement {
  const row = (run: number, { reason, packets, bytes, first, last, worst }: FaultsOfRun["drops"][number]): Cell[] => [
    runName(report.runs, run),
    reason.replaceAll("_", " "),
    count(packets),
    size(bytes),
    span(first),
    span(last),
    worst,
  ];
  const rows = report.faults.flatMap(({ drops: found }, run) => found.map((lost) => row(run, lost)));
  if (rows.length === 0) {
    return note("No packet was lost.");
  }
  const numbers = ["packets", "bytes", "first", "last"].map((title) => ({ title, number: true }));
  const columns = [{ title: "run" }, { title: "why" }, ...numbers, { title: "most at one port of" }];
  return table("Packets lost", columns, rows);
}

function content(report: Report): HTMLElement[] {
  const n_failed = report.faults.reduce((sum, run) => sum + run.total, 0);
  const many = n_failed > 0 ? [note(`${some(n_failed, "event")} in all.`)] : [];
  return [...events(report), ...many, drops(report)];
}

/** The panel. */
export const FAULTS: Panel = { id: "faults", title: "Faults and losses", content };
