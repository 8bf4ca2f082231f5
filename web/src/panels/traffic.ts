// Kinds of traffic compared with each other and between runs: interference between classes.

import type { KindOfTraffic, Report } from "../data.ts";
import { note } from "../dom.ts";
import { independent, overNote } from "../over.ts";
import { groupChart } from "../groups.ts";
import type { GroupBar } from "../groups.ts";
import { legend, runColour, runName } from "../palette.ts";
import { asTable, table } from "../tables.ts";
import type { Cell } from "../tables.ts";
import { bitRate, count, rateUnit, size, span, spanUnit } from "../units.ts";
import type { Unit } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

interface Shown {
  run: number;
  kinds: KindOfTraffic[];
}

const shown = (report: Report): Shown[] =>
  report.traffic.flatMap((found, run) => (found === null ? [] : [{ run, kinds: found.kinds }]));

function tipOf(kind: KindOfTraffic): string[] {
  const { times } = kind;
  return [
    `class ${kind.class}, ${kind.may_reorder ? "may be reordered" : "delivered in order"}`,
    ...(times === null ? [] : [`mean ${span(times.mean)}, p50 ${span(times.p50)}, p99 ${span(times.p99)}`]),
    `throughput ${bitRate(kind.throughput)}`,
    `${count(kind.messages)} messages, ${count(kind.unfinished)} unfinished`,
  ];
}

type Of = (kind: KindOfTraffic) => Omit<GroupBar, "tip"> | null;

const timeOf: Of = ({ times }) =>
  times === null ? null : { value: times.mean, low: times.mean, high: Math.max(times.mean, times.p99) };
const throughputOf: Of = ({ throughput }) => ({ value: throughput, low: throughput, high: throughput });

function drawing(report: Report, title: string, axis: string, unitOf: (most: number) => Unit, of: Of): HTMLElement {
  const runs = shown(report);
  const names = [...new Set(runs.flatMap(({ kinds }) => kinds.map(({ name }) => name)))];
  const bars = runs.map(({ run, kinds }) => ({
    name: report.runs[run]?.name ?? "",
    colour: runColour(run),
    bars: names.map((name) => {
      const kind = kinds.find((found) => found.name === name);
      const bar = kind === undefined ? null : of(kind);
      return kind === undefined || bar === null ? null : { ...bar, tip: tipOf(kind) };
    }),
  }));
  const most = Math.max(...bars.flatMap(({ bars: found }) => found.map((bar) => bar?.high ?? 0)));
  return figure(title, groupChart(title, axis, unitOf(most), { name: "kind of traffic", names }, bars));
}

function kinds(report: Report): HTMLElement {
  const rows = shown(report).flatMap(({ run, kinds: found }) =>
    found.map((kind): Cell[] => [
      report.runs[run]?.name ?? "",
      kind.name,
      count(kind.class),
      kind.may_reorder ? "yes" : "no",
      count(kind.messages),
      count(kind.unfinished),
      ...(kind.times === null ? [null, null, null] : [kind.times.mean, kind.times.p50, kind.times.p99].map(span)),
      bitRate(kind.throughput),
    ]),
  );
  const numbers = ["messages", "unfinished", "mean", "p50", "p99", "throughput"];
  const words = ["run", "traffic", "class", "may be reordered"].map((title) => ({ title }));
  return asTable("Kinds of traffic", [...words, ...numbers.map((title) => ({ title, number: true }))], rows);
}

function classes(report: Report): HTMLElement[] {
  const rows = report.traffic.flatMap((found, run) =>
    (found?.classes ?? []).map((of): Cell[] => [
      runName(report.runs, run),
      count(of.class),
      size(of.sent),
      size(of.peak),
      ...[of.marked, of.dropped, of.pauses].map(count),
      span(of.paused),
    ]),
  );
  if (rows.length === 0) {
    return [];
  }
  const numbers = ["class", "sent by hosts", "longest queue", "packets marked", "packets dropped", "pause frames", "longest time paused"];
  return [table("Traffic classes over all ports", [{ title: "run" }, ...numbers.map((title) => ({ title, number: true }))], rows)];
}

function content(report: Report): HTMLElement[] {
  const runs = shown(report).map(({ run }) => run);
  if (runs.length === 0) {
    return [];
  }
  return [
    note(
      "Each kind of traffic in every run: interference between kinds in the same class or in different classes. " +
        "Throughput is the payload of a kind divided by the time from its first start to its last arrival." +
        overNote(report, `Of ${independent(report)}, only those count that started`),
    ),
    ...(runs.length > 1 ? [legend(report.runs, runs)] : []),
    pair(
      drawing(report, "Completion time: mean, with a line up to the 99th percentile", "FCT", spanUnit, timeOf),
      drawing(report, "Throughput", "throughput", rateUnit, throughputOf),
    ),
    kinds(report),
    ...classes(report),
  ];
}

/** The panel. */
export const TRAFFIC: Panel = { id: "traffic", title: "Kinds of traffic", content };
