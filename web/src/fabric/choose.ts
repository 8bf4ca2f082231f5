// Choice of the metric that colours show.

import { element } from "../dom.ts";
import { METRICS } from "./metrics.ts";
import type { Metric } from "./metrics.ts";

/** A button for each metric, of which one is pressed. */
export function chooseMetric(chosen: Metric, choose: (metric: Metric) => void): HTMLElement {
  const choices = METRICS.map((metric) => {
    const button = element("input", { type: "radio", name: "metric", value: metric.id });
    button.checked = metric === chosen;
    button.addEventListener("change", () => choose(metric));
    return element("label", {}, button, metric.title);
  });
  return element("fieldset", {}, element("legend", {}, "Colour by"), ...choices);
}
