// Interference: the slowdown of victims by aggressors, by hosts and sizes, by bursts, by sizes for each series, and by
// iteration.

import { bandwidthChart, ratioChart } from "../buckets.ts";
import type { CourseSteps, InterferenceCell, Report, Study } from "../data.ts";
import { note } from "../dom.ts";
import { timeChart } from "../lines.ts";
import { jobStroke, legendOf, lineName, lineStroke } from "../palette.ts";
import type { Stroke } from "../palette.ts";
import { ratioMap, ratioText } from "../ratios.ts";
import type { RatioCell } from "../ratios.ts";
import { asTable } from "../tables.ts";
import { bitRate, count, significant, size, some, span, spanUnit } from "../units.ts";
import { COLOURS } from "../variants.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

const GIGABIT = 1e9;
type RatedCell = InterferenceCell & { ratio: NonNullable<InterferenceCell["ratio"]> };

const withRatio = (study: Study): RatedCell[] => study.cells.filter((cell): cell is RatedCell => cell.ratio !== null);

const distinct = <Value>(values: Value[]): Value[] => [...new Set(values)];

const rising = (values: number[]): number[] => distinct(values).sort((left, right) => left - right);

const interval = (cell: RatedCell): string => (cell.ratio.half === null ? "" : ` ± ${ratioText(cell.ratio.half)}`);

const tips = (cell: RatedCell): string[] => [
  `${cell.victim} of ${size(cell.bytes)} ${cell.aggressor === null ? "in isolation" : `with ${cell.aggressor}`}`,
  `${count(cell.nodes)} hosts, mean ${span(cell.mean_s)}`,
  `ratio ${cell.ratio.value.toFixed(3)}${interval(cell)}, ${count(cell.ratio.seeds)} seeds`,
];

/** The scenario, and whether it was measured. */
const seriesOf = (cell: InterferenceCell): string =>
  cell.measured ? `${cell.scenario}, measured` : cell.scenario;

const isExchange = ({ victim }: InterferenceCell): boolean => victim.startsWith("all_to_all");

/** Bytes of the whole vector: both groups have half of the hosts each. */
const vector = (cell: InterferenceCell): number => (isExchange(cell) ? (cell.bytes * cell.nodes) / 2 : cell.bytes);

/** The quantity that sizes refer to. */
function sized(cells: InterferenceCell[]): string {
  const exchanges = cells.filter(isExchange).length;
  return exchanges === 0 ? "size of the vector" : exchanges === cells.length ? "size per peer" : "size";
}

/** Cells with the same name, in order of appearance. */
function groups(cells: RatedCell[], name: (cell: RatedCell) => string): [string, RatedCell[]][] {
  return distinct(cells.map(name)).map((found) => [found, cells.filter((cell) => name(cell) === found)]);
}

/** The parts of the description of a cell. */
const parts = (cell: InterferenceCell): string[] => [
  cell.victim,
  cell.aggressor === null ? "in isolation" : `with ${cell.aggressor}`,
  cell.bursts === null ? "" : `bursts of ${span(cell.bursts[0])} and pauses of ${span(cell.bursts[1])}`,
  `${count(cell.nodes)} hosts`,
  ...cell.scenario.split(", "),
  cell.measured ? "measured" : "",
];

const sentence = (words: string[]): string =>
  words
    .filter((part) => part !== "")
    .join(", ")
    .replace(", with ", " with ")
    .replace(", in isolation", " in isolation");

/** Lists of parts: those that all lists have in common, and the others of each list. */
function apart(all: string[][]): { common: string; names: string[] } {
  const [first = []] = all;
  const common = first.filter((part) => all.every((one) => one.includes(part)));
  const rest = all.map((one) => sentence(one.filter((part) => !common.includes(part))));
  return { common: sentence(common), names: rest };
}

const steadyGroups = (cells: RatedCell[]): [string, RatedCell[]][] =>
  groups(
    cells.filter((cell) => cell.bursts === null),
    (cell) => `${cell.victim} with ${cell.aggressor ?? ""} (${seriesOf(cell)})`,
  );

/** A group with one number of hosts and several sizes is drawn as a curve. */
const isCurve = (group: RatedCell[]): boolean =>
  rising(group.map((cell) => cell.nodes)).length === 1 && rising(group.map((cell) => cell.bytes)).length > 1;

/** Maps with hosts across and sizes down, for aggressors that never pause. */
function overHosts(cells: RatedCell[]): HTMLElement[] {
  return steadyGroups(cells).flatMap(([name, group]) => {
    if (isCurve(group)) {
      return [];
    }
    const [hosts, sizes] = [rising(group.map((cell) => cell.nodes)), rising(group.map((cell) => cell.bytes)).reverse()];
    const squares: RatioCell[] = group.map((cell) => ({
      across: hosts.indexOf(cell.nodes),
      down: sizes.indexOf(cell.bytes),
      ratio: cell.ratio.value,
      tip: tips(cell),
    }));
    const across = { name: "hosts, victim and aggressor together", labels: hosts.map(count) };
    const title = `Ratio, ${name}`;
    return [figure(title, ratioMap(title, across, { name: sized(group), labels: sizes.map(size) }, squares))];
  });
}

/** Ratio over size: a line for each series with one number of hosts. */
function overSizes(cells: RatedCell[]): HTMLElement[] {
  const series = steadyGroups(cells).map(([, group]) => group).filter(isCurve);
  const described = series.flatMap(([first]) => (first === undefined ? [] : [parts(first)]));
  const { common, names } = apart(described);
  const lines = series.map((group, nth) => ({
    name: names[nth] || common,
    ...lineStroke(nth),
    points: [...group]
      .sort((left, right) => left.bytes - right.bytes)
      .map((cell) => ({ size: cell.bytes, value: cell.ratio.value, half: cell.ratio.half })),
  }));
  if (lines.length === 0) {
    return [];
  }
  const title = common === "" ? "Ratio by size" : `Ratio by size: ${common}`;
  const chart = ratioChart(title, "ratio of means (isolated / congested)", sized(series.flat()), lines);
  return [
    lines.length > 1
      ? figure(title, legendOf(lines.map((line) => lineName(line.name, line))), chart)
      : figure(title, chart),
  ];
}

/** Largest number of maps of bursts. */
const MOST_MAPS = 24;

/** The groups with the smallest ratios, in their original order. */
function worst(all: [string, RatedCell[]][]): [string, RatedCell[]][] {
  const least = (group: RatedCell[]): number => group.reduce((left, { ratio }) => Math.min(left, ratio.value), Number.POSITIVE_INFINITY);
  const kept = new Set([...all].sort(([, left], [, right]) => least(left) - least(right)).slice(0, MOST_MAPS));
  return all.filter((one) => kept.has(one));
}

/** Maps with pauses across and lengths of bursts down. */
function overBursts(cells: RatedCell[]): HTMLElement[] {
  const bursty = cells.filter((cell) => cell.bursts !== null);
  const name = (cell: RatedCell): string =>
    `${cell.victim} of ${size(cell.bytes)} with ${cell.aggressor ?? ""}, ${count(cell.nodes)} hosts (${seriesOf(cell)})`;
  const all = groups(bursty, name);
  const drawn = worst(all);
  const left = all.length - drawn.length;
  const maps = drawn.map(([found, group]) => {
    const part = (cell: RatedCell, which: 0 | 1): number => cell.bursts?.[which] ?? 0;
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
    return figure(title, ratioMap(title, across, { name: "length of bursts", labels: lengths.map(span) }, squares));
  });
  const more = left > 0 ? [note(`${some(left, "more map")} of bursts, with smaller slowdowns, are only in the table.`)] : [];
  return [...(maps.length > 0 ? [pair(...maps)] : []), ...more];
}

/** A stroke for each line: a victim in isolation has the colour of its first line with an aggressor, and other dashes. */
function inPairs(lines: InterferenceCell[]): Stroke[] {
  const isLike = (one: InterferenceCell) => (other: InterferenceCell): boolean =>
    one.victim === other.victim &&
    one.nodes === other.nodes &&
    one.scenario === other.scenario &&
    one.measured === other.measured;
  const beside = lines.filter((line) => line.aggressor !== null);
  const single = lines.filter((line) => line.aggressor === null && !beside.some(isLike(line)));
  if (beside.length + single.length > COLOURS) {
    return lines.map((_, nth) => lineStroke(nth));
  }
  return lines.map((line) => {
    const partner = line.aggressor === null ? beside.findIndex(isLike(line)) : beside.indexOf(line);
    return partner < 0
      ? lineStroke(beside.length + single.indexOf(line))
      : jobStroke(partner, line.aggressor === null ? 1 : 0, 2, lines.length);
  });
}

/** Bandwidth over size, a line for each victim and aggressor with several sizes. */
function curves(study: Study): HTMLElement[] {
  const name = (cell: InterferenceCell): string => sentence(parts(cell));
  const series = distinct(study.cells.map(name))
    .map((found) => study.cells.filter((cell) => name(cell) === found && cell.busbw_bps !== null))
    .filter((cells) => distinct(cells.map((cell) => cell.bytes)).length > 1);
  const { common, names } = apart(series.flatMap(([first]) => (first === undefined ? [] : [parts(first)])));
  const strokes = inPairs(series.flatMap(([first]) => (first === undefined ? [] : [first])));
  const lines = series.map((cells, nth) => ({
    name: names[nth] || common,
    ...(strokes[nth] ?? lineStroke(nth)),
    points: cells
      .map((cell) => ({ size: vector(cell), value: (cell.busbw_bps ?? 0) / GIGABIT }))
      .sort((left, right) => left.size - right.size),
  }));
  if (lines.length === 0) {
    return [];
  }
  const title = common === "" ? "Bus bandwidth of the victim" : `Bus bandwidth of the victim: ${common}`;
  const chart = bandwidthChart("Bus bandwidth of the victim by size", "bus bandwidth (Gbps)", lines);
  return [figure(title, legendOf(lines.map((line) => lineName(line.name, line))), chart)];
}

/** Iterations of a run and of its baseline, each from the start of its first iteration. */
function courses(study: Study): HTMLElement[] {
  const from = ({ starts, times }: CourseSteps): [number, number | null][] =>
    starts.map((start, step) => [start - (starts[0] ?? 0), times[step] ?? null]);
  return study.courses.flatMap((course) => {
    const run = study.points[course.point];
    if (run === undefined) {
      return [];
    }
    const drawn = [
      { name: "congested", ...lineStroke(0), points: from(course) },
      { name: "baseline", ...lineStroke(1), points: from(course.baseline) },
    ];
    const most = [...course.times, ...course.baseline.times].reduce((left, right) => Math.max(left, right), 0);
    const bursts = run.bursts === null ? "" : `, bursts of ${span(run.bursts[0])} and pauses of ${span(run.bursts[1])}`;
    const title =
      `Iterations of ${run.victim} of ${size(run.bytes)} with ${run.aggressor ?? ""}, ` +
      `${count(run.nodes)} hosts${bursts} (${seriesOf(run)}${run.seed === null ? "" : `, seed ${count(run.seed)}`})`;
    return [
      figure(
        title,
        legendOf(drawn.map((line) => lineName(line.name, line))),
        timeChart(title, "time of an iteration", spanUnit(most), drawn, span),
      ),
    ];
  });
}

const COLUMNS = ["hosts", "size", "length of bursts", "pause", "mean time", "bus bandwidth", "ratio", "half of its 95 % interval", "seeds"];

const row = (cell: InterferenceCell): string[] => [
  seriesOf(cell),
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
  const cells = withRatio(study);
  const titles = ["scenario", "victim", "aggressor"].map((title) => ({ title }));
  const maps = overHosts(cells);
  const unpaired = study.points.filter((point) => point.aggressor !== null && point.ratio === null).length;
  const congested = study.points.some((point) => point.aggressor !== null);
  return [
    note(
      (congested
        ? "Ratio: mean time of the victim's iterations in isolation, divided by their mean time with the aggressor, after the " +
          "warm-up: 1 is no slowdown, 0.1 is ten times slower. A run is paired with the run that differs only in having no " +
          "aggressor and has the same seed. "
        : "All victims run in isolation, without an aggressor. ") +
        "Sizes are those of the whole vector; for an all-to-all, the size per peer.",
    ),
    ...(unpaired > 0 ? [note(`Without a baseline in this report: ${some(unpaired, "run")} with an aggressor.`)] : []),
    ...(maps.length > 0 ? [pair(...maps)] : []),
    ...overBursts(cells),
    ...overSizes(cells),
    ...curves(study),
    ...courses(study),
    asTable("Interference", [...titles, ...COLUMNS.map((title) => ({ title, number: true }))], study.cells.map(row)),
  ];
}

/** The panel. */
export const INTERFERENCE: Panel = { id: "interference", title: "Interference", content };
