//! Congestion notices to upstream switches: the path through this switch towards a leaf is congested.
//!
//! Models: the rules of `docs/policies/adaptive_infiniband.md`, notifications.
//! Leaves out: how the receiver reacts (the balancing policy).
//!
//! Invariants: a notice goes back over the link that a packet came by, beside the credits, and arrives at least one
//! link delay later; for one in-link and leaf, no further one is sent while the last is in force.

use netloom_model::Model;
use netloom_policy::balance::{Notifications, Senders};
use netloom_units::{HostId, NodeId, PortId, Time};

use crate::context::PartitionContext;
use crate::node::{Forwarding, Node};
use crate::packet::Packet;
use crate::round::Round;

/// The notices that a switch has sent.
pub struct Notices {
    rule: Notifications,
    /// For each port: whether a switch is at its other end.
    leads_to_switch: Box<[bool]>,
    /// Notices in force: in-link, leaf, and until when, in ps.
    in_force: Vec<(u32, NodeId, u64)>,
}

impl Notices {
    /// No notice has been sent.
    pub fn new(model: &Model, node: NodeId, rule: Notifications) -> Notices {
        let is_switch = |port| !model.fabric.is_host(model.fabric.neighbour(PortId(port)));
        Notices {
            rule,
            leads_to_switch: model.fabric.port_range(node).map(is_switch).collect(),
            in_force: Vec::new(),
        }
    }

    fn leads_to_switch(&self, port: u32) -> bool {
        self.leads_to_switch.get(port as usize).is_some_and(|&is_switch| is_switch)
    }

    /// Whether a notice is due now; if so, it is recorded as sent.
    fn is_due(&mut self, now: u64, ingress: u32, leaf: NodeId) -> bool {
        self.in_force.retain(|&(_, _, until)| until > now);
        let is_in_force = self.in_force.iter().any(|&(to, of, _)| (to, of) == (ingress, leaf));
        if !is_in_force {
            self.in_force.push((ingress, leaf, now + self.rule.hold.0));
        }
        !is_in_force
    }
}

impl Node {
    /// Notifies the upstream switch of a data packet if its chosen egress is congested, or is avoided by the policy and
    /// yet the only choice.
    #[inline(never)]
    pub fn notify_upstream(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Node { notices, balancer, ports, crossbar, .. } = self;
        let (Some(notices), Some(crossbar)) = (notices, crossbar) else { return };
        let is_between_switches =
            notices.leads_to_switch(forwarding.port) && notices.leads_to_switch(forwarding.ingress);
        if !packet.is_data() || !is_between_switches {
            return;
        }
        let leaf = round.leaf(HostId(packet.destination));
        ports[forwarding.port as usize].pass_departures(now);
        let is_congested = ports[forwarding.port as usize].data_bytes() > notices.rule.above.0
            || balancer.avoids(Time(now), forwarding.port, leaf);
        if is_congested
            && notices.is_due(now, forwarding.ingress, leaf)
            && let Some(returns) = &mut crossbar.inputs[forwarding.ingress as usize].returns
        {
            returns.notify(now, leaf, context, round);
        }
    }

    /// Handles a notice that the switch at the other end of a port is congested.
    pub fn take_notice(&mut self, now: u64, notice: &Packet, context: &mut PartitionContext) {
        // It travels beside the credits, and is no packet either.
        context.n_credits += 1;
        self.balancer.avoid(Time(now), notice.slot, NodeId(notice.destination));
    }
}
