// Retransmissions of messages on queue pairs, and the NACKs that request them.

import type { RepairedMessage, RepairsOfRun, Report } from "../data.ts";
import { folded, note, stacked } from "../dom.ts";
import { messageName } from "../message_names.ts";
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

/** All packets that arrived: those accepted, and duplicates of packets accepted before. */
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
      `spurious: ${count(of.spurious)}, ${percent(part(of.spurious, of))}`,
      `needed: ${count(of.needed)}, ${percent(part(of.needed, of))}`,
      `of ${count(all(of))} packets`,
    ],
  }));
  const unit = { name: "% of all packets", worth: 0.01 };
  return [
    figure(
      "Retransmitted packets that arrived: ■ spurious, □ needed",
      stackChart("Retransmitted packets in each run", "retransmitted", unit, rows),
    ),
  ];
}

/** NACKs sent by receivers, and whether the edge forwards them; without a middlebox at the edge all are forwarded. */
function nacks(shown: Found[]): HTMLElement[] {
  if (shown.every(({ of }) => of.nacks === 0 && of.edge === null)) {
    return [];
  }
  const rows = shown.map(({ run, name, of }) => {
    const passed = of.edge?.forwarded ?? of.nacks;
    const blocked = of.edge?.blocked ?? 0;
    const made = of.edge === null ? [] : [`generated at the edge: ${count(of.edge.made)}`];
    return {
      name,
      colour: runColour(run),
      full: part(passed, of),
      hollow: part(blocked, of),
      ...(of.edge === null || of.edge.made === 0 ? {} : { mark: part(of.edge.made, of) }),
      tip: [
        `sent by receivers: ${count(of.nacks)}`,
        `forwarded to senders: ${count(passed)}`,
        `suppressed at the edge: ${count(blocked)}`,
        ...made,
      ],
    };
  });
  const edge = shown.some(({ of }) => of.edge !== null);
  const title = edge ? "NACKs: ■ forwarded to the sender, □ suppressed at the edge, ◇ generated at the edge" : "NACKs sent to senders";
  const unit = { name: "per 100 packets", worth: 0.01 };
  return [figure(title, stackChart("NACKs in each run", "NACKs", unit, rows))];
}

/** Columns of the table of retransmissions; the others are in that of signals to senders. */
const RETRANSMISSIONS = 6;

const COLUMNS = [
  "messages",
  "packets",
  "needed retransmissions",
  "spurious retransmissions",
  "share retransmitted",
  "timeouts",
  "NACKs of receivers",
  "NACKs forwarded",
  "NACKs suppressed",
  "NACKs generated",
  "ECN-marked packets",
  "CNPs",
  "congestion notifications",
  "messages out of order",
  "largest distance early (packets)",
];

/** The number of messages with a record of their own, if others are only in sums. */
const ofThose = ({ messages, single }: RepairsOfRun): string[] => (single < messages ? [`of ${count(single)}`] : []);

/** Two tables, since one of all columns is wider than most windows. */
function totals(report: Report, shown: Found[]): HTMLElement[] {
  const cells = shown.map(({ of }): Cell[] => [
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
    count(of.notifications),
    of.single === 0 ? null : stacked(count(of.reordered), ...ofThose(of)),
    of.single === 0 ? count(of.farthest) : stacked(count(of.farthest), `mean ${significant(of.distance)}`),
  ]);
  const columns = COLUMNS.map((title) => ({ title, number: true }));
  // Columns without a value in any run are left out.
  const used = columns.map((_, place) => cells.some((row) => row[place] !== null));
  const tableOf = (caption: string, isIn: (column: number) => boolean): HTMLElement => {
    const keep = <Item>(list: Item[]): Item[] => list.filter((_, column) => isIn(column) && used[column]);
    const rows = shown.map(({ run }, nth) => [runName(report.runs, run), ...keep(cells[nth] ?? [])]);
    return table(caption, [{ title: "run" }, ...keep(columns)], rows);
  };
  return [
    tableOf("Messages on queue pairs: retransmissions", (column) => column < RETRANSMISSIONS),
    tableOf("Messages on queue pairs: signals to senders, and order", (column) => column >= RETRANSMISSIONS),
  ];
}

/** Figures of one message; those of the edge only if a middlebox handles NACKs. */
const FIGURES: [title: string, of: (message: RepairedMessage) => number][] = [
  ["packets", ({ packets }) => packets],
  ["timeouts", ({ timeouts }) => timeouts],
  ["needed retransmissions", ({ needed }) => needed],
  ["spurious retransmissions", ({ spurious }) => spurious],
  ["NACKs", ({ nacks }) => nacks],
];

const FIGURES_OF_EDGE: typeof FIGURES = [
  ["NACKs suppressed", ({ blocked }) => blocked],
  ["NACKs generated", ({ made }) => made],
];

const MORE_FIGURES: typeof FIGURES = [
  ["ECN-marked", ({ marked }) => marked],
  ["CNPs", ({ cnps }) => cnps],
  ["congestion notifications", ({ notifications }) => notifications],
  ["distance early (packets)", ({ distance }) => distance],
];

function worst(report: Report, shown: Found[]): HTMLElement[] {
  const edge = shown.some(({ of }) => of.edge !== null);
  const numbers = [...FIGURES, ...(edge ? FIGURES_OF_EDGE : []), ...MORE_FIGURES];
  const row = (run: number, message: RepairedMessage): Cell[] => [
    runName(report.runs, run),
    messageName(message.flow),
    ...numbers.map(([, of]) => count(of(message))),
  ];
  const rows = shown.flatMap(({ run, of }) => of.worst.map((message) => row(run, message)));
  if (rows.length === 0) {
    return [];
  }
  const cut = shown.filter(({ of }) => of.affected > of.worst.length);
  const counts = cut.map(({ name, of }) => `${name}: ${of.worst.length} of ${count(of.affected)}`).join("; ");
  const columns = [{ title: "run" }, { title: "message" }, ...numbers.map(([title]) => ({ title, number: true }))];
  const caption = "Messages with most timeouts, then most retransmissions";
  const more = counts === "" ? [] : [note(`Only the first messages of this kind are listed (${counts}); table “repairs” has all of them.`)];
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
      "Counted over the whole run, for each message until none of its packets was in flight. A retransmission is spurious if " +
        "the receiver had accepted the packet before. A packet is early if packets before it in its queue pair were missing " +
        "when it arrived. Shares are of all packets that arrived. Congestion notifications are CNPs, and NACKs and marks in " +
        "ACKs if the NIC treats these as signals of congestion.",
    ),
    ...(figures.length > 0 ? [pair(...figures)] : [note("No packet was retransmitted, and no receiver sent a NACK.")]),
    ...totals(report, shown),
    ...worst(report, shown),
  ];
}

/** The panel. */
export const REPAIRS: Panel = { id: "repairs", title: "Retransmissions", content };
