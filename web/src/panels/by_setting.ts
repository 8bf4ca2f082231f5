// Completion time by setting. If exactly one setting is numeric, curves over its values; otherwise a group of bars for each
// combination of settings. There is a line or a bar for each balancing policy.

import type { BySetting, Report } from "../data.ts";
import { note } from "../dom.ts";
import { groupChart } from "../groups.ts";
import { legendOf, lineName, lineStroke } from "../palette.ts";
import { sweepOf } from "../sweep.ts";
import { asTable } from "../tables.ts";
import { count, span, spanUnit, spans } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";
import { settingCurves } from "./setting_curves.ts";

/** The panel's part of the page's address. */
const ID = "by_setting";
/** Largest number of settings named below the groups, as in `NAMED` of the command. */
const NAMED = 3;

function kinds({ bars, times }: BySetting): Parameters<typeof groupChart>[4] {
  return bars.map((name, kind) => ({
    name: name === "" ? "all" : name,
    colour: lineStroke(kind).colour,
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

/** Groups of bars. */
function bars(found: BySetting): HTMLElement[] {
  const most = Math.max(...found.times.flatMap((group) => group.map((times) => times?.high ?? 0)));
  const shown = kinds(found);
  // The last part of a path is enough to recognise the setting.
  const words = found.settings.map((path) => path.split(".").at(-1) ?? path);
  const axis = { name: words.slice(0, NAMED).join(" / "), names: found.groups };
  return [
    note(
      `Completion time of the slowest job of each run, grouped by ${found.settings.join(", ")}. ` +
        "Runs that differ only in their seed share a bar: their mean, with a line from the shortest to the longest time.",
    ),
    legendOf(shown.map(({ name }, kind) => lineName(name, lineStroke(kind)))),
    figure(
      "Completion time",
      groupChart("Completion time by setting", "completion time", spanUnit(most), axis, shown),
    ),
  ];
}

function content({ by_setting: found }: Report): HTMLElement[] {
  if (found === null) {
    return [];
  }
  const sweep = sweepOf(found);
  const numbers = ["mean", "shortest", "longest", "runs"].map((title) => ({ title, number: true }));
  return [
    ...(sweep === null ? bars(found) : settingCurves(ID, found, sweep)),
    asTable("Completion time by setting", [{ title: "setting" }, { title: "balancing" }, ...numbers], rows(found)),
  ];
}

/** The panel. */
export const BY_SETTING: Panel = { id: ID, title: "Completion time by setting", content };
