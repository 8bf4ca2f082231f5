// The colours of what steps wait for: a colour for each kind of cause, shades for queues, and a texture for what is in
// control of a sender, which share a colour. No run or policy has one of these colours, so that a colour means a cause or a run, never both.
//
// The colours are defined in style.css, a set each for light, dark and paper; a test measures how different they look to
// all kinds of colour vision. Leaves out: parts of steps by rank, which are not causes.

import type { Area } from "./areas.ts";

const EDGES: Area["edges"] = [0, 1];

const area = (colour: string, texture: Area["texture"] = "plain"): Area => ({ colour: `var(--cause-${colour})`, texture, edges: EDGES });

/** Causes that are not queues, by the word that their names begin with. */
const KINDS: Record<string, Area> = {
  computing: area("computing"),
  messages: area("computing", "lines"),
  transmission: area("transmission"),
  turn: area("turn"),
  earlier: area("turn", "lines"),
  reordering: area("transmission", "dots"),
  timeouts: area("held"),
  acknowledgements: area("held", "lines"),
  pacing: area("held", "dots"),
  pause: area("held", "bars"),
};

/** A cause that has no colour yet. */
const UNKNOWN: Area = { colour: "var(--muted)", texture: "plain", edges: EDGES };

/** Number of shades of queues; further ones repeat them with dots. */
const SHADES = 3;

const isQueue = (cause: string): boolean => cause.startsWith("queues ");

const queue = (place: number): Area => area(`queue-${place % SHADES}`, place < SHADES ? "plain" : "dots");

const kind = (cause: string): Area => KINDS[cause.split(" ")[0] ?? ""] ?? UNKNOWN;

/** The areas of all causes of a page by name; the tiers of queues have their shades in the order of their names. */
export function areasOfCauses(causes: string[]): Map<string, Area> {
  const queues = [...new Set(causes.filter(isQueue))].sort();
  return new Map(causes.map((cause) => [cause, isQueue(cause) ? queue(queues.indexOf(cause)) : kind(cause)]));
}
