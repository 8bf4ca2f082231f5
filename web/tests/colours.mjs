// The colours of causes, as defined in web/src/style.css: different from each other for all kinds of colour vision, and
// different from those of runs.
//
// node tests/colours.mjs
//
// Leaves out: how charts use the colours.

import { readFileSync } from "node:fs";

import { ciede2000, difference } from "./colour_difference.mjs";

/** Pairs in L*a*b* with their CIEDE2000, from the supplement of Sharma, Wu and Dalal. */
const PUBLISHED = [
  [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
  [[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792],
  [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
  [[50, 0, 0], [50, -1, 2], 2.3669],
  [[50, 2.5, 0], [56, -27, -3], 31.903],
  [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
  [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
];
/** Least differences: between causes for every kind of sight, and from runs for normal sight. */
const LEAST = { light: { causes: 25, runs: 15 }, dark: { causes: 23, runs: 14 } };

const complaints = [];
const style = readFileSync(new URL("../src/style.css", import.meta.url), "utf8");
/** The first set of colours is that for light, the second that for dark. */
const [light, dark] = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) => body);
const namesOf = (body, kind) =>
  [...body.matchAll(new RegExp(`--(${kind}-[a-z0-9-]+): (#[0-9a-f]{6});`, "g"))].map(([, name, colour]) => ({ name, colour }));

for (const [one, other, expected] of PUBLISHED) {
  const found = ciede2000(one, other);
  if (Math.abs(found - expected) > 1e-4) {
    complaints.push(`the difference of ${one} and ${other} is ${found}, not ${expected}`);
  }
}

function compare(theme, one, other, least, sights) {
  const found = difference(one.colour, other.colour, sights);
  if (found < least) {
    complaints.push(`${theme}: ${one.name} and ${other.name} are only ${found.toFixed(1)} apart, not ${least}`);
  }
}

let measured = 0;
for (const [theme, body] of Object.entries({ light, dark })) {
  const [causes, runs] = [namesOf(body, "cause"), namesOf(body, "run")];
  if (causes.length < 7 || runs.length !== 8) {
    complaints.push(`${theme}: ${causes.length} colours of causes and ${runs.length} of runs`);
  }
  for (const [place, cause] of causes.entries()) {
    causes.slice(0, place).forEach((other) => compare(theme, cause, other, LEAST[theme].causes));
    runs.forEach((run) => compare(theme, cause, run, LEAST[theme].runs, ["normal"]));
    measured += place;
  }
}
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exit(1);
}
console.log(`colours: ${measured} pairs of causes differ for all kinds of colour vision`);
