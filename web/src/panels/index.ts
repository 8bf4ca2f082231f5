// The panels in their order: the one place a new panel is entered.

import { FAULTS } from "./faults.ts";
import { FCT } from "./fct.ts";
import { LINKS } from "./links.ts";
import type { Panel } from "./panel.ts";
import { PROVENANCE } from "./provenance.ts";
import { QUEUES } from "./queues.ts";
import { SETTINGS } from "./settings.ts";
import { SLOWDOWN } from "./slowdown.ts";
import { STEPS } from "./steps.ts";
import { SUMMARY } from "./summary.ts";

/** All panels. */
export const PANELS: Panel[] = [SUMMARY, STEPS, FCT, SLOWDOWN, QUEUES, LINKS, FAULTS, SETTINGS, PROVENANCE];
