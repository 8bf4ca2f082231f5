// The page: reads the data in it and shows the explorer of a report, the maps of a paper's figures, or a run that goes on.

import { drawAll } from "./chart.ts";
import { embedded } from "./data.ts";
import type { Maps, Report } from "./data.ts";
import { element, folded } from "./dom.ts";
import type { Live } from "./live/data.ts";
import { LivePage } from "./live/page.ts";
import { identifier, mapSection } from "./maps.ts";
import { STATUS } from "./panels/provenance.ts";
import { runName } from "./palette.ts";
import { route } from "./route.ts";
import { some } from "./units.ts";
import { Stage, VIEWS } from "./views.ts";
import "./style.css";

/** What is shown first is looked at, for so many milliseconds, before anything else is made. */
const PAUSE = 500;

function header(report: Report): HTMLElement {
  const scenarios = [...new Set(report.runs.map((run) => run.scenario))].filter((name) => name !== "");
  const versions = [...new Set(report.runs.map((run) => run.netloom))].join(", ");
  const about = `${some(report.runs.length, "run")} of ${scenarios.join(", ")}, made with netloom ${versions}`;
  const runs = report.runs.map((run, place) => {
    const ended = run.status === "complete" ? "" : `, ${STATUS[run.status]}`;
    const chip = element("li", {}, runName(report.runs, place), `${run.measured === null ? ` seed ${run.seed}` : " measured"}${ended}`);
    if (ended !== "") {
      chip.className = "warning";
    }
    return chip;
  });
  const title = element("h1", {}, "netloom report");
  return element("header", {}, title, element("p", {}, about), element("ul", { class: "runs" }, ...runs));
}

function footer(drawnFrom: string, ...more: HTMLElement[]): HTMLElement {
  const notices = document.getElementById("netloom-notices")?.textContent?.trim() ?? "";
  const licences = folded("Licences of the libraries in this page", element("pre", { tabindex: "0" }, notices));
  return element("footer", {}, element("p", {}, drawnFrom), ...more, licences);
}

/** Shows the view to which the address leads, the first one if it leads nowhere. */
function follow(stages: Stage[]): void {
  const { place } = route();
  const found = stages.find((stage) => stage.owns(place)) ?? stages[0];
  stages.forEach((stage) => stage.show(stage === found));
  if (place !== "" && place !== found?.view.id) {
    document.getElementById(place)?.scrollIntoView();
  }
}

/** A digit shows the view of that number; not where somebody types, or holds another key. */
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

/** On paper all views stand one below the other. */
function print(stages: Stage[]): void {
  addEventListener("beforeprint", () => {
    document.body.classList.add("paper");
    stages.forEach((stage) => stage.make());
    drawAll();
  });
  addEventListener("afterprint", () => document.body.classList.remove("paper"));
}

/**
 * Makes the views that nobody has looked at yet, one after the other while there is nothing else to do: paper takes all of
 * them, and does not wait for what is being unpacked.
 */
function prepare(stages: Stage[]): void {
  // Not every browser tells when it is idle.
  const idle = (act: () => void): unknown => ("requestIdleCallback" in window ? requestIdleCallback(act) : setTimeout(act, PAUSE));
  const next = ([first, ...others]: Stage[]): void => {
    if (first !== undefined) {
      idle(() => {
        first.make();
        next(others);
      });
    }
  };
  addEventListener("load", () => setTimeout(() => next(stages), PAUSE));
}

function show(report: Report): void {
  document.title = `${report.runs.map((run) => run.name).join(", ")} – netloom report`;
  const stages = VIEWS.map((view) => new Stage(view, report));
  const views = element("nav", { class: "views", "aria-label": "Views" }, ...stages.map(({ link }) => link));
  const keys = element("p", {}, `Keys: 1 to ${stages.length} show a view; in the fabric, space plays and the arrows move in time.`);
  const below = footer("Drawn from the records of these runs and nothing else.", keys);
  document.body.append(header(report), views, element("main", {}, ...stages.map(({ box }) => box)), below);
  addEventListener("hashchange", () => follow(stages));
  listen(stages);
  print(stages);
  follow(stages);
  prepare(stages);
}

/** The figures of a paper, a section each. */
function showMaps(maps: Maps): void {
  document.title = `${maps.paper} – measured beside simulated`;
  const title = element("h1", {}, "Measured beside simulated");
  const about = `Figures of ${maps.paper}, simulated with netloom ${maps.netloom}`;
  const links = maps.figures.map(({ name }) => element("a", { href: `#${identifier(name)}` }, name));
  document.body.append(
    element("header", {}, title, element("p", {}, about)),
    element("nav", { class: "panels", "aria-label": "Figures" }, ...links),
    element("main", {}, ...maps.figures.map(mapSection)),
    footer("Drawn from what was published and from the runs of this reproduction, and nothing else."),
  );
  drawAll();
}

/** A run that goes on. */
function showLive(live: Live): void {
  document.title = `${live.scenario} – netloom live`;
  const title = element("h1", {}, "netloom live");
  const about = `${live.scenario}, seed ${live.seed}, made with netloom ${live.netloom}; records go to ${live.folder}`;
  const page = new LivePage(live);
  const below = footer("What happens in this run now, from the command that simulates it; looking on changes nothing of it.");
  document.body.append(element("header", {}, title, element("p", {}, about)), page.box, below);
  void page.follow();
}

const page = embedded();
if (page === null) {
  document.body.append(element("p", {}, "This is the bare page of a report; “netloom report” puts runs into it."));
} else if ("maps" in page) {
  showMaps(page.maps);
} else if ("live" in page) {
  showLive(page.live);
} else {
  show(page);
}
