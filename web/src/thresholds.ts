// What a search for thresholds found: a sentence for each combination of the other values, and how much longer steps take
// over the values that were tried.

import { element, note } from "./dom.ts";
import { legendOf, lineName } from "./palette.ts";
import { figure } from "./panels/panel.ts";
import type { ThresholdData } from "./study_data.ts";
import { asTable } from "./tables.ts";
import { change, count, significant } from "./units.ts";
import { valueChart } from "./value_curves.ts";
import type { StrokeOf } from "./value_curves.ts";

const ABOUT =
  "Points are means over seeds of how much longer steps take than at the beginning of the range, seed by seed; whiskers are 95 % " +
  "intervals. In the shaded part the threshold is crossed: outside of it the difference is certain, or, without intervals, the means lie on one side.";

/** The content of a section about thresholds. */
export function thresholds({ axis, threshold, found }: ThresholdData, strokeOf: StrokeOf): HTMLElement[] {
  const lines = found.map(({ tried }) => tried);
  const said = found.map(({ words }) => element("p", { class: "finding" }, `${words}.`));
  const isNamed = lines.length > 1;
  const up = { title: "step time longer by (%)", worth: 0.01, write: (share: number) => `${significant(share * 100)} %`, fromZero: true };
  const level = { value: threshold, name: `threshold ${significant(threshold * 100)} %` };
  const shaded = found.flatMap(({ interval }) => (interval === null ? [] : [interval]));
  const drawing = valueChart(`Step time over ${axis.path}, relative to the beginning of the range`, axis, true, lines, up, strokeOf, { level, shaded });
  const rows = lines.flatMap(({ name, points }) =>
    points.map(({ value, seeds, mean, half }) => [value, ...(isNamed ? [name] : []), count(seeds), change(1 + mean), half === null ? null : `${significant(half * 100)} %`]),
  );
  const columns = [{ title: axis.path }, ...(isNamed ? [{ title: "with" }] : []), ...["seeds", "step mean", "± 95 %"].map((title) => ({ title, number: true }))];
  const legend = isNamed ? [legendOf(lines.map(({ name }) => lineName(name, strokeOf(name))))] : [];
  return [...said, note(ABOUT), ...legend, figure("Step time relative to the beginning of the range", drawing), asTable("The values that were tried", columns, rows)];
}
