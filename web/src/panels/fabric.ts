// The fabric: where packets waited, and when.

import { drawAll } from "../chart.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { explorer } from "../fabric/explorer.ts";
import type { Panel } from "./panel.ts";

function content(report: Report): HTMLElement[] {
  const place = element("div", { "aria-busy": "true" }, note("Unpacking…"));
  explorer(report).then(
    (made) => {
      place.replaceChildren(made);
      place.removeAttribute("aria-busy");
      drawAll();
    },
    (error: unknown) => place.replaceChildren(element("p", { class: "warning" }, `This browser cannot unpack it: ${String(error)}`)),
  );
  return [place];
}

/** The panel. */
export const FABRIC: Panel = { id: "drawing", title: "Links over time", content };
