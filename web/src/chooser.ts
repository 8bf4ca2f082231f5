// A list to choose from, with its title.

import { element } from "./dom.ts";

/** Something to choose. */
export interface Choice {
  value: number;
  name: string;
}

/** The list; `name` identifies it where it is made anew for each choice. */
export function chooser(title: string, choices: Choice[], chosen: number, choose: (value: number) => void, name = ""): HTMLElement {
  const options = choices.map(({ value, name: text }) => {
    const option = element("option", { value: String(value) }, text);
    option.selected = value === chosen;
    return option;
  });
  const list = element("select", name === "" ? {} : { name }, ...options);
  list.addEventListener("change", () => choose(Number(list.value)));
  return element("label", {}, `${title} `, list);
}
