// Heat maps of leaves and spines.

import { chart, names, tip, tooltip } from "./chart.ts";
import type { Tiers, Usage } from "./data.ts";
import { SCALE, onScale } from "./palette.ts";
import { percent, some } from "./units.ts";

/** The direction of packets. */
export type Direction = "up" | "down";

/** Largest number of cells along each side with numbers in them. */
const WRITTEN = 12;
const CELL = 26;
/** Height of a line of text, and of what lies above and below the cells, in pixels. */
const [LINE, AROUND] = [14, 54];
const LOWEST = 180;
const HIGHEST = 620;

/** Approximate width of a letter of a label, and largest width of a label, in pixels. */
const LETTER = 6.5;
const WIDEST = 110;

/** The name of a block of nodes: `leaf0 – 15`, or both names if they differ in more than their last number. */
export function between([first, last]: [string, string]): string {
  const [stem, number] = [last.replace(/\d+$/, ""), /\d+$/.exec(last)?.[0]];
  if (first === last) {
    return first;
  }
  return number !== undefined && first.replace(/\d+$/, "") === stem ? `${first} – ${number}` : `${first} – ${last}`;
}

interface Square {
  value: [number, number, number];
  usage: Usage;
  label: Record<string, unknown>;
}

function squares(cells: (Usage | null)[][], most: number): Square[] {
  return cells.flatMap((row, leaf) =>
    row.flatMap((usage, spine): Square[] =>
      usage === null
        ? []
        : [{ value: [spine, leaf, usage.busiest], usage, label: { color: onScale(usage.busiest / most) } }],
    ),
  );
}

/** The map: leaves down, spines across. */
export function heatMap(label: string, tiers: Tiers, direction: Direction, most: number): HTMLElement {
  const [leaves, spines] = [tiers.leaves.map(between), tiers.spines.map(between)];
  const data = squares(tiers[direction], most);
  const written = leaves.length <= WRITTEN && spines.length <= WRITTEN;
  const widest = Math.min(WIDEST, LETTER * leaves.reduce((most, name) => Math.max(most, name.length), 8));
  const height = Math.min(HIGHEST, Math.max(LOWEST, leaves.length * CELL + AROUND + 16));
  // With more leaves than lines of text, only some are named.
  const interval = Math.ceil((leaves.length * LINE) / (height - AROUND)) - 1;
  return chart(`Link utilization, ${label}`, height, {
    grid: { left: widest + 12, right: 8, top: 8, bottom: 46 },
    tooltip: tooltip(({ data: { value, usage } }: { data: Square }) => {
      const ends = [leaves[value[1]] ?? "", spines[value[0]] ?? ""];
      const heading = (direction === "up" ? ends : ends.reverse()).join(" → ");
      const means = usage.links === 1 ? [] : [`mean of ${some(usage.links, "link")}: transmitting ${percent(usage.mean)} of the time`];
      return tip(heading, [...means, `busiest link: transmitting ${percent(usage.busiest)} of the time`]);
    }),
    xAxis: {
      ...names(spines, { inverse: false, name: "spine", nameLocation: "middle", nameGap: 28 }),
      axisLabel: { color: "var(--muted)", fontSize: 11, hideOverlap: true },
      nameTextStyle: { color: "var(--ink)", fontSize: 12 },
    },
    yAxis: {
      ...names(leaves),
      axisLabel: { color: "var(--muted)", fontSize: 11, width: widest, overflow: "truncate", interval },
    },
    visualMap: { show: false, min: 0, max: most, dimension: 2, inRange: { color: SCALE } },
    series: [
      {
        type: "heatmap",
        data,
        emphasis: { disabled: true },
        itemStyle: { borderColor: "var(--surface)", borderWidth: written ? 2 : 0 },
        label: {
          show: written,
          fontSize: 11,
          formatter: ({ data: { usage } }: { data: Square }) => String(Math.round(usage.busiest * 100)),
        },
      },
    ],
  });
}
