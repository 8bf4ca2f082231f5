// Fault events of the scenario, state changes of links, and packets lost.

import type { FaultsOfRun, Report } from "../data.ts";
import { note } from "../dom.ts";
import { happening } from "../events.ts";
import { runName } from "../palette.ts";
import { table } from "../tables.ts";
import type { Cell } from "../tables.ts";
import { count, size, some, span } from "../units.ts";
import { hasNetwork } from "./panel.ts";
import type { Panel } from "./panel.ts";

function events(report: Report): HTMLElement[] {
  const rows = report.faults.flatMap(({ events: found }, run) =>
    found.map((event): Cell[] => [
      runName(report.runs, run),
      span(event.time),
      `${event.target} ${event.name}`,
      happening(event),
      event.detected === null ? null : span(event.detected),
    ]),
  );
  const columns = [
    { title: "run" },
    { title: "time", number: true },
    { title: "component" },
    { title: "event" },
    { title: "detected", number: true },
  ];
  const left = report.faults.flatMap(({ total_events, events: found }, run) =>
    cutAt(report, run, "events", found.length, total_events),
  );
  return rows.length === 0 ? [] : [table("Fault events of the scenario", columns, rows), ...left];
}

function changes(report: Report): HTMLElement[] {
  const rows = report.faults.flatMap(({ changes: found }, run) =>
    found.map((change): Cell[] => [
      runName(report.runs, run),
      span(change.time),
      change.link,
      change.up ? "▲ comes up" : "▼ goes down",
    ]),
  );
  if (rows.length === 0) {
    return [note("No link went down or came up.")];
  }
  const columns = [{ title: "run" }, { title: "time", number: true }, { title: "link" }, { title: "event" }];
  const left = report.faults.flatMap(({ total, changes: found }, run) =>
    cutAt(report, run, "faults", found.length, total),
  );
  return [table("Links that went down or came up", columns, rows), ...left];
}

/** A note if a list was cut. */
function cutAt({ runs }: Report, run: number, where: string, shown: number, total: number): HTMLElement[] {
  const name = runs[run]?.name ?? "";
  const text = `${name}: the first ${shown} of ${count(total)} events; the table “${where}” has all of them.`;
  return total > shown ? [note(text)] : [];
}

function drops(report: Report): HTMLElement {
  const row = (run: number, { reason, packets, bytes, first, last, worst }: FaultsOfRun["drops"][number]): Cell[] => [
    runName(report.runs, run),
    reason.replaceAll("_", " "),
    count(packets),
    bytes === null ? null : size(bytes),
    span(first),
    span(last),
    worst,
  ];
  const rows = report.faults.flatMap(({ drops: found }, run) => found.map((lost) => row(run, lost)));
  if (rows.length === 0) {
    const where = report.runs.every(hasNetwork) ? "" : " in the runs whose network was simulated or counted";
    return note(`No packet was lost${where}.`);
  }
  const numbers = ["packets", "bytes", "first loss", "last loss"].map((title) => ({ title, number: true }));
  const columns = [{ title: "run" }, { title: "reason" }, ...numbers, { title: "node that lost most" }];
  return table("Packets lost", columns, rows);
}

function content(report: Report): HTMLElement[] {
  const n_failed = report.faults.reduce((sum, run) => sum + run.total, 0);
  const many = n_failed > 0 ? [note(`${some(n_failed, "state change")} of links in total.`)] : [];
  return [...events(report), ...changes(report), ...many, drops(report)];
}

/** The panel. */
export const FAULTS: Panel = { id: "faults", title: "Faults and losses", needs: "ports", content };
