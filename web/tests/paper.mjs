// A report on paper: all views one below the other, complete, and without controls.

import { open } from "./page.mjs";

const VIEWS = ["study", "fabric", "jobs", "flows", "settings"];
/** Largest time from opening a report until all of it can be printed, in milliseconds. */
const MOST_WAIT = 5000;

/** What is printed, at the instant when the browser reads it. */
async function taken(browser, report, judge) {
  const page = await open(browser, report, judge.complain, "#settings");
  const isReady = () => [...document.querySelectorAll(".view")].every((view) => view.childElementCount > 0 && view.querySelector('[aria-busy="true"]') === null);
  // If this times out, the check of the printed page fails.
  await page.waitForFunction(isReady, undefined, { timeout: MOST_WAIT }).catch(() => undefined);
  await page.evaluate(() => addEventListener("beforeprint", () => void (globalThis.taken = document.body.textContent)));
  await page.pdf({ format: "A4" });
  const text = await page.evaluate(() => globalThis.taken);
  if (text === undefined || text.includes("Unpacking")) {
    judge.complain(text === undefined ? "no view is prepared for paper" : "on paper some data is still being unpacked");
  }
  await page.close();
}

/** The visible parts of a page, in its current state and medium. */
function survey(views) {
  const seen = (one) => one?.checkVisibility({ visibilityProperty: true }) === true && one.getBoundingClientRect().height > 0;
  const lists = [...document.querySelectorAll(".busiest li")];
  return {
    hidden: views.filter((view) => !seen(document.getElementById(`view-${view}`))),
    busy: document.querySelectorAll('[aria-busy="true"]').length,
    unnamed: lists.filter((item) => [...item.querySelectorAll("*")].filter(seen).every((part) => part.textContent === "")).length,
    listed: lists.length,
    flat: [...document.querySelectorAll(".chart, .drawing svg")].filter((one) => !seen(one)).length,
    controls: [...document.querySelectorAll("input, button:not(.sort):not(.busiest button)")].filter(seen).length,
  };
}

/** Checks a report on paper, and restores the page. */
async function laidOut(browser, report, judge) {
  const page = await open(browser, report, judge.complain, "#fabric");
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null, undefined, { timeout: MOST_WAIT });
  const found = await page.evaluate(survey, VIEWS);
  found.hidden.forEach((view) => judge.complain(`view ${view} is not on paper`));
  if (found.listed === 0 || found.unnamed > 0) {
    judge.complain(`on paper ${found.unnamed} of ${found.listed} places with the largest values have no name`);
  }
  if (found.flat > 0) {
    judge.complain(`${found.flat} charts and drawings are not on paper`);
  }
  if (found.controls > 0) {
    judge.complain(`on paper ${found.controls} controls are visible`);
  }
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  const after = await page.evaluate(survey, VIEWS);
  judge.equal("views that are hidden after printing", after.hidden.join(), VIEWS.filter((view) => view !== "fabric").join());
  await page.close();
}

/** Whether a report can be printed. */
export async function paper(browser, report, judge) {
  await taken(browser, report, judge);
  await laidOut(browser, report, judge);
}
