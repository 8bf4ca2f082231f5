// The page of the report: reads the data in it and draws the panels.

import { drawAll } from "./chart.ts";
import { embedded } from "./data.ts";
import type { Report } from "./data.ts";
import { element, folded } from "./dom.ts";
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

function footer(): HTMLElement {
  const notices = document.getElementById("netloom-notices")?.textContent?.trim() ?? "";
  const licences = folded("Licences of the libraries in this page", element("pre", { tabindex: "0" }, notices));
  return element("footer", {}, element("p", {}, "Drawn from the records of these runs and nothing else."), licences);
}

function show(report: Report): void {
  document.title = `${report.runs.map((run) => run.name).join(", ")} – netloom report`;
  const panels = PANELS.flatMap((panel) => section(panel, report));
  document.body.append(header(report), contents(panels), element("main", {}, ...panels), footer());
  drawAll();
}

const report = embedded();
if (report === null) {
  document.body.append(element("p", {}, "This is the bare page of a report; “netloom report” puts runs into it."));
} else {
  show(report);
}
