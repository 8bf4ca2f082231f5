// Values of a setting as numbers: parsed from texts such as `50Gbps`, and an axis on which they have their true distances.
//
// Texts that are no quantity, quantities of different dimensions, and two texts for the same number have no axis.

/** A value of a setting. */
export interface Quantity {
  /** As the scenario writes it. */
  text: string;
  /** In the base unit of its dimension. */
  value: number;
  /** As written; empty if there is none. */
  unit: string;
  dimension: string;
}

/** The values of an axis in increasing order. */
export interface NumericAxis {
  values: Quantity[];
  /** Whether distances show ratios. */
  log: boolean;
  /** The unit of all values; null if they have none, or several. */
  unit: string | null;
}

/** The axis is logarithmic if its values differ by more than this factor. */
const WIDE = 8;
/** Least number of values of an axis. */
const LEAST = 3;

/** Dimensions with their units in base units. */
const UNITS: Record<string, Record<string, number>> = {
  number: { "": 1 },
  share: { "%": 0.01 },
  time: { ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 },
  size: { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 },
  rate: { bps: 1, Kbps: 1e3, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 },
};

const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?) ?([A-Za-z%]*)$/;

/** The quantity that a text writes; null if it is none. */
export function quantity(text: string): Quantity | null {
  const [, digits, unit] = NUMBER.exec(text.trim()) ?? [];
  if (digits === undefined || unit === undefined) {
    return null;
  }
  const found = Object.entries(UNITS).find(([, units]) => Object.hasOwn(units, unit));
  return found === undefined ? null : { text, value: Number(digits) * (found[1][unit] ?? 1), unit, dimension: found[0] };
}

/** Whether values can be compared: of one dimension, apart from a zero without a unit. */
function isComparable(values: Quantity[]): boolean {
  const dimensions = values.filter(({ value, unit }) => value !== 0 || unit !== "").map(({ dimension }) => dimension);
  return new Set(dimensions).size <= 1;
}

function commonUnit(values: Quantity[]): string | null {
  const [first = "", ...others] = new Set(values.map(({ unit }) => unit));
  return first === "" || others.length > 0 ? null : first;
}

/** The axis of values, each text once; null unless all are numbers and there are at least three. */
export function numericAxis(texts: string[]): NumericAxis | null {
  const distinct = [...new Set(texts)];
  const values = distinct.flatMap((text) => quantity(text) ?? []).sort((left, right) => left.value - right.value);
  const numbers = new Set(values.map(({ value }) => value));
  const [least, most] = [values[0], values.at(-1)];
  if (least === undefined || most === undefined || values.length < distinct.length || numbers.size < values.length) {
    return null;
  }
  if (values.length < LEAST || !isComparable(values)) {
    return null;
  }
  return { values, log: least.value > 0 && most.value > WIDE * least.value, unit: commonUnit(values) };
}

/** Where a value is on the axis, in the units of its scale. */
export const position = ({ log }: NumericAxis, { value }: Quantity): number => (log ? Math.log10(value) : value);

/** The title of the axis of a setting. */
export function axisTitle(name: string, { log, unit }: NumericAxis): string {
  const notes = [...(unit === null ? [] : [unit]), ...(log ? ["logarithmic"] : [])];
  return notes.length === 0 ? name : `${name} (${notes.join(", ")})`;
}
