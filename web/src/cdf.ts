// Cumulative distributions of times, a line for each run.

import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Cdf } from "./data.ts";
import type { Stroke } from "./palette.ts";
import { percent, span, spanUnit } from "./units.ts";

/** A line. */
export interface Line extends Stroke {
  name: string;
  cdf: Cdf;
}

/** The axis is logarithmic if times differ by more than this factor. */
const WIDE = 20;

/** Replaces zero on a logarithmic axis. */
const LEAST = 1e-12;

/** The chart; its axis is logarithmic if requested or if the times differ much. */
export function cdfChart(label: string, what: string, things: string, lines: Line[], logarithmic = false): HTMLElement {
  const values = lines.flatMap((line) => line.cdf.values);
  const most = values.reduce((left, right) => Math.max(left, right), LEAST);
  const least = values.reduce((left, right) => Math.min(left, right), most);
  const log = logarithmic || most > WIDE * Math.max(least, LEAST);
  const unit = spanUnit(most);
  const worth = log ? 1 : unit.worth;
  const axis = log
    ? logAxis(what, Math.max(least, LEAST), most)
    : numbers(`${what} (${unit.name})`, { min: 0, max: undefined });
  const series = lines.map(({ name, colour, dash, cdf }) => ({
    type: "line",
    name,
    // Between quantiles there are other values; steps would suggest that there are none.
    step: cdf.whole ? "end" : undefined,
    symbol: "none",
    data: points(cdf, worth, log),
    lineStyle: { color: colour, width: 2, type: dash },
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  }));
  return chart(label, 320, {
    // Room for the half of the last label beyond the axis.
    grid: { left: 64, right: log ? 36 : 24, top: 16, bottom: 56 },
    tooltip: tooltip((hovered: { seriesName: string; value: [number, number] }[]) => {
      const shown = hovered.map(
        ({ seriesName, value }) => `${seriesName}: ${percent(value[1])} within ${span(value[0] * worth)}`,
      );
      return tip(`share of ${things}`, shown);
    }, "axis"),
    xAxis: axis,
    yAxis: numbers(`share of ${things} (%)`, {
      min: 0,
      max: 1,
      nameGap: 44,
      axisLabel: { color: "var(--muted)", formatter: (share: number) => String(Math.round(share * 100)) },
    }),
    series,
  });
}

/** Points from share 0 at the smallest value on, so that a line begins at the axis. */
function points(cdf: Cdf, worth: number, log: boolean): [number, number][] {
  const place = (value: number): number => (log ? Math.max(value, LEAST) : value / worth);
  const first = cdf.values[0];
  const start: [number, number][] = first === undefined ? [] : [[place(first), 0]];
  return start.concat(cdf.values.map((value, nth) => [place(value), cdf.shares[nth] ?? 1]));
}

/** A logarithmic axis over at least one decade, labelled at powers of ten with units. */
function logAxis(what: string, least: number, most: number): Record<string, unknown> {
  const high = Math.ceil(Math.log10(most) - 1e-9);
  const low = Math.min(Math.floor(Math.log10(least) + 1e-9), high - 1);
  return numbers(`${what} (logarithmic)`, {
    type: "log",
    min: 10 ** low,
    max: 10 ** high,
    axisLabel: { color: "var(--muted)", formatter: (value: number) => span(Number(value.toPrecision(6))) },
    minorTick: { show: true, splitNumber: 10, lineStyle: { color: "var(--line)" } },
    minorSplitLine: { show: true, lineStyle: { color: "var(--grid)", opacity: 0.5 } },
  });
}
