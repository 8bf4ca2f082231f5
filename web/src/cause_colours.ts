// The colours of what steps wait for: a colour for each kind of cause, shades for queues, which further tiers repeat with a texture, and a texture for what is in
// control of a sender, which share a colour. No run or policy has one of these colours, so that a colour means a cause or a run, never both.
//
// The colours are defined in style.css, a set each for light, dark and paper; a test measures how different they look to
// all kinds of colour vision. Leaves out: parts of steps by rank, which are not causes.

import type { Area } from "./areas.ts";
import type { Report } from "./data.ts";

const EDGES: Area["edges"] = [0, 1];

const area = (colour: string, texture: Area["texture"] = "plain"): Area => ({ colour: `var(--cause-${colour})`, texture, edges: EDGES });

/** Causes that are not queues, by the word that their names begin with. */
const KINDS: Record<string, Area> = {
  computing: area("computing"),
  messages: area("computing", "lines"),
  transmission: area("transmission"),
  turn: area("turn"),
  earlier: area("turn", "lines"),
  reordering: { ...area("transmission", "dots"), over: "var(--over-transmission)" },
  timeouts: area("held"),
  acknowledgements: area("held", "lines"),
  pacing: area("held", "dots"),
  pause: area("held", "bars"),
};

/** A cause that has no colour yet. */
const UNKNOWN: Area = { colour: "var(--muted)", texture: "plain", edges: EDGES };

/** Queues that are no pair of kinds of nodes: those of all tiers together, and those that are not among the longest of a message. */
const QUEUES: Record<string, Area> = {
  "queues behind the sender": area("queue-0", "lines"),
  "queues elsewhere": area("queue-1", "lines"),
};

/** Number of shades of queues between kinds of nodes; further ones repeat them with other textures. */
const SHADES = 3;
const TEXTURES = ["plain", "dots", "bars"] as const;

const isTier = (cause: string): boolean => cause.startsWith("queues ") && !(cause in QUEUES);

const queue = (index: number): Area => area(`queue-${index % SHADES}`, TEXTURES[Math.floor(index / SHADES) % TEXTURES.length]);

const kind = (cause: string): Area => QUEUES[cause] ?? KINDS[cause.split(" ")[0] ?? ""] ?? UNKNOWN;

/** The areas of some causes by name; the tiers of queues have their shades in the order of their names. */
function areasOfCauses(causes: string[]): Map<string, Area> {
  const queues = [...new Set(causes.filter(isTier))].sort();
  return new Map(causes.map((cause) => [cause, isTier(cause) ? queue(queues.indexOf(cause)) : kind(cause)]));
}

/** The areas of all causes of a page by name, so that a cause looks the same in all of its panels. */
export function areasOf({ answer, explained, causes, why }: Report): Map<string, Area> {
  const compared = answer?.verdicts.flatMap((verdict) => verdict.compared) ?? [];
  const reasons = compared.flatMap(({ reason }) => (reason === null ? [] : [...reason.own.causes, ...reason.baseline.causes]));
  const ofSteps = explained.flatMap(({ steps }) => steps.flatMap((step) => step.causes));
  const ofMessages = [...explained, ...causes, ...why].flatMap((found) => found?.causes ?? []);
  return areasOfCauses([...reasons.map(([name]) => name), ...ofSteps.map(([name]) => name), ...ofMessages]);
}
