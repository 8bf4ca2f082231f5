// Breakdown of the time of a step: computation, exposed communication (not overlapped by computation), barriers, bubble.

import { areaName } from "../areas.ts";
import type { Area } from "../areas.ts";
import { partsChart } from "../parts.ts";
import type { Report } from "../data.ts";
import { note } from "../dom.ts";
import type { OverRanks, RecordedStep } from "../jobs/data.ts";
import { legendOf } from "../palette.ts";
import { asTable } from "../tables.ts";
import { count, span, spanUnit, spans } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** A part of a step, and its key in the data. */
interface Part {
  title: string;
  area: Area;
  key: "compute" | "exposed" | "barrier" | "idle";
}

const area = (colour: string, texture: Area["texture"]): Area => ({ colour, texture, edges: [0, 1] });

/** The parts of a step, which sum up to it. */
export const PARTS: Part[] = [
  { title: "computation", area: area("var(--run-7)", "plain"), key: "compute" },
  { title: "exposed communication", area: area("var(--run-0)", "lines"), key: "exposed" },
  { title: "waiting at barriers", area: area("var(--run-4)", "dots"), key: "barrier" },
  { title: "bubble", area: area("var(--run-5)", "plain"), key: "idle" },
];

interface Row {
  name: string;
  step: RecordedStep;
}

function rowsOf(report: Report): Row[] {
  return report.timeline.flatMap((found, run) =>
    (found?.steps ?? []).map((step) => ({
      name: `${report.runs[run]?.name ?? ""} · ${step.name} · step ${step.step}`,
      step,
    })),
  );
}

const tipOf = (title: string, { mean, least, most }: OverRanks): string =>
  `${title}: ${span(mean)} on average, ${spans(least, most)}`;

function content(report: Report): HTMLElement[] {
  const rows = rowsOf(report);
  if (rows.length === 0) {
    return [];
  }
  const parts = PARTS.filter(({ key }) => rows.some(({ step }) => step[key].most > 0));
  const most = Math.max(...rows.map(({ step }) => parts.reduce((sum, { key }) => sum + step[key].mean, 0)));
  const bars = rows.map(({ name, step }) => ({
    name,
    parts: parts.map((part) => step[part.key].mean),
    tip: parts.map((part) => tipOf(part.title, step[part.key])),
  }));
  const columns = parts.flatMap(({ title }) => [
    { title: `${title}, mean`, number: true },
    { title: "least", number: true },
    { title: "most", number: true },
  ]);
  const cells = rows.map(({ name, step }) => [
    name,
    count(step.ranks),
    step.time === null ? null : span(step.time),
    ...parts.flatMap(({ key }) => [step[key].mean, step[key].least, step[key].most].map(span)),
  ]);
  return [
    note(
      "Mean over the ranks of each recorded step, each in its own step. Communication is exposed while its rank does not " +
        "compute; the bubble is the time in which a rank neither computes nor communicates nor waits at a barrier, and in " +
        "pipeline phases with computation all time in which it does not compute. The parts sum up to the step.",
    ),
    legendOf(parts.map((part) => areaName(part.title, part.area))),
    figure("Time of a rank in a step, mean over ranks", partsChart("Time of ranks in recorded steps", "time, mean over ranks", spanUnit(most), parts.map((part) => part.area), bars)),
    asTable("Time of ranks in recorded steps", [{ title: "step" }, { title: "ranks", number: true }, { title: "time of the step", number: true }, ...columns], cells),
  ];
}

/** The panel. */
export const BREAKDOWN: Panel = { id: "breakdown", title: "Breakdown of step time", content };
