// The drawing of a fabric: squares, and for each direction between them a line on its right-hand side, whose colour and
// width show a value.

import { tip } from "../chart.ts";
import { element } from "../dom.ts";
import { shape } from "../svg.ts";
import { some } from "../units.ts";
import type { FabricOfRun } from "./data.ts";
import { layout } from "./layout.ts";
import type { Layout, Point } from "./layout.ts";
import { edgeName, portsOf, squareName } from "./names.ts";

/** Number of colour steps, as in style.css. */
export const STEPS = 7;

/** What is shown of an edge. */
export interface Told {
  /** On the scale from 0 to 1; null without a value, as after the end of a run. */
  share: number | null;
  /** Lines of the tooltip. */
  lines: string[];
  /** Number of links that are down. */
  down: number;
  /** 3 root, 2 branch, 1 leaf of a congestion tree. */
  role: number;
}

/** The values to paint. */
export interface Picture {
  edge: (number: number) => Told;
  isVictim: (square: number) => boolean;
  /** The selected edge. */
  picked: number | null;
}

/** Pixels of the drawing between a line and the middle of its link, and largest distance of a pointer that selects a line. */
const ASIDE = 2;
const NEAR = 9;
const SIDE = 11;
/** Largest scale of a drawing, so that a small fabric does not fill the window. */
const LARGEST = 1.3;
/** Number of lines up to which lines have their full width, and the smallest share of that width. */
const [FEW, THINNEST] = [400, 0.3];

/** The colour step of a position on the scale; 0 is the value zero. */
export const stepOf = (share: number): number => (share <= 0 ? 0 : Math.min(STEPS - 1, 1 + Math.floor(share * (STEPS - 1))));

interface Segment {
  from: Point;
  to: Point;
}

/** The line of an edge, beside the straight line between two squares. */
function segment(from: Point, to: Point): Segment {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const [dx, dy] = [(-(to[1] - from[1]) / length) * ASIDE, ((to[0] - from[0]) / length) * ASIDE];
  return { from: [from[0] + dx, from[1] + dy], to: [to[0] + dx, to[1] + dy] };
}

/** How far a point is from a segment. */
function distance([x, y]: Point, { from, to }: Segment): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const along = ((x - from[0]) * dx + (y - from[1]) * dy) / (dx * dx + dy * dy || 1);
  const at = Math.min(1, Math.max(0, along));
  return Math.hypot(x - from[0] - at * dx, y - from[1] - at * dy);
}

const pathOf = ({ from, to }: Segment): string => `M${from.map(short).join(" ")}L${to.map(short).join(" ")}`;
const short = (number: number): string => number.toFixed(1);

/** The drawing of one run. */
export class Drawing {
  readonly box: HTMLElement;
  private readonly fabric: FabricOfRun;
  private readonly svg: SVGSVGElement;
  private readonly segments: (Segment | null)[];
  private readonly lines: (SVGPathElement | null)[];
  private readonly squares: SVGRectElement[];
  private readonly layers: SVGGElement[];
  private readonly under = shape("g", {});
  private readonly over = shape("g", {});
  private readonly bubble = element("div", { class: "bubble", hidden: "" });
  private readonly places: Layout;
  private picture: Picture | null = null;
  private steps: number[];

  constructor(fabric: FabricOfRun, label: string, pick: (edge: number) => void) {
    this.fabric = fabric;
    this.places = layout(fabric);
    const { width, height, at } = this.places;
    const point = (square: number): Point => at[square] ?? [0, 0];
    this.segments = fabric.edges.map(({ from, to }) => (from === to ? null : segment(point(from), point(to))));
    this.layers = Array.from({ length: STEPS }, (_, step) => shape("g", { class: `step step-${step}` }));
    this.lines = this.segments.map((line) => (line === null ? null : shape("path", { d: pathOf(line) })));
    this.steps = this.lines.map(() => 0);
    this.lines.forEach((line) => line && this.layers[0]?.append(line));
    this.squares = fabric.squares.map(({ tier }, nth) => {
      const side = tier === 0 ? SIDE * 0.7 : SIDE;
      const [x, y] = point(nth);
      return shape("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: tier === 0 ? side / 2 : 2 });
    });
    this.svg = shape(
      "svg",
      { class: "fabric", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      this.under,
      ...this.layers,
      this.over,
      shape("g", { class: "squares" }, ...this.squares),
      shape("g", { class: "names" }, ...this.names()),
    );
    // Many lines side by side must be thin to be distinguishable.
    this.svg.style.maxWidth = `${Math.round(width * LARGEST)}px`;
    this.svg.style.setProperty("--thin", String(Math.max(THINNEST, Math.min(1, Math.sqrt(FEW / fabric.edges.length)))));
    this.box = element("div", { class: "drawing" }, this.svg, this.bubble);
    this.listen(pick);
  }

  private names(): SVGElement[] {
    return this.fabric.squares.flatMap((square, nth) => {
      const label = this.places.label[nth];
      if (label === null || label === undefined) {
        return [];
      }
      const [x, y] = this.places.at[nth] ?? [0, 0];
      const [tx, ty] = [x + label.aside[0], y + label.aside[1]];
      const placed: Record<string, string> = { x: short(tx), y: short(ty), "text-anchor": label.anchor };
      if (label.angle !== 0) {
        placed["transform"] = `rotate(${short(label.angle)} ${short(tx)} ${short(ty)})`;
      }
      return [shape("text", placed, squareName(square))];
    });
  }

  /** Paints values. */
  paint(picture: Picture): void {
    this.picture = picture;
    const under: SVGElement[] = [];
    const over: SVGElement[] = [];
    this.fabric.edges.forEach(({ from, to }, number) => {
      const told = picture.edge(number);
      const step = told.share === null ? 0 : stepOf(told.share);
      const [line, at] = [this.lines[number], this.segments[number]];
      if (from === to) {
        this.squares[from]?.setAttribute("class", `step-${step}`);
      }
      if (!line || !at) {
        return;
      }
      if (this.steps[number] !== step) {
        this.layers[step]?.append(line);
        this.steps[number] = step;
      }
      line.setAttribute("class", told.down > 0 ? "down" : told.share === null ? "over" : "");
      if (told.role > 0) {
        under.push(shape("path", { class: `role-${told.role}`, d: pathOf(at) }));
      }
      if (told.down > 0) {
        over.push(cross(at));
      }
      if (number === picture.picked) {
        under.push(shape("path", { class: "picked", d: pathOf(at) }));
      }
    });
    this.squares.forEach((square, nth) => square.classList.toggle("victim", picture.isVictim(nth)));
    this.under.replaceChildren(...under);
    this.over.replaceChildren(...over);
  }

  /** The edge at a position of the window, if there is one. */
  private near(x: number, y: number): number | null {
    const matrix = this.svg.getScreenCTM();
    if (matrix === null) {
      return null;
    }
    const { x: across, y: down } = new DOMPoint(x, y).matrixTransform(matrix.inverse());
    let [found, least]: [number | null, number] = [null, NEAR];
    this.segments.forEach((line, number) => {
      const far = line === null ? Infinity : distance([across, down], line);
      if (far < least) {
        [found, least] = [number, far];
      }
    });
    return found;
  }

  private squareAt(x: number, y: number): number | null {
    const found = this.squares.findIndex((square) => {
      const { left, right, top, bottom } = square.getBoundingClientRect();
      return x >= left - 2 && x <= right + 2 && y >= top - 2 && y <= bottom + 2;
    });
    return found < 0 ? null : found;
  }

  private listen(pick: (edge: number) => void): void {
    this.svg.addEventListener("pointermove", ({ clientX, clientY }) => this.tell(clientX, clientY));
    this.svg.addEventListener("pointerleave", () => (this.bubble.hidden = true));
    this.svg.addEventListener("click", ({ clientX, clientY }) => {
      const edge = this.near(clientX, clientY);
      if (edge !== null) {
        pick(edge);
      }
    });
  }

  /** Shows the tooltip of what is at the pointer. */
  private tell(x: number, y: number): void {
    const [square, edge] = [this.squareAt(x, y), this.near(x, y)];
    const words = square !== null ? this.ofSquare(square) : edge !== null ? this.ofEdge(edge) : null;
    this.bubble.hidden = words === null;
    if (words === null) {
      return;
    }
    this.bubble.replaceChildren(words);
    const area = this.box.getBoundingClientRect();
    const left = x - area.left > area.width / 2;
    this.bubble.style.top = `${y - area.top + 12}px`;
    this.bubble.style.left = left ? "auto" : `${x - area.left + 12}px`;
    this.bubble.style.right = left ? `${area.right - x + 12}px` : "auto";
  }

  private ofEdge(number: number): HTMLElement | null {
    const edge = this.fabric.edges[number];
    const told = this.picture?.edge(number);
    return edge === undefined || told === undefined ? null : tip(edgeName(this.fabric, edge) + portsOf(edge), told.lines);
  }

  private ofSquare(number: number): HTMLElement | null {
    const square = this.fabric.squares[number];
    if (square === undefined) {
      return null;
    }
    const inside = this.fabric.edges.findIndex(({ from, to }) => from === number && to === number);
    const lines = [
      ...(square.nodes > 1 ? [some(square.nodes, "node")] : []),
      ...(inside < 0 ? [] : ["links between them:", ...(this.picture?.edge(inside).lines ?? [])]),
      ...(square.dropped > 0 ? [`${some(square.dropped, "packet")} dropped in the whole run`] : []),
      ...(this.picture?.isVictim(number) === true ? ["its flows are victims of congestion"] : []),
    ];
    return tip(squareName(square), lines);
  }
}

/** A mark on a link that is down. */
function cross({ from, to }: Segment): SVGElement {
  const [x, y] = [from[0] + (to[0] - from[0]) * 0.4, from[1] + (to[1] - from[1]) * 0.4];
  return shape("path", { class: "cross", d: `M${x - 5} ${y - 5}l10 10M${x + 5} ${y - 5}l-10 10` });
}
