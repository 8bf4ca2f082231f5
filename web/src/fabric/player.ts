// Moving in time: a slider whose first position is the whole run, and a button that plays.

import { element } from "../dom.ts";
import { span, spans } from "../units.ts";

/** Time from one position to the next while playing, in milliseconds. */
const PACE = 120;
/** Largest number of positions of the slider after the first. */
const MOST = 1000;

/** The intervals through which a slider moves. */
export interface Course {
  /** Length of a position, in seconds. */
  length: number;
  /** Number of positions without the whole run. */
  count: number;
}

/** The positions for runs with intervals of these lengths, which end at these times. */
export function courseOf(lengths: number[], ends: number[]): Course {
  const last = Math.max(0, ...ends);
  const finest = Math.min(...lengths);
  if (!Number.isFinite(finest) || last <= 0) {
    return { length: 1, count: 0 };
  }
  const length = Math.max(finest, last / MOST);
  return { length, count: Math.max(1, Math.ceil(last / length - 1e-9)) };
}

/** The position of a time, in seconds. */
export const placeAt = ({ length, count }: Course, time: number): number => Math.min(count, Math.floor(time / length) + 1);

/** The slider and its button. */
export class Player {
  readonly box: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly button: HTMLButtonElement;
  private readonly words = element("output", { class: "instant" });
  private readonly course: Course;
  private readonly moved: (place: number) => void;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(course: Course, place: number, moved: (place: number) => void) {
    this.course = course;
    this.moved = moved;
    this.button = element("button", { type: "button", class: "play" }, "▶ Play");
    this.slider = element("input", { type: "range", min: "0", max: String(course.count), step: "1", id: "instant" });
    this.slider.value = String(Math.min(place, course.count));
    this.slider.addEventListener("input", () => this.tell());
    this.button.addEventListener("click", () => this.toggle());
    const label = element("label", { for: "instant" }, "Time");
    this.box = element("div", { class: "player" }, this.button, label, this.slider, this.words);
    this.say();
  }

  /** 0 is the whole run; intervals are from 1 on. */
  get place(): number {
    return Number(this.slider.value);
  }

  /** Start and end of the interval shown, in seconds; null for the whole run. */
  get when(): [number, number] | null {
    return this.place === 0 ? null : [(this.place - 1) * this.course.length, this.place * this.course.length];
  }

  /** Moves by some positions; stops at the ends. */
  move(by: number): void {
    this.slider.value = String(this.place + by);
    this.tell();
  }

  /** Plays, or stops. */
  toggle(): void {
    const playing = this.timer !== undefined;
    this.stop();
    if (!playing) {
      if (this.place >= this.course.count) {
        this.slider.value = "0";
      }
      this.button.textContent = "■ Stop";
      this.timer = setInterval(() => this.step(), PACE);
    }
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.button.textContent = "▶ Play";
  }

  private step(): void {
    // Stops if the view is hidden.
    if (this.place >= this.course.count || this.box.offsetParent === null) {
      this.stop();
    } else {
      this.move(1);
    }
  }

  private tell(): void {
    this.say();
    this.moved(this.place);
  }

  private say(): void {
    const { when } = this;
    const text = when === null ? "the whole run" : spans(...when);
    this.words.textContent = text;
    this.slider.setAttribute("aria-valuetext", when === null ? text : `at ${span(when[0])}`);
  }
}
