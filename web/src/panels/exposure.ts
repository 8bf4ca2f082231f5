// Where the time of training steps goes, over the recorded steps of a job: exposed communication by phase and group,
// waiting for slowest members, and bandwidth of groups against its bound.

import { areaName } from "../areas.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import type { Breakdown, CutList, GroupBandwidth, MeanTime, MemberWait, PhaseTime } from "../jobs/data.ts";
import { legendOf } from "../palette.ts";
import { partsChart } from "../parts.ts";
import { table } from "../tables.ts";
import type { Column } from "../tables.ts";
import { count, percent, significant, some, span, spanUnit } from "../units.ts";
import { PARTS } from "./breakdown.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** Bytes per second of a GB/s. */
const GB = 1e9;
/** Most steps that are listed. */
const MOST_STEPS = 6;

interface Job {
  name: string;
  found: Breakdown;
}

function jobsOf(report: Report): Job[] {
  return report.timeline.flatMap((timeline, run) =>
    (timeline?.jobs ?? []).map((found) => {
      const job = timeline?.steps.find((step) => step.job === found.job)?.name ?? "";
      return { name: `${report.runs[run]?.name ?? ""} · ${job}`, found };
    }),
  );
}

function stepsOf({ steps }: Breakdown): string {
  const [first, last] = [steps[0] ?? 0, steps.at(-1) ?? 0];
  if (steps.length > MOST_STEPS) {
    return `${some(steps.length, "step")} from ${count(first)} to ${count(last)}`;
  }
  return `${steps.length === 1 ? "step" : "steps"} ${steps.map(count).join(", ")}`;
}

const inGb = (rate: number): string => significant(rate / GB);

const tipOf = (title: string, { mean, share, worst, rank }: MeanTime): string =>
  `${title}: ${span(mean)} (${percent(share)}), at most ${span(worst)} (rank ${count(rank)})`;

/** A bar for each job. */
function bars(jobs: Job[]): HTMLElement[] {
  const parts = PARTS.filter(({ key }) => jobs.some(({ found }) => found.times[key].worst > 0));
  const most = Math.max(...jobs.map(({ found }) => found.times.step.mean));
  const rows = jobs.map(({ name, found }) => ({
    name,
    parts: parts.map(({ key }) => found.times[key].mean),
    tip: [...parts.map(({ key, title }) => tipOf(title, found.times[key])), `over ${stepsOf(found)}`],
  }));
  const areas = parts.map(({ area }) => area);
  const title = "Time of a rank in a step, mean over ranks and recorded steps";
  return [legendOf(parts.map((part) => areaName(part.title, part.area))), figure(title, partsChart(title, "time", spanUnit(most), areas, rows))];
}

const numbers = (...titles: string[]): Column[] => titles.map((title) => ({ title, number: true }));
const words = (...titles: string[]): Column[] => titles.map((title) => ({ title }));

const PART_COLUMNS = [...words("job", "steps"), ...numbers("ranks"), ...words("part"), ...numbers("mean", "share of the step", "worst rank"), ...numbers("time of the worst rank")];
const PHASE_COLUMNS = [...words("job"), ...numbers("phase"), ...words("name", "activity", "group"), ...numbers("mean time", "exposed", "share of the step", "most, in a step", "rank")];
const WAIT_COLUMNS = [...words("job"), ...numbers("phase", "bucket"), ...words("name", "group"), ...numbers("collectives", "mean wait", "longest wait", "last rank"), ...words("communicator"), ...numbers("step")];
const BANDWIDTH_COLUMNS = [
  ...words("job", "group"),
  ...numbers("phase"),
  ...words("name"),
  ...numbers("number", "busbw (GB/s)", "bound (GB/s)", "share of the bound", "busbw from the first begin (GB/s)", "lowest busbw (GB/s)"),
  ...words("lowest communicator", "bounded by"),
];

const partRows = ({ name, found }: Job): string[][] =>
  [
    ...PARTS.map(({ title, key }) => ({ title, time: found.times[key] })),
    { title: "communication, exposed or not", time: found.times.communication },
    { title: "whole step", time: found.times.step },
  ].map(({ title, time }) => [name, stepsOf(found), count(found.ranks), title, span(time.mean), percent(time.share), count(time.rank), span(time.worst)]);

const phaseRow = (row: PhaseTime): string[] => [
  count(row.phase),
  row.name,
  row.activity,
  row.group,
  span(row.time),
  row.exposed === null ? "" : span(row.exposed),
  percent(row.share),
  span(row.worst),
  count(row.worst_rank),
];

const waitRow = (row: MemberWait): string[] => [
  count(row.phase),
  count(row.bucket),
  row.name,
  row.group,
  count(row.collectives),
  span(row.mean),
  span(row.largest),
  count(row.last_rank),
  row.communicator,
  count(row.step),
];

const BOUNDS = { nic: "links", local: "its host" };

const bandwidthRow = (row: GroupBandwidth): string[] => [
  row.group,
  count(row.phase),
  row.name,
  count(row.communicators),
  inGb(row.busbw),
  row.bound === null ? "" : inGb(row.bound),
  row.share === null ? "" : percent(row.share),
  inGb(row.from_first),
  inGb(row.lowest),
  row.lowest_communicator,
  row.bound_kind === null ? "unknown" : BOUNDS[row.bound_kind],
];

/** A table over all jobs, with what it leaves out. */
function listed<Row>(
  title: string,
  meaning: string,
  columns: Column[],
  jobs: Job[],
  of: (found: Breakdown) => CutList<Row>,
  cells: (row: Row) => string[],
  says: (row: Row) => boolean = () => true,
): HTMLElement[] {
  const rows = jobs.flatMap(({ name, found }) => of(found).rows.filter(says).map((row) => [name, ...cells(row)]));
  const silent = jobs.reduce((sum, { found }) => sum + of(found).rows.filter((row) => !says(row)).length, 0);
  const cut = jobs.filter(({ found }) => of(found).total > of(found).rows.length);
  if (rows.length === 0) {
    return [];
  }
  const left = cut.map(({ name, found }) => note(`${name}: ${count(of(found).rows.length)} of ${count(of(found).total)} rows.`));
  const none = silent > 0 ? [note(`${some(silent, "further row")} with a time of zero.`)] : [];
  return [element("h3", {}, title), note(meaning), table(title, columns, rows), ...none, ...left];
}

function content(report: Report): HTMLElement[] {
  const jobs = jobsOf(report);
  if (jobs.length === 0) {
    return [];
  }
  const over = jobs.map(({ name, found }) => `${name}: ${stepsOf(found)}`).join("; ");
  return [
    note(
      "Jobs that compute or have groups, over the recorded steps that were completed: the first one, and the slowest of the " +
        `others, so times may be above those of all steps. Over ${over}.`,
    ),
    ...bars(jobs),
    table("Parts of a step", PART_COLUMNS, jobs.flatMap(partRows)),
    ...listed(
      "Exposed communication by phase",
      "The part of a phase in which its rank does not compute, mean over ranks and steps. A time in which several phases " +
        "communicate counts for each of them.",
      PHASE_COLUMNS,
      jobs,
      ({ phases }) => phases,
      phaseRow,
    ),
    ...listed(
      "Waiting for the slowest member",
      "Mean: from the mean begin of the members of a communicator to the latest. Longest: from the earliest to the latest " +
        "in one communicator and step, with the rank that began last.",
      WAIT_COLUMNS,
      jobs,
      ({ waits }) => waits,
      waitRow,
      ({ largest }) => largest > 0,
    ),
    ...listed(
      "Bandwidth of groups and its bound",
      "Bus bandwidth of a communicator, from the last begin of a member to the last end, mean over that number of communicators; where early " +
        "members have moved data before that, it may exceed its bound. At the bound of one communicator by itself " +
        "the links of a host or of a server are full with what its members lack; communicators that share links share it.",
      BANDWIDTH_COLUMNS,
      jobs,
      ({ bandwidths }) => bandwidths,
      bandwidthRow,
    ),
  ];
}

/** The panel. */
export const EXPOSURE: Panel = { id: "exposure", title: "Exposed communication", content };
