// Origin of each run, how to repeat it, and its modelling assumptions.

import type { Report, Run } from "../data.ts";
import { code, element, folded, note } from "../dom.ts";
import { runName } from "../palette.ts";
import { count, some, span } from "../units.ts";
import type { Panel } from "./panel.ts";

/** How a run ended, in words. */
export const STATUS: Record<Run["status"], string> = {
  complete: "complete",
  stopped: "stopped",
  deadline: "ended by its deadline",
  stalled: "stalled",
  deadlock: "stopped by a deadlock",
  unreachable: "stalled, since no path led to a peer",
};

function facts(pairs: [string, Node | string][]): HTMLElement {
  const list = pairs.flatMap(([term, fact]) => [element("dt", {}, term), element("dd", {}, fact)]);
  return element("dl", {}, ...list);
}

function scenario(run: Run): HTMLElement {
  if (run.yaml === null) {
    return note(
      `The scenario with all defaults has ${count(run.yaml_bytes)} bytes and is not shown here; it is ` +
        "the entry “scenario_yaml” of the manifest in the run folder.",
    );
  }
  return folded("The scenario with all defaults", element("pre", { tabindex: "0" }, run.yaml));
}

/** The value of a setting that the engine derived. */
function derived(value: unknown): string {
  return typeof value === "number" ? count(value) : String(value);
}

/** Origin of the run: measured or simulated. */
function origin(run: Run): [string, Node | string][] {
  if (run.measured !== null) {
    const { by, source, facts: known } = run.measured;
    const covered = run.hops === null ? [] : [["counted", `${span(run.simulated)}: ${some(run.hops, "packet-hop")}`] satisfies [string, string]];
    return [["measured", `by ${by}, not simulated`], ["source", source], ...covered, ...known];
  }
  const engine = Object.entries(run.engine).map(([key, value]) => `${key} ${derived(value)}`);
  return [
    ["simulated", `${span(run.simulated)}: ${some(run.packets ?? 0, "packet")}, ${some(run.hops ?? 0, "packet-hop")}`],
    ["wall time", `${span(run.wall_time)} with ${some(run.threads ?? 0, "thread")}`],
    ["derived settings", engine.join(", ")],
  ];
}

function one(report: Report, run: Run, place: number): HTMLElement {
  const status = element("span", {}, STATUS[run.status]);
  const list = facts([
    ["outcome", status],
    ["command", code(run.command)],
    ...(run.seed === null ? [] : [["seed", run.seed] satisfies [string, string]]),
    ["netloom", `${run.netloom}, tables of version ${run.schema}`],
    ["digest", code(run.digest)],
    ...origin(run),
  ]);
  const details = run.details.map((detail) => element("p", { class: "warning" }, detail));
  const title = element("h3", {}, runName(report.runs, place));
  return element("article", {}, title, ...details, list, scenario(run));
}

function assumptions(report: Report): HTMLElement[] {
  const all = new Map<string, number[]>();
  report.runs.forEach((run, place) => run.assumptions.forEach((text) => all.set(text, [...(all.get(text) ?? []), place])));
  if (all.size === 0) {
    return [];
  }
  const items = [...all].map(([text, runs]) => {
    const which = runs.length === report.runs.length ? [] : [" (", ...runs.map((run) => runName(report.runs, run)), ")"];
    return element("li", {}, text, ...which);
  });
  return [
    element("h3", {}, "Modelling assumptions"),
    note("Choices that no source prescribes, made by netloom:"),
    element("ul", {}, ...items),
  ];
}

function content(report: Report): HTMLElement[] {
  const runs = report.runs.map((run, place) => one(report, run, place));
  const isAnySimulated = report.runs.some(({ measured }) => measured === null);
  const repeat =
    "The command line is given below for each run. If its files have changed since, save the scenario with all " +
    "defaults, run “netloom run” on it, and compare digests: equal digests mean equal records. ";
  const check = "“netloom check” verifies a run folder against its digest.";
  return [
    ...assumptions(report),
    element("h3", {}, isAnySimulated ? "How to repeat a run" : "Origin of the runs"),
    note(`${isAnySimulated ? repeat : ""}${check}`),
    element("div", { class: "articles" }, ...runs),
  ];
}

/** The panel. */
export const PROVENANCE: Panel = { id: "provenance", title: "Provenance", content };
