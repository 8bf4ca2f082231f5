// Areas of charts differ in colour and also in texture or in height within a row, so that they can be distinguished
// without colours.

import type { Options } from "./chart.ts";
import { element } from "./dom.ts";
import { shape } from "./svg.ts";

/** The texture over a colour, in the colour of the page. */
export type Texture = "plain" | "lines" | "bars" | "dots";

/** How an area is drawn. */
export interface Area {
  colour: string;
  texture: Texture;
  /** Upper and lower edge, as shares of its row. */
  edges: [number, number];
  /** The colour of the texture; that of the page by default. */
  over?: string;
}

/** Pixels from one line or dot to the next. */
const STEP = 8;
const OVER = "var(--surface)";

const DECALS: Record<Texture, Options | undefined> = {
  plain: undefined,
  lines: { dashArrayX: [1, 0], dashArrayY: [1, STEP - 2], rotation: -Math.PI / 4 },
  bars: { dashArrayX: [1, 0], dashArrayY: [2, STEP / 2 - 2], rotation: 0 },
  dots: { symbol: "circle", dashArrayX: [[2, STEP - 2], [0, STEP / 2, 2, STEP / 2 - 2]], dashArrayY: [2, 2] },
};

/** The style of an area in a chart. */
export function styleOf({ colour, texture, over: textured = OVER }: Area): Options {
  const decal = DECALS[texture];
  return { color: colour, decal: decal === undefined ? undefined : { color: textured, ...decal } };
}

const KEY = { width: 26, height: 12 };

function textureOver(texture: Texture, colour: string): SVGElement[] {
  const places = Array.from({ length: Math.ceil((KEY.width + KEY.height) / STEP) }, (_, nth) => nth * STEP);
  const line = (x: number): string => `M${x} 0 l${-KEY.height} ${KEY.height}`;
  const bars = [2, 6, 10].map((y) => `M0 ${y} h${KEY.width}`).join(" ");
  const dots = (x: number): string => `M${x + 2} 4 h0.01 M${x + 2 + STEP / 2} 8 h0.01`;
  const stroke = { lines: { d: places.map(line).join(" "), "stroke-width": 1 }, bars: { d: bars, "stroke-width": 2 }, dots: { d: places.map(dots).join(" "), "stroke-width": 2 } };
  if (texture === "plain") {
    return [];
  }
  const path = shape("path", { ...stroke[texture], fill: "none", "stroke-linecap": "round" });
  path.style.stroke = colour;
  return [path];
}

/** A name after a sample of its area. */
export function areaName(name: string, { colour, texture, edges: [top, bottom], over = OVER }: Area): HTMLElement {
  const { width, height } = KEY;
  const area = shape("rect", { x: 0, y: top * height, width, height: (bottom - top) * height });
  area.style.fill = colour;
  const view = { class: "swatch", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" };
  return element("span", { class: "run" }, shape("svg", view, area, ...textureOver(texture, over)), name);
}
