// The part of the runs over which figures are taken that depend on the observed time: background messages, mean throughput,
// utilization. The command chooses it (`--over`); the page states it.

import type { Report, Run } from "./data.ts";
import { span, spans } from "./units.ts";

/** Largest number of runs that are named. */
const MOST = 8;

/** Start and end of the part. */
function ends({ span: { parts, length } }: Run): string {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) {
    return "";
  }
  const all = spans(first[0], last[1]);
  return parts.length === 1 ? all : `${parts.length} parts of ${all}, ${span(length)} in total`;
}

/** The part of each run; empty if it is the whole of every run. */
export function during({ runs }: Report): string {
  const parts = runs.filter((run) => !run.span.whole);
  const [first] = parts;
  if (first === undefined) {
    return "";
  }
  const why = first.span.jobs ? "while a job ran" : "in a part of the run";
  const named = runs.slice(0, MOST).map((run) => `${run.name}: ${run.span.whole ? "whole run" : ends(run)}`);
  const more = runs.length > MOST ? `; and ${runs.length - MOST} more` : "";
  return `${why} (${runs.length === 1 ? ends(first) : named.join("; ") + more})`;
}

/** What the messages are that belong to no job and to no staged flow: background messages, finite flows, or both. */
export function independent(report: Report): string {
  const [first = "background messages", ...others] = new Set(report.fct.map((run) => run.independent));
  return others.length === 0 ? first : "background messages and finite flows";
}

/** A sentence on this part, or nothing. */
export function overNote(report: Report, what: string): string {
  const when = during(report);
  return when === "" ? "" : ` ${what} ${when}; “netloom report --over all” takes the whole run.`;
}
