// Steps of jobs as bars over simulated time.

import { chart, names, numbers, tip, tooltip } from "../chart.ts";
import type { Options } from "../chart.ts";
import type { Mark } from "../events.ts";
import { happened } from "../lines.ts";
import { runColour } from "../palette.ts";
import { span, spanUnit } from "../units.ts";

/** A job. */
export interface CourseRow {
  name: string;
  run: number;
  /** Starts and times of steps, in seconds. */
  starts: number[];
  times: number[];
}

const ROW = 30;

interface Drawing {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
  size: (of: [number, number]) => [number, number];
}

/** The chart. */
export function courseChart(label: string, rows: CourseRow[], events: Mark[]): HTMLElement {
  const last = rows.reduce((most, { starts, times }) => Math.max(most, (starts.at(-1) ?? 0) + (times.at(-1) ?? 0)), 0);
  const unit = spanUnit(last);
  const seen = events.filter(({ time }) => time <= last);
  const bars = rows.flatMap(({ starts, times }, row) => starts.map((start, nth) => ({ row, nth, start, time: times[nth] ?? 0 })));
  const bar = ({ dataIndex }: { dataIndex: number }, api: Drawing): Options => {
    const [left, middle] = api.coord([api.value(0), api.value(2)]);
    const [right] = api.coord([api.value(1), api.value(2)]);
    const height = api.size([0, 1])[1] * 0.6;
    const { row, nth } = bars[dataIndex] ?? { row: 0, nth: 0 };
    const fill = runColour(rows[row]?.run ?? 0);
    const shape = { x: left, y: middle - height / 2, width: Math.max(1, right - left), height };
    return { type: "rect", shape, style: { fill, opacity: nth % 2 === 0 ? 1 : 0.55 } };
  };
  return chart(label, rows.length * ROW + (seen.length > 0 ? 88 : 72), {
    grid: { left: 168, right: 24, top: seen.length > 0 ? 26 : 8, bottom: 56 },
    tooltip: tooltip(({ dataIndex }: { dataIndex: number }) => {
      const one = bars[dataIndex];
      return one === undefined
        ? ""
        : tip(rows[one.row]?.name ?? "", [`start ${span(one.start)}`, `step time ${span(one.time)}`]);
    }),
    xAxis: numbers(`time (${unit.name})`, { min: 0, max: last / unit.worth, axisLabel: { color: "var(--muted)", showMaxLabel: false } }),
    yAxis: names(rows.map(({ name }) => name)),
    series: [
      {
        type: "custom",
        renderItem: bar,
        encode: { x: [0, 1], y: 2 },
        data: bars.map(({ row, start, time }) => [start / unit.worth, (start + time) / unit.worth, row]),
        clip: true,
      },
      ...(seen.length > 0 ? [{ type: "line", name: "", data: [], markLine: happened(seen, unit, "start") }] : []),
    ],
  });
}
