// What a panel is: a section with a heading, or nothing where a run has nothing to show.

import type { Report, Run } from "../data.ts";
import { element } from "../dom.ts";

/** A panel of the report; its file stands beside this one. */
export interface Panel {
  /** Its place in the page's address. */
  id: string;
  title: string;
  /** What runs must have recorded: their ports, which imported measurements lack, or messages, which simulations alone have. */
  needs?: "ports" | "messages";
  /** What it shows; nothing where it does not concern these runs. */
  content: (report: Report) => HTMLElement[];
}

/** Whether something is known of a run's network: its ports were simulated, or counted. */
export const hasNetwork = (run: Run): boolean => run.hops !== null && run.simulated > 0;

/** Whether messages of a run are known: it was simulated packet by packet. */
export const hasMessages = (run: Run): boolean => run.measured === null && hasNetwork(run);

/** The panel as a section; none where these runs have nothing for it. */
export function section(panel: Panel, report: Report): HTMLElement[] {
  const concerned = panel.needs === undefined || report.runs.some(panel.needs === "ports" ? hasNetwork : hasMessages);
  const content = concerned ? panel.content(report) : [];
  const heading = element("h2", {}, panel.title);
  return content.length === 0 ? [] : [element("section", { id: panel.id }, heading, ...content)];
}

/** A chart with what it is called. */
export function figure(title: string, drawing: HTMLElement, ...more: HTMLElement[]): HTMLElement {
  return element("figure", {}, element("figcaption", {}, title), drawing, ...more);
}

/** Figures side by side where there is room. */
export function pair(...figures: HTMLElement[]): HTMLElement {
  return element("div", { class: figures.length > 1 ? "pair" : "single" }, ...figures);
}
