// Checks that the report of a large run is small and quick: below 15 MB, first view within two seconds, and all other views
// complete; and that the run is large: 8,192 hosts and a million messages.
//
// node tests/large.mjs CHROMIUM REPORT

import { statSync } from "node:fs";

import { chromium } from "playwright-core";

import { FLAGS, open, settled } from "./page.mjs";
import { cells, whole } from "./tables.mjs";

const [executablePath, report] = process.argv.slice(2);
const MOST_BYTES = 15e6;
const MOST_TIME = 2000;
/** Number of attempts, of which the fastest counts, since the machine may be busy. */
const TRIES = 3;
/** Sizes of a large run. */
const HOSTS = 8192;
const PORTS = 32768;
const LEAST_MESSAGES = 1e6;
const complaints = [];
const complain = (what) => complaints.push(`${report}: ${what}`);

/** Shows a view. */
async function show(page, view) {
  await page.click(`nav.views a[href="#${view}"]`);
  await page.waitForSelector(`#view-${view}:not([hidden]) section`);
  await settled(page);
}

/** The tables have the expected numbers of hosts and messages. */
async function largeEnough(page) {
  await show(page, "fabric");
  const hosts = (await cells(page, "Longest queues")).find((row) => row[1] === "at hosts");
  if (!hosts?.includes(HOSTS.toLocaleString("en-US"))) {
    complain(`the longest queues at hosts are not those of ${HOSTS} hosts: ${hosts}`);
  }
  const ports = (await cells(page, "Ports of each tier")).reduce((sum, [, , one]) => sum + Number(whole(one)), 0);
  const strips = await page.locator("#tier_ports canvas").count();
  if (ports !== PORTS || strips < 4) {
    complain(`${strips} strips of ${ports} ports`);
  }
  await show(page, "flows");
  const groups = await cells(page, "Flow completion times");
  const messages = groups.reduce((sum, [, , count]) => sum + Number(whole(count)), 0);
  if (!(messages >= LEAST_MESSAGES)) {
    complain(`only ${messages} messages`);
  }
}

const { size } = statSync(report);
if (size >= MOST_BYTES) {
  complain(`${size} bytes`);
}
const browser = await chromium.launch({ executablePath, args: FLAGS });
const times = [];
try {
  for (let nth = 0; nth < TRIES; nth += 1) {
    const begun = performance.now();
    const page = await open(browser, report, complain);
    await page.waitForSelector("#summary table");
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    times.push(performance.now() - begun);
    await page.close();
  }
  if (Math.min(...times) >= MOST_TIME) {
    complain(`its first view took ${Math.round(Math.min(...times))} ms`);
  }
  const page = await open(browser, report, complain);
  for (const view of ["fabric", "jobs", "flows", "settings"]) {
    await show(page, view);
  }
  await largeEnough(page);
  await show(page, "fabric");
  await page.locator("#instant").fill("5");
  const told = await page.evaluate(() => ({
    ports: document.querySelector("#drawing")?.textContent?.includes("all 32,768 ports"),
    messages: document.querySelector(".busiest li") !== null,
  }));
  if (told.ports !== true || !told.messages) {
    complain("the fabric does not state what its lines represent, or has no traffic");
  }
} finally {
  await browser.close();
}
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exit(1);
}
console.log(`large: ${(size / 1e6).toFixed(1)} MB, first view in ${Math.round(Math.min(...times))} ms`);
