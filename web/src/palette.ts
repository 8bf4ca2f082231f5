// Colours. Lines use the palette of Okabe and Ito, which suits all kinds of colour vision, and dashes, so that colour is
// never the only distinction; runs that differ only in their seed share a colour. Shares use a scale after cividis, which looks alike with all kinds of colour vision.
//
// The colours are defined in style.css, a set each for light, dark and paper. Those of causes are in cause_colours.ts.

import type { Run } from "./data.ts";
import { element } from "./dom.ts";
import { shape } from "./svg.ts";
import { COLOURS, variantOf } from "./variants.ts";

/** Dashes and gaps in pixels, or none. */
export type Dash = "solid" | number[];

const DASHES: Dash[] = [
  "solid",
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
  [12, 3],
  [4, 6],
  [8, 3, 2, 3, 2, 3],
  [1, 4],
  [10, 2, 4, 2],
];

/** How a line is drawn. */
export interface Stroke {
  colour: string;
  dash: Dash;
}

/** The stroke of a line by its numbers: one for the colour, one for the dashes. */
const stroke = (colour: number, dash: number): Stroke => ({
  colour: `var(--run-${colour % COLOURS})`,
  dash: DASHES[dash % DASHES.length] ?? "solid",
});

/** The number of a line's dashes: different for neighbours and for lines of the same colour. */
const turn = (line: number): number => (line % COLOURS) + Math.floor(line / COLOURS);

/** The stroke of a line by its number alone: up to `COLOURS` lines differ both in colour and in dashes. */
export const lineStroke = (line: number): Stroke => stroke(line, turn(line));

/** The strokes of lines by their names: each name has the same one, whichever others a chart lacks. */
export const strokesByName = (names: string[]) => (name: string): Stroke => lineStroke(Math.max(0, names.indexOf(name)));

/** The stroke of the lines of a run: the colour shows its variant, and the dashes distinguish its seeds. */
export function runStroke(run: number): Stroke {
  const { variant, dashes } = variantOf(run);
  return stroke(variant, turn(variant) + dashes);
}

/** The colour of a run, which is that of its variant. */
export const runColour = (run: number): string => runStroke(run).colour;

/** The stroke of a job of a run: the colour shows the variant of the run, unless there is only one run, and the dashes show the job. */
export function jobStroke(run: number, job: number, n_jobs: number, n_runs: number): Stroke {
  const { variant, dashes } = variantOf(run);
  return n_runs === 1 ? lineStroke(job) : stroke(variant, (turn(variant) + dashes) * n_jobs + job);
}

const SWATCH = { width: 26, height: 8 };

/** A short piece of a line. */
function swatch({ colour, dash }: Stroke): SVGElement {
  const { width, height } = SWATCH;
  const middle = { x1: 0, x2: width, y1: height / 2, y2: height / 2, "stroke-width": 3.5 };
  const line = shape("line", { ...middle, ...(dash === "solid" ? {} : { "stroke-dasharray": dash.join(" ") }) });
  line.style.stroke = colour;
  return shape("svg", { class: "swatch", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, line);
}

/** A name after a sample of its line. */
export const lineName = (name: string, drawn: Stroke): HTMLElement =>
  element("span", { class: "run" }, swatch(drawn), name);

/** The name of a run after a sample of its line. */
export const runName = (runs: Run[], run: number): HTMLElement => lineName(runs[run]?.name ?? "", runStroke(run));

/** A legend of lines. */
export const legendOf = (names: HTMLElement[]): HTMLElement => element("p", { class: "legend" }, ...names);

/** The legend of runs. */
export const legend = (runs: Run[], shown: number[]): HTMLElement =>
  legendOf(shown.map((run) => runName(runs, run)));

/** The scale of shares, from zero to the largest. */
export const SCALE = ["#00224e", "#2d4270", "#5b616e", "#7f7c75", "#a79b6d", "#d2bd5c", "#fee838"];

/** The colour of text with the best contrast on a colour of the scale. */
export const onScale = (share: number): string => (share >= 0.5 ? "#111" : "#fff");

const mixed = (one: string, other: string, share: number): string => {
  const part = (text: string, nth: number): number => parseInt(text.slice(1 + 2 * nth, 3 + 2 * nth), 16);
  return `rgb(${[0, 1, 2].map((nth) => Math.round(part(one, nth) * (1 - share) + part(other, nth) * share)).join(" ")})`;
};

/** The colour of a share of a scale's length. */
function between(colours: readonly string[], share: number): string {
  const along = Math.max(0, Math.min(1, share)) * (colours.length - 1);
  const step = Math.min(Math.floor(along), colours.length - 2);
  return mixed(colours[step] ?? "#000000", colours[step + 1] ?? "#000000", along - step);
}

/** The colour of a share from 0 to 1. */
export const onSequence = (share: number): string => between(SCALE, share);

/** The colours of differences: less, none, more. */
export const DIFFERENCES = ["#0a5fb4", "#5d93c4", "#b9b9b4", "#d8964e", "#c24e00"];

/** The colour of a difference from -1 to 1. */
export const onDifferences = (difference: number): string => between(DIFFERENCES, (difference + 1) / 2);
