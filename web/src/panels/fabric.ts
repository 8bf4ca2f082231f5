// The fabric explorer: utilization, backlog, pauses and drops of links, over time.

import type { Report } from "../data.ts";
import { explorer, shownOf } from "../fabric/explorer.ts";
import { unpacked } from "../unpacked.ts";
import type { Panel } from "./panel.ts";

const content = (report: Report): HTMLElement[] => [unpacked(shownOf(report), (all) => explorer(report, all))];

/** The panel. */
export const FABRIC: Panel = { id: "drawing", title: "Fabric over time", needs: "ports", content };
