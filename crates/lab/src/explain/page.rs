//! What the page shows of explained steps and messages.

use netloom_report::panel_data::{
    ChainData, ExplainedRun as PageRun, MOST_MESSAGES, MessageData, SharerData, WaitData,
};
use netloom_report::six_digits;

use super::{Cause, ChainMessage, ExplainedRun, Explanation, PortWait, Sharer};

/// The data of a run by its index in the report.
pub(crate) fn page_data(run: usize, found: &ExplainedRun) -> PageRun {
    let mut names = CauseNames::default();
    let steps = found.steps.iter().map(|step| chain(step, &mut names)).collect();
    let slowest = messages(&found.slowest.messages, &found.slowest.waits, 0.0, &mut names).collect();
    let until = found.until.map(|until| six_digits(until.as_seconds()));
    PageRun { run, causes: names.0, steps, slowest, until }
}

/// The names of causes in the order in which they were met.
#[derive(Default)]
struct CauseNames(Vec<String>);

impl CauseNames {
    fn index(&mut self, name: &str) -> usize {
        self.0.iter().position(|known| known == name).unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        })
    }
}

fn chain(step: &Explanation, names: &mut CauseNames) -> ChainData {
    let mut shown: Vec<MessageData> = messages(&step.messages, &step.waits, step.start_s, names).collect();
    shown.sort_by(|one, other| (other.time + other.before).total_cmp(&(one.time + one.before)));
    shown.truncate(MOST_MESSAGES);
    shown.sort_by_key(|message| message.number);
    ChainData {
        job: step.job.clone(),
        step: step.step,
        start: six_digits(step.start_s),
        time: six_digits(step.time_s),
        slower: step.slower,
        n_steps: step.steps,
        median: six_digits(step.median_s),
        causes: step.causes.iter().map(|cause| (cause.name.clone(), six_digits(cause.time_s))).collect(),
        n_messages: step.messages.len(),
        messages: shown,
        faster: step.faster.iter().map(|port| (arrow(&port.port), six_digits(port.saved_s))).collect(),
    }
}

/// All messages of a list, with their waits; their starts are counted from an instant.
fn messages<'a>(
    messages: &'a [ChainMessage],
    waits: &'a [PortWait],
    begin_s: f64,
    names: &'a mut CauseNames,
) -> impl Iterator<Item = MessageData> + use<'a> {
    messages.iter().enumerate().map(move |(index, message)| {
        let of_it: Vec<&PortWait> = waits.iter().filter(|wait| wait.message == index).collect();
        let cause = |cause: &Cause| (names.index(&cause.name), six_digits(cause.time_s));
        MessageData {
            number: index + 1,
            message: format!("{} → {} #{}", message.from, message.to, message.number),
            phase: message.phase,
            bucket: message.bucket,
            size: message.bytes,
            start: six_digits(message.start_s - begin_s),
            before: six_digits(message.before_s),
            time: six_digits(message.time_s),
            causes: message.causes.iter().map(cause).collect(),
            waits: path(message, &of_it),
            timeouts: message.timeouts,
            retransmitted: message.retransmitted,
        }
    })
}

/// The waits of a message along its path; at the NIC of its sender only if others were ahead there.
fn path(message: &ChainMessage, waits: &[&PortWait]) -> Vec<WaitData> {
    let nic_time = message.turn_s + message.earlier_s;
    let nic = || {
        let recorded = waits.iter().find(|wait| wait.at_nic);
        let port = recorded.map_or_else(|| message.from.clone(), |wait| wait.port.clone());
        wait_data(&port, nic_time, true, recorded.copied())
    };
    let hop = |(number, hop): (usize, &super::HopWait)| {
        let recorded = waits.iter().find(|wait| wait.hop == Some(number));
        wait_data(&hop.port, hop.wait_s, false, recorded.copied())
    };
    let nic = (nic_time > 0.0).then(nic);
    nic.into_iter().chain(message.hops.iter().enumerate().map(hop)).collect()
}

fn wait_data(port: &str, wait_s: f64, nic: bool, recorded: Option<&PortWait>) -> WaitData {
    let sharer = |sharer: &Sharer| SharerData {
        pair: (!sharer.own).then(|| format!("{} → {}", sharer.from, sharer.to)),
        traffic: sharer.traffic.clone(),
        share: six_digits(sharer.share),
    };
    WaitData {
        port: arrow(port),
        nic,
        wait: six_digits(wait_s),
        sending: recorded.map(|wait| six_digits(wait.sending_s)),
        ahead: recorded.map(|wait| wait.ahead.iter().map(sharer).collect()).unwrap_or_default(),
        more: recorded.map_or(0, |wait| wait.more),
    }
}

/// A port as pages write it.
fn arrow(port: &str) -> String {
    port.replace(" -> ", " → ")
}
