// Measured and simulated cells: ratio against ratio and time against time, and by sizes for those that differ most.

import { ratioChart } from "../buckets.ts";
import type { BesidePair, BesideScore, InterferenceCell, Report, Study } from "../data.ts";
import type { Nearness } from "../maps_data.ts";
import { note } from "../dom.ts";
import { legendOf, lineName, lineStroke } from "../palette.ts";
import { marksLegend, scatter } from "../scatter.ts";
import type { Mark, Marks } from "../scatter.ts";
import { asTable } from "../tables.ts";
import { change, count, percent, significant, size, some, span } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** Largest number of groups drawn by size. */
const MOST_GROUPS = 8;

/** A cell with its measured and its simulated values. */
interface Twice extends BesidePair {
  real: InterferenceCell;
  model: InterferenceCell;
}

function twice({ cells }: Study, found: BesidePair): Twice[] {
  const [real, model] = [cells[found.measured], cells[found.simulated]];
  return real === undefined || model === undefined ? [] : [{ ...found, real, model }];
}

const bursts = ({ bursts: found }: InterferenceCell): string =>
  found === null ? "" : `, bursts of ${span(found[0])} and pauses of ${span(found[1])}`;

/** The description of a cell without its size. */
const place = (cell: InterferenceCell): string =>
  `${cell.victim} ${cell.aggressor === null ? "in isolation" : `with ${cell.aggressor}`}, ${count(cell.nodes)} hosts${bursts(cell)}`;

const series = ({ scenario, measured }: { scenario: string; measured: string }): string =>
  scenario === measured ? scenario : `${scenario} against ${measured} as measured`;

const seriesOf = ({ real, model }: Twice): string => series({ scenario: model.scenario, measured: real.scenario });

const ratio = ({ ratio: found }: InterferenceCell): string =>
  found === null ? "none" : `${significant(found.value)}${found.half === null ? "" : ` ± ${significant(found.half)}`}`;

const against = (found: number | null): string => (found === null ? "" : ` (${change(found)})`);

const tips = (cell: Twice): string[] => [
  `${place(cell.real)}, ${size(cell.real.bytes)}`,
  `ratio: measured ${ratio(cell.real)}, simulated ${ratio(cell.model)}${against(cell.ratio)}`,
  `mean time: measured ${span(cell.real.mean_s)}, simulated ${span(cell.model.mean_s)}${against(cell.mean)}`,
  ...(cell.real.baseline_s === null || cell.model.baseline_s === null
    ? []
    : [`in isolation: measured ${span(cell.real.baseline_s)}, simulated ${span(cell.model.baseline_s)}${against(cell.baseline)}`]),
];

/** One kind of mark for each series. */
function kinds(cells: Twice[], mark: (cell: Twice) => Omit<Mark, "heading" | "tip"> | null): Marks[] {
  return [...new Set(cells.map(seriesOf))]
    .map((name) => ({
      name,
      marks: cells
        .filter((cell) => seriesOf(cell) === name)
        .flatMap((cell) => {
          const drawn = mark(cell);
          return drawn === null ? [] : [{ ...drawn, heading: name, tip: tips(cell) }];
        }),
    }))
    .filter(({ marks }) => marks.length > 0);
}

function drawn(title: string, names: [string, string], marks: Marks[], written: (value: number) => string): HTMLElement[] {
  if (marks.length === 0) {
    return [];
  }
  const chart = scatter(title, names, marks, written);
  return [figure(title, marksLegend(marks), chart)];
}

function scatters(cells: Twice[]): HTMLElement[] {
  const ratios = kinds(cells, ({ real, model }) =>
    real.ratio === null || model.ratio === null
      ? null
      : { across: real.ratio.value, up: model.ratio.value, halves: [real.ratio.half, model.ratio.half] },
  );
  const times = kinds(cells, ({ real, model }) => ({ across: real.mean_s, up: model.mean_s, halves: [null, null] }));
  return [
    ...drawn("Ratio, simulated against measured", ["measured ratio (isolated / congested)", "simulated ratio"], ratios, significant),
    ...drawn("Mean time, simulated against measured", ["measured mean time", "simulated mean time"], times, span),
  ];
}

/** The mean over the cells of a group of |ln(simulated / measured)|. */
const distance = (group: Twice[]): number =>
  group.reduce((sum, { ratio: found }) => sum + Math.abs(Math.log(found ?? 1)), 0) / group.length;

/** Ratios by size, measured and simulated, of the groups that differ most. */
function bySize(cells: Twice[]): HTMLElement[] {
  const name = (cell: Twice): string => `${place(cell.real)} (${seriesOf(cell)})`;
  const compared = cells.filter((cell) => cell.ratio !== null);
  const groups = [...new Set(compared.map(name))]
    .map((found) => compared.filter((cell) => name(cell) === found))
    .filter((group) => new Set(group.map(({ real }) => real.bytes)).size > 1)
    .sort((left, right) => distance(right) - distance(left));
  const line = (group: Twice[], kind: "real" | "model", nth: number): Parameters<typeof ratioChart>[3][number] => ({
    name: kind === "real" ? "measured" : "simulated",
    ...lineStroke(nth),
    points: group
      .map((cell) => ({ size: cell.real.bytes, value: cell[kind].ratio?.value ?? 0, half: cell[kind].ratio?.half ?? null }))
      .sort((left, right) => left.size - right.size),
  });
  const figures = groups.slice(0, MOST_GROUPS).map((group) => {
    const lines = [line(group, "real", 0), line(group, "model", 1)];
    const title = group[0] === undefined ? "" : name(group[0]);
    return figure(
      title,
      legendOf(lines.map((one) => lineName(one.name, one))),
      ratioChart(`Ratio by size, ${title}`, "ratio of means (isolated / congested)", "size", lines),
    );
  });
  const left = groups.length - figures.length;
  return [
    ...(figures.length > 0 ? [pair(...figures)] : []),
    ...(left > 0 ? [note(`${some(left, "more group")} with smaller differences are only in the table.`)] : []),
  ];
}

const nearness = (found: Nearness): string =>
  `${found.median_error.toFixed(3)}, and ${percent(found.share_near)} of the cells are within 0.1`;

/** The scores of a series as text. */
function score(found: BesideScore): string {
  const ratios =
    found.ratio === null || found.trivial === null
      ? ""
      : ` Ratios of ${some(found.cells, "cell")}: the median of |ln(simulated / measured)| is ${nearness(found.ratio)}; ` +
        `a prediction of 1 for every cell has ${nearness(found.trivial)}.` +
        (found.order === null ? "" : ` Rank correlation (Kendall's tau): ${significant(found.order)} (1: same order, 0: unrelated).`);
  const times = found.time === null ? "" : ` Times of ${some(found.times, "cell")}: ${nearness(found.time)}.`;
  return `${series(found)}.${ratios}${times}`;
}

const NUMBERS = ["hosts", "size", "measured ratio", "simulated ratio", "change of the ratio"];
const TIMES = ["measured mean", "simulated mean", "change of the mean", "measured in isolation", "simulated in isolation"];

const row = ({ real, model, ratio: off, mean }: Twice): string[] => [
  model.scenario,
  real.scenario,
  real.victim,
  real.aggressor ?? "none",
  bursts(real).replace(/^, /, ""),
  count(real.nodes),
  size(real.bytes),
  real.ratio === null ? "" : significant(real.ratio.value),
  model.ratio === null ? "" : significant(model.ratio.value),
  off === null ? "" : change(off),
  span(real.mean_s),
  span(model.mean_s),
  change(mean),
  real.baseline_s === null ? "" : span(real.baseline_s),
  model.baseline_s === null ? "" : span(model.baseline_s),
];

function content({ interference: study }: Report): HTMLElement[] {
  if (study === null || study.beside === null) {
    return [];
  }
  const { beside } = study;
  const cells = beside.pairs.flatMap((found) => twice(study, found));
  const words = ["simulated scenario", "measured system", "victim", "aggressor", "bursts"].map((title) => ({ title }));
  const columns = [...words, ...[...NUMBERS, ...TIMES].map((title) => ({ title, number: true }))];
  return [
    note(
      "Cells that were both measured on a machine and simulated: with the same hosts, collectives, sizes and bursts, where the " +
        "name of the scenario begins with that of the machine, or vice versa. On the diagonal both values are equal; between the " +
        "dashed lines they differ by at most 10 %. Changes are simulated relative to measured values.",
    ),
    ...beside.scores.map((found) => note(score(found))),
    ...beside.only_measured.map(({ reason, cells: n }) => note(`${some(n, "measured cell")} without a simulated counterpart: ${reason}.`)),
    ...(beside.only_simulated > 0 ? [note(`${some(beside.only_simulated, "simulated cell")} without a measured counterpart.`)] : []),
    ...(cells.length > 0 ? [pair(...scatters(cells)), ...bySize(cells)] : []),
    ...(cells.length > 0 ? [asTable("Measured and simulated", columns, cells.map(row))] : []),
  ];
}

/** The panel. */
export const MEASURED: Panel = { id: "measured", title: "Measured and simulated", content };
