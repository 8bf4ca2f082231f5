// Charts: what all of them have in common.
//
// They are drawn as SVG, so that colours follow the style sheet into dark mode and onto paper without being drawn again.
// Tooltips are elements, never HTML made of texts.

import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

import { element } from "./dom.ts";

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  ScatterChart,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  SVGRenderer,
]);

/** Anything that ECharts takes. */
export type Options = Record<string, unknown>;

const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif';

const waiting: (() => void)[] = [];

/** A place for a chart that is drawn once the page stands. */
export function chart(label: string, height: number, options: Options): HTMLElement {
  const box = element("div", { class: "chart", role: "img", "aria-label": label });
  box.style.height = `${height}px`;
  waiting.push(() => draw(box, options));
  return box;
}

function draw(box: HTMLElement, options: Options): void {
  const made = init(box, null, { renderer: "svg" });
  made.setOption({ animation: false, textStyle: { fontFamily: FONT, color: "var(--ink)" }, ...options });
  const fit = (): void => {
    made.resize();
    // With a view box the style sheet can scale the drawing to the width of the paper.
    box.querySelector("svg")?.setAttribute("viewBox", `0 0 ${made.getWidth()} ${made.getHeight()}`);
  };
  fit();
  new ResizeObserver(() => {
    if (!matchMedia("print").matches) {
      fit();
    }
  }).observe(box);
}

/** Draws all charts that wait. */
export function drawAll(): void {
  waiting.splice(0).forEach((start) => start());
}

/** What is shown beside the pointer: a heading and lines. */
export function tip(heading: string, lines: (string | HTMLElement)[]): HTMLElement {
  const shown = lines.map((line) => element("div", {}, line));
  return element("div", { class: "tip" }, element("strong", {}, heading), ...shown);
}

/** The tooltip of all charts. */
export function tooltip(formatter: unknown, trigger: "item" | "axis" = "item"): Options {
  return {
    trigger,
    formatter,
    confine: true,
    transitionDuration: 0,
    backgroundColor: "var(--surface)",
    borderColor: "var(--line)",
    textStyle: { color: "var(--ink)", fontFamily: FONT, fontSize: 12 },
    axisPointer: { type: "line", lineStyle: { color: "var(--muted)" }, label: { show: false }, animation: false },
  };
}

const LABELS = { color: "var(--muted)", fontSize: 12, hideOverlap: true };

/** An axis of numbers with what they are and their unit. */
export function numbers(name: string, more: Options = {}): Options {
  return {
    type: "value",
    name,
    nameLocation: "middle",
    nameGap: 30,
    nameTextStyle: { color: "var(--ink)", fontSize: 12 },
    axisLabel: LABELS,
    axisLine: { show: true, lineStyle: { color: "var(--line)" } },
    axisTick: { show: true, lineStyle: { color: "var(--line)" } },
    splitLine: { lineStyle: { color: "var(--grid)" } },
    minorSplitLine: { lineStyle: { color: "var(--grid)", opacity: 0.5 } },
    ...more,
  };
}

/** An axis of names, the first one at the top. */
export function names(list: string[], more: Options = {}): Options {
  return {
    type: "category",
    data: list,
    inverse: true,
    axisLabel: { ...LABELS, color: "var(--ink)", width: 150, overflow: "truncate" },
    axisLine: { lineStyle: { color: "var(--line)" } },
    axisTick: { show: false },
    ...more,
  };
}
