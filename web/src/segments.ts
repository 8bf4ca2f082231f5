// Parts of a bar as elements, whose widths are shares of the bar's, so that it needs no drawing anew.

import type { Area } from "./areas.ts";
import { element } from "./dom.ts";
import type { ExplainedRun, MessageData } from "./explained_data.ts";
import { pathParts } from "./path_order.ts";
import { span } from "./units.ts";

/** A part with the colour and the texture of an area, as wide as a share of its bar. */
export function segment({ colour, texture, over }: Area, share: number): HTMLElement {
  const made = element("span", { class: `segment ${texture}` });
  made.style.setProperty("background-color", colour);
  if (over !== undefined) {
    made.style.setProperty("--texture", over);
  }
  made.style.setProperty("width", `${100 * share}%`);
  return made;
}

/** The parts of a message in the order of its path, each with what it is as its title; `whole` is the time of the bar. */
export function segmentsOf(run: ExplainedRun, message: MessageData, areas: Map<string, Area>, whole: number): HTMLElement[] {
  return pathParts(run, message).flatMap(({ cause, time, port }) => {
    const area = areas.get(cause);
    if (area === undefined) {
      return [];
    }
    const made = segment(area, time / whole);
    made.classList.toggle("hop", port !== null);
    made.title = `${port === null ? cause : `queue ${port}`}: ${span(time)}`;
    return [made];
  });
}
