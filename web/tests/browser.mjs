// Opens reports in Chromium as a reader would: from the disk, without a network.
//
// node tests/browser.mjs CHROMIUM REPORT... [--pictures FOLDER]
//
// Nothing may be fetched, no error may be logged, every panel must be there with its charts drawn, and no text of a run
// may have become markup. With --pictures it also leaves screenshots: light, dark, narrow, and on paper.

import { mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { FLAGS } from "./flags.mjs";

const PANELS = ["summary", "steps", "fct", "slowdown", "queues", "links", "faults", "settings", "provenance"];
/** Figures of a paper, each with its maps, in place of panels. */
const FIGURES = { maps: ["figure-5-cresco8", "figure-6-cresco8-64-nodes-rings-beside-incasts-in-bursts"] };
/** Panels of some runs only, and the reports that have them. */
const OTHERS = {
  rdma: ["goodput", "repairs", "rates", "signals"],
  sweep: ["by_setting", "goodput", "repairs"],
  flows: ["stages", "goodput", "repairs", "rates"],
  sizes: ["bandwidth"],
  reordering: ["goodput", "repairs", "reordering"],
  congestion: ["congestion", "stages", "goodput", "repairs", "signals"],
  interference: ["by_setting", "repairs", "signals", "interference"],
  traffic: ["traffic", "by_setting", "goodput", "repairs", "signals"],
};

const words = process.argv.slice(2);
const at = words.indexOf("--pictures");
const pictures = at < 0 ? undefined : words.splice(at, 2)[1];
const [executablePath, ...reports] = words;

const complaints = [];

/** What a page shows, seen from within. */
function survey(panels) {
  const has = (id) => document.querySelector(`#${id} h2`)?.textContent?.trim() !== "";
  const charts = [...document.querySelectorAll(".chart")];
  const sections = [...document.querySelectorAll("main > section")].map(({ id }) => id);
  const parts = (chart) => chart.querySelectorAll("svg path, svg rect").length;
  const wide = [...document.querySelectorAll("body *")].find(
    (one) => one.getBoundingClientRect().right > innerWidth + 1 && one.closest(".scroll, nav, svg, pre, .chart") === null,
  );
  const drawn = (line) => `${line.style.stroke} ${line.getAttribute("stroke-dasharray") ?? ""}`;
  const alike = [...document.querySelectorAll(".legend")].filter((legend) => {
    const lines = [...legend.querySelectorAll(".swatch line")].map(drawn);
    return new Set(lines).size < lines.length;
  });
  return {
    alike: alike.length,
    missing: panels.filter((id) => document.getElementById(id) === null || !has(id)),
    more: sections.filter((id) => !panels.includes(id)),
    bare: sections.filter((id) => document.getElementById(id).children.length < 2),
    unlinked: sections.filter((id) => document.querySelector(`nav a[href="#${id}"]`) === null),
    links: document.querySelectorAll("nav a").length - sections.length,
    charts: charts.length,
    empty: charts.filter((chart) => parts(chart) < 3).map((chart) => chart.getAttribute("aria-label")),
    untold: charts.filter((chart) => chart.closest("section")?.querySelector("details table, table") === null).length,
    images: document.querySelectorAll("img, iframe, object").length,
    ran: "hostile" in globalThis,
    wide: wide === undefined ? "" : `${wide.tagName} ${wide.className}`,
  };
}

async function look(browser, report) {
  const url = pathToFileURL(resolve(report)).href;
  const complain = (what) => complaints.push(`${report}: ${what}`);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complain(`${message.type()} in the console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => complain(`an exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    complain(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) {
      complain(`a request: ${request.url()}`);
    }
  });
  await page.goto(url);
  await page.waitForSelector("footer");
  const name = basename(report, ".html");
  const panels = FIGURES[name] ?? [...PANELS, ...(OTHERS[name] ?? [])];
  const found = await page.evaluate(survey, panels);
  found.more.forEach((id) => complain(`a panel that does not concern these runs: ${id}`));
  found.bare.forEach((id) => complain(`a panel without anything: ${id}`));
  if (found.unlinked.length > 0 || found.links !== 0) {
    complain("the links at the top are not those of the panels");
  }
  found.missing.forEach((id) => complain(`a panel is missing: ${id}`));
  found.empty.forEach((label) => complain(`a chart is empty: ${label}`));
  if (found.charts < 5) {
    complain(`only ${found.charts} charts`);
  }
  if (found.untold > 0) {
    complain(`${found.untold} charts have no table`);
  }
  if (found.alike > 0) {
    complain(`${found.alike} legends have lines that look alike`);
  }
  if (found.images > 0 || found.ran) {
    complain("a text has become markup");
  }
  await hover(page);
  if (pictures !== undefined) {
    await picture(page, join(pictures, basename(report, ".html")));
  }
  await page.setViewportSize({ width: 400, height: 800 });
  const { wide } = await page.evaluate(survey, PANELS);
  if (wide !== "") {
    complain(`too wide for a narrow window: ${wide}`);
  }
  await page.close();
}

/** Tooltips are made of texts as well. */
async function hover(page) {
  for (const box of await page.$$(".chart")) {
    await box.scrollIntoViewIfNeeded();
    const area = await box.boundingBox();
    await page.mouse.move(area.x + area.width * 0.6, area.y + Math.min(area.height * 0.4, 24));
  }
}

async function picture(page, stem) {
  mkdirSync(pictures, { recursive: true });
  // Without what the pointer brought up.
  await page.reload();
  await page.waitForSelector("footer");
  const shot = async (name) => page.screenshot({ path: `${stem}-${name}.png`, fullPage: true });
  await shot("light");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot("dark");
  await page.pdf({ path: `${stem}-paper.pdf`, format: "A4", printBackground: false });
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 400, height: 800 });
  await shot("narrow");
  await page.setViewportSize({ width: 1280, height: 900 });
}

const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  for (const report of reports) {
    await look(browser, report);
  }
} finally {
  await browser.close();
}
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exit(1);
}
console.log(`browser: ${reports.length} reports without a complaint`);
