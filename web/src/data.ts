// Data that the command puts into the page; the structs of the same names in crates/report/src/panels and, of slowdowns, in
// crates/records/src/statistics.
//
// Times in seconds, sizes in bytes, rates in bits per second, shares from 0 to 1.

import type { ExplainedRun } from "./explained_data.ts";
import type { FabricOfRun } from "./fabric/data.ts";
import type { TierPortsOfRun, TierTimesOfRun } from "./tier_data.ts";
import type { TimelineOfRun } from "./jobs/data.ts";
import type { Live } from "./live/data.ts";
import type { Maps, Nearness } from "./maps_data.ts";
import type { Answer } from "./answer_data.ts";
import type { StudyData, ThresholdData } from "./study_data.ts";

export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
}

export interface Cdf {
  values: number[];
  shares: number[];
  /** Whether it has every value. */
  whole: boolean;
}

export interface Run {
  name: string;
  scenario: string;
  status: "complete" | "stopped" | "deadline" | "stalled" | "deadlock" | "unreachable";
  details: string[];
  netloom: string;
  schema: number;
  digest: string;
  /** Both absent of a measured run. */
  seed: string | null;
  threads: number | null;
  wall_time: number;
  simulated: number;
  /** Who measured it, and names and values of facts on the machine; absent of a simulated run. */
  measured: { by: string; source: string; facts: [string, string][] } | null;
  /** The part over which background messages, mean throughput and utilization are taken. */
  span: { jobs: boolean; whole: boolean; parts: [number, number][]; length: number };
  /** Both absent if they were not counted. */
  packets: number | null;
  hops: number | null;
  command: string;
  assumptions: string[];
  engine: Record<string, unknown>;
  yaml: string | null;
  yaml_bytes: number;
}

export interface WholeRun {
  fct_mean: number | null;
  fct_p99: number | null;
  host_queue: number | null;
  switch_queue: number | null;
  /** Both absent of a measured run. */
  dropped: number | null;
  unfinished: number | null;
}

export interface SummaryRow {
  run: number;
  job: string | null;
  steps: number | null;
  mean: Estimate | null;
  p95: Estimate | null;
  p99: Estimate | null;
  time: number | null;
  whole: WholeRun | null;
}

export interface StepTimes {
  mean: Estimate;
  p95: Estimate;
  p99: Estimate;
  exact: boolean;
  cdf: Cdf;
}

export interface JobSteps {
  run: number;
  job: string;
  ranks: number;
  steps: number;
  time: number | null;
  times: StepTimes | null;
  course: { each: number; starts: number[]; times: number[] };
}

/** What the steps of a job waited for; times of causes are in the order of `causes`. */
export interface JobCauses {
  run: number;
  job: string;
  /** The largest sum over all steps first. */
  causes: string[];
  n_steps: number;
  mean: number[];
  /** Some of them if there are many, the longest always. */
  steps: { step: number; times: number[] }[];
  /** Where steps waited most, with the mean over all steps. */
  sites: [string, number][];
}

/** What messages of a run waited for; times are in seconds, in the order of `causes`. */
export interface CausesOfRun {
  /** Over which messages sums and means are taken: all that arrived, those of jobs, or some of these chosen at random. */
  over: "all" | "jobs" | "random";
  n_messages: number;
  /** The number of messages among which they were chosen; the slowest messages are the slowest of these. */
  of_messages: number;
  causes: string[];
  /** From the fastest messages to the slowest ones. */
  groups: { name: string; messages: number; times: number[] }[];
  total_ports: number;
  /** Those with the largest sums of waits. */
  ports: { port: string; waited: number; messages: number }[];
  slowest: { message: string; of: string; times: number[]; port: [string, number] | null }[];
}

export interface Fct {
  count: number;
  mean: number;
  p50: number;
  p95: number;
  p99: number;
  p999: number;
  maximum: number;
  exact: boolean;
  cdf: Cdf;
}

export interface FctGroup {
  unfinished: number;
  arrived: Fct | null;
}

export interface FctOfRun {
  jobs: FctGroup;
  background: FctGroup;
  /** What the messages of `background` are. */
  independent: string;
  others_unfinished: number;
  staged_unfinished: number;
}

export interface SizeBucket {
  largest_bytes: number;
  count: number;
  mean: number;
  p50: number;
  p95: number;
  p99: number;
  maximum: number;
  exact: boolean;
}

export interface Slowdowns {
  all: SizeBucket;
  buckets: SizeBucket[];
  floored: number;
}

export interface Peak {
  ports: number;
  longest: number;
  node: string;
  peer: string;
  packets: number | null;
  mean: number;
  p50: number;
  p95: number;
}

export interface QueuesOfRun {
  hosts: Peak | null;
  switches: Peak | null;
}

export interface Usage {
  links: number;
  mean: number;
  busiest: number;
}

export interface Tiers {
  leaves: [string, string][];
  spines: [string, string][];
  leaf_block: number;
  spine_block: number;
  up: (Usage | null)[][];
  down: (Usage | null)[][];
}

export interface LinkList {
  total: number;
  links: { link: string; from: string; to: string; usage: number }[];
}

export interface LinksOfRun {
  /** Whether this is of the whole run although a part was requested, because ports were not sampled over time. */
  unsampled: boolean;
  from_hosts: Usage | null;
  to_hosts: Usage | null;
  between: Usage | null;
  tiers: Tiers | null;
  list: LinkList | null;
}

export interface Drops {
  reason: string;
  packets: number;
  /** Absent of a measured run. */
  bytes: number | null;
  first: number;
  last: number;
  worst: string;
}

export interface FaultEvent {
  time: number;
  detected: number | null;
  target: "link" | "switch" | "nic" | "host";
  name: string;
  action: "down" | "up" | "flap" | "steady" | "degrade" | "restore" | "errors" | "clear";
  rate: number | null;
  loss: number | null;
  period: number | null;
}

export interface FaultsOfRun {
  total: number;
  changes: { time: number; link: string; up: boolean }[];
  total_events: number;
  events: FaultEvent[];
  drops: Drops[];
}

export interface Times {
  runs: number;
  mean: number;
  low: number;
  high: number;
}

export interface BySetting {
  settings: string[];
  groups: string[];
  bars: string[];
  times: (Times | null)[][];
}

export interface BandwidthPoint {
  bytes: number;
  count: number;
  time: number;
  /** Bytes per second, as the next one. */
  algbw: number;
  busbw: number;
}

export interface BandwidthLine {
  job: string;
  ranks: number;
  factor: number;
  points: BandwidthPoint[];
}

export interface GoodputOfRun {
  hosts: number;
  mean: number;
  slowest: number;
  slowest_host: string;
  fastest: number;
  line: number;
}

export interface RepairedMessage {
  flow: string;
  packets: number;
  needed: number;
  spurious: number;
  nacks: number;
  blocked: number;
  made: number;
  marked: number;
  cnps: number;
  notifications: number;
  timeouts: number;
  distance: number;
}

export interface RepairsOfRun {
  messages: number;
  packets: number;
  needed: number;
  spurious: number;
  nacks: number;
  edge: { forwarded: number; blocked: number; made: number } | null;
  marked: number;
  cnps: number;
  notifications: number;
  timeouts: number;
  single: number;
  reordered: number;
  distance: number;
  farthest: number;
  affected: number;
  worst: RepairedMessage[];
}

export interface RatedFlow {
  flow: string;
  packets: number;
  retransmitted: number;
  spurious: number;
  nacks: number;
  marked: number;
  notifications: number;
  mean_rate: number | null;
  mean_goodput: number;
  begin: number;
  shares: (number | null)[];
  rates: (number | null)[];
  goodputs: number[];
}

export interface RatesOfRun {
  total: number;
  recorded: number;
  interval: number;
  flows: RatedFlow[];
}

export interface StagedFlow {
  name: string;
  pair: string;
}

export interface Stage {
  start: number;
  measured_from: number;
  end: number;
  flows: number;
  throughputs: (number | null)[];
  sum: number;
  jain: number | null;
  variance: number;
}

export interface StagedLine {
  name: string;
  begin: number;
  interval: number;
  goodputs: number[];
}

export interface StagesOfRun {
  scale: string | null;
  total_flows: number;
  total_stages: number;
  flows: StagedFlow[];
  stages: Stage[];
  lines: StagedLine[];
}

export interface SignalledPort {
  from: string;
  to: string;
  packets: number;
  marked: number;
  pauses: number;
  paused: number;
  paused_share: number;
  lost: number;
  reasons: Record<string, number>;
}

export interface SignalsOfRun {
  total: number;
  paused: number;
  marked: number;
  pauses: number;
  lost: number;
  lost_without_port: number;
  reasons: Record<string, number>;
  ports: SignalledPort[];
}

export interface CongestedPort {
  /** Indices in the list of nodes, if the fabric is drawn. */
  from: number | null;
  to: number | null;
  name: string;
  role: "root" | "branch" | "leaf";
  occupied: number | null;
  sending: number;
  credit_stalled: number;
  waiting: number | null;
  peak: number | null;
  blocked_by: string | null;
}

export interface CongestedPair {
  /** Index of the sender in the list of nodes, if the fabric is drawn. */
  source: number | null;
  name: string;
  share: number;
}

export interface CongestionScene {
  start: number;
  end: number;
  total_ports: number;
  ports: CongestedPort[];
  total_victims: number;
  victims: CongestedPair[];
  total_contributors: number;
  contributors: CongestedPair[];
}

export interface CongestionOfRun {
  total_scenes: number;
  nodes: { name: string; tier: number }[];
  links: [number, number][];
  scenes: CongestionScene[];
}

export interface KindOfTraffic {
  name: string;
  class: number;
  may_reorder: boolean;
  messages: number;
  unfinished: number;
  times: { mean: number; p50: number; p99: number } | null;
  throughput: number;
}

export interface ClassOfData {
  class: number;
  sent: number;
  peak: number;
  marked: number;
  dropped: number;
  pauses: number;
  paused: number;
}

export interface TrafficOfRun {
  kinds: KindOfTraffic[];
  classes: ClassOfData[];
}

export interface ReorderingOfRun {
  messages: number;
  reordered: number;
  packets: number;
  late: number;
  late_retransmitted: number;
  late_share: number;
  extent: number;
  degree: number;
  buffered_packets: number;
  buffered_bytes: number;
  by_extent: number[];
}

export interface Listed<Row> {
  total: number;
  rows: Row[];
}

export interface Settings {
  between: Listed<{ path: string; values: (string | null)[] }>;
  changed: Listed<{ path: string; default: string | null; values: (string | null)[] }>;
  known: boolean[];
}

export interface InterferenceCell {
  scenario: string;
  /** Whether it was measured on a machine. */
  measured: boolean;
  nodes: number;
  victim: string;
  bytes: number;
  /** Absent in a baseline. */
  aggressor: string | null;
  /** Length and pause; absent if the aggressor never pauses. */
  bursts: [number, number] | null;
  mean_s: number;
  busbw_bps: number | null;
  /** Mean of the victim in isolation; absent in a baseline, or without one. */
  baseline_s: number | null;
  /** Absent in a baseline, or without one. */
  ratio: { value: number; half: number | null; seeds: number } | null;
}

export interface InterferencePoint extends InterferenceCell {
  run: string;
  /** Absent of a measured run. */
  seed: number | null;
  half_s: number | null;
  /** Number of steps in the statistics, and of warm-up steps before these. */
  steps: [number, number];
}

export interface Study {
  settings: string[];
  points: InterferencePoint[];
  cells: InterferenceCell[];
  /** The smallest ratio first. */
  courses: (CourseSteps & { point: number; warm_up: number; baseline: CourseSteps })[];
  /** Absent unless cells were both measured and simulated. */
  beside: Beside | null;
}

/** Measured cells with the same cells as simulated. */
export interface Beside {
  pairs: BesidePair[];
  scores: BesideScore[];
  only_measured: { reason: string; cells: number }[];
  only_simulated: number;
}

/** Indices in the cells of the study, and ratios of simulated to measured values. */
export interface BesidePair {
  measured: number;
  simulated: number;
  ratio: number | null;
  mean: number;
  baseline: number | null;
}

/** Scores of a simulated series. */
export interface BesideScore {
  scenario: string;
  measured: string;
  cells: number;
  ratio: Nearness | null;
  trivial: Nearness | null;
  order: number | null;
  times: number;
  time: Nearness | null;
}

/** Starts and times of steps, in seconds. */
export interface CourseSteps {
  starts: number[];
  times: number[];
}

/** A port that packets of a message passed; times in seconds. */
export interface PassedPort {
  from: string;
  to: string;
  port: number;
  packets: number;
  /** Mean, and the longest of one packet. */
  waited: number;
  longest: number;
}

export interface SlowMessage {
  flow: string;
  number: number;
  of: string;
  size: number;
  start: number;
  /** Null if it never arrived. */
  time: number | null;
  ideal: number | null;
  slowdown: number | null;
  /** Null without a queue pair. */
  repair: { timeouts: number; retransmitted: number } | null;
  /** Its path, if that was recorded. */
  hops: { total: number; ports: PassedPort[] }[];
}

export interface WorstOfRun {
  slowed: SlowMessage[];
  /** Number of messages that arrived and whose ideal FCT is known. */
  total_slowed: number;
  /** Messages with recorded paths that are not in `slowed`. */
  followed: SlowMessage[];
  /** Number of messages with recorded paths. */
  total_followed: number;
}

/** The fabric over time: bits per second, bytes, and the switch with the largest backlog. */
export interface OverTimeOfRun {
  interval: number;
  throughput: number[];
  mean: number;
  backlog: number[];
  worst: string | null;
}

export interface Report {
  runs: Run[];
  /** Sweeps of which points are missing, a sentence each. */
  remarks: string[];
  /** Absent if there are not several variants, or none can be compared. */
  answer: Answer | null;
  summary: SummaryRow[];
  steps: JobSteps[];
  /** For each job of each run that recorded causes. */
  why: JobCauses[];
  /** Runs that were run again to explain them. */
  explained: ExplainedRun[];
  fct: FctOfRun[];
  slowdown: (Slowdowns | null)[];
  queues: QueuesOfRun[];
  links: LinksOfRun[];
  tier_ports: TierPortsOfRun[];
  /** Null where ports were not sampled. */
  tier_times: (TierTimesOfRun | null)[];
  faults: FaultsOfRun[];
  /** Absent unless runs differ in more than their balancing policy. */
  by_setting: BySetting | null;
  /** For each run, absent if no job has collectives of several sizes. */
  bandwidth: (BandwidthLine[] | null)[];
  /** For each run, absent without queue pairs, as the next two are. */
  goodput: (GoodputOfRun | null)[];
  repairs: (RepairsOfRun | null)[];
  rates: (RatesOfRun | null)[];
  /** For each run, absent without staged flows. */
  stages: (StagesOfRun | null)[];
  signals: (SignalsOfRun | null)[];
  /** For each run, absent if no congestion tree was recorded. */
  congestion: (CongestionOfRun | null)[];
  /** For each run, absent if no kind of traffic is named. */
  traffic: (TrafficOfRun | null)[];
  /** For each run, absent if the order of packets was not recorded. */
  reordering: (ReorderingOfRun | null)[];
  /** Absent unless some run measures a victim. */
  interference: Study | null;
  fabric: FabricOfRun[];
  worst: WorstOfRun[];
  /** For each run, absent if causes were not recorded. */
  causes: (CausesOfRun | null)[];
  /** For each run, absent if no step was recorded for each rank. */
  timeline: (TimelineOfRun | null)[];
  /** For each run, absent if ports were not sampled. */
  over_time: (OverTimeOfRun | null)[];
  settings: Settings;
  /** Present if these are the runs of a sweep that searched thresholds. */
  thresholds?: ThresholdData;
}

/** The content of a page: runs, a paper's figures, a sweep, or a run in progress. */
export type Page = Report | { maps: Maps } | { study: StudyData } | { live: Live };

/** The data in this page; null in the empty template. */
export function embedded(): Page | null {
  const holder = document.getElementById("netloom-data");
  return JSON.parse(holder?.textContent ?? "null") as Page | null;
}
