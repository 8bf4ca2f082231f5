// Chains of messages over the time of their steps, a row for each, all at one scale: each message is a button.

import type { Area } from "./areas.ts";
import { segment, segmentsOf } from "./segments.ts";
import { element } from "./dom.ts";
import type { ChainData, ExplainedRun, MessageData } from "./explained_data.ts";
import { messageName } from "./message_names.ts";
import { roundedUp } from "./threshold.ts";
import { count, span, spanUnit } from "./units.ts";
import type { Unit } from "./units.ts";

/** A chain with its name. */
export interface ChainRow {
  name: HTMLElement;
  run: ExplainedRun;
  chain: ChainData;
  /** What is below the chain on the same axis: its name and its content, which is as wide as the chain. */
  below: { name: HTMLElement; content: HTMLElement } | null;
}

/** Approximate number of ticks of the axis. */
const TICKS = 5;

function axis(most: number, unit: Unit): HTMLElement {
  const made = element("div", { class: "chain-axis", "aria-hidden": "true" });
  const last = most / unit.worth;
  const distance = roundedUp(last / TICKS);
  for (let nth = 0; nth * distance <= last * 0.98; nth += 1) {
    const at = nth * distance;
    const tick = element("span", {}, Number(at.toPrecision(6)).toString());
    tick.style.setProperty("left", `${(100 * at) / last}%`);
    made.append(tick);
  }
  return made;
}

/** A message as a button with its parts; `whole` is the time of the whole width. */
function button(row: ChainRow, message: MessageData, areas: Map<string, Area>, whole: number, choose: () => void): HTMLElement {
  const { run } = row;
  const length = message.before + message.time;
  const label = `${count(message.number)}. ${messageName(message.message)}, ${span(message.time)}`;
  const made = element("button", { type: "button", class: "chain-message", title: label, "aria-label": label });
  made.style.setProperty("left", `${(100 * (message.start - message.before)) / whole}%`);
  made.style.setProperty("width", `${(100 * length) / whole}%`);
  const computing = areas.get("computing and overheads");
  if (computing !== undefined && message.before > 0) {
    made.append(segment(computing, message.before / length));
  }
  made.append(...segmentsOf(run, message, areas, length));
  made.addEventListener("click", choose);
  return made;
}

/** Whether some messages of a chain are not shown. */
export const isCut = ({ chain }: ChainRow): boolean => chain.messages.length < chain.n_messages;

/** The time before the first message of a whole chain in which messages of earlier steps were on their path. */
function earlier({ chain }: ChainRow, areas: Map<string, Area>): HTMLElement[] {
  const [first] = chain.messages;
  const area = areas.get("messages of earlier steps");
  const time = first === undefined ? 0 : first.start - first.before;
  return area === undefined || time <= 0 ? [] : [segment(area, time / chain.time)];
}

/** What is below a chain, with its name; `whole` is the time of the whole width. */
function belowOf({ below, chain }: ChainRow, whole: number): HTMLElement[] {
  if (below === null) {
    return [];
  }
  const content = element("div", { class: "chain-below" }, below.content);
  content.style.setProperty("width", `${(100 * chain.time) / whole}%`);
  return [element("div", { class: "chain-name" }, below.name), content];
}

/** The rows with their axis; a click on a message calls `choose`. */
export function chainsOf(rows: ChainRow[], areas: Map<string, Area>, choose: (row: number, message: MessageData) => void): HTMLElement {
  const whole = Math.max(...rows.map(({ chain }) => chain.time));
  const unit = spanUnit(whole);
  const drawn = rows.flatMap((row, nth) => {
    const track = element("div", { class: "chain-track" });
    const computing = areas.get("computing and overheads");
    // Between all messages, and behind the last one, ranks computed.
    if (computing !== undefined && !isCut(row)) {
      track.style.setProperty("background-color", computing.colour);
    }
    track.style.setProperty("width", `${(100 * row.chain.time) / whole}%`);
    const messages = row.chain.messages.map((message) => button(row, message, areas, row.chain.time, () => choose(nth, message)));
    track.append(...(isCut(row) ? [] : earlier(row, areas)), ...messages);
    return [element("div", { class: "chain-name" }, row.name), element("div", { class: "chain" }, track), ...belowOf(row, whole)];
  });
  const title = element("div", { class: "chain-title" }, `time since the begin of the step (${unit.name})`);
  return element("div", { class: "chains" }, ...drawn, axis(whole, unit), title);
}
