// The fabric explorer: utilization, backlog, pauses and drops of links, over time.

import type { Report } from "../data.ts";
import { note } from "../dom.ts";
import { explorer, shownOf } from "../fabric/explorer.ts";
import { unpacked } from "../unpacked.ts";
import { overNote } from "../over.ts";
import type { Panel } from "./panel.ts";

/** The time that utilization is taken over, if that is not the whole run. */
function over(report: Report): HTMLElement[] {
  const text = overNote(report, "At “whole run”, utilization is that").trim();
  return text === "" ? [] : [note(text)];
}

const content = (report: Report): HTMLElement[] => [
  ...over(report),
  unpacked(shownOf(report), (all) => explorer(report, all)),
];

/** The panel. */
export const FABRIC: Panel = { id: "drawing", title: "Fabric over time", needs: "ports", content };
