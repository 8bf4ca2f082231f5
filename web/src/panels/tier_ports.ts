// Ports by tier: a strip of cells for each pair of kinds of nodes, of two runs side by side, with their difference.

import { chooser } from "../chooser.ts";
import type { Choice } from "../chooser.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { edgeContaining } from "../fabric/containing.ts";
import { onLetters } from "../keys.ts";
import { overNote } from "../over.ts";
import { numbersOf, textOf } from "../packed.ts";
import { DIFFERENCES, SCALE, onDifferences, onSequence, runName } from "../palette.ts";
import { scaleBar } from "../scale_bar.ts";
import { stripOf } from "../strip.ts";
import { asTable } from "../tables.ts";
import type { Cell } from "../tables.ts";
import type { TierStrip } from "../tier_data.ts";
import { LINK, directionOf } from "../tier_direction.ts";
import { VALUES } from "../tier_values.ts";
import { count, percent, size, some } from "../units.ts";
import { unpacked } from "../unpacked.ts";
import { comparedFirst } from "../variants.ts";
import type { Panel } from "./panel.ts";

/** The cells of a run, unpacked. */
interface Cells {
  run: number;
  of: (strip: number, value: number, cell: number) => number;
  /** First and last node of a cell, and the ends of its busiest port. */
  names: (strip: number, cell: number) => string[];
}

async function unpack(report: Report, run: number): Promise<Cells> {
  const { strips, packed, names } = report.tier_ports[run] ?? { strips: [], packed: "", names: "" };
  const [numbers, text] = await Promise.all([numbersOf(packed), textOf(names)]);
  const lines = text.split("\n");
  const before = strips.map((_, strip) => strips.slice(0, strip).reduce((sum, { cells }) => sum + cells, 0));
  const start = (strip: number): number => before[strip] ?? 0;
  return {
    run,
    of: (strip, value, cell) => numbers[start(strip) * VALUES.length + value * (strips[strip]?.cells ?? 0) + cell] ?? 0,
    names: (strip, cell) => (lines[start(strip) + cell] ?? "").split("\t"),
  };
}

/** The largest value of any cell of some runs. */
function largest(report: Report, shown: Cells[], value: number): number {
  let most = 0;
  for (const cells of shown) {
    report.tier_ports[cells.run]?.strips.forEach((strip, nth) => {
      for (let cell = 0; cell < strip.cells; cell += 1) {
        most = Math.max(most, cells.of(nth, value, cell));
      }
    });
  }
  return most;
}

const kinds = ({ from, to }: TierStrip): string => `${from} → ${to}`;

/** The kinds of a strip; where others have the same kinds, with the direction and one of its ports. */
function titleOf(report: Report, run: number, nth: number): string {
  const strips = report.tier_ports[run]?.strips ?? [];
  const strip = strips[nth];
  if (strip === undefined || strips.filter((other) => kinds(other) === kinds(strip)).length < 2) {
    return strip === undefined ? "" : kinds(strip);
  }
  const instance = strip.busiest[0] === "" ? "" : ` (such as ${strip.busiest.join(" → ")})`;
  return `${kinds(strip)}${directionOf(report.fabric[run], strip.busiest)}${instance}`;
}

/** Which ports a cell is of. */
function whereIs([first = "", last = "", from = "", to = ""]: string[], each: number): string {
  const nodes = first === last ? first : `${first} to ${last}`;
  return each === 1 ? `${from} → ${to}` : `${some(each, "port")} of ${nodes}, busiest ${from} → ${to}`;
}

/** What a cell says: all of its values that are not zero. */
function saysOf(cells: Cells, strip: TierStrip, nth: number, cell: number): string {
  const values = VALUES.flatMap(({ says, write }, value) => {
    const number = cells.of(nth, value, cell);
    return number > 0 || value === 0 ? [says(write(number))] : [];
  });
  return `${whereIs(cells.names(nth, cell), strip.each)}: ${values.join(", ")}`;
}

/** The number of ports of a node, if all nodes of the strip seem to have as many. */
function periodOf(cells: Cells, strip: TierStrip, nth: number): number {
  const node = (cell: number): string => cells.names(nth, cell)[0] ?? "";
  let period = 1;
  while (period < strip.cells && node(period) === node(0)) {
    period += 1;
  }
  return strip.each === 1 && strip.cells % period === 0 ? period : 1;
}

/** Shows the busiest port of a cell over time, with all ports that the drawing of the fabric has as one line; says so, or why not. */
function opener(report: Report, shown: Cells[], cells: Cells, nth: number): (cell: number) => string {
  return (cell) => {
    const [, , from = "", end = ""] = cells.names(nth, cell);
    const to = end.replace(LINK, "");
    const fabric = report.fabric[cells.run];
    const port = fabric === undefined ? null : edgeContaining(fabric, from, to);
    if (port === null) {
      return `The drawing above does not have ${from} → ${to}; table “ports” of the run folder has it.`;
    }
    const words = new URLSearchParams({ run: shown.map(({ run }) => run).join(","), port });
    location.hash = `fabric?${words.toString()}`;
    // The explorer shows the port when the address has changed.
    setTimeout(() => document.querySelector("#drawing .detail")?.scrollIntoView({ block: "nearest" }), 50);
    return port === `${from} → ${to}` ? "Shown over time in the drawing above." : `Shown over time in the drawing above as part of ${port}.`;
  };
}

/** The strips of one pair of kinds: of each run, and the difference of two. */
function row(report: Report, shown: Cells[], nth: number, value: number, most: number): HTMLElement {
  const strips = shown.map(({ run }) => report.tier_ports[run]?.strips[nth]);
  const [strip] = strips;
  const chosen = VALUES[value];
  if (strip === undefined || chosen === undefined) {
    return element("div");
  }
  const cell = strip.each === 1 ? "a cell for each port" : `a cell for each ${strip.each} ports, with the worst of them`;
  const name = titleOf(report, shown[0]?.run ?? 0, nth);
  const title = element("h3", {}, `${name} `, element("small", {}, `${some(strip.ports, "port")}, ${cell}`));
  const period = shown[0] === undefined ? 1 : periodOf(shown[0], strip, nth);
  const figures = shown.map((cells) => {
    const made = stripOf({
      period,
      label: `${chosen.title} of ports ${name} of ${report.runs[cells.run]?.name ?? ""}`,
      count: strip.cells,
      colour: (at) => onSequence(most > 0 ? cells.of(nth, value, at) / most : 0),
      says: (at) => saysOf(cells, strip, nth, at),
      open: opener(report, shown, cells, nth),
    });
    return element("figure", {}, element("figcaption", {}, runName(report.runs, cells.run)), made);
  });
  const [one, other] = shown;
  if (one !== undefined && other !== undefined) {
    const by = (at: number): number => other.of(nth, value, at) - one.of(nth, value, at);
    const made = stripOf({
      period,
      label: `Difference of ${chosen.title.toLowerCase()} of ports ${name}`,
      count: strip.cells,
      colour: (at) => onDifferences(most > 0 ? by(at) / most : 0),
      says: (at) => {
        const [before, after] = [one, other].map((cells) => chosen.write(cells.of(nth, value, at)));
        const [run, base] = [other, one].map((cells) => report.runs[cells.run]?.name ?? "");
        return `${whereIs(one.names(nth, at), strip.each)}: ${chosen.title.toLowerCase()} ${after} in ${run}, ${before} in ${base}`;
      },
      open: opener(report, shown, one, nth),
    });
    const caption = element("figcaption", {}, runName(report.runs, other.run), " minus ", runName(report.runs, one.run));
    figures.push(element("figure", { class: "difference" }, caption, made));
  }
  return element("div", {}, title, element("div", { class: "tiers" }, ...figures));
}

/** Whether two runs have the same strips, so that they can be shown side by side. */
function isAlike(report: Report, one: number, other: number): boolean {
  const [left, right] = [one, other].map((run) => report.tier_ports[run]?.strips ?? []);
  const same = (strip: TierStrip, nth: number): boolean =>
    right?.[nth] !== undefined && kinds(right[nth]) === kinds(strip) && right[nth].ports === strip.ports;
  return left !== undefined && left.length === right?.length && left.every(same);
}

/** The runs shown at first: of two variants, the second one like the first. */
function atFirst(report: Report, runs: number[]): number[] {
  const [first = 0, ...others] = comparedFirst(report, runs);
  return [first, ...others.filter((run) => isAlike(report, first, run)).slice(0, 1)];
}

/** The drawing, which is made anew for each choice. */
class Drawing {
  readonly box = element("div");
  private readonly report: Report;
  private readonly runs: number[];
  private readonly values: number[];
  private value = 0;
  private shown: number[];

  constructor(report: Report, runs: number[]) {
    this.report = report;
    this.runs = runs;
    this.shown = atFirst(report, runs);
    const strips = runs.flatMap((run) => report.tier_ports[run]?.strips ?? []);
    const has = [true, strips.some(({ queue }) => (queue ?? 0) > 0), strips.some(({ dropped }) => dropped > 0)];
    this.values = [...has, strips.some(({ paused }) => paused > 0)].flatMap((is, value) => (is ? [value] : []));
    this.draw();
    onLetters(this.box, { d: () => this.nextDifference() });
  }

  /** Moves the focus to the first difference of two runs, or from one to the next. */
  private nextDifference(): void {
    const all = [...this.box.querySelectorAll<HTMLElement>(".difference canvas")];
    const next = all[all.findIndex((one) => one === document.activeElement) + 1] ?? all[0];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "center" });
  }

  private draw(): void {
    const unpacking = Promise.all(this.shown.map((run) => unpack(this.report, run)));
    this.box.replaceChildren(this.controls(), unpacked(unpacking, (cells) => this.strips(cells)));
  }

  private strips(cells: Cells[]): HTMLElement {
    const most = largest(this.report, cells, this.value);
    const strips = this.report.tier_ports[this.shown[0] ?? 0]?.strips ?? [];
    const { write = String, difference = String } = VALUES[this.value] ?? {};
    const scales = [scaleBar(SCALE, write(0), write(most))];
    if (cells.length > 1) {
      scales.push(scaleBar(DIFFERENCES, `${difference(most)} less`, `${difference(most)} more`));
    }
    return element("div", {}, ...scales, ...strips.map((_, nth) => row(this.report, cells, nth, this.value, most)));
  }

  private controls(): HTMLElement {
    const buttons = this.values.map((value) => {
      const button = element("input", { type: "radio", name: "tier-value", value: String(value) });
      button.checked = value === this.value;
      button.addEventListener("change", () => {
        this.value = value;
        this.draw();
      });
      return element("label", {}, button, VALUES[value]?.title ?? "");
    });
    const choice = element("fieldset", {}, element("legend", {}, "Colour by"), ...buttons);
    const [first = 0, second] = this.shown;
    if (this.runs.length < 3) {
      return choice;
    }
    const others = this.runs.filter((run) => run !== first && isAlike(this.report, first, run));
    const left = chooser("Run", this.named(this.runs), first, (run) => this.choose([run, second]));
    const right = chooser("beside", this.named(others), second ?? -1, (run) => this.choose([first, run]));
    return element("div", {}, choice, element("p", {}, left, " ", right));
  }

  private named(runs: number[]): Choice[] {
    return runs.map((run) => ({ value: run, name: this.report.runs[run]?.name ?? "" }));
  }

  /** Shows these runs; one beside which the first cannot be shown is replaced by another. */
  private choose([first, second]: [number, number | undefined]): void {
    const others = this.runs.filter((run) => run !== first && isAlike(this.report, first, run));
    const beside = second !== undefined && others.includes(second) ? second : others[0];
    this.shown = beside === undefined ? [first] : [first, beside];
    this.draw();
  }
}

/** The worst ports of each tier by name. */
function table(report: Report, runs: number[]): HTMLElement {
  const rows = runs.flatMap((run) =>
    (report.tier_ports[run]?.strips ?? []).map((strip, nth): Cell[] => [
      report.runs[run]?.name ?? "",
      titleOf(report, run, nth),
      count(strip.ports),
      percent(strip.mean),
      percent(strip.median),
      percent(strip.most),
      strip.most > 0 ? strip.busiest.join(" → ") : "–",
      strip.queue === null ? "–" : size(strip.queue),
      strip.longest[0] === "" ? "–" : strip.longest.join(" → "),
      count(strip.dropped),
      percent(strip.paused),
    ]),
  );
  const columns = [
    { title: "run" },
    { title: "tier" },
    { title: "ports", number: true },
    { title: "mean utilization", number: true },
    { title: "median", number: true },
    { title: "busiest port", number: true },
    { title: "which" },
    { title: "longest queue", number: true },
    { title: "at" },
    { title: "packets dropped", number: true },
    { title: "longest blocked (share of the run)", number: true },
  ];
  return asTable("Ports of each tier", columns, rows);
}

function content(report: Report): HTMLElement[] {
  const runs = report.tier_ports.flatMap(({ strips }, run) => (strips.length > 0 ? [run] : []));
  if (runs.length === 0) {
    return [];
  }
  const what = "Utilization: the share of time in which a port was sending";
  const text = "Cells are in the order of the nodes, from left to right and line by line; point at a cell, or use the arrow keys, to read what it is; a click or the enter key shows its busiest port over time in the drawing above, together with those that share its line there.";
  const over = overNote(report, what).trim() || `${what}, over the whole run.`;
  const rest = "Queues, drops and the time blocked (paused or without credits) are those of the whole run.";
  return [note(`${text} ${over} ${rest}`), new Drawing(report, runs).box, table(report, runs)];
}

/** The panel. */
export const TIER_PORTS: Panel = { id: "tier_ports", title: "Ports by tier", needs: "ports", content };
