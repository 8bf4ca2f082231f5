//! Builds the partitions of a model in their initial state.
//!
//! Models: one ring per link direction, its two ends given to the partitions of sender and receiver; the choice of each
//! port's start rule.
//! Leaves out: running.

use std::collections::BTreeMap;

use netloom_model::{Model, Partitions, Port, PriorityMap, Storm};
use netloom_policy::balance::{Balancer, PathPart};
use netloom_policy::congestion::{self, Senses};
use netloom_units::{LinkId, NodeId, PortId, Random};

use crate::activity::{Activity, InLinkBit};
use crate::buffer::{Inflow, SharedBuffer};
use crate::channel::{Channel, ReceiverLocation};
use crate::context::TimerKind;
use crate::credit::Returned;
use crate::edge::TorFilter;
use crate::group_routes::GroupRoutes;
use crate::hook::PlacedHook;
use crate::host::Host;
use crate::load::PortLoads;
use crate::mark::Marker;
use crate::node::Node;
use crate::packet::InFlight;
use crate::partition::{InLink, MOST_IN_LINKS, Partition};
use crate::port::{Egress, Form};
use crate::rdma::Nic;
use crate::reordering::Reordering;
use crate::ring::{Receiver, Sender, ring};
use crate::route::{RailRoute, Route};
use crate::telemetry::{PortTelemetry, Record};

mod credits;
mod faults;

use faults::Changes;

/// Purpose number of the random stream for load balancing.
const BALANCE_PURPOSE: u64 = 0x62_616c;
/// Purpose number of the random streams for ECN marking, one per port.
const MARK_PURPOSE: u64 = 0x6d_726b;
/// Purpose number of the random streams for packet loss, one per port.
const LOSS_PURPOSE: u64 = 0x6c_6f73;

/// Where nodes are placed.
pub struct NodePlacement {
    /// The partition of each node and its index there.
    pub of_node: Vec<(u32, u32)>,
}

/// Partitions in their initial state, and the placement of nodes.
pub struct Assembly {
    /// The partitions.
    pub partitions: Vec<Partition>,
    /// The shared activity, with the first timers set.
    pub activity: Activity,
    /// Where nodes are placed.
    pub placement: NodePlacement,
}

/// Builds all partitions of a model.
pub fn assemble(model: &Model, partitions: &Partitions, hooks: Vec<PlacedHook>, shortcut: bool) -> Assembly {
    let fixed_classes = hooks.is_empty()
        && [&model.balances.host, &model.balances.switch].iter().all(|chosen| chosen.keeps_class());
    let builder = Builder::new(model, partitions, shortcut, fixed_classes);
    let mut built = builder.partitions();
    for placed in hooks {
        let (partition, slot) = builder.placement.of_node[placed.node.index()];
        built[partition as usize].nodes[slot as usize].install_hook(placed.hook);
    }
    let activity = Activity::new(builder.n_words as usize, built.len());
    builder.set_faults(&mut built);
    builder.set_storms(&mut built);
    for partition in &built {
        activity.set_own(partition.number as usize, partition.context.next_event());
    }
    Assembly { partitions: built, activity, placement: builder.placement }
}

struct Builder<'a> {
    model: &'a Model,
    partitions: &'a Partitions,
    shortcut: bool,
    /// Whether packets keep their initial class: registered policies keep it, hooks and other policies may not.
    fixed_classes: bool,
    placement: NodePlacement,
    members: Vec<Vec<NodeId>>,
    /// First word of each partition's in-link bits.
    first_word: Vec<u32>,
    n_words: u32,
    /// The in-link number, within its partition, of the link that arrives at each port.
    in_link: Vec<u32>,
    /// The same for the credits that return to each port, with credit flow control.
    credit_link: Vec<u32>,
    /// How each link changes, for links that do.
    changing: BTreeMap<LinkId, Changes>,
}

/// The ends of rings not yet assigned to nodes, by port.
struct Rings<T = InFlight> {
    senders: Vec<Option<Sender<T>>>,
    receivers: Vec<Option<Receiver<T>>>,
}

impl<T: Copy> Rings<T> {
    /// A ring from each port to its peer; none where there are no ports.
    fn new<'a>(ports: impl ExactSizeIterator<Item = &'a Port>) -> Rings<T> {
        let mut receivers: Vec<Option<Receiver<T>>> = (0..ports.len()).map(|_| None).collect();
        let send = |port: &Port| {
            let (sender, receiver) = ring();
            receivers[port.peer.index()] = Some(receiver);
            Some(sender)
        };
        let senders = ports.map(send).collect();
        Rings { senders, receivers }
    }

    fn sender(&mut self, port: u32) -> Sender<T> {
        self.senders[port as usize].take().expect("each ring has one sender")
    }

    fn receiver(&mut self, port: u32) -> Receiver<T> {
        self.receivers[port as usize].take().expect("each ring has one receiver")
    }
}

impl<'a> Builder<'a> {
    fn new(model: &'a Model, partitions: &'a Partitions, shortcut: bool, fixed_classes: bool) -> Builder<'a> {
        let mut members = vec![Vec::new(); partitions.n_partitions()];
        let mut of_node = Vec::with_capacity(model.fabric.n_nodes());
        for node in (0..model.fabric.n_nodes() as u32).map(NodeId) {
            let number = partitions.of_node(node);
            let slot = members[number as usize].len() as u32;
            of_node.push((number, slot));
            members[number as usize].push(node);
        }
        let mut first_word = Vec::with_capacity(members.len());
        let mut n_words = 0;
        let mut in_link = vec![0; model.fabric.ports().len()];
        let mut credit_link = vec![0; if model.queues.credits.is_some() { in_link.len() } else { 0 }];
        for nodes in &members {
            first_word.push(n_words);
            let mut n_links = 0_u32;
            for range in nodes.iter().map(|&node| model.fabric.port_range(node)) {
                let range = range.start as usize..range.end as usize;
                // Credits after packets: that is their order within an instant.
                let links =
                    in_link[range.clone()].iter_mut().chain(credit_link.get_mut(range).into_iter().flatten());
                for link in links {
                    *link = n_links;
                    n_links += 1;
                }
            }
            assert!((n_links as usize) < MOST_IN_LINKS, "a partition has too many links");
            n_words += n_links.div_ceil(64);
        }
        let placement = NodePlacement { of_node };
        Builder {
            model,
            partitions,
            shortcut,
            fixed_classes,
            placement,
            members,
            first_word,
            n_words,
            in_link,
            credit_link,
            changing: faults::changing(model),
        }
    }

    fn partitions(&self) -> Vec<Partition> {
        let ports = self.model.fabric.ports();
        let mut rings: Rings = Rings::new(ports.iter());
        let has_telemetry = self.has_telemetry();
        let mut record_rings: Rings<Record> =
            Rings::new(ports[..if has_telemetry { ports.len() } else { 0 }].iter());
        let mut credit_rings: Rings = Rings::new(ports[..self.credit_link.len()].iter());
        let mut return_rings: Rings<Returned> = Rings::new(ports[..self.credit_link.len()].iter());
        let build = |(number, nodes): (usize, &Vec<NodeId>)| {
            let (mut in_links, mut records) = (Vec::new(), Vec::new());
            let mut built = Vec::with_capacity(nodes.len());
            for (slot, &node) in nodes.iter().enumerate() {
                let range = self.model.fabric.port_range(node);
                let link = |has_credits| {
                    let node = slot as u32;
                    move |(receiver, port)| InLink { receiver, node, port, has_credits, head: 0 }
                };
                in_links.extend(range.clone().map(|port| rings.receiver(port)).zip(0..).map(link(false)));
                let mut ports: Vec<Egress> =
                    range.clone().map(|port| self.egress(PortId(port), rings.sender(port))).collect();
                if has_telemetry {
                    let is_host = self.model.fabric.is_host(node);
                    for (port, egress) in range.clone().zip(&mut ports) {
                        egress.set_probe(PortTelemetry::new(record_rings.sender(port), is_host));
                    }
                    records.extend(range.clone().map(|port| Some(record_rings.receiver(port))));
                }
                let mut node = self.node(node, slot as u32, ports);
                if let Some(credits) = &self.model.queues.credits {
                    let receivers = range.clone().map(|port| credit_rings.receiver(port));
                    let is_switch = node.host.is_none();
                    in_links.extend(receivers.zip(0..).map(link(is_switch)));
                    let senders = |port| (credit_rings.sender(port), return_rings.sender(port));
                    let returns = range.map(senders).zip(self.model.fabric.port_range(node.id).map(PortId));
                    let returns = returns.map(|(senders, port)| self.returns(port, senders));
                    self.give_credits(credits, &mut node, returns.collect());
                    if is_switch {
                        self.set_return_queues(&mut node, &mut return_rings);
                    }
                    records.resize_with(if has_telemetry { in_links.len() } else { 0 }, || None);
                }
                built.push(node);
            }
            let links = (in_links, records);
            let mut partition = Partition::new(number as u32, built, links, self.first_word[number]);
            partition.context.reports_losses = self.model.transport.rdma().is_some();
            partition
        };
        self.members.iter().enumerate().map(build).collect()
    }

    fn is_inside(&self, port: PortId) -> bool {
        let ends = [self.model.fabric.port(port).node, self.model.fabric.neighbour(port)];
        self.partitions.of_node(ends[0]) == self.partitions.of_node(ends[1])
    }

    /// The destination to notify when a port pushes an entry onto an in-link of its neighbour.
    fn far(&self, from: PortId, number: u32) -> ReceiverLocation {
        if self.is_inside(from) {
            return ReceiverLocation::Inside(number);
        }
        let partition = self.partitions.of_node(self.model.fabric.neighbour(from));
        let word = self.first_word[partition as usize] + number / 64;
        ReceiverLocation::Partition(InLinkBit { partition, word, bit: 1 << (number % 64) })
    }

    fn egress(&self, id: PortId, sender: Sender) -> Egress {
        let port = self.model.fabric.port(id);
        let inside = self.is_inside(id);
        let channel = Channel::new(sender, self.far(id, self.in_link[port.peer.index()]));
        let mut egress = Egress::new(id, channel, port.rate, self.delay(port));
        let queues = &self.model.queues;
        let is_host = self.model.fabric.is_host(port.node);
        let limit = if is_host { queues.host_limit } else { queues.switch_limit };
        if let Some(limit) = limit {
            egress.set_limit(limit);
        }
        let form = self.form(inside, port);
        egress.set_form(form);
        self.let_change(&mut egress, port.link, limit);
        egress.set_data_class(self.model.classes.data);
        if queues.classes.separates_data() {
            egress.separate_classes(self.model, !is_host || self.model.transport.rdma().is_none());
        }
        if !is_host {
            self.set_marker(&mut egress, port);
        }
        if !is_host && (queues.buffer.is_some() || self.counts_data()) {
            egress.enable_data_counting();
        }
        if self.model.loss > 0 {
            egress.set_loss(self.model.loss, self.stream(LOSS_PURPOSE, id));
        }
        if self.is_traced(port.link) {
            egress.trace_packets(self.model.recording.packets_on.contains(&port.link));
        } else if form == Form::Lazy
            && !self.has_telemetry()
            && queues.adapting.is_none()
            && self.shortcut
            && self.fixed_classes
            && !self.changes(port.link)
            && queues.credits.is_none()
        {
            let PriorityMap { data, control } = self.model.classes;
            let highest_data = self.model.data_classes().ilog2() as u8;
            match self.sends_frames(port) {
                false if control > highest_data || !self.acts_at_starts() => {
                    egress.set_top_class(data.max(control));
                }
                true if control > highest_data && self.bounds_frames() && !is_host => {
                    egress.set_top_class_unless_frames(control);
                }
                _ => {}
            }
        }
        egress
    }

    /// Whether a bound is known until which a switch sends no pause frame: the bandwidth of its in-links does not
    /// change.
    fn bounds_frames(&self) -> bool {
        self.changing.is_empty()
            && self.model.storms.is_empty()
            && !self.model.queues.classes.separates_data()
    }

    /// The most that the in-links of a switch can bring.
    fn inflow(&self, id: NodeId) -> Inflow {
        let fabric = &self.model.fabric;
        let rates = || fabric.ports_of(id).iter().map(|port| fabric.port(port.peer).rate.0);
        Inflow {
            n_links: rates().len() as u64,
            total: rates().sum(),
            fastest: rates().max().unwrap_or(0),
            packet: self.model.transport.packet.0,
        }
    }

    /// Sets the ECN marker for data packets at a port of a switch.
    fn set_marker(&self, egress: &mut Egress, port: &Port) {
        let queues = &self.model.queues;
        let random = self.stream(MARK_PURPOSE, egress.id());
        if let (Some(marking), Some(credits)) = (queues.root_marking, queues.credits) {
            let buffer = port.rate.serialization(credits.buffer);
            egress.set_root_marker(Marker::of_roots(&marking, buffer, random));
        } else if queues.classes.separates_data() {
            self.set_class_markers(egress);
        } else if let Some(marking) = queues.marking {
            egress.set_marker(Marker::new(&marking, queues.adapting.as_ref(), random));
        }
    }

    /// As [`Builder::set_marker`], where data is separated by class: each class has a random stream of its own, the
    /// default data class the port's.
    fn set_class_markers(&self, egress: &mut Egress) {
        for (number, class) in self.model.queues.classes.iter() {
            let Some(marking) = class.marking else { continue };
            let is_default = number == self.model.classes.data;
            let purpose = if is_default { MARK_PURPOSE } else { MARK_PURPOSE << 8 | u64::from(number) };
            let random = self.stream(purpose, egress.id());
            egress.enable_data_counting();
            egress.set_class_marker(number, Marker::new(&marking, None, random));
        }
    }

    fn stream(&self, purpose: u64, port: PortId) -> Random {
        Random::stream(self.model.seed, purpose, u64::from(port.0))
    }

    /// Whether the start of a data packet's transmission has effects, or may be delayed.
    fn acts_at_starts(&self) -> bool {
        let queues = &self.model.queues;
        queues.buffer.is_some()
            || queues.marking.is_some()
            || queues.classes.separates_data()
            || self.model.loss > 0
            || self.counts_data()
    }

    /// Whether switches count the data in their class queues: for the balancing policy, or because a Themis edge must
    /// be notified of packets that a full queue drops. With credits they always do.
    fn counts_data(&self) -> bool {
        let balances = &self.model.balances;
        let notifies_edge = balances.edge.is_some() && self.model.queues.switch_limit.is_some();
        (balances.switch.asks_for_classes() || notifies_edge) && self.model.queues.credits.is_none()
    }

    /// Whether a port may send pause frames: they overtake packets, whose starts must then not be computed at enqueue.
    fn sends_frames(&self, port: &Port) -> bool {
        let is_storm = |storm: &Storm| self.model.fabric.port(storm.port) == port;
        let is_host = self.model.fabric.is_host(port.node);
        self.model.pausing_classes() != 0 && (!is_host || self.model.storms.iter().any(is_storm))
    }

    /// The cheapest form that is exact for a port.
    fn form(&self, inside: bool, port: &Port) -> Form {
        let link = port.link;
        // A NIC takes data from its queue pairs only when the link is free: only control packets ever queue at its
        // port.
        let is_nic = self.model.fabric.is_host(port.node) && self.model.transport.rdma().is_some();
        let one_class = self.model.classes.data == self.model.classes.control && !self.acts_at_starts();
        let may_compute = self.fixed_classes
            && (is_nic || one_class)
            && self.model.queues.credits.is_none()
            && self.model.loss == 0
            && !self.changes(link)
            && !self.is_traced(link)
            && !self.sends_frames(port)
            && !self.has_telemetry();
        match (self.shortcut && may_compute, inside) {
            (true, _) => Form::Computed,
            (false, true) => Form::Timed,
            (false, false) => Form::Lazy,
        }
    }

    /// Whether ports write telemetry (INT), which packets carry back to the sender.
    fn has_telemetry(&self) -> bool {
        congestion::senses(congestion::SPECS[self.model.congestion.number]) == Senses::Telemetry
    }

    /// Whether packets may be traced on a link: those of traced flows may take any link.
    fn is_traced(&self, link: LinkId) -> bool {
        let recording = &self.model.recording;
        recording.follows_flows() || recording.packets_on.contains(&link)
    }

    fn node(&self, id: NodeId, slot: u32, mut ports: Vec<Egress>) -> Node {
        let model = self.model;
        let is_host = model.fabric.is_host(id);
        let chosen = if is_host { &model.balances.host } else { &model.balances.switch };
        let neighbours = model.fabric.neighbours(id);
        let behind = model.behind(id);
        let position = model.position(id, &neighbours, &behind);
        let random = Random::stream(model.seed, BALANCE_PURPOSE, u64::from(id.0));
        let route = Route::of(&model.routing, id);
        let mut balancer = Balancer::instantiate(chosen, position);
        if let Some(paths) = model.balances.path_map.as_ref().filter(|_| !is_host) {
            let is_first = model.routing.tier(id) == 0;
            balancer.take_part(if is_first { PathPart::First(paths) } else { PathPart::Later });
        }
        if let Some(control) = model.balances.control.as_ref().filter(|_| !is_host) {
            balancer = balancer.apart_from(Balancer::instantiate(control, position));
        }
        let loads = self.loads(&balancer, is_host, &mut ports);
        let mut node = Node::new(id, slot, ports, route, balancer, random);
        node.loads = loads;
        node.set_rail_routes(RailRoute::of(&model.routing, id));
        node.host = is_host.then(|| Box::new(Host::new(model.transport.flow_hash_input)));
        let fabric_ports = model.fabric.ports_of(id);
        if let Some(host) = node.host.as_deref_mut().filter(|_| model.transport.rdma().is_none()) {
            host.reordering = Reordering::of(model);
        }
        if let Some(host) = node.host.as_deref_mut().filter(|_| model.transport.rdma().is_some()) {
            host.nic = Some(Box::new(Nic::new(model, fabric_ports)));
        }
        if !is_host {
            node.edge = TorFilter::at(model, id).map(Box::new);
            node.follow_entries(model);
            if model.routing.n_groups() > 0 && model.balances.switch.is_guide() {
                let chooses_in_group = model.balances.switch.chooses_in_group();
                let n_ports = fabric_ports.len() as u32;
                node.enable_non_minimal(GroupRoutes::of(&model.routing, id, n_ports, chooses_in_group));
            }
        }
        if let Some(buffer) = model.queues.buffer.filter(|_| !is_host) {
            let classes = &model.queues.classes;
            let headrooms = fabric_ports.iter().map(|port| model.headroom_of(port));
            node.share(SharedBuffer::new(&buffer, classes, headrooms));
            if self.bounds_frames() {
                node.bound_frames(self.inflow(id));
            }
        }
        node
    }

    /// The port loads that the policy of a node compares, if it does; queued packets are counted there, or at the ports
    /// if a policy or a record needs the count.
    fn loads(&self, balancer: &Balancer, is_host: bool, ports: &mut [Egress]) -> Option<Box<PortLoads>> {
        let model = self.model;
        // At other nodes packets start without a notification, or for other reasons than that the link is free.
        let has_nic = is_host && model.transport.rdma().is_some();
        let may_compare = self.fixed_classes && !has_nic && model.queues.credits.is_none();
        if may_compare && balancer.counts_packets() {
            return PortLoads::of(balancer, ports).map(Box::new);
        }
        if model.recording.queue_packets || balancer.counts_packets() {
            ports.iter_mut().for_each(Egress::count_packets);
        }
        may_compare.then(|| PortLoads::of(balancer, ports)).flatten().map(Box::new)
    }

    fn set_storms(&self, partitions: &mut [Partition]) {
        for (number, storm) in (0_u32..).zip(&self.model.storms) {
            let (partition, slot) = self.placement.of_node[self.model.fabric.port(storm.port).node.index()];
            partitions[partition as usize].context.set_timer(storm.at.0, slot, TimerKind::Storm { number });
        }
    }
}
