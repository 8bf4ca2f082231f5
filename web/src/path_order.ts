// The parts of a message in the order of its path: what held it at its sender, queues hop by hop, transmission, recovery.
//
// Leaves out: how causes alternate at the sender, where each is one part, and that bits are on wires between the queues.

import type { ExplainedRun, MessageData, WaitData } from "./explained_data.ts";

/** Causes at the sender, by the words that their names begin with, in the order in which they come about. */
const AT_SENDER = ["earlier", "turn", "acknowledgements", "pacing", "timeouts", "pause"];

/** All causes but queues in order of time; queues come before the transmission. */
const ORDER = ["computing", "messages", ...AT_SENDER, "queues", "transmission", "reordering"];

const firstWord = (cause: string): string => cause.split(" ")[0] ?? "";

/** Whether a cause holds a message at its sender. */
export const isAtSender = (cause: string): boolean => AT_SENDER.includes(firstWord(cause));

/** The rank of a cause in the order of time; causes without a name in this list come last. */
export function rankOf(cause: string): number {
  const rank = ORDER.indexOf(firstWord(cause));
  return rank < 0 ? ORDER.length : rank;
}

/** The kind of a node by its name, as in `node_kind` of crates/records/src/names.rs: `host` of `leaf0.host13`. */
export function nodeKind(name: string): string {
  const words = name.split(".").reverse().flatMap((part) => part.replace(/[0-9]/g, "").split(/[-_]/).reverse());
  return words.find((word) => word !== "") ?? name;
}

/** The link that distinguishes parallel ones, behind the nodes at both ends of a port. */
const LINK = / \([^()]*\)$/;

/** The cause that a wait in a queue is part of, by the kinds of the nodes at both ends. */
const causeOf = ({ port }: WaitData): string => `queues ${port.replace(LINK, "").split(" → ").map(nodeKind).join(" → ")}`;

/** The causes that queues along some paths are parts of, in their order along the longest path. */
export function queueOrder(messages: MessageData[]): string[] {
  const paths = messages.map(({ waits }) => waits.filter(({ nic }) => !nic).map(causeOf));
  return [...new Set(paths.sort((one, other) => other.length - one.length).flat())];
}

/** A part of the time of a message. */
export interface PathPart {
  cause: string;
  time: number;
  /** The port of a queue. */
  port: string | null;
}

/** The queues of a message hop by hop, and its causes without these waits. */
function queuesOf({ waits }: MessageData, causes: Map<string, number>): PathPart[] {
  return waits.flatMap((wait) => {
    const cause = causeOf(wait);
    const left = causes.get(cause);
    if (wait.nic || wait.wait === 0 || left === undefined) {
      return [];
    }
    const time = Math.min(wait.wait, left);
    causes.set(cause, left - time);
    return [{ cause, time, port: wait.port }];
  });
}

/** Smallest share of the time of a message that is left by rounding. */
const ROUNDING = 1e-5;

/** The parts of a message in the order of its path. */
export function pathParts(run: ExplainedRun, message: MessageData): PathPart[] {
  const causes = new Map(message.causes.map(([cause, time]) => [run.causes[cause] ?? "", time]));
  const queues = queuesOf(message, causes);
  const rest = [...causes].filter(([, time]) => time > ROUNDING * message.time).map(([cause, time]) => ({ cause, time, port: null }));
  const sorted = (parts: PathPart[]): PathPart[] => parts.sort((one, other) => rankOf(one.cause) - rankOf(other.cause));
  const isBefore = ({ cause }: PathPart): boolean => rankOf(cause) < rankOf("queues");
  return [...sorted(rest.filter(isBefore)), ...queues, ...sorted(rest.filter((part) => !isBefore(part)))];
}
