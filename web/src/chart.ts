// Parts that all charts have in common.
//
// They are drawn as SVG, so that colours follow the style sheet in dark mode and on paper without a redraw.
// Tooltips are elements, never HTML made of texts.

import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import type { ECharts } from "echarts/core";
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

/** Options of ECharts. */
export type Options = Record<string, unknown>;

const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif';

/** A chart with its place on the page. */
class Chart {
  readonly box: HTMLElement;
  private readonly options: Options;
  /** Options that have been changed since. */
  private changes: Options = {};
  private made: ECharts | null = null;

  constructor(box: HTMLElement, options: Options) {
    this.box = box;
    this.options = options;
    // A box outside the page has no size; the observer reports it once it has one.
    new ResizeObserver(() => this.fit()).observe(box);
  }

  /** Draws the chart at the width of its box, unless that is hidden; disposes of it if its box has left the page. */
  fit(): void {
    const width = this.box.clientWidth;
    if (!this.box.isConnected) {
      this.dispose();
    } else if (width > 0 && this.made === null) {
      this.draw();
    } else if (width > 0 && width !== this.made?.getWidth() && !matchMedia("print").matches) {
      this.made?.resize();
      this.frame();
    }
  }

  /** Changes options, now or once the chart is drawn. */
  change(options: Options): void {
    this.changes = options;
    this.made?.setOption(options);
    this.frame();
  }

  private draw(): void {
    this.made = init(this.box, null, { renderer: "svg" });
    this.made.setOption({ animation: false, textStyle: { fontFamily: FONT, color: "var(--ink)" }, ...this.options });
    this.made.setOption(this.changes);
    this.frame();
    drawn.add(this);
  }

  /** Sets a view box, so that the style sheet can scale the drawing to the width of the paper. */
  private frame(): void {
    const { made } = this;
    this.box.querySelector("svg")?.setAttribute("viewBox", `0 0 ${made?.getWidth() ?? 0} ${made?.getHeight() ?? 0}`);
  }

  /** ECharts keeps a chart until it is disposed of. */
  private dispose(): void {
    this.made?.dispose();
    this.made = null;
    drawn.delete(this);
  }
}

/** By their boxes, so that a chart lives no longer than its box. */
const charts = new WeakMap<Element, Chart>();
const drawn = new Set<Chart>();

/** A box for a chart, which is drawn once the box is on the page and has a width. */
export function chart(label: string, height: number, options: Options): HTMLElement {
  const box = element("div", { class: "chart", role: "img", "aria-label": label });
  box.style.height = `${height}px`;
  charts.set(box, new Chart(box, options));
  return box;
}

/** Changes options of a chart; series that change have an `id`. Options of an earlier change must be given again. */
export function changeChart(box: HTMLElement, options: Options): void {
  charts.get(box)?.change(options);
}

/** Draws all visible charts that are missing or have the wrong width, at once and not at the next rendering of the page. */
export function drawAll(): void {
  drawn.forEach((one) => one.fit());
  document.querySelectorAll(".chart").forEach((box) => charts.get(box)?.fit());
}

/** The content of a tooltip: a heading and lines. */
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

/** An axis of numbers with its title and unit. */
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

/** Longest name, in characters, that is one line. */
const LINE = 22;

/** A name with a line break at the blank nearest to its middle, if it is long. */
export function inTwoLines(name: string): string {
  const blanks = [...name.matchAll(/ /g)].map(({ index }) => index);
  const middle = name.length / 2;
  const [nearest] = blanks.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
  return name.length <= LINE || nearest === undefined ? name : `${name.slice(0, nearest)}\n${name.slice(nearest + 1)}`;
}

/** An axis of names, the first one at the top. */
export function names(list: string[], more: Options = {}): Options {
  return {
    type: "category",
    data: list,
    inverse: true,
    axisLabel: { ...LABELS, color: "var(--ink)", width: 150, overflow: "truncate", lineHeight: 14, formatter: inTwoLines },
    axisLine: { lineStyle: { color: "var(--line)" } },
    axisTick: { show: false },
    ...more,
  };
}
