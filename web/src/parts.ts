// Stacked horizontal bars.

import { styleOf } from "./areas.ts";
import type { Area } from "./areas.ts";
import { chart, inTwoLines, names, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import type { Unit } from "./units.ts";

/** A row. */
export interface PartsRow {
  name: string;
  /** The parts, in the order of their areas. */
  parts: number[];
  /** Lines of the tooltip. */
  tip: string[];
}

const ROW = 30;
/** With more rows, names would overlap; the chart keeps its height and bars get thinner. */
const ROWS = 40;

/** Width of the column of names, and of charts in which it is narrower. */
const [NAMES, NARROW_NAMES, NARROW] = [210, 114, 480];

/** The room for names. */
const roomFor = (width: number): Options => ({ grid: { left: width + 18 }, yAxis: { axisLabel: { width } } });

/** The chart. */
export function partsChart(label: string, axis: string, unit: Unit, areas: Area[], rows: PartsRow[]): HTMLElement {
  return chart(label, Math.min(rows.length, ROWS) * ROW + 72, {
    media: [{ query: { maxWidth: NARROW }, option: roomFor(NARROW_NAMES) }, { option: roomFor(NAMES) }],
    grid: { right: 28, top: 8, bottom: 56 },
    tooltip: tooltip(({ dataIndex }: { dataIndex: number }) => {
      const row = rows[dataIndex];
      return row === undefined ? "" : tip(row.name, row.tip);
    }),
    xAxis: numbers(`${axis} (${unit.name})`, { min: 0 }),
    yAxis: names(rows.map(({ name }) => name), { axisLabel: { color: "var(--ink)", fontSize: 12, lineHeight: 14, overflow: "truncate", formatter: rows.length > ROWS ? undefined : inTwoLines } }),
    series: areas.map((area, part) => ({
      type: "bar",
      stack: "parts",
      barMaxWidth: 18,
      data: rows.map(({ parts }) => (parts[part] ?? 0) / unit.worth),
      itemStyle: styleOf(area),
      emphasis: { disabled: true },
    })),
  });
}
