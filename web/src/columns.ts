// Stacked columns, one beside the other.

import { styleOf } from "./areas.ts";
import type { Area } from "./areas.ts";
import { chart, numbers, tip, tooltip } from "./chart.ts";
import type { Unit } from "./units.ts";

/** A column. */
export interface Column {
  name: string;
  /** The parts, in the order of their areas, from the bottom. */
  parts: number[];
  /** Lines of the tooltip. */
  tip: string[];
}

const HEIGHT = 250;

/** The chart; its vertical axis ends at `most`, so that charts beside each other have the same scale. */
export function columnsChart(
  label: string,
  across: string,
  axis: string,
  unit: Unit,
  most: number,
  areas: Area[],
  columns: Column[],
): HTMLElement {
  return chart(label, HEIGHT, {
    grid: { left: 64, right: 28, top: 28, bottom: 48 },
    tooltip: tooltip(({ dataIndex }: { dataIndex: number }) => {
      const column = columns[dataIndex];
      return column === undefined ? "" : tip(`${across} ${column.name}`, column.tip);
    }),
    xAxis: {
      type: "category",
      name: across,
      nameLocation: "middle",
      nameGap: 28,
      nameTextStyle: { color: "var(--ink)" },
      data: columns.map(({ name }) => name),
      axisLine: { lineStyle: { color: "var(--muted)" } },
      axisTick: { show: false },
      axisLabel: { color: "var(--ink)" },
    },
    yAxis: numbers(`${axis} (${unit.name})`, { min: 0, max: most / unit.worth, axisLabel: { color: "var(--muted)", showMaxLabel: false } }),
    series: areas.map((area, part) => ({
      type: "bar",
      stack: "parts",
      barCategoryGap: "12%",
      data: columns.map(({ parts }) => (parts[part] ?? 0) / unit.worth),
      itemStyle: styleOf(area),
      emphasis: { disabled: true },
    })),
  });
}
