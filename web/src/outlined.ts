// Straight lines over filled areas: with an outline in the colour of the page, so that they contrast with any fill.

import type { Options } from "./chart.ts";

/** Ends of a line in pixels: x and y of both. */
export type Line = [number, number, number, number];

const WIDTH = 1.5;
const OUTLINED = 4.5;

const drawn = ([x1, y1, x2, y2]: Line, stroke: string, lineWidth: number): Options => ({
  type: "line",
  shape: { x1, y1, x2, y2 },
  style: { stroke, lineWidth, lineCap: "square", fill: "none" },
  silent: true,
});

/** The lines as one group; no outline covers another line of it. */
export const outlined = (lines: Line[]): Options => ({
  type: "group",
  children: [...lines.map((line) => drawn(line, "var(--surface)", OUTLINED)), ...lines.map((line) => drawn(line, "var(--ink)", WIDTH))],
});
