// Formatting of numbers: rounded, with a unit, with separated thousands; in the same form as the command prints.

/** A unit: its name and its value in the base unit. */
export interface Unit {
  name: string;
  worth: number;
}

const SPANS: Unit[] = [
  { name: "s", worth: 1 },
  { name: "ms", worth: 1e-3 },
  { name: "us", worth: 1e-6 },
  { name: "ns", worth: 1e-9 },
  { name: "ps", worth: 1e-12 },
];

const SIZES: Unit[] = [
  { name: "GiB", worth: 2 ** 30 },
  { name: "MiB", worth: 2 ** 20 },
  { name: "KiB", worth: 2 ** 10 },
  { name: "B", worth: 1 },
];

const RATES: Unit[] = [
  { name: "Tbps", worth: 1e12 },
  { name: "Gbps", worth: 1e9 },
  { name: "Mbps", worth: 1e6 },
  { name: "Kbps", worth: 1e3 },
  { name: "bps", worth: 1 },
];

function fitting(number: number, units: Unit[]): Unit {
  // Zero is written in the base unit.
  const fits = (unit: Unit): boolean => (number === 0 ? unit.worth === 1 : Math.abs(number) >= unit.worth);
  return units.find(fits) ?? units.at(-1) ?? { name: "", worth: 1 };
}

/** The largest unit that is not above a span of this length. */
export const spanUnit = (seconds: number): Unit => fitting(seconds, SPANS);

/** The largest unit that is not above this size. */
export const sizeUnit = (bytes: number): Unit => fitting(bytes, SIZES);

/** The largest unit that is not above this rate. */
export const rateUnit = (bits: number): Unit => fitting(bits, RATES);

/** Four significant digits, without trailing zeros after the decimal point. */
export function significant(number: number): string {
  const size = Math.abs(number);
  const decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
  return String(Number(number.toFixed(decimals)));
}

/** A span of time. */
export function span(seconds: number): string {
  const unit = spanUnit(seconds);
  return `${significant(seconds / unit.worth)} ${unit.name}`;
}

/** A range of times, in one unit. */
export function spans(low: number, high: number): string {
  const unit = spanUnit(high);
  return `${significant(low / unit.worth)} – ${significant(high / unit.worth)} ${unit.name}`;
}

/** Bytes. */
export function size(bytes: number): string {
  const unit = sizeUnit(bytes);
  return `${significant(bytes / unit.worth)} ${unit.name}`;
}

/** Bits per second. */
export function bitRate(bits: number): string {
  const unit = rateUnit(bits);
  return `${significant(bits / unit.worth)} ${unit.name}`;
}

/** A whole number with separated thousands. */
export function count(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count with its noun, in the plural unless it is one. */
export function some(number: number, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** A share of one. */
export const percent = (share: number): string => `${significant(share * 100)} %`;

/** The relative change of a value, given its ratio to the first one. */
export function change(ratio: number): string {
  // Rounded first, so that a change that rounds to zero is written as +0.0 %.
  const percents = Number(((ratio - 1) * 100).toFixed(1));
  return `${percents < 0 ? "−" : "+"}${Math.abs(percents).toFixed(1)} %`;
}
