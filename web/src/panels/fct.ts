// Flow completion times: background messages and those of jobs, each as a distribution.

import { cdfChart } from "../cdf.ts";
import type { Fct, FctGroup, FctOfRun, Report } from "../data.ts";
import { note } from "../dom.ts";
import { independent, overNote } from "../over.ts";
import { legend, runStroke } from "../palette.ts";
import { asTable } from "../tables.ts";
import { count, span } from "../units.ts";
import { figure, hasMessages, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

interface Group {
  title: (report: Report) => string;
  of: (run: FctOfRun) => FctGroup;
}

const GROUPS: Group[] = [
  { title: (report) => capital(independent(report)), of: (run) => run.background },
  { title: () => "Messages of jobs", of: (run) => run.jobs },
];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const COLUMNS = ["messages", "unfinished", "mean", "p50", "p95", "p99", "p99.9", "longest", "percentiles"];

function arrived(report: Report, group: Group): { run: number; fct: Fct }[] {
  return report.fct.flatMap((found, run) => {
    const fct = group.of(found).arrived;
    return fct === null ? [] : [{ run, fct }];
  });
}

function drawing(report: Report, group: Group): HTMLElement {
  const lines = arrived(report, group).map(({ run, fct }) => ({
    name: report.runs[run]?.name ?? "",
    ...runStroke(run),
    cdf: fct.cdf,
  }));
  const label = `Distribution of flow completion times: ${group.title(report)}`;
  return figure(group.title(report), cdfChart(label, "FCT", "messages", lines, true));
}

function row(report: Report, group: Group, run: number): string[] {
  const found = report.fct[run];
  const { arrived: fct, unfinished } = found === undefined ? { arrived: null, unfinished: 0 } : group.of(found);
  const name = report.runs[run]?.name ?? "";
  if (fct === null) {
    return [name, group.title(report), "0", count(unfinished)];
  }
  const times = [fct.mean, fct.p50, fct.p95, fct.p99, fct.p999, fct.maximum].map(span);
  return [name, group.title(report), count(fct.count), count(unfinished), ...times, fct.exact ? "exact" : "within 0.4 %"];
}

function content(report: Report): HTMLElement[] {
  const shown = GROUPS.filter((group) => arrived(report, group).length > 0);
  // The FCT of messages of staged flows says nothing: it follows from their size.
  if (shown.length === 0 && report.stages.some((found) => found !== null)) {
    return [];
  }
  if (shown.length === 0) {
    return [note("No message arrived in any of these runs.")];
  }
  const rows = shown.flatMap((group) => report.runs.flatMap((found, run) => (hasMessages(found) ? [row(report, group, run)] : [])));
  return [
    note(
      "Flow completion time (FCT): from the start of a message, when its first packet is handed to the NIC, to the arrival " +
        "of its last byte. Statistics cover messages that arrived." +
        overNote(report, `Of ${independent(report)}, only those count that started`),
    ),
    legend(report.runs, [...report.runs.keys()]),
    pair(...shown.map((group) => drawing(report, group))),
    asTable(
      "Flow completion times",
      [{ title: "run" }, { title: "traffic" }, ...COLUMNS.map((title) => ({ title, number: true }))],
      rows,
    ),
  ];
}

/** The panel. */
export const FCT: Panel = { id: "fct", title: "Flow completion time", needs: "messages", content };
