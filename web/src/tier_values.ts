// What is shown of the ports of a tier, in the order in which it is packed.

import { count, percent, size } from "./units.ts";

/** A value of a cell, in the order in which they are packed. */
export interface Value {
  title: string;
  /** What it says of a port. */
  says: (written: string) => string;
  write: (number: number) => string;
  /** A difference of two values; those of shares are percentage points, not percent of a share. */
  difference: (number: number) => string;
}

const share = (number: number): string => percent(number / 1e4);
const points = (number: number): string => share(number).replace(" %", " percentage points");

export const VALUES: Value[] = [
  { title: "Utilization", says: (text) => `sending ${text} of the time`, write: share, difference: points },
  { title: "Longest queue", says: (text) => `longest queue ${text}`, write: size, difference: size },
  { title: "Packets dropped", says: (text) => `${text} packets dropped`, write: count, difference: count },
  { title: "Time blocked", says: (text) => `paused or without credits ${text} of the time`, write: share, difference: points },
];
