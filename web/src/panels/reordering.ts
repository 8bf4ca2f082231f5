// Reordering: number of late packets, their reordering extent, and the buffer a receiver would need.

import { barChart } from "../bars.ts";
import type { ReorderingOfRun, Report } from "../data.ts";
import { note } from "../dom.ts";
import { groupChart } from "../groups.ts";
import { legend, runColour } from "../palette.ts";
import { asTable } from "../tables.ts";
import { count, percent, size, sizeUnit } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

interface Found {
  run: number;
  name: string;
  of: ReorderingOfRun;
}

const BUCKETS = ["1", "2–3", "4–7", "8–15", "16–31", "32–63", "64–127", "≥ 128"];

const found = (report: Report): Found[] =>
  report.reordering.flatMap((of, run) => (of === null ? [] : [{ run, name: report.runs[run]?.name ?? "", of }]));

function byPlaces(shown: Found[]): HTMLElement {
  const kinds = shown.map(({ run, name, of }) => ({
    name,
    colour: runColour(run),
    bars: of.by_extent.map((late) => {
      const share = late / Math.max(of.packets, 1);
      return { value: share, low: share, high: share, tip: [`${count(late)} of ${count(of.packets)} packets`] };
    }),
  }));
  const unit = { name: "% of all packets", worth: 0.01 };
  const axis = { name: "reordering extent (packets)", names: BUCKETS };
  return figure("Late packets by reordering extent", groupChart("Late packets by reordering extent", "late packets", unit, axis, kinds));
}

function toHold(shown: Found[]): HTMLElement {
  const unit = sizeUnit(Math.max(...shown.map(({ of }) => of.buffered_bytes), 1));
  const bars = shown.map(({ run, name, of }) => ({
    name,
    colour: runColour(run),
    value: of.buffered_bytes,
    tip: [`${size(of.buffered_bytes)}`, `${count(of.buffered_packets)} packets`],
  }));
  return figure(
    "Largest reordering buffer for one message",
    barChart("Largest reordering buffer for one message", "bytes to restore the order", unit, bars),
  );
}

const COLUMNS = [
  "messages",
  "with late packets",
  "packets",
  "late",
  "share late",
  "late, retransmitted",
  "largest extent",
  "largest n (n-reordering)",
  "buffer (packets)",
  "buffer (bytes)",
];

const row = ({ name, of }: Found): string[] => [
  name,
  ...[of.messages, of.reordered, of.packets, of.late].map(count),
  percent(of.late_share),
  ...[of.late_retransmitted, of.extent, of.degree, of.buffered_packets].map(count),
  size(of.buffered_bytes),
];

function content(report: Report): HTMLElement[] {
  const shown = found(report);
  if (shown.length === 0) {
    return [];
  }
  const runs = shown.map(({ run }) => run);
  const isLate = shown.some(({ of }) => of.late > 0);
  return [
    note(
      "Order in which packets arrive on the wire, independent of the transport; of each packet only the first copy counts. " +
        "A packet is late if a packet with a higher sequence number of the same message or queue pair arrived before it; its " +
        "reordering extent (RFC 4737) is the number of packets that arrived from that one on. The reordering buffer is what " +
        "a receiver would need to deliver packets in order. Figures cover the whole run.",
    ),
    ...(isLate ? [legend(report.runs, runs), pair(byPlaces(shown), toHold(shown))] : [note("No packet arrived late.")]),
    asTable(
      "Order of arrival",
      [{ title: "run" }, ...COLUMNS.map((title) => ({ title, number: true }))],
      shown.map(row),
    ),
  ];
}

/** The panel. */
export const REORDERING: Panel = { id: "reordering", title: "Reordering", content };
