// Events in charts over time: a vertical line for each, and a list of their descriptions.

import type { FaultEvent, Report } from "./data.ts";
import { element } from "./dom.ts";
import { bitRate, count, significant, span } from "./units.ts";

/** A vertical line and its description. */
export interface Mark {
  /** In seconds. */
  time: number;
  /** Its number at the line and in the list below. */
  number: string;
  text: string;
  /** When it was detected, in seconds. */
  detected: number | null;
}

/** Largest number of lines. */
const MOST = 40;

const TARGETS: Record<FaultEvent["target"], string> = { link: "link", switch: "switch", nic: "NIC", host: "host" };

/** The event as text. */
export function happening({ action, rate, loss, period }: FaultEvent): string {
  switch (action) {
    case "down":
      return "goes down";
    case "up":
      return "comes up";
    case "flap":
      return period === null ? "flaps" : `flaps every ${span(period)}`;
    case "steady":
      return "stops flapping";
    case "degrade":
      return rate === null ? "becomes slower" : `is reduced to ${bitRate(rate)}`;
    case "restore":
      return "returns to its full rate";
    case "errors":
      return loss === null ? "loses packets" : `loses ${significant(100 * loss)} % of full packets`;
    case "clear":
      return "stops losing packets";
  }
}

/** An event as text, without its time. */
export const told = (event: FaultEvent): string => `${TARGETS[event.target]} ${event.name} ${happening(event)}`;

/** The events of runs as marks, each event once even if several runs have it; states from the start are not events. */
export function marksOf({ runs, faults }: Report, shown: number[] = runs.map((_, run) => run)): Mark[] {
  const found = new Map<string, { event: FaultEvent; runs: number[] }>();
  for (const run of shown) {
    for (const event of faults[run]?.events ?? []) {
      if (event.time > 0) {
        const key = JSON.stringify(event);
        const known = found.get(key) ?? { event, runs: [] };
        known.runs.push(run);
        found.set(key, known);
      }
    }
  }
  const all = [...found.values()].sort((left, right) => left.event.time - right.event.time);
  return all.slice(0, MOST).map(({ event, runs: those }, nth) => {
    const whose = those.length < shown.length ? ` (${those.map((run) => runs[run]?.name ?? "").join(", ")})` : "";
    return { time: event.time, number: String(nth + 1), text: told(event) + whose, detected: event.detected };
  });
}

const detection = ({ time, detected }: Mark): string =>
  detected === null || detected === time ? "" : `, detected at ${span(detected)}`;

/** The list of events; nothing if there are none. */
export function markLegend(report: Report, marks: Mark[]): HTMLElement[] {
  if (marks.length === 0) {
    return [];
  }
  const items = marks.map((mark) =>
    element("li", {}, `${span(mark.time)}: ${mark.text}${detection(mark)}`),
  );
  const total = report.faults.reduce((sum, run) => sum + run.events.filter(({ time }) => time > 0).length, 0);
  const cut = total > MOST && marks.length === MOST ? [` The first ${count(MOST)} are shown.`] : [];
  const heading = element("p", { class: "note" }, "Numbered vertical lines in charts over time are events:", ...cut);
  return [heading, element("ol", { class: "marks" }, ...items)];
}
