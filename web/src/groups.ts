// Groups of vertical bars: a group for each setting, a bar of the same colour for each policy.

import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import { outlined } from "./outlined.ts";
import type { Line } from "./outlined.ts";
import type { Unit } from "./units.ts";

/** A kind of bar: one in each group, or none. */
export interface Kind {
  name: string;
  colour: string;
  bars: (GroupBar | null)[];
}

/** A bar. */
export interface GroupBar {
  value: number;
  low: number;
  high: number;
  /** Lines of the tooltip. */
  tip: string[];
}

interface Drawing {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
  barLayout: (about: { count: number; barMaxWidth?: number }) => { offsetCenter: number }[];
}

const WIDEST = 36;
/** With more letters in a row, names are rotated. */
const STRAIGHT = 150;
/** Of rotated names: largest length in pixels, pixels per letter, and the share of the length that counts downwards. */
const ASLANT = { most: 160, letter: 6.8, down: 0.57 };

/** A whisker from the lowest to the highest value, in the middle of its bar. */
const whisker =
  (kind: number, count: number) =>
  (_: unknown, api: Drawing): Options => {
    const offset = api.barLayout({ count, barMaxWidth: WIDEST })[kind]?.offsetCenter ?? 0;
    const [x, low] = api.coord([api.value(0), api.value(1)]);
    const [, high] = api.coord([api.value(0), api.value(2)]);
    const middle = x + offset;
    return outlined([[middle, low, middle, high], ...[low, high].map((y): Line => [middle - 4, y, middle + 4, y])]);
  };

/** The chart; its axis ends at `most` if that is given. */
export function groupChart(
  label: string,
  axis: string,
  unit: Unit,
  { name, names }: { name: string; names: string[] },
  kinds: Kind[],
  most?: number,
): HTMLElement {
  const scaled = (value: number): number => value / unit.worth;
  const longest = names.reduce((most, text) => Math.max(most, text.length), 0);
  const aslant = names.length * longest > STRAIGHT;
  const gap = aslant ? 28 + Math.min(ASLANT.most, longest * ASLANT.letter) * ASLANT.down : 32;
  const bars = kinds.map(({ name: kind, colour, bars: found }) => ({
    type: "bar",
    name: kind,
    barMaxWidth: WIDEST,
    data: found.map((bar) => (bar === null ? null : scaled(bar.value))),
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  }));
  const whiskers = kinds.map(({ bars: found }, kind) => ({
    type: "custom",
    renderItem: whisker(kind, kinds.length),
    silent: true,
    z: 3,
    encode: { x: 0, y: [1, 2] },
    data: found.flatMap((bar, group) =>
      bar === null || bar.low === bar.high ? [] : [[group, scaled(bar.low), scaled(bar.high)]],
    ),
  }));
  return chart(label, 290 + gap, {
    grid: { left: aslant ? 96 : 64, right: 24, top: 16, bottom: gap + 28 },
    tooltip: tooltip(({ seriesIndex, dataIndex }: { seriesIndex: number; dataIndex: number }) => {
      const kind = kinds[seriesIndex];
      const bar = kind?.bars[dataIndex];
      return kind === undefined || !bar ? "" : tip(`${kind.name}, ${names[dataIndex] ?? ""}`, bar.tip);
    }),
    xAxis: {
      type: "category",
      data: names,
      name,
      nameLocation: "middle",
      nameGap: gap,
      nameTextStyle: { color: "var(--ink)", fontSize: 12 },
      axisLabel: {
        color: "var(--ink)",
        fontSize: 12,
        interval: 0,
        rotate: aslant ? 35 : 0,
        width: aslant ? ASLANT.most : undefined,
        overflow: "truncate",
      },
      axisLine: { lineStyle: { color: "var(--line)" } },
      axisTick: { show: false },
    },
    yAxis: numbers(`${axis} (${unit.name})`, { min: 0, max: most === undefined ? undefined : scaled(most), nameGap: aslant ? 52 : 44 }),
    series: [...bars, ...whiskers],
  });
}
