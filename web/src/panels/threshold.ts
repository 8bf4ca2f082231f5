// The panel of thresholds, of a sweep that searched some and keeps run folders.

import { strokesByName } from "../palette.ts";
import { thresholds } from "../thresholds.ts";
import type { Panel } from "./panel.ts";

export const THRESHOLD: Panel = {
  id: "threshold",
  title: "Threshold",
  content: ({ thresholds: found }) => (found === undefined ? [] : thresholds(found, strokesByName(found.found.map(({ tried }) => tried.name)))),
};
