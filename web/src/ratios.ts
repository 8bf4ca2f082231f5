// Heat maps of ratios: numbers in cells, a scale from harm to none beside them or apart.

import { chart, names, tip, tooltip } from "./chart.ts";
import { element } from "./dom.ts";
import { SCALE, legendOf, onScale } from "./palette.ts";

/** A cell: its place, its ratio if there is one, and what is told beside the pointer. */
export interface RatioCell {
  across: number;
  down: number;
  ratio: number | null;
  tip: string[];
  /** What stands below the number. */
  below?: string;
  /** Whether it is marked: in brackets, with a dashed edge. */
  marked?: boolean;
  /** Whether there is none of which anything could be known: blank. */
  absent?: boolean;
}

/** An axis of the map. */
export interface Side {
  name: string;
  labels: string[];
}

const CELL = 34;
/** The same with room for a second line. */
const TALL = 40;
/** Room for what stands beside the map, however few its rows are. */
const LEAST = 112;
const AROUND = 84;
const HIGHEST = 640;

interface Square {
  value: [number, number, number];
  cell: RatioCell;
  label: Record<string, unknown>;
  /** A cell without a ratio has no colour of the scale. */
  visualMap?: false;
  itemStyle?: Record<string, unknown>;
}

/** Two digits behind the point, as the paper writes them. */
export const ratioText = (ratio: number): string => ratio.toFixed(2);

/** What is written into cells of which nothing is known. */
const UNKNOWN = "–";

const DASHED = { borderColor: "var(--ink)", borderType: [4, 3], borderWidth: 1.5 };

function square(cell: RatioCell): Square {
  const place: [number, number] = [cell.across, cell.down];
  const edge = cell.marked === true ? DASHED : {};
  if (cell.absent === true) {
    const itemStyle = { color: "transparent", borderColor: "var(--grid)", borderWidth: 1 };
    return { value: [...place, 0], cell, label: { show: false }, visualMap: false, itemStyle };
  }
  if (cell.ratio === null) {
    const itemStyle = { color: "var(--page)", borderColor: "var(--line)", borderWidth: 1, ...edge };
    return { value: [...place, 0], cell, label: { color: "var(--muted)" }, visualMap: false, itemStyle };
  }
  const shown = Math.min(cell.ratio, 1);
  return { value: [...place, shown], cell, label: { color: onScale(shown) }, itemStyle: edge };
}

function written({ data: { cell } }: { data: Square }): string {
  const number = cell.ratio === null ? UNKNOWN : ratioText(cell.ratio);
  const first = cell.marked === true ? `(${number})` : number;
  return cell.below === undefined ? first : `${first}\n{below|${cell.below}}`;
}

/** Which colour is which ratio, for maps without a scale beside each. */
export function ratioScale(): HTMLElement {
  const bar = element("span", { class: "scale", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${SCALE.join(", ")})`;
  return legendOf([element("span", {}, "0"), bar, element("span", {}, "1 no harm")]);
}

/** The map; colours end at 1, where there is no harm. One of two that have a scale in common has none of its own, and is as
 * high as the other one whatever stands in its cells. */
export function ratioMap(label: string, across: Side, down: Side, cells: RatioCell[], twofold = false): HTMLElement {
  const scaled = !twofold;
  const data = cells.map(square);
  const axis = { axisLabel: { color: "var(--ink)", fontSize: 11, hideOverlap: true } };
  const title = (name: string, nameGap: number): Record<string, unknown> => ({
    name,
    nameLocation: "middle",
    nameGap,
    nameTextStyle: { color: "var(--ink)", fontSize: 12 },
    ...axis,
  });
  const high = Math.max(LEAST, down.labels.length * (twofold ? TALL : CELL));
  return chart(label, Math.min(HIGHEST, high + AROUND), {
    grid: { left: 84, right: scaled ? 74 : 8, top: 8, bottom: 50 },
    tooltip: tooltip(({ data: { cell } }: { data: Square }) =>
      tip(cell.ratio === null ? "no ratio" : `ratio ${ratioText(cell.ratio)}`, cell.tip),
    ),
    xAxis: names(across.labels, { inverse: false, ...title(across.name, 30) }),
    yAxis: names(down.labels, title(down.name, 62)),
    visualMap: {
      type: "continuous",
      show: scaled,
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
          lineHeight: 15,
          formatter: written,
          rich: { below: { fontSize: 10, lineHeight: 14 } },
        },
      },
    ],
  });
}
