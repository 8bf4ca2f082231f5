//! Host overheads for the messages of jobs.

use netloom_model::Hosts;
use netloom_units::Rate;

use super::choices::{optional_rate, optional_size};
use super::consistency::also;
use crate::diagnostic::Problems;
use crate::resolve::Draft;
use crate::resolved::{Parameters, queue_pairs, sections};

/// The settings of the section, if they are consistent with the transport.
pub(super) fn hosts(draft: &Draft, problems: &mut Problems) -> Hosts {
    let Some(found) = &draft.hosts else { return Hosts::default() };
    let rate = |name| -> Option<Rate> { optional_rate(found, name) };
    let hosts = Hosts {
        send_overhead: found.settings.duration("send_overhead"),
        receive_overhead: found.settings.duration("receive_overhead"),
        rendezvous: optional_size(found, "rendezvous"),
        handshake: found.settings.duration("handshake"),
        injection: rate("injection"),
        injection_to_many: rate("injection_to_many"),
        reduction: rate("reduction"),
        copy: rate("copy"),
        local: rate("local_rate"),
    };
    check(draft, hosts, problems);
    hosts
}

fn check(draft: &Draft, hosts: Hosts, problems: &mut Problems) {
    let (Some(found), Some(transport)) = (&draft.hosts, &draft.transport) else { return };
    if hosts.rendezvous.is_some() && transport.spec.name == sections::OPEN_LOOP.name {
        let message =
            format!("with transport `{}` no sender learns that a message is complete", transport.spec.name);
        let report = problems.report(found.location_of("rendezvous"), message);
        report.label("its sender would wait forever");
        report.help("write `rendezvous: none`, or another transport, such as `ideal`");
        also(transport, "the transport", report);
    }
    check_injection_to_many(found, hosts, problems);
    if hosts.injection.is_none() {
        return;
    }
    if queue_pairs::rule(transport.spec).is_none() {
        let message = format!("transport `{}` has no NIC that could limit injection", transport.spec.name);
        let report = problems.report(found.location_of("injection"), message);
        report.label("needs queue pairs");
        report.help(
            "a transport with queue pairs: `go_back_n`, `nic_sr`, `irn`, `ideal`; or slower links at hosts",
        );
        also(transport, "the transport", report);
    }
    if draft.classes.as_ref().is_some_and(|classes| !classes.list.is_empty()) {
        let report = problems.report(
            found.location_of("injection"),
            "an injection limit does not distinguish classes of data",
        );
        report
            .label("which class would it limit?")
            .help("write `injection: none`, or no `list` of `classes`");
    }
}

/// The limit for several queue pairs needs that for one, and must not exceed it.
fn check_injection_to_many(found: &Parameters, hosts: Hosts, problems: &mut Problems) {
    let Some(to_many) = hosts.injection_to_many else { return };
    let location = found.location_of("injection_to_many");
    match hosts.injection {
        None => {
            let report = problems.report(location, "`injection_to_many` without `injection`");
            report.label("limits several queue pairs, and one is not limited").help("write `injection` too");
        }
        Some(injection) if to_many > injection => {
            let report = problems.report(location, "`injection_to_many` is above `injection`");
            report
                .label("several queue pairs would be faster than one")
                .help("write at most the value of `injection`, or `none`");
        }
        Some(_) => {}
    }
}
