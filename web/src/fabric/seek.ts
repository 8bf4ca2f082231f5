// Finding a port by its name, for whom a drawing is too small or a pointer too far.

import { element } from "../dom.ts";

/** A field that knows the names of all ports; a name that is one of them is picked. */
export function seek(names: string[], picked: string | null, pick: (name: string) => void): HTMLElement {
  const known = new Set(names);
  const field = element("input", { type: "search", list: "port-names", id: "port", placeholder: "from → to" });
  field.value = picked ?? "";
  field.addEventListener("input", () => known.has(field.value) && pick(field.value));
  const options = element("datalist", { id: "port-names" }, ...names.map((name) => element("option", { value: name })));
  return element("div", { class: "seek" }, element("label", { for: "port" }, "Port"), field, options);
}
