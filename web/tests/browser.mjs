// Opens reports in Chromium as a reader would: from the disk, without a network.
//
// node tests/browser.mjs CHROMIUM REPORT... [--pictures FOLDER]
//
// Nothing may be fetched, no error may be logged, every panel must be there with its charts drawn, and no text of a run
// may have become markup. With --pictures it also leaves screenshots: light, dark, narrow, and on paper.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";

import { chromium } from "playwright-core";

import { FLAGS, open, settled } from "./page.mjs";

/** The views, and the panels that every report has in each. */
const VIEWS = {
  study: ["summary", "steps", "over_time"],
  fabric: ["drawing", "queues", "links", "faults"],
  jobs: [],
  flows: ["fct", "slowdown"],
  settings: ["differences", "provenance"],
};
/** Figures of a paper, each with its maps, in place of views. */
const FIGURES = { maps: ["figure-5-cresco8", "figure-6-cresco8-64-nodes-rings-beside-incasts-in-bursts"] };
/** Panels of some runs only, and the reports that have them. */
const OTHERS = {
  demo: ["course", "ranks", "breakdown", "worst"],
  hostile: ["course", "ranks", "breakdown"],
  rdma: ["goodput", "repairs", "rates", "signals", "course", "ranks", "breakdown"],
  sweep: ["by_setting", "goodput", "repairs", "course", "ranks", "breakdown"],
  flows: ["stages", "goodput", "repairs", "rates", "course", "ranks", "breakdown", "worst"],
  sizes: ["bandwidth", "course", "ranks", "breakdown"],
  reordering: ["goodput", "repairs", "reordering", "course", "ranks", "breakdown"],
  congestion: ["congestion", "stages", "goodput", "repairs", "signals", "course", "ranks", "breakdown", "worst"],
  interference: ["by_setting", "repairs", "signals", "interference", "course", "ranks", "breakdown"],
  traffic: ["traffic", "by_setting", "goodput", "repairs", "signals", "course", "ranks", "breakdown", "worst"],
};

const words = process.argv.slice(2);
const at = words.indexOf("--pictures");
const pictures = at < 0 ? undefined : words.splice(at, 2)[1];
const [executablePath, ...reports] = words;

const complaints = [];

/** What a page shows, seen from within. */
function survey(panels) {
  const has = (id) => document.querySelector(`#${id} h2`)?.textContent?.trim() !== "";
  const charts = [...document.querySelectorAll(".chart")].filter((chart) => chart.closest("[hidden]") === null);
  const shown = (one) => one.closest("[hidden]") === null;
  const sections = [...document.querySelectorAll("main section")].filter(shown).map(({ id }) => id);
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
    unlinked: sections.length < 2 ? [] : sections.filter((id) => document.querySelector(`nav a[href="#${id}"]`) === null),
    charts: charts.length,
    empty: charts.filter((chart) => parts(chart) < 3).map((chart) => chart.getAttribute("aria-label")),
    untold: charts.filter((chart) => chart.closest("section")?.querySelector("details table, table") === null).length,
    images: document.querySelectorAll("img, iframe, object").length,
    ran: "hostile" in globalThis,
    wide: wide === undefined ? "" : `${wide.tagName} ${wide.className}`,
  };
}

/** What is wrong with what a page shows now, where it should have some of these panels and no others. */
async function inspect(page, panels, complain) {
  const found = await page.evaluate(survey, panels);
  found.more.forEach((id) => complain(`a panel that does not concern these runs: ${id}`));
  found.bare.forEach((id) => complain(`a panel without anything: ${id}`));
  found.unlinked.forEach((id) => complain(`no link leads to the panel ${id}`));
  found.missing.forEach((id) => complain(`a panel is missing: ${id}`));
  found.empty.forEach((label) => complain(`a chart is empty: ${label}`));
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
  await page.setViewportSize({ width: 400, height: 800 });
  const { wide } = await page.evaluate(survey, []);
  if (wide !== "") {
    complain(`too wide for a narrow window: ${wide}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return { charts: found.charts, sections: found.sections };
}

async function look(browser, report) {
  const name = basename(report, ".html");
  const complain = (what) => complaints.push(`${report}: ${what}`);
  const page = await open(browser, report, complain);
  const wanted = new Set([...Object.values(FIGURES[name] ? {} : VIEWS).flat(), ...(OTHERS[name] ?? [])]);
  let charts = 0;
  if (FIGURES[name] !== undefined) {
    charts = (await inspect(page, FIGURES[name], complain)).charts;
  } else {
    for (const view of Object.keys(VIEWS)) {
      await page.click(`nav.views a[href="#${view}"]`);
      await page.waitForSelector(`#view-${view}:not([hidden])`);
      await settled(page);
      const here = await page.evaluate(() =>
        [...document.querySelectorAll(".view:not([hidden]) section")].map(({ id }) => id),
      );
      here.filter((id) => !wanted.has(id)).forEach((id) => complain(`a panel that does not concern these runs: ${id}`));
      VIEWS[view].filter((id) => !here.includes(id)).forEach((id) => complain(`a panel is missing: ${id}`));
      here.forEach((id) => wanted.delete(id));
      charts += (await inspect(page, here, complain)).charts;
      if (pictures !== undefined) {
        await picture(page, join(pictures, `${name}-${view}`));
      }
    }
    wanted.forEach((id) => complain(`a panel is missing: ${id}`));
  }
  if (charts < 5) {
    complain(`only ${charts} charts`);
  }
  await page.close();
}

/** Tooltips are made of texts as well. */
async function hover(page) {
  for (const box of await page.$$(".chart, .fabric")) {
    if (!(await box.isVisible())) {
      continue;
    }
    await box.scrollIntoViewIfNeeded();
    const area = await box.boundingBox();
    await page.mouse.move(area.x + area.width * 0.6, area.y + Math.min(area.height * 0.4, 24));
  }
}

async function picture(page, stem) {
  mkdirSync(pictures, { recursive: true });
  // Without what the pointer brought up.
  await page.mouse.move(0, 0);
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
