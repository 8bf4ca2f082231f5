// The edges with the largest values now, as a list from which one can be selected with the keyboard.

import { element } from "../dom.ts";
import { edgeName, portsOf } from "./names.ts";
import type { Shown } from "./shown.ts";

/** Number of edges listed. */
const LISTED = 10;

/** The list of one run; `read` gives the value of an edge, or null where there is none. */
export function busiest(
  { fabric }: Shown,
  title: HTMLElement,
  read: (edge: number) => number | null,
  write: (value: number) => string,
  pick: (edge: number) => void,
): HTMLElement {
  const values = fabric.edges.flatMap((edge, number) => {
    const value = read(number);
    return value === null || value <= 0 ? [] : [{ edge, number, value }];
  });
  // Equal values keep the same order, so that the list does not jump.
  values.sort((left, right) => right.value - left.value || left.number - right.number);
  const items = values.slice(0, LISTED).map(({ edge, number, value }) => {
    const button = element("button", { type: "button" }, edgeName(fabric, edge) + portsOf(edge));
    button.addEventListener("click", () => pick(number));
    return element("li", {}, button, ` ${write(value)}`);
  });
  const isKnown = fabric.edges.some((_, number) => read(number) !== null);
  const none = isKnown ? [element("p", { class: "note" }, "All values are zero.")] : [];
  return element("div", { class: "busiest" }, title, ...(items.length === 0 ? none : [element("ol", {}, ...items)]));
}
