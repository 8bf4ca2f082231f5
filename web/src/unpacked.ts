// A place for what is made of packed numbers, which browsers unpack in their own time.

import { drawAll } from "./chart.ts";
import { element, note } from "./dom.ts";

/** The place, busy until what is unpacked is there. A browser that cannot unpack says so; a mistake in `make` is thrown. */
export function unpacked<Found>(unpacking: Promise<Found>, make: (found: Found) => HTMLElement): HTMLElement {
  const place = element("div", { "aria-busy": "true" }, note("Unpacking…"));
  const show = (made: () => HTMLElement): void => {
    place.removeAttribute("aria-busy");
    place.replaceChildren(made());
    drawAll();
  };
  void unpacking.then(
    (found) => show(() => make(found)),
    (error: unknown) => show(() => element("p", { class: "warning" }, `This browser cannot unpack it: ${String(error)}`)),
  );
  return place;
}
