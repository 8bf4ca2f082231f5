// Completion times over a numeric setting, a line for each policy, with whiskers from the shortest to the longest time of
// several runs, and a horizontal line at a target.

import { whiskers } from "./buckets.ts";
import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import type { Times } from "./data.ts";
import { axisTitle, position } from "./numeric_axis.ts";
import type { NumericAxis } from "./numeric_axis.ts";
import type { Stroke } from "./palette.ts";
import { span, spanUnit, spans } from "./units.ts";
import type { Unit } from "./units.ts";

/** A line; its times are in the order of the values of the axis. */
export interface Curve extends Stroke {
  name: string;
  times: (Times | null)[];
}

/** The axis of times is logarithmic if they differ by more than this factor. */
const WIDE = 20;
/** Room beside the first and the last value, as a share of the axis. */
const ROOM = 0.05;
/** Room beyond the shortest and the longest time on a logarithmic axis, as a factor. */
const BEYOND = 1.3;
/** With more powers of ten, only these have ticks. */
const DECADES = 2.5;
/** Charts in which labels of values are rotated, by their width. */
const NARROW = 400;
/** Distance between whiskers at the same value, in pixels. */
const ASIDE = 3;
/** The series that shows the target. */
const TARGET = "target";

/** How times are drawn. */
interface Scale {
  unit: Unit;
  /** Whether distances show ratios. */
  log: boolean;
  least: number;
  most: number;
  /** Where a time is on the axis. */
  at: (time: number) => number;
}

function scaleOf(curves: Curve[]): Scale {
  const known = curves.flatMap(({ times }) => times.flatMap((time) => time ?? []));
  const most = known.reduce((left, { high }) => Math.max(left, high), 0);
  const least = known.reduce((left, { low }) => Math.min(left, low), most);
  const unit = spanUnit(most);
  const log = least > 0 && most > WIDE * least;
  return { unit, log, least, most, at: log ? Math.log10 : (time) => time / unit.worth };
}

/** Ticks of a logarithmic axis: at 1, 2 and 5 times powers of ten, or at powers of ten alone if there are many. */
export function logTicks(low: number, high: number): number[] {
  const exponents = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, nth) => Math.floor(low) + nth);
  const digits = high - low > DECADES ? [1] : [1, 2, 5];
  return exponents.flatMap((exponent) => digits.map((digit) => exponent + Math.log10(digit))).filter((tick) => tick >= low && tick <= high);
}

/** The axis of times. */
function timeAxis({ unit, log, least, most }: Scale): Options {
  if (!log) {
    return numbers(`completion time (${unit.name})`, { min: 0, nameGap: 44 });
  }
  const [low, high] = [Math.log10(least / BEYOND), Math.log10(most * BEYOND)];
  const ticks = logTicks(low, high);
  return numbers("completion time (logarithmic)", {
    min: low,
    max: high,
    nameGap: 54,
    axisTick: { show: true, customValues: ticks, lineStyle: { color: "var(--line)" } },
    axisLabel: {
      color: "var(--muted)",
      fontSize: 12,
      hideOverlap: true,
      customValues: ticks,
      formatter: (tick: number) => span(Number((10 ** tick).toPrecision(6))),
    },
  });
}

/** What is known of a line at a value. */
function reading(name: string, time: Times): string {
  return time.runs === 1 ? `${name}: ${span(time.mean)}` : `${name}: ${span(time.mean)}, mean of ${time.runs} runs (${spans(time.low, time.high)})`;
}

/** The axis of the setting, with a tick at each of its values. */
function settingAxis(name: string, axis: NumericAxis): Options {
  const ticks = axis.values.map((value) => position(axis, value));
  const [first = 0, last = 0] = [ticks[0], ticks.at(-1)];
  const texts = new Map(ticks.map((at, nth) => [at, axis.values[nth]?.text ?? ""]));
  return numbers(axisTitle(name, axis), {
    min: first - ROOM * (last - first),
    max: last + ROOM * (last - first),
    axisTick: { show: true, customValues: ticks, lineStyle: { color: "var(--line)" } },
    splitLine: { show: false },
    axisLabel: {
      color: "var(--muted)",
      fontSize: 12,
      hideOverlap: true,
      customValues: ticks,
      formatter: (at: number) => texts.get(at) ?? "",
    },
  });
}

function line({ name, colour, dash, times }: Curve, axis: NumericAxis, scale: Scale): Options {
  return {
    type: "line",
    name,
    symbol: "circle",
    symbolSize: 6,
    data: axis.values.map((value, nth) => [position(axis, value), times[nth] ? scale.at(times[nth].mean) : null]),
    lineStyle: { color: colour, width: 2, type: dash },
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  };
}

function intervals({ colour, times }: Curve, axis: NumericAxis, scale: Scale, aside: number): Options {
  const data = axis.values.flatMap((value, nth) => {
    const time = times[nth];
    return time && time.low < time.high ? [[position(axis, value), scale.at(time.low), scale.at(time.high)]] : [];
  });
  return whiskers(colour, aside, data);
}

/** The chart. */
export function curveChart(label: string, name: string, axis: NumericAxis, curves: Curve[]): HTMLElement {
  const scale = scaleOf(curves);
  const labels = (rotate: number, gap: number): Options => ({ grid: { bottom: gap + 26 }, xAxis: { nameGap: gap, axisLabel: { rotate } } });
  return chart(label, 320, {
    media: [{ query: { maxWidth: NARROW }, option: labels(45, 60) }, { option: labels(0, 30) }],
    grid: { left: scale.log ? 76 : 64, right: 24, top: 20 },
    tooltip: tooltip((hovered: { dataIndex: number; seriesType: string }[]) => {
      const at = hovered.find(({ seriesType }) => seriesType === "line")?.dataIndex ?? -1;
      const known = curves.flatMap(({ name: policy, times }) => (times[at] ? [reading(policy, times[at])] : []));
      return tip(`${name} ${axis.values[at]?.text ?? ""}`, known);
    }, "axis"),
    xAxis: settingAxis(name, axis),
    yAxis: timeAxis(scale),
    series: [
      ...curves.map((curve) => line(curve, axis, scale)),
      ...curves.map((curve, nth) => intervals(curve, axis, scale, (nth - (curves.length - 1) / 2) * ASIDE)),
      { type: "line", id: TARGET, name: "", data: [] },
    ],
  });
}

/** Whether times are shorter at the last value than at the first one. */
function isFalling(curves: Curve[]): boolean {
  const ends = curves.map(({ times }) => times.flatMap((time) => time?.mean ?? [])).map((known) => [known[0] ?? 0, known.at(-1) ?? 0]);
  return ends.reduce((sum, [first = 0, last = 0]) => sum + first - last, 0) > 0;
}

/** What changes in the chart if the target is at this time, in seconds. */
export function targetLine(curves: Curve[], time: number): Options {
  const markLine = {
    silent: true,
    symbol: "none",
    animation: false,
    label: {
      show: true,
      // Where the lines are far from most targets.
      position: isFalling(curves) ? "insideStartTop" : "insideEndTop",
      formatter: () => `target ${span(time)}`,
      color: "var(--ink)",
      fontSize: 11,
      textBorderColor: "var(--surface)",
      textBorderWidth: 3,
    },
    lineStyle: { color: "var(--ink)", width: 1.25, type: [5, 4] },
    data: [{ yAxis: scaleOf(curves).at(time) }],
  };
  return { series: [{ id: TARGET, markLine }] };
}
