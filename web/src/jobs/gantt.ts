// Ranks of a step as rows: phases in the upper part of a row, their collectives in the lower part.

import { areaName } from "../areas.ts";
import type { Area } from "../areas.ts";
import { chart, names, numbers, tip, tooltip } from "../chart.ts";
import type { Options } from "../chart.ts";
import { span, spanUnit } from "../units.ts";
import type { Activity, Span } from "./spans.ts";

const ROW = 20;
const PS = 1e12;

const area = (colour: string, top: number, bottom: number): Area => ({ colour, texture: "plain", edges: [top, bottom] });

/** How activities are drawn: they differ in colour, and in height within a row. */
const AREAS: Record<Activity, Area> = {
  step: area("var(--grid)", 0.08, 0.92),
  compute: area("var(--run-7)", 0.08, 0.5),
  communicate: area("var(--run-0)", 0.2, 0.5),
  stages: area("var(--run-5)", 0.08, 0.92),
  barrier: area("var(--run-4)", 0.36, 0.5),
  collective: area("var(--run-2)", 0.56, 0.92),
};
/** Every other bucket is drawn differently, so that neighbours can be distinguished. */
const IN_TURN = area("var(--run-3)", 0.56, 0.76);

const WORDS: Record<Activity, string> = {
  step: "the step",
  compute: "computation",
  communicate: "communication",
  stages: "messages of pipeline stages",
  barrier: "waiting at a barrier",
  collective: "collective of a bucket",
};

/** The legend of those activities that occur. */
export function legendFor(spans: Span[]): HTMLElement[] {
  const there = new Set(spans.map(({ activity }) => activity));
  const all: Activity[] = ["compute", "communicate", "stages", "barrier"];
  const phases = all.filter((activity) => there.has(activity)).map((activity) => areaName(WORDS[activity], AREAS[activity]));
  const buckets = [
    areaName(WORDS.collective, AREAS.collective),
    areaName("collective of every other bucket", IN_TURN),
  ];
  return there.has("collective") ? [...phases, ...buckets] : phases;
}

/** The description of a span. */
export function told({ activity, phase, bucket }: Span): string {
  const at = phase === null ? "" : `, phase ${phase}`;
  return `${WORDS[activity]}${at}${bucket === null ? "" : `, bucket ${bucket}`}`;
}

interface Drawing {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
  size: (of: [number, number]) => [number, number];
}

const areaOf = ({ activity, bucket }: Span): Area =>
  activity === "collective" && (bucket ?? 0) % 2 === 1 ? IN_TURN : AREAS[activity];

/** The chart of some ranks; spans that are not completed reach the end of the chart. */
export function gantt(label: string, ranks: number[], spans: Span[], end: number): HTMLElement {
  const unit = spanUnit(end / PS);
  const scaled = (time: number): number => time / PS / unit.worth;
  const row = new Map(ranks.map((rank, nth) => [rank, nth]));
  const shown = spans.filter(({ rank }) => row.has(rank));
  const rectangle = ({ dataIndex }: { dataIndex: number }, api: Drawing): Options => {
    const one = shown[dataIndex];
    const { colour, edges: [top, bottom] } = one === undefined ? AREAS.step : areaOf(one);
    const [left, middle] = api.coord([api.value(0), api.value(2)]);
    const [right] = api.coord([api.value(1), api.value(2)]);
    const height = api.size([0, 1])[1];
    const y = middle - height / 2 + top * height;
    // Spans shorter than a pixel stay visible.
    const shape = { x: left, y, width: Math.max(1, right - left), height: (bottom - top) * height };
    const open = one?.length === null;
    const style = open ? { fill: "none", stroke: colour, lineWidth: 1.5, lineDash: [4, 3] } : { fill: colour };
    return { type: "rect", shape, style };
  };
  const data = shown.map((one) => [scaled(one.start), scaled(one.start + (one.length ?? end - one.start)), row.get(one.rank) ?? 0]);
  return chart(label, ranks.length * ROW + 76, {
    grid: { left: 84, right: 24, top: 8, bottom: 56 },
    tooltip: tooltip(({ dataIndex }: { dataIndex: number }) => {
      const one = shown[dataIndex];
      if (one === undefined) {
        return "";
      }
      const lasts = one.length === null ? "not completed when the run ended" : `duration ${span(one.length / PS)}`;
      return tip(`rank ${one.rank}`, [told(one), `starts ${span(one.start / PS)} after the step`, lasts]);
    }),
    xAxis: numbers(`time since the start of the step (${unit.name})`, {
      min: 0,
      max: scaled(end),
      axisLabel: { color: "var(--muted)", fontSize: 12, showMaxLabel: false },
    }),
    yAxis: names(ranks.map((rank) => `rank ${rank}`), { axisLabel: { color: "var(--ink)", fontSize: 11, interval: 0 } }),
    series: [{ type: "custom", renderItem: rectangle, encode: { x: [0, 1], y: 2 }, data, clip: true }],
  });
}
