// Activities of ranks in a step, as spans.

import { numbersOf } from "../packed.ts";
import type { RecordedStep, TimelineOfRun } from "./data.ts";

/** Activities of a rank, in the order of their numbers. */
export const ACTIVITIES = ["step", "compute", "communicate", "stages", "barrier", "collective"] as const;

export type Activity = (typeof ACTIVITIES)[number];

/** An activity of a rank. */
export interface Span {
  rank: number;
  activity: Activity;
  phase: number | null;
  bucket: number | null;
  /** Picoseconds since the start of the step. */
  start: number;
  /** Picoseconds; null if it was not completed. */
  length: number | null;
}

const NUMBERS = 6;

const orNull = (counted: number | undefined): number | null => (counted === undefined || counted === 0 ? null : counted - 1);

/** Spans that have been unpacked: several panels show them. */
const known = new WeakMap<TimelineOfRun, Promise<Map<RecordedStep, Span[]>>>();

/** The spans of each drawn step of a run. */
export function spansOf(timeline: TimelineOfRun): Promise<Map<RecordedStep, Span[]>> {
  const found = known.get(timeline) ?? unpack(timeline);
  known.set(timeline, found);
  return found;
}

async function unpack({ steps, packed }: TimelineOfRun): Promise<Map<RecordedStep, Span[]>> {
  const numbers = await numbersOf(packed);
  let place = 0;
  const next = (): Span => {
    const [rank = 0, activity = 0, phase, bucket, start = 0, length] = numbers.subarray(place, place + NUMBERS);
    place += NUMBERS;
    const what = ACTIVITIES[activity] ?? "step";
    return { rank, activity: what, phase: orNull(phase), bucket: orNull(bucket), start, length: orNull(length) };
  };
  return new Map(steps.map((step) => [step, Array.from({ length: step.drawn }, next)]));
}
