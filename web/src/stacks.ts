// Horizontal bars in two parts, a row for each run: the first part filled, the second one hollow.

import { chart, names, numbers, tip, tooltip } from "./chart.ts";
import type { Options } from "./chart.ts";
import type { Unit } from "./units.ts";

/** A row. */
export interface Stack {
  name: string;
  colour: string;
  full: number;
  hollow: number;
  /** A further value on the same axis. */
  mark?: number;
  /** Lines of the tooltip. */
  tip: string[];
}

const ROW = 34;
/** With more rows, names would overlap; the chart keeps its height and bars get thinner. */
const ROWS = 40;

/** The chart. */
export function stackChart(label: string, axis: string, unit: Unit, rows: Stack[]): HTMLElement {
  const part = (of: (row: Stack) => number, style: (row: Stack) => Options): Options => ({
    type: "bar",
    stack: "parts",
    barMaxWidth: 20,
    data: rows.map((row) => ({ value: of(row) / unit.worth, itemStyle: style(row) })),
    emphasis: { disabled: true },
  });
  const marked = rows.flatMap((row, place) => (row.mark === undefined ? [] : [{ row, place, mark: row.mark }]));
  return chart(label, Math.min(rows.length, ROWS) * ROW + 72, {
    grid: { left: 168, right: 28, top: 8, bottom: 56 },
    tooltip: tooltip(({ dataIndex, seriesType }: { dataIndex: number; seriesType: string }) => {
      const row = seriesType === "scatter" ? marked[dataIndex]?.row : rows[dataIndex];
      return row === undefined ? "" : tip(row.name, row.tip);
    }),
    xAxis: numbers(`${axis} (${unit.name})`, { min: 0 }),
    yAxis: names(rows.map((row) => row.name)),
    series: [
      part(
        (row) => row.full,
        (row) => ({ color: row.colour }),
      ),
      part(
        (row) => row.hollow,
        (row) => ({ color: "var(--surface)", borderColor: row.colour, borderWidth: row.hollow > 0 ? 2 : 0 }),
      ),
      {
        type: "scatter",
        symbol: "diamond",
        symbolSize: 11,
        z: 3,
        emphasis: { disabled: true },
        data: marked.map(({ row, place, mark }) => ({
          value: [mark / unit.worth, place],
          itemStyle: { color: "var(--surface)", borderColor: row.colour, borderWidth: 2 },
        })),
      },
    ],
  });
}
