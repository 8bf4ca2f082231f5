// The page about a sweep of which no run folders are kept: what was varied, thresholds, times over the varied values, and a
// table of all variants.

import { element, folded, note } from "./dom.ts";
import { legendOf, lineName, strokesByName } from "./palette.ts";
import { figure } from "./panels/panel.ts";
import type { CurveData, MeanData, StudyData, StudyJob, StudyVariant } from "./study_data.ts";
import { asTable, table } from "./tables.ts";
import type { Cell } from "./tables.ts";
import { thresholds } from "./thresholds.ts";
import { change, count, significant, some, span, spanUnit } from "./units.ts";
import { reading, valueChart } from "./value_curves.ts";
import type { StrokeOf } from "./value_curves.ts";

/** Largest number of sentences that are not folded. */
const MOST = 6;
/** Failed points that are not folded. */
const FAILURES = 5;

/** A section with its place in the page's address. */
export interface StudySection {
  id: string;
  title: string;
  content: HTMLElement[];
}

const optional = (seconds: number | null | undefined): Cell => (seconds === null || seconds === undefined ? null : span(seconds));

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Which seeds there are. */
const seedsOf = ([first, last]: [number, number]): string => (first === last ? `seed ${count(first)}` : `seeds ${count(first)} to ${count(last)}`);

function failures({ failed }: StudyData): HTMLElement[] {
  if (failed.length === 0) {
    return [];
  }
  const rows = failed.map(({ variant, seed, reason }) => [variant, count(seed), reason]);
  const told = table("Points that failed", [{ title: "variant" }, { title: "seed", number: true }, { title: "reason" }], rows);
  return failed.length > FAILURES ? [folded(some(failed.length, "failed point"), told)] : [told];
}

/** What is shown, of how many points, and which variant is better. */
function about(study: StudyData): HTMLElement[] {
  const { points, total, failed, varied, seeds, answer } = study;
  const lacking = points === total ? "" : `; ${count(failed.length)} failed, ${count(total - points - failed.length)} not computed yet`;
  const which = varied.map((words) => element("li", {}, element("code", {}, words)));
  const said = (answer?.verdicts ?? []).flatMap(({ compared }) => compared.map(({ sentence }) => element("p", { class: "finding" }, `${capital(sentence)}.`)));
  const rest = said.slice(MOST);
  const counted = note(`${count(points)} of ${some(total, "point")}, ${seedsOf(seeds)}${lacking}. Means are over seeds, with their 95 % intervals.`);
  if (points < total) {
    counted.className = "warning";
  }
  return [
    counted,
    ...(which.length === 0 ? [] : [note("Varied:"), element("ul", {}, ...which)]),
    ...said.slice(0, MOST),
    ...(rest.length === 0 ? [] : [folded(some(rest.length, "further comparison"), ...rest)]),
    ...failures(study),
  ];
}

function curve({ quantity, axis, is_joined, lines }: CurveData, strokeOf: StrokeOf): HTMLElement[] {
  const longest = lines.flatMap(({ points }) => points.map(({ mean }) => mean)).reduce((one, other) => Math.max(one, other), 0);
  const unit = spanUnit(longest);
  const title = axis.path === "" ? capital(quantity) : `${capital(quantity)} over ${axis.path}`;
  const up = { title: `${quantity} (${unit.name})`, worth: unit.worth, write: span, fromZero: false };
  const isNamed = lines.length > 1;
  const columns = [{ title: axis.path === "" ? "variant" : axis.path }, ...(isNamed ? [{ title: "with" }] : []), { title: "seeds", number: true }, { title: quantity, number: true }];
  const rows = lines.flatMap(({ name, points }) => points.map((point) => [point.value, ...(isNamed ? [name] : []), count(point.seeds), reading(point, span)]));
  return [figure(title, valueChart(title, axis, is_joined, lines, up, strokeOf)), asTable(title, columns, rows)];
}

/** The names of lines: a chart may lack some, and yet each has the same stroke in all of them. */
const namesIn = (found: CurveData[]): string[] => [...new Set(found.flatMap(({ lines }) => lines.map(({ name }) => name)))];

function strokesOf({ curves: found, thresholds: searched }: StudyData): StrokeOf {
  const names = [...new Set([...namesIn(found), ...(searched?.found ?? []).map(({ tried }) => tried.name)])];
  return strokesByName(names);
}

function curves({ curves: found }: StudyData, strokeOf: StrokeOf): HTMLElement[] {
  const names = namesIn(found);
  const legend = names.length > 1 ? [legendOf(names.map((name) => lineName(name, strokeOf(name))))] : [];
  const joined = found.some(({ is_joined }) => is_joined) ? " Between the points of a line nothing is known." : "";
  return found.length === 0 ? [] : [note(`Means over seeds; whiskers are 95 % intervals.${joined}`), ...legend, ...found.flatMap((data) => curve(data, strokeOf))];
}

const meanOf = (found: MeanData | null): Cell[] => (found === null ? [null, null] : [span(found.mean), optional(found.half)]);

function differenceOf({ difference }: StudyJob): Cell[] {
  if (difference === null) {
    return [null, null];
  }
  const { mean, half, base } = difference;
  return [change(1 + mean / base), half === null ? null : `${significant((half / base) * 100)} %`];
}

/** The rows of a variant, one for each job. */
function rowsOf({ name, points, jobs, fct, fct_p99 }: StudyVariant, hasSeveral: boolean, hasMessages: boolean): Cell[][] {
  const messages = (nth: number): Cell[] => (!hasMessages ? [] : nth === 0 ? [...meanOf(fct), optional(fct_p99)] : [null, null, null]);
  const row = (job: StudyJob, nth: number): Cell[] => [
    name,
    ...(hasSeveral ? [job.name] : []),
    count(job.seeds),
    ...meanOf(job.step),
    optional(job.step_p99),
    ...differenceOf(job),
    ...messages(nth),
  ];
  const none: Cell[] = [name, ...(hasSeveral ? [null] : []), count(points), null, null, null, null, null, ...messages(0)];
  return jobs.length === 0 ? [none] : jobs.map(row);
}

function variants({ variants: found, baseline, over }: StudyData): HTMLElement[] {
  const hasSeveral = found.some(({ jobs }) => jobs.length > 1);
  const hasMessages = found.some(({ fct }) => fct !== null);
  const numbers = ["seeds", "step mean", "± 95 %", "step p99", "difference", "± 95 % of it", ...(hasMessages ? ["FCT mean", "± 95 % of FCT", "FCT p99"] : [])];
  const columns = [{ title: "variant" }, ...(hasSeveral ? [{ title: "job" }] : []), ...numbers.map((title) => ({ title, number: true }))];
  const name = found[baseline]?.name ?? "";
  const messages = hasMessages ? ` FCT: ${over}.` : "";
  return [
    note(`Differences are from ${name === "" ? "the first variant" : name}, seed by seed; if an interval contains zero, these seeds show no difference.${messages}`),
    table("Means over seeds, by variant", columns, found.flatMap((variant) => rowsOf(variant, hasSeveral, hasMessages))),
  ];
}

/** The sections of the page, those without content left out. */
export function studySections(study: StudyData): StudySection[] {
  const strokeOf = strokesOf(study);
  const all = [
    { id: "study", title: "Study", content: about(study) },
    { id: "threshold", title: "Threshold", content: study.thresholds === null ? [] : thresholds(study.thresholds, strokeOf) },
    { id: "curves", title: "Times over the varied values", content: curves(study, strokeOf) },
    { id: "variants", title: "Variants", content: variants(study) },
  ];
  return all.filter(({ content }) => content.length > 0);
}
