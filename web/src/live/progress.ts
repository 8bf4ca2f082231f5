// Progress of a run: a bar, and numbers below it.

import { element } from "../dom.ts";
import { count, percent, significant, span } from "../units.ts";
import type { State } from "./data.ts";

const FACTORS: [number, string][] = [
  [1e9, " billion"],
  [1e6, " million"],
  [1e3, " thousand"],
];

/** A large number, shortened. */
function amount(number: number): string {
  const [worth, name] = FACTORS.find(([least]) => number >= least) ?? [1, ""];
  return `${significant(number / worth)}${name}`;
}

const steps = ({ steps, total_steps }: State): string =>
  total_steps > 0 ? `step ${count(steps)} of ${count(total_steps)}` : "";

/** A wall time in whole seconds; in minutes or hours if it is long. */
function wait(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 120) {
    return `${whole} s`;
  }
  const minutes = Math.round(whole / 60);
  return minutes < 120 ? `${minutes} minutes` : `${significant(minutes / 60)} hours`;
}

/** The progress bar. */
export class Progress {
  readonly box: HTMLElement;
  private readonly bar = element("progress", { max: "1", "aria-label": "Progress of the run" });
  private readonly words = element("p", { class: "instant" });

  constructor() {
    this.box = element("div", { class: "progress" }, this.bar, this.words);
  }

  /** Shows a state. */
  show(state: State): void {
    if (state.share === null) {
      this.bar.removeAttribute("value");
    } else {
      this.bar.value = state.share;
    }
    const parts = [
      state.share === null ? "" : percent(state.share),
      `${span(state.simulated / 1e12)} simulated`,
      steps(state),
      `${wait(state.elapsed)} elapsed`,
      state.ended !== null || state.left === null ? "" : `about ${wait(state.left)} left`,
      `${amount(state.hops)} packet-hops`,
      state.ended !== null ? "" : `${amount(state.rate)} packet-hops per second`,
    ];
    this.words.textContent = parts.filter((part) => part !== "").join(" · ");
  }
}
