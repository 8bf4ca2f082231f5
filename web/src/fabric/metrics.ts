// The metrics that colours of a fabric can show, and how their values are computed, scaled and written.

import { percent, size, some } from "../units.ts";
import type { Edge } from "./data.ts";
import type { Frames, Stretch } from "./frames.ts";

/** A metric of edges. */
export interface Metric {
  id: "utilization" | "backlog" | "paused" | "drops";
  title: string;
  /** What a value is, over the whole run and in an interval. */
  whole: string;
  span: string;
  /** A value over the whole run, which lasted `seconds`; null if it was not counted. */
  overall: (edge: Edge, seconds: number) => number | null;
  /** A value in some intervals. */
  during: (edge: Edge, number: number, frames: Frames, stretch: Stretch) => number;
  write: (value: number) => string;
  /** The scale is logarithmic above this value and linear below; null for a linear scale. */
  factor: number | null;
  /** Smallest upper end of the scale. */
  least: number;
}

const PS = 1e12;

/** Length of intervals in seconds, at least one picosecond. */
function seconds(frames: Frames, stretch: Stretch): number {
  const [start, end] = frames.bounds(stretch);
  return Math.max(end - start, 1 / PS);
}

/** All of them. */
export const METRICS: Metric[] = [
  {
    id: "utilization",
    title: "Utilization",
    whole: "share of the time that figures are taken over in which a port was transmitting, mean over ports",
    span: "bytes whose transmission began in the interval, divided by the link rate times its length, mean over ports",
    overall: ({ busy }) => busy,
    during: ({ rate }, edge, frames, stretch) => (8 * frames.over("sent", edge, stretch)) / (rate * seconds(frames, stretch)),
    write: percent,
    factor: null,
    least: 0.01,
  },
  {
    id: "backlog",
    title: "Backlog",
    whole: "largest number of bytes waiting at one port at any time (or in any sample, if the run did not record that)",
    span: "largest number of bytes waiting at one port at the end of a sample",
    overall: ({ peak }) => peak,
    during: (_, edge, frames, stretch) => frames.over("waiting", edge, stretch),
    write: size,
    factor: 2048,
    least: 16384,
  },
  {
    id: "paused",
    title: "Blocked",
    whole: "share of the run in which a port was blocked by pause frames or lack of credits, mean over ports",
    span: "share of the interval in which a port was blocked by pause frames or lack of credits, mean over ports",
    overall: ({ paused, ports }, simulated) => (simulated > 0 ? paused / PS / simulated / ports : 0),
    during: ({ ports }, edge, frames, stretch) => frames.over("paused", edge, stretch) / PS / seconds(frames, stretch) / ports,
    write: percent,
    factor: null,
    least: 0.01,
  },
  {
    id: "drops",
    title: "Drops",
    whole: "packets dropped at ports in the whole run",
    span: "packets dropped at ports in the interval",
    overall: ({ dropped }) => dropped,
    during: (_, edge, frames, stretch) => frames.over("dropped", edge, stretch),
    write: (value) => some(Math.floor(value), "packet"),
    factor: 1,
    least: 8,
  },
];

/** A value over the whole run: as counted, or else from samples; null if neither exists. */
export function wholeRun(metric: Metric, edge: Edge, number: number, frames: Frames | null, seconds: number): number | null {
  const counted = metric.overall(edge, seconds);
  if (counted !== null || frames === null || !frames.sampled) {
    return counted;
  }
  return metric.during(edge, number, frames, { first: 0, last: frames.count - 1 });
}

/** The position of a value, from 0 to 1, on the scale that ends at `most`. */
export function placed({ factor }: Metric, value: number, most: number): number {
  const share = factor === null ? value / most : Math.log1p(value / factor) / Math.log1p(most / factor);
  return Math.min(1, Math.max(0, share));
}

/** The value at a position of the scale. */
export const valueAt = ({ factor }: Metric, share: number, most: number): number =>
  factor === null ? share * most : factor * Math.expm1(share * Math.log1p(most / factor));
