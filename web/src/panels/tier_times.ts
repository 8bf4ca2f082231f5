// Ports by tier over time: a row of intervals for each pair of kinds of nodes, coloured by their worst port.

import { chart, names, numbers, tip, tooltip } from "../chart.ts";
import type { Options } from "../chart.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import { markLegend, marksOf } from "../events.ts";
import type { Mark } from "../events.ts";
import { happened } from "../lines.ts";
import { numbersOf } from "../packed.ts";
import { SCALE, onSequence, runName } from "../palette.ts";
import { scaleBar } from "../scale_bar.ts";
import { asTable } from "../tables.ts";
import type { TierTimesOfRun } from "../tier_data.ts";
import { directionOf } from "../tier_direction.ts";
import { VALUES } from "../tier_values.ts";
import { span, spanUnit } from "../units.ts";
import type { Unit } from "../units.ts";
import { unpacked } from "../unpacked.ts";
import { comparedFirst } from "../variants.ts";
import type { Panel } from "./panel.ts";

/** Height of a row, and of what lies above and below the rows, in pixels. */
const [ROW, AROUND] = [22, 64];
/** Runs that are shown. */
const MOST_RUNS = 2;

/** The rows of a run, unpacked. */
interface Times extends TierTimesOfRun {
  run: number;
  /** Names of the rows. */
  rows: string[];
  of: (value: number, row: number, interval: number) => number;
}

/** The kinds of each row; where others have the same kinds, with the direction. */
function namesOf(report: Report, run: number, kinds: [string, string][]): string[] {
  const all = kinds.map((ends) => ends.join(" → "));
  const direction = (nth: number): string => {
    const busiest = report.tier_ports[run]?.strips[nth]?.busiest;
    return busiest === undefined ? ` (${nth + 1})` : directionOf(report.fabric[run], busiest);
  };
  return all.map((name, nth) => (all.filter((other) => other === name).length > 1 ? name + direction(nth) : name));
}

async function unpack(report: Report, found: TierTimesOfRun, run: number): Promise<Times> {
  const numbers = await numbersOf(found.packed);
  const { kinds, intervals } = found;
  const of = (value: number, row: number, interval: number): number => numbers[(value * kinds.length + row) * intervals + interval] ?? 0;
  return { ...found, run, rows: namesOf(report, run, kinds), of };
}

/** The largest value of a row, and the end of its interval in seconds. */
function largestOf(times: Times, value: number, row: number): [number, number] {
  let found: [number, number] = [0, 0];
  for (let interval = 0; interval < times.intervals; interval += 1) {
    const number = times.of(value, row, interval);
    if (number > found[0]) {
      found = [number, (interval + 1) * times.interval];
    }
  }
  return found;
}

/** The intervals with a value above zero: row, begin and end in the unit of the axis, and the value. */
function cellsOf(times: Times, value: number, scale: Unit): [number, number, number, number][] {
  return times.rows.flatMap((_, row) =>
    Array.from({ length: times.intervals }, (__, interval): [number, number, number, number] => [
      row,
      (interval * times.interval) / scale.worth,
      ((interval + 1) * times.interval) / scale.worth,
      times.of(value, row, interval),
    ]).filter(([, , , number]) => number > 0),
  );
}

/** What ECharts gives to draw a cell. */
interface Api {
  value: (dimension: number) => number;
  coord: (at: [number, number]) => [number, number];
  size: (of: [number, number]) => [number, number];
}

function drawn(most: number): (_: unknown, api: Api) => Options {
  return (_, api) => {
    const row = api.value(0);
    const [left, middle] = api.coord([api.value(1), row]);
    const [right] = api.coord([api.value(2), row]);
    const height = api.size([0, 1])[1] - 3;
    return {
      type: "rect",
      shape: { x: left, y: middle - height / 2, width: Math.max(1, right - left), height },
      style: { fill: onSequence(most > 0 ? api.value(3) / most : 0) },
    };
  };
}

/** Lines at the ends of steps. */
const ends = (steps: number[], scale: Unit): Options => ({
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: false },
  lineStyle: { color: "var(--ink)", width: 1, type: [2, 3], opacity: 0.6 },
  data: steps.map((end) => ({ xAxis: end / scale.worth })),
});

function timesChart(report: Report, times: Times, value: number, most: number, last: number, marks: Mark[]): HTMLElement {
  const chosen = VALUES[value]!;
  const scale = spanUnit(last);
  const name = report.runs[times.run]?.name ?? "";
  const widest = Math.min(150, 7 * Math.max(...times.rows.map((row) => row.length)));
  return chart(`${name}: ${chosen.title.toLowerCase()} by tier over time`, AROUND + ROW * times.rows.length, {
    grid: { left: widest + 12, right: 24, top: 18, bottom: 46 },
    tooltip: tooltip(({ value: cell }: { value: [number, number, number, number] }) => {
      const [row, begin, end, number] = cell;
      const lines = VALUES.flatMap(({ says, write }, other) => {
        const interval = Math.round((begin * scale.worth) / times.interval);
        const there = other === value ? number : times.of(other, row, interval);
        return there > 0 ? [says(write(there))] : [];
      });
      return tip(`${times.rows[row] ?? ""}, ${span(begin * scale.worth)} to ${span(end * scale.worth)}: the worst port`, lines);
    }),
    xAxis: numbers(`time (${scale.name})`, { min: 0, max: last / scale.worth, splitLine: { show: false }, axisLabel: { color: "var(--muted)", fontSize: 12, hideOverlap: true, showMaxLabel: false } }),
    yAxis: names(times.rows, { axisLabel: { color: "var(--ink)", fontSize: 12, width: widest, overflow: "truncate" } }),
    series: [
      {
        type: "custom",
        renderItem: drawn(most),
        encode: { x: [1, 2], y: 0 },
        data: cellsOf(times, value, scale),
        markLine: ends(times.steps, scale),
      },
      ...(marks.length > 0 ? [{ type: "line", name: "", data: [], markLine: happened(marks, scale) }] : []),
    ],
  });
}

/** The largest value of each row, with its interval. */
function table(report: Report, all: Times[]): HTMLElement {
  const rows = all.flatMap((times) =>
    times.rows.map((row, nth) => [
      report.runs[times.run]?.name ?? "",
      row,
      ...VALUES.flatMap(({ write }, value) => {
        const [number, end] = largestOf(times, value, nth);
        return number > 0 ? [write(number), `${span(end - times.interval)} to ${span(end)}`] : ["–", ""];
      }),
    ]),
  );
  const columns = VALUES.flatMap(({ title }) => [{ title: `${title.toLowerCase()}, at most`, number: true }, { title: "when" }]);
  return asTable("The worst interval of each tier", [{ title: "run" }, { title: "tier" }, ...columns], rows);
}

/** The charts of the chosen value. */
class Drawing {
  readonly box = element("div");
  private readonly report: Report;
  private readonly all: Times[];
  private value = 0;

  constructor(report: Report, all: Times[]) {
    this.report = report;
    this.all = all;
    this.draw();
  }

  private draw(): void {
    const { report, all, value } = this;
    const most = Math.max(...all.map((times) => Math.max(...times.rows.map((_, row) => largestOf(times, value, row)[0]))));
    const { write = String } = VALUES[value] ?? {};
    const marks = marksOf(report, all.map(({ run }) => run));
    const last = Math.max(...all.map(({ interval, intervals }) => interval * intervals));
    const figures = all.map((times) =>
      element("figure", {}, element("figcaption", {}, runName(report.runs, times.run)), timesChart(report, times, value, most, last, marks)),
    );
    const shown = [this.choice(), scaleBar(SCALE, write(0), write(most)), ...figures, ...markLegend(report, marks), table(report, all)];
    this.box.replaceChildren(...shown);
  }

  private choice(): HTMLElement {
    const has = (value: number): boolean => this.all.some((times) => times.rows.some((_, row) => largestOf(times, value, row)[0] > 0));
    const buttons = VALUES.flatMap(({ title }, value) => {
      if (value > 0 && !has(value)) {
        return [];
      }
      const button = element("input", { type: "radio", name: "tier-time", value: String(value) });
      button.checked = value === this.value;
      button.addEventListener("change", () => {
        this.value = value;
        this.draw();
      });
      return [element("label", {}, button, title)];
    });
    return element("fieldset", {}, element("legend", {}, "Colour by"), ...buttons);
  }
}

/** What the vertical lines are, if there are any. */
function linesOf(report: Report, shown: { found: TierTimesOfRun; run: number }[]): string {
  const hasSteps = shown.some(({ found }) => found.steps.length > 0);
  const hasFaults = marksOf(report, shown.map(({ run }) => run)).length > 0;
  const lines = [...(hasSteps ? ["dotted lines are the ends of steps"] : []), ...(hasFaults ? ["numbered lines are faults"] : [])];
  return lines.join(", ");
}

function content(report: Report): HTMLElement[] {
  const sampled = report.tier_times.flatMap((found, run) => (found === null ? [] : [{ found, run }]));
  if (sampled.length === 0) {
    return [];
  }
  const first = comparedFirst(report, sampled.map(({ run }) => run)).slice(0, MOST_RUNS);
  const shown = sampled.filter(({ run }) => first.includes(run));
  const more = sampled.length > shown.length ? " Of more runs, the baseline and the best variant are shown." : "";
  const lines = linesOf(report, shown);
  const unpacking = Promise.all(shown.map(({ found, run }) => unpack(report, found, run)));
  return [
    note(
      `An interval has the colour of the worst port of its tier, never of a mean${lines === "" ? "" : `; ${lines}`}. Intervals without any are blank. Queues are those at the ends of samples, packets dropped those of all ports of the tier.${more}`,
    ),
    unpacked(unpacking, (all) => new Drawing(report, all).box),
  ];
}

/** The panel. */
export const TIER_TIMES: Panel = { id: "tier_times", title: "Ports by tier over time", needs: "ports", content };
