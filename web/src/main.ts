// The page: reads its data and shows the explorer of a report, the maps of a paper's figures, a sweep, or a run in progress.

import { withArrows } from "./arrows.ts";
import { drawAll } from "./chart.ts";
import { embedded } from "./data.ts";
import type { Report, Run } from "./data.ts";
import type { Maps } from "./maps_data.ts";
import { element, folded } from "./dom.ts";
import type { Live } from "./live/data.ts";
import { LivePage } from "./live/page.ts";
import { identifier, mapSection } from "./maps.ts";
import { STATUS } from "./panels/provenance.ts";
import { runName } from "./palette.ts";
import { route } from "./route.ts";
import { studySections } from "./study.ts";
import type { StudyData } from "./study_data.ts";
import { some } from "./units.ts";
import { colourByVariant } from "./variants.ts";
import { Stage, VIEWS } from "./views.ts";
import "./style.css";

/** Milliseconds after loading before views that are not shown are built. */
const PAUSE = 500;

/** The seed of a run, unless its name ends with it; or that it was measured. */
function originOf({ name, seed, measured }: Run): string {
  const shown = measured === null ? `seed ${seed}` : "measured";
  return name.endsWith(shown) ? "" : ` ${shown}`;
}

function header(report: Report): HTMLElement {
  const scenarios = [...new Set(report.runs.map((run) => run.scenario))].filter((name) => name !== "");
  const versions = [...new Set(report.runs.map((run) => run.netloom))].join(", ");
  const about = `${some(report.runs.length, "run")} of ${scenarios.join(", ")}, made with netloom ${versions}`;
  const runs = report.runs.map((run, place) => {
    const ended = run.status === "complete" ? "" : `, ${STATUS[run.status]}`;
    const chip = element("li", {}, runName(report.runs, place), `${originOf(run)}${ended}`);
    if (ended !== "") {
      chip.className = "warning";
    }
    return chip;
  });
  const title = element("h1", {}, "netloom report");
  const remarks = report.remarks.map((text) => element("p", { class: "warning" }, `Not all points are shown: ${text}.`));
  return element("header", {}, title, element("p", {}, about), ...remarks, element("ul", { class: "runs" }, ...runs));
}

function footer(drawnFrom: string, ...more: HTMLElement[]): HTMLElement {
  const notices = document.getElementById("netloom-notices")?.textContent?.trim() ?? "";
  const licences = folded("Licences of the libraries in this page", element("pre", { tabindex: "0" }, notices));
  return element("footer", {}, element("p", {}, drawnFrom), ...more, licences);
}

/** Shows the view that the address names, or the first one. */
function follow(stages: Stage[]): void {
  const { place } = route();
  const found = stages.find((stage) => stage.owns(place)) ?? stages[0];
  stages.forEach((stage) => stage.show(stage === found));
  if (place !== "" && place !== found?.view.id) {
    document.getElementById(place)?.scrollIntoView();
  }
}

/** A digit key shows the view of that number, except in input fields or with a modifier key. */
function listen(stages: Stage[]): void {
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input:not([type=range]), select, textarea");
    const stage = stages[Number(event.key) - 1];
    if (stage !== undefined && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      location.hash = stage.view.id;
      stage.link.focus();
    }
  });
}

/** On paper all views are printed, one below the other, and charts that are folded on the screen. */
function print(stages: Stage[]): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    document.body.classList.add("paper");
    stages.forEach((stage) => stage.make());
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open]):has(.chart)")];
    opened.forEach((one) => (one.open = true));
    drawAll();
  });
  addEventListener("afterprint", () => {
    document.body.classList.remove("paper");
    opened.forEach((one) => (one.open = false));
  });
}

/**
 * Builds the views that have not been shown yet, one after the other when the browser is idle: printing needs all of them,
 * and does not wait for data being unpacked.
 */
function prepare(stages: Stage[]): void {
  // Not every browser has requestIdleCallback.
  const idle = (act: () => void): unknown => ("requestIdleCallback" in window ? requestIdleCallback(act) : setTimeout(act, PAUSE));
  const next = ([first, ...others]: Stage[]): void => {
    if (first !== undefined) {
      idle(() => {
        first.make();
        next(others);
      });
    }
  };
  const later = (): unknown => setTimeout(() => next(stages), PAUSE);
  // The script is unpacked first, and may run when the page has been loaded.
  if (document.readyState === "complete") {
    later();
  } else {
    addEventListener("load", later);
  }
}

/** The keys of the page; those of panels that these runs do not have are left out. */
function keysOf(report: Report): string {
  const chains = report.explained.some(({ steps }) => steps.length > 0);
  const study = "in the view Study, W shows why the longest step took that long, and M the typical one; ";
  const differences = ", and D goes through the differences of two runs in ports by tier";
  return (
    `Keys: 1 to ${VIEWS.length} show a view; ${chains ? study : ""}in the view Fabric, space plays or stops, the arrow keys move in time` +
    `${report.runs.length > 1 ? differences : ""}.`
  );
}

function show(report: Report): void {
  document.title = `${report.runs.map((run) => run.name).join(", ")} – netloom report`;
  colourByVariant(report);
  const stages = VIEWS.map((view) => new Stage(view, report));
  const views = element("nav", { class: "views", "aria-label": "Views" }, ...stages.map(({ link }) => link));
  const below = footer("Made only from the records of these runs.", element("p", {}, keysOf(report)));
  document.body.append(header(report), views, element("main", {}, ...stages.map(({ box }) => box)), below);
  addEventListener("hashchange", () => follow(stages));
  listen(stages);
  print(stages);
  follow(stages);
  prepare(stages);
}

/** The figures of a paper, a section each. */
function showMaps(maps: Maps): void {
  document.title = `${maps.paper} – measured and simulated`;
  const title = element("h1", {}, "Measured and simulated");
  const about = `Figures of ${maps.paper}, simulated with netloom ${maps.netloom}`;
  const links = maps.figures.map(({ name }) => element("a", { href: `#${identifier(name)}` }, name));
  document.body.append(
    element("header", {}, title, element("p", {}, about)),
    element("nav", { class: "panels", "aria-label": "Figures" }, ...links),
    element("main", {}, ...maps.figures.map(mapSection)),
    footer("Made only from published values and from the runs of this reproduction."),
  );
  drawAll();
}

/** A sweep of which no run folders are kept. */
function showStudy(study: StudyData): void {
  document.title = `${study.name} – netloom sweep`;
  const sections = studySections(study);
  const about = `${study.name}, a sweep of ${study.scenarios.join(", ")}, made with netloom ${study.netloom}`;
  const links = sections.map(({ id, title }) => element("a", { href: `#${id}` }, title));
  const shown = sections.map(({ id, title, content }) => element("section", { id }, element("h2", {}, title), ...content));
  document.body.append(
    element("header", {}, element("h1", {}, "netloom sweep"), element("p", {}, about)),
    element("nav", { class: "panels", "aria-label": "Sections" }, ...links),
    element("main", {}, ...shown),
    footer("Made only from the figures that the sweep stored of its points; no run folders were kept."),
  );
  drawAll();
}

/** A run in progress. */
function showLive(live: Live): void {
  document.title = `${live.scenario} – netloom live`;
  const title = element("h1", {}, "netloom live");
  const about = `${live.scenario}, seed ${live.seed}, made with netloom ${live.netloom}; records go to ${live.folder}`;
  const page = new LivePage(live);
  const below = footer("Current values of this run, from the command that simulates it; this page does not affect the run.");
  document.body.append(element("header", {}, title, element("p", {}, about)), page.box, below);
  void page.follow();
}

const page = embedded();
if (page === null) {
  document.body.append(element("p", {}, "This is the empty template of a report; “netloom report” inserts the data of runs."));
} else if ("maps" in page) {
  showMaps(page.maps);
} else if ("study" in page) {
  showStudy(page.study);
} else if ("live" in page) {
  showLive(page.live);
} else {
  show(withArrows(page));
}
