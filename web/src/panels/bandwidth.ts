// Bus bandwidth of collectives by size, as nccl-tests define it: a line for each job of each run.

import type { BandwidthLine, Report } from "../data.ts";
import { bandwidthChart } from "../buckets.ts";
import { note } from "../dom.ts";
import { jobStroke, legendOf, lineName } from "../palette.ts";
import type { Stroke } from "../palette.ts";
import { asTable } from "../tables.ts";
import { count, significant, size, span } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** Bytes per second of a GB/s, the unit of nccl-tests. */
const GIGABYTE = 1e9;

interface Drawn extends Stroke {
  name: string;
  line: BandwidthLine;
}

/** All lines, each with a distinct name. */
function drawn(report: Report): Drawn[] {
  const most = Math.max(...report.bandwidth.map((lines) => lines?.length ?? 0));
  return report.bandwidth.flatMap((lines, run) =>
    (lines ?? []).map((line, nth) => {
      const own = lines?.length === 1 ? "" : `, ${line.job}, bus factor ${significant(line.factor)}`;
      const name = `${report.runs[run]?.name ?? ""}${own}`;
      return { name, line, ...jobStroke(run, nth, most, report.runs.length) };
    }),
  );
}

const COLUMNS = ["size", "ranks", "collectives", "mean time", "algbw (GB/s)", "busbw (GB/s)"];

function rows(lines: Drawn[]): string[][] {
  return lines.flatMap(({ name, line }) =>
    line.points.map(({ bytes, count: number, time, algbw, busbw }) => [
      name,
      line.job,
      size(bytes),
      count(line.ranks),
      count(number),
      span(time),
      ...[algbw, busbw].map((rate) => significant(rate / GIGABYTE)),
    ]),
  );
}

function content(report: Report): HTMLElement[] {
  const lines = drawn(report);
  if (lines.length === 0) {
    return [];
  }
  const curves = lines.map(({ line, ...stroke }) => ({
    ...stroke,
    points: line.points.map(({ bytes, busbw }) => ({ size: bytes, value: busbw / GIGABYTE })),
  }));
  return [
    note(
      "Bus bandwidth (busbw) as nccl-tests define it, by the size of the full vector: over all collectives of one size, bytes " +
        "divided by time. Jobs whose collectives all have the same size are not shown.",
    ),
    legendOf(lines.map(({ name, ...stroke }) => lineName(name, stroke))),
    figure("Bus bandwidth", bandwidthChart("Bus bandwidth by size", "bus bandwidth (GB/s)", curves)),
    asTable(
      "Bandwidth of collectives by size",
      [{ title: "run" }, { title: "job" }, ...COLUMNS.map((title) => ({ title, number: true }))],
      rows(lines),
    ),
  ];
}

/** The panel. */
export const BANDWIDTH: Panel = { id: "bandwidth", title: "Bandwidth of collectives", content };
