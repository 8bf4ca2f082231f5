// Maps of a paper's figures: each ratio as measured, next to the same ratio as simulated.

import type { FigureMaps, MapAxis, MapCell, MapRatio, PanelMap } from "./maps_data.ts";
import { element, note } from "./dom.ts";
import { figure, pair } from "./panels/panel.ts";
import { ratioMap, ratioScale, ratioText } from "./ratios.ts";
import type { RatioCell } from "./ratios.ts";
import { asTable } from "./tables.ts";
import { change, count, significant, some } from "./units.ts";

/** A name as part of an address. */
export const identifier = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** The change from the measured to the simulated ratio; null if one of them is missing. */
const off = ({ measured, simulated }: MapCell): string | null =>
  measured.ratio === null || simulated.ratio === null ? null : change(simulated.ratio / measured.ratio);

const half = (cell: MapCell): string => (cell.half === null ? "" : ` ± ${ratioText(cell.half)}`);

const known = (number: number | null): string => (number === null ? "" : significant(number));

/** The two values of a ratio. */
const terms = ({ above, below }: MapRatio): string =>
  above === null || below === null ? "values not known" : `${significant(above)} / ${significant(below)}`;

function tips(cell: MapCell, [above, below]: [string, string]): string[] {
  const { measured, simulated } = cell;
  return [
    `measured ${measured.ratio === null ? "–" : ratioText(measured.ratio)}: ${terms(measured)}`,
    `simulated ${simulated.ratio === null ? "–" : ratioText(simulated.ratio) + half(cell)}: ${terms(simulated)}`,
    above === below ? above : `${above} / ${below}`,
    `${cell.runs[0]} / ${cell.runs[1]}, ${some(cell.seeds, "seed")}`,
    ...(cell.excluded ? ["excluded from the scores"] : []),
  ];
}

/** The cells of a map, and positions without a cell. */
function squares({ across, up, cells }: PanelMap, square: (cell: MapCell) => RatioCell): RatioCell[] {
  const last = up.labels.length - 1;
  return across.labels.flatMap((_, column) =>
    up.labels.map((_, row) => {
      const place = { across: column, down: last - row };
      const cell = cells.find((one) => one.across === column && one.up === row);
      return cell === undefined
        ? { ...place, ratio: null, tip: ["the figure has no such cell"], absent: true }
        : { ...square(cell), ...place };
    }),
  );
}

/** The measured and the simulated map. */
function beside(panel: PanelMap, quantities: [string, string]): HTMLElement {
  const side = ({ name, labels }: MapAxis, reversed = false): MapAxis => ({
    name,
    labels: reversed ? [...labels].reverse() : labels,
  });
  const drawing = (title: string, square: (cell: MapCell) => RatioCell): HTMLElement =>
    figure(
      title,
      ratioMap(`${panel.title}, ${title}`, side(panel.across), side(panel.up, true), squares(panel, square), true),
    );
  const shared = (cell: MapCell): Omit<RatioCell, "ratio"> => ({
    across: cell.across,
    down: cell.up,
    tip: tips(cell, quantities),
    marked: cell.excluded,
  });
  return pair(
    drawing("Measured", (cell) => ({ ...shared(cell), ratio: cell.measured.ratio })),
    drawing("Simulated", (cell) => {
      const below = off(cell);
      return { ...shared(cell), ratio: cell.simulated.ratio, ...(below === null ? {} : { below }) };
    }),
  );
}

/** The number of cells simulated, and the scores. */
function standing({ scores, panels }: FigureMaps): string {
  const cells = panels.flatMap((panel) => panel.cells);
  const run = cells.filter((cell) => cell.simulated.ratio !== null).length;
  const ran = `${count(run)} of ${some(cells.length, "cell")} simulated.`;
  if (scores === null) {
    return ran;
  }
  const { cells: n, median_error, share_near, trivial } = scores;
  const percents = (share: number): string => `${Math.round(share * 100)} %`;
  return (
    `${ran} Over ${some(n, "cell")} the median of |ln(simulated / measured)| is ${median_error.toFixed(3)}, ` +
    `and ${percents(share_near)} of the cells are within 0.1; a prediction of 1 for every cell would have ` +
    `${trivial.median_error.toFixed(3)} and ${percents(trivial.share_near)}.`
  );
}

/** The explanation of signs in cells. */
function reading({ exclusion, panels }: FigureMaps): string {
  const all = panels.flatMap((panel) => panel.cells);
  const places = panels.reduce((sum, { across, up }) => sum + across.labels.length * up.labels.length, 0);
  const parts = [
    "Below a simulated ratio: its change from the measured ratio.",
    all.some((cell) => cell.measured.ratio === null) ? "“–” on the left: not published." : "",
    all.some((cell) => cell.simulated.ratio === null) ? "“–” on the right: not simulated in these runs." : "",
    all.length < places ? "Blank: the figure has no such cell." : "",
    exclusion === null ? "" : `In brackets, with a dashed edge: excluded from the scores, since ${exclusion}.`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

const TERMS = ["measured numerator", "measured denominator", "simulated numerator", "simulated denominator"];
const RATIOS = ["measured ratio", "simulated ratio", "half of its 95 % interval", "change from measured"];

function tableOf({ title, across, up, cells }: PanelMap, [above, below]: [string, string]): HTMLElement {
  const line = above === below ? `both: ${above}` : `numerator: ${above}; denominator: ${below}`;
  const numbers = [...RATIOS, ...TERMS, "seeds"].map((name) => ({ title: name, number: true }));
  const row = (cell: MapCell): string[] => [
    across.labels[cell.across] ?? "",
    up.labels[cell.up] ?? "",
    known(cell.measured.ratio),
    known(cell.simulated.ratio),
    known(cell.half),
    off(cell) ?? "",
    ...[cell.measured, cell.simulated].flatMap((ratio) => [known(ratio.above), known(ratio.below)]),
    count(cell.seeds),
    cell.excluded ? "no" : "yes",
  ];
  return asTable(
    `${title}; ${line}`,
    [{ title: across.name }, { title: up.name }, ...numbers, { title: "in scores" }],
    cells.map(row),
  );
}

/** A figure with all its maps. */
export function mapSection(found: FigureMaps): HTMLElement {
  const maps = found.panels.flatMap((panel) => [
    element("h3", {}, panel.title),
    beside(panel, found.quantities),
    tableOf(panel, found.quantities),
  ]);
  return element(
    "section",
    { id: identifier(found.name) },
    element("h2", {}, found.name),
    note(`${found.shows} ${standing(found)}`),
    ratioScale(),
    note(reading(found)),
    ...maps,
  );
}
