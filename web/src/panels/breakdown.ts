// Breakdown of the time of a step: computation, exposed communication (not overlapped by computation), barriers.

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

interface Part {
  title: string;
  area: Area;
  of: (step: RecordedStep) => OverRanks;
}

const area = (colour: string, texture: Area["texture"]): Area => ({ colour, texture, edges: [0, 1] });

const ALL: Part[] = [
  { title: "computation", area: area("var(--run-7)", "plain"), of: ({ compute }) => compute },
  { title: "exposed communication", area: area("var(--run-0)", "lines"), of: ({ exposed }) => exposed },
  { title: "waiting at barriers", area: area("var(--run-4)", "dots"), of: ({ barrier }) => barrier },
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

function content(report: Report): HTMLElement[] {
  const rows = rowsOf(report);
  if (rows.length === 0) {
    return [];
  }
  const parts = ALL.filter(({ of }) => rows.some(({ step }) => of(step).most > 0));
  const most = Math.max(...rows.map(({ step }) => parts.reduce((sum, { of }) => sum + of(step).mean, 0)));
  const bars = rows.map(({ name, step }) => ({
    name,
    parts: parts.map((part) => part.of(step).mean),
    tip: parts.map((part) => `${part.title}: ${span(part.of(step).mean)} on average, ${spans(part.of(step).least, part.of(step).most)}`),
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
    ...parts.flatMap(({ of }) => [of(step).mean, of(step).least, of(step).most].map(span)),
  ]);
  return [
    note(
      "Mean over the ranks of each recorded step. The phases of a rank do not overlap, so all of its communication is " +
        "exposed: it computes nothing while it communicates.",
    ),
    legendOf(parts.map((part) => areaName(part.title, part.area))),
    figure("Time of a rank in a step, mean over ranks", partsChart("Time of ranks in recorded steps", "time, mean over ranks", spanUnit(most), parts.map((part) => part.area), bars)),
    asTable("Time of ranks in recorded steps", [{ title: "step" }, { title: "ranks", number: true }, { title: "time of the step", number: true }, ...columns], cells),
  ];
}

/** The panel. */
export const BREAKDOWN: Panel = { id: "breakdown", title: "Breakdown of step time", content };
