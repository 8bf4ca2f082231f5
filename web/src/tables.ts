// Tables, which can be sorted and copied.

import { element, folded } from "./dom.ts";
import type { Child } from "./dom.ts";
import { copier, sortable } from "./sort.ts";

/** A column: its title, and whether its cells are numbers. */
export interface Column {
  title: string;
  number?: boolean;
}

/** A cell: a text, an element, or empty. */
export type Cell = Child | null;

/** A table that scrolls sideways on narrow pages; as cards, each row becomes a card there instead. */
export function table(caption: string, columns: Column[], rows: Cell[][], asCards = false): HTMLElement {
  const classed = (column: Column | undefined): Record<string, string> =>
    column?.number === true ? { class: "number" } : {};
  const head = columns.map((column) => element("th", { scope: "col", ...classed(column) }, column.title));
  const body = rows.map((row) => {
    const cells = row.map((cell, place) => {
      const attributes = { ...classed(columns[place]), ...(asCards ? { "data-title": columns[place]?.title ?? "" } : {}) };
      return place === 0
        ? element("th", { scope: "row", ...attributes }, cell ?? "")
        : element("td", attributes, cell ?? "");
    });
    return element("tr", {}, ...cells);
  });
  const made = element(
    "table",
    asCards ? { class: "cards" } : {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
  sortable(made, columns.map(({ number }) => number === true));
  made.caption?.append(" ", copier(made));
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, made);
}

/** The text alternative of a chart. */
export function asTable(caption: string, columns: Column[], rows: Cell[][]): HTMLElement {
  return folded("Show as table", table(caption, columns, rows));
}
