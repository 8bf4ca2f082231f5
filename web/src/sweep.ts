// A sweep of one numeric setting: times over its values, apart for each combination of the other settings.

import type { BySetting, Times } from "./data.ts";
import { numericAxis } from "./numeric_axis.ts";
import type { NumericAxis, Quantity } from "./numeric_axis.ts";

/** Times over the values of the setting, with the other settings fixed. */
export interface Curves {
  /** The other settings with their values; empty if there are none. */
  fixed: string;
  /** By value of the setting, then by policy; null without a time. */
  times: (Times | null)[][];
}

/** A sweep. */
export interface Sweep {
  /** The last part of the setting's path, which is enough to recognise it. */
  name: string;
  path: string;
  axis: NumericAxis;
  curves: Curves[];
}

/** Separates the values of settings in the name of a group. */
const SEPARATOR = " / ";
/** Least number of values in some curve; with fewer everywhere the setting changes together with another one. */
const LEAST = 3;

const lastPart = (path: string): string => path.split(".").at(-1) ?? path;

/** The values of the settings of each group; null if the names of groups leave some out. */
function valuesOf({ settings, groups }: BySetting): string[][] | null {
  const values = groups.map((name) => name.split(SEPARATOR));
  const isWhole = values.every((parts) => parts.length === settings.length && parts.at(-1) !== "…");
  return isWhole ? values : null;
}

/** The only numeric setting: its number and its axis. */
function swept(settings: string[], values: string[][]): [number, NumericAxis] | null {
  const numeric = settings.flatMap((_, nth): [number, NumericAxis][] => {
    const axis = numericAxis(values.map((parts) => parts[nth] ?? ""));
    return axis === null ? [] : [[nth, axis]];
  });
  return numeric.length === 1 ? (numeric[0] ?? null) : null;
}

/** The sweep in these times; null unless exactly one setting is numeric. */
export function sweepOf(found: BySetting): Sweep | null {
  const values = valuesOf(found);
  const only = values && swept(found.settings, values);
  if (values === null || only === null) {
    return null;
  }
  const [setting, axis] = only;
  const fixed = values.map((parts) =>
    parts.flatMap((value, nth) => (nth === setting ? [] : [`${lastPart(found.settings[nth] ?? "")} ${value}`])).join(", "),
  );
  const at = ({ text }: Quantity, name: string): number =>
    values.findIndex((parts, group) => parts[setting] === text && fixed[group] === name);
  const none = found.bars.map(() => null);
  const curves = [...new Set(fixed)].map((name) => ({
    fixed: name,
    times: axis.values.map((value) => found.times[at(value, name)] ?? none),
  }));
  const isLong = ({ times }: Curves): boolean => times.filter((policies) => policies.some((one) => one !== null)).length >= LEAST;
  const path = found.settings[setting] ?? "";
  return curves.some(isLong) ? { name: lastPart(path), path, axis, curves } : null;
}
