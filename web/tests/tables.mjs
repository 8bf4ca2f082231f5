// Tables of a run, as `netloom export csv` writes them, and texts of a page that must agree with them.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Only names contain commas, quotes or line ends, and these are quoted. */
const fields = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);

/** The tables in a folder, each as objects. */
export function tablesIn(folder) {
  const known = new Map();
  const read = (table) => {
    const [head, ...lines] = readFileSync(join(folder, `${table}.csv`), "utf8").trimEnd().split("\n");
    const names = fields(head);
    return lines.map((line) => Object.fromEntries(fields(line).map((field, nth) => [names[nth], field])));
  };
  return (table) => known.get(table) ?? known.set(table, read(table)).get(table);
}

/** The cells of the first table that is shown with this caption, folded or not, as texts. */
export const cells = async (page, caption) =>
  page.evaluate((words) => {
    const tables = [...document.querySelectorAll(".view:not([hidden]) table")];
    const found = tables.find((table) => table.caption?.textContent?.startsWith(words));
    return [...(found?.tBodies[0]?.rows ?? [])].map((row) => [...row.cells].map((cell) => cell.textContent ?? ""));
  }, caption);

/** A whole number as the tables write it. */
export const whole = (text) => text.replaceAll(",", "");

/** The values of units in seconds, bytes, bits per second and shares. */
export const WORTH = { ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12, "%": 0.01, packet: 1, packets: 1 };

/** The number at the start of a text of the page, and the value of its unit. */
function read(text) {
  const [, digits, unit] = /^([\d,.]+)(?: ([A-Za-z%]+))?/.exec(text ?? "") ?? [];
  return [Number(whole(digits ?? "NaN")), unit === undefined ? 1 : WORTH[unit]];
}

/** The value of a text of the page. */
export function worth(text) {
  const [number, unit] = read(text);
  return number * unit;
}

/** Collects errors of a report, and compares values. */
export class Judge {
  complaints = [];

  constructor(report) {
    this.report = report;
  }

  complain = (what) => void this.complaints.push(`${this.report}: ${what}`);

  equal = (what, found, expected) => {
    if (String(found) !== String(expected)) {
      this.complain(`${what} is ${found}, but ${expected} in the tables`);
    }
  };

  /** Compares a number of the page, which has four significant digits and at most three decimals. */
  near = (what, text, expected) => {
    const [, unit] = read(text);
    if (!(Math.abs(worth(text) - expected) <= Math.max(0.001 * Math.abs(expected), 0.00051 * unit))) {
      this.complain(`${what} is ${text}, but ${expected} in the tables`);
    }
  };

  /** Prints the result and exits. */
  end(praise) {
    if (this.complaints.length > 0) {
      console.error(this.complaints.slice(0, 40).join("\n"));
      process.exit(1);
    }
    console.log(praise);
  }
}
