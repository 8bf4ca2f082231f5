//! The engine's side: runs a scene with wrapped policies and with hooks that record every instant.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use netloom_engine::hook::{Actions, Hook, PlacedHook, Verdict};
use netloom_engine::packet::Packet;
use netloom_engine::{Extensions, Options};
use netloom_policy::balance::{Balancer, Chosen, Context, DynBalance, PacketView, Pick, Ports, Position};
use netloom_testkit::fixture::{Run, everything_joined, simulate, simulate_with};
use netloom_units::{NodeId, StateWriter, Time};

use crate::scene::Draft;

/// One packet at one node, identified by what a policy knows.
pub type Sight = (u32, u32, u32);

/// Where and when something happened to a packet at a switch: (node, flow hash input, number), port, instant.
pub type Instants = BTreeMap<Sight, (u32, Time)>;

/// The random inputs and instants recorded from the engine's run.
#[derive(Debug, Default)]
pub struct Notes {
    /// The raw random word that a policy was about to use, by (node, flow-hash input, number of the packet).
    pub words: BTreeMap<Sight, u32>,
    /// Arrivals at switches, by in-link.
    pub arrived: Instants,
    /// Starts of transmissions at switches, by port.
    pub started: Instants,
}

/// A finished run.
pub struct Witnessed {
    /// What was recorded.
    pub run: Run,
    /// The notes.
    pub notes: Notes,
}

type Shared = Arc<Mutex<Notes>>;

/// The registered policy, and the random word it would use next.
struct Wrapped {
    policy: Balancer,
    node: u32,
    notes: Shared,
}

/// Passes a trait object as the sized type that the registry expects.
struct Through<'a>(&'a mut dyn Ports);

impl Ports for Through<'_> {
    fn n_minimal(&self) -> usize {
        self.0.n_minimal()
    }
    fn n_non_minimal(&self) -> usize {
        self.0.n_non_minimal()
    }
    fn port(&self, candidate: usize) -> u32 {
        self.0.port(candidate)
    }
    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        self.0.waiting_bytes(candidate)
    }
    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        self.0.waiting_packets(candidate)
    }
}

impl DynBalance for Wrapped {
    fn pick(&mut self, context: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> Pick {
        let word = context.random.clone().next_u32();
        let sight = (self.node, packet.entropy, packet.sequence);
        let mut notes = self.notes.lock().expect("unbroken");
        assert_eq!(notes.words.insert(sight, word), None, "a packet visits a node once");
        drop(notes);
        self.policy.pick(context, || *packet, || Through(ports))
    }

    fn write_state(&self, out: &mut StateWriter) {
        self.policy.write_state(out);
    }
}

/// Records passing packets with their instants.
struct Clerk {
    node: u32,
    notes: Shared,
}

impl Hook for Clerk {
    fn on_arrival(&mut self, now: Time, ingress: u32, packet: &mut Packet, _: &mut Actions) -> Verdict {
        let mut notes = self.notes.lock().expect("unbroken");
        notes.arrived.insert((self.node, packet.entropy, packet.sequence), (ingress, now));
        Verdict::Pass
    }

    fn on_start(&mut self, now: Time, egress: u32, packet: &mut Packet, _: &mut Actions) -> Verdict {
        let mut notes = self.notes.lock().expect("unbroken");
        notes.started.insert((self.node, packet.entropy, packet.sequence), (egress, now));
        Verdict::Pass
    }
}

/// Runs the scene with and without wrappers and hooks: all runs must record the same.
pub fn run(draft: &Draft) -> Witnessed {
    let notes = Shared::default();
    let mut model = draft.model.clone();
    let wrapped = Arc::clone(&notes);
    let chosen = draft.kind.chosen();
    let wrap = move |position: Position| -> Box<dyn DynBalance> {
        let policy = Balancer::instantiate(&chosen, position);
        Box::new(Wrapped { policy, node: position.node, notes: Arc::clone(&wrapped) })
    };
    let wrap = Chosen::Dyn(Arc::new(wrap));
    model.balances.host = wrap.clone();
    model.balances.switch = wrap;
    let switches = model.fabric.n_hosts() as u32..model.fabric.n_nodes() as u32;
    let clerk = |node| Clerk { node, notes: Arc::clone(&notes) };
    let hooks = switches.map(|node| PlacedHook { node: NodeId(node), hook: Box::new(clerk(node)) }).collect();
    let extensions = Extensions { hooks, ..Extensions::default() };
    let run = simulate_with(&model, draft.work(), Options::default(), extensions);
    let notes = std::mem::take(&mut *notes.lock().expect("unbroken"));

    model.balances.host = draft.kind.chosen();
    model.balances.switch = draft.kind.chosen();
    let expected = run.clone().results();
    assert_eq!(simulate(&model, draft.work()).results(), expected, "scene {}: without hooks", draft.seed);
    let lazy = Options { shortcut: false, ..everything_joined() };
    let joined = simulate_with(&model, draft.work(), lazy, Extensions::default());
    assert_eq!(joined.results(), expected, "scene {}: joined", draft.seed);
    Witnessed { run, notes }
}
