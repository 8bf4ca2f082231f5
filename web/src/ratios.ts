// Heat maps of ratios: numbers in cells, a scale from harm to none beside them.

import { chart, names, tip, tooltip } from "./chart.ts";
import { SCALE, onScale } from "./palette.ts";

/** A cell: its place, its ratio, and what is told beside the pointer. */
export interface RatioCell {
  across: number;
  down: number;
  ratio: number;
  tip: string[];
}

/** An axis of the map. */
export interface Side {
  name: string;
  labels: string[];
}

const CELL = 34;
/** Room for what stands beside the map, however few its rows are. */
const LEAST = 112;
const AROUND = 84;
const HIGHEST = 640;

interface Square {
  value: [number, number, number];
  cell: RatioCell;
  label: Record<string, unknown>;
}

/** Two digits behind the point, as the paper writes them. */
export const ratioText = (ratio: number): string => ratio.toFixed(2);

/** The map; colours end at 1, where there is no harm. */
export function ratioMap(label: string, across: Side, down: Side, cells: RatioCell[]): HTMLElement {
  const data: Square[] = cells.map((cell) => ({
    value: [cell.across, cell.down, Math.min(cell.ratio, 1)],
    cell,
    label: { color: onScale(Math.min(cell.ratio, 1)) },
  }));
  const axis = { axisLabel: { color: "var(--ink)", fontSize: 11, hideOverlap: true } };
  const title = (name: string, nameGap: number): Record<string, unknown> => ({
    name,
    nameLocation: "middle",
    nameGap,
    nameTextStyle: { color: "var(--ink)", fontSize: 12 },
    ...axis,
  });
  const high = Math.max(LEAST, down.labels.length * CELL);
  return chart(label, Math.min(HIGHEST, high + AROUND), {
    grid: { left: 84, right: 74, top: 8, bottom: 50 },
    tooltip: tooltip(({ data: { cell } }: { data: Square }) => tip(`ratio ${ratioText(cell.ratio)}`, cell.tip)),
    xAxis: names(across.labels, { inverse: false, ...title(across.name, 30) }),
    yAxis: names(down.labels, title(down.name, 62)),
    visualMap: {
      type: "continuous",
      min: 0,
      max: 1,
      dimension: 2,
      right: 0,
      top: 8,
      itemWidth: 12,
      itemHeight: Math.min(HIGHEST, high) - 40,
      calculable: false,
      text: ["1 no harm", "0"],
      textStyle: { color: "var(--ink)", fontSize: 11 },
      inRange: { color: SCALE },
    },
    series: [
      {
        type: "heatmap",
        data,
        emphasis: { disabled: true },
        itemStyle: { borderColor: "var(--surface)", borderWidth: 2 },
        label: {
          show: true,
          fontSize: 12,
          formatter: ({ data: { cell } }: { data: Square }) => ratioText(cell.ratio),
        },
      },
    ],
  });
}
