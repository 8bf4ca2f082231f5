// Explained messages, each with its causes as a bar, its path hop by hop, and who was ahead; unfolded by a click.

import type { Area } from "./areas.ts";
import { element, folded, note } from "./dom.ts";
import type { ExplainedRun, MessageData, WaitData } from "./explained_data.ts";
import { hopsTable } from "./message_hops.ts";
import { messageName } from "./message_names.ts";
import { segmentsOf } from "./segments.ts";
import { aheadOf, rounded } from "./sharers.ts";
import { count, size, some, span } from "./units.ts";

/** Number of messages that are not folded. */
const MOST_MESSAGES = 12;

const where = ({ port, nic }: WaitData): string => (nic ? `the NIC of the sender (${port})` : `queue ${port}`);

/** Causes that are waits at ports, by the words that their names begin with. */
const AT_PORTS = ["turn", "earlier", "queues"];

/** What most of a message's time was, if that is no wait at a port; else nothing. */
function largestElsewhere({ causes: names }: ExplainedRun, { causes, time }: MessageData): string {
  const [cause = -1, most = 0] = causes.reduce<[number, number] | []>((one, other) => (other[1] > (one[1] ?? 0) ? other : one), []);
  const name = names[cause] ?? "";
  return AT_PORTS.includes(name.split(" ")[0] ?? "") ? "" : `${name} ${span(most)} (${rounded(most / time)}); `;
}

/** What most of a message's time was, its longest wait at a port, and who was ahead there, as a sentence without its end. */
export const mostOf = (run: ExplainedRun, message: MessageData): string => largestElsewhere(run, message) + longestWait(message);

function longestWait(message: MessageData): string {
  const { waits, time } = message;
  const longest = waits.reduce<WaitData | null>((most, wait) => (wait.wait > (most?.wait ?? 0) ? wait : most), null);
  if (longest === null) {
    return "waited in no queue";
  }
  const behind = longest.ahead.length === 0 ? "" : `, behind ${aheadOf(longest, message)}`;
  return `${span(longest.wait)} (${rounded(longest.wait / time)}) at ${where(longest)}${behind}`;
}

/** The parts of the completion time of a message, the largest first. */
function parts({ causes: names }: ExplainedRun, { causes, time }: MessageData): string {
  const sorted = [...causes].sort(([, one], [, other]) => other - one);
  return sorted.map(([cause, part]) => `${names[cause] ?? ""} ${span(part)} (${rounded(part / time)})`).join(", ");
}

/** One message. */
function item(run: ExplainedRun, areas: Map<string, Area>, message: MessageData, most: number, id: string): HTMLDetailsElement {
  const bar = element("span", { class: "segments", "aria-hidden": "true" }, ...segmentsOf(run, message, areas, most));
  const name = element("strong", {}, `${count(message.number)}. ${messageName(message.message)}`);
  const said = element("small", {}, `${span(message.time)}: ${mostOf(run, message)}`);
  const repairs =
    message.timeouts + message.retransmitted === 0
      ? []
      : [note(`${some(message.timeouts, "retransmission timeout")}, ${some(message.retransmitted, "retransmitted packet")}.`)];
  return element(
    "details",
    { class: "message", id },
    element("summary", {}, name, bar, said),
    note(`${size(message.size)}, sent ${span(message.start)} after the begin. Its parts, the largest first: ${parts(run, message)}.`),
    ...repairs,
    hopsTable(run, message),
  );
}

/** The address of a message on the page. */
export const messageId = (list: string, { number }: MessageData): string => `${list}-${number}`;

/** Messages, the slowest first; the first one is unfolded. */
export function messageList(run: ExplainedRun, areas: Map<string, Area>, messages: MessageData[], list: string): HTMLElement {
  const sorted = [...messages].sort((one, other) => other.time - one.time);
  const most = sorted[0]?.time ?? 1;
  const items = sorted.map((message) => item(run, areas, message, most, messageId(list, message)));
  items[0]?.setAttribute("open", "");
  const rest = items.slice(MOST_MESSAGES);
  return element(
    "div",
    { class: "messages" },
    ...items.slice(0, MOST_MESSAGES),
    ...(rest.length === 0 ? [] : [folded(some(rest.length, "more message"), ...rest)]),
  );
}
