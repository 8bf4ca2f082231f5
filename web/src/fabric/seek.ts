// Search for a port by its name, without the drawing.

import { element } from "../dom.ts";
import { some } from "../units.ts";

/** A name as it is compared: blanks, case and the kind of arrow do not count. */
const folded = (name: string): string => name.toLowerCase().replaceAll("->", "→").replace(/\s+/g, "");

/** What to say of a text that is no complete name. */
function advice(names: string[], text: string): string {
  const similar = names.filter((name) => folded(name).includes(folded(text)));
  const [node = ""] = text.split(/\s/);
  const instance = similar[0] ?? names.find((name) => folded(name).startsWith(folded(node))) ?? names[0];
  const found = similar.length === 0 ? "No port of that name" : `No port of exactly that name, but ${some(similar.length, "port")} with “${text}” in the name`;
  return instance === undefined ? `${found}.` : `${found}; for instance ${instance}.`;
}

/** A field with the names of all ports; a complete name selects that port, an empty field none, and any other text gets advice. */
export function seek(names: string[], picked: () => string | null, pick: (name: string | null) => void): HTMLElement {
  const known = new Map(names.map((name) => [folded(name), name]));
  const field = element("input", { type: "search", list: "port-names", id: "port", placeholder: "from → to", "aria-describedby": "port-advice" });
  const said = element("output", { class: "note", id: "port-advice" });
  field.value = picked() ?? "";
  field.addEventListener("input", () => {
    const found = known.get(folded(field.value));
    const isEmpty = field.value.trim() === "";
    if (found !== undefined || isEmpty) {
      pick(found ?? null);
      return;
    }
    const shown = picked();
    said.textContent = `${advice(names, field.value.trim())}${shown === null ? "" : ` Below is still ${shown}.`}`;
  });
  const options = element("datalist", { id: "port-names" }, ...names.map((name) => element("option", { value: name })));
  return element("div", { class: "seek" }, element("label", { for: "port" }, "Port"), field, options, said);
}
