// Tables: sorted by a click on the title of a column, copied as comma-separated values.

import { element } from "./dom.ts";

/** The values of all units that the page writes. */
const WORTH: Record<string, number> = {
  ps: 1e-12,
  ns: 1e-9,
  us: 1e-6,
  ms: 1e-3,
  s: 1,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  bps: 1,
  Kbps: 1e3,
  Mbps: 1e6,
  Gbps: 1e9,
  Tbps: 1e12,
};

/** The number at the start of a text, in the base unit; null if there is none. */
export function numberIn(text: string): number | null {
  const found = /^([+−-]?)([\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([A-Za-z]*)/.exec(text.trim());
  if (found === null) {
    return null;
  }
  const [, sign, digits = "", unit = ""] = found;
  const number = Number(digits.replaceAll(",", "")) * (WORTH[unit] ?? 1);
  return sign === "" ? number : sign === "+" ? number : -number;
}

/** The text by which a cell is sorted: its first line. */
const textOf = (cell: HTMLTableCellElement | undefined): string => {
  const stacked = cell?.querySelector(".stacked")?.firstChild;
  return (stacked ?? cell)?.textContent?.trim() ?? "";
};

/** Compares two cells; cells without a number come last in both directions. */
function compare(left: string, right: string, numeric: boolean, down: boolean): number {
  const turned = down ? -1 : 1;
  if (!numeric) {
    return turned * left.localeCompare(right, "en", { numeric: true });
  }
  const [one, other] = [numberIn(left), numberIn(right)];
  if (one === null || other === null) {
    return Number(one === null) - Number(other === null);
  }
  return turned * (one - other);
}

function sortBy(body: HTMLTableSectionElement, place: number, numeric: boolean, down: boolean): void {
  const rows = [...body.rows].map((row) => ({ row, text: textOf(row.cells[place]) }));
  rows.sort((left, right) => compare(left.text, right.text, numeric, down));
  body.append(...rows.map(({ row }) => row));
}

/** Turns the titles of the columns of a table into buttons that sort it. */
export function sortable(table: HTMLTableElement, numeric: boolean[]): void {
  const [body, titles] = [table.tBodies[0], [...(table.tHead?.rows[0]?.cells ?? [])]];
  if (body === undefined || body.rows.length < 2) {
    return;
  }
  titles.forEach((title, place) => {
    const button = element("button", { type: "button", class: "sort" }, ...title.childNodes);
    title.replaceChildren(button);
    button.addEventListener("click", () => {
      // Numbers are first sorted in descending order.
      const now = title.getAttribute("aria-sort");
      const down = now === null ? numeric[place] === true : now === "ascending";
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortBy(body, place, numeric[place] === true, down);
    });
  });
}

/** A text as a field, in quotes where necessary. */
const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A table as comma-separated values in its current order, including folded content of cells. */
export function valuesOf(table: HTMLTableElement): string {
  const words = (cell: Element): string => {
    const parts = [...cell.querySelectorAll(".stacked > small")].map((below) => below.textContent ?? "");
    const first = parts.length > 0 ? textOf(cell as HTMLTableCellElement) : (cell.textContent ?? "");
    return field([first, ...parts].join("; ").replaceAll(/\s+/g, " ").trim());
  };
  return [...table.rows].map((row) => [...row.cells].map(words).join(",")).join("\n");
}

/** A button that copies a table. */
export function copier(table: HTMLTableElement): HTMLButtonElement {
  const button = element("button", { type: "button", class: "copy" }, "Copy as CSV");
  const say = (text: string): void => {
    button.textContent = text;
    setTimeout(() => (button.textContent = "Copy as CSV"), 2000);
  };
  button.addEventListener("click", () => {
    copy(valuesOf(table)).then(
      () => say("Copied"),
      () => say("Copying is not permitted"),
    );
  });
  return button;
}

/** Copies a text. Pages opened from a disk may lack the clipboard interface; then a selected text area is copied. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // Falls back to the text area.
    }
  }
  const area = element("textarea", { "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) {
    throw new Error("refused");
  }
}
