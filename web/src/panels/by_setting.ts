// Completion time by setting: a group of bars for each combination of settings, a bar for each balancing.

import type { BySetting, Report } from "../data.ts";
import { note } from "../dom.ts";
import { groupChart } from "../groups.ts";
import { legendOf, lineName, runStroke } from "../palette.ts";
import { asTable } from "../tables.ts";
import { count, span, spanUnit, spans } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** Settings named below a group, as many as its name has values. */
const NAMED = 3;

function kinds({ bars, times }: BySetting): Parameters<typeof groupChart>[4] {
  return bars.map((name, kind) => ({
    name: name === "" ? "all" : name,
    colour: runStroke(kind).colour,
    bars: times.map((group) => {
      const found = group[kind] ?? null;
      const seeds = found === null || found.runs === 1 ? [] : [`mean of ${found.runs} runs`, spans(found.low, found.high)];
      return found && { value: found.mean, low: found.low, high: found.high, tip: [span(found.mean), ...seeds] };
    }),
  }));
}

function rows({ groups, bars, times }: BySetting): string[][] {
  return times.flatMap((group, nth) =>
    group.flatMap((found, kind) =>
      found === null
        ? []
        : [[groups[nth] ?? "", bars[kind] ?? "", span(found.mean), span(found.low), span(found.high), count(found.runs)]],
    ),
  );
}

function content({ by_setting: found }: Report): HTMLElement[] {
  if (found === null) {
    return [];
  }
  const most = Math.max(...found.times.flatMap((group) => group.map((times) => times?.high ?? 0)));
  const shown = kinds(found);
  // The last words of paths are what people call settings.
  const words = found.settings.map((path) => path.split(".").at(-1) ?? path);
  const axis = { name: words.slice(0, NAMED).join(" / "), names: found.groups };
  const numbers = ["mean", "shortest", "longest", "runs"].map((title) => ({ title, number: true }));
  return [
    note(
      `Time of each run's slowest job, grouped by ${found.settings.join(", ")}. ` +
        "Runs that differ in their seed alone share a bar; its line goes from the shortest to the longest.",
    ),
    legendOf(shown.map(({ name }, kind) => lineName(name, runStroke(kind)))),
    figure(
      "Completion time",
      groupChart("Completion time by setting", "completion time", spanUnit(most), axis, shown),
    ),
    asTable("Completion time by setting", [{ title: "setting" }, { title: "balancing" }, ...numbers], rows(found)),
  ];
}

/** The panel. */
export const BY_SETTING: Panel = { id: "by_setting", title: "Completion time by setting", content };
