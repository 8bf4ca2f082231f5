// Steps and messages that were explained by running the scenario again; the structs of the same names in
// crates/report/src/panels/chains.rs. Times in seconds.

/** A pair of hosts whose packets were ahead; null for packets of the message that waited. */
export interface SharerData {
  pair: string | null;
  /** What traffic it is, unless that of the message that waited. */
  traffic: string | null;
  share: number;
}

/** A wait of a message at a port. */
export interface WaitData {
  port: string;
  /** Whether it is the NIC of the sender. */
  nic: boolean;
  wait: number;
  /** How long the port was sending in that time; null if those ahead were not recorded. */
  sending: number | null;
  ahead: SharerData[];
  more: number;
}

/** An explained message. */
export interface MessageData {
  /** Number in the chain, or rank among the slowest, from 1. */
  number: number;
  message: string;
  phase: number;
  bucket: number;
  size: number;
  /** From the begin of the step, or of the run for one of the slowest. */
  start: number;
  /** Time before it in which ranks computed or were busy. */
  before: number;
  time: number;
  /** Index in the causes of the run, and time. */
  causes: [number, number][];
  waits: WaitData[];
  timeouts: number;
  retransmitted: number;
}

/** A step and its chain of messages. */
export interface ChainData {
  job: string;
  step: number;
  start: number;
  time: number;
  slower: number;
  n_steps: number;
  median: number;
  causes: [string, number][];
  n_messages: number;
  messages: MessageData[];
  /** Ports that would shorten the step if they were twice as fast, and by how much. */
  faster: [string, number][];
}

/** What was explained of a run. */
export interface ExplainedRun {
  run: number;
  causes: string[];
  steps: ChainData[];
  slowest: MessageData[];
  /** These are the slowest of those that had arrived by then; null if of the whole run. */
  until: number | null;
}
