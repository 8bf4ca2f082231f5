// Values by sizes, or by buckets of sizes, a line for each run, with intervals if known. Sizes are at equal distances on
// the axis.

import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import type { Stroke } from "./palette.ts";
import { significant, size } from "./units.ts";

/** A line. */
export interface BucketLine extends Stroke {
  name: string;
  /** Sizes with their values, and half the width of their intervals if known. */
  points: { size: number; value: number; half?: number | null }[];
}

/** The axis is logarithmic if values differ by more than this factor. */
const WIDE = 20;
/** Largest number of sizes with horizontal labels. */
const STRAIGHT = 10;

/** What the chart shows. */
interface Reading {
  /** Title of the axis of sizes. */
  sizes: string;
  /** Heading of the tooltip for a size. */
  heading: (size: string) => string;
  /** Lower end of the axis of values. */
  least: number;
  log: boolean;
  /** A value drawn as a horizontal line, with its name. */
  level?: { value: number; name: string };
}

/** The chart of slowdowns, which are never below one. */
export function slowdownChart(label: string, what: string, lines: BucketLine[]): HTMLElement {
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const log = values.reduce((left, right) => Math.max(left, right), 1) > WIDE;
  const reading = { sizes: "message size, largest of its bucket", heading: (at: string): string => `up to ${at}`, least: 1, log };
  return bySize(label, what, lines, reading);
}

/** The chart of bandwidths by the size of a collective. */
export const bandwidthChart = (label: string, what: string, lines: BucketLine[]): HTMLElement =>
  bySize(label, what, lines, { sizes: "size of the vector", heading: (at) => at, least: 0, log: false });

/** The chart of ratios by the size of a collective: 1 is no slowdown, and the axis begins at 0. */
export const ratioChart = (label: string, what: string, sizes: string, lines: BucketLine[]): HTMLElement =>
  bySize(label, what, lines, {
    sizes,
    heading: (at) => at,
    least: 0,
    log: false,
    level: { value: 1, name: "no slowdown" },
  });

/** What ECharts passes to a function that draws an interval. */
interface Drawing {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
}

/** Intervals as vertical lines with two ends; those of different lines at the same size are side by side. */
const whisker =
  (colour: string, aside: number) =>
  (_: unknown, api: Drawing): Options => {
    const [x, low] = api.coord([api.value(0), api.value(1)]);
    const [, high] = api.coord([api.value(0), api.value(2)]);
    const line = (x1: number, y1: number, x2: number, y2: number): Options => ({
      type: "line",
      shape: { x1: x1 + aside, y1, x2: x2 + aside, y2 },
      style: { stroke: colour, lineWidth: 1.25, fill: "none" },
      silent: true,
    });
    return { type: "group", children: [line(x, low, x, high), ...[low, high].map((y) => line(x - 4, y, x + 4, y))] };
  };

/** Vertical intervals beside their points: each a position, a lower and an upper end. */
export function whiskers(colour: string, aside: number, data: number[][]): Options {
  return {
    type: "custom",
    renderItem: whisker(colour, aside),
    silent: true,
    clip: true,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    data,
  };
}

/** The intervals of a line, cut at the lower end of the axis. */
function intervals({ colour, points }: BucketLine, sizes: number[], least: number, aside: number): Options {
  const data = points.flatMap(({ size: at, value, half }) =>
    typeof half === "number" && half > 0 ? [[sizes.indexOf(at), Math.max(least, value - half), value + half]] : [],
  );
  return whiskers(colour, aside, data);
}

/** A horizontal line, with its name above its end. */
const across = ({ value, name }: { value: number; name: string }): Options => ({
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: true, position: "insideEndTop", formatter: () => name, color: "var(--muted)", fontSize: 11 },
  lineStyle: { color: "var(--muted)", width: 1, type: [4, 4] },
  data: [{ yAxis: value }],
});

function bySize(label: string, what: string, lines: BucketLine[], reading: Reading): HTMLElement {
  const { sizes: sized, heading: head, least, log, level } = reading;
  // Runs with different traffic have different sizes; all of them are ticks.
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.size)))].sort((a, b) => a - b);
  const aslant = sizes.length > STRAIGHT;
  return chart(label, aslant ? 320 : 300, {
    grid: { left: 64, right: 24, top: 16, bottom: aslant ? 76 : 50 },
    tooltip: tooltip((hovered: { seriesName: string; seriesType: string; value: [number, number] }[]) => {
      const shown = hovered.filter(({ seriesType }) => seriesType === "line");
      const at = shown[0]?.value[0];
      const heading = at === undefined ? "" : head(size(sizes[at] ?? 0));
      const half = (line: string): string => {
        const points = lines.find(({ name }) => name === line)?.points;
        const found = points?.find((point) => point.size === sizes[at ?? 0])?.half;
        return typeof found === "number" ? ` ± ${significant(found)}` : "";
      };
      return tip(
        heading,
        shown.map(({ seriesName, value }) => `${seriesName}: ${significant(value[1])}${half(seriesName)}`),
      );
    }, "axis"),
    xAxis: numbers(sized, {
      type: "category",
      data: sizes.map(size),
      // Intervals at the first and last size need room.
      boundaryGap: level !== undefined,
      axisTick: { show: true, alignWithLabel: true, lineStyle: { color: "var(--line)" } },
      nameGap: aslant ? 56 : 30,
      axisLabel: { color: "var(--muted)", fontSize: 12, rotate: aslant ? 45 : 0, hideOverlap: true },
    }),
    yAxis: numbers(log ? `${what} (logarithmic)` : what, {
      type: log ? "log" : "value",
      min: least,
      nameGap: 44,
    }),
    series: [
      ...lines.map(({ name, colour, dash, points }, nth) => ({
        type: "line",
        name,
        symbol: "circle",
        symbolSize: 6,
        data: points.map(({ size: largest, value }) => [sizes.indexOf(largest), value]),
        lineStyle: { color: colour, width: 2, type: dash },
        itemStyle: { color: colour },
        emphasis: { disabled: true },
        ...(nth === 0 && level !== undefined ? { markLine: across(level) } : {}),
      })),
      ...lines.map((line, nth) => intervals(line, sizes, least, (nth - (lines.length - 1) / 2) * 3)),
    ],
  });
}
