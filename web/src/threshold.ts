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

/** Targets in increasing order, in seconds. */
export interface Targets {
  times: number[];
  /** The number of the one that is chosen at first. */
  start: number;
}

/** Largest number of values without a time that are listed. */
const LISTED = 3;
/** Largest number of targets at equal distances. */
const STEPS = 200;
/** Targets have equal ratios if times differ by more than this factor. */
const WIDE = 8;
/** The ratio of neighbouring targets, which have three significant digits. */
const RATIO = 1.02;
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
export function roundedUp(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number));
  return power * ([1, 2, 5].find((digit) => digit * power >= number * (1 - 1e-9)) ?? 10);
}

/** Without errors in its last digits. */
const exact = (time: number): number => Number(time.toPrecision(12));

/** Multiples of a round step, from the one below the shortest to the one above the longest time. */
function multiples(shortest: number, longest: number): number[] {
  const range = Math.max(longest - shortest, longest / 100);
  const step = roundedUp(range / STEPS);
  const first = Math.floor(shortest / step);
  return Array.from({ length: Math.ceil(longest / step) - first + 1 }, (_, nth) => exact((first + nth) * step));
}

/** Times with equal ratios, rounded. */
function ratios(shortest: number, longest: number): number[] {
  const count = Math.ceil(Math.log(longest / shortest) / Math.log(RATIO)) + 1;
  return Array.from({ length: count + 1 }, (_, nth) => Number((shortest * RATIO ** (nth - 0.5)).toPrecision(3)));
}

/** The number of the target next to a time. */
export function nearest(times: number[], time: number): number {
  const far = (nth: number): number => Math.abs((times[nth] ?? 0) - time);
  return times.reduce((best, _, nth) => (far(nth) < far(best) ? nth : best), 0);
}

/** The targets from the shortest to the longest time: no policy meets those below, and every one meets those above. */
export function targetsBetween(shortest: number, longest: number): Targets {
  if (!(shortest > 0 && Number.isFinite(longest))) {
    return { times: [0], start: 0 };
  }
  const times = (longest > WIDE * shortest ? ratios : multiples)(shortest, longest);
  return { times, start: nearest(times, ABOVE_BEST * shortest) };
}
