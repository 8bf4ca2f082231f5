// The congestion tree: its roots, branches and leaves drawn over the fabric, interval by interval.

import type { CongestedPort, CongestionOfRun, CongestionScene, Report } from "../data.ts";
import { note } from "../dom.ts";
import { legendOf, lineName } from "../palette.ts";
import { asTable } from "../tables.ts";
import { FREE, ROLES, VICTIM, treeChart } from "../tree.ts";
import { count, percent, size, some, spans } from "../units.ts";
import { figure, pair } from "./panel.ts";
import type { Panel } from "./panel.ts";

interface Shown {
  /** The name of the run if there are several. */
  prefix: string;
  found: CongestionOfRun;
}

function shown(report: Report): Shown[] {
  return report.congestion.flatMap((found, place) => {
    const prefix = report.runs.length > 1 ? `${report.runs[place]?.name ?? ""} · ` : "";
    return found === null ? [] : [{ prefix, found }];
  });
}

const WORDS: Record<CongestedPort["role"], string> = {
  root: "root: limited by its own link",
  branch: "branch: blocked by a congested port downstream",
  leaf: "leaf: a host blocked by a congested port",
};

const key = (): HTMLElement =>
  legendOf([
    ...(["root", "branch", "leaf"] as const).map((role) => lineName(WORDS[role], ROLES[role])),
    lineName("not congested", FREE),
    lineName("host whose flow is a victim", VICTIM),
  ]);

const NOT_DRAWN = "The fabric has too many nodes for a drawing.";

/** The names of some pairs of hosts, each with its share of the interval if that is less than 1. */
function pairs(found: CongestionScene["victims"], total: number): string {
  const names = found.map(({ name, share }) => (share < 1 ? `${name} (${percent(share)} of the interval)` : name));
  return [...names, ...(total > found.length ? [`and ${count(total - found.length)} more`] : [])].join(", ");
}

function flowNotes({ victims, total_victims, contributors, total_contributors }: CongestionScene): HTMLElement[] {
  return [
    note(`Victims: ${pairs(victims, total_victims) || "none"}.`),
    note(`Contributors: ${pairs(contributors, total_contributors) || "none"}.`),
  ];
}

function portTable(label: string, { ports, total_ports }: CongestionScene): HTMLElement {
  const columns = [
    { title: "port" },
    { title: "role" },
    ...["time with packets waiting", "time sending", "time without credits", "mean backlog", "largest backlog"].map((title) => ({
      title,
      number: true,
    })),
    { title: "blocked by" },
  ];
  const rows = ports.map(({ name, role, occupied, sending, credit_stalled, waiting, peak, blocked_by }) => [
    name,
    role,
    occupied === null ? null : percent(occupied),
    percent(sending),
    percent(credit_stalled),
    waiting === null ? null : size(waiting),
    peak === null ? null : size(peak),
    blocked_by,
  ]);
  const more = total_ports > ports.length ? `, ${count(ports.length)} of ${count(total_ports)} ports` : "";
  return asTable(`${label}${more}; times as shares of the interval`, columns, rows);
}

function drawn({ prefix, found }: Shown, scene: CongestionScene): HTMLElement {
  const label = `${prefix}${spans(scene.start, scene.end)}`;
  const table = portTable(label, scene);
  return found.nodes.length === 0
    ? figure(label, note(NOT_DRAWN), ...flowNotes(scene), table)
    : figure(label, treeChart(`Congestion tree, ${label}`, found, scene), ...flowNotes(scene), table);
}

function cut({ prefix, found: { total_scenes, scenes } }: Shown): HTMLElement[] {
  const left = `${prefix}The longest ${count(scenes.length)} of ${some(total_scenes, "interval")} are shown; table “congestion” has all of them.`;
  return total_scenes > scenes.length ? [note(left)] : [];
}

function content(report: Report): HTMLElement[] {
  const all = shown(report);
  if (all.length === 0) {
    return [];
  }
  return [
    note(
      "Each drawing covers an interval in which the same ports were roots, branches and leaves; figures are means over it. " +
        "Arrows point in the direction of the data; a branch leads to the port that blocks it. Contributors are flows that pass " +
        "a root. A victim is a flow that passes no root, but is slowed down because its host is blocked by the congestion.",
    ),
    key(),
    pair(...all.flatMap((run) => run.found.scenes.map((scene) => drawn(run, scene)))),
    ...all.flatMap(cut),
  ];
}

/** The panel. */
export const CONGESTION: Panel = { id: "congestion", title: "Congestion tree", content };
