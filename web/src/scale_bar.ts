// A bar of colours.

import { element } from "./dom.ts";

/** A bar of colours with the values at its ends. */
export function scaleBar(colours: readonly string[], least: string, most: string): HTMLElement {
  const bar = element("span", { class: "scale", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  return element("p", { class: "legend" }, least, bar, most);
}
