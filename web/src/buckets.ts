// Values by sizes, or by buckets of sizes, a line for each run. Sizes lie at equal distances, whatever they are.

import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Stroke } from "./palette.ts";
import { significant, size } from "./units.ts";

/** A line. */
export interface BucketLine extends Stroke {
  name: string;
  points: { size: number; value: number }[];
}

/** Values that differ more than by this factor are read better on a logarithmic axis. */
const WIDE = 20;

/** How the chart is read. */
interface Reading {
  /** What a size is. */
  sizes: string;
  /** What is said of a size beside the pointer. */
  heading: (size: string) => string;
  /** No value is below. */
  least: number;
  log: boolean;
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

function bySize(label: string, what: string, lines: BucketLine[], { sizes: sized, heading: head, least, log }: Reading): HTMLElement {
  // Runs of different traffic have different sizes; all of them are ticks.
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.size)))].sort((a, b) => a - b);
  return chart(label, 320, {
    grid: { left: 64, right: 24, top: 16, bottom: 76 },
    tooltip: tooltip((hovered: { seriesName: string; value: [number, number] }[]) => {
      const at = hovered[0]?.value[0];
      const heading = at === undefined ? "" : head(size(sizes[at] ?? 0));
      return tip(
        heading,
        hovered.map(({ seriesName, value }) => `${seriesName}: ${significant(value[1])}`),
      );
    }, "axis"),
    xAxis: numbers(sized, {
      type: "category",
      data: sizes.map(size),
      boundaryGap: false,
      nameGap: 56,
      axisLabel: { color: "var(--muted)", fontSize: 12, rotate: 45, hideOverlap: true },
    }),
    yAxis: numbers(log ? `${what} (logarithmic)` : what, {
      type: log ? "log" : "value",
      min: least,
      nameGap: 44,
    }),
    series: lines.map(({ name, colour, dash, points }) => ({
      type: "line",
      name,
      symbolSize: 6,
      data: points.map(({ size: largest, value }) => [sizes.indexOf(largest), value]),
      lineStyle: { color: colour, width: 2, type: dash },
      itemStyle: { color: colour },
      emphasis: { disabled: true },
    })),
  });
}
