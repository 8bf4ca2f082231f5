// The path of an explained message as a table: what held it at its sender, then its queues hop by hop.

import type { ExplainedRun, MessageData, WaitData } from "./explained_data.ts";
import { messageName, pairOf } from "./message_names.ts";
import { isAtSender, rankOf } from "./path_order.ts";
import { aheadOf, rounded } from "./sharers.ts";
import { table } from "./tables.ts";
import type { Cell } from "./tables.ts";
import { span } from "./units.ts";

/** Explains the columns. */
export const HOPS =
  "The first row of a message is its sender: the sum of what held it there. Column “port sending” is the share of the wait in which the port was sending; a port that was sending for less than the whole wait was held for the rest: " +
  "paused, without credits, or its link was down.";

const sendingShare = (sending: number | null, wait: number): string | null => (sending === null || wait === 0 ? null : rounded(Math.min(1, sending / wait)));

const left = (wait: WaitData, message: MessageData): string =>
  wait.ahead.length > 0 ? aheadOf(wait, message) : wait.wait === 0 ? "–" : "not recorded";

/** What held a message at its sender, in the order in which it came about. */
const heldBy = ({ causes: names }: ExplainedRun, { causes }: MessageData): [string, number][] =>
  causes
    .map(([cause, time]): [string, number] => [names[cause] ?? "", time])
    .filter(([name]) => isAtSender(name))
    .sort(([one], [other]) => rankOf(one) - rankOf(other));

/** The row of the sender; without a wait for packets on its wire the data has no port. */
function senderRow(run: ExplainedRun, message: MessageData): Cell[] {
  const held = heldBy(run, message);
  const total = held.reduce((sum, [, time]) => sum + time, 0);
  const nic = message.waits.find((wait) => wait.nic);
  const [sender = ""] = pairOf(message.message).split(" → ");
  return [
    `${nic?.port ?? sender} (NIC of the sender)`,
    span(total),
    held.map(([name, time]) => `${name} ${span(time)}`).join(", ") || "sent at once",
    sendingShare(nic?.sending ?? null, total),
    nic === undefined ? "–" : left(nic, message),
  ];
}

const queueRow = (wait: WaitData, message: MessageData): Cell[] => [
  wait.port,
  span(wait.wait),
  wait.wait === 0 ? "no wait" : "queue",
  sendingShare(wait.sending, wait.wait),
  left(wait, message),
];

/** The table. */
export function hopsTable(run: ExplainedRun, message: MessageData): HTMLElement {
  const queues = message.waits.filter(({ nic }) => !nic).map((wait) => queueRow(wait, message));
  const columns = [
    { title: "port" },
    { title: "wait", number: true },
    { title: "what held it" },
    { title: "port sending", number: true },
    { title: "whose packets left meanwhile" },
  ];
  return table(`${messageName(message.message)}, hop by hop`, columns, [senderRow(run, message), ...queues], true);
}
