// Link utilization: heat maps of leaves and spines, in both directions; bars for other fabrics.

import { barChart } from "../bars.ts";
import type { LinksOfRun, Report, Usage } from "../data.ts";
import { element, note } from "../dom.ts";
import { overNote } from "../over.ts";
import { between, heatMap } from "../heat.ts";
import type { Direction } from "../heat.ts";
import { SCALE, runColour, runName } from "../palette.ts";
import { asTable } from "../tables.ts";
import type { Cell } from "../tables.ts";
import { count, percent, some } from "../units.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

const DIRECTIONS: { direction: Direction; title: string }[] = [
  { direction: "up", title: "leaf to spine" },
  { direction: "down", title: "spine to leaf" },
];

/** The end of the scale for all heat maps: the largest share, rounded up to one digit. */
function top(links: LinksOfRun[]): number {
  const shares = links.flatMap(({ tiers }) =>
    tiers === null ? [] : [...tiers.up, ...tiers.down].flatMap((row) => row.map((cell) => cell?.busiest ?? 0)),
  );
  const most = shares.reduce((left, right) => Math.max(left, right), 0);
  const digit = 10 ** Math.floor(Math.log10(most));
  return most > 0 ? Math.min(1, Number((Math.ceil(most / digit - 1e-9) * digit).toPrecision(1))) : 1;
}

function scale(most: number): HTMLElement {
  const bar = element("span", { class: "scale", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${SCALE.join(", ")})`;
  return element("p", { class: "legend" }, "0 %", bar, `${percent(most)} of the time, the busiest of parallel links; numbers in %`);
}

function maps(report: Report): HTMLElement[] {
  const most = top(report.links);
  const figures = report.links.flatMap(({ tiers }, run) =>
    tiers === null
      ? []
      : DIRECTIONS.map(({ direction, title }) => {
          const name = report.runs[run]?.name ?? "";
          const caption = element("figcaption", {}, runName(report.runs, run), `: ${title}`);
          return element("figure", {}, caption, heatMap(`${name}: ${title}`, tiers, direction, most));
        }),
  );
  return figures.length === 0 ? [] : [scale(most), element("div", { class: "maps" }, ...figures)];
}

function blocks(report: Report): HTMLElement[] {
  const large = report.links.flatMap(({ tiers }) =>
    tiers !== null && tiers.leaf_block * tiers.spine_block > 1 ? [tiers] : [],
  );
  return large
    .slice(0, 1)
    .map((tiers) =>
      note(
        `The fabric is large: a cell represents up to ${some(tiers.leaf_block, "leaf", "leaves")} and ` +
          `${some(tiers.spine_block, "spine")} ` +
          "with consecutive numbers and shows its busiest link; the tooltip and the table have their mean.",
      ),
    );
}

/** Titles of columns of utilization. */
const UTILIZATION = "utilization (share of the time)";
const MEAN = "mean utilization (share of the time)";
const BUSIEST = "busiest link (share of the time)";

function lists(report: Report): HTMLElement[] {
  return report.links.flatMap(({ list }, run) => {
    if (list === null || list.links.length === 0) {
      return [];
    }
    const name = report.runs[run]?.name ?? "";
    const bars = list.links.map((link) => ({
      name: `${link.from} → ${link.to}`,
      colour: runColour(run),
      value: link.usage,
      tip: [`link ${link.link}`, `transmitting ${percent(link.usage)} of the time`],
    }));
    const unit = { name: "%", worth: 0.01 };
    const shown =
      list.total > bars.length
        ? `the ${bars.length} busiest of ${count(list.total)} link directions; table “ports” of the run folder has all of them`
        : `all ${list.total} link directions`;
    return [
      figure(`${name}: ${shown}`, barChart(`Busiest links of ${name}`, "utilization, share of the time", unit, bars)),
      asTable(
        `Busiest links of ${name}`,
        [{ title: "link" }, { title: "from" }, { title: "to" }, { title: UTILIZATION, number: true }],
        list.links.map((link) => [link.link, link.from, link.to, percent(link.usage)]),
      ),
    ];
  });
}

const GROUPS: { title: string; of: (links: LinksOfRun) => Usage | null }[] = [
  { title: "from hosts", of: (links) => links.from_hosts },
  { title: "to hosts", of: (links) => links.to_hosts },
  { title: "between switches", of: (links) => links.between },
];

function overview(report: Report): HTMLElement {
  const rows = report.links.flatMap((links, run) =>
    GROUPS.flatMap(({ title, of }): Cell[][] => {
      const usage = of(links);
      return usage === null
        ? []
        : [[report.runs[run]?.name ?? "", title, count(usage.links), percent(usage.mean), percent(usage.busiest)]];
    }),
  );
  return asTable(
    "Links of each run, each direction counted separately",
    [
      { title: "run" },
      { title: "links" },
      { title: "directions", number: true },
      { title: MEAN, number: true },
      { title: BUSIEST, number: true },
    ],
    rows,
  );
}

function cells(report: Report): HTMLElement[] {
  const rows = report.links.flatMap(({ tiers }, run) => {
    if (tiers === null) {
      return [];
    }
    const name = report.runs[run]?.name ?? "";
    return DIRECTIONS.flatMap(({ direction, title }) =>
      tiers[direction].flatMap((row, leaf) =>
        row.flatMap((cell, spine) => {
          const ends = [between(tiers.leaves[leaf] ?? ["", ""]), between(tiers.spines[spine] ?? ["", ""])];
          return cell === null
            ? []
            : [[name, title, ...ends, count(cell.links), percent(cell.mean), percent(cell.busiest)]];
        }),
      ),
    );
  });
  const numbers = ["links", MEAN, BUSIEST].map((title) => ({ title, number: true }));
  const columns = [{ title: "run" }, { title: "direction" }, { title: "leaf" }, { title: "spine" }, ...numbers];
  // Thousands of rows would slow down the page; tooltips show the same for each cell.
  if (rows.length > 4096) {
    return [note(`The table of the ${count(rows.length)} cells is omitted; table “ports” of the run folder has each link.`)];
  }
  return rows.length === 0 ? [] : [asTable("Links between leaves and spines", columns, rows)];
}

/** A note on runs whose utilization is that of the whole run. */
function unsampled(report: Report): HTMLElement[] {
  const names = report.runs.flatMap(({ name }, run) => (report.links[run]?.unsampled === true ? [name] : []));
  const text = "Ports were not sampled over time, so utilization is that of the whole run: ";
  return names.length === 0 ? [] : [note(`${text}${names.slice(0, 8).join(", ")}${names.length > 8 ? ", ..." : ""}.`)];
}

function content(report: Report): HTMLElement[] {
  return [
    note(
      overNote(report, "Utilization of a link direction: the share of time in which it was transmitting").trim() ||
        "Utilization of a link direction: the share of simulated time in which it was transmitting, over the whole run.",
    ),
    ...unsampled(report),
    ...maps(report),
    ...blocks(report),
    ...cells(report),
    ...lists(report),
    overview(report),
  ];
}

/** The panel. */
export const LINKS: Panel = { id: "links", title: "Link utilization", needs: "ports", content };
