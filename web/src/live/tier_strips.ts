// Current values of the ports of a run in progress tier by tier: a cell for each line of the drawing.
//
// Leaves out: ports of a line one by one; a line that joins several ports has one value.

import { element, note } from "../dom.ts";
import type { FabricOfRun } from "../fabric/data.ts";
import { STEPS, stepOf } from "../fabric/drawing.ts";
import { placed } from "../fabric/metrics.ts";
import type { Metric } from "../fabric/metrics.ts";
import { edgeName, portsOf } from "../fabric/names.ts";
import { tierLines } from "../fabric/tier_lines.ts";
import type { TierLines } from "../fabric/tier_lines.ts";
import { drawnStrip } from "../strip.ts";
import type { DrawnStrip } from "../strip.ts";
import { asTable } from "../tables.ts";
import { count, some } from "../units.ts";

/** What the strips show. */
export interface Readings {
  metric: Metric;
  /** The values of the metric by edge, and the end of their scale. */
  values: number[];
  most: number;
  /** All metrics of an edge, written. */
  lines: (edge: number) => string[];
  /** The selected edge. */
  picked: number | null;
}

/** A group of lines with its strip, and the cells of the table that change. */
interface Row {
  tier: TierLines;
  strip: DrawnStrip;
  largest: HTMLElement;
  where: HTMLElement;
}

const ORDER =
  "A cell is a line of the drawing, in the order of the nodes, from left to right and line by line, with the same colours. " +
  "Point at a cell, or use the arrow keys, to read its values; a click or the enter key selects its line in the drawing.";
const SEVERAL =
  "A line that joins several ports has one value: utilization and the time blocked are the mean over its ports, backlog is " +
  "that of the port with the longest queue, drops are those of all its ports.";

/** The steps of the scale of the drawing, for a canvas. */
function stepColours(): string[] {
  const style = getComputedStyle(document.documentElement);
  return Array.from({ length: STEPS }, (_, step) => style.getPropertyValue(`--step-${step}`).trim());
}

/** The strips, which are made once; only what they show changes. */
export class TierStrips {
  readonly box = element("div", { class: "tier-strips" });
  private readonly fabric: FabricOfRun;
  private readonly rows: Row[];
  private colours: string[] = [];
  private readings: Readings | null = null;

  constructor(fabric: FabricOfRun, pick: (edge: number) => void) {
    this.fabric = fabric;
    this.rows = tierLines(fabric).map((tier) => this.row(tier, pick));
    const several = fabric.edges.some(({ ports }) => ports > 1);
    const strips = this.rows.map(({ tier, strip }) => this.titled(tier, strip));
    this.box.append(note(several ? `${ORDER} ${SEVERAL}` : ORDER), element("div", { class: "tiers" }, ...strips), this.table());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
  }

  /** Paints values. */
  paint(readings: Readings): void {
    this.readings = readings;
    this.repaint();
  }

  private repaint(): void {
    this.colours = stepColours();
    this.rows.forEach((row) => this.repaintRow(row));
  }

  private repaintRow({ tier, strip, largest, where }: Row): void {
    if (this.readings === null) {
      return;
    }
    const { metric, values } = this.readings;
    strip.repaint(`${metric.title} of lines ${tier.title}, now`);
    const most = tier.edges.reduce<number>((left, edge) => ((values[edge] ?? 0) > (values[left] ?? 0) ? edge : left), tier.edges[0] ?? 0);
    const value = values[most] ?? 0;
    largest.textContent = `${metric.write(value)} (${metric.title.toLowerCase()})`;
    where.textContent = value > 0 ? this.nameOf(most) : "–";
  }

  private row(tier: TierLines, pick: (edge: number) => void): Row {
    const edge = (cell: number): number => tier.edges[cell] ?? 0;
    const strip = drawnStrip({
      label: `Lines ${tier.title}`,
      count: tier.edges.length,
      period: tier.period,
      colour: (cell) => this.colourOf(edge(cell)),
      says: (cell) => `${this.nameOf(edge(cell))}: ${this.readings?.lines(edge(cell)).join(", ") ?? ""}`,
      open: (cell) => {
        pick(edge(cell));
        return this.readings?.picked === edge(cell) ? "Selected in the drawing." : "No longer selected in the drawing.";
      },
      isMarked: (cell) => this.readings?.picked === edge(cell),
    });
    return { tier, strip, largest: element("span"), where: element("span") };
  }

  private colourOf(edge: number): string {
    const { readings } = this;
    const share = readings === null ? 0 : placed(readings.metric, readings.values[edge] ?? 0, readings.most);
    return this.colours[stepOf(share)] ?? "";
  }

  private nameOf(number: number): string {
    const edge = this.fabric.edges[number];
    return edge === undefined ? "" : edgeName(this.fabric, edge) + portsOf(edge);
  }

  private titled({ title, edges, ports }: TierLines, { box }: DrawnStrip): HTMLElement {
    const numbers = ports === edges.length ? some(ports, "port") : `${some(edges.length, "line")} of ${some(ports, "port")}`;
    return element("figure", {}, element("h3", {}, `${title} `, element("small", {}, numbers)), box);
  }

  /** The largest value of each tier. */
  private table(): HTMLElement {
    const rows = this.rows.map(({ tier, largest, where }) => [tier.title, count(tier.edges.length), count(tier.ports), largest, where]);
    const columns = [
      { title: "tier" },
      { title: "lines", number: true },
      { title: "ports", number: true },
      { title: "largest current value", number: true },
      { title: "at" },
    ];
    return asTable("Ports of each tier now", columns, rows);
  }
}
