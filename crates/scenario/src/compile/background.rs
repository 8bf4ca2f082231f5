//! Background traffic: looks up its hosts and their racks in the fabric, its sizes in the list of published ones.

use netloom_catalog::Built;
use netloom_catalog::placement::hosts_by_leaf;
use netloom_catalog::workload::background::{self, published};
use netloom_model::{Background, Fabric, FabricService, Sender, SizePoint};
use netloom_units::{HostId, NodeId};

use super::built_fabric::BuiltFabric;
use super::choices::optional_rate;
use super::{placement, rdma};
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolve::Draft;
use crate::resolved::{Background as Wanted, Parameters};

/// The traffic, or a report of the errors.
pub(super) fn background(
    draft: &Draft,
    seed: u64,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<Background> {
    let wanted = draft.background.as_ref()?;
    let rate = optional_rate(&wanted.common, "rate");
    if rate.is_some() {
        pace_is_possible(wanted, draft.transport.as_ref(), problems);
    }
    let fabric = &built_fabric.built.fabric;
    let senders = placement::hosts(&wanted.senders, seed, built_fabric, problems)?;
    let made = Background {
        kind: background::number_of(wanted.kind.spec.name).expect("read from the registry"),
        settings: wanted.kind.settings.clone(),
        senders: senders.into_iter().map(|host| sender(&built_fabric.built, host)).collect(),
        racks: racks(fabric),
        groups: groups(built_fabric),
        sizes: sizes(wanted),
        rate,
        handling: FabricService::default(),
    };
    if let Err(error) = background::arrivals(&made, seed) {
        let message = error.to_string();
        problems.report(location_in(wanted, &message), message).label("this cannot be sent");
        return None;
    }
    Some(made)
}

/// Where the parameter is written that a message names first.
fn location_in(wanted: &Wanted, message: &str) -> Location {
    if message.contains("`given`") {
        return wanted.given.location;
    }
    wanted.kind.location_in(message).unwrap_or(wanted.kind.location)
}

fn sender(built: &Built, host: HostId) -> Sender {
    Sender { host, capacity: rdma::capacity(built, NodeId(host.0)) }
}

/// The rack of each host: hosts attached to the same switches share one.
fn racks(fabric: &Fabric) -> Vec<u32> {
    let mut racks = vec![0; fabric.n_hosts()];
    for (number, rack) in (0..).zip(hosts_by_leaf(fabric)) {
        for host in rack {
            racks[host.index()] = number;
        }
    }
    racks
}

/// The group of each host, in a fabric of groups.
fn groups(built_fabric: &BuiltFabric) -> Vec<u32> {
    let routing = &built_fabric.built.routing;
    let hosts = (0..built_fabric.built.fabric.n_hosts() as u32).filter(|_| routing.n_groups() > 0);
    hosts.map(|host| routing.group_of_host(HostId(host))).collect()
}

fn sizes(wanted: &Wanted) -> Vec<SizePoint> {
    if !Wanted::draws_sizes(wanted.kind.spec) {
        return Vec::new();
    }
    let name = wanted.kind.settings.choice("sizes");
    published::points(name).unwrap_or_else(|| wanted.given.value.clone())
}

/// Reports a pace if the transport has none.
fn pace_is_possible(wanted: &Wanted, transport: Option<&Parameters>, problems: &mut Problems) {
    let Some(transport) = transport.filter(|transport| transport.spec.parameter("rate").is_none()) else {
        return;
    };
    let name = transport.spec.name;
    let report =
        problems.report(wanted.common.location_of("rate"), format!("transport `{name}` does not pace flows"));
    report.label("has no effect here").help("remove it, or choose `transport: open_loop`");
}
