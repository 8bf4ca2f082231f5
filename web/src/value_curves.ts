// Means over the varied values of a sweep, a line for each combination of the other values, with whiskers for the 95 %
// intervals; a horizontal line at a threshold, and the shaded interval within which it is crossed.

import { whiskers } from "./buckets.ts";
import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import { logTicks } from "./curves.ts";
import type { Stroke } from "./palette.ts";
import type { CurveLine, CurvePoint, ValueAxis } from "./study_data.ts";
import { rateUnit, significant, sizeUnit, spanUnit } from "./units.ts";
import type { Unit } from "./units.ts";

/** How values on the axis on the left are drawn. */
export interface Upwards {
  title: string;
  /** What a number of the axis is worth. */
  worth: number;
  /** A value in words. */
  write: (value: number) => string;
  /** Whether the axis begins at zero in any case. */
  fromZero: boolean;
}

/** The stroke of a line by its name, the same in all charts of a page. */
export type StrokeOf = (name: string) => Stroke;

/** What a chart shows beside its lines. */
export interface Beside {
  level?: { value: number; name: string };
  shaded?: [number, number][];
}

/** Room beside the first and the last value, as a share of the axis. */
const ROOM = 0.05;
/** An axis begins at zero unless the lowest value is above this share of the highest one. */
const NEAR = 0.5;
/** Distance between whiskers at the same value, in pixels. */
const ASIDE = 3;
/** Longest name below an axis, in characters. */
const LONGEST = 24;
/** Largest number of lines in a tooltip. */
const TOLD = 16;

const all = (lines: CurveLine[]): CurvePoint[] => lines.flatMap(({ points }) => points);
const least = (list: number[]): number => list.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
const most = (list: number[]): number => list.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);

/** The unit of an axis whose largest number this is. */
function unitOf({ unit }: ValueAxis, largest: number): Unit {
  const units = { "bit/s": rateUnit, B: sizeUnit, s: spanUnit, number: () => ({ name: "", worth: 1 }) };
  return units[unit](largest);
}

const shortened = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

/** Positions on the axis of values. */
interface Across {
  at: (number: number) => number;
  options: Options;
}

function ofNames(names: string[]): Across {
  const ticks = names.map((_, nth) => nth);
  const label = { customValues: ticks, rotate: names.length > 2 ? 30 : 0, formatter: (nth: number) => shortened(names[nth] ?? "") };
  return {
    at: (number) => number,
    options: numbers("", {
      min: -0.5,
      max: names.length - 0.5,
      splitLine: { show: false },
      axisTick: { show: true, customValues: ticks, lineStyle: { color: "var(--line)" } },
      axisLabel: { color: "var(--muted)", fontSize: 12, hideOverlap: true, ...label },
    }),
  };
}

function ofNumbers(axis: ValueAxis, lines: CurveLine[]): Across {
  const found = all(lines).map(({ number }) => number);
  const log = axis.log && least(found) > 0;
  const unit = unitOf(axis, most(found));
  const at = (number: number): number => (log ? Math.log10(number / unit.worth) : number / unit.worth);
  const [first, last] = [at(least(found)), at(most(found))];
  const room = ROOM * (last - first || 1);
  const notes = [...(unit.name === "" ? [] : [unit.name]), ...(log ? ["logarithmic"] : [])];
  const title = notes.length === 0 ? axis.path : `${axis.path} (${notes.join(", ")})`;
  const ticks = log ? logTicks(first - room, last + room) : [];
  const marks = log ? { customValues: ticks } : {};
  return {
    at,
    options: numbers(title, {
      min: first - room,
      max: last + room,
      axisTick: { show: true, lineStyle: { color: "var(--line)" }, ...marks },
      axisLabel: {
        color: "var(--muted)",
        fontSize: 12,
        hideOverlap: true,
        // The ends of the axis are no round numbers.
        showMinLabel: log,
        showMaxLabel: log,
        ...(log ? { ...marks, formatter: (tick: number) => String(Number((10 ** tick).toPrecision(3))) } : {}),
      },
    }),
  };
}

/** What ECharts passes to a function that draws a shaded interval. */
interface Drawing {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
}

/** Vertical bands, in the units of the axis. */
function bands(intervals: [number, number][]): Options {
  const renderItem = ({ coordSys }: { coordSys: { y: number; height: number } }, api: Drawing): Options => {
    const [from] = api.coord([api.value(0), 0]);
    const [to] = api.coord([api.value(1), 0]);
    // Narrower ones would not be seen.
    const width = Math.max(2, to - from);
    return { type: "rect", silent: true, shape: { x: from, y: coordSys.y, width, height: coordSys.height }, style: { fill: "var(--muted)", opacity: 0.22 } };
  };
  return { type: "custom", name: "", renderItem, silent: true, z: 1, tooltip: { show: false }, encode: { x: [0, 1] }, data: intervals };
}

const levelLine = ({ value, name }: { value: number; name: string }): Options => ({
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: true, position: "insideStartTop", formatter: () => name, color: "var(--ink)", fontSize: 11, textBorderColor: "var(--surface)", textBorderWidth: 3 },
  lineStyle: { color: "var(--ink)", width: 1.25, type: [5, 4] },
  data: [{ yAxis: value }],
});

/** A value with its interval. */
export const reading = ({ mean, half }: CurvePoint, write: (value: number) => string): string =>
  half === null ? write(mean) : `${write(mean)} ± ${write(half)}`;

/** The chart; `strokeOf` gives the stroke of a line by its name. */
export function valueChart(label: string, axis: ValueAxis, isJoined: boolean, lines: CurveLine[], up: Upwards, strokeOf: StrokeOf, beside: Beside = {}): HTMLElement {
  const across = axis.names.length > 0 ? ofNames(axis.names) : ofNumbers(axis, lines);
  const lows = all(lines).map(({ mean, half }) => mean - (half ?? 0));
  const highs = all(lines).map(({ mean, half }) => mean + (half ?? 0));
  const isNear = !up.fromZero && least(lows) > NEAR * most(highs);
  const strokes = lines.map(({ name }) => strokeOf(name));
  const level = beside.level;
  const named = axis.names.length > 2;
  return chart(label, named ? 360 : 320, {
    grid: { left: 70, right: 24, top: 20, bottom: named ? 96 : 56 },
    tooltip: tooltip((hovered: { seriesIndex: number; dataIndex: number; seriesType: string }[]) => {
      const told = hovered.filter(({ seriesType, seriesIndex }) => seriesType === "line" && seriesIndex < lines.length);
      const texts = told.flatMap(({ seriesIndex, dataIndex }) => {
        const [line, point] = [lines[seriesIndex], lines[seriesIndex]?.points[dataIndex]];
        const name = line === undefined || line.name === "" ? "" : `${line.name}, `;
        return point === undefined ? [] : [`${name}${point.value}: ${reading(point, up.write)}, ${significant(point.seeds)} seeds`];
      });
      return tip(axis.path === "" ? up.title : axis.path, texts.slice(0, TOLD));
    }, "axis"),
    xAxis: across.options,
    yAxis: numbers(up.title, { nameGap: 48, ...(isNear ? { scale: true } : {}) }),
    series: [
      ...lines.map(({ name, points }, nth) => ({
        type: "line",
        name,
        symbol: "circle",
        symbolSize: 7,
        showAllSymbol: true,
        z: 3,
        data: points.map(({ number, mean }) => [across.at(number), mean / up.worth]),
        lineStyle: { color: strokes[nth]?.colour, width: isJoined ? 2 : 0, type: strokes[nth]?.dash },
        itemStyle: { color: strokes[nth]?.colour },
        emphasis: { disabled: true },
        ...(nth === 0 && level !== undefined ? { markLine: levelLine({ ...level, value: level.value / up.worth }) } : {}),
      })),
      ...lines.map(({ points }, nth) => {
        const known = points.filter(({ half }) => half !== null && half > 0);
        const data = known.map(({ number, mean, half }) => [across.at(number), (mean - (half ?? 0)) / up.worth, (mean + (half ?? 0)) / up.worth]);
        return whiskers(strokes[nth]?.colour ?? "var(--ink)", (nth - (lines.length - 1) / 2) * ASIDE, data);
      }),
      ...(beside.shaded === undefined ? [] : [bands(beside.shaded.map(([low, high]) => [across.at(low), across.at(high)]))]),
    ],
  });
}
