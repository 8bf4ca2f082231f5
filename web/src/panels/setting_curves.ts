// A sweep of a numeric setting: a chart of curves for each combination of the other settings, each with a target whose
// threshold is named for every policy. The targets are in the page's address.

import { changeChart } from "../chart.ts";
import { curveChart, targetLine } from "../curves.ts";
import type { Curve } from "../curves.ts";
import type { BySetting } from "../data.ts";
import { folded, note } from "../dom.ts";
import { legendOf, lineName, lineStroke } from "../palette.ts";
import { keep, onArrival, route } from "../route.ts";
import type { Curves, Sweep } from "../sweep.ts";
import { TargetFinder } from "../target.ts";
import { some } from "../units.ts";
import { figure, pair } from "./panel.ts";

/** Largest number of charts that are not folded. */
const MOST = 6;

/** A chart with its target. */
interface Part {
  figure: HTMLElement;
  finder: TargetFinder;
  /** Draws the target. */
  draw: () => void;
}

/** The name of a policy; without one, the line is that of all runs. */
const policyName = (name: string): string => (name === "" ? "completion time" : name);

const curvesOf = (bars: string[], { times }: Curves): Curve[] =>
  bars.map((name, policy) => ({ name: policyName(name), ...lineStroke(policy), times: times.map((of) => of[policy] ?? null) }));

/** A chart with its target; the panel's identifier precedes that of the slider. */
function partOf(panel: string, sweep: Sweep, bars: string[], one: Curves, nth: number, moved: () => void): Part {
  const curves = curvesOf(bars, one);
  const { name, axis } = sweep;
  const fixed = one.fixed === "" ? "" : `, ${one.fixed}`;
  const drawing = curveChart(`Completion time over ${name}${fixed}`, name, axis, curves);
  const policies = curves.map(({ times, ...policy }) => ({
    ...policy,
    samples: axis.values.map(({ text }, value) => ({ text, time: times[value]?.mean ?? null })),
  }));
  const draw = (): void => changeChart(drawing, targetLine(curves, finder.time));
  const finder = new TargetFinder(`${panel}-target-${nth}`, `Target of the completion time${fixed}`, policies, () => {
    draw();
    moved();
  });
  draw();
  return { figure: figure(one.fixed === "" ? "Completion time" : one.fixed, drawing, finder.box), finder, draw };
}

/** The targets that an address names, in seconds; null for those that it does not name. */
const targetsIn = (words: URLSearchParams, count: number): (number | null)[] => {
  const texts = (words.get("target") ?? "").split(",");
  return Array.from({ length: count }, (_, nth) => {
    const time = Number(texts[nth] || Number.NaN);
    return Number.isFinite(time) ? time : null;
  });
};

/** Chooses the targets of an address. */
function arrive(parts: Part[], words: URLSearchParams): void {
  targetsIn(words, parts.length).forEach((time, nth) => {
    parts[nth]?.finder.choose(time);
    parts[nth]?.draw();
  });
}

/** Writes the targets into the address. */
function remember(panel: string, parts: Part[]): void {
  const texts = parts.map(({ finder }) => (finder.isFirst ? "" : String(finder.time)));
  const chosen = texts.join(",").replace(/,+$/, "");
  keep(panel, { target: chosen === "" ? null : chosen });
}

/** What the charts show. */
function about({ path }: Sweep, { times }: BySetting): string {
  const isRepeated = times.some((policies) => policies.some((time) => time !== null && time.runs > 1));
  const seeds = "Runs that differ only in their seed share a point: their mean, with a line from the shortest to the longest time. ";
  return (
    `Completion time of the slowest job of each run over ${path}, a line for each balancing policy. ${isRepeated ? seeds : ""}` +
    `A policy meets the target where its ${isRepeated ? "mean" : "time"} is not above it; between two values nothing is known.`
  );
}

/** The content of the panel for a sweep, without its table. */
export function settingCurves(panel: string, found: BySetting, sweep: Sweep): HTMLElement[] {
  const timed = sweep.curves.filter(({ times }) => times.some((policies) => policies.some((time) => time !== null)));
  const parts: Part[] = timed.map((one, nth) => partOf(panel, sweep, found.bars, one, nth, () => remember(panel, parts)));
  const { place, words } = route();
  if (place === panel) {
    arrive(parts, words);
  }
  onArrival(panel, (later) => arrive(parts, later));
  const figures = parts.map((part) => part.figure);
  const more = figures.slice(MOST);
  return [
    note(about(sweep, found)),
    legendOf(found.bars.map((name, policy) => lineName(policyName(name), lineStroke(policy)))),
    pair(...figures.slice(0, MOST)),
    ...(more.length === 0 ? [] : [folded(some(more.length, "further combination"), pair(...more))]),
  ];
}
