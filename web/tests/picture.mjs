// A picture of one panel of a report, or of its first figure whose title begins with TITLE, for the documentation.
//
// node tests/picture.mjs CHROMIUM REPORT PANEL PICTURE [TITLE] [dark]
//
// With `all` for the panel there is one picture of each, and PICTURE is the prefix of their names.

import { chromium } from "playwright-core";

import { FLAGS, open } from "./page.mjs";

const [executablePath, report, panel, picture, title = "", colorScheme = "light"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const complain = (what) => console.error(`${report}: ${what}`);
  const page = await open(browser, report, complain, panel === "all" ? "" : `#${panel}`, { width: 1100, height: 1400 });
  await page.emulateMedia({ colorScheme });
  // Folded content and the list of panels at the top are left out of pictures.
  const alone = title === "" ? "" : "figure { padding: 0.75rem }";
  await page.addStyleTag({ content: `nav, details:not(.message) { display: none !important } ${alone}` });
  if (panel === "all") {
    const panels = await page.locator("main section").evaluateAll((sections) => sections.map(({ id }) => id));
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
