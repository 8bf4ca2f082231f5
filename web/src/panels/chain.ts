// Why a step took as long as it did: the chain of messages that it waited for, in each run that was run again, and of
// each message what it waited for and who was ahead.

import { areaName } from "../areas.ts";
import type { Area } from "../areas.ts";
import { areasOf } from "../cause_colours.ts";
import { chooser } from "../chooser.ts";
import { chainsOf, isCut } from "../chains.ts";
import type { ChainRow } from "../chains.ts";
import type { Report } from "../data.ts";
import { element, note } from "../dom.ts";
import type { ChainData, ExplainedRun, MessageData } from "../explained_data.ts";
import { arrivalsOf } from "../jobs/arrivals.ts";
import { arrivalsTable, rankBand } from "../jobs/rank_band.ts";
import { ranksAddress, recordedStep, spansIn } from "../jobs/recorded.ts";
import { onLetters } from "../keys.ts";
import { HOPS } from "../message_hops.ts";
import { MESSAGE_NUMBER, messageName } from "../message_names.ts";
import { messageId, messageList, mostOf } from "../messages.ts";
import { legendOf, runName } from "../palette.ts";
import { queueOrder, rankOf } from "../path_order.ts";
import { keep, onArrival, route, wholeNumber } from "../route.ts";
import { SHARERS } from "../sharers.ts";
import { asTable } from "../tables.ts";
import { count, percent, some, span } from "../units.ts";
import { unpacked } from "../unpacked.ts";
import { figure } from "./panel.ts";
import type { Panel } from "./panel.ts";

/** Which steps can be chosen. */
const KINDS = ["longest step", "typical step"] as const;

/** Share of a step from which on it is worth a sentence that a port could be faster. */
const LEAST_SAVED = 0.01;

/** The chain of a kind of step: those of a job are its longest one, then a typical one if that is another one. */
const chainOf = (chains: ChainData[], kind: number): ChainData | undefined => (kind === 0 ? chains[0] : chains.at(-1));

/** The jobs that were explained. */
const jobsOf = (explained: ExplainedRun[]): string[] => [...new Set(explained.flatMap(({ steps }) => steps.map(({ job }) => job)))];

const stepName = ({ step, slower, n_steps }: ChainData): string =>
  slower === 0 ? `step ${count(step)}, the longest of ${count(n_steps)}` : `step ${count(step)}, ${count(slower)} of ${count(n_steps)} took longer`;

/** What a chain shows, as sentences. */
function finding(name: string, run: ExplainedRun, chain: ChainData): string[] {
  const { time, n_messages, messages, causes, faster } = chain;
  const largest = causes.slice(0, 3).map(([cause, part]) => `${cause} ${percent(part / time)}`);
  const slowest = messages.reduce<MessageData | null>((most, one) => (one.time > (most?.time ?? 0) ? one : most), null);
  const [port, saved] = faster[0] ?? ["", 0];
  return [
    `${name}, ${stepName(chain)}: ${span(time)} for a chain of ${some(n_messages, "message")}; ${largest.join(", ")}.`,
    ...(slowest === null ? [] : [`Its slowest message, ${messageName(slowest.message)}, took ${span(slowest.time)}: ${mostOf(run, slowest)}.`]),
    ...(saved >= LEAST_SAVED * time ? [`With ${port} twice as fast, the chain would be ${span(saved)} (${percent(saved / time)}) shorter, as far as it stayed the same.`] : []),
  ];
}

const NOT_SHOWN: Area = { colour: "var(--line)", texture: "plain", edges: [0, 1] };

/** The causes of some chains with their areas, in the order of the path of a message. */
function occurring(areas: Map<string, Area>, rows: ChainRow[]): [string, Area][] {
  const order = queueOrder(rows.flatMap(({ chain }) => chain.messages));
  const occurs = [...areas].filter(([cause]) => rows.some(({ chain }) => chain.causes.some(([known]) => known === cause)));
  return occurs.sort(([one], [other]) => rankOf(one) - rankOf(other) || order.indexOf(one) - order.indexOf(other));
}

function causesTable(rows: ChainRow[], report: Report): HTMLElement {
  const names = [...new Set(rows.flatMap(({ chain }) => chain.causes.map(([name]) => name)))];
  const columns = [{ title: "run" }, { title: "step", number: true }, { title: "time", number: true }, ...names.map((title) => ({ title, number: true }))];
  const cells = rows.map(({ run, chain }) => {
    const part = (name: string): string => span(chain.causes.find(([cause]) => cause === name)?.[1] ?? 0);
    return [report.runs[run.run]?.name ?? "", count(chain.step), span(chain.time), ...names.map(part)];
  });
  return asTable("Causes of these steps", columns, cells);
}

function fasterTable({ faster, time }: ChainData, name: string): HTMLElement[] {
  const rows = faster.slice(0, 8).map(([port, saved]) => [port, span(saved), percent(saved / time)]);
  const columns = [{ title: "port" }, { title: "saved", number: true }, { title: "share of the step", number: true }];
  return rows.length === 0 ? [] : [asTable(`${name}: ports that would shorten the chain if they were twice as fast`, columns, rows)];
}

/** The row of ranks below a chain, empty until their spans are unpacked, with a link to them; null if they are not in the page. */
function ranksBelow(report: Report, { run }: ExplainedRun, { job, step, time }: ChainData, whole: number): ChainRow["below"] {
  const recorded = recordedStep(report, run, job, step);
  if (recorded === null) {
    return null;
  }
  const title = `Ranks in step ${count(step)} of ${report.runs[run]?.name ?? ""}`;
  const content = element("div", { class: "rank-band" });
  void spansIn(report, run, recorded).then((spans) => content.replaceWith(rankBand(title, arrivalsOf(spans), time, whole)));
  const link = element("a", { href: ranksAddress(run, recorded), title: `${title}, in view Jobs`, "aria-label": `${title}, in view Jobs` }, "ranks");
  return { name: element("small", {}, link), content };
}

/** When ranks reached the barriers of these steps, as a table with a note on the row of ranks; nothing if none is in the page. */
function ranksTable(report: Report, rows: ChainRow[]): HTMLElement[] {
  const steps = rows.flatMap(({ run: { run }, chain }) => {
    const recorded = recordedStep(report, run, chain.job, chain.step);
    return recorded === null ? [] : [{ run, recorded }];
  });
  const arrived = steps.map(async ({ run, recorded }) => ({
    run: report.runs[run]?.name ?? "",
    step: recorded.step,
    arrivals: arrivalsOf(await spansIn(report, run, recorded)),
  }));
  return steps.length === 0 ? [] : [unpacked(Promise.all(arrived), arrivalsTable), note(RANKS)];
}

const RANKS =
  "Below a chain, row “ranks” has a tick for each rank at the time at which it reached a barrier, or the end of the step if ranks end at " +
  "different times; the last one, for which the others waited, is longer, and named where there is room unless others arrive with it. The link shows these ranks in view Jobs.";

/** The panel's content, made anew for each choice. */
class Chains {
  readonly box = element("div");
  private readonly report: Report;
  private readonly areas: Map<string, Area>;
  private kind = 0;
  private job = 0;
  /** Index of the run whose messages are listed. */
  private run: number;

  constructor(report: Report) {
    this.report = report;
    this.areas = areasOf(report);
    const baseline = report.answer?.variants[report.answer.baseline]?.runs[0];
    this.run = baseline ?? report.explained[0]?.run ?? 0;
    const now = route();
    this.set(now.place === "chain" ? now.words : new URLSearchParams());
    onArrival("chain", (words) => this.set(words));
    onLetters(this.box, { w: () => this.show(0), m: () => this.show(1) });
  }

  private set(words: URLSearchParams): void {
    this.kind = Math.min(wholeNumber(words.get("kind")), KINDS.length - 1);
    this.job = Math.min(wholeNumber(words.get("job")), jobsOf(this.report.explained).length - 1);
    this.run = words.has("run") ? wholeNumber(words.get("run")) : this.run;
    this.draw();
  }

  private change(): void {
    keep("chain", { run: String(this.run), kind: String(this.kind), job: String(this.job) });
    const name = document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("name") : null;
    this.draw();
    // The controls are made anew, too.
    if (name !== null) {
      this.box.querySelector<HTMLElement>(`select[name="${name}"], input[name="${name}"]:checked`)?.focus();
    }
  }

  private rows(): ChainRow[] {
    const job = jobsOf(this.report.explained)[this.job];
    const chains = this.report.explained.map(({ steps }) => chainOf(steps.filter((step) => step.job === job), this.kind));
    const whole = Math.max(...chains.map((chain) => chain?.time ?? 0));
    return this.report.explained.flatMap((run, nth) => {
      const chain = chains[nth];
      const name = element("span", {}, runName(this.report.runs, run.run), element("small", {}, chain === undefined ? "" : ` step ${count(chain.step)}`));
      return chain === undefined ? [] : [{ name, run, chain, below: ranksBelow(this.report, run, chain, whole) }];
    });
  }

  private draw(): void {
    const rows = this.rows();
    const shown = rows.find(({ run }) => run.run === this.run) ?? rows[0];
    if (shown === undefined) {
      this.box.replaceChildren();
      return;
    }
    this.run = shown.run.run;
    const name = this.report.runs[this.run]?.name ?? "";
    const occurs = occurring(this.areas, rows);
    const [first = "", ...others] = finding(name, shown.run, shown.chain);
    const { n_messages, messages } = shown.chain;
    const cut = isCut(shown) ? [note(`${count(messages.length)} of ${some(n_messages, "message")} are shown, those with the longest times; the others are grey in the drawing.`)] : [];
    this.box.replaceChildren(
      this.controls(rows),
      element("p", { class: "finding", tabindex: "-1" }, first),
      ...others.map((text) => element("p", { class: "further" }, text)),
      legendOf(occurs.map(([cause, area]) => areaName(cause, area)).concat(rows.some(isCut) ? [areaName("messages that are not shown", NOT_SHOWN)] : [])),
      figure(`The ${KINDS[this.kind] ?? ""} of each run as the chain of messages that it waited for`, chainsOf(rows, this.areas, (row, message) => this.open(rows[row]?.run.run ?? 0, message))),
      causesTable(rows, this.report),
      ...ranksTable(this.report, rows),
      element("h3", {}, `Messages of the chain in ${name}, the slowest first`),
      ...cut,
      messageList(shown.run, this.areas, messages, "chain-message"),
      ...fasterTable(shown.chain, name),
    );
  }

  /** Shows a kind of step, and what it waited for. */
  private show(kind: number): void {
    this.kind = kind;
    this.change();
    this.box.closest("section")?.scrollIntoView();
    this.box.querySelector<HTMLElement>(".finding")?.focus({ preventScroll: true });
  }

  /** Shows a message of a run. */
  private open(run: number, message: MessageData): void {
    if (run !== this.run) {
      this.run = run;
      this.change();
    }
    const item = this.box.querySelector<HTMLDetailsElement>(`#${messageId("chain-message", message)}`);
    for (let box = item?.closest("details"); box !== null && box !== undefined; box = box.parentElement?.closest("details") ?? null) {
      box.open = true;
    }
    item?.querySelector("summary")?.focus();
    item?.scrollIntoView({ block: "center" });
  }

  private controls(rows: ChainRow[]): HTMLElement {
    const kinds = KINDS.map((title, kind) => {
      const button = element("input", { type: "radio", name: "chain-kind", value: String(kind) });
      button.checked = kind === this.kind;
      button.addEventListener("change", () => {
        this.kind = kind;
        this.change();
      });
      return element("label", {}, button, title);
    });
    const choices: HTMLElement[] = [element("fieldset", {}, element("legend", {}, "Show"), ...kinds)];
    const runs = rows.map(({ run }) => ({ value: run.run, name: this.report.runs[run.run]?.name ?? "" }));
    if (runs.length > 1) {
      choices.push(chooser("Run", runs, this.run, (run) => {
          this.run = run;
          this.change();
        }, "chain-run"));
    }
    const jobs = jobsOf(this.report.explained).map((name, value) => ({ value, name }));
    if (jobs.length > 1) {
      choices.push(chooser("Job", jobs, this.job, (job) => {
          this.job = job;
          this.change();
        }, "chain-job"));
    }
    return element("div", { class: "choices" }, ...choices);
  }
}

function content(report: Report): HTMLElement[] {
  if (report.explained.every(({ steps }) => steps.length === 0)) {
    return [];
  }
  return [
    new Chains(report).box,
    note(
      "Found by running the scenario again. Each message of the chain started when the one before had arrived; computing lies between them. " +
        "The parts of a message are in the order of its path: at its sender, then queues hop by hop, transmission, recovery. " +
        "Waits in queues are those of a message's last packet; its turn at the NIC is the time in which packets of other messages of that host were on the wire. " +
        MESSAGE_NUMBER,
    ),
    note(`${HOPS} Whose packets left while it waited is known of the longest waits. ${SHARERS}`),
  ];
}

/** The panel. */
export const CHAIN: Panel = { id: "chain", title: "Why a step took that long, message by message", needs: "messages", content };
