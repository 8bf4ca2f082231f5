// Legend of the colours and marks of the drawing.

import { element, note } from "../dom.ts";
import { lineName } from "../palette.ts";
import { ROLES, VICTIM } from "../tree.ts";
import { STEPS } from "./drawing.ts";
import type { Metric } from "./metrics.ts";
import { valueAt } from "./metrics.ts";

/** The scale: a square for each colour step, with the values at which steps begin. */
export function scaleOf(metric: Metric, most: number): HTMLElement {
  const above = (step: number): string => metric.write(valueAt(metric, (step - 1) / (STEPS - 1), most));
  // Between two limits that are written alike there is no whole number, so no value has the step.
  const used = Array.from({ length: STEPS }, (_, step) => step).filter((step) => step === 0 || step === STEPS - 1 || above(step) !== above(step + 1));
  const steps = used.map((step) =>
    element("li", {}, element("span", { class: `key step-${step}` }), step === 0 ? metric.write(0) : `> ${above(step)}`),
  );
  const end = element("li", {}, `up to ${metric.write(most)}`);
  return element("ul", { class: "steps", "aria-label": `Scale of ${metric.title.toLowerCase()}` }, ...steps, end);
}

const FAILED = { colour: "var(--warning)", dash: [4, 3] };

/** The legend of those marks that occur. */
export function marksOf(hasRoles: boolean, hasFailures: boolean): HTMLElement[] {
  const roles = [
    lineName("root of a congestion tree", ROLES.root),
    lineName("branch", ROLES.branch),
    lineName("leaf: a blocked host", ROLES.leaf),
    lineName("host whose flows are victims", VICTIM),
  ];
  const marks = [...(hasRoles ? roles : []), ...(hasFailures ? [lineName("✕ link down", FAILED)] : [])];
  const unknown = hasRoles ? [] : [note("Roots and branches of congestion trees are shown if the run records them: record.congestion.")];
  return marks.length === 0 ? unknown : [element("p", { class: "legend" }, ...marks), ...unknown];
}
