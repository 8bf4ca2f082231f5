// What the explorer shows of a run, compared with the run's tables: view by view, the fabric over time, a port, ranks of a
// step.
//
// node tests/explorer.mjs CHROMIUM REPORT CSV
//
// REPORT is about one run whose tables lie in the folder CSV, as `netloom export csv` leaves them.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { accessibility } from "./axe.mjs";
import { FLAGS, open, settled } from "./page.mjs";

const [executablePath, report, folder] = process.argv.slice(2);
const complaints = [];
const complain = (what) => complaints.push(`${report}: ${what}`);
const equal = (what, found, expected) => {
  if (String(found) !== String(expected)) {
    complain(`${what} is ${found}, and in the tables ${expected}`);
  }
};

/** A table as objects; fields hold no commas, quotes or line ends but names, which are quoted. */
function rows(table) {
  const fields = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
  const [head, ...lines] = readFileSync(join(folder, `${table}.csv`), "utf8").trimEnd().split("\n");
  const names = fields(head);
  return lines.map((line) => Object.fromEntries(fields(line).map((field, nth) => [names[nth], field])));
}

/** The cells of the first table with this caption, folded or not, as texts. */
const cells = async (page, caption) =>
  page.evaluate((words) => {
    const tables = [...document.querySelectorAll(".view:not([hidden]) table")];
    const found = tables.find((table) => table.caption?.textContent?.startsWith(words));
    return [...(found?.tBodies[0]?.rows ?? [])].map((row) => [...row.cells].map((cell) => cell.textContent ?? ""));
  }, caption);

const whole = (text) => text.replaceAll(",", "");

/** The busiest port between two nodes, by a click on it, span by span. */
async function port(page) {
  const ports = rows("ports");
  const busiest = ports.reduce((most, one) => (Number(one.size) > Number(most.size) ? one : most));
  const name = `${busiest.node_name} → ${busiest.peer_name}`;
  await page.click(`.busiest button:has-text("${name}")`);
  const series = rows("series").filter(({ port: id }) => id === busiest.port);
  const interval = Number(series[0].interval);
  const shown = await cells(page, "Spans of");
  const byEnd = new Map(series.map((row) => [Math.round(Number(row.time) / interval), row]));
  shown.forEach(([, sent, waiting, paused, dropped], nth) => {
    const row = byEnd.get(nth + 1) ?? { size: 0, waiting: 0, paused: 0, dropped: 0 };
    equal(`${name}: bytes sent in span ${nth + 1}`, whole(sent), row.size);
    equal(`${name}: bytes waiting after span ${nth + 1}`, whole(waiting), row.waiting);
    equal(`${name}: time paused in span ${nth + 1}`, whole(paused), row.paused);
    equal(`${name}: packets dropped in span ${nth + 1}`, whole(dropped), row.dropped);
  });
  if (shown.length < 10 || shown.length < Math.max(...byEnd.keys())) {
    complain(`${name}: only ${shown.length} spans are shown`);
  }
  return { name, series, interval };
}

/** The slider: what colours tell at a place is what the tables say of that time. */
async function slider(page, { name, series, interval }) {
  const most = series.reduce((left, right) => (Number(right.waiting) > Number(left.waiting) ? right : left));
  const place = Math.round(Number(most.time) / interval);
  await page.check('input[value="backlog"]');
  await page.locator("#instant").fill(String(place));
  const told = await page.evaluate((words) => {
    const item = [...document.querySelectorAll(".busiest li")].find((one) => one.querySelector("button")?.textContent === words);
    return { text: item?.textContent?.slice(words.length).trim(), instant: document.querySelector(".instant")?.textContent };
  }, name);
  const bytes = Number(most.waiting);
  const unit = bytes >= 2 ** 20 ? ["MiB", 2 ** 20] : bytes >= 1024 ? ["KiB", 1024] : ["B", 1];
  const [number, found] = (told.text ?? "").split(" ");
  if (found !== unit[0] || Math.abs(Number(number) - bytes / unit[1]) > 0.001 * (bytes / unit[1]) + 1e-9) {
    complain(`backlog of ${name} at ${told.instant} is ${told.text}, and in the tables ${bytes} B`);
  }
  const before = await page.locator("#instant").inputValue();
  await page.click("h2.view-title");
  await page.keyboard.press("ArrowLeft");
  equal("the slider after an arrow key", await page.locator("#instant").inputValue(), Number(before) - 1);
  await page.keyboard.press(" ");
  await page.waitForFunction((from) => Number(document.querySelector("#instant").value) > from, Number(before) + 1);
  await page.keyboard.press(" ");
  if (!(await page.evaluate(() => location.hash)).includes("show=backlog")) {
    complain("the address does not say what is shown");
  }
}

/** Shows a view by its key. */
async function show(page, number, id) {
  await page.keyboard.press(String(number));
  await page.waitForSelector(`#view-${id}:not([hidden])`);
  await settled(page);
}

/** A picture of values has lines in several steps of colour. */
async function painted(page) {
  const steps = await page.evaluate(() => [...document.querySelectorAll(".fabric .step")].filter((layer) => layer.childElementCount > 0).length);
  if (steps < 2) {
    complain(`the fabric is painted in ${steps} colour`);
  }
}

/** The address leads back to the same place. */
async function deepLink(browser, page) {
  const hash = await page.evaluate(() => location.hash);
  const again = await open(browser, report, complain, hash);
  const state = (one) => one.evaluate(() => [document.querySelector("#instant")?.value, document.querySelector(".detail h3")?.textContent, document.querySelector("input[name=metric]:checked")?.value].join(" | "));
  equal("what its address leads to", await state(again), await state(page));
  await again.close();
}

/** The ranks of the step that is shown first: each span is one of the tables. */
async function ranks(page) {
  await show(page, 3, "jobs");
  const shown = await cells(page, (await page.textContent("#ranks figcaption")).split(": ")[0]);
  const [, job, step] = /, (.*), step (\d+) \(/.exec(await page.textContent("#ranks figcaption")) ?? [];
  const number = rows("jobs").find((one) => one.job_name === job)?.job;
  const table = rows("spans").filter((row) => row.job === number && row.step === step);
  const start = Math.min(...table.map((row) => Number(row.start)));
  const key = ({ rank, start: begin, end }) => `rank ${rank}|${Number(begin) - start}|${end === "" ? "" : Number(end) - Number(begin)}`;
  const expected = new Set(table.map(key));
  shown.forEach(([rank, what, begin, length]) => {
    if (!expected.has(`${rank}|${whole(begin)}|${whole(length)}`)) {
      complain(`${job}, step ${step}, ${rank}, ${what}: not in the tables`);
    }
  });
  const drawn = new Set(shown.map(([rank]) => rank)).size;
  equal("the spans of a step that are shown", shown.length, table.filter((row) => Number(row.rank) < drawn).length);
}

/** What texts of the page are worth, in seconds, bytes and bits per second. */
const WORTH = { ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 };

/** A number of the page, of at least three digits, and the value that it stands for. */
function near(what, text, expected) {
  const [, digits, unit] = /^([\d,.]+)(?: ([A-Za-z]+))?/.exec(text ?? "") ?? [];
  const found = Number(whole(digits ?? "NaN")) * (unit === undefined ? 1 : WORTH[unit]);
  if (!(Math.abs(found - expected) <= 0.001 * Math.abs(expected))) {
    complain(`${what} is ${text}, and in the tables ${expected}`);
  }
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const BACKGROUND = "65535";
const times = (table) => table.map(({ start, end }) => (Number(end) - Number(start)) / 1e12);

/** Sums of the whole run, and what reached hosts over time. */
async function study(page) {
  await show(page, 1, "study");
  const titles = await page.evaluate(() => [...document.querySelectorAll("#summary th[scope=col]")].map((title) => title.textContent));
  const values = (await cells(page, "Figures of each run"))[0] ?? [];
  const value = (title) => values[titles.indexOf(title)];
  const [steps, job] = [rows("steps"), rows("jobs")[0]];
  const background = rows("flows").filter((flow) => flow.job === BACKGROUND);
  equal("steps", value("steps"), steps.length);
  near("step mean", value("step mean"), mean(times(steps)));
  near("job time", value("job time"), (Number(job.end) - Number(job.start)) / 1e12);
  near("FCT mean", value("FCT mean"), mean(times(background)));
  equal("dropped packets", whole(value("dropped packets") ?? ""), rows("drops").reduce((sum, { packets }) => sum + Number(packets), 0));
  const toHosts = new Set(rows("ports").filter(({ peer_name: peer }) => peer.includes("host")).map(({ port: id }) => id));
  const sums = new Map();
  for (const { time, interval, port: id, size } of rows("series").filter((row) => toHosts.has(row.port))) {
    sums.set(time, (sums.get(time) ?? 0) + (Number(size) * 8e12) / Number(interval));
  }
  const [run] = await cells(page, "Throughput and backlog");
  near("throughput", run?.[3], Math.max(...sums.values()));
}

/** Completion times, and the worst messages. */
async function flows(page) {
  await show(page, 4, "flows");
  const groups = await cells(page, "Flow completion times");
  for (const [, name, count, , middle, , , , , longest] of groups) {
    const messages = rows("flows").filter(({ job }) => (job === BACKGROUND) === (name === "Background messages"));
    equal(`${name}: how many`, whole(count), messages.length);
    near(`${name}: mean`, middle, mean(times(messages)));
    near(`${name}: longest`, longest, Math.max(...times(messages)));
  }
  const hosts = new Map(rows("ports").map(({ node, node_name: name }) => [node, name]));
  const known = new Map(rows("flows").map((flow) => [`${hosts.get(flow.source)} → ${hosts.get(flow.destination)} #${flow.number}`, flow]));
  const captions = await page.$$eval("#worst table caption", (found) => found.map((caption) => caption.firstChild.textContent));
  const worst = (await Promise.all(captions.map((caption) => cells(page, caption)))).flat();
  for (const [message, , , , time, , slowdown] of worst) {
    const flow = known.get(message);
    if (flow === undefined) {
      complain(`${message} is among the worst, and not in the tables`);
      continue;
    }
    near(`${message}: time`, time, times([flow])[0]);
    if (slowdown !== "") {
      near(`${message}: slowdown`, slowdown, (Number(flow.end) - Number(flow.start)) / Number(flow.ideal));
    }
  }
  equal("kinds of worst messages", captions.length, 2);
}

/** Titles of columns sort, and a table is copied as it is sorted. */
async function tables(page) {
  await show(page, 4, "flows");
  await page.locator("#worst th .sort", { hasText: "size" }).first().click();
  const caption = (await page.locator("#worst caption").first().textContent()).slice(0, 40);
  const shown = await cells(page, caption);
  const bytes = shown.map(([, , text]) => Number(text.split(" ")[0]) * WORTH[text.split(" ")[1]]);
  if (bytes.length < 5 || bytes.some((one, nth) => one > bytes[nth - 1])) {
    complain(`sorted sizes are ${bytes.join(", ")}`);
  }
  await page.evaluate(() => {
    const writeText = async (text) => void (globalThis.copied = text);
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
  await page.locator("#worst caption .copy").first().click();
  const copied = (await page.evaluate(() => globalThis.copied)) ?? "";
  const [head, ...lines] = copied.split("\n");
  equal("titles of the copied table", head, "message,of,size,start,time,alone,slowdown,way");
  equal("messages of the copied table", lines.map((line) => line.split(",")[0]).join(), shown.map(([message]) => message).join());
}

/** The command leads to the same run. */
async function settings(page) {
  await show(page, 5, "settings");
  const told = await page.textContent("#view-settings");
  const command = /netloom run \S+\.yaml/.exec(told)?.[0];
  equal("the command", command, "netloom run scenarios/faults/flap.yaml");
}

const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const page = await open(browser, report, complain, "#fabric");
  await painted(page);
  const found = await port(page);
  await slider(page, found);
  await deepLink(browser, page);
  await ranks(page);
  await study(page);
  await flows(page);
  await tables(page);
  await settings(page);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const [nth, view] of ["study", "fabric", "jobs", "flows", "settings"].entries()) {
      await show(page, nth + 1, view);
      (await accessibility(page)).forEach((wrong) => complain(`view ${view}, ${scheme}: ${wrong}`));
    }
  }
} finally {
  await browser.close();
}
if (complaints.length > 0) {
  console.error(complaints.slice(0, 40).join("\n"));
  process.exit(1);
}
console.log("explorer: what is shown is what the tables say, and axe-core has no complaint");
