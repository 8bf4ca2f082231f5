//! # Idea
//! One switch with all hosts attached to it.
//!
//! # Source
//! Own definition: a Clos reduced to one leaf.
//!
//! # Parameters
//! Number of hosts, their parallel links, rate and delay of these.
//!
//! # Invariants
//! Links in order: for each host and NIC port the host link. Names: `host2`, `switch`; links `host2.nic0`.
//!
//! # When it misleads
//! There is nothing to balance, and every queue is in front of a receiver. Real switches with many ports are Clos
//! networks of several chips inside.

use netloom_model::{FabricBuilder, LeafSpine, Routing};
use netloom_units::{NodeId, Settings, Spec};

use super::parameter::{delay, host_rate, links, number, numbers, rate_of_hosts};
use super::{Built, MAXIMUM_HOSTS, MAXIMUM_LINKS, TopologyError, product, within};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "single_switch",
    summary: "all hosts below one switch",
    source: "modelling assumption",
    parameters: &[
        number("hosts", "number of hosts"),
        links("host_links", "parallel links (NIC ports) between a host and the switch"),
        host_rate("rate of each link"),
        delay("host_delay", "propagation delay of each link"),
    ],
};

/// Builds the fabric that the settings describe.
///
/// # Errors
/// When it is too large or inconsistent.
pub fn build(settings: &Settings) -> Result<Built, TopologyError> {
    let [hosts, parallel] = numbers(settings, ["hosts", "host_links"])?;
    within("hosts", "hosts", Some(hosts), MAXIMUM_HOSTS)?;
    within("links", "hosts x host_links", product(&[hosts, parallel]), MAXIMUM_LINKS)?;
    let (rate, delay) = (rate_of_hosts(settings)?, settings.duration("host_delay"));
    let (hosts, parallel) = (hosts as u32, parallel as u32);
    let mut builder = FabricBuilder::new(hosts, 1);
    for host in (0..hosts).flat_map(|host| std::iter::repeat_n(host, parallel as usize)) {
        builder.link(NodeId(host), NodeId(hosts), rate, delay);
    }
    let shape =
        LeafSpine { leaves: 1, spines: 0, hosts_per_leaf: hosts, host_links: parallel, fabric_links: 0 };
    let name = |host: u32| format!("host{host}");
    Ok(Built {
        fabric: builder.build(),
        routing: Routing::LeafSpine(shape),
        node_names: (0..hosts).map(name).chain(["switch".to_owned()]).collect(),
        link_names: (0..hosts)
            .flat_map(|host| (0..parallel).map(move |nic| format!("{}.nic{nic}", name(host))))
            .collect(),
    })
}
