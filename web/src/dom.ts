// Elements and tables, from texts alone: nothing here, or anywhere in this page, parses a text as HTML.

type Child = Node | string;

/** An element with attributes and children; a child that is a text stays one. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** A paragraph that says how to read what follows. */
export const note = (text: string): HTMLElement => element("p", { class: "note" }, text);

/** A text as a machine has it. */
export const code = (text: string): HTMLElement => element("code", {}, text);

/** A column: its title, and whether its cells are numbers. */
export interface Column {
  title: string;
  number?: boolean;
}

/** A cell: a text, or what an element shows. */
export type Cell = Child | null;

/** A table that scrolls sideways where the page is narrow. */
export function table(caption: string, columns: Column[], rows: Cell[][]): HTMLElement {
  const classed = (column: Column | undefined): Record<string, string> =>
    column?.number === true ? { class: "number" } : {};
  const head = columns.map((column) => element("th", { scope: "col", ...classed(column) }, column.title));
  const body = rows.map((row) => {
    const cells = row.map((cell, place) => {
      const attributes = classed(columns[place]);
      return place === 0
        ? element("th", { scope: "row", ...attributes }, cell ?? "")
        : element("td", attributes, cell ?? "");
    });
    return element("tr", {}, ...cells);
  });
  const made = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, made);
}

/** Something that is shown when asked for. */
export function folded(title: string, ...children: Child[]): HTMLElement {
  return element("details", {}, element("summary", {}, title), ...children);
}

/** The text alternative of a chart. */
export function asTable(caption: string, columns: Column[], rows: Cell[][]): HTMLElement {
  return folded("The same as a table", table(caption, columns, rows));
}

/** A value with something smaller below it. */
export function stacked(value: string, ...below: string[]): HTMLElement {
  const lines = below.filter((text) => text !== "").map((text) => element("small", {}, text));
  return element("span", { class: "stacked" }, value, ...lines);
}
