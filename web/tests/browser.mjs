// Opens reports in Chromium as a reader would: from the disk, without a network.
//
// node tests/browser.mjs CHROMIUM REPORT... [--pictures FOLDER]
//
// Nothing may be fetched, no error may be logged, every panel must be in its view with its charts drawn, each with a
// tooltip and a table, and no text of a run may have become markup. With --pictures it also leaves screenshots: light,
// dark, narrow, and on paper.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";

import { chromium } from "playwright-core";

import { FLAGS, open, settled } from "./page.mjs";

/** The views, each with the panels that every report of simulated runs has. */
const VIEWS = {
  study: ["summary", "steps", "over_time"],
  fabric: ["drawing", "tier_ports", "tier_times", "queues", "links", "faults"],
  jobs: [],
  flows: ["fct", "slowdown"],
  settings: ["differences", "provenance"],
};
/** Figures of a paper, each with its maps, and sections of a sweep, in place of views. */
const FIGURES = {
  study: ["study", "threshold", "curves", "variants"],
  maps: ["figure-5-cresco8", "figure-6-cresco8-64-nodes-rings-beside-incasts-in-bursts"],
};
/** Least number of charts, where it is not 5. */
const FEWEST = { study: 3 };
/** Reports of imported cells, which have neither a network nor steps. */
const CELLS = { machines: { study: ["interference", "measured"], settings: ["differences", "provenance"] } };
/** Panels of runs with jobs. */
const JOBS = ["course", "breakdown", "ranks"];
/** The same where a job computes or has groups. */
const TRAINING = ["course", "exposure", "breakdown", "ranks"];
/** Panels of some runs only, and the views of the reports that have them. */
const OTHERS = {
  demo: { study: ["answer", "why", "chain"], jobs: TRAINING, flows: ["causes", "worst"] },
  hostile: { study: ["why"], jobs: TRAINING, flows: ["causes"] },
  rdma: { study: ["answer", "why"], fabric: ["signals"], jobs: JOBS, flows: ["goodput", "repairs", "rates", "causes"] },
  sweep: { study: ["answer", "by_setting", "why"], jobs: JOBS, flows: ["goodput", "repairs", "causes"] },
  flows: { study: ["stages", "why"], jobs: TRAINING, flows: ["goodput", "repairs", "rates", "causes", "worst"] },
  sizes: { study: ["answer", "bandwidth", "why"], jobs: JOBS, flows: ["causes"] },
  reordering: { study: ["answer", "why"], jobs: JOBS, flows: ["goodput", "repairs", "reordering", "causes"] },
  congestion: { study: ["stages", "why"], fabric: ["congestion", "signals"], jobs: TRAINING, flows: ["goodput", "repairs", "causes", "worst"] },
  measured: { study: ["answer", "by_setting", "interference", "measured"], jobs: JOBS, flows: ["repairs"] },
  interference: { study: ["answer", "by_setting", "interference"], fabric: ["signals"], jobs: JOBS, flows: ["repairs"] },
  traffic: { study: ["answer", "by_setting", "why"], fabric: ["signals"], jobs: JOBS, flows: ["traffic", "goodput", "repairs", "causes", "worst"] },
};

const words = process.argv.slice(2);
const at = words.indexOf("--pictures");
const pictures = at < 0 ? undefined : words.splice(at, 2)[1];
const [executablePath, ...reports] = words;

const complaints = [];

/** What a page shows, evaluated in the page, compared with the panels it should have. */
function survey(panels) {
  const shown = (one) => one.closest("[hidden]") === null;
  const hasTitle = (id) => (document.querySelector(`#${id} h2`)?.textContent ?? "").trim() !== "";
  const charts = [...document.querySelectorAll(".chart")].filter(shown);
  const sections = [...document.querySelectorAll("main section")].filter(shown).map(({ id }) => id);
  const parts = (chart) => chart.querySelectorAll("svg path, svg rect").length;
  const alike = [...document.querySelectorAll(".legend")].filter((legend) => {
    const samples = [...legend.querySelectorAll(".swatch")].map(({ innerHTML }) => innerHTML);
    return new Set(samples).size < samples.length;
  });
  const causes = [...document.querySelectorAll("#answer .swatch rect")];
  return {
    alike: alike.length,
    colourless: causes.filter(({ style }) => !style.fill.startsWith("var(--cause-")).length,
    missing: panels.filter((id) => !sections.includes(id)),
    untitled: sections.filter((id) => !hasTitle(id)),
    more: sections.filter((id) => !panels.includes(id)),
    bare: sections.filter((id) => document.getElementById(id).children.length < 2),
    unlinked: sections.length < 2 ? [] : sections.filter((id) => document.querySelector(`nav a[href="#${id}"]`) === null),
    charts: charts.length,
    empty: charts.filter((chart) => parts(chart) < 3).map((chart) => chart.getAttribute("aria-label")),
  };
}

/**
 * Charts without a table: the table of a chart is in its figure, or the next one in its panel, where several charts may
 * share it; it has rows, and the name of the run if the chart is of one run.
 */
function untold() {
  const shown = (one) => one.closest("[hidden]") === null;
  const charts = [...document.querySelectorAll(".chart")].filter(shown);
  const names = [...document.querySelectorAll("header .runs li")].map((run) => run.querySelector("span")?.textContent?.trim() ?? "");
  const isAfter = (one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const tableOf = (chart) => {
    const own = chart.closest("figure")?.querySelector("table");
    return own ?? [...(chart.closest("section")?.querySelectorAll("table") ?? [])].find((table) => isAfter(chart, table));
  };
  const tells = (chart) => {
    const [label, table] = [chart.getAttribute("aria-label") ?? "", tableOf(chart)];
    const named = names.filter((name) => name !== "" && label.includes(name));
    return (table?.tBodies[0]?.rows.length ?? 0) > 0 && named.every((name) => table.textContent.includes(name));
  };
  return charts.filter((chart) => !tells(chart)).map((chart) => chart.getAttribute("aria-label"));
}

/** Whether a text of a run was parsed as markup. */
const isHostile = () => "hostile" in globalThis || document.querySelector("img, iframe, object") !== null;

/** An element that is too wide for the window. */
function tooWide() {
  const isOut = (one) => one.getBoundingClientRect().right > innerWidth + 1 && one.closest(".scroll, nav, svg, pre, .chart") === null;
  const wide = [...document.querySelectorAll("body *")].find(isOut);
  return wide === undefined ? "" : `${wide.tagName} ${wide.className}`;
}

/** What is wrong with the texts of an answer: too many at once, or a summary with another baseline. */
function disagreement() {
  const labels = [...document.querySelectorAll("#answer .chart")].map((chart) => chart.getAttribute("aria-label"));
  const jobs = labels.filter((label) => label.startsWith("Speedup over ")).length;
  const sentences = document.querySelectorAll("#answer > .finding, #answer > .further").length;
  const baseline = /^Times as fast as (.*?)(, job .*)?; lines/.exec(document.querySelector("#answer figcaption")?.textContent ?? "")?.[1];
  const heading = document.querySelector("#summary caption")?.textContent ?? "";
  return [
    ...(sentences > 8 * jobs ? [`${sentences} sentences of the answer at once`] : []),
    ...(baseline === undefined || heading.includes(`relative to ${baseline}`) ? [] : [`the summary is not relative to ${baseline}`]),
  ];
}

/** Two texts of a chart of the answer that overlap. */
function overlapping() {
  const pairs = [...document.querySelectorAll("#answer .chart")].flatMap((chart) => {
    const texts = [...chart.querySelectorAll("svg text")].map((text) => ({ text, box: text.getBoundingClientRect() }));
    return texts.flatMap((one, place) => texts.slice(place + 1).map((other) => [one, other]));
  });
  const meet = ([{ box: one }, { box: other }]) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  return pairs.find(meet)?.map(({ text }) => text.textContent).join(" and ") ?? "";
}

/** What blocks the ports of runs with credits, which send no pause frames, is called lack of credits. */
const areCreditsNamed = () => {
  const text = document.querySelector("#signals").textContent;
  return text.includes("Without credits: share of simulated time") && !text.includes("pause frames sent");
};

async function complainOfOverlap(page, complain) {
  const texts = await page.evaluate(overlapping);
  if (texts !== "") {
    complain(`texts overlap in a chart of the answer: ${texts}`);
  }
}

/** Reports errors in the current state of a page; returns the number of its charts. */
async function inspect(page, panels, complain) {
  const found = await page.evaluate(survey, panels);
  found.more.forEach((id) => complain(`a panel that does not apply to these runs: ${id}`));
  found.bare.forEach((id) => complain(`a panel without content: ${id}`));
  found.untitled.forEach((id) => complain(`a panel without a title: ${id}`));
  found.unlinked.forEach((id) => complain(`no link leads to the panel ${id}`));
  found.missing.forEach((id) => complain(`a panel is missing: ${id}`));
  found.empty.forEach((label) => complain(`a chart is empty: ${label}`));
  (await page.evaluate(untold)).forEach((label) => complain(`the chart ${label} has no table`));
  if (found.alike > 0) {
    complain(`${found.alike} legends have indistinguishable samples`);
  }
  if (found.colourless > 0) {
    complain(`${found.colourless} causes have no colour of their own`);
  }
  (await page.evaluate(disagreement)).forEach(complain);
  await complainOfOverlap(page, complain);
  await hover(page, complain);
  // Tooltips stay in the page, and requests are complaints, so this check covers tooltips as well.
  if (await page.evaluate(isHostile)) {
    complain("a text was parsed as markup");
  }
  await page.setViewportSize({ width: 400, height: 800 });
  const wide = await page.evaluate(tooWide);
  if (wide !== "") {
    complain(`too wide for a narrow window: ${wide}`);
  }
  await complainOfOverlap(page, complain);
  await page.setViewportSize({ width: 1280, height: 900 });
  return found.charts;
}

/** Shows a view. */
async function go(page, view) {
  await page.click(`nav.views a[href="#${view}"]`);
  await page.waitForSelector(`#view-${view}:not([hidden])`);
  await settled(page);
}

async function look(browser, report) {
  const name = basename(report, ".html");
  const complain = (what) => complaints.push(`${report}: ${what}`);
  const page = await open(browser, report, complain);
  let charts = 0;
  if (FIGURES[name] !== undefined) {
    charts = await inspect(page, FIGURES[name], complain);
  } else {
    for (const view of Object.keys(VIEWS)) {
      await go(page, view);
      const panels = CELLS[name] === undefined ? [...VIEWS[view], ...(OTHERS[name]?.[view] ?? [])] : (CELLS[name][view] ?? []);
      charts += await inspect(page, panels, (what) => complain(`view ${view}: ${what}`));
      if (name === "congestion" && view === "fabric" && !(await page.evaluate(areCreditsNamed))) {
        complain("lack of credits is not named");
      }
      if (pictures !== undefined) {
        await picture(page, join(pictures, `${name}-${view}`));
      }
    }
  }
  if (charts < (FEWEST[name] ?? 5)) {
    complain(`only ${charts} charts`);
  }
  await page.close();
}

/** Tooltips contain texts of runs, too: each chart and drawing must show one somewhere. */
async function hover(page, complain) {
  for (const box of await page.$$(".chart, .drawing")) {
    if (!(await box.isVisible())) {
      continue;
    }
    await box.scrollIntoViewIfNeeded();
    if (!(await hasTooltip(page, box))) {
      const label = await box.evaluate((one) => (one.getAttribute("aria-label") ?? one.querySelector("svg")?.getAttribute("aria-label")));
      complain(`no tooltip anywhere on ${label}`);
    }
  }
}

/** Number of positions of a chart that the pointer always visits, and of further ones if there was no tooltip until then. */
const [PLACES, MOST_PLACES] = [8, 96];

/** Centres of shapes: marks, bars, and lines of a fabric. The last one comes first, since it is above the others. */
function marks(box) {
  const shapes = [...box.querySelectorAll("svg path, svg rect")].reverse();
  return shapes.map((shape) => shape.getBoundingClientRect()).map(({ x, y, width, height }) => [x + width / 2, y + height / 2]);
}

/** A number of them, evenly spread. */
const spread = (all, most) => all.filter((_, nth) => Math.floor((nth * most) / all.length) !== Math.floor(((nth - 1) * most) / all.length));

/** Moves the pointer over shapes; returns whether a tooltip appeared. Each may contain another text of a run. */
async function hasTooltip(page, box) {
  const seen = { visibilityProperty: true, opacityProperty: true };
  const isTold = () => box.evaluate((one, how) => [...one.querySelectorAll(".tip")].some((tip) => tip.textContent !== "" && tip.checkVisibility(how)), seen);
  const all = await box.evaluate(marks);
  let told = false;
  for (const [x, y] of spread(all, PLACES)) {
    await page.mouse.move(x, y);
    told ||= await isTold();
  }
  for (const [x, y] of told ? [] : spread(all, MOST_PLACES)) {
    await page.mouse.move(x, y);
    told ||= await isTold();
  }
  return told;
}

async function picture(page, stem) {
  mkdirSync(pictures, { recursive: true });
  // Without tooltips.
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
console.log(`browser: ${reports.length} reports without errors`);
