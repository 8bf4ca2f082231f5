// Ranks in recorded steps.

import type { Report } from "../data.ts";
import { note } from "../dom.ts";
import { choicesOf, picker } from "../jobs/picker.ts";
import { unpacked } from "../unpacked.ts";
import type { Panel } from "./panel.ts";

function content(report: Report): HTMLElement[] {
  if (report.timeline.every((found) => found === null)) {
    return report.steps.length === 0 ? [] : [note("No step was recorded for each rank; record.timeline sets the number of recorded steps.")];
  }
  return [
    note("Recorded are the first step of each job and the slowest of the others. Upper half of a row: phases of the rank; lower half: collectives."),
    unpacked(choicesOf(report), (choices) => picker(report, choices)),
  ];
}

/** The panel. */
export const RANKS: Panel = { id: "ranks", title: "Ranks in a step", content };
