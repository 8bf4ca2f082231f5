//! The flows that move when a next hop fails: with resilient hashing exactly its own, with modulo all but one in n.
//!
//! A message of one packet for each pair of hosts, before, during and after the outage of one of the sender's uplinks;
//! the flow hash is that of the pair, so that all three are one flow.

use std::collections::BTreeMap;

use netloom_model::{FailureAwareness, Fault, FaultAction, FlowHashInput, ReroutePaths};
use netloom_testkit::fixture::{Clos, ListedWork, Sending, model, policy, simulate};
use netloom_units::{HostId, LinkId, NodeId, PortId, Time, Value};

const PER_LEAF: u32 = 24;
const PERIOD: u64 = 2_000_000_000;

/// The uplink of each flow, before, during and after the outage.
fn uplinks(
    n: u32,
    rehash: &'static str,
    knowledge: FailureAwareness,
) -> (BTreeMap<(HostId, HostId), Vec<PortId>>, PortId) {
    let clos = Clos::new(2, n, PER_LEAF);
    let mut model = model(clos.wiring());
    let buckets = ("buckets", Value::Count(1024));
    model.balances.switch = policy("ecmp", &[("rehash", Value::Choice(rehash)), buckets]);
    model.transport.flow_hash_input = FlowHashInput::Pair;
    model.awareness = knowledge;
    let leaf = NodeId(2 * PER_LEAF);
    let dead = PortId(model.fabric.port_range(leaf).start + PER_LEAF + n / 2);
    let link = model.fabric.port(dead).link;
    let fault = |at, action| Fault { at: Time(at), link, action };
    model.faults = vec![fault(PERIOD, FaultAction::Down), fault(2 * PERIOD, FaultAction::Up)];
    let uplinks = model.fabric.ports_of(leaf)[PER_LEAF as usize..].iter().map(|port| port.link);
    model.recording.packets_on = uplinks.collect::<Vec<LinkId>>();
    let rounds = [0, PERIOD + 10_000_000, 2 * PERIOD + 10_000_000];
    let pairs = (0..PER_LEAF).flat_map(|from| (PER_LEAF..2 * PER_LEAF).map(move |to| (from, to)));
    let sendings: Vec<Sending> = rounds
        .into_iter()
        .flat_map(|at| pairs.clone().map(move |(from, to)| Sending::new(at, from, to, 500)))
        .collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    assert!(run.records.drops.is_empty(), "{:?}", run.records.drops);
    let mut found: BTreeMap<_, Vec<PortId>> = BTreeMap::new();
    let mut rows: Vec<_> = run.records.packets.iter().filter(|row| row.node == leaf).collect();
    rows.sort_by_key(|row| row.arrival);
    for row in rows {
        found.entry((row.source, row.destination)).or_default().push(row.port.expect("the packet was sent"));
    }
    assert_eq!(found.len(), (PER_LEAF * PER_LEAF) as usize);
    (found, dead)
}

#[test]
fn resilient_hashing_moves_only_the_flows_of_the_dead_link_and_moves_them_back() {
    for knowledge in [FailureAwareness::Local, FailureAwareness::Global(ReroutePaths::Shortest)] {
        for n in [2, 4, 6] {
            let (flows, dead) = uplinks(n, "resilient", knowledge);
            for (flow, ports) in &flows {
                let [before, during, after] = ports[..] else { panic!("{flow:?}: {ports:?}") };
                assert_eq!(before != during, before == dead, "{n} {flow:?}");
                assert_eq!(before, after, "{n} {flow:?}");
            }
            let moved = flows.values().filter(|ports| ports[0] == dead).count() as f64 / flows.len() as f64;
            assert!((moved * f64::from(n) - 1.0).abs() < 0.3, "one in {n}: {moved}");
        }
    }
}

#[test]
fn modulo_moves_all_but_one_in_n() {
    for n in [2, 4, 6] {
        let (flows, dead) = uplinks(n, "modulo", FailureAwareness::Local);
        let moved = flows.values().filter(|ports| ports[0] != ports[1]).count() as f64 / flows.len() as f64;
        let derived = 1.0 - 1.0 / f64::from(n);
        assert!((moved - derived).abs() < 0.06, "{n}: {moved}, expected {derived}");
        assert!(flows.values().all(|ports| ports[1] != dead && ports[0] == ports[2]));
    }
}
