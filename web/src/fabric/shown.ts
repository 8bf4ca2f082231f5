// A run whose fabric is shown.

import type { FabricOfRun } from "./data.ts";
import type { Frames } from "./frames.ts";

/** A run, its fabric, and its values over time. */
export interface Shown {
  run: number;
  fabric: FabricOfRun;
  frames: Frames | null;
}
