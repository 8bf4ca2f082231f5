// Ranks of a step as shown, compared with table `spans`; and the controls of step, order and ranks.

import { cells, whole } from "./tables.mjs";

/** Number of ranks on a page. */
const PAGE = 32;
const WORDS = {
  step: "the step",
  compute: "computation",
  communicate: "communication",
  stages: "messages of pipeline stages",
  barrier: "waiting at a barrier",
  collective: "collective of a bucket",
};

/** The description of a row of the table on the page. */
const told = ({ activity, phase, bucket }) => `${WORDS[activity]}${phase === "" ? "" : `, phase ${phase}`}${bucket === "" ? "" : `, bucket ${bucket}`}`;

/** The parts of the caption: run, job, step, and the first rank shown, none if all ranks are shown. */
async function caption(page, judge) {
  const text = (await page.textContent("#ranks figcaption")) ?? "";
  const [, title, run, job, step, first] = /^((.*?), (.*), step (\d+) \([^)]*\)): (?:all ranks|positions (\d+) to \d+ of \d+ ranks)/.exec(text) ?? [];
  if (title === undefined) {
    judge.complain(`ranks are shown under “${text}”`);
  }
  return { title, run, job, step, first: Number(first ?? 1) - 1 };
}

/** Ranks of a step in the selected order. */
function inOrder(table, order) {
  const steps = table.filter(({ activity }) => activity === "step");
  const end = ({ end: at }) => (at === "" ? Infinity : Number(at));
  const byRank = (one, other) => Number(one.rank) - Number(other.rank);
  const later = (one, other) => (end(one) === end(other) ? byRank(one, other) : end(other) - end(one));
  return [...steps].sort(order === "last" ? later : byRank).map(({ rank }) => rank);
}

/** The step shown: its spans are those of the tables. `tablesOf` gives the tables of a run. */
export async function shownStep(page, tablesOf, judge, order = "rank") {
  const { title, run, job, step, first } = await caption(page, judge);
  const rows = tablesOf(run);
  const shown = title === undefined ? [] : await cells(page, `${title}: `);
  if (rows === undefined || shown.length === 0) {
    judge.complain(`no ranks of ${title} are shown`);
    return;
  }
  const number = rows("jobs").find((one) => one.job_name === job)?.job;
  const table = rows("spans").filter((row) => row.job === number && row.step === step);
  const start = Math.min(...table.map((row) => Number(row.start)));
  const ranks = inOrder(table, order).slice(first, first + PAGE);
  judge.equal(`${title}: ranks, in their order`, [...new Set(shown.map(([rank]) => rank))], ranks.map((rank) => `rank ${rank}`));
  const line = (row) => `rank ${row.rank}, ${told(row)}, from ${Number(row.start) - start} for ${row.end === "" ? "" : Number(row.end) - Number(row.start)}`;
  const expected = table.filter(({ rank }) => ranks.includes(rank)).map(line);
  const found = shown.map(([rank, what, begin, length]) => `${rank}, ${what}, from ${whole(begin)} for ${whole(length)}`);
  found.filter((one) => !expected.includes(one)).forEach((one) => judge.complain(`${title}: ${one} ps is not in the tables`));
  expected.filter((one) => !found.includes(one)).forEach((one) => judge.complain(`${title}: ${one} ps is not shown`));
  judge.equal(`${title}: spans`, found.length, expected.length);
}

/** Checks every step that can be selected. */
export async function everyStep(page, tablesOf, judge) {
  const select = page.locator("#ranks .choices select").first();
  for (const value of await select.locator("option").evaluateAll((options) => options.map((option) => option.value))) {
    await select.selectOption(value);
    await shownStep(page, tablesOf, judge);
  }
}

/** Checks other pages of a step with several pages, and the order by end. */
export async function otherRanks(page, tablesOf, judge) {
  // A completed step: in others all ranks that did not end come first.
  await page.locator("#ranks .choices select").first().selectOption("0");
  await page.locator("#ranks .pages button", { hasText: "next" }).click();
  judge.equal("the first rank after those shown first", (await caption(page, judge)).first, PAGE);
  await shownStep(page, tablesOf, judge);
  await page.locator("#ranks .choices select").nth(1).selectOption("last");
  await shownStep(page, tablesOf, judge, "last");
  await page.locator("#ranks .pages button", { hasText: "previous" }).click();
  await shownStep(page, tablesOf, judge, "last");
}
