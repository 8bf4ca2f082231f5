// Values over simulated time, a line for each flow or run. A line has a gap where there is no value.

import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import type { Mark } from "./events.ts";
import type { Stroke } from "./palette.ts";
import { span, spanUnit } from "./units.ts";
import type { Unit } from "./units.ts";

/** A line. */
export interface TimeLine extends Stroke {
  name: string;
  /** Time in seconds, and the value if there is one. */
  points: [number, number | null][];
}

/** Largest number of lines in the tooltip. */
const TOLD = 16;

/** Vertical lines at events, with their numbers at the top: at their end, or at their start if the axis points down. */
export const happened = (events: Mark[], scale: Unit, above: "start" | "end" = "end"): Options => ({
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: true, position: above, formatter: ({ name }: { name: string }) => name, color: "var(--ink)", fontSize: 11, distance: 2 },
  lineStyle: { color: "var(--event)", width: 1.25, type: "solid" },
  data: events.map(({ time, number }) => ({ xAxis: time / scale.worth, name: number })),
});

/** Vertical lines at some instants, in seconds. */
const upright = (instants: number[], scale: Unit): Options => ({
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: false },
  lineStyle: { color: "var(--muted)", width: 1, type: [4, 4] },
  data: instants.map((instant) => ({ xAxis: instant / scale.worth })),
});

/** Events near an instant: within 1 % of the width of the chart, which the pointer cannot resolve. */
const near = (events: Mark[], at: number, whole: number): string[] =>
  events.filter(({ time }) => Math.abs(time - at) <= 0.01 * whole).map(({ number, text }) => `${number}. ${text}`);

/**
 * The chart; values are written by `write`. There are vertical lines at the instants in `marks`, and numbered ones at
 * events. The axis of values ends at `most` if that is given.
 */
export function timeChart(
  label: string,
  what: string,
  unit: Unit,
  lines: TimeLine[],
  write: (value: number) => string,
  marks: number[] = [],
  events: Mark[] = [],
  most?: number,
): HTMLElement {
  const times = [...lines.flatMap(({ points }) => points.map(([time]) => time)), ...marks];
  const last = times.reduce((left, right) => Math.max(left, right), 0);
  const first = times.reduce((left, right) => Math.min(left, right), last);
  // Events after the last value are only in the list below.
  const seen = events.filter(({ time }) => time <= last);
  const scale = spanUnit(last);
  return chart(label, 300, {
    grid: { left: 64, right: 24, top: seen.length > 0 ? 26 : 16, bottom: 56 },
    tooltip: tooltip((hovered: { seriesName: string; value: [number, number | null] }[]) => {
      const at = hovered[0]?.value[0];
      const shown = hovered.flatMap(({ seriesName, value: [, value] }) =>
        value === null ? [] : [`${seriesName}: ${write(value * unit.worth)}`],
      );
      const also = at === undefined ? [] : near(seen, at * scale.worth, last);
      return tip(at === undefined ? "" : `at ${span(at * scale.worth)}`, [...shown.slice(0, TOLD), ...also]);
    }, "axis"),
    xAxis: numbers(`time (${scale.name})`, {
      // If all values are late in the run, the axis begins at the first one.
      min: first > last / 2 ? undefined : 0,
      max: last / scale.worth,
      axisLabel: { color: "var(--muted)", fontSize: 12, hideOverlap: true, showMaxLabel: false },
    }),
    yAxis: numbers(`${what} (${unit.name})`, { min: 0, max: most === undefined ? undefined : most / unit.worth, nameGap: 44 }),
    series: [
      ...lines.map(({ name, colour, dash, points }, nth) => ({
        type: "line",
        name,
        // A single value between two gaps would be invisible without a symbol.
        symbol: "circle",
        symbolSize: 3,
        showSymbol: points.length <= 60,
        data: points.map(([time, value]) => [time / scale.worth, value === null ? null : value / unit.worth]),
        lineStyle: { color: colour, width: 1.5, type: dash },
        itemStyle: { color: colour },
        emphasis: { disabled: true },
        ...(nth === 0 && marks.length > 0 ? { markLine: upright(marks, scale) } : {}),
      })),
      // A separate series, since each has only one style of such lines.
      ...(seen.length > 0 ? [{ type: "line", name: "", data: [], markLine: happened(seen, scale) }] : []),
    ],
  });
}
