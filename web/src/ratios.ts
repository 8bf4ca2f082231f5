// Heat maps of ratios: numbers in cells, and a colour scale that ends at 1, with each map or shared.

import { chart, names, tip, tooltip } from "./chart.ts";
import { element } from "./dom.ts";
import { SCALE, legendOf, onScale } from "./palette.ts";

/** A cell: its position, its ratio if there is one, and the lines of its tooltip. */
export interface RatioCell {
  across: number;
  down: number;
  ratio: number | null;
  tip: string[];
  /** Text below the number. */
  below?: string;
  /** Whether it is marked: in brackets, with a dashed edge. */
  marked?: boolean;
  /** Whether the figure has no such cell: blank. */
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
/** Smallest height, for the scale of the map. */
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

/** A ratio with two decimals, as in the paper. */
export const ratioText = (ratio: number): string => ratio.toFixed(2);

/** The text of cells without a ratio. */
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

/** The colour scale, for maps without a scale of their own. */
export function ratioScale(): HTMLElement {
  const bar = element("span", { class: "scale", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${SCALE.join(", ")})`;
  return legendOf([element("span", {}, "0"), bar, element("span", {}, "1 (no slowdown)")]);
}

/** The map; colours end at 1, which is no slowdown. A map of a pair (`twofold`) has no scale of its own, and both maps have the
 * same height. */
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
      text: ["1 (equal)", "0"],
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
