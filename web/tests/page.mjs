// Opens a report as a reader would: from the disk, without a network. Its errors are collected.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Options of the browser: without features that send requests. */
export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens a page whose errors, warnings, dialogs and requests are complaints. */
export async function open(browser, report, complain, hash = "", viewport = { width: 1280, height: 900 }) {
  const url = pathToFileURL(resolve(report)).href;
  const page = await browser.newPage({ viewport });
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
  await page.goto(url + hash);
  await page.waitForSelector("footer");
  await settled(page);
  return page;
}

/** Waits until nothing is being unpacked. */
export const settled = async (page) => page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
