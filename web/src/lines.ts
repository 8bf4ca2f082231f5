// Values over simulated time, a line for each flow. A line has a gap where there is no value.

import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import type { Stroke } from "./palette.ts";
import { span, spanUnit } from "./units.ts";
import type { Unit } from "./units.ts";

/** A line. */
export interface TimeLine extends Stroke {
  name: string;
  /** Seconds, and the value if there is one. */
  points: [number, number | null][];
}

/** Lines told beside the pointer. */
const TOLD = 16;

/** Upright lines at some instants, in seconds. */
const upright = (instants: number[], scale: Unit): Options => ({
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: false },
  lineStyle: { color: "var(--muted)", width: 1, type: [4, 4] },
  data: instants.map((instant) => ({ xAxis: instant / scale.worth })),
});

/** The chart; values are written by `write`, and upright lines stand at the instants in `marks`. */
export function timeChart(
  label: string,
  what: string,
  unit: Unit,
  lines: TimeLine[],
  write: (value: number) => string,
  marks: number[] = [],
): HTMLElement {
  const times = [...lines.flatMap(({ points }) => points.map(([time]) => time)), ...marks];
  const last = times.reduce((left, right) => Math.max(left, right), 0);
  const first = times.reduce((left, right) => Math.min(left, right), last);
  const scale = spanUnit(last);
  return chart(label, 300, {
    grid: { left: 64, right: 24, top: 16, bottom: 56 },
    tooltip: tooltip((hovered: { seriesName: string; value: [number, number | null] }[]) => {
      const at = hovered[0]?.value[0];
      const shown = hovered.flatMap(({ seriesName, value: [, value] }) =>
        value === null ? [] : [`${seriesName}: ${write(value * unit.worth)}`],
      );
      return tip(at === undefined ? "" : `at ${span(at * scale.worth)}`, shown.slice(0, TOLD));
    }, "axis"),
    xAxis: numbers(`simulated time (${scale.name})`, {
      // What happened late in a run is not drawn as a stroke at its edge.
      min: first > last / 2 ? undefined : 0,
      max: last / scale.worth,
      axisLabel: { color: "var(--muted)", fontSize: 12, hideOverlap: true, showMaxLabel: false },
    }),
    yAxis: numbers(`${what} (${unit.name})`, { min: 0, nameGap: 44 }),
    series: lines.map(({ name, colour, dash, points }, nth) => ({
      type: "line",
      name,
      // A single value between two gaps would not be seen.
      symbol: "circle",
      symbolSize: 3,
      showSymbol: points.length <= 60,
      data: points.map(([time, value]) => [time / scale.worth, value === null ? null : value / unit.worth]),
      lineStyle: { color: colour, width: 1.5, type: dash },
      itemStyle: { color: colour },
      emphasis: { disabled: true },
      ...(nth === 0 && marks.length > 0 ? { markLine: upright(marks, scale) } : {}),
    })),
  });
}
