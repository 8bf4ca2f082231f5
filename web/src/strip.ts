// A strip: cells in the order of the nodes, from left to right and line by line, each with the colour of its value.
//
// A strip of thousands of cells is drawn on a canvas; what a cell says is read by the pointer or by the arrow keys.

import { element } from "./dom.ts";

/** The cells of a strip. */
export interface Strip {
  /** What it shows, for readers of the screen. */
  label: string;
  count: number;
  /** After how many cells the next node follows, if that is known: lines then begin with a node where they can. */
  period: number;
  colour: (cell: number) => string;
  /** What a cell says. */
  says: (cell: number) => string;
  /** Called by a click on a cell, or by the enter key; says what has been opened, or why nothing was. */
  open?: (cell: number) => string;
  /** Whether a cell has a frame although it is not the one that is read. */
  isMarked?: (cell: number) => boolean;
}

/** A strip on the page. */
export interface DrawnStrip {
  box: HTMLElement;
  /** Paints values that have changed; the cell that is read stays, and so does the focus. */
  repaint: (label: string) => void;
}

/** Smallest and largest side of a cell, and the gap between cells, in pixels. */
const [LEAST, MOST, GAP] = [4, 14, 1];
/** Most lines; a wide strip has fewer. */
const LINES = 12;

/** How many cells a line has, and their side. */
interface Grid {
  columns: number;
  lines: number;
  side: number;
}

/** The largest number of columns up to `most` with which lines begin with a node, or nodes with a line; else `most`. */
function aligned(most: number, period: number): number {
  const fits = (columns: number): boolean => columns % period === 0 || period % columns === 0;
  for (let columns = most; columns > most / 2; columns -= 1) {
    if (fits(columns)) {
      return columns;
    }
  }
  return most;
}

/** The largest cells with which a strip has few lines. */
export function gridOf(count: number, width: number, period = 1): Grid {
  let side = MOST;
  const columnsOf = (): number => aligned(Math.max(1, Math.floor((width - GAP) / (side + GAP))), period);
  while (side > LEAST && Math.ceil(count / columnsOf()) > LINES) {
    side -= 1;
  }
  const columns = Math.min(count, columnsOf());
  return { columns, lines: Math.ceil(count / Math.max(1, columns)), side };
}

/** A strip whose values do not change. */
export const stripOf = (strip: Strip): HTMLElement => drawnStrip(strip).box;

/** The strip, and the line that says what the chosen cell is. */
export function drawnStrip(strip: Strip): DrawnStrip {
  const canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": strip.label });
  const said = element("output", { class: "said" });
  const box = element("div", { class: "strip" }, canvas, said);
  let grid: Grid = { columns: 1, lines: 1, side: MOST };
  let chosen: number | null = null;
  /** What opening the chosen cell has answered. */
  let answer = "";

  const draw = (): void => {
    const width = box.clientWidth;
    const pen = canvas.getContext("2d");
    if (width === 0 || pen === null) {
      return;
    }
    grid = gridOf(strip.count, width, strip.period);
    const pitch = grid.side + GAP;
    const scale = Math.max(1, devicePixelRatio);
    const [across, down] = [grid.columns * pitch + GAP, grid.lines * pitch + GAP];
    [canvas.width, canvas.height] = [across * scale, down * scale];
    canvas.style.width = `${across}px`;
    canvas.style.height = `${down}px`;
    pen.scale(scale, scale);
    for (let cell = 0; cell < strip.count; cell += 1) {
      const [left, top] = [(cell % grid.columns) * pitch + GAP, Math.floor(cell / grid.columns) * pitch + GAP];
      pen.fillStyle = strip.colour(cell);
      pen.fillRect(left, top, grid.side, grid.side);
      if (cell === chosen || strip.isMarked?.(cell) === true) {
        pen.strokeStyle = getComputedStyle(box).color;
        pen.lineWidth = 2;
        pen.strokeRect(left, top, grid.side, grid.side);
      }
    }
  };

  const say = (): void => {
    said.textContent = chosen === null ? "" : `${strip.says(chosen)}${answer}`;
  };

  const choose = (cell: number | null): void => {
    if (cell === chosen || (cell !== null && (cell < 0 || cell >= strip.count))) {
      return;
    }
    [chosen, answer] = [cell, ""];
    // What a reader has asked for is read aloud.
    said.setAttribute("aria-live", "polite");
    say();
    draw();
  };

  const open = (): void => {
    if (chosen !== null && strip.open !== undefined) {
      answer = `. ${strip.open(chosen)}`;
      say();
    }
  };

  const at = (event: PointerEvent): number => {
    const pitch = grid.side + GAP;
    const column = Math.min(grid.columns - 1, Math.floor(event.offsetX / pitch));
    return Math.floor(event.offsetY / pitch) * grid.columns + column;
  };
  canvas.addEventListener("pointermove", (event) => choose(at(event)));
  canvas.addEventListener("pointerleave", () => choose(null));
  canvas.addEventListener("pointerdown", (event) => choose(at(event)));
  if (strip.open !== undefined) {
    canvas.style.cursor = "pointer";
    canvas.addEventListener("click", open);
  }
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      open();
    }
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -grid.columns, ArrowDown: grid.columns };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      choose(chosen === null ? 0 : chosen + step);
    }
  });
  // A drawing changes the height of its box, which is no reason for another one.
  let drawn = 0;
  new ResizeObserver(() => {
    if (box.clientWidth !== drawn) {
      drawn = box.clientWidth;
      draw();
    }
  }).observe(box);

  const repaint = (label: string): void => {
    canvas.setAttribute("aria-label", label);
    // New values of the same cell are not read aloud.
    said.setAttribute("aria-live", "off");
    say();
    draw();
  };
  return { box, repaint };
}
