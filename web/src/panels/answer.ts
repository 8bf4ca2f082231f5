// The answer: which variant is better than the baseline, by how much, and how sure that is; what steps waited for.
// Leaves out: sentences of the last of many variants, which are folded; their numbers are in chart and table.

import { areaName } from "../areas.ts";
import type { Area } from "../areas.ts";
import { arrows } from "../arrows.ts";
import { barChart } from "../bars.ts";
import { besides } from "../besides.ts";
import type { Bar } from "../bars.ts";
import { areasOf } from "../cause_colours.ts";
import type { Answer, Compared, StepCauses } from "../answer_data.ts";
import type { Report } from "../data.ts";
import { element, folded, note } from "../dom.ts";
import { legendOf, runColour } from "../palette.ts";
import { partsChart } from "../parts.ts";
import { asTable } from "../tables.ts";
import { count, significant, some, span, spanUnit } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

const OUTCOME: Record<Compared["outcome"], string> = {
  faster: "faster",
  no_difference: "no difference shown",
  slower: "slower",
  one_pair: "a single pair",
  no_pair: "no pair",
};

/** With a full stop, the page's arrows, and a capital letter unless it begins with a name. */
function sentence(text: string): string {
  const whole = arrows(text);
  return `${/^(no|job|why)\b/.test(whole) ? whole.charAt(0).toUpperCase() + whole.slice(1) : whole}.`;
}

function bar({ variants }: Answer, { variant, speedup, outcome }: Compared): Bar[] {
  const found = variants[variant];
  if (found === undefined || speedup === null) {
    return [];
  }
  const within = speedup.low === null || speedup.high === null ? "" : `, ${significant(speedup.low)} to ${significant(speedup.high)}`;
  const tip = [`${significant(speedup.ratio)} times${within}`, OUTCOME[outcome], `${count(speedup.pairs)} pairs`];
  return [{ name: found.name, colour: runColour(found.runs[0] ?? 0), value: speedup.ratio, low: speedup.low, high: speedup.high, tip }];
}

const COLUMNS = ["time", "time of the baseline", "times as fast", "from", "to", "pairs", "faster in"];

function cells({ variants }: Answer, { variant, time, baseline_time, speedup, outcome }: Compared): (string | null)[] {
  const ratios = speedup === null ? [null, null, null] : [speedup.ratio, speedup.low, speedup.high];
  const counts = speedup === null ? [null, null] : [speedup.pairs, speedup.faster];
  return [
    variants[variant]?.name ?? "",
    OUTCOME[outcome],
    ...[time, baseline_time].map((seconds) => (seconds === null ? null : span(seconds))),
    ...ratios.map((ratio) => (ratio === null ? null : significant(ratio))),
    ...counts.map((number) => (number === null ? null : count(number))),
  ];
}

/** The name of a bar: a typical step has its number. */
const barName = (name: string, { basis }: StepCauses): string => ("mean" in basis ? name : `${name} · step ${count(basis.typical)}`);

/** What the steps waited for: those of the baseline, then those of the variants that were explained. */
function reasons({ variants, baseline }: Answer, compared: Compared[], areas: Map<string, Area>, of: string): HTMLElement[] {
  const found = compared.flatMap(({ variant, reason }) => (reason === null ? [] : [{ variant, reason }]));
  const first = found[0];
  if (first === undefined) {
    return [];
  }
  const steps = [{ variant: baseline, step: first.reason.baseline }, ...found.map(({ variant, reason }) => ({ variant, step: reason.own }))];
  const names = [...new Set(steps.flatMap(({ step }) => step.causes.map(([name]) => name)))];
  const drawn = names.flatMap((name) => areas.get(name) ?? []);
  const time = (step: StepCauses, cause: string) => step.causes.find(([name]) => name === cause)?.[1] ?? 0;
  const bars = steps.map(({ variant, step }) => ({
    name: barName(variants[variant]?.name ?? "", step),
    parts: names.map((name) => time(step, name)),
    tip: names.map((name) => `${name}: ${span(time(step, name))}`),
  }));
  const unit = spanUnit(Math.max(...steps.map(({ step }) => step.time_s)));
  const columns = [{ title: "step" }, { title: "time", number: true }, ...names.map((title) => ({ title, number: true }))];
  const cells = steps.map(({ step }, place) => [bars[place]?.name ?? "", span(step.time_s), ...names.map((name) => span(time(step, name)))]);
  return [
    legendOf(drawn.map((area, place) => areaName(names[place] ?? "", area))),
    figure(`What the chain of messages of a step waited for${steps.every(({ step }) => "mean" in step.basis) ? ", mean of all steps" : ""}${of}`, partsChart(`Causes of steps${of}`, "time of the step", unit, drawn, bars)),
    asTable(`Causes of steps${of}`, columns, cells),
  ];
}

/** Largest number of sentences of a job that are not folded. */
const MOST_SENTENCES = 8;

/** What a comparison shows, and why if that is known. */
const sentences = ({ sentence: shown, reason }: Compared): string[] => (reason === null ? [shown] : [shown, reason.sentence]).map(sentence);

/** Number of comparisons, from the first one, that together have at most so many sentences. */
function unfolded(compared: Compared[]): number {
  const until = compared.slice(0, MOST_SENTENCES + 1).map((_, place) => compared.slice(0, place + 1).flatMap(sentences).length);
  const more = until.findIndex((total) => total > MOST_SENTENCES);
  return more < 0 ? compared.length : more;
}

/** The sentences of a job; with many variants the last ones are folded. */
function said(compared: Compared[], isHeadline: boolean): HTMLElement[] {
  const paragraphs = (found: Compared[]): HTMLElement[] =>
    found.flatMap(sentences).map((text) => element("p", { class: "further" }, text));
  const [shown, hidden] = [compared.slice(0, unfolded(compared)), compared.slice(unfolded(compared))];
  const first = paragraphs(shown);
  if (isHeadline) {
    first[0]?.setAttribute("class", "finding");
  }
  return [...first, ...(hidden.length === 0 ? [] : [folded(some(hidden.length, "more variant"), ...paragraphs(hidden))])];
}

/** The sentences of a job, a chart of the ratios, and all numbers. */
function verdict(answer: Answer, place: number, areas: Map<string, Area>): HTMLElement[] {
  const { job, compared } = answer.verdicts[place] ?? { job: null, compared: [] };
  const base = answer.variants[answer.baseline]?.name ?? "";
  const of = answer.verdicts.length > 1 && job !== null ? `, job ${job}` : "";
  const bars = compared.flatMap((found) => bar(answer, found));
  const columns = [{ title: "variant" }, { title: "outcome" }, ...COLUMNS.map((title) => ({ title, number: true }))];
  const level = { value: 1, name: base };
  return [
    ...said(compared, place === 0),
    figure(`Times as fast as ${base}${of}; lines are 95 % intervals`, barChart(`Speedup over ${base}${of}`, "times as fast", { name: "", worth: 1 }, bars, level)),
    asTable(`Comparison with ${base}${of}`, columns, compared.map((found) => cells(answer, found))),
    ...reasons(answer, compared, areas, of),
  ];
}

/** Largest number of sentences besides the verdicts that are not folded. */
const MOST_BESIDES = 3;

/** The sentences besides the verdicts; with many variants the last ones are folded. */
function alsoSaid(texts: string[]): HTMLElement[] {
  const paragraphs = texts.map((text) => element("p", { class: "beside" }, `${text}.`));
  const [shown, hidden] = [paragraphs.slice(0, MOST_BESIDES), paragraphs.slice(MOST_BESIDES)];
  return [...shown, ...(hidden.length === 0 ? [] : [folded(some(hidden.length, "more sentence"), ...hidden)])];
}

function content(report: Report): HTMLElement[] {
  const { answer } = report;
  if (answer === null) {
    return [];
  }
  const areas = areasOf(report);
  return [
    ...answer.verdicts.flatMap((_, place) => verdict(answer, place, areas)),
    ...alsoSaid(besides(report, answer)),
    ...answer.notes.map((text) => note(sentence(text))),
    note(
      "The ratio is the geometric mean over pairs: of mean times by seed where variants have at least two seeds in common, else of steps of the one seed that " +
        "they share. Its interval is that of Student's t over logarithms, for independent pairs. Steps of one run say nothing about other seeds.",
    ),
  ];
}

/** The panel. */
export const ANSWER: Panel = { id: "answer", title: "Answer", content };
