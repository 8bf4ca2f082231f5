// A target chosen by the reader below a chart of completion times: a slider, and a sentence on each policy.

import { element } from "./dom.ts";
import { lineName } from "./palette.ts";
import type { Stroke } from "./palette.ts";
import { nearest, targetsBetween, verdict } from "./threshold.ts";
import type { Sample, Targets } from "./threshold.ts";
import { span } from "./units.ts";

/** A policy with its times, in the order of the values of the setting. */
export interface Policy extends Stroke {
  name: string;
  samples: Sample[];
}

/** The slider and the sentences. */
export class TargetFinder {
  readonly box: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly shown = element("span", { class: "instant" });
  private readonly sentences: { policy: Policy; text: HTMLElement }[];
  private readonly targets: Targets;
  private readonly moved: (time: number) => void;

  /** `label` names the slider; `moved` is called with each target that the reader chooses, in seconds. */
  constructor(id: string, label: string, policies: Policy[], moved: (time: number) => void) {
    const times = policies.flatMap(({ samples }) => samples.flatMap(({ time }) => time ?? []));
    this.targets = targetsBetween(Math.min(...times), Math.max(...times));
    this.moved = moved;
    const { times: all, start } = this.targets;
    this.slider = element("input", { type: "range", min: "0", max: String(all.length - 1), step: "1", id, "aria-label": label });
    this.slider.value = String(start);
    this.slider.addEventListener("input", () => {
      this.say();
      this.moved(this.time);
    });
    this.sentences = policies.map((policy) => ({ policy, text: element("span", {}) }));
    const items = this.sentences.map(({ policy, text }) => element("li", {}, lineName("", policy), text));
    const control = element("div", { class: "target" }, element("label", { for: id }, "Target"), this.slider, this.shown);
    this.box = element("div", {}, control, element("ul", { class: "verdicts", "aria-live": "polite" }, ...items));
    this.say();
  }

  /** The target, in seconds. */
  get time(): number {
    return this.targets.times[Number(this.slider.value)] ?? 0;
  }

  /** Whether the target is the one that is chosen at first. */
  get isFirst(): boolean {
    return Number(this.slider.value) === this.targets.start;
  }

  /** Chooses the target next to a time in seconds, or the first one without a time. */
  choose(time: number | null): void {
    const { times, start } = this.targets;
    this.slider.value = String(time === null ? start : nearest(times, time));
    this.say();
  }

  private say(): void {
    const text = span(this.time);
    this.shown.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.sentences.forEach(({ policy, text: sentence }) => {
      sentence.textContent = `${verdict(policy.name, policy.samples, this.time)}.`;
    });
  }
}
