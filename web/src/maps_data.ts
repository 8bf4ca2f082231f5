// A paper's figures, measured and simulated; the structs of the same names in crates/report/src/maps.rs.

export interface MapAxis {
  name: string;
  labels: string[];
}

/** A ratio and its two values, in the units of the quantities. */
export interface MapRatio {
  above: number | null;
  below: number | null;
  ratio: number | null;
}

export interface MapCell {
  across: number;
  up: number;
  runs: [string, string];
  measured: MapRatio;
  simulated: MapRatio;
  half: number | null;
  seeds: number;
  excluded: boolean;
}

export interface PanelMap {
  title: string;
  across: MapAxis;
  /** From the bottom up. */
  up: MapAxis;
  cells: MapCell[];
}

/** Median of |ln(simulated / measured)|, and the share of cells with at most 0.1. */
export interface Nearness {
  median_error: number;
  share_near: number;
}

export interface FigureMaps {
  name: string;
  shows: string;
  quantities: [string, string];
  /** Why some cells are excluded from the scores; absent if none is. */
  exclusion: string | null;
  /** Absent if no cell can be compared. */
  scores: (Nearness & { cells: number; trivial: Nearness }) | null;
  panels: PanelMap[];
}

/** A paper's figures, measured and simulated. */
export interface Maps {
  paper: string;
  netloom: string;
  figures: FigureMaps[];
}
