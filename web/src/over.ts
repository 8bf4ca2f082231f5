// Over which part of the runs figures are told that depend on how long one looks: background messages, mean throughput,
// utilization. The command chooses it (`--over`); the page says which it is.

import type { Report, Run } from "./data.ts";
import { span, spans } from "./units.ts";

/** Runs that are named one by one. */
const MOST = 8;

/** From when to when. */
function ends({ span: { parts, length } }: Run): string {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) {
    return "";
  }
  const all = spans(first[0], last[1]);
  return parts.length === 1 ? all : `${parts.length} parts of ${all}, ${span(length)} in all`;
}

/** In which part of each run; nothing where that is all of every run. */
export function during({ runs }: Report): string {
  const parts = runs.filter((run) => !run.span.whole);
  const [first] = parts;
  if (first === undefined) {
    return "";
  }
  const why = first.span.jobs ? "while a job ran" : "in a part of the run";
  const named = runs.slice(0, MOST).map((run) => `${run.name} ${run.span.whole ? "all of it" : ends(run)}`);
  const more = runs.length > MOST ? `; and ${runs.length - MOST} more` : "";
  return `${why} (${runs.length === 1 ? ends(first) : named.join("; ") + more})`;
}

/** A sentence about it, or nothing. */
export function overNote(report: Report, what: string): string {
  const when = during(report);
  return when === "" ? "" : ` ${what} ${when}; “--over all” takes the whole run.`;
}
