// Opens the page of a run in progress in Chromium.
//
// node tests/live.mjs CHROMIUM NETLOOM FOLDER SCENARIO [ARGUMENT...] [--picture FILE]
//
// Starts “netloom run --live” on a scenario that takes longer than this test, opens its address, and ends it. Progress must
// increase, links must be coloured, the line must grow, a cell of the strips must select its line, requests may go only to the server, no error may be logged; at the
// end the page states the outcome, and the server no longer listens.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

import { FLAGS } from "./page.mjs";

/** Timeout of each wait, in milliseconds. */
const PATIENCE = 60_000;

const words = process.argv.slice(2);
const at = words.indexOf("--picture");
const picture = at < 0 ? undefined : words.splice(at, 2)[1];
const [executablePath, netloom, folder, ...scenario] = words;
const complaints = [];

/** The address that a run prints before it begins. */
async function addressOf(run) {
  for await (const line of createInterface({ input: run.stderr })) {
    const found = /^live at (http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/)$/.exec(line);
    if (found !== null) {
      return found[1];
    }
    console.error(line);
  }
  throw new Error("the run prints no address");
}

/** A page whose errors are collected. */
async function open(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1100, height: 1020 } });
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(`${message.type()} in the console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`an exception: ${error.message}`));
  page.on("request", (request) => {
    if (![address, `${address}state.json`].includes(request.url()) && !request.url().startsWith("data:")) {
      complaints.push(`a request: ${request.url()}`);
    }
  });
  await page.goto(address);
  return page;
}

/** Values that change during a run. */
const seen = () => ({
  share: document.querySelector("progress").position,
  words: document.querySelector(".progress p").textContent,
  coloured: document.querySelectorAll(".fabric .step:not(.step-0) path").length,
  listed: document.querySelectorAll(".busiest li").length,
  points: (document.querySelector(".course").getAttribute("d") ?? "").split("L").length,
});

/** A cell chosen by keyboard selects its line in the drawing; readings after that change neither the focus nor the cell. */
async function strips(page) {
  const first = page.locator(".tier-strips .strip").first();
  await first.locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const said = await first.locator(".said").textContent();
  const named = /^(\S+ → \S+).*: utilization .+, backlog .+\. Selected in the drawing\.$/.exec(said);
  const selected = await page.locator(".fabric .picked").count();
  if (named === null || selected !== 1) {
    complaints.push(`a cell answers “${said}”, and ${selected} lines are selected`);
  }
  const points = (before) => (document.querySelector(".course").getAttribute("d") ?? "").split("L").length > before;
  await page.waitForFunction(points, (await page.evaluate(seen)).points);
  const [later, isFocused] = [await first.locator(".said").textContent(), await first.locator("canvas").evaluate((one) => one === document.activeElement)];
  if (!isFocused || named === null || !later.startsWith(named[1])) {
    complaints.push(`a reading changes the cell to “${later}”, or takes the focus`);
  }
}

async function look(page) {
  await page.waitForFunction(() => document.querySelectorAll(".fabric .step:not(.step-0) path").length > 0);
  const first = await page.evaluate(seen);
  const later = (before) => document.querySelector("progress").position > before.share;
  await page.waitForFunction(later, first);
  await page.waitForFunction(() => (document.querySelector(".course").getAttribute("d") ?? "").split("L").length > 8);
  const second = await page.evaluate(seen);
  for (const number of ["share", "points"]) {
    if (!(second[number] > first[number])) {
      complaints.push(`${number} does not rise: ${first[number]}, then ${second[number]}`);
    }
  }
  if (second.words === first.words || second.listed === 0 || !/left/.test(second.words)) {
    complaints.push(`no progress is shown: ${JSON.stringify(second)}`);
  }
  if (picture !== undefined) {
    await page.screenshot({ path: picture });
  }
  await strips(page);
  await page.check("input[value=backlog]");
  await page.waitForFunction(() => /bytes waiting/.test(document.querySelector(".busiest p").textContent));
  await page.setViewportSize({ width: 400, height: 800 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
  if (wide) {
    complaints.push("too wide for a narrow window");
  }
}

const run = spawn(netloom, ["run", ...scenario, "--live", "--quiet", "-o", folder], { stdio: ["ignore", "ignore", "pipe"] });
const over = once(run, "exit");
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const address = await addressOf(run);
  run.stderr.resume();
  const page = await open(browser, address);
  await look(page);
  run.kill("SIGINT");
  await page.waitForFunction(() => /The run has ended: stopped/.test(document.querySelector(".word").textContent));
  await over;
  if (await fetch(address).then(() => true, () => false)) {
    complaints.push("the server still listens although the run has ended");
  }
} catch (error) {
  complaints.push(error.message);
} finally {
  run.kill("SIGKILL");
  await browser.close();
}
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exit(1);
}
console.log("browser: the page of a run in progress has no errors");
