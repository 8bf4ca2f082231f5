// The page of a run in progress: its progress, and the current state of its fabric. It polls its server twice a second and
// does nothing else: it cannot control the run.

import { element, note } from "../dom.ts";
import { busiest } from "../fabric/busiest.ts";
import { chooseMetric } from "../fabric/choose.ts";
import { Drawing } from "../fabric/drawing.ts";
import type { Picture, Told } from "../fabric/drawing.ts";
import type { Frames } from "../fabric/frames.ts";
import { METRICS, placed } from "../fabric/metrics.ts";
import type { Metric } from "../fabric/metrics.ts";
import { scaleOf } from "../fabric/scale.ts";
import { STATUS } from "../panels/provenance.ts";
import { percent, some } from "../units.ts";
import { Course } from "./course.ts";
import type { Edges, Live, State } from "./data.ts";
import { Progress } from "./progress.ts";
import { between, throughput } from "./span.ts";
import { TierStrips } from "./tier_strips.ts";

/** Milliseconds between requests, and after a request that failed; and the largest number of failures in a row. */
const [EACH, AGAIN, MOST_LOST] = [500, 1000, 5];

/** The values at the start of a run. */
const NOTHING: Edges = { read: 0, sent: [], waiting: [], paused: [], dropped: [] };

/** Requests the state. */
async function requestState(): Promise<State> {
  const answer = await fetch("state.json", { cache: "no-store", signal: AbortSignal.timeout(4000) });
  if (!answer.ok) {
    throw new Error(answer.statusText);
  }
  return (await answer.json()) as State;
}

const isStatus = (status: string): status is keyof typeof STATUS => status in STATUS;

/** A message on the end of the run. */
function farewell({ folder }: Live, ended: NonNullable<State["ended"]>): HTMLElement {
  const { status, details } = ended;
  const how = status === null ? "The run has failed" : `The run has ended: ${isStatus(status) ? STATUS[status] : status}`;
  const more = status === null ? [] : [note("To write a report on its records:"), element("pre", {}, `netloom report ${folder}`)];
  return element("div", { role: "status" }, element("p", { class: "told" }, [`${how}.`, "The page shows the last values read.", ...details].join(" ")), ...more);
}

/** The page. */
export class LivePage {
  readonly box: HTMLElement;
  private readonly live: Live;
  private readonly progress = new Progress();
  private readonly course = new Course();
  private readonly drawing: Drawing;
  private readonly strips: TierStrips;
  private readonly choice = element("div", {});
  private readonly key = element("div", { class: "key" });
  private readonly list = element("div", {});
  private readonly word = element("div", { class: "word" });
  private metric: Metric = METRICS[0]!;
  /** The largest value of each metric so far, so that the scale never shrinks. */
  private readonly most = new Map<string, number>();
  private picked: number | null = null;
  /** Null until the first reading: values before the page was opened are not current. */
  private before: Edges | null = null;
  private span: Frames | null = null;
  private again = false;
  private lost = 0;

  constructor(live: Live) {
    this.live = live;
    this.drawing = new Drawing(live.fabric, "Fabric, links coloured by their current values; the list names the largest values", (edge) =>
      this.pick(edge),
    );
    this.strips = new TierStrips(live.fabric, (edge) => this.pick(edge));
    this.box = element(
      "main",
      { class: "live" },
      this.word,
      this.progress.box,
      element("section", {}, element("h2", {}, "Throughput of all hosts"), this.course.box),
      ...this.ports(),
    );
    this.choose(this.metric);
  }

  /** The drawing and the strips, with the choice of their colours above both; of a large fabric strips say more. */
  private ports(): HTMLElement[] {
    const { most_nodes } = this.live.fabric;
    const large = most_nodes > 1;
    const squares = large ? [note(`The fabric is large: a square represents up to ${some(most_nodes, "node")} with consecutive numbers.`)] : [];
    const drawings = element("div", { class: "drawings" }, element("figure", {}, this.drawing.box), this.list);
    const fabric = element("section", {}, element("h2", {}, "Fabric"), drawings, ...squares);
    const tiers = element("section", {}, element("h2", {}, "Ports by tier"), this.strips.box);
    const [first, second] = large ? [tiers, fabric] : [fabric, tiers];
    first.querySelector("h2")?.after(this.choice, this.key);
    return [first, second];
  }

  /** Polls until the run has ended or the server does not answer. */
  async follow(): Promise<void> {
    for (;;) {
      const state = await requestState().catch(() => null);
      this.lost = state === null ? this.lost + 1 : 0;
      if (state !== null) {
        this.show(state);
      }
      const over = state !== null && state.ended !== null;
      this.tell(state);
      if (over || this.lost > MOST_LOST) {
        return;
      }
      await new Promise((go) => setTimeout(go, this.lost > 0 ? AGAIN : EACH));
    }
  }

  private tell(state: State | null): void {
    document.body.classList.toggle("lost", this.lost > 0);
    if (state === null) {
      const gone = this.lost > MOST_LOST;
      const text = gone
        ? `The connection is lost: the command has ended or was stopped. If it stored the run, write a report: netloom report ${this.live.folder}`
        : "The connection is lost; trying again.";
      this.word.replaceChildren(element("p", { class: "told", role: "alert" }, text));
    } else if (state.ended !== null) {
      this.word.replaceChildren(farewell(this.live, state.ended));
    } else if (state.again) {
      this.word.replaceChildren(note("The run is complete; it is simulated a second time to record the paths of its slowest messages (record.slowest_flows)."));
    } else {
      this.word.replaceChildren();
    }
  }

  private show(state: State): void {
    this.progress.show(state);
    const far = state.ended !== null ? "ended" : state.share === null ? "running" : percent(Math.floor(state.share * 100) / 100);
    document.title = `${far} – ${this.live.scenario} – netloom live`;
    if (this.again !== state.again) {
      [this.again, this.before] = [state.again, NOTHING];
      this.course.clear();
    }
    const span = this.before === null ? null : between(this.before, state.edges);
    this.before ??= state.edges;
    if (span !== null) {
      [this.span, this.before] = [span, state.edges];
      this.course.add(state.edges.read / 1e12, throughput(this.live.fabric, span));
      this.paint();
    }
  }

  private choose(metric: Metric): void {
    this.metric = metric;
    if (this.choice.childElementCount === 0) {
      this.choice.replaceChildren(chooseMetric(metric, (other) => this.choose(other)));
    }
    this.paint();
  }

  private pick(edge: number): void {
    this.picked = edge === this.picked ? null : edge;
    this.paint();
  }

  private value(metric: Metric, number: number): number {
    const edge = this.live.fabric.edges[number];
    return edge === undefined || this.span === null ? 0 : metric.during(edge, number, this.span, { first: 0, last: 0 });
  }

  private paint(): void {
    const { metric } = this;
    const values = this.live.fabric.edges.map((_, number) => this.value(metric, number));
    const known = this.most.get(metric.id) ?? metric.least;
    const most = values.reduce((left, right) => Math.max(left, right), known);
    this.most.set(metric.id, most);
    const lines = (number: number): string[] => METRICS.map((one) => `${one.title.toLowerCase()} ${one.write(this.value(one, number))}`);
    const shown = (number: number): Told => ({ share: placed(metric, values[number] ?? 0, most), lines: lines(number), down: 0, role: 0 });
    const picture: Picture = { edge: shown, isVictim: () => false, picked: this.picked };
    this.drawing.paint(picture);
    this.strips.paint({ metric, values, most, lines, picked: this.picked });
    this.key.replaceChildren(scaleOf(metric, most));
    this.enlist(values);
  }

  /** Rebuilds the list; the focus stays at its position. */
  private enlist(values: number[]): void {
    const buttons = [...this.list.querySelectorAll("button")];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const shown = { run: 0, fabric: this.live.fabric, frames: this.span };
    const title = element("p", {}, `Largest values since the previous reading: ${this.metric.span}`);
    const made = busiest(shown, title, (edge) => values[edge] ?? null, this.metric.write, (edge) => this.pick(edge));
    this.list.replaceChildren(made);
    if (at >= 0) {
      this.list.querySelectorAll("button")[at]?.focus({ preventScroll: true });
    }
  }
}
