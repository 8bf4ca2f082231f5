// Where a completion time meets a target: between which two neighbouring values of a setting that begins or ceases.
//
// Nothing is interpolated: between two sampled values the threshold is unknown.

import { span } from "./units.ts";

/** A value of the setting with its completion time in seconds, if there is one. */
export interface Sample {
  text: string;
  time: number | null;
}

/** Two neighbouring values with a time; the target is met at one of them. */
export interface Bracket {
  below: string;
  above: string;
  /** Whether the target is met at the larger value. */
  begins: boolean;
}

/** Targets at round times: multiples of a step in seconds, from the first to the last. */
export interface Targets {
  step: number;
  first: number;
  last: number;
  /** The one that is chosen at first. */
  start: number;
}

/** Largest number of values without a time that are listed. */
const LISTED = 3;
/** Largest number of steps between two targets. */
const STEPS = 200;
/** The first target, relative to the smallest time. */
const ABOVE_BEST = 1.05;

interface Timed {
  text: string;
  time: number;
}

const timed = (samples: Sample[]): Timed[] => samples.flatMap(({ text, time }) => (time === null ? [] : [{ text, time }]));

/** Where the target begins or ceases to be met; the samples are in the order of their values. */
export function brackets(samples: Sample[], target: number): Bracket[] {
  const known = timed(samples);
  return known.slice(1).flatMap((later, nth) => {
    const earlier = known[nth] ?? later;
    const begins = later.time <= target;
    return begins === earlier.time <= target ? [] : [{ below: earlier.text, above: later.text, begins }];
  });
}

const between = ({ below, above }: Bracket): string => `between ${below} and ${above}`;

/** What the times at these values are, compared with the target. */
function course(samples: Timed[], target: number): string {
  const found = brackets(samples, target);
  const [first, ...others] = found;
  const text = span(target);
  if (first === undefined) {
    return (samples[0]?.time ?? 0) <= target ? `meets ${text} at every value` : `never meets ${text}`;
  }
  if (others.length > 0) {
    const each = found.map((bracket) => `${between(bracket)} (then ${bracket.begins ? "meets" : "exceeds"} it)`);
    return `crosses ${text} ${found.length} times: ${each.join(", ")}`;
  }
  const where = first.begins ? `from ${first.above} on` : `up to ${first.below}`;
  return `meets ${text} ${where}; the threshold lies ${between(first)}`;
}

/** The values without a time. */
function lacking(samples: Sample[]): string {
  const without = samples.filter(({ time }) => time === null).map(({ text }) => text);
  const which = without.length > LISTED ? `${without.length} values` : without.join(", ");
  return without.length === 0 ? "" : `; no time at ${which}`;
}

/** A sentence on where a policy meets the target; the samples are in the order of their values. */
export function verdict(policy: string, samples: Sample[], target: number): string {
  const known = timed(samples);
  return known.length === 0 ? `${policy} has no completion time here` : `${policy} ${course(known, target)}${lacking(samples)}`;
}

/** The smallest of 1, 2, 5, 10, ... that is not below a number. */
function roundedUp(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number));
  return power * ([1, 2, 5].find((digit) => digit * power >= number * (1 - 1e-9)) ?? 10);
}

/** The targets from the shortest to the longest time; at the ends no policy, or every one, meets them. */
export function targetsBetween(shortest: number, longest: number): Targets {
  const range = Math.max(longest - shortest, longest / 100);
  const step = range > 0 ? roundedUp(range / STEPS) : 1;
  const [first, last] = [Math.floor(shortest / step), Math.ceil(longest / step)];
  return { step, first, last, start: Math.min(last, Math.round((ABOVE_BEST * shortest) / step)) };
}

/** The time of a target in seconds, without errors in its last digits. */
export const timeOf = ({ step }: Targets, target: number): number => Number((target * step).toPrecision(12));

/** The target next to a time. */
export const nearest = ({ step, first, last }: Targets, time: number): number =>
  Math.min(last, Math.max(first, Math.round(time / step)));
