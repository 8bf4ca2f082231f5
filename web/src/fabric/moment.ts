// A snapshot of the fabric of a run: values over the whole run, in the intervals of a stretch of time, or none after its
// end.

import { some, spans } from "../units.ts";
import type { Picture, Told } from "./drawing.ts";
import type { Frames, Stretch } from "./frames.ts";
import { METRICS, placed, wholeRun } from "./metrics.ts";
import type { Metric } from "./metrics.ts";
import type { Shown } from "./shown.ts";

const PARTS = ["", "leaf of a congestion tree", "branch of a congestion tree", "root of a congestion tree"];

/** Start and end, in seconds. */
export type Interval = [number, number];

/** The intervals of a run that overlap a stretch of time, so that none is skipped; null after its end. */
function spansIn({ length, count }: Frames, [start, end]: Interval): Stretch | null {
  const middle = Math.floor((start + end) / 2 / length);
  // If intervals are longer than the stretch, the one around its middle; rounding must not add a neighbour.
  const isInside = end - start <= length * (1 + 1e-9);
  const first = isInside ? middle : Math.floor(start / length + 1e-6);
  const last = isInside ? middle : Math.ceil(end / length - 1e-6) - 1;
  return first >= count ? null : { first, last: Math.min(Math.max(first, last), count - 1) };
}

/** A snapshot of one run. */
export class Moment {
  private readonly shown: Shown;
  /** Simulated time of the run. */
  private readonly seconds: number;
  private readonly isWhole: boolean;
  private readonly hasEnded: boolean;
  /** Intervals of the run; null if there are none. */
  private readonly stretch: Stretch | null;

  /** Of a stretch of time, or of the whole run if `when` is null. */
  constructor(shown: Shown, seconds: number, when: Interval | null) {
    this.shown = shown;
    this.seconds = seconds;
    const { frames } = shown;
    this.isWhole = when === null;
    this.stretch = when === null || frames === null ? null : spansIn(frames, when);
    this.hasEnded = when !== null && (frames === null ? (when[0] + when[1]) / 2 >= seconds : this.stretch === null);
  }

  /** Whether there are values over time, not only of the whole run. */
  private get isSampled(): boolean {
    return this.shown.frames?.sampled === true;
  }

  /** The heading of the list of a metric. */
  title(metric: Metric): string {
    if (this.isWhole) {
      return `Largest values, whole run: ${metric.whole}`;
    }
    if (this.hasEnded) {
      return "The run has ended.";
    }
    const { frames } = this.shown;
    if (frames === null || this.stretch === null || !this.isSampled) {
      return "Ports were not sampled over time.";
    }
    return `Largest values, ${spans(...frames.bounds(this.stretch))}: ${metric.span}`;
  }

  /** The value of an edge; null if it is not known. */
  value(metric: Metric, number: number): number | null {
    const { fabric, frames } = this.shown;
    const edge = fabric.edges[number];
    if (edge === undefined) {
      return null;
    }
    if (this.isWhole) {
      return wholeRun(metric, edge, number, frames, this.seconds);
    }
    return frames === null || this.stretch === null || !this.isSampled ? null : metric.during(edge, number, frames, this.stretch);
  }

  private during(kind: "down" | "role", edge: number): number {
    const { frames } = this.shown;
    return frames === null || this.stretch === null ? 0 : frames.over(kind, edge, this.stretch);
  }

  private told(metric: Metric, most: number, number: number): Told {
    const value = this.value(metric, number);
    const role = this.isWhole ? (this.shown.fabric.edges[number]?.role ?? 0) : this.during("role", number);
    const down = this.during("down", number);
    return { share: value === null ? null : placed(metric, value, most), lines: this.lines(number, down, role), down, role };
  }

  /** Lines of the tooltip: all metrics. */
  private lines(number: number, down: number, role: number): string[] {
    const values = METRICS.flatMap((metric) => {
      const value = this.value(metric, number);
      return value === null ? [] : [`${metric.title.toLowerCase()} ${metric.write(value)}`];
    });
    return [
      ...(this.hasEnded ? ["the run has ended"] : values.length > 0 ? values : ["not sampled over time"]),
      ...(down > 0 ? [`${some(down, "link")} down`] : []),
      ...(role > 0 ? [PARTS[role] ?? ""] : []),
    ];
  }

  /** The values to paint, on a scale that ends at `most`. */
  picture(metric: Metric, most: number, picked: number | null): Picture {
    const { frames } = this.shown;
    return {
      picked,
      isVictim: (square) => this.stretch !== null && frames?.hasVictims(square, this.stretch) === true,
      edge: (number) => this.told(metric, most, number),
    };
  }
}

/** The end of a scale for some runs: the largest value of a whole run, or of any interval. */
export function top(metric: Metric, runs: Shown[], seconds: (run: number) => number): number {
  const most = runs.reduce((found, { run, fabric, frames }) => {
    const frameOf = frames !== null && frames.sampled ? frames : null;
    return fabric.edges.reduce((so_far, edge, number) => {
      let largest = Math.max(so_far, metric.overall(edge, seconds(run)) ?? 0);
      for (let frame = 0; frame < (frameOf?.count ?? 0); frame += 1) {
        largest = Math.max(largest, frameOf === null ? 0 : metric.during(edge, number, frameOf, { first: frame, last: frame }));
      }
      return largest;
    }, found);
  }, metric.least);
  return metric.factor === null ? Math.min(1, most) : most;
}
