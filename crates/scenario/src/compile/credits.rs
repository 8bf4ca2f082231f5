//! Links with credits: their settings in the model, and whether a packet fits.

use netloom_model::{Credits, Fabric, Forwarding, InputOrder, RootMarking};
use netloom_policy::congestion::infiniband;
use netloom_units::{Bytes, Rate};

use super::rdma;
use crate::diagnostic::Problems;
use crate::quantity::{self, Dimension};
use crate::resolve::Draft;
use crate::resolved::{Balance, Congestion, Parameters, queue_pairs};

/// Credits, with the virtual lanes of the two classes, `n_steps` for each.
pub(super) fn credits(credits: Option<&Parameters>, control: u8, n_steps: u8) -> Option<Credits> {
    let settings = &credits?.settings;
    let lane = |name| u8::try_from(settings.count(name) * u64::from(n_steps)).unwrap_or(u8::MAX);
    let mut lanes = [lane("data_vl"); 8];
    lanes[usize::from(control & 7)] = lane("control_vl");
    Some(Credits {
        buffer: settings.size("buffer"),
        vls: lanes,
        n_steps,
        order: match settings.choice("order") {
            "fifo" => InputOrder::Fifo,
            _ => InputOrder::Voq,
        },
        speedup: settings.count("speedup") as u32,
        output_buffer: settings.size("output_buffer"),
        forwarding: match settings.choice("forwarding") {
            "cut_through" => Forwarding::CutThrough { header: settings.size("header") },
            _ => Forwarding::StoreAndForward,
        },
        latency: settings.duration("latency"),
        is_ideal: false,
    })
}

/// Marking at roots of congestion, if congestion control needs it.
pub(super) fn root_marking(congestion: &Congestion, credits: Option<&Parameters>) -> Option<RootMarking> {
    if congestion.kind.spec.name != infiniband::SPEC.name {
        return None;
    }
    let settings = &congestion.kind.settings;
    Some(RootMarking {
        threshold: infiniband::threshold(settings, credits?.settings.size("buffer"))?,
        chance: infiniband::chance(settings),
        smallest: settings.size("packet_size"),
        victims: settings.flag("mark_victims"),
    })
}

/// Scales link rates to their usable share.
pub(super) fn scale(draft: &Draft, fabric: &mut Fabric) {
    let credits = draft.queues.as_ref().and_then(|queues| queues.credits.as_ref());
    let share = credits.map_or(1.0, |credits| credits.settings.fraction("efficiency"));
    if share < 1.0 {
        fabric.change_rates(|Rate(rate)| Rate(((rate as f64 * share).round() as u64).max(1)));
    }
}

/// Congestion notifications (ARN) need links with credits, and switches send them for data only.
fn notices(balance: &Balance, has_credits: bool, problems: &mut Problems) {
    let others = [Some(&balance.host).filter(|host| **host != balance.switch), balance.control.as_ref()];
    let policies = others.into_iter().flatten().map(|policy| (policy, false));
    for (policy, is_of_switches) in policies.chain([(&balance.switch, true)]) {
        let name = "notify_above";
        let is_asked = policy.spec.parameter(name).is_some() && policy.settings.optional(name).is_some();
        if !is_asked || (is_of_switches && has_credits) {
            continue;
        }
        let (message, help) = if is_of_switches {
            ("congestion notifications (ARN) need links with credits", "write `queues: { credits: {} }`")
        } else {
            (
                "switches send congestion notifications (ARN) to each other only, and for data only",
                "write it for `switch`",
            )
        };
        let report = problems.report(policy.location_of(name), message);
        report.label("no switch would be notified").help(format!("{help}, or `{name}: none`"));
    }
}

/// Reports hosts, middleboxes and buffers that do not work with credits.
pub(super) fn check(draft: &Draft, problems: &mut Problems) {
    if let (Some(balance), Some(queues)) = (&draft.balance, &draft.queues) {
        notices(balance, queues.credits.is_some(), problems);
    }
    let (Some(queues), Some(transport)) = (&draft.queues, &draft.transport) else { return };
    let Some(credits) = &queues.credits else { return };
    if queue_pairs::rule(transport.spec).is_none() {
        let message = format!("hosts with transport `{}` do not wait for credits", transport.spec.name);
        let report = problems.report(credits.location, message);
        report.label("needs queue pairs");
        report.help("a transport with queue pairs: `ideal`, `nic_sr`, `go_back_n`, `irn`; or no `credits`");
    }
    if let Some(edge) = draft.balance.as_ref().and_then(|balance| balance.edge.as_ref()) {
        let message = format!("`{}` needs switches with queues at their egress ports", edge.spec.name);
        let report = problems.report(edge.location, message);
        report.label("switches have input buffers here").help("write `edge: none`, or no `credits`");
    }
    let control =
        transport.spec.parameter("control").map_or(Bytes(0), |_| transport.settings.size("control"));
    let largest = rdma::packet(transport).max(control);
    let smaller = if largest == control { "control" } else { "mtu" };
    for (name, may_be_none) in [("buffer", false), ("output_buffer", true)] {
        let found = credits.settings.size(name);
        if found.0 / Credits::BLOCK >= largest.0.div_ceil(Credits::BLOCK)
            || (may_be_none && found == Bytes(0))
        {
            continue;
        }
        let [found, packet] = [found, largest].map(|size| quantity::print(size.0, Dimension::Size));
        let report =
            problems.report(credits.location_of(name), format!("not every packet fits into this `{name}`"));
        report.label(format!("{found} in blocks of 64B, for packets of {packet}"));
        report.help(format!("a larger one, or a smaller `{smaller}`"));
    }
}
