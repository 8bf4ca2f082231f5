// Parts of a bar as elements, whose widths are shares of the bar's, so that it needs no drawing anew.

import type { Area } from "./areas.ts";
import { element } from "./dom.ts";

/** A part with the colour and the texture of an area, as wide as a share of its bar. */
export function segment({ colour, texture }: Area, share: number): HTMLElement {
  const made = element("span", { class: `segment ${texture}` });
  made.style.setProperty("background-color", colour);
  made.style.setProperty("width", `${100 * share}%`);
  return made;
}
