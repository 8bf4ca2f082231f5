// SVG elements.

const SPACE = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children. */
export function shape<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS(SPACE, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, String(value)));
  made.append(...children);
  return made;
}
