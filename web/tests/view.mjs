// A picture of a view of a report as a reader sees it, for the documentation.
//
// node tests/view.mjs CHROMIUM REPORT ADDRESS PICTURE [HEIGHT] [dark]
//
// ADDRESS is the part of the page's address after `#`. A view that is longer than HEIGHT, in pixels, is cut there.

import { chromium } from "playwright-core";

import { FLAGS, open } from "./page.mjs";

const [executablePath, report, address, picture, height = "1300", colorScheme = "light"] = process.argv.slice(2);
const WIDTH = 1100;
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const complaints = [];
  const page = await open(browser, report, (what) => complaints.push(what), `#${address}`, { width: WIDTH, height: 1400 });
  await page.emulateMedia({ colorScheme });
  await page.addStyleTag({ content: "footer { display: none } .views { position: static !important }" });
  await page.evaluate(() => scrollTo(0, 0));
  const whole = await page.evaluate(() => document.querySelector("main").getBoundingClientRect().bottom + 8);
  await page.screenshot({ path: picture, clip: { x: 0, y: 0, width: WIDTH, height: Math.min(whole, Number(height)) }, fullPage: true });
  if (complaints.length > 0) {
    throw new Error(complaints.join("\n"));
  }
} finally {
  await browser.close();
}
