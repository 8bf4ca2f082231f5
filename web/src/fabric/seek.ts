// Search for a port by its name, without the drawing.

import { element } from "../dom.ts";

/** A field with the names of all ports; a complete name selects that port. */
export function seek(names: string[], picked: string | null, pick: (name: string) => void): HTMLElement {
  const known = new Set(names);
  const field = element("input", { type: "search", list: "port-names", id: "port", placeholder: "from → to" });
  field.value = picked ?? "";
  field.addEventListener("input", () => known.has(field.value) && pick(field.value));
  const options = element("datalist", { id: "port-names" }, ...names.map((name) => element("option", { value: name })));
  return element("div", { class: "seek" }, element("label", { for: "port" }, "Port"), field, options);
}
