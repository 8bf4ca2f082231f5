// FCT slowdown of background messages by size: buckets with about the same number of messages, each named by its largest
// size; one chart of the mean, one of the 99th percentile.

import type { Report, SizeBucket } from "../data.ts";
import { note } from "../dom.ts";
import { independent, overNote } from "../over.ts";
import { legend, runStroke } from "../palette.ts";
import { asTable } from "../tables.ts";
import { count, significant, size } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";
import { slowdownChart } from "../buckets.ts";

const FIGURES: { title: string; of: (bucket: SizeBucket) => number }[] = [
  { title: "mean slowdown", of: (bucket) => bucket.mean },
  { title: "p99 slowdown", of: (bucket) => bucket.p99 },
];

const COLUMNS = ["largest size", "messages", "mean", "p50", "p95", "p99", "largest", "percentiles"];

function drawing(report: Report, title: string, of: (bucket: SizeBucket) => number): HTMLElement {
  const lines = report.slowdown.flatMap((found, run) =>
    found === null
      ? []
      : [
          {
            name: report.runs[run]?.name ?? "",
            ...runStroke(run),
            points: found.buckets.map((bucket) => ({ size: bucket.largest_bytes, value: of(bucket) })),
          },
        ],
  );
  return figure(title, slowdownChart(`FCT slowdown by message size: ${title}`, title, lines));
}

function rows(report: Report): string[][] {
  return report.slowdown.flatMap((found, run) => {
    const name = report.runs[run]?.name ?? "";
    const row = (title: string, bucket: SizeBucket): string[] => [
      name,
      title,
      count(bucket.count),
      ...[bucket.mean, bucket.p50, bucket.p95, bucket.p99, bucket.maximum].map(significant),
      bucket.exact ? "exact" : "within 0.4 %",
    ];
    return found === null
      ? []
      : [...found.buckets.map((bucket) => row(size(bucket.largest_bytes), bucket)), row("all", found.all)];
  });
}

function content(report: Report): HTMLElement[] {
  const shown = report.slowdown.flatMap((found, run) => (found === null ? [] : [run]));
  if (shown.length === 0) {
    return [note("No background message and no finite flow arrived in any of these runs; for messages of jobs see the step times.")];
  }
  const floored = report.slowdown.reduce((sum, found) => sum + (found?.floored ?? 0), 0);
  const faster = `${count(floored)} messages were faster than the ideal time on a single path; their slowdown counts as 1. `;
  return [
    note(
      `Slowdown of ${independent(report)}: completion time divided by the ideal completion time of the same message in the ` +
        "unloaded fabric. " +
        (floored > 0 ? faster : "") +
        "A bucket is named by its largest size." +
        (overNote(report, "Only messages count that started") || " All messages of the run that arrived count; there is no warm-up."),
    ),
    legend(report.runs, shown),
    pair(...FIGURES.map(({ title, of }) => drawing(report, title, of))),
    asTable(
      "FCT slowdown by message size",
      [{ title: "run" }, ...COLUMNS.map((title) => ({ title, number: true }))],
      rows(report),
    ),
  ];
}

/** The panel. */
export const SLOWDOWN: Panel = { id: "slowdown", title: "FCT slowdown", needs: "messages", content };
