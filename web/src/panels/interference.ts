// Interference: what aggressors cost victims, over hosts and sizes, over bursts, series by series over sizes, and iteration
// by iteration.

import { bandwidthChart, ratioChart } from "../buckets.ts";
import type { CourseSteps, InterferenceCell, Report, Study } from "../data.ts";
import { note } from "../dom.ts";
import { timeChart } from "../lines.ts";
import { COLOURS, jobStroke, legendOf, lineName, runStroke } from "../palette.ts";
import type { Stroke } from "../palette.ts";
import { ratioMap, ratioText } from "../ratios.ts";
import type { RatioCell } from "../ratios.ts";
import { asTable } from "../tables.ts";
import { bitRate, count, significant, size, some, span, spanUnit } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

const GIGABIT = 1e9;
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

/** The scenario, and whether it was measured. */
const seriesOf = (cell: InterferenceCell): string =>
  cell.measured ? `${cell.scenario}, measured` : cell.scenario;

const isExchange = ({ victim }: InterferenceCell): boolean => victim.startsWith("all_to_all");

/** Bytes of the whole vector: both groups have half of the hosts each. */
const vector = (cell: InterferenceCell): number => (isExchange(cell) ? (cell.bytes * cell.nodes) / 2 : cell.bytes);

/** What sizes are sizes of. */
function sized(cells: InterferenceCell[]): string {
  const exchanges = cells.filter(isExchange).length;
  return exchanges === 0 ? "size of the vector" : exchanges === cells.length ? "size for each peer" : "size";
}

/** Cells with the same words, in order of appearance. */
function groups(cells: Told[], name: (cell: Told) => string): [string, Told[]][] {
  return distinct(cells.map(name)).map((found) => [found, cells.filter((cell) => name(cell) === found)]);
}

/** What is told of a cell in words, part by part. */
const parts = (cell: InterferenceCell): string[] => [
  cell.victim,
  cell.aggressor === null ? "alone" : `beside ${cell.aggressor}`,
  cell.bursts === null ? "" : `bursts of ${span(cell.bursts[0])} and pauses of ${span(cell.bursts[1])}`,
  `${count(cell.nodes)} hosts`,
  ...cell.scenario.split(", "),
  cell.measured ? "measured" : "",
];

const sentence = (told: string[]): string =>
  told
    .filter((part) => part !== "")
    .join(", ")
    .replace(", beside ", " beside ");

/** Lists of parts: what all have in common, and what is left of each. */
function apart(all: string[][]): { common: string; names: string[] } {
  const [first = []] = all;
  const common = first.filter((part) => all.every((one) => one.includes(part)));
  const rest = all.map((one) => sentence(one.filter((part) => !common.includes(part))));
  return { common: sentence(common), names: rest };
}

const steadyGroups = (cells: Told[]): [string, Told[]][] =>
  groups(
    cells.filter((cell) => cell.bursts === null),
    (cell) => `${cell.victim} beside ${cell.aggressor ?? ""} (${seriesOf(cell)})`,
  );

/** A single number of hosts with several sizes is a curve. */
const isCurve = (group: Told[]): boolean =>
  rising(group.map((cell) => cell.nodes)).length === 1 && rising(group.map((cell) => cell.bytes)).length > 1;

/** Hosts across, sizes down, for aggressors that never pause. */
function overHosts(cells: Told[]): HTMLElement[] {
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
    const across = { name: "hosts of both groups", labels: hosts.map(count) };
    const title = `Ratio, ${name}`;
    return [figure(title, ratioMap(title, across, { name: sized(group), labels: sizes.map(size) }, squares))];
  });
}

/** Ratio over size: a line for each series with one number of hosts. */
function overSizes(cells: Told[]): HTMLElement[] {
  const series = steadyGroups(cells).map(([, group]) => group).filter(isCurve);
  const told = series.flatMap(([first]) => (first === undefined ? [] : [parts(first)]));
  const { common, names } = apart(told);
  const lines = series.map((group, nth) => ({
    name: names[nth] || common,
    ...runStroke(nth),
    points: [...group]
      .sort((left, right) => left.bytes - right.bytes)
      .map((cell) => ({ size: cell.bytes, value: cell.ratio.value, half: cell.ratio.half })),
  }));
  if (lines.length === 0) {
    return [];
  }
  const title = common === "" ? "Ratio by size" : `Ratio by size: ${common}`;
  const chart = ratioChart(title, "ratio of means (alone / beside)", sized(series.flat()), lines);
  return [
    lines.length > 1
      ? figure(title, legendOf(lines.map((line) => lineName(line.name, line))), chart)
      : figure(title, chart),
  ];
}

/** So many maps of bursts are drawn. */
const MOST_MAPS = 24;

/** Those with the smallest ratio, as they follow each other. */
function worst(all: [string, Told[]][]): [string, Told[]][] {
  const least = (group: Told[]): number => group.reduce((left, { ratio }) => Math.min(left, ratio.value), Number.POSITIVE_INFINITY);
  const kept = new Set([...all].sort(([, left], [, right]) => least(left) - least(right)).slice(0, MOST_MAPS));
  return all.filter((one) => kept.has(one));
}

/** Pauses across, lengths down. */
function overBursts(cells: Told[]): HTMLElement[] {
  const bursty = cells.filter((cell) => cell.bursts !== null);
  const name = (cell: Told): string =>
    `${cell.victim} of ${size(cell.bytes)} beside ${cell.aggressor ?? ""}, ${count(cell.nodes)} hosts (${seriesOf(cell)})`;
  const all = groups(bursty, name);
  const drawn = worst(all);
  const left = all.length - drawn.length;
  const maps = drawn.map(([found, group]) => {
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
    return figure(title, ratioMap(title, across, { name: "length of bursts", labels: lengths.map(span) }, squares));
  });
  const more = left > 0 ? [note(`${some(left, "more map")} of bursts, with less harm, are in the table only.`)] : [];
  return [...(maps.length > 0 ? [pair(...maps)] : []), ...more];
}

/** A stroke for each line: a victim that is alone has the colour of the first one beside an aggressor, and other dashes. */
function inPairs(lines: InterferenceCell[]): Stroke[] {
  const isLike = (one: InterferenceCell) => (other: InterferenceCell): boolean =>
    one.victim === other.victim &&
    one.nodes === other.nodes &&
    one.scenario === other.scenario &&
    one.measured === other.measured;
  const beside = lines.filter((line) => line.aggressor !== null);
  const single = lines.filter((line) => line.aggressor === null && !beside.some(isLike(line)));
  if (beside.length + single.length > COLOURS) {
    return lines.map((_, nth) => runStroke(nth));
  }
  return lines.map((line) => {
    const partner = line.aggressor === null ? beside.findIndex(isLike(line)) : beside.indexOf(line);
    return partner < 0
      ? runStroke(beside.length + single.indexOf(line))
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
    ...(strokes[nth] ?? runStroke(nth)),
    points: cells
      .map((cell) => ({ size: vector(cell), value: (cell.busbw_bps ?? 0) / GIGABIT }))
      .sort((left, right) => left.size - right.size),
  }));
  if (lines.length === 0) {
    return [];
  }
  const title = common === "" ? "Bandwidth of the victim" : `Bandwidth of the victim: ${common}`;
  const chart = bandwidthChart("Bus bandwidth of the victim by size", "bus bandwidth (Gbps)", lines);
  return [figure(title, legendOf(lines.map((line) => lineName(line.name, line))), chart)];
}

/** Iterations of a run and of its baseline, each from the start of its first. */
function courses(study: Study): HTMLElement[] {
  const from = ({ starts, times }: CourseSteps): [number, number | null][] =>
    starts.map((start, step) => [start - (starts[0] ?? 0), times[step] ?? null]);
  return study.courses.flatMap((course) => {
    const run = study.points[course.point];
    if (run === undefined) {
      return [];
    }
    const drawn = [
      { name: "congested", ...runStroke(0), points: from(course) },
      { name: "baseline", ...runStroke(1), points: from(course.baseline) },
    ];
    const most = [...course.times, ...course.baseline.times].reduce((left, right) => Math.max(left, right), 0);
    const bursts = run.bursts === null ? "" : `, bursts of ${span(run.bursts[0])} and pauses of ${span(run.bursts[1])}`;
    const title =
      `Iterations of ${run.victim} of ${size(run.bytes)} beside ${run.aggressor ?? ""}, ` +
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

const COLUMNS = ["hosts", "size", "length", "pause", "mean", "bus bandwidth", "ratio", "half of its 95 % interval", "seeds"];

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
  const cells = told(study);
  const titles = ["scenario", "victim", "aggressor"].map((title) => ({ title }));
  const maps = overHosts(cells);
  const unpaired = study.points.filter((point) => point.aggressor !== null && point.ratio === null).length;
  const congested = study.points.some((point) => point.aggressor !== null);
  return [
    note(
      (congested
        ? "Mean time of the victim's iterations alone over their mean beside the aggressor, after the warm-up: 1 is no " +
          "harm, 0.1 is ten times slower. A run is paired with the one that is equal but for the aggressor, the seed included. "
        : "Victims that run alone: nothing here gets in their way. ") +
        "Sizes are those of the whole vector, of an all-to-all those for each peer.",
    ),
    ...(unpaired > 0 ? [note(`${count(unpaired)} of the runs have no baseline here.`)] : []),
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
