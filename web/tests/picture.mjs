// A picture of one panel of a report, or of its first figure with a title that begins so, for the documentation.
//
// node tests/picture.mjs CHROMIUM REPORT PANEL PICTURE [TITLE] [dark]
//
// With `all` for the panel there is one of each, and PICTURE is how their names begin.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const [executablePath, report, panel, picture, title = "", colorScheme = "light"] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 1400 }, colorScheme });
  await page.goto(pathToFileURL(resolve(report)).href);
  await page.waitForSelector("footer");
  // What is folded, and the list of panels that stays at the top, are no part of a picture.
  const alone = title === "" ? "" : "figure { padding: 0.75rem }";
  await page.addStyleTag({ content: `nav, details { display: none !important } ${alone}` });
  if (panel === "all") {
    const panels = await page.locator("main > section").evaluateAll((sections) => sections.map(({ id }) => id));
    for (const id of panels) {
      await page.locator(`#${id}`).screenshot({ path: `${picture}${id}.png` });
    }
  } else {
    const caption = page.locator("figcaption", { hasText: new RegExp(`^${title}`) });
    const figure = page.locator(`#${panel} figure`, { has: caption });
    await (title === "" ? page.locator(`#${panel}`) : figure.first()).screenshot({ path: picture });
  }
} finally {
  await browser.close();
}
