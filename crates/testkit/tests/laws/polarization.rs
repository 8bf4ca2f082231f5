//! One hash at two tiers: the second choice is a function of the first, and links stay unused (polarization). A salt
//! per switch avoids it.

use netloom_model::{FabricBuilder, Model};
use netloom_policy::balance::Chosen;
use netloom_testkit::fixture::{Cable, ListedWork, Run, Sending, Wiring, model, policy, simulate};
use netloom_units::{NodeId, Value};

const CABLE: Cable = Cable::new(100_000_000_000, 500_000);
const HOSTS_PER_SIDE: u32 = 8;
const N_FLOWS: u32 = 400;

fn unsalted() -> Chosen {
    policy("ecmp", &[("salt", Value::Choice("none"))])
}

fn run(wiring: Wiring, chosen: &Chosen) -> Run {
    let mut model: Model = model(wiring);
    model.balances.host = chosen.clone();
    model.balances.switch = chosen.clone();
    let sending = |number: u32| {
        let (from, to) = (number % HOSTS_PER_SIDE, HOSTS_PER_SIDE + (number / 8) % HOSTS_PER_SIDE);
        Sending::new(u64::from(number) * 1_000_000, from, to, 1000)
    };
    let sendings: Vec<Sending> = (0..N_FLOWS).map(sending).collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    assert!(run.records.drops.is_empty());
    run
}

/// The number of ports of a node towards switches from `first` on that carried no packet; and the number of all such
/// ports.
fn unused(run: &Run, node: u32, first: u32) -> (usize, usize) {
    let own = run.records.ports.iter().filter(|port| port.node == NodeId(node) && port.peer.0 >= first);
    (own.clone().filter(|port| port.packets == 0).count(), own.count())
}

/// Hosts with two NICs on two leaves, four spines: a leaf sees only flows of one parity.
fn dual_homed() -> Wiring {
    let first_leaf = 2 * HOSTS_PER_SIDE;
    let mut builder = FabricBuilder::new(2 * HOSTS_PER_SIDE, 4 + 4);
    for host in 0..2 * HOSTS_PER_SIDE {
        let leaf = first_leaf + 2 * (host / HOSTS_PER_SIDE);
        CABLE.lay(&mut builder, host, leaf);
        CABLE.lay(&mut builder, host, leaf + 1);
    }
    for leaf in 0..4 {
        (0..4).for_each(|spine| CABLE.lay(&mut builder, first_leaf + leaf, first_leaf + 4 + spine));
    }
    Wiring::shortest(builder)
}

/// Two leaves; one link up to each of four spines, four parallel links down: a spine sees one remainder only.
fn parallel_down() -> Wiring {
    let leaf = 2 * HOSTS_PER_SIDE;
    let mut builder = FabricBuilder::new(2 * HOSTS_PER_SIDE, 2 + 4);
    for host in 0..2 * HOSTS_PER_SIDE {
        CABLE.lay(&mut builder, host, leaf + host / HOSTS_PER_SIDE);
    }
    for spine in leaf + 2..leaf + 6 {
        CABLE.lay(&mut builder, leaf, spine);
        (0..4).for_each(|_| CABLE.lay(&mut builder, spine, leaf + 1));
    }
    Wiring::shortest(builder)
}

#[test]
fn without_salt_half_the_uplinks_of_dual_homed_leaves_are_unused() {
    let [first_leaf, first_spine] = [2 * HOSTS_PER_SIDE, 2 * HOSTS_PER_SIDE + 4];
    let bare = run(dual_homed(), &unsalted());
    let salted = run(dual_homed(), &Chosen::named("ecmp"));
    for leaf in [first_leaf, first_leaf + 1] {
        assert_eq!(unused(&bare, leaf, first_spine), (2, 4));
        assert_eq!(unused(&salted, leaf, first_spine), (0, 4));
    }
}

#[test]
fn without_salt_three_quarters_of_parallel_links_are_unused() {
    let leaf = 2 * HOSTS_PER_SIDE;
    let bare = run(parallel_down(), &unsalted());
    let salted = run(parallel_down(), &Chosen::named("ecmp"));
    for spine in leaf + 2..leaf + 6 {
        // All links of the spine but the uplink of the near leaf, which carries nothing back.
        let down = |run: &Run| {
            let own = run.records.ports.iter().filter(|port| port.node == NodeId(spine));
            own.filter(|port| port.peer == NodeId(leaf + 1) && port.packets == 0).count()
        };
        assert_eq!((down(&bare), down(&salted)), (3, 0));
    }
}
