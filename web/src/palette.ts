// Colours. Runs are told apart by the palette of Okabe and Ito, made for all kinds of colour vision, and by dashes
// where there are more runs than colours; shares by a scale after cividis, which reads the same to everybody.
//
// The colours themselves stand in style.css, a set each for light, dark and paper.

import type { Run } from "./data.ts";
import { element } from "./dom.ts";

const COLOURS = 8;
const DASHES: ("solid" | number[])[] = ["solid", [6, 3], [2, 2], [8, 3, 2, 3]];

/** The colour of a run. */
export const runColour = (run: number): string => `var(--run-${run % COLOURS})`;

/** The dashes of a run's lines. */
export const runDash = (run: number): "solid" | number[] =>
  DASHES[Math.floor(run / COLOURS) % DASHES.length] ?? "solid";

/** A run's name with its colour before it. */
export function runName(runs: Run[], run: number): HTMLElement {
  const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.background = runColour(run);
  return element("span", { class: "run" }, swatch, runs[run]?.name ?? "");
}

/** Which colour is which run. */
export function legend(runs: Run[], shown: number[]): HTMLElement {
  return element("p", { class: "legend" }, ...shown.map((run) => runName(runs, run)));
}

/** The scale of shares, from none to most. */
export const SCALE = ["#00224e", "#2d4270", "#5b616e", "#7f7c75", "#a79b6d", "#d2bd5c", "#fee838"];

/** What is read best on a colour of the scale. */
export const onScale = (share: number): string => (share > 0.55 ? "#111" : "#fff");
