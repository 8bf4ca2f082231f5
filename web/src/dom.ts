// Elements, from texts alone: nothing here, or anywhere in this page, parses a text as HTML.

/** What an element may hold. */
export type Child = Node | string;

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

/** A paragraph that explains what follows. */
export const note = (text: string): HTMLElement => element("p", { class: "note" }, text);

/** A text in the font of code. */
export const code = (text: string): HTMLElement => element("code", {}, text);

/** Content that is shown after a click on its title. */
export function folded(title: string, ...children: Child[]): HTMLElement {
  return element("details", {}, element("summary", {}, title), ...children);
}

/** A value with smaller lines below it. */
export function stacked(value: string, ...below: string[]): HTMLElement {
  const lines = below.filter((text) => text !== "").map((text) => element("small", {}, text));
  return element("span", { class: "stacked" }, value, ...lines);
}
