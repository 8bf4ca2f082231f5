// A panel: a section with a heading, or nothing if the runs have no data for it.

import type { Report, Run } from "../data.ts";
import { element } from "../dom.ts";

/** A panel of the report; each has a file in this folder. */
export interface Panel {
  /** Its place in the page's address. */
  id: string;
  title: string;
  /** Required records: ports, which imported measurements lack, or messages, which only simulations have. */
  needs?: "ports" | "messages";
  /** Its content; empty if it does not apply to these runs. */
  content: (report: Report) => HTMLElement[];
}

/** Whether the run has data of its network: ports were simulated, or read from counters. */
export const hasNetwork = (run: Run): boolean => run.hops !== null && run.simulated > 0;

/** Whether the run has data of messages: it was simulated packet by packet. */
export const hasMessages = (run: Run): boolean => run.measured === null && hasNetwork(run);

/** The panel as a section; none if these runs have no data for it. */
export function section(panel: Panel, report: Report): HTMLElement[] {
  const concerned = panel.needs === undefined || report.runs.some(panel.needs === "ports" ? hasNetwork : hasMessages);
  const content = concerned ? panel.content(report) : [];
  const heading = element("h2", {}, panel.title);
  return content.length === 0 ? [] : [element("section", { id: panel.id }, heading, ...content)];
}

/** A chart with its title. */
export function figure(title: string, drawing: HTMLElement, ...more: HTMLElement[]): HTMLElement {
  return element("figure", {}, element("figcaption", {}, title), drawing, ...more);
}

/** Figures side by side where there is room. */
export function pair(...figures: HTMLElement[]): HTMLElement {
  return element("div", { class: figures.length > 1 ? "pair" : "single" }, ...figures);
}
