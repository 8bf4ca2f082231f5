// A line over simulated time that grows during the run; the oldest points are discarded.

import { element } from "../dom.ts";
import { shape } from "../svg.ts";
import { bitRate, span } from "../units.ts";

/** Largest number of points. */
const MOST = 400;
const [WIDTH, HEIGHT, ABOVE] = [600, 120, 8];

/** The line. */
export class Course {
  readonly box: HTMLElement;
  private points: [number, number][] = [];
  private readonly line = shape("path", { class: "course" });
  private readonly svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" }, this.line);
  private readonly most = element("span", {});
  private readonly from = element("span", {});
  private readonly to = element("span", {});

  constructor() {
    const ends = element("p", { class: "ends" }, this.from, this.to);
    this.box = element("div", { class: "growing" }, element("p", { class: "ends" }, this.most), this.svg, ends);
  }

  /** Discards all points. */
  clear(): void {
    this.points = [];
  }

  /** Adds the value at a time, in seconds. */
  add(time: number, value: number): void {
    this.points.push([time, value]);
    this.points.splice(0, this.points.length - MOST);
    const most = this.points.reduce((left, [, right]) => Math.max(left, right), 0);
    const [first, last] = [this.points[0]?.[0] ?? 0, time];
    const across = (at: number): number => (last > first ? ((at - first) / (last - first)) * WIDTH : WIDTH);
    const down = (at: number): number => HEIGHT - (most > 0 ? at / most : 0) * (HEIGHT - ABOVE);
    const path = this.points.map(([at, found]) => `${across(at).toFixed(1)} ${down(found).toFixed(1)}`);
    this.line.setAttribute("d", `M${path.join("L")}`);
    this.svg.setAttribute("aria-label", `Throughput of all hosts over simulated time, now ${bitRate(value)}`);
    this.most.textContent = `maximum ${bitRate(most)}, now ${bitRate(value)}`;
    this.from.textContent = `at ${span(first)}`;
    this.to.textContent = `${span(last)} of simulated time`;
  }
}
