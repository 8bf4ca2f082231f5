// Events in charts over time: an upright line for each, and what it stands for.

import type { FaultEvent, Report } from "./data.ts";
import { element } from "./dom.ts";
import { bitRate, count, significant, span } from "./units.ts";

/** An upright line and what it says. */
export interface Mark {
  /** In seconds. */
  time: number;
  /** What stands at the line and in the list below. */
  number: string;
  text: string;
  /** When it was noticed, in seconds. */
  noticed: number | null;
}

/** Lines that can be told apart. */
const MOST = 40;

const TARGETS: Record<FaultEvent["target"], string> = { link: "link", switch: "switch", nic: "NIC", host: "host" };

/** What happened, in words. */
export function happening({ action, rate, loss, period }: FaultEvent): string {
  switch (action) {
    case "down":
      return "goes down";
    case "up":
      return "comes up";
    case "flap":
      return period === null ? "flaps" : `flaps every ${span(period)}`;
    case "steady":
      return "flaps no more";
    case "degrade":
      return rate === null ? "becomes slower" : `has ${bitRate(rate)} only`;
    case "restore":
      return "has its own rate again";
    case "errors":
      return loss === null ? "loses packets" : `loses ${significant(100 * loss)} % of full packets`;
    case "clear":
      return "loses no more packets";
  }
}

/** An event in words, without its instant. */
export const told = (event: FaultEvent): string => `${TARGETS[event.target]} ${event.name} ${happening(event)}`;

/** The events of runs as marks, those that runs share once; what was so from the start is no event. */
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
    return { time: event.time, number: String(nth + 1), text: told(event) + whose, noticed: event.noticed };
  });
}

const heard = ({ time, noticed }: Mark): string =>
  noticed === null || noticed === time ? "" : `, noticed at ${span(noticed)}`;

/** Which upright line is which; nothing where there is none. */
export function markLegend(report: Report, marks: Mark[]): HTMLElement[] {
  if (marks.length === 0) {
    return [];
  }
  const items = marks.map((mark) =>
    element("li", {}, `${span(mark.time)}: ${mark.text}${heard(mark)}`),
  );
  const total = report.faults.reduce((sum, run) => sum + run.events.filter(({ time }) => time > 0).length, 0);
  const cut = total > MOST && marks.length === MOST ? [` The first ${count(MOST)} are drawn.`] : [];
  const heading = element("p", { class: "note" }, "Upright lines in charts over time are events:", ...cut);
  return [heading, element("ol", { class: "marks" }, ...items)];
}
