// What the colours of a fabric may tell, and how its values are read, scaled and written.

import { count, percent, size } from "../units.ts";
import type { Edge } from "./data.ts";
import type { Frames, Stretch } from "./frames.ts";

/** Something that is known of every edge. */
export interface Metric {
  id: "utilization" | "backlog" | "paused" | "drops";
  title: string;
  /** What a value is, over the whole run and in a span. */
  whole: string;
  span: string;
  /** A value over the whole run, which lasted so many seconds; null where it was not counted. */
  overall: (edge: Edge, seconds: number) => number | null;
  /** A value in some spans. */
  during: (edge: Edge, number: number, frames: Frames, stretch: Stretch) => number;
  write: (value: number) => string;
  /** Values differ so much that equal steps of colour are equal factors above this one; null where they are equal steps. */
  factor: number | null;
  /** A scale always reaches this far. */
  least: number;
}

const PS = 1e12;

/** Seconds that spans last; those that end as they begin, of which nothing can be told, are one picosecond. */
function seconds(frames: Frames, stretch: Stretch): number {
  const [start, end] = frames.bounds(stretch);
  return Math.max(end - start, 1 / PS);
}

/** All of them. */
export const METRICS: Metric[] = [
  {
    id: "utilization",
    title: "Utilization",
    whole: "share of the run that ports were transmitting, their mean",
    span: "bytes whose transmission began in the span, over what the ports can send in it",
    overall: ({ busy }) => busy,
    during: ({ rate }, edge, frames, stretch) => (8 * frames.over("sent", edge, stretch)) / (rate * seconds(frames, stretch)),
    write: percent,
    factor: null,
    least: 0.01,
  },
  {
    id: "backlog",
    title: "Backlog",
    whole: "most bytes that ever waited at one port, or did in a sample where nothing counts the most",
    span: "most bytes that waited at one port at the end of a sample",
    overall: ({ peak }) => peak,
    during: (_, edge, frames, stretch) => frames.over("waiting", edge, stretch),
    write: size,
    factor: 2048,
    least: 16384,
  },
  {
    id: "paused",
    title: "Paused",
    whole: "share of the run for which the other end kept ports from sending, by pauses or for want of credits, their mean",
    span: "share of the span for which the other end kept ports from sending, their mean",
    overall: ({ paused, ports }, simulated) => (simulated > 0 ? paused / PS / simulated / ports : 0),
    during: ({ ports }, edge, frames, stretch) => frames.over("paused", edge, stretch) / PS / seconds(frames, stretch) / ports,
    write: percent,
    factor: null,
    least: 0.01,
  },
  {
    id: "drops",
    title: "Drops",
    whole: "packets dropped at ports",
    span: "packets dropped at ports in the span",
    overall: ({ dropped }) => dropped,
    during: (_, edge, frames, stretch) => frames.over("dropped", edge, stretch),
    write: (value) => `${count(value)} packets`,
    factor: 1,
    least: 8,
  },
];

/** A value over the whole run: what was counted, or else what samples show; null where it is not known. */
export function wholeRun(metric: Metric, edge: Edge, number: number, frames: Frames | null, seconds: number): number | null {
  const counted = metric.overall(edge, seconds);
  if (counted !== null || frames === null || !frames.sampled) {
    return counted;
  }
  return metric.during(edge, number, frames, { first: 0, last: frames.count - 1 });
}

/** Where a value lies on the scale that ends at the largest one, from 0 to 1. */
export function placed({ factor }: Metric, value: number, most: number): number {
  const share = factor === null ? value / most : Math.log1p(value / factor) / Math.log1p(most / factor);
  return Math.min(1, Math.max(0, share));
}

/** The value at a place of the scale. */
export const valueAt = ({ factor }: Metric, share: number, most: number): number =>
  factor === null ? share * most : factor * Math.expm1(share * Math.log1p(most / factor));
