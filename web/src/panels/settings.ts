// Settings in which the runs differ, and settings that differ from their defaults.

import type { Report } from "../data.ts";
import { element, folded, note } from "../dom.ts";
import { runName } from "../palette.ts";
import { table } from "../tables.ts";
import type { Cell, Column } from "../tables.ts";
import { count } from "../units.ts";
import type { Panel } from "./panel.ts";

const NONE = "–";

/** A path, with a possible line break after each dot. */
function path(text: string): HTMLElement {
  const parts = text.split(/(?<=\.)/);
  return element("code", {}, ...parts.flatMap((part, place) => (place === 0 ? [part] : [element("wbr"), part])));
}

function cut({ total, rows }: { total: number; rows: unknown[] }): HTMLElement[] {
  const text = `The first ${rows.length} of ${count(total)} settings; the manifest of each run folder has all of them.`;
  return total > rows.length ? [note(text)] : [];
}

/** A column for each run. */
const columns = (report: Report): Column[] => report.runs.map((run) => ({ title: run.name }));

function between(report: Report): HTMLElement[] {
  const { between: found } = report.settings;
  if (report.runs.length < 2) {
    return [];
  }
  if (found.rows.length === 0) {
    return [note("All runs have the same settings.")];
  }
  const rows = found.rows.map(({ path: where, values }): Cell[] => [path(where), ...values.map((value) => value ?? NONE)]);
  const caption = "Settings in which the runs differ";
  return [table(caption, [{ title: "setting" }, ...columns(report)], rows), ...cut(found)];
}

/** Settings that differ from their defaults: one column for all runs if these agree. */
function changed(report: Report): HTMLElement[] {
  const { changed: found, known } = report.settings;
  if (!known.includes(true)) {
    return [note("These run folders do not record which settings differ from their defaults.")];
  }
  if (found.rows.length === 0) {
    return [];
  }
  const same = found.rows.every(({ values }) => values.every((value) => value === values[0]));
  const shown = same ? [{ title: "value" }] : columns(report);
  const rows = found.rows.map(({ path: where, default: usual, values }): Cell[] => [
    path(where),
    usual === null ? element("em", {}, "required") : usual,
    ...values.slice(0, shown.length).map((value) => value ?? NONE),
  ]);
  const silent = known.flatMap((is, run) => (is ? [] : [runName(report.runs, run)]));
  const unknown = silent.length > 0 ? [element("p", { class: "note" }, "Not recorded by: ", ...silent)] : [];
  const caption = "Settings that differ from their defaults";
  return [table(caption, [{ title: "setting" }, { title: "default" }, ...shown], rows), ...cut(found), ...unknown];
}

/** What differs between the runs; the rest is folded if something does. */
function content(report: Report): HTMLElement[] {
  const [differing, others] = [between(report), changed(report)];
  const isFolded = report.settings.between.rows.length > 0 && others.length > 0;
  return [...differing, ...(isFolded ? [folded("Settings that differ from their defaults", ...others)] : others)];
}

/** The panel. */
export const SETTINGS: Panel = { id: "differences", title: "Changed settings", content };
