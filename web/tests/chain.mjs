// The chains of messages in a report with explained runs: the page says at which port the slowest message of a step
// waited and behind whom; messages are opened from the drawing by keyboard, and the choice is in the address; letters show
// the steps and the differences of runs.
//
// node tests/chain.mjs CHROMIUM REPORT
//
// REPORT is about at least two runs that were run again (`netloom report --why`); scripts/web.sh makes it.

import { chromium } from "playwright-core";

import { accessibility } from "./axe.mjs";
import { FLAGS, open, settled } from "./page.mjs";
import { Judge, cells } from "./tables.mjs";

const [executablePath, report] = process.argv.slice(2);
const judge = new Judge(report);
const { complain, equal } = judge;

/** The slowest message of a chain names its port and those ahead; a message of another run is opened from the drawing. */
async function chains(page) {
  const said = await page.locator("#chain .further").first().textContent();
  if (!/^Its slowest message, \S+ → \S+ \(message \d+\), took .+ at (queue|the NIC of the sender).+, behind (\S+ → \S+|other messages of this pair) .*%/.test(said)) {
    complain(`the chain says “${said}”`);
  }
  const second = page.locator("#chain .chain").nth(1);
  const message = second.locator("button").last();
  const name = (await message.getAttribute("aria-label")).split(",")[0];
  await message.focus();
  await page.keyboard.press("Enter");
  const opened = await page.evaluate(() => {
    const item = document.activeElement.closest("details");
    return { open: item?.open, name: item?.querySelector("strong")?.textContent, rows: item?.querySelectorAll("tbody tr").length };
  });
  equal("the message opened from the chain", opened.name, name);
  equal("whether it is open", opened.open, true);
  if (!(opened.rows > 1)) {
    complain(`message ${name} has no path`);
  }
}

/** The parts of messages are drawn in the order of their paths: the sender, queues as in the table of hops, transmission, recovery. */
async function order(page) {
  const wrong = await page.locator("#chain .message").evaluateAll((messages) =>
    messages.flatMap((message) => {
      const titles = [...message.querySelectorAll("summary .segment")].map(({ title }) => title);
      const kind = (title) => (title.startsWith("queue ") ? 1 : /^(transmission|reordering)/.test(title) ? 2 : 0);
      const hops = [...message.querySelectorAll("tbody th")].map(({ textContent }) => textContent);
      const queues = titles.filter((title) => kind(title) === 1).map((title) => hops.indexOf(title.replace(/^queue (.*): .*$/, "$1")));
      const sorted = (numbers) => numbers.every((number, nth) => nth === 0 || numbers[nth - 1] <= number);
      const right = sorted(titles.map(kind)) && sorted(queues) && !queues.includes(-1) && hops[0]?.endsWith("(NIC of the sender)");
      return right ? [] : [`${titles.join("; ")} along ${hops.join("; ")}`];
    }),
  );
  wrong.forEach((message) => complain(`a message is not drawn along its path: ${message}`));
}

/** What is chosen is in the address, and an address restores it. */
async function addresses(browser, page) {
  await page.locator("#chain input[value='1']").focus();
  await page.keyboard.press(" ");
  await page.waitForFunction(() => location.hash.includes("kind=1"), undefined, { timeout: 3000 });
  equal("the choice that has the focus", await page.evaluate(() => document.activeElement?.getAttribute("value")), "1");
  const finding = await page.locator("#chain .finding").textContent();
  const other = await open(browser, report, complain, await page.evaluate(() => location.hash));
  equal("what another page with this address shows", await other.locator("#chain .finding").textContent(), finding);
  await other.close();
}

/** Letters show the typical and the longest step and the differences of two runs, but neither in inputs nor with modifier keys. */
async function letters(browser) {
  const page = await open(browser, report, complain, "#study");
  const kind = () => page.locator("#chain input:checked").getAttribute("value");
  const press = async (key, expected, why) => {
    await page.keyboard.press(key);
    equal(`the kind of step after ${key}${why}`, await kind(), expected);
  };
  await press("m", "1", "");
  equal("what has the focus", await page.evaluate(() => document.activeElement.classList.contains("finding")), true);
  equal("whether it is seen", await page.locator("#chain .finding").evaluate((one) => one.getBoundingClientRect().top < innerHeight), true);
  for (const key of ["Control+w", "Alt+w", "Meta+w", "Shift+W"]) {
    await page.evaluate((key) => {
      const [modifier, letter] = key.split("+");
      const held = { ctrlKey: modifier === "Control", altKey: modifier === "Alt", metaKey: modifier === "Meta", shiftKey: modifier === "Shift" };
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: letter, bubbles: true, ...held }));
    }, key);
    equal(`the kind of step after ${key}`, await kind(), "1");
  }
  await press("w", "0", "");
  await page.locator("#chain select").first().focus();
  await press("m", "0", " in an input");
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("2");
  await page.waitForSelector("#tier_ports .difference canvas");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? "");
  await page.keyboard.press("d");
  const first = await focused();
  await page.keyboard.press("d");
  equal("differences of two runs", [first, await focused()].map((label) => label.startsWith("Difference of ")), [true, true]);
  equal("whether there is a next one", (await focused()) !== first, true);
  await press("m", "0", " in another view");
  await page.close();
}

/** The row of ranks below the longest step names the last ranks, its table has them, and its link shows that step in view Jobs. */
async function ranks(browser) {
  const page = await open(browser, report, complain, "#chain");
  await page.waitForSelector("#chain .rank-band .tick");
  const label = await page.locator("#chain .rank-band svg").first().getAttribute("aria-label");
  const [, step, run, last, at] = /^Ranks in step (\d+) of (.+); the last: rank (\d+) at (barrier \d+), /.exec(label) ?? [];
  const rows = await cells(page, "When ranks reached barriers");
  const row = rows.find(([name, number, title]) => name === run && number === step && title === at);
  equal(`the last rank at ${at} of ${run}`, row?.[7], `rank ${last}`);
  await page.locator("#chain .chain-name a").first().click();
  await page.waitForSelector("#view-jobs:not([hidden])");
  await settled(page);
  const caption = await page.locator("#ranks figcaption").textContent();
  equal("the step shown in view Jobs", caption.startsWith(`${run}, `) && caption.includes(`, step ${step} (`), true);
  await page.waitForFunction(() => Math.abs(document.getElementById("ranks").getBoundingClientRect().top) < innerHeight / 2, undefined, { timeout: 3000 });
  await page.close();
}

/** A cell of parallel ports by tier opens their direction in the drawing, and keeps the runs that are shown. */
async function cell(page) {
  await page.evaluate(() => (location.hash = "fabric"));
  await page.waitForSelector("#tier_ports canvas");
  const strips = page.locator("#tier_ports .strip");
  const between = await strips.evaluateAll((all) => all.findIndex((one) => one.querySelector("canvas").getAttribute("aria-label").includes("leaf → spine")));
  await strips.nth(between).locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const said = await strips.nth(between).locator(".said").textContent();
  if (!said.includes("Shown over time in the drawing above")) {
    complain(`a click on a cell answers “${said}”`);
  }
  const found = page.locator("#drawing .detail");
  await found.waitFor();
  if (!(await found.locator("h3").first().textContent()).startsWith("leaf0 → spine0") || (await found.locator("table tbody").first().locator("tr").count()) < 2) {
    complain(`a cell of parallel ports opens “${await found.textContent()}”`);
  }
}

/** A name that no port has gets advice, and a port is found by its name with another arrow. */
async function names(page) {
  const field = page.locator("#port");
  await field.fill("nosuch");
  const advice = await page.locator("#port-advice").textContent();
  if (!/^No port of that name; for instance .+ → .+\. Below is still leaf0 → spine0\.$/.test(advice)) {
    complain(`the advice on a wrong name is “${advice}”`);
  }
  await field.fill("Leaf1 -> spine0");
  equal("the port that is shown", (await page.locator("#drawing .detail h3").textContent()).split(" (")[0], "leaf1 → spine0");
  equal("the advice on a right name", await page.locator("#port-advice").textContent(), "");
}

const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const page = await open(browser, report, complain, "#chain");
  await settled(page);
  await order(page);
  await chains(page);
  await ranks(browser);
  await letters(browser);
  await addresses(browser, page);
  await cell(page);
  await names(page);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    (await accessibility(page)).forEach((wrong) => complain(`${scheme}: ${wrong}`));
  }
  for (const width of [1400, 700, 390]) {
    await page.setViewportSize({ width, height: 900 });
    // Charts follow a new width some frames later.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
    const isFitting = await page.waitForFunction(fits, null, { timeout: 5000 }).then(() => true, () => false);
    equal(`sideways scrolling at ${width} pixels`, !isFitting, false);
  }
} catch (error) {
  complain(String(error));
} finally {
  await browser.close();
}
judge.end("chain: the slowest message names its port and those ahead, and every message opens from the drawing");
