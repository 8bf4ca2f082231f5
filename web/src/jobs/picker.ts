// Ranks of a recorded step, with controls for the step, the order of ranks and the page of ranks.

import { drawAll } from "../chart.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { figure } from "../panels/panel.ts";
import { legendOf } from "../palette.ts";
import { keep, onArrival, route, wholeNumber } from "../route.ts";
import { asTable } from "../tables.ts";
import { count, some, span } from "../units.ts";
import type { RecordedStep } from "./data.ts";
import { gantt, legendFor, told } from "./gantt.ts";
import { spansOf } from "./spans.ts";
import type { Span } from "./spans.ts";

/** Number of ranks on a page. */
const PAGE = 32;
const PS = 1e12;
/** Its fragment in the page's address: that of the view, and that of the panel, to which the page scrolls. */
const PLACE = "jobs";
const PANEL = "ranks";

/** A recorded step; without spans if the page has no room for them. */
export interface Choice {
  run: number;
  step: RecordedStep;
  spans: Span[];
}

type Order = "rank" | "last";

const isDrawn = ({ spans }: Choice): boolean => spans.length > 0;

/** The recorded steps of all runs, with their spans unpacked. */
export async function choicesOf(report: Report): Promise<Choice[]> {
  const unpacked = report.timeline.map(async (timeline, run): Promise<Choice[]> => {
    const spans = timeline === null ? [] : await spansOf(timeline);
    return [...spans].map(([step, found]) => ({ run, step, spans: found }));
  });
  return (await Promise.all(unpacked)).flat();
}

/** The picker of these steps. */
export const picker = (report: Report, choices: Choice[]): HTMLElement => new Picker(report, choices).box;

/** A note on steps without spans on this page; nothing if all are drawn. */
function undrawn(choices: Choice[]): HTMLElement[] {
  const left = choices.filter((choice) => !isDrawn(choice)).length;
  const text =
    `${count(left)} of ${some(choices.length, "recorded step")} only appear in the breakdown above, since there is no room for their ` +
    "spans on this page. Table “spans” of each run folder has all of them.";
  return left === 0 ? [] : [note(text)];
}

class Picker {
  readonly box = element("div", {});
  private readonly report: Report;
  private readonly choices: Choice[];
  private choice = 0;
  private first = 0;
  private order: Order = "rank";

  constructor(report: Report, choices: Choice[]) {
    this.report = report;
    this.choices = choices;
    const { place, words } = route();
    this.arrive([PLACE, PANEL].includes(place) ? words : new URLSearchParams());
    [PLACE, PANEL].forEach((fragment) =>
      onArrival(fragment, (later) => {
        this.arrive(later);
        drawAll();
      }),
    );
    if (place === PANEL) {
      // Until the ranks are drawn, the page is too short to scroll to them.
      setTimeout(() => this.box.closest("section")?.scrollIntoView());
    }
  }

  /** Shows what an address names; parts that are invalid get their defaults. */
  private arrive(words: URLSearchParams): void {
    const is = (choice: Choice): boolean =>
      String(choice.run) === words.get("run") &&
      String(choice.step.job) === words.get("job") &&
      String(choice.step.step) === words.get("step");
    const named = this.choices.findIndex((choice) => isDrawn(choice) && is(choice));
    this.choice = named < 0 ? this.slowest() : named;
    this.first = wholeNumber(words.get("rank"));
    this.order = words.get("order") === "last" ? "last" : "rank";
    this.draw();
  }

  /** The slowest step, which is shown by default. */
  private slowest(): number {
    const time = (choice: Choice | undefined): number =>
      choice === undefined || !isDrawn(choice) ? -1 : (choice.step.time ?? Infinity);
    return this.choices.reduce((most, choice, nth) => (time(choice) > time(this.choices[most]) ? nth : most), 0);
  }

  private draw(): void {
    const choice = this.choices[this.choice];
    if (choice === undefined || !isDrawn(choice)) {
      this.box.replaceChildren(...undrawn(this.choices));
      return;
    }
    const ranks = this.ranks(choice);
    // Starts at a multiple of the page length; a step with fewer ranks may have fewer pages.
    this.first = PAGE * Math.min(Math.floor(this.first / PAGE), Math.floor(Math.max(0, ranks.length - 1) / PAGE));
    const shown = ranks.slice(this.first, this.first + PAGE);
    const title = this.titleOf(choice);
    const end = this.endOf(choice);
    this.box.replaceChildren(
      element("div", { class: "choices" }, this.steps(), this.orders(), this.pages(ranks.length)),
      legendOf(legendFor(choice.spans)),
      figure(`${title}: ${this.which(ranks.length)}`, gantt(`Ranks of ${title}`, shown, choice.spans, end)),
      table(title, shown, choice.spans),
      ...undrawn(this.choices),
    );
  }

  private endOf({ spans, run, step }: Choice): number {
    const ends = spans.map(({ start, length }) => start + (length ?? 0));
    const open = spans.some(({ length }) => length === null);
    const rest = ((this.report.runs[run]?.simulated ?? 0) - step.start) * PS;
    return ends.reduce((most, end) => Math.max(most, end), open ? rest : 1);
  }

  /** The ranks in the order in which they are drawn: by number, or the last to end first. */
  private ranks({ spans }: Choice): number[] {
    const whole = spans.filter(({ activity }) => activity === "step");
    const end = ({ start, length }: Span): number => (length === null ? Infinity : start + length);
    const sorted = this.order === "rank" ? whole : [...whole].sort((one, other) => end(other) - end(one) || one.rank - other.rank);
    return sorted.map(({ rank }) => rank);
  }

  private titleOf({ run, step }: Choice): string {
    const time = step.time === null ? "not completed" : span(step.time);
    return `${this.report.runs[run]?.name ?? ""}, ${step.name}, step ${step.step} (${time})`;
  }

  private which(ranks: number): string {
    return ranks <= PAGE ? "all ranks" : `positions ${this.first + 1} to ${Math.min(ranks, this.first + PAGE)} of ${count(ranks)} ranks in this order`;
  }

  private steps(): HTMLElement {
    const select = element("select", {});
    this.choices.forEach((choice, nth) => {
      const title = this.titleOf(choice);
      const option = element("option", { value: String(nth) }, isDrawn(choice) ? title : `${title}, no spans`);
      option.selected = nth === this.choice;
      option.disabled = !isDrawn(choice);
      select.append(option);
    });
    select.addEventListener("change", () => this.change(select, () => (this.choice = Number(select.value))));
    return element("label", {}, "Step ", select);
  }

  private orders(): HTMLElement {
    const select = element("select", {});
    const words: [Order, string][] = [
      ["rank", "by rank"],
      ["last", "last to end first"],
    ];
    words.forEach(([order, text]) => {
      const option = element("option", { value: order }, text);
      option.selected = order === this.order;
      select.append(option);
    });
    select.addEventListener("change", () => this.change(select, () => (this.order = select.value === "last" ? "last" : "rank")));
    return element("label", {}, "Ranks ", select);
  }

  private pages(ranks: number): HTMLElement {
    const turn = (text: string, by: number): HTMLElement => {
      const button = element("button", { type: "button" }, text);
      button.disabled = this.first + by < 0 || this.first + by >= ranks;
      button.addEventListener("click", () => this.change(button, () => (this.first += by)));
      return button;
    };
    return element("span", { class: "pages" }, ...(ranks <= PAGE ? [] : [turn("◀ previous", -PAGE), turn("next ▶", PAGE)]));
  }

  /** Changes what is drawn; the focus stays on the control. */
  private change(from: HTMLElement, act: () => void): void {
    const controls = (): HTMLElement[] => [...this.box.querySelectorAll<HTMLElement>(".choices select, .choices button")];
    const place = controls().indexOf(from);
    act();
    this.draw();
    drawAll();
    controls()[place]?.focus();
    const choice = this.choices[this.choice];
    keep(PLACE, {
      run: choice === undefined ? null : String(choice.run),
      job: choice === undefined ? null : String(choice.step.job),
      step: choice === undefined ? null : String(choice.step.step),
      rank: this.first > 0 ? String(this.first) : null,
      order: this.order === "rank" ? null : this.order,
    });
  }
}

/** The spans of the ranks that are drawn. */
function table(title: string, ranks: number[], spans: Span[]): HTMLElement {
  const shown = ranks.flatMap((rank) => spans.filter((one) => one.rank === rank));
  const rows = shown.map((one) => [
    `rank ${one.rank}`,
    told(one),
    count(one.start),
    one.length === null ? null : count(one.length),
  ]);
  const columns = [
    { title: "rank" },
    { title: "activity" },
    { title: "start after that of the step (ps)", number: true },
    { title: "duration (ps)", number: true },
  ];
  return asTable(`${title}: ${some(shown.length, "span")}`, columns, rows);
}
