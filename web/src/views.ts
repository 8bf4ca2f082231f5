// The views in their order, and the panels of each; a new panel is registered here.

import type { Report } from "./data.ts";
import { drawAll } from "./chart.ts";
import { element, note } from "./dom.ts";
import { ANSWER } from "./panels/answer.ts";
import { BANDWIDTH } from "./panels/bandwidth.ts";
import { BREAKDOWN } from "./panels/breakdown.ts";
import { BY_SETTING } from "./panels/by_setting.ts";
import { CONGESTION } from "./panels/congestion.ts";
import { CAUSES } from "./panels/causes.ts";
import { CHAIN } from "./panels/chain.ts";
import { COURSE } from "./panels/course.ts";
import { EXPOSURE } from "./panels/exposure.ts";
import { FABRIC } from "./panels/fabric.ts";
import { FAULTS } from "./panels/faults.ts";
import { FCT } from "./panels/fct.ts";
import { GOODPUT } from "./panels/goodput.ts";
import { INTERFERENCE } from "./panels/interference.ts";
import { LINKS } from "./panels/links.ts";
import { MEASURED } from "./panels/measured.ts";
import { OVER_TIME } from "./panels/over_time.ts";
import { section } from "./panels/panel.ts";
import type { Panel } from "./panels/panel.ts";
import { PROVENANCE } from "./panels/provenance.ts";
import { QUEUES } from "./panels/queues.ts";
import { RANKS } from "./panels/ranks.ts";
import { RATES } from "./panels/rates.ts";
import { REORDERING } from "./panels/reordering.ts";
import { REPAIRS } from "./panels/repairs.ts";
import { SETTINGS } from "./panels/settings.ts";
import { SIGNALS } from "./panels/signals.ts";
import { SLOWDOWN } from "./panels/slowdown.ts";
import { STAGES } from "./panels/stages.ts";
import { STEPS } from "./panels/steps.ts";
import { SUMMARY } from "./panels/summary.ts";
import { THRESHOLD } from "./panels/threshold.ts";
import { TIER_PORTS } from "./panels/tier_ports.ts";
import { TIER_TIMES } from "./panels/tier_times.ts";
import { TRAFFIC } from "./panels/traffic.ts";
import { WHY } from "./panels/why.ts";
import { WORST } from "./panels/worst.ts";

/** A view of the explorer. */
export interface View {
  /** Its fragment in the page's address. */
  id: string;
  title: string;
  /** The question that it answers. */
  asks: string;
  /** The same of a single run, if that is another question. */
  asksOfOne?: string;
  panels: Panel[];
}

/** All views. */
export const VIEWS: View[] = [
  {
    id: "study",
    title: "Study",
    asks: "Which run was better, by how much, and with what confidence?",
    asksOfOne: "How long did it take, and why?",
    panels: [ANSWER, THRESHOLD, WHY, CHAIN, SUMMARY, STAGES, INTERFERENCE, MEASURED, BY_SETTING, STEPS, BANDWIDTH, OVER_TIME],
  },
  {
    id: "fabric",
    title: "Fabric",
    asks: "Where did packets wait, and when?",
    panels: [FABRIC, TIER_PORTS, TIER_TIMES, CONGESTION, SIGNALS, QUEUES, LINKS, FAULTS],
  },
  {
    id: "jobs",
    title: "Jobs",
    asks: "What did ranks do, and what did they wait for?",
    panels: [COURSE, EXPOSURE, BREAKDOWN, RANKS],
  },
  {
    id: "flows",
    title: "Flows",
    asks: "Which messages were slow, and why?",
    panels: [FCT, SLOWDOWN, CAUSES, WORST, TRAFFIC, RATES, GOODPUT, REPAIRS, REORDERING],
  },
  {
    id: "settings",
    title: "Settings",
    asks: "What was run, and how can it be repeated?",
    panels: [SETTINGS, PROVENANCE],
  },
];

/** The links to the panels of a view. */
function contents(view: View, shown: HTMLElement[]): HTMLElement[] {
  const panels = view.panels.filter(({ id }) => shown.some((section) => section.id === id));
  const links = panels.map(({ id, title }) => element("a", { href: `#${id}` }, title));
  return panels.length < 2 ? [] : [element("nav", { class: "panels", "aria-label": `Panels of ${view.title}` }, ...links)];
}

/** A view on the page: built when it is first shown, or after the page has loaded, so that the page opens quickly. */
export class Stage {
  readonly box: HTMLElement;
  readonly link: HTMLAnchorElement;
  readonly view: View;
  private readonly report: Report;
  private made = false;

  constructor(view: View, report: Report) {
    this.view = view;
    this.report = report;
    this.link = element("a", { href: `#${view.id}` }, view.title);
    this.box = element("div", { class: "view", id: `view-${view.id}`, hidden: "" });
  }

  /** Whether an address names this view or one of its panels. */
  owns = (place: string): boolean => place === this.view.id || this.view.panels.some(({ id }) => id === place);

  /** Shows it, or hides it. */
  show(shown: boolean): void {
    this.box.hidden = !shown;
    if (shown) {
      this.link.setAttribute("aria-current", "page");
      this.make();
      drawAll();
    } else {
      this.link.removeAttribute("aria-current");
    }
  }

  /** Builds it, unless that has been done; charts wait until it is shown, since they need its width. */
  make(): void {
    if (this.made) {
      return;
    }
    this.made = true;
    const panels = this.view.panels.flatMap((panel) => section(panel, this.report));
    const none = panels.length === 0 ? [note("These runs have no data for this view.")] : [];
    const { title: name, asks, asksOfOne } = this.view;
    const question = this.report.runs.length === 1 ? (asksOfOne ?? asks) : asks;
    const title = element("h2", { class: "view-title" }, name, " ", element("small", {}, question));
    this.box.append(title, ...contents(this.view, panels), ...panels, ...none);
  }
}
