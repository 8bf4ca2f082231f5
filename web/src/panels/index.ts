// The panels in their order: the one place a new panel is entered.

import { BANDWIDTH } from "./bandwidth.ts";
import { BY_SETTING } from "./by_setting.ts";
import { CONGESTION } from "./congestion.ts";
import { FAULTS } from "./faults.ts";
import { FCT } from "./fct.ts";
import { GOODPUT } from "./goodput.ts";
import { INTERFERENCE } from "./interference.ts";
import { LINKS } from "./links.ts";
import type { Panel } from "./panel.ts";
import { PROVENANCE } from "./provenance.ts";
import { QUEUES } from "./queues.ts";
import { RATES } from "./rates.ts";
import { REORDERING } from "./reordering.ts";
import { REPAIRS } from "./repairs.ts";
import { SETTINGS } from "./settings.ts";
import { SIGNALS } from "./signals.ts";
import { SLOWDOWN } from "./slowdown.ts";
import { STAGES } from "./stages.ts";
import { STEPS } from "./steps.ts";
import { SUMMARY } from "./summary.ts";
import { TRAFFIC } from "./traffic.ts";

/** All panels. */
export const PANELS: Panel[] = [
  SUMMARY,
  TRAFFIC,
  STAGES,
  INTERFERENCE,
  BY_SETTING,
  STEPS,
  BANDWIDTH,
  FCT,
  SLOWDOWN,
  GOODPUT,
  REPAIRS,
  REORDERING,
  RATES,
  CONGESTION,
  SIGNALS,
  QUEUES,
  LINKS,
  FAULTS,
  SETTINGS,
  PROVENANCE,
];
