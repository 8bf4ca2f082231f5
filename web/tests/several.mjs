// Several runs side by side in the explorer, compared with their tables: runs sampled in intervals of different lengths
// with one slider, a run that was not sampled, a run ended by its deadline; the selection of runs; pages of ranks; and
// the same on paper.
//
// node tests/several.mjs CHROMIUM REPORT FOLDER
//
// REPORT is about the runs NAMES, in this order, which are in FOLDER, each as NAME, with its tables in NAME.csv;
// scripts/web.sh makes them.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { FLAGS, open, settled } from "./page.mjs";
import { paper } from "./paper.mjs";
import { everyStep, otherRanks, shownStep } from "./ranks.mjs";
import { Judge, cells, tablesIn, whole, worth } from "./tables.mjs";

const [executablePath, report, folder] = process.argv.slice(2);
const NAMES = ["coarse", "fine", "silent", "cut"];
const judge = new Judge(report);
const { complain, equal, near } = judge;
const tables = new Map(NAMES.map((name) => [name, tablesIn(join(folder, `${name}.csv`))]));
const tablesOf = (name) => tables.get(name);
/** Simulated time of each run, in picoseconds. */
const lasted = new Map(NAMES.map((name) => [name, JSON.parse(readFileSync(join(folder, name, "manifest.json"), "utf8")).simulated_ps]));
/** Largest number of positions of the slider after the first. */
const MOST_PLACES = 1000;

/** Intervals of a run: their length, their number, and rows by port and number; none for a run without samples. */
function spansOf(name) {
  const series = tablesOf(name)("series");
  if (series.length === 0) {
    return null;
  }
  const length = Number(series[0].interval);
  const byPort = new Map(series.map(({ port }) => [port, []]));
  series.forEach((row) => byPort.get(row.port).push({ ...row, span: Math.round(Number(row.time) / length) - 1 }));
  return { length, count: Math.ceil(lasted.get(name) / length), byPort };
}
const spans = new Map(NAMES.map((name) => [name, spansOf(name)]));

/** The length and the number of positions of the slider, for runs that were sampled. */
function courseOf(names) {
  const timed = names.map((name) => spans.get(name));
  const last = Math.max(...timed.map(({ length, count }) => length * count));
  const length = Math.max(last / MOST_PLACES, Math.min(...timed.map((one) => one.length)));
  return { length, count: Math.ceil(last / length - 1e-9) };
}

/** The same of the actual slider: a run that was not sampled has positions for its faults. */
async function courseOn(page, names) {
  const count = Number(await page.locator("#instant").getAttribute("max"));
  if (names.every((name) => spans.get(name) !== null)) {
    equal(`places of the slider with ${names}`, count, courseOf(names).count);
    return courseOf(names);
  }
  await page.locator("#instant").fill(String(count));
  const [, high] = bounds(await page.textContent(".instant"));
  return { length: (high * 1e12) / count, count };
}

/** Start and end in a text, in seconds. */
function bounds(text) {
  const [, low, high, unit] = /([\d.]+) – ([\d.]+) (\w+)/.exec(text) ?? [];
  return [worth(`${low} ${unit}`), worth(`${high} ${unit}`)];
}

/** The intervals of a run at a position: those that overlap it, or the one around it; null after the end. */
function touched({ length, count }, place, course) {
  const [start, end] = [(place - 1) * course.length, place * course.length];
  const isAround = course.length <= length;
  const first = Math.floor((isAround ? (start + end) / 2 : start) / length + 1e-6);
  const last = isAround ? first : Math.ceil(end / length - 1e-6) - 1;
  return first >= count ? null : [first, Math.min(last, count - 1)];
}

/** The content of a list: its title, and names with values. */
const listOf = async (figure) => ({
  title: await figure.locator(".busiest p").first().textContent(),
  items: await figure.locator(".busiest li").evaluateAll((items) =>
    items.map((item) => [item.querySelector("button").textContent, item.textContent.slice(item.querySelector("button").textContent.length).trim()]),
  ),
});

/** The largest values of a run that are not zero, in descending order. */
const LISTED = 10;

/** Checks that a list has the largest values. */
function compare(what, items, values) {
  const largest = [...values.values()].filter((value) => value > 0).sort((left, right) => right - left);
  equal(`${what}: places in the list`, items.length, Math.min(LISTED, largest.length));
  items.forEach(([name, text], nth) => {
    near(`${what}: ${name}`, text, values.get(name) ?? NaN);
    near(`${what}: number ${nth + 1} of the list`, text, largest[nth]);
  });
}

/** The title of a list without values at a position of the slider; null if it should have values. */
function silence(name, place, course) {
  const known = spans.get(name);
  const hasEnded = known === null ? (place - 0.5) * course.length >= lasted.get(name) : touched(known, place, course) === null;
  return hasEnded ? "The run has ended." : known === null ? "Ports were not sampled over time." : null;
}

/** Checks the list of a run at a position of the slider, by utilization. */
async function listAt(figure, name, place, course) {
  const what = `${name} at place ${place}`;
  const { title, items } = await listOf(figure);
  const why = silence(name, place, course);
  if (why !== null) {
    equal(`${what}: the list`, `${title} ${items.length}`, `${why} 0`);
    return;
  }
  const { length, byPort } = spans.get(name);
  const [first, last] = touched(spans.get(name), place, course);
  const [start, end] = [first * length, Math.min((last + 1) * length, lasted.get(name))];
  const [, low, high, unit] = /^Largest values, ([\d.]+) – ([\d.]+) (\w+): /.exec(title) ?? [];
  near(`${what}: where its spans begin`, `${low} ${unit}`, start / 1e12);
  near(`${what}: where its spans end`, `${high} ${unit}`, end / 1e12);
  const sent = (port) => (byPort.get(port) ?? []).reduce((sum, { span, size }) => sum + (span >= first && span <= last ? Number(size) : 0), 0);
  const used = tablesOf(name)("ports").map((row) => [`${row.node_name} → ${row.peer_name}`, (8e12 * sent(row.port)) / Number(row.rate) / (end - start)]);
  compare(what, items, new Map(used));
}

/** Checks every list of the runs shown, at some positions of the slider. */
async function lists(page, names) {
  const course = await courseOn(page, names);
  const figures = page.locator(".drawings figure");
  equal("runs that are shown", await figures.locator("figcaption").allTextContents(), names);
  const ends = names.flatMap((name) => spans.get(name) ?? []).map(({ length, count }) => (length * count) / course.length);
  const places = new Set([1, 2, ...ends.flatMap((end) => [0.5 * end, 0.7 * end, end, end + 2].map((one) => Math.min(course.count, Math.max(1, Math.round(one)))))]);
  for (const place of places) {
    await page.locator("#instant").fill(String(place));
    for (const [nth, name] of names.entries()) {
      await listAt(figures.nth(nth), name, place, course);
    }
  }
  await page.locator("#instant").fill("0");
}

/** Checks values of the whole run, which every run has. */
async function overall(page, names) {
  await page.check('input[value="backlog"]');
  for (const [nth, name] of names.entries()) {
    const peaks = tablesOf(name)("ports").map((row) => [`${row.node_name} → ${row.peer_name}`, Number(row.peak_size)]);
    compare(`${name}, backlog of the whole run`, (await listOf(page.locator(".drawings figure").nth(nth))).items, new Map(peaks));
  }
  await page.check('input[value="utilization"]');
}

const words = async (page) => new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]);

/** Shows or hides a run: the time must not change, and the address must name the runs shown. */
async function choose(page, run, isShown, expected) {
  const instant = async () => bounds((await page.locator(".instant").count()) === 0 ? "" : await page.textContent(".instant"));
  const [from, to] = await instant();
  const before = (from + to) / 2;
  await page.locator(`input[type=checkbox][value="${run}"]`).setChecked(isShown);
  const [low, high] = await instant();
  // The whole run has no start and end in the text.
  if (low * 0.999 > before || before > high * 1.001 || Number.isNaN(low) !== Number.isNaN(from)) {
    complain(`with runs ${expected} the slider goes from ${before} s to ${low} – ${high} s`);
  }
  equal("drawings", await page.locator(".drawings figure").count(), expected === "" ? 0 : expected.split(",").length);
  await page.waitForFunction((runs) => new URLSearchParams(location.hash.split("?")[1]).get("run") === runs, expected, { timeout: 3000 }).catch(() => complain(`the address does not name the runs ${expected}`));
}

/** Shows and hides runs, all and none, and restores them from the address. */
async function runs(browser, page) {
  await page.locator("#instant").fill("20");
  await choose(page, 2, true, "0,1,2");
  await choose(page, 3, true, "0,1,2,3");
  await page.locator("#instant").fill("0");
  await overall(page, NAMES);
  await lists(page, NAMES);
  await page.locator("#instant").fill("300");
  await choose(page, 1, false, "0,2,3");
  await lists(page, ["coarse", "silent", "cut"]);
  const note = await page.locator(".explorer .note", { hasText: "Not sampled over time: silent" }).count();
  equal("notes that a run was not sampled", note, 1);
  const again = await open(browser, report, complain, `#fabric?${await words(page)}`);
  equal("runs that an address leads to", await again.locator(".drawings figcaption").allTextContents(), ["coarse", "silent", "cut"]);
  await again.locator("#instant").fill("0");
  for (const [run, left] of [[0, "2,3"], [3, "2"], [2, ""]]) {
    await choose(again, run, false, left);
  }
  await choose(again, 2, true, "2");
  await again.close();
}

/** One port of all runs: a table of intervals for each run that has some. */
async function port(page) {
  await page.locator(".drawings figure").first().locator(".busiest button").first().click();
  const name = await page.textContent(".explorer h3");
  for (const run of ["coarse", "silent", "cut"]) {
    const shown = await cells(page, `Intervals of ${run}`);
    const [row] = tablesOf(run)("ports").filter((one) => `${one.node_name} → ${one.peer_name}` === name);
    const known = spans.get(run)?.byPort.get(row.port) ?? [];
    equal(`${run}: bytes that ${name} sent in its spans`, shown.reduce((sum, [, sent]) => sum + Number(whole(sent)), 0), known.reduce((sum, { size }) => sum + Number(size), 0));
    equal(`${run}: intervals of ${name}`, shown.length, spans.get(run)?.count ?? 0);
  }
  equal("notes below the port", await page.locator(".detail .note", { hasText: "so there are no charts" }).count(), 1);
}

/** The outcomes of runs at the top of the page, and their numbers of steps. */
async function ends(page) {
  equal("runs that did not complete", await page.locator("header .runs .warning").allTextContents(), ["cut seed 1, ended by its deadline"]);
  const titles = await page.locator("#summary th[scope=col]").allTextContents();
  const rows = await cells(page, "Figures of each run");
  const column = (title) => rows.map((row) => row[titles.findIndex((one) => one.startsWith(title))]);
  equal("steps", column("steps"), NAMES.map((name) => tablesOf(name)("steps").length));
  equal("jobs without a time", column("job time").map((time) => time === ""), NAMES.map((name) => tablesOf(name)("jobs")[0].end === ""));
}

const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const page = await open(browser, report, judge.complain);
  await ends(page);
  await page.click('nav.views a[href="#fabric"]');
  await settled(page);
  await lists(page, NAMES.slice(0, 2));
  await runs(browser, page);
  await port(page);
  await page.click('nav.views a[href="#jobs"]');
  await settled(page);
  await shownStep(page, tablesOf, judge);
  await everyStep(page, tablesOf, judge);
  await otherRanks(page, tablesOf, judge);
  await paper(browser, report, judge);
} catch (error) {
  // Errors reported before give the reason.
  complain(String(error));
} finally {
  await browser.close();
}
judge.end("explorer of several runs: all values agree with their tables, on screen and on paper");
