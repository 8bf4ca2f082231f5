// What the explorer shows of a run, compared with the run's tables: view by view, the fabric over time, its colours, a
// port, ranks of every step; and the same on paper.
//
// node tests/explorer.mjs CHROMIUM REPORT CSV
//
// REPORT is about one run whose tables are in the folder CSV, as `netloom export csv` writes them.

import { chromium } from "playwright-core";

import { accessibility } from "./axe.mjs";
import { clicks, colours } from "./lines.mjs";
import { FLAGS, open, settled } from "./page.mjs";
import { paper } from "./paper.mjs";
import { everyStep, shownStep } from "./ranks.mjs";
import { Judge, WORTH, cells, tablesIn, whole } from "./tables.mjs";

const [executablePath, report, folder] = process.argv.slice(2);
const judge = new Judge(report);
const { complain, equal, near } = judge;
const rows = tablesIn(folder);

/** Sets the metric of colours and the position of the slider. */
async function at(page, metric, place) {
  await page.check(`input[value="${metric}"]`);
  await page.locator("#instant").fill(String(place));
}

/** The values of the busiest port between two nodes in each interval, after a click on it. */
async function port(page) {
  const ports = rows("ports");
  const busiest = ports.reduce((most, one) => (Number(one.size) > Number(most.size) ? one : most));
  const name = `${busiest.node_name} → ${busiest.peer_name}`;
  await at(page, "utilization", 0);
  await page.click(`.busiest button:has-text("${name}")`);
  const series = rows("series").filter(({ port: id }) => id === busiest.port);
  const interval = Number(series[0].interval);
  const shown = await cells(page, "Intervals of");
  const byEnd = new Map(series.map((row) => [Math.round(Number(row.time) / interval), row]));
  shown.forEach(([, sent, waiting, paused, dropped], nth) => {
    const row = byEnd.get(nth + 1) ?? { size: 0, waiting: 0, paused: 0, dropped: 0 };
    equal(`${name}: bytes sent in span ${nth + 1}`, whole(sent), row.size);
    equal(`${name}: bytes waiting after span ${nth + 1}`, whole(waiting), row.waiting);
    equal(`${name}: time paused in span ${nth + 1}`, whole(paused), row.paused);
    equal(`${name}: packets dropped in span ${nth + 1}`, whole(dropped), row.dropped);
  });
  if (shown.length < 10 || shown.length < Math.max(...byEnd.keys())) {
    complain(`${name}: only ${shown.length} intervals are shown`);
  }
  return { name, series, interval };
}

/** The slider: colours at a position agree with the tables at that time. */
async function slider(page, { name, series, interval }) {
  const most = series.reduce((left, right) => (Number(right.waiting) > Number(left.waiting) ? right : left));
  const place = Math.round(Number(most.time) / interval);
  await at(page, "backlog", place);
  const told = await page.evaluate((words) => {
    const item = [...document.querySelectorAll(".busiest li")].find((one) => one.querySelector("button")?.textContent === words);
    return { text: item?.textContent?.slice(words.length).trim(), instant: document.querySelector(".instant")?.textContent };
  }, name);
  near(`backlog of ${name} at ${told.instant}`, told.text, Number(most.waiting));
  const before = await page.locator("#instant").inputValue();
  await page.click(".view:not([hidden]) h2.view-title");
  await page.keyboard.press("ArrowLeft");
  equal("the slider after an arrow key", await page.locator("#instant").inputValue(), Number(before) - 1);
  await page.keyboard.press(" ");
  await page.waitForFunction((from) => Number(document.querySelector("#instant").value) > from, Number(before) + 1);
  await page.keyboard.press(" ");
  equal("what the address shows", (await address(page)).get("show"), "backlog");
}

/** Shows a view by its key. */
async function show(page, number, id) {
  // Keys pressed in an input field do not reach the page.
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press(String(number));
  await page.waitForSelector(`#view-${id}:not([hidden])`);
  await settled(page);
}

/** The largest of some numbers, 0 if there are none. */
const most = (numbers) => numbers.reduce((left, right) => Math.max(left, right), 0);

/** Lines of the drawing agree with the tables, over the whole run and in one interval. */
async function painted(page) {
  const figure = page.locator(".drawings figure").first();
  const ports = rows("ports");
  const names = new Map(ports.map((row) => [row.port, `${row.node_name} → ${row.peer_name}`]));
  const rate = new Map(ports.map((row) => [row.port, Number(row.rate)]));
  const used = (row) => Number(row.size) * 8e12 / Number(row.interval) / rate.get(row.port);
  const busiest = rows("series").reduce((left, right) => (used(right) > used(left) ? right : left));
  const overall = (read) => ({ values: new Map(ports.map((row) => [names.get(row.port), read(row)])), most: most(ports.map(read)) });
  const during = (time, read) => {
    const there = new Map(rows("series").filter((row) => row.time === time).map((row) => [row.port, read(row)]));
    return { values: new Map(ports.map(({ port: id }) => [names.get(id), there.get(id) ?? 0])), most: most(rows("series").map(read)) };
  };
  await at(page, "drops", 0);
  await colours(page, figure, "drops of the whole run", overall(({ dropped }) => Number(dropped)), judge);
  await at(page, "backlog", 0);
  await colours(page, figure, "backlog of the whole run", overall(({ peak_size: peak }) => Number(peak)), judge);
  await at(page, "utilization", Number(busiest.time) / Number(busiest.interval));
  await colours(page, figure, `utilization until ${busiest.time} ps`, during(busiest.time, used), judge);
}

/** Cells of the ports of hosts, read by keyboard, are those ports in their order, with the utilization that the table gives. */
async function strips(page) {
  await page.waitForSelector("#tier_ports canvas");
  const tiers = await cells(page, "Ports of each tier");
  equal("ports of all tiers", tiers.reduce((sum, [, , ports]) => sum + Number(whole(ports)), 0), rows("ports").length);
  const [, , ports, , , most, which] = tiers[0];
  const first = rows("ports").slice(0, Number(whole(ports)));
  const named = ({ node_name: node, peer_name: peer, link_name: link }) => [`${node} → ${peer}`, `${node} → ${peer} (${link})`];
  const cell = first.findIndex((row) => named(row).includes(which));
  const busy = Math.max(...first.map((row) => Number(row.busy)));
  equal("the busiest port of a host", Number(first[cell]?.busy), busy);
  const strip = page.locator("#tier_ports .strip").first();
  await strip.locator("canvas").focus();
  for (let nth = 0; nth <= cell; nth += 1) {
    await page.keyboard.press("ArrowRight");
  }
  const said = await strip.locator("output").textContent();
  if (!said.startsWith(`${which}: sending ${most} of the time`)) {
    complain(`the strip says “${said}” of ${which}, which sent ${most} of the time`);
  }
  await page.keyboard.press("Enter");
  const shown = await page.locator("#drawing .detail h3").first().textContent();
  const port = which.split(" (")[0];
  equal("the port shown by the enter key on its cell", shown.startsWith(port), true);
}

/** The address, once it contains the position of the slider. */
async function address(page) {
  const isThere = () => new URLSearchParams(location.hash.split("?")[1]).get("at") === document.querySelector("#instant").value;
  await page.waitForFunction(isThere, undefined, { timeout: 3000 }).catch(() => complain("the address does not contain the position of the slider"));
  return new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]);
}

/** Opening the address restores the same state. */
async function deepLink(browser, page) {
  const hash = await page.evaluate(() => location.hash);
  const again = await open(browser, report, complain, hash);
  const state = (one) => one.evaluate(() => [document.querySelector("#instant")?.value, document.querySelector(".detail h3")?.textContent, document.querySelector("input[name=metric]:checked")?.value].join(" | "));
  equal("what its address leads to", await state(again), await state(page));
  await again.close();
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const BACKGROUND = "65535";
const times = (table) => table.map(({ start, end }) => (Number(end) - Number(start)) / 1e12);

/** Totals of the whole run, and throughput to hosts over time. */
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

/** Completion times, and the slowest messages. */
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
  const known = new Map(rows("flows").map((flow) => [`${hosts.get(flow.source)} → ${hosts.get(flow.destination)} (message ${flow.number})`, flow]));
  const captions = await page.$$eval("#worst table caption", (found) => found.map((caption) => caption.firstChild.textContent));
  const worst = (await Promise.all(captions.map((caption) => cells(page, caption)))).flat();
  for (const [message, , , , time, , slowdown] of worst) {
    const flow = known.get(message);
    if (flow === undefined) {
      complain(`${message} is among the slowest messages, but not in the tables`);
      continue;
    }
    near(`${message}: time`, time, times([flow])[0]);
    if (slowdown !== "") {
      near(`${message}: slowdown`, slowdown, (Number(flow.end) - Number(flow.start)) / Number(flow.ideal));
    }
  }
  equal("kinds of worst messages", captions.length, 2);
}

/** Titles of columns sort, and a table is copied in its current order. */
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
  equal("titles of the copied table", head, "message,traffic,size,start,FCT,ideal FCT,slowdown,timeouts,retransmitted");
  equal("messages of the copied table", lines.map((line) => line.split(",")[0]).join(), shown.map(([message]) => message).join());
}

/** The command repeats the same run. */
async function settings(page) {
  await show(page, 5, "settings");
  const told = await page.textContent("#view-settings");
  const command = /netloom run \S+\.yaml/.exec(told)?.[0];
  equal("the command", command, "netloom run scenarios/faults/flap.yaml");
}

const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const page = await open(browser, report, complain, "#fabric");
  await strips(page);
  await painted(page);
  await clicks(page, page.locator(".drawings figure").first(), judge);
  const found = await port(page);
  await slider(page, found);
  await deepLink(browser, page);
  await show(page, 3, "jobs");
  await shownStep(page, () => rows, judge);
  await everyStep(page, () => rows, judge);
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
  await paper(browser, report, judge);
} catch (error) {
  // Errors reported before give the reason.
  complain(String(error));
} finally {
  await browser.close();
}
judge.end("explorer: all values agree with the tables, on screen and on paper, and axe-core found no violation");
