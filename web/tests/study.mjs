// Checks the page about a sweep of which no run folders are kept.
//
// node tests/study.mjs CHROMIUM PAGE [--picture FILE]
//
// The threshold is stated and its interval shaded, every variant has a row, the keyboard reaches each section and table, and
// axe-core finds no violation, light and dark, wide and narrow.

import { chromium } from "playwright-core";

import { accessibility } from "./axe.mjs";
import { FLAGS, open } from "./page.mjs";

const words = process.argv.slice(2);
const at = words.indexOf("--picture");
const picture = at < 0 ? undefined : words.splice(at, 2)[1];
const [executablePath, file] = words;
const complaints = [];
const complain = (what) => complaints.push(`${file}: ${what}`);

/** What the page has to say. */
function survey() {
  const text = (id) => document.getElementById(id)?.textContent ?? "";
  const rows = document.querySelector("#variants table")?.tBodies[0]?.rows.length ?? 0;
  const shaded = [...document.querySelectorAll("#threshold .chart svg path, #threshold .chart svg rect")];
  return {
    sections: [...document.querySelectorAll("main section")].map(({ id }) => id),
    isStated: /steps take 5 % longer than at .* with 95 % confidence/.test(text("threshold")),
    isShaded: shaded.some((shape) => shape.getAttribute("fill") === "var(--muted)" || shape.style.fill === "var(--muted)"),
    isLevelNamed: text("threshold").includes("threshold 5 %"),
    rows,
    counted: /(\d+) of (\d+) points/.exec(text("study"))?.slice(1).map(Number) ?? [],
  };
}

/** The elements that the tabulator reaches, as the sections that they are in or lead to. */
async function reached(page) {
  const places = new Set();
  for (let nth = 0; nth < 60; nth++) {
    await page.keyboard.press("Tab");
    places.add(
      await page.evaluate(() => {
        const now = document.activeElement;
        return now?.getAttribute("href")?.slice(1) ?? (now?.closest("section") ? `in ${now.closest("section").id}` : "");
      }),
    );
  }
  return places;
}

const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const page = await open(browser, file, complain);
  const found = await page.evaluate(survey);
  const expected = ["study", "threshold", "curves", "variants"];
  if (found.sections.join() !== expected.join()) {
    complain(`its sections are ${found.sections.join(", ")}`);
  }
  for (const name of ["isStated", "isShaded", "isLevelNamed"]) {
    if (!found[name]) {
      complain(`not the case: ${name}`);
    }
  }
  if (!(found.rows > 4 && found.counted[0] > 0 && found.counted[0] === found.counted[1])) {
    complain(`${found.rows} variants, ${found.counted.join(" of ")} points`);
  }
  const places = await reached(page);
  for (const place of [...expected, "in threshold", "in curves", "in variants"]) {
    if (!places.has(place)) {
      complain(`the keyboard does not reach: ${place}`);
    }
  }
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 900 });
      (await accessibility(page)).forEach((what) => complain(`${colorScheme}, ${width} px: ${what}`));
    }
  }
  if (picture !== undefined) {
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1100, height: 900 });
    await page.screenshot({ path: picture, fullPage: true });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: picture.replace(".png", "-dark.png"), fullPage: true });
  }
} finally {
  await browser.close();
}
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exit(1);
}
console.log("study: the threshold is stated and drawn, and axe-core found no violation");
