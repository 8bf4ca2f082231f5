//! Staged flows: streams between pairs of ranks, each with a start and a stop.
//!
//! Invariants: one rank for each host that sends or receives; times on the machine are those of the scenario multiplied
//! by its scale.

use std::collections::BTreeSet;

use netloom_scenario::resolved::Flows;
use netloom_units::{HostId, Time};

use super::Draft;
use super::collective::MOST_OF_A_MESSAGE;
use crate::field::plan::{FieldPlan, Iterations, Role, Segment, Stream, Work};

/// Picoseconds in a nanosecond and nanoseconds in a second.
const PS_PER_NS: u64 = 1_000;
const NS_PER_S: u64 = 1_000_000_000;
/// Minimum message size: a message begins with its number.
const FEWEST_BYTES: u64 = 8;
/// Number of messages that the program keeps in flight per stream.
const IN_FLIGHT: u64 = 4;

impl Draft<'_> {
    /// Plan and hosts of the streams.
    pub(super) fn streams(&mut self) -> Option<(FieldPlan, Vec<HostId>)> {
        let written = self.resolved.flows.as_ref()?;
        let staged = self.compiled.model.workload.staged.as_ref()?;
        self.check_flows(written);
        let scale = u64::from(written.scale.unwrap_or(1));
        let hosts: BTreeSet<HostId> =
            staged.flows.iter().flat_map(|flow| [flow.source, flow.destination]).collect();
        let hosts: Vec<HostId> = hosts.into_iter().collect();
        let rank = |host: HostId| hosts.iter().position(|own| *own == host).unwrap_or(0) as u32;
        let ns = |time: Time| time.0.saturating_mul(scale).div_ceil(PS_PER_NS);
        let streams: Vec<Stream> = staged
            .flows
            .iter()
            .map(|flow| Stream {
                from: rank(flow.source),
                to: rank(flow.destination),
                start_ns: ns(flow.start),
                stop_ns: ns(flow.stop),
                bytes: staged.message.0,
            })
            .collect();
        self.check_deadline(written, &streams);
        if scale > 1 {
            self.note(format!(
                "Times on the machine are {scale} times those of the scenario, as `scale` states."
            ));
        }
        if written.settings.settings.count("posted") != IN_FLIGHT {
            self.note(format!(
                "Each stream keeps {IN_FLIGHT} messages in flight on the machine, independent of `posted`."
            ));
        }
        let segments = vec![Segment { is_congested: false, warm_up: 0, iterations: Iterations::Count(1) }];
        let plan = self.plan(vec![Role::Victim; hosts.len()], Work::Streams(streams), segments);
        Some((plan, hosts))
    }

    fn check_flows(&mut self, written: &Flows) {
        let message = written.settings.settings.size("message").0;
        if !(FEWEST_BYTES..=MOST_OF_A_MESSAGE).contains(&message) {
            let label = format!("expected from {FEWEST_BYTES} to {MOST_OF_A_MESSAGE} B");
            let location = written.settings.location_of("message");
            self.object(location, format!("a message of {message} B"), &label, "write `message: 1MiB`");
        }
        for flow in &written.list.value {
            if flow.settings.settings.optional("rate").is_some() {
                let text = format!("the stream `{}` has a rate of its own", flow.name.value);
                let help = "remove it, or limit the rate of its link";
                let label = "the program on the machine sends as fast as it can";
                self.object(flow.settings.location_of("rate"), text, label, help);
            }
        }
    }

    /// Streams must end before the deadline: otherwise the missing part would look like a silent sender.
    fn check_deadline(&mut self, written: &Flows, streams: &[Stream]) {
        let last = streams.iter().map(|stream| stream.stop_ns).max().unwrap_or(0);
        if last / NS_PER_S >= self.wanted.deadline_s {
            let text = format!(
                "the last stream stops {} s after the start, and the deadline is at {} s",
                last.div_ceil(NS_PER_S),
                self.wanted.deadline_s
            );
            self.object(
                written.list.location,
                text,
                "expected streams that end before the deadline",
                "use a longer `--deadline`",
            );
        }
    }
}
