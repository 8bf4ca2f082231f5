// Interference: what aggressors cost victims, over hosts and sizes, over bursts, and iteration by iteration.

import { bandwidthChart } from "../buckets.ts";
import type { InterferenceCell, InterferencePoint, Report, Study } from "../data.ts";
import { asTable, note } from "../dom.ts";
import { timeChart } from "../lines.ts";
import { legendOf, lineName, runStroke } from "../palette.ts";
import { ratioMap, ratioText } from "../ratios.ts";
import type { RatioCell } from "../ratios.ts";
import { bitRate, count, significant, size, span, spanUnit } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

const GIGABIT = 1e9;
/** Pairs of runs of which iterations are drawn. */
const MOST_COURSES = 4;

type Told = InterferenceCell & { ratio: NonNullable<InterferenceCell["ratio"]> };

const told = (study: Study): Told[] => study.cells.filter((cell): cell is Told => cell.ratio !== null);

const distinct = <Value>(values: Value[]): Value[] => [...new Set(values)];

const rising = (values: number[]): number[] => distinct(values).sort((left, right) => left - right);

const interval = (cell: Told): string => (cell.ratio.half === null ? "" : ` ± ${ratioText(cell.ratio.half)}`);

const tips = (cell: Told): string[] => [
  `${cell.victim} of ${size(cell.bytes)} beside ${cell.aggressor ?? "nothing"}`,
  `${count(cell.nodes)} hosts, mean ${span(cell.mean_s)}`,
  `ratio ${cell.ratio.value.toFixed(3)}${interval(cell)}, ${count(cell.ratio.seeds)} seeds`,
];

/** Cells with the same words, in order of appearance. */
function groups(cells: Told[], name: (cell: Told) => string): [string, Told[]][] {
  return distinct(cells.map(name)).map((found) => [found, cells.filter((cell) => name(cell) === found)]);
}

/** Hosts across, sizes down, for aggressors that never pause. */
function overHosts(cells: Told[]): HTMLElement[] {
  const steady = cells.filter((cell) => cell.bursts === null);
  return groups(steady, (cell) => `${cell.victim} beside ${cell.aggressor ?? ""} (${cell.scenario})`).map(
    ([name, group]) => {
      const [hosts, sizes] = [rising(group.map((cell) => cell.nodes)), rising(group.map((cell) => cell.bytes)).reverse()];
      const squares: RatioCell[] = group.map((cell) => ({
        across: hosts.indexOf(cell.nodes),
        down: sizes.indexOf(cell.bytes),
        ratio: cell.ratio.value,
        tip: tips(cell),
      }));
      const across = { name: "hosts of both groups", labels: hosts.map(count) };
      const title = `Ratio, ${name}`;
      return figure(title, ratioMap(title, across, { name: "size", labels: sizes.map(size) }, squares));
    },
  );
}

/** Pauses across, lengths down. */
function overBursts(cells: Told[]): HTMLElement[] {
  const bursty = cells.filter((cell) => cell.bursts !== null);
  const name = (cell: Told): string =>
    `${cell.victim} of ${size(cell.bytes)} beside ${cell.aggressor ?? ""}, ${count(cell.nodes)} hosts (${cell.scenario})`;
  return groups(bursty, name).map(([found, group]) => {
    const part = (cell: Told, which: 0 | 1): number => cell.bursts?.[which] ?? 0;
    const lengths = rising(group.map((cell) => part(cell, 0))).reverse();
    const pauses = rising(group.map((cell) => part(cell, 1)));
    const squares = group.map((cell) => ({
      across: pauses.indexOf(part(cell, 1)),
      down: lengths.indexOf(part(cell, 0)),
      ratio: cell.ratio.value,
      tip: tips(cell),
    }));
    const title = `Ratio, ${found}`;
    const across = { name: "pause between bursts", labels: pauses.map(span) };
    return figure(title, ratioMap(title, across, { name: "length", labels: lengths.map(span) }, squares));
  });
}

/** Bytes of the whole vector: both groups have half of the hosts each. */
const vector = ({ victim, bytes, nodes }: InterferenceCell): number =>
  victim.startsWith("all_to_all") ? (bytes * nodes) / 2 : bytes;

/** Bandwidth over size, a line for each victim and aggressor with several sizes. */
function curves(study: Study): HTMLElement[] {
  const name = (cell: InterferenceCell): string => {
    const bursts = cell.bursts === null ? "" : `, ${span(cell.bursts[0])} + ${span(cell.bursts[1])}`;
    const beside = cell.aggressor === null ? "alone" : `beside ${cell.aggressor}${bursts}`;
    return `${cell.victim} ${beside}, ${count(cell.nodes)} hosts (${cell.scenario})`;
  };
  const lines = distinct(study.cells.map(name))
    .map((found) => ({ name: found, cells: study.cells.filter((cell) => name(cell) === found && cell.busbw_bps !== null) }))
    .filter(({ cells }) => distinct(cells.map((cell) => cell.bytes)).length > 1)
    .map(({ name: found, cells }, nth) => ({
      name: found,
      ...runStroke(nth),
      points: cells
        .map((cell) => ({ size: vector(cell), value: (cell.busbw_bps ?? 0) / GIGABIT }))
        .sort((left, right) => left.size - right.size),
    }));
  if (lines.length === 0) {
    return [];
  }
  return [
    legendOf(lines.map((line) => lineName(line.name, line))),
    figure("Bandwidth of the victim", bandwidthChart("Bus bandwidth of the victim by size", "bus bandwidth (Gbps)", lines)),
  ];
}

/** Iterations of a run and of its baseline, each from the start of its first. */
function courses(study: Study): HTMLElement[] {
  const of = (point: InterferencePoint): number => study.points.indexOf(point);
  const course = (point: InterferencePoint) => study.courses.find((found) => found.point === of(point));
  const isBaselineOf = (run: InterferencePoint) => (other: InterferencePoint): boolean =>
    other.aggressor === null && other.seed === run.seed && other.mean_s === run.baseline_s && other.bytes === run.bytes;
  const worst = study.points
    .filter((point) => point.ratio !== null && course(point) !== undefined)
    .sort((left, right) => (left.ratio?.value ?? 1) - (right.ratio?.value ?? 1))
    .slice(0, MOST_COURSES);
  return worst.map((run) => {
    const baseline = study.points.find(isBaselineOf(run));
    const drawn = [run, ...(baseline === undefined ? [] : [baseline])].flatMap((point, nth) => {
      const found = course(point);
      const first = found?.starts[0] ?? 0;
      const points = (found?.starts ?? []).map((start, step): [number, number | null] => [start - first, found?.times[step] ?? null]);
      return [{ name: nth === 0 ? "congested" : "baseline", ...runStroke(nth), points }];
    });
    const most = Math.max(...drawn.flatMap(({ points }) => points.map(([, time]) => time ?? 0)));
    const bursts = run.bursts === null ? "" : `, bursts of ${span(run.bursts[0])} and pauses of ${span(run.bursts[1])}`;
    const title =
      `Iterations of ${run.victim} of ${size(run.bytes)} beside ${run.aggressor ?? ""}, ` +
      `${count(run.nodes)} hosts${bursts} (${run.scenario}, seed ${count(run.seed)})`;
    return figure(
      title,
      legendOf(drawn.map((line) => lineName(line.name, line))),
      timeChart(title, "time of an iteration", spanUnit(most), drawn, span),
    );
  });
}

const COLUMNS = ["hosts", "size", "length", "pause", "mean", "bus bandwidth", "ratio", "half of its 95 % interval", "seeds"];

const row = (cell: InterferenceCell): string[] => [
  cell.scenario,
  cell.victim,
  cell.aggressor ?? "none",
  count(cell.nodes),
  size(cell.bytes),
  cell.bursts === null ? "" : span(cell.bursts[0]),
  cell.bursts === null ? "" : span(cell.bursts[1]),
  span(cell.mean_s),
  cell.busbw_bps === null ? "" : bitRate(cell.busbw_bps),
  cell.ratio === null ? "" : significant(cell.ratio.value),
  cell.ratio?.half == null ? "" : significant(cell.ratio.half),
  cell.ratio === null ? "" : count(cell.ratio.seeds),
];

function content({ interference: study }: Report): HTMLElement[] {
  if (study === null) {
    return [];
  }
  const cells = told(study);
  const titles = ["scenario", "victim", "aggressor"].map((title) => ({ title }));
  const maps = [...overHosts(cells), ...overBursts(cells)];
  const unpaired = study.points.filter((point) => point.aggressor !== null && point.ratio === null).length;
  return [
    note(
      "Mean time of the victim's iterations alone over their mean beside the aggressor, after the warm-up: 1 is no harm, " +
        "0.1 is ten times slower. A run is paired with the one that is equal but for the aggressor, the seed included. " +
        "Sizes are those of the whole vector, of an all-to-all those for each peer.",
    ),
    ...(unpaired > 0 ? [note(`${count(unpaired)} of the runs have no baseline here.`)] : []),
    ...(maps.length > 0 ? [pair(...maps)] : []),
    ...curves(study),
    ...courses(study),
    asTable("Interference", [...titles, ...COLUMNS.map((title) => ({ title, number: true }))], study.cells.map(row)),
  ];
}

/** The panel. */
export const INTERFERENCE: Panel = { id: "interference", title: "Interference", content };
