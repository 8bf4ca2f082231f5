// Scatter plot of two values, a mark for each cell that has both; on the diagonal both are equal.

import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import { element } from "./dom.ts";
import { legendOf, lineStroke } from "./palette.ts";
import { shape } from "./svg.ts";

/** A cell with both values. */
export interface Mark {
  across: number;
  up: number;
  /** Half the widths of the intervals of both, if known. */
  halves: [number | null, number | null];
  heading: string;
  tip: string[];
}

/** Marks of one kind. */
export interface Marks {
  name: string;
  marks: Mark[];
}

/** The axes are logarithmic if values differ by more than this factor. */
const WIDE = 30;
/** Distance of the dashed lines from the diagonal, as a share. */
const BAND = 0.1;
const SYMBOLS = ["circle", "rect", "triangle", "diamond"];
const SIZE = 9;

/** The outline of a symbol in a square of this length, as points. */
const OUTLINES: Record<string, string> = {
  rect: "1,1 9,1 9,9 1,9",
  triangle: "5,0 10,10 0,10",
  diamond: "5,0 10,5 5,10 0,5",
};

const symbolOf = (kind: number): string => SYMBOLS[kind % SYMBOLS.length] ?? "circle";

/** The name of a kind after its mark. */
function markName(name: string, kind: number): HTMLElement {
  const points = OUTLINES[symbolOf(kind)];
  const drawn = points === undefined ? shape("circle", { cx: 5, cy: 5, r: 4.5 }) : shape("polygon", { points });
  drawn.style.fill = lineStroke(kind).colour;
  const box = { class: "swatch", width: 10, height: 10, viewBox: "0 0 10 10", "aria-hidden": "true" };
  return element("span", { class: "run" }, shape("svg", box, drawn), name);
}

/** The legend of marks. */
export const marksLegend = (kinds: Marks[]): HTMLElement =>
  legendOf(kinds.map(({ name }, kind) => markName(name, kind)));

const line = (factor: number, [low, high]: [number, number], dash: string | number[]): Options => ({
  type: "line",
  silent: true,
  symbol: "none",
  tooltip: { show: false },
  lineStyle: { color: "var(--muted)", width: 1, type: dash },
  data: [
    [low, low * factor],
    [high, high * factor],
  ],
});

/** What ECharts passes to a function that draws the intervals of a mark. */
interface Drawing {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
}

/** Intervals as a cross through the mark. */
function crosses({ marks }: Marks, kind: number, least: number): Options {
  const from = (value: number, half: number | null): number => Math.max(least, value - (half ?? 0));
  return {
    type: "custom",
    silent: true,
    tooltip: { show: false },
    clip: true,
    encode: { x: [0, 1], y: [2, 3] },
    data: marks.map(({ across, up, halves: [wide, high] }) => [
      from(across, wide),
      across + (wide ?? 0),
      from(up, high),
      up + (high ?? 0),
      across,
      up,
    ]),
    renderItem: (_: unknown, api: Drawing): Options => {
      const [x, y] = api.coord([api.value(4), api.value(5)]);
      const [left, top] = api.coord([api.value(0), api.value(3)]);
      const [right, bottom] = api.coord([api.value(1), api.value(2)]);
      const stroke = { stroke: lineStroke(kind).colour, lineWidth: 1, opacity: 0.6, fill: "none" };
      const bar = (x1: number, y1: number, x2: number, y2: number): Options => ({
        type: "line",
        shape: { x1, y1, x2, y2 },
        style: stroke,
        silent: true,
      });
      return { type: "group", children: [bar(left, y, right, y), bar(x, top, x, bottom)] };
    },
  };
}

/** The chart; both axes have the same ends. Values are written by `written`. */
export function scatter(label: string, names: [string, string], kinds: Marks[], written: (value: number) => string): HTMLElement {
  const values = kinds.flatMap(({ marks }) => marks.flatMap(({ across, up }) => [across, up]));
  const low = values.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
  const high = values.reduce((left, right) => Math.max(left, right), 0);
  const log = low > 0 && high > low * WIDE;
  const ends: [number, number] = log ? [low / 1.15, high * 1.15] : [Math.max(0, low - 0.1 * high), high * 1.08];
  const axis = (name: string, nameGap: number): Options =>
    numbers(log ? `${name} (logarithmic)` : name, {
      type: log ? "log" : "value",
      min: ends[0],
      max: ends[1],
      nameGap,
      axisLabel: { color: "var(--muted)", fontSize: 12, hideOverlap: true, showMinLabel: false, showMaxLabel: false, formatter: written },
    });
  return chart(label, 420, {
    grid: { left: 76, right: 24, top: 16, bottom: 52 },
    tooltip: tooltip(({ data }: { data: { mark: Mark } }) => tip(data.mark.heading, data.mark.tip)),
    xAxis: axis(names[0], 32),
    yAxis: axis(names[1], 58),
    series: [
      line(1, ends, "solid"),
      line(1 + BAND, ends, [4, 4]),
      line(1 / (1 + BAND), ends, [4, 4]),
      ...kinds.map((kind, nth) => crosses(kind, nth, ends[0])),
      ...kinds.map(({ name, marks }, kind) => ({
        type: "scatter",
        name,
        symbol: symbolOf(kind),
        symbolSize: SIZE,
        itemStyle: { color: lineStroke(kind).colour, opacity: 0.8 },
        emphasis: { disabled: true },
        data: marks.map((mark) => ({ value: [mark.across, mark.up], mark })),
      })),
    ],
  });
}
