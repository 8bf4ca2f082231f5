// Horizontal bars, a row for each run or job, with intervals and marks if there are any.

import { chart, names, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import { outlined } from "./outlined.ts";
import type { Line } from "./outlined.ts";
import type { Unit } from "./units.ts";

/** A row. */
export interface Bar {
  name: string;
  colour: string;
  value: number;
  low?: number | null;
  high?: number | null;
  /** Further values on the same axis, each with its own mark. */
  marks?: Mark[];
  /** Lines of the tooltip. */
  tip: string[];
}

/** A value to compare with, in the unit of the axis. */
export interface Level {
  value: number;
  name: string;
}

/** A further value. */
export interface Mark {
  value: number;
  symbol: "circle" | "diamond" | "triangle";
}

const ROW = 34;
/** With more rows, names would overlap; the chart keeps its height and bars get thinner. */
const ROWS = 40;

interface Drawing {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
}

/** A whisker: a line from end to end, closed by a stroke at each end that is not open. */
function whisker(_: unknown, api: Drawing): Options {
  const [low, high, row, open] = [api.value(0), api.value(1), api.value(2), api.value(3)];
  const [left, y] = api.coord([low, row]);
  const [right] = api.coord([high, row]);
  const ends = open === 1 ? [left] : [left, right];
  return outlined([[left, y, right, y], ...ends.map((x): Line => [x, y - 5, x, y + 5])]);
}

/** Width of the name of a level: the column of names and the plot leave as much room at its left, however narrow the page is. */
const NAME = 160;

/** A line across all rows at a value, with its name at its upper end: rows run downwards, so that is where it starts. */
function levelLine({ value, name }: Level): Options {
  return {
    silent: true,
    symbol: "none",
    animation: false,
    label: { show: true, position: "start", align: "right", formatter: () => name, color: "var(--muted)", fontSize: 11, width: NAME, overflow: "truncate" },
    lineStyle: { color: "var(--muted)", width: 1, type: [4, 4] },
    data: [{ xAxis: value }],
  };
}

/** The chart; with a level, a line at that value. */
export function barChart(label: string, axis: string, unit: Unit, bars: Bar[], level?: Level): HTMLElement {
  const scaled = (value: number): number => value / unit.worth;
  const rows = bars.map((bar, row) => ({ bar, row }));
  const intervals = rows.filter(({ bar }) => typeof bar.low === "number" && typeof bar.high === "number");
  const marks = rows.flatMap(({ bar, row }) => (bar.marks ?? []).map((mark) => ({ mark, row, colour: bar.colour })));
  const height = Math.min(bars.length, ROWS) * ROW + (level === undefined ? 72 : 88);
  return chart(label, height, {
    grid: { left: 168, right: 28, top: level === undefined ? 8 : 24, bottom: 56 },
    tooltip: tooltip(({ dataIndex, seriesType }: { dataIndex: number; seriesType: string }) => {
      const bar = bars[seriesType === "scatter" ? (marks[dataIndex]?.row ?? 0) : dataIndex];
      return bar === undefined ? "" : tip(bar.name, bar.tip);
    }),
    xAxis: numbers(unit.name === "" ? axis : `${axis} (${unit.name})`, { min: 0 }),
    yAxis: names(bars.map((bar) => bar.name)),
    series: [
      {
        type: "bar",
        barMaxWidth: 20,
        data: bars.map((bar) => ({ value: scaled(bar.value), itemStyle: { color: bar.colour } })),
        emphasis: { disabled: true },
        ...(level === undefined ? {} : { markLine: levelLine(level) }),
      },
      {
        type: "custom",
        renderItem: whisker,
        silent: true,
        z: 3,
        encode: { x: [0, 1], y: 2 },
        data: intervals.map(({ bar, row }) => [scaled(bar.low ?? 0), scaled(bar.high ?? 0), row, 0]),
      },
      {
        type: "scatter",
        symbolSize: 11,
        z: 4,
        emphasis: { disabled: true },
        data: marks.map(({ mark, row, colour }) => ({
          value: [scaled(mark.value), row],
          symbol: mark.symbol,
          itemStyle: { color: "var(--surface)", borderColor: colour, borderWidth: 2 },
        })),
      },
    ],
  });
}
