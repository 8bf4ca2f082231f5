// The fabric explorer: the fabrics of some runs side by side, the metric of colours, a position in time, and a selected port.

import { drawAll } from "../chart.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { runName } from "../palette.ts";
import { keep, onArrival, route, wholeNumber } from "../route.ts";
import { some } from "../units.ts";
import { comparedFirst } from "../variants.ts";
import { busiest } from "./busiest.ts";
import { chooseMetric } from "./choose.ts";
import { detail, find } from "./detail.ts";
import { Drawing } from "./drawing.ts";
import { unpack } from "./frames.ts";
import { METRICS } from "./metrics.ts";
import type { Metric } from "./metrics.ts";
import { Moment, top } from "./moment.ts";
import { edgeName } from "./names.ts";
import { Player, courseOf, placeAt } from "./player.ts";
import type { Course } from "./player.ts";
import { marksOf, scaleOf } from "./scale.ts";
import { seek } from "./seek.ts";
import type { Shown } from "./shown.ts";

/** Its fragment in the page's address. */
const PLACE = "fabric";
/** Largest number of drawings side by side. */
const MOST_SHOWN = 4;
/** Number of drawings shown at first. */
const AT_FIRST = 2;

interface Part extends Shown {
  drawing: Drawing;
  list: HTMLElement;
}

/** All runs, with their values over time unpacked. */
export async function shownOf(report: Report): Promise<Shown[]> {
  const unpacked = report.fabric.map(async (fabric, run): Promise<Shown> => {
    const frames = fabric.frames === null ? null : await unpack(fabric.frames, report.runs[run]?.simulated ?? 0);
    return { run, fabric, frames };
  });
  return Promise.all(unpacked);
}

/** The explorer of these runs. */
export const explorer = (report: Report, all: Shown[]): HTMLElement => new Explorer(report, all).box;

/** The runs that an address names; null if it names none of the `n_runs` runs. */
function runsIn(words: URLSearchParams, n_runs: number): number[] | null {
  const text = words.get("run");
  const wanted = (text ?? "").split(",").filter((word) => /^\d+$/.test(word)).map(Number);
  const found = [...new Set(wanted)].filter((run) => run < n_runs);
  // An empty list shows no run.
  return found.length > 0 || text === "" ? found.slice(0, MOST_SHOWN) : null;
}

class Explorer {
  readonly box = element("div", { class: "explorer" });
  private readonly report: Report;
  private readonly all: Shown[];
  private shown: number[] = [];
  private metric: Metric = METRICS[0]!;
  private picked: string | null = null;
  private parts: Part[] = [];
  private course: Course = { length: 1, count: 0 };
  private player: Player = this.playerAt(0);
  /** The middle of the interval that the slider shows, in seconds; null for the whole run. */
  private time: number | null = null;
  private most = 1;
  private readonly drawings = element("div", { class: "drawings" });
  private readonly key = element("div", { class: "key" });
  private readonly below = element("div", {});

  constructor(report: Report, all: Shown[]) {
    this.report = report;
    this.all = all;
    const { place, words } = route();
    this.arrive(place === PLACE ? words : new URLSearchParams());
    onArrival(PLACE, (later) => this.arrive(later));
    this.keys();
  }

  /** Shows what an address names; parts that are invalid get their defaults. */
  private arrive(words: URLSearchParams): void {
    this.shown = runsIn(words, this.all.length) ?? this.atFirst();
    this.metric = METRICS.find(({ id }) => id === words.get("show")) ?? METRICS[0]!;
    this.picked = words.get("port");
    this.measure();
    this.player = this.playerAt(wholeNumber(words.get("at")));
    this.time = this.middle();
    this.build();
  }

  /** One run of each of two variants. */
  private atFirst(): number[] {
    const runs = comparedFirst(this.report, this.all.map(({ run }) => run));
    return runs.slice(0, AT_FIRST).sort((left, right) => left - right);
  }

  private playerAt(place: number): Player {
    return new Player(this.course, place, () => this.moved());
  }

  private middle(): number | null {
    const { when } = this.player;
    return when === null ? null : (when[0] + when[1]) / 2;
  }

  private get runs(): Shown[] {
    return this.shown.flatMap((run) => this.all[run] ?? []);
  }

  private seconds = (run: number): number => this.report.runs[run]?.simulated ?? 0;

  /** Computes the positions of the slider. */
  private measure(): void {
    const timed = this.runs.flatMap(({ frames }) => (frames === null ? [] : [frames]));
    this.course = courseOf(
      timed.map(({ length }) => length),
      timed.map(({ length, count }) => length * count),
    );
  }

  /** Rebuilds everything for other runs or another metric. */
  private build(): void {
    this.most = top(this.metric, this.runs, this.seconds);
    this.parts = this.runs.map((shown) => {
      const name = this.report.runs[shown.run]?.name ?? "";
      const label = `Fabric of ${name}, links coloured by ${this.metric.title.toLowerCase()}; the lists next to it name the largest values`;
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
    const names = this.runs.flatMap(({ fabric }) => fabric.edges.map((edge) => edgeName(fabric, edge)));
    const port = seek([...new Set(names)], () => this.picked, (name) => this.pickName(name));
    return [...this.chooseRuns(), this.chooseMetric(), ...(this.course.count > 0 ? [this.player.box] : []), port];
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
    const legend = element("legend", {}, `Runs, up to ${MOST_SHOWN} side by side`);
    return [element("fieldset", {}, legend, ...boxes)];
  }

  private choose(run: number, wanted: boolean): void {
    const others = this.shown.filter((other) => other !== run);
    this.shown = wanted ? [...others, run].sort((left, right) => left - right) : others;
    this.measure();
    // The length of positions may have changed; the time is kept.
    this.player = this.playerAt(this.time === null ? 0 : placeAt(this.course, this.time));
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
    const named = (runs: Shown[]): string => runs.map(({ run }) => this.report.runs[run]?.name ?? "").join(", ");
    const large = this.runs.filter(({ fabric }) => fabric.most_nodes > 1).map(({ run, fabric }) =>
      note(
        `The fabric of ${named([this.all[run]!])} is large: a square represents up to ${some(fabric.most_nodes, "node")} with consecutive numbers, ` +
          `and the lines represent all ${some(fabric.ports, "port")}; table “ports” has each of them.`,
      ),
    );
    const joined = this.runs.filter(({ frames }) => (frames?.joined ?? 1) > 1).map(({ run, frames }) =>
      note(`An interval of ${named([this.all[run]!])} combines ${frames?.joined ?? 1} samples; table “series” has each of them.`),
    );
    const untimed = this.runs.filter(({ frames }) => frames === null || !frames.sampled);
    const silent = `Not sampled over time: ${named(untimed)}. “netloom run … --set record.series=10us” samples every port every 10 us.`;
    const lengths = new Set(this.runs.flatMap(({ frames }) => (frames === null ? [] : [frames.length])));
    const uneven =
      "Runs are sampled in intervals of different lengths: a drawing shows the intervals of its run that overlap the position of " +
      "the slider, or the one interval around it if that is longer; the heading of its list gives the time.";
    return [...large, ...joined, ...(lengths.size > 1 ? [note(uneven)] : []), ...(untimed.length === 0 ? [] : [note(silent)])];
  }

  private pick(shown: Shown, number: number): void {
    const edge = shown.fabric.edges[number];
    this.pickName(edge === undefined ? null : edgeName(shown.fabric, edge));
  }

  private pickName(name: string | null): void {
    this.picked = name;
    const field = this.box.querySelector<HTMLInputElement>("#port");
    const isTyping = field !== null && field === document.activeElement;
    if (field !== null && !isTyping) {
      field.value = name ?? "";
    }
    this.box.querySelector("#port-advice")?.replaceChildren();
    this.paint();
    this.tellPort();
    this.remember();
    if (!isTyping) {
      this.below.querySelector("h3")?.focus({ preventScroll: true });
    }
  }

  private tellPort(): void {
    if (this.picked === null) {
      this.below.replaceChildren(note("Click a line or a name in a list to show this port over time."));
      return;
    }
    this.below.replaceChildren(detail(this.report, this.runs, this.picked));
    drawAll();
  }

  private moved(): void {
    this.time = this.middle();
    this.paint();
    this.remember();
  }

  private remember(): void {
    keep(PLACE, {
      run: this.all.length > 1 ? this.shown.join(",") : null,
      show: this.metric.id,
      at: this.player.place > 0 ? String(this.player.place) : null,
      port: this.picked,
    });
  }

  private paint(): void {
    this.parts.forEach((part) => {
      const moment = new Moment(part, this.seconds(part.run), this.player.when);
      const [picked] = this.picked === null ? [] : find([part], this.picked);
      part.drawing.paint(moment.picture(this.metric, this.most, picked?.number ?? null));
      const read = (edge: number): number | null => moment.value(this.metric, edge);
      const list = busiest(part, element("p", {}, moment.title(this.metric)), read, this.metric.write, (edge) => this.pick(part, edge));
      part.list.replaceChildren(list);
    });
  }

  /** Space plays and arrows move in time, unless an element that uses these keys has the focus. */
  private keys(): void {
    addEventListener("keydown", (event) => {
      const busy = event.target instanceof HTMLElement && event.target.closest("input, select, textarea, button, summary, a, pre, .scroll") !== null;
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
