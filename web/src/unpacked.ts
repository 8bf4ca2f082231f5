// A placeholder for content made of packed numbers, which browsers unpack asynchronously.

import { drawAll } from "./chart.ts";
import { element, note } from "./dom.ts";

/** The placeholder, busy until the numbers are unpacked. A failure to unpack is shown; an error in `make` is thrown. */
export function unpacked<Found>(unpacking: Promise<Found>, make: (found: Found) => HTMLElement): HTMLElement {
  const place = element("div", { "aria-busy": "true" }, note("Unpacking…"));
  const show = (made: () => HTMLElement): void => {
    place.removeAttribute("aria-busy");
    place.replaceChildren(made());
    drawAll();
  };
  void unpacking.then(
    (found) => show(() => make(found)),
    (error: unknown) => show(() => element("p", { class: "warning" }, `This browser cannot unpack the data: ${String(error)}`)),
  );
  return place;
}
