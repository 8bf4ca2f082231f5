// The fabric of some runs beside each other: what colours tell, a place in time, and a port that was picked.

import { drawAll } from "../chart.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { runName } from "../palette.ts";
import { keep, route } from "../route.ts";
import { some } from "../units.ts";
import { busiest } from "./busiest.ts";
import { chooseMetric } from "./choose.ts";
import { detail, find } from "./detail.ts";
import { Drawing } from "./drawing.ts";
import { unpack } from "./frames.ts";
import { METRICS } from "./metrics.ts";
import type { Metric } from "./metrics.ts";
import { Moment, top } from "./moment.ts";
import { edgeName } from "./names.ts";
import { Player, courseOf } from "./player.ts";
import type { Course } from "./player.ts";
import { marksOf, scaleOf } from "./scale.ts";
import type { Shown } from "./shown.ts";

/** Drawings beside each other. */
const MOST_SHOWN = 4;
/** Those shown at first. */
const AT_FIRST = 2;

interface Part extends Shown {
  drawing: Drawing;
  list: HTMLElement;
}

/** The explorer of all runs, with their values over time unpacked. */
export async function explorer(report: Report): Promise<HTMLElement> {
  const unpacked = report.fabric.map(async (fabric, run): Promise<Shown> => {
    const frames = fabric.frames === null ? null : await unpack(fabric.frames);
    return { run, fabric, frames };
  });
  return new Explorer(report, await Promise.all(unpacked)).box;
}

class Explorer {
  readonly box = element("div", { class: "explorer" });
  private readonly report: Report;
  private readonly all: Shown[];
  private shown: number[];
  private metric: Metric;
  private picked: string | null;
  private parts: Part[] = [];
  private course: Course = { length: 1, count: 0 };
  private player: Player;
  private most = 1;
  private readonly drawings = element("div", { class: "drawings" });
  private readonly key = element("div", { class: "key" });
  private readonly below = element("div", {});

  constructor(report: Report, all: Shown[]) {
    this.report = report;
    this.all = all;
    const { words } = route();
    const numbers = (words.get("run") ?? "").split(",").map(Number).filter((run) => words.has("run") && run in all);
    this.shown = numbers.length > 0 ? numbers.slice(0, MOST_SHOWN) : all.map(({ run }) => run).slice(0, AT_FIRST);
    this.metric = METRICS.find(({ id }) => id === words.get("show")) ?? this.first();
    this.picked = words.get("port");
    this.measure();
    this.player = new Player(this.course, Number(words.get("at") ?? 0), () => this.moved());
    this.build();
    this.keys();
  }

  private first(): Metric {
    return METRICS[0] ?? METRICS[1]!;
  }

  private get runs(): Shown[] {
    return this.shown.flatMap((run) => this.all[run] ?? []);
  }

  private seconds = (run: number): number => this.report.runs[run]?.simulated ?? 0;

  /** The places of the slider. */
  private measure(): void {
    const timed = this.runs.flatMap(({ frames }) => (frames === null ? [] : [frames]));
    this.course = courseOf(
      timed.map(({ length }) => length),
      timed.map(({ length, count }) => length * count),
    );
  }

  /** Makes everything anew: other runs are shown, or something else of them. */
  private build(): void {
    this.most = top(this.metric, this.runs, this.seconds);
    this.parts = this.runs.map((shown) => {
      const name = this.report.runs[shown.run]?.name ?? "";
      const label = `Fabric of ${name}, links coloured by ${this.metric.title.toLowerCase()}; the lists beside it name the largest values`;
      const drawing = new Drawing(shown.fabric, label, (edge) => this.pick(shown, edge));
      return { ...shown, drawing, list: element("div", {}) };
    });
    const figures = this.parts.map(({ run, drawing, list }) =>
      element("figure", {}, element("figcaption", {}, runName(this.report.runs, run)), drawing.box, list),
    );
    this.drawings.replaceChildren(...figures);
    const hasFailures = this.report.faults.some(({ total }, run) => this.shown.includes(run) && total > 0);
    const hasRoles = this.runs.some(({ frames }) => frames?.hasRoles === true);
    this.key.replaceChildren(scaleOf(this.metric, this.most), ...marksOf(hasRoles, hasFailures));
    this.box.replaceChildren(...this.controls(), this.key, this.drawings, ...this.notes(), this.below);
    this.paint();
    this.tellPort();
  }

  private controls(): HTMLElement[] {
    return [...this.chooseRuns(), this.chooseMetric(), ...(this.course.count > 0 ? [this.player.box] : [])];
  }

  private chooseRuns(): HTMLElement[] {
    if (this.all.length < 2) {
      return [];
    }
    const boxes = this.all.map(({ run }) => {
      const box = element("input", { type: "checkbox", value: String(run) });
      box.checked = this.shown.includes(run);
      box.disabled = !box.checked && this.shown.length >= MOST_SHOWN;
      box.addEventListener("change", () => this.choose(run, box.checked));
      return element("label", {}, box, runName(this.report.runs, run));
    });
    const legend = element("legend", {}, `Runs, up to ${MOST_SHOWN} beside each other`);
    return [element("fieldset", {}, legend, ...boxes)];
  }

  private choose(run: number, wanted: boolean): void {
    const others = this.shown.filter((other) => other !== run);
    this.shown = wanted ? [...others, run].sort((left, right) => left - right) : others;
    const place = this.player.place;
    this.measure();
    this.player = new Player(this.course, place, () => this.moved());
    this.build();
    this.remember();
    this.box.querySelector<HTMLInputElement>(`input[type=checkbox][value="${run}"]`)?.focus();
  }

  private chooseMetric(): HTMLElement {
    return chooseMetric(this.metric, (metric) => {
      this.metric = metric;
      this.build();
      this.remember();
      this.box.querySelector<HTMLInputElement>(`input[value=${metric.id}]`)?.focus();
    });
  }

  private notes(): HTMLElement[] {
    const large = this.runs.find(({ fabric }) => fabric.most_nodes > 1);
    const joined = this.runs.find(({ frames }) => (frames?.joined ?? 1) > 1);
    const untimed = this.runs.filter(({ frames }) => frames === null || !frames.sampled);
    const named = untimed.map(({ run }) => this.report.runs[run]?.name ?? "").join(", ");
    return [
      ...(large === undefined
        ? []
        : [note(
            `The fabric is large: a square stands for up to ${some(large.fabric.most_nodes, "node")} beside each other, ` +
              `and its lines for all ${some(large.fabric.ports, "port")} between squares; table “ports” has each of them.`,
          )]),
      ...(joined === undefined
        ? []
        : [note(`A place of the slider joins ${joined.frames?.joined ?? 1} samples; table “series” has each of them.`)]),
      ...(untimed.length === 0
        ? []
        : [note(`Not sampled over time: ${named}. “netloom run … --set record.series=10us” samples every port.`)]),
    ];
  }

  private pick(shown: Shown, number: number): void {
    const edge = shown.fabric.edges[number];
    this.picked = edge === undefined ? null : edgeName(shown.fabric, edge);
    this.paint();
    this.tellPort();
    this.remember();
    this.below.querySelector("h3")?.focus({ preventScroll: true });
  }

  private tellPort(): void {
    if (this.picked === null) {
      this.below.replaceChildren(note("Click a line, or a name in a list, to see that port over time."));
      return;
    }
    this.below.replaceChildren(detail(this.report, this.runs, this.picked));
    drawAll();
  }

  private moved(): void {
    this.paint();
    this.remember();
  }

  private remember(): void {
    keep("fabric", {
      run: this.all.length > 1 ? this.shown.join(",") : null,
      show: this.metric.id,
      at: this.player.place > 0 ? String(this.player.place) : null,
      port: this.picked,
    });
  }

  /** What is known of a run at the slider's place. */
  private moment(shown: Shown): Moment {
    const place = this.player.place;
    return new Moment(shown, this.seconds(shown.run), place === 0 ? null : (place - 0.5) * this.course.length);
  }

  private paint(): void {
    this.parts.forEach((part) => {
      const moment = this.moment(part);
      const [picked] = this.picked === null ? [] : find([part], this.picked);
      part.drawing.paint(moment.picture(this.metric, this.most, picked?.number ?? null));
      const title = moment.isKnown
        ? `Largest: ${moment.meaning(this.metric)}`
        : "Nothing is known of this time: the run has ended, or was not sampled.";
      const read = (edge: number): number | null => moment.value(this.metric, edge);
      const list = busiest(part, element("p", {}, title), read, this.metric.write, (edge) => this.pick(part, edge));
      part.list.replaceChildren(list);
    });
  }

  /** Space plays and arrows move in time, wherever in the view somebody is but in a field that uses them. */
  private keys(): void {
    addEventListener("keydown", (event) => {
      const busy = event.target instanceof HTMLElement && event.target.matches("input, select, textarea, button, summary, a");
      if (this.box.offsetParent === null || busy || event.ctrlKey || event.metaKey || event.altKey || this.course.count === 0) {
        return;
      }
      const act = { " ": () => this.player.toggle(), ArrowLeft: () => this.player.move(-1), ArrowRight: () => this.player.move(1) }[event.key];
      if (act !== undefined) {
        event.preventDefault();
        act();
      }
    });
  }
}
