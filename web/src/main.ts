// The page: reads the data in it and draws the panels of a report, or the maps of a paper's figures.

import { drawAll } from "./chart.ts";
import { embedded } from "./data.ts";
import type { Maps, Report } from "./data.ts";
import { element, folded } from "./dom.ts";
import { identifier, mapSection } from "./maps.ts";
import { PANELS } from "./panels/index.ts";
import { section } from "./panels/panel.ts";
import { STATUS } from "./panels/provenance.ts";
import { runName } from "./palette.ts";
import { some } from "./units.ts";
import "./style.css";

function header(report: Report): HTMLElement {
  const scenarios = [...new Set(report.runs.map((run) => run.scenario))].filter((name) => name !== "");
  const versions = [...new Set(report.runs.map((run) => run.netloom))].join(", ");
  const about = `${some(report.runs.length, "run")} of ${scenarios.join(", ")}, made with netloom ${versions}`;
  const runs = report.runs.map((run, place) => {
    const ended = run.status === "complete" ? "" : `, ${STATUS[run.status]}`;
    const chip = element("li", {}, runName(report.runs, place), ` seed ${run.seed}${ended}`);
    if (ended !== "") {
      chip.className = "warning";
    }
    return chip;
  });
  const title = element("h1", {}, "netloom report");
  return element("header", {}, title, element("p", {}, about), element("ul", { class: "runs" }, ...runs));
}

function contents(shown: HTMLElement[]): HTMLElement {
  const panels = PANELS.filter((panel) => shown.some((section) => section.id === panel.id));
  const links = panels.map((panel) => element("a", { href: `#${panel.id}` }, panel.title));
  return element("nav", { "aria-label": "Panels" }, ...links);
}

function footer(drawnFrom: string): HTMLElement {
  const notices = document.getElementById("netloom-notices")?.textContent?.trim() ?? "";
  const licences = folded("Licences of the libraries in this page", element("pre", { tabindex: "0" }, notices));
  return element("footer", {}, element("p", {}, drawnFrom), licences);
}

function show(report: Report): void {
  document.title = `${report.runs.map((run) => run.name).join(", ")} – netloom report`;
  const panels = PANELS.flatMap((panel) => section(panel, report));
  const below = footer("Drawn from the records of these runs and nothing else.");
  document.body.append(header(report), contents(panels), element("main", {}, ...panels), below);
  drawAll();
}

/** The figures of a paper, a section each. */
function showMaps(maps: Maps): void {
  document.title = `${maps.paper} – measured beside simulated`;
  const title = element("h1", {}, "Measured beside simulated");
  const about = `Figures of ${maps.paper}, simulated with netloom ${maps.netloom}`;
  const links = maps.figures.map(({ name }) => element("a", { href: `#${identifier(name)}` }, name));
  document.body.append(
    element("header", {}, title, element("p", {}, about)),
    element("nav", { "aria-label": "Figures" }, ...links),
    element("main", {}, ...maps.figures.map(mapSection)),
    footer("Drawn from what was published and from the runs of this reproduction, and nothing else."),
  );
  drawAll();
}

const page = embedded();
if (page === null) {
  document.body.append(element("p", {}, "This is the bare page of a report; “netloom report” puts runs into it."));
} else if ("maps" in page) {
  showMaps(page.maps);
} else {
  show(page);
}
