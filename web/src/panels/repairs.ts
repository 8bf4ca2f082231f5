// What messages on queue pairs sent again, and the NACKs that asked for it.

import type { RepairedMessage, RepairsOfRun, Report } from "../data.ts";
import { folded, note, stacked } from "../dom.ts";
import { runColour, runName } from "../palette.ts";
import { stackChart } from "../stacks.ts";
import { table } from "../tables.ts";
import type { Cell } from "../tables.ts";
import { count, percent, significant } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

interface Found {
  run: number;
  name: string;
  of: RepairsOfRun;
}

const found = (report: Report): Found[] =>
  report.repairs.flatMap((of, run) => (of === null ? [] : [{ run, name: report.runs[run]?.name ?? "", of }]));

/** All packets that came: of each those that were taken, and those that had been taken before. */
const all = ({ packets, spurious }: RepairsOfRun): number => packets + spurious;

const part = (packets: number, of: RepairsOfRun): number => packets / Math.max(all(of), 1);

function again(shown: Found[]): HTMLElement[] {
  if (shown.every(({ of }) => of.needed + of.spurious === 0)) {
    return [];
  }
  const rows = shown.map(({ run, name, of }) => ({
    name,
    colour: runColour(run),
    full: part(of.spurious, of),
    hollow: part(of.needed, of),
    tip: [
      `for nothing: ${count(of.spurious)}, ${percent(part(of.spurious, of))}`,
      `needed: ${count(of.needed)}, ${percent(part(of.needed, of))}`,
      `of ${count(all(of))} packets`,
    ],
  }));
  const unit = { name: "% of all packets", worth: 0.01 };
  return [
    figure(
      "Packets that came again: ■ for nothing, □ needed",
      stackChart("Packets sent again in each run", "sent again", unit, rows),
    ),
  ];
}

/** NACKs that left receivers, and what became of them; without switches that look at them all go on. */
function nacks(shown: Found[]): HTMLElement[] {
  if (shown.every(({ of }) => of.nacks === 0 && of.edge === null)) {
    return [];
  }
  const rows = shown.map(({ run, name, of }) => {
    const passed = of.edge?.forwarded ?? of.nacks;
    const blocked = of.edge?.blocked ?? 0;
    const made = of.edge === null ? [] : [`made at the edge: ${count(of.edge.made)}`];
    return {
      name,
      colour: runColour(run),
      full: part(passed, of),
      hollow: part(blocked, of),
      ...(of.edge === null || of.edge.made === 0 ? {} : { mark: part(of.edge.made, of) }),
      tip: [
        `sent by receivers: ${count(of.nacks)}`,
        `let on to senders: ${count(passed)}`,
        `kept back at the edge: ${count(blocked)}`,
        ...made,
      ],
    };
  });
  const edge = shown.some(({ of }) => of.edge !== null);
  const title = edge ? "NACKs: ■ on to the sender, □ kept back at the edge, ◇ made there" : "NACKs that went to senders";
  const unit = { name: "per 100 packets", worth: 0.01 };
  return [figure(title, stackChart("NACKs in each run", "NACKs", unit, rows))];
}

const COLUMNS = [
  "messages",
  "packets",
  "needed again",
  "again for nothing",
  "share again",
  "timeouts",
  "NACKs of receivers",
  "passed at the edge",
  "kept back",
  "made",
  "marked packets",
  "CNPs",
  "told to slow down",
  "messages out of order",
  "most packets early",
];

/** Messages that are in sums alone cannot be told one by one. */
const ofThose = ({ messages, single }: RepairsOfRun): string[] => (single < messages ? [`of ${count(single)}`] : []);

function totals(report: Report, shown: Found[]): HTMLElement {
  const rows = shown.map(({ run, of }): Cell[] => [
    runName(report.runs, run),
    count(of.messages),
    count(of.packets),
    count(of.needed),
    count(of.spurious),
    percent(part(of.needed + of.spurious, of)),
    count(of.timeouts),
    count(of.nacks),
    ...(of.edge === null ? [null, null, null] : [of.edge.forwarded, of.edge.blocked, of.edge.made].map(count)),
    stacked(count(of.marked), percent(part(of.marked, of))),
    count(of.cnps),
    count(of.notified),
    of.single === 0 ? null : stacked(count(of.reordered), ...ofThose(of)),
    of.single === 0 ? count(of.farthest) : stacked(count(of.farthest), `mean ${significant(of.distance)}`),
  ]);
  const columns = COLUMNS.map((title) => ({ title, number: true }));
  // Columns without a value in any run tell nothing.
  const used = columns.map((_, place) => rows.some((row) => row[place + 1] !== null));
  const keep = <Item>(list: Item[]): Item[] => list.filter((_, place) => place === 0 || used[place - 1]);
  return table("Messages on queue pairs", keep([{ title: "run" }, ...columns]), rows.map(keep));
}

/** Figures of one message; those of the edge only where a switch looks at NACKs. */
const FIGURES: [title: string, of: (message: RepairedMessage) => number][] = [
  ["packets", ({ packets }) => packets],
  ["timeouts", ({ timeouts }) => timeouts],
  ["needed again", ({ needed }) => needed],
  ["for nothing", ({ spurious }) => spurious],
  ["NACKs", ({ nacks }) => nacks],
];

const FIGURES_OF_EDGE: typeof FIGURES = [
  ["kept back", ({ blocked }) => blocked],
  ["made", ({ made }) => made],
];

const MORE_FIGURES: typeof FIGURES = [
  ["marked", ({ marked }) => marked],
  ["CNPs", ({ cnps }) => cnps],
  ["told to slow down", ({ notified }) => notified],
  ["packets early", ({ distance }) => distance],
];

function worst(report: Report, shown: Found[]): HTMLElement[] {
  const edge = shown.some(({ of }) => of.edge !== null);
  const numbers = [...FIGURES, ...(edge ? FIGURES_OF_EDGE : []), ...MORE_FIGURES];
  const row = (run: number, message: RepairedMessage): Cell[] => [
    runName(report.runs, run),
    message.flow,
    ...numbers.map(([, of]) => count(of(message))),
  ];
  const rows = shown.flatMap(({ run, of }) => of.worst.map((message) => row(run, message)));
  if (rows.length === 0) {
    return [];
  }
  const cut = shown.filter(({ of }) => of.affected > of.worst.length);
  const told = cut.map(({ name, of }) => `${name}: ${of.worst.length} of ${count(of.affected)}`).join("; ");
  const columns = [{ title: "run" }, { title: "message" }, ...numbers.map(([title]) => ({ title, number: true }))];
  const caption = "Messages with most timeouts, then most sent again";
  const more = told === "" ? [] : [note(`Of those with anything to tell, ${told}; the table “repairs” has all.`)];
  return [folded(caption, table(caption, columns, rows), ...more)];
}

function content(report: Report): HTMLElement[] {
  const shown = found(report);
  if (shown.length === 0) {
    return [];
  }
  const figures = [...again(shown), ...nacks(shown)];
  return [
    note(
      "Until nothing of a message was under way any more. A packet came again for nothing if it had been taken " +
        "before; a packet came early if others before it in its queue pair were missing. Shares are of all packets that " +
        "came. Senders are told to slow down by CNPs, and by NACKs and ACKs where " +
        "the NIC takes them so.",
    ),
    ...(figures.length > 0 ? [pair(...figures)] : [note("Nothing was sent again, and no NACK left a receiver.")]),
    totals(report, shown),
    ...worst(report, shown),
  ];
}

/** The panel. */
export const REPAIRS: Panel = { id: "repairs", title: "Retransmissions", content };
