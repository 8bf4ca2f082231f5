//! Links with credit flow control: credit counters at the ports, return paths, input buffers.

use netloom_model::{Credits, Port};
use netloom_units::{Bytes, PortId};

use super::{Builder, Rings};
use crate::channel::{Channel, ReceiverLocation};
use crate::credit::{
    CreditCounters, Crossbar, Destination, HostReturns, Notices, ReturnQueue, ReturnSender, Returned,
    Returns, Throttle, VlIncrements, cut_through,
};
use crate::node::Node;
use crate::ring::Sender;

impl Builder<'_> {
    /// The time from the end of a transmission until the packet is available at the other end, in ps.
    pub(super) fn delay(&self, port: &Port) -> u64 {
        let latency = self.model.queues.credits.filter(|_| !self.leads_to_host(port));
        port.delay.0 + latency.map_or(0, |credits| credits.latency.0)
    }

    fn leads_to_host(&self, port: &Port) -> bool {
        self.model.fabric.is_host(self.model.fabric.port(port.peer).node)
    }

    /// The return path of the credits for packets that arrive at a port.
    pub(super) fn returns(&self, id: PortId, (frames, credits): (Sender, Sender<Returned>)) -> Returns {
        let port = self.model.fabric.port(id);
        let (peer, local) = (self.model.fabric.port(port.peer), self.model.fabric.local_index(port.peer));
        let far = self.far(id, self.credit_link[port.peer.index()]);
        let destination = match far {
            ReceiverLocation::Partition(slot) => Destination::Partition(slot),
            ReceiverLocation::Inside(_) => {
                Destination::Inside { node: self.placement.of_node[peer.node.index()].1, port: local }
            }
        };
        let is_switch = !self.model.fabric.is_host(peer.node);
        let credits = is_switch.then(|| ReturnSender::new(credits, destination));
        Returns::new(Channel::new(frames, far), credits, port.delay.0, local)
    }

    /// Sets the queues by which credits return to the ports of a switch.
    pub(super) fn set_return_queues(&self, node: &mut Node, rings: &mut Rings<Returned>) {
        for (egress, port) in node.ports.iter_mut().zip(self.model.fabric.port_range(node.id)) {
            let link = (!self.is_inside(PortId(port))).then(|| self.credit_link[port as usize]);
            egress.set_return_queue(ReturnQueue::new(rings.receiver(port), link));
        }
    }

    /// Gives a node its credit counters and what it needs to return credits.
    pub(super) fn give_credits(&self, credits: &Credits, node: &mut Node, returns: Vec<Returns>) {
        let ports = self.model.fabric.ports_of(node.id);
        let mut counters = CreditCounters::new(credits);
        if node.host.is_some() {
            let rdma = self.model.transport.rdma().expect("hosts take credits with queue pairs");
            let classes = &self.model.classes;
            counters.need([(self.model.transport.packet, classes.data), (rdma.control, classes.control)]);
            node.returns = Some(Box::new(HostReturns { returns, vls: credits.vls }));
        } else {
            let control = self.model.transport.rdma().map_or(Bytes(0), |rdma| rdma.control);
            let largest = self.model.transport.packet.max(control);
            let mut crossbar =
                Crossbar::new(credits, largest, ports, returns, |port| self.is_steady(port.link));
            if let Some(throttle) = Throttle::of(self.model, node.id) {
                crossbar.set_throttle(throttle);
            }
            if credits.n_steps > 1 {
                crossbar.take_steps(VlIncrements::of(self.model, node.id, credits.n_steps));
            }
            node.crossbar = Some(Box::new(crossbar));
            let rule = node.balancer.notifications();
            node.notices = rule.map(|rule| Box::new(Notices::new(self.model, node.id, rule)));
        }
        for (egress, port) in node.ports.iter_mut().zip(ports) {
            egress.set_credits(counters, node.crossbar.is_some());
            if self.model.recording.congestion.is_some() && node.host.is_none() {
                egress.record_occupancy(ports.len() + 1);
            }
            if node.crossbar.is_some() && credits.n_vls() == 1 {
                egress.enable_precomputed_starts();
            }
            if let Some(Bytes(header)) = self.cut_through(credits, port) {
                egress.set_cut_through(u32::try_from(header).unwrap_or(u32::MAX));
            }
        }
    }

    /// The number of bytes of a packet that must have arrived at the other end of a port's link before it may be
    /// forwarded there.
    fn cut_through(&self, credits: &Credits, port: &Port) -> Option<Bytes> {
        let far = self.model.fabric.ports_of(self.model.fabric.port(port.peer).node);
        let fastest = far.iter().map(|port| port.rate).max()?;
        cut_through(credits, port.rate, fastest)
            .filter(|_| !self.leads_to_host(port) && self.is_steady(port.link))
    }
}
