// What is known of the fabric of a run at a place in time: over the whole run, in one of its spans, or nothing after its end.

import { some } from "../units.ts";
import type { Picture, Told } from "./drawing.ts";
import { METRICS, placed } from "./metrics.ts";
import type { Metric } from "./metrics.ts";
import type { Shown } from "./shown.ts";

const PARTS = ["", "leaf of a congestion tree", "branch of a congestion tree", "root of a congestion tree"];

/** See above. */
export class Moment {
  private readonly shown: Shown;
  /** How long the run lasted. */
  private readonly seconds: number;
  /** A span; null for the whole run. */
  private readonly frame: number | null | undefined;

  /** At the middle of a span of time in seconds, or over the whole run where that is null. */
  constructor(shown: Shown, seconds: number, middle: number | null) {
    this.shown = shown;
    this.seconds = seconds;
    const { frames } = shown;
    const nth = middle === null || frames === null ? undefined : Math.floor(middle / frames.length);
    const inside = nth !== undefined && frames !== null && nth < frames.count;
    this.frame = middle === null ? null : inside ? nth : undefined;
  }

  /** Whether anything is known. */
  get isKnown(): boolean {
    return this.frame !== undefined;
  }

  /** What a value of a metric is. */
  meaning = (metric: Metric): string => (this.frame === null ? metric.whole : metric.span);

  /** The value of an edge; null where it is not known. */
  value(metric: Metric, number: number): number | null {
    const { fabric, frames } = this.shown;
    const edge = fabric.edges[number];
    if (edge === undefined || this.frame === undefined) {
      return null;
    }
    if (this.frame === null) {
      return metric.overall(edge, this.seconds);
    }
    return frames?.sampled === true ? metric.during(edge, number, frames, this.frame) : null;
  }

  private during(kind: "down" | "role", edge: number): number {
    return typeof this.frame === "number" ? (this.shown.frames?.of(kind, edge, this.frame) ?? 0) : 0;
  }

  private told(metric: Metric, most: number, number: number): Told {
    const value = this.value(metric, number);
    const role = this.frame === null ? (this.shown.fabric.edges[number]?.role ?? 0) : this.during("role", number);
    const down = this.during("down", number);
    return { share: value === null ? null : placed(metric, value, most), lines: this.lines(number, down, role), down, role };
  }

  /** What is told beside the pointer: all that is known, in words. */
  private lines(number: number, down: number, role: number): string[] {
    const values = METRICS.flatMap((metric) => {
      const value = this.value(metric, number);
      return value === null ? [] : [`${metric.title.toLowerCase()} ${metric.write(value)}`];
    });
    return [
      ...(this.isKnown ? values : ["the run has ended"]),
      ...(down > 0 ? [`${some(down, "link")} down`] : []),
      ...(role > 0 ? [PARTS[role] ?? ""] : []),
    ];
  }

  /** What is painted, on a scale that ends at `most`. */
  picture(metric: Metric, most: number, picked: number | null): Picture {
    const { frames } = this.shown;
    return {
      picked,
      isVictim: (square) => typeof this.frame === "number" && frames?.hasVictims(square, this.frame) === true,
      edge: (number) => this.told(metric, most, number),
    };
  }
}

/** The end of a scale for some runs: the largest value of a whole run, or of any span. */
export function top(metric: Metric, runs: Shown[], seconds: (run: number) => number): number {
  const most = runs.reduce((found, { run, fabric, frames }) => {
    const frameOf = frames !== null && frames.sampled ? frames : null;
    return fabric.edges.reduce((so_far, edge, number) => {
      let largest = Math.max(so_far, metric.overall(edge, seconds(run)));
      for (let frame = 0; frame < (frameOf?.count ?? 0); frame += 1) {
        largest = Math.max(largest, frameOf === null ? 0 : metric.during(edge, number, frameOf, frame));
      }
      return largest;
    }, found);
  }, metric.least);
  return metric.factor === null ? Math.min(1, most) : most;
}
