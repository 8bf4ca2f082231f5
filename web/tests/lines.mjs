// Lines of the drawing of a fabric as a reader sees them: their names, their colours, and clicks on them.

import { worth } from "./tables.mjs";

/** Names of the squares of a drawing, from tooltips, with their centres in the drawing. */
async function squares(page, figure) {
  const found = [];
  for (const square of await figure.locator(".squares rect").all()) {
    const { x, y, width, height } = await square.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    const name = await figure.locator(".bubble strong").textContent();
    const at = await square.evaluate(({ x: left, y: top, width: side }) => [left.baseVal.value + side.baseVal.value / 2, top.baseVal.value + side.baseVal.value / 2]);
    found.push({ name, at });
  }
  return found;
}

/** Lines with their ends and steps of colour, in pixels of the drawing. */
const drawn = async (figure) =>
  figure.locator("svg.fabric").evaluate((svg) =>
    [...svg.querySelectorAll(".step path")].map((path) => {
      const [x1, y1, x2, y2] = path.getAttribute("d").match(/-?[\d.]+/g).map(Number);
      return { from: [x1, y1], to: [x2, y2], step: Number(/step-(\d)/.exec(path.parentElement.getAttribute("class"))[1]) };
    }),
  );

/** All lines of a drawing, with the names that tables have for them. */
export async function linesOf(page, figure) {
  await figure.locator("svg.fabric").scrollIntoViewIfNeeded();
  const nodes = await squares(page, figure);
  const far = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);
  const nodeAt = (point) => nodes.reduce((left, right) => (far(right.at, point) < far(left.at, point) ? right : left)).name;
  return (await drawn(figure)).map((line) => ({ ...line, name: `${nodeAt(line.from)} → ${nodeAt(line.to)}` }));
}

/** The values at which colours begin, and the end of the last one. */
const scaleOf = async (page) =>
  (await page.locator(".key .steps li").allTextContents()).slice(1).map((text) => worth(text.replace(/^(> |up to )/, "")));

/** Every line has the colour that the scale has for its value, and the scale ends at the largest one. */
export async function colours(page, figure, what, { values, most }, judge) {
  const ends = await scaleOf(page);
  const lines = await linesOf(page, figure);
  judge.equal(`${what}: lines`, [...new Set(lines.map(({ name }) => name))].sort(), [...values.keys()].sort());
  if (!(Math.abs(ends.at(-1) - most) <= 0.001 * most)) {
    judge.complain(`${what}: the scale ends at ${ends.at(-1)}, and in the tables at ${most}`);
  }
  for (const { name, step } of lines) {
    const value = values.get(name) ?? NaN;
    const fits = step === 0 ? value === 0 : value >= ends[step - 1] * 0.999 && value <= ends[step] * 1.001;
    if (!fits || (step > 0 && value === 0)) {
      judge.complain(`${what}: ${name} has colour ${step}, and in the tables ${value}`);
    }
  }
  if (new Set(lines.map(({ step }) => step)).size < 2) {
    judge.complain(`${what}: hardly any colours`);
  }
}

/** The point on a line that is farthest from all other lines. */
function free(line, lines) {
  const at = (share) => line.from.map((start, axis) => start + share * (line.to[axis] - start));
  const distance = ([x, y], { from, to }) => {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const along = Math.min(1, Math.max(0, ((x - from[0]) * dx + (y - from[1]) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(x - from[0] - along * dx, y - from[1] - along * dy);
  };
  const room = (share) => Math.min(...lines.filter((other) => other !== line).map((other) => distance(at(share), other)));
  const shares = Array.from({ length: 13 }, (_, nth) => 0.2 + nth * 0.05);
  return at(shares.reduce((left, right) => (room(right) > room(left) ? right : left)));
}

/** Clicks lines; the port of each must then be shown below and marked. */
export async function clicks(page, figure, judge) {
  const lines = await linesOf(page, figure);
  const isHost = ({ name }) => name.includes("host");
  for (const line of [lines.find(isHost), lines.findLast(isHost), lines.find((one) => !isHost(one)), lines.findLast((one) => !isHost(one))]) {
    const point = free(line, lines);
    const [x, y] = await figure.locator("svg.fabric").evaluate((svg, [across, down]) => {
      const { x: left, y: top } = new DOMPoint(across, down).matrixTransform(svg.getScreenCTM());
      return [left, top];
    }, point);
    await page.mouse.move(x, y);
    judge.equal(`what is told at the line ${line.name}`, await figure.locator(".bubble strong").textContent(), line.name);
    await page.mouse.click(x, y);
    judge.equal(`what a click on the line ${line.name} shows`, await page.locator(".explorer h3").textContent(), line.name);
    const marked = await figure.locator(".picked").getAttribute("d");
    judge.equal(`the mark after a click on ${line.name}`, marked, `M${line.from.map((one) => one.toFixed(1)).join(" ")}L${line.to.map((one) => one.toFixed(1)).join(" ")}`);
  }
}
