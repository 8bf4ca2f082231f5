// Ranks in recorded steps.

import { drawAll } from "../chart.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { picker } from "../jobs/picker.ts";
import type { Panel } from "./panel.ts";

function content(report: Report): HTMLElement[] {
  if (report.timeline.every((found) => found === null)) {
    return report.steps.length === 0 ? [] : [note("No step was recorded rank by rank: record.timeline says how many are.")];
  }
  const place = element("div", { "aria-busy": "true" }, note("Unpacking…"));
  picker(report).then(
    (made) => {
      place.replaceChildren(made);
      place.removeAttribute("aria-busy");
      drawAll();
    },
    (error: unknown) => place.replaceChildren(element("p", { class: "warning" }, `This browser cannot unpack it: ${String(error)}`)),
  );
  return [
    note("The first step of each job is recorded rank by rank, and the slowest of the others. Upper half of a row: phases; lower half: collectives."),
    place,
  ];
}

/** The panel. */
export const RANKS: Panel = { id: "ranks", title: "Ranks in a step", content };
