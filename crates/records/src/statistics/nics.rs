//! The rate at which a host could have sent a message: that of the port it used.
//!
//! Models: a message between hosts at one switch leaves by a port to that switch; any other one by a port to a switch
//! that is connected to others. So for a GPU with a link to the switch inside its server and a NIC, messages within the
//! server are compared with the rate of the link, and others with that of the NIC.
//! Leaves out: which of several such ports it was, which no table records; their mean is used (modelling assumption).
//!
//! Invariants: rates are those of table `ports`, which a fault does not change.

use netloom_units::{HostId, NodeId, Rate};

use crate::rows::PortRow;

/// The egress ports of a host to one other node.
#[derive(Debug, Clone, Copy)]
struct HostPort {
    peer: NodeId,
    /// The number of ports.
    count: f64,
    /// The sum of their rates, in bit/s.
    rate: f64,
}

/// The ports of all hosts.
#[derive(Debug, Clone, Default)]
pub struct HostPorts {
    /// By host.
    hosts: Vec<Vec<HostPort>>,
    /// By node: whether it is a switch with a link to another switch.
    leads_on: Vec<bool>,
}

/// The possible rate of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SendingRate {
    /// The rate of one port, in bit/s.
    pub one: f64,
    /// The sum over all ports that it could have used, in bit/s.
    pub all: f64,
}

impl HostPorts {
    /// Of a fabric with `n_hosts` hosts, which come first among its nodes: each port from a node, to a node, at a rate.
    pub fn of(n_hosts: u32, ports: impl IntoIterator<Item = (NodeId, NodeId, Rate)>) -> HostPorts {
        let mut found = HostPorts::default();
        ports.into_iter().for_each(|port| found.add(n_hosts, port));
        found
    }

    fn add(&mut self, n_hosts: u32, (node, peer, rate): (NodeId, NodeId, Rate)) {
        let slot = node.index();
        if node.0 < n_hosts {
            if self.hosts.len() <= slot {
                self.hosts.resize(slot + 1, Vec::new());
            }
            let (ports, rate) = (&mut self.hosts[slot], rate.0 as f64);
            match ports.iter_mut().find(|port| port.peer == peer) {
                // Whole numbers below 2^53: the order in which they are added changes nothing.
                Some(port) => (port.count, port.rate) = (port.count + 1.0, port.rate + rate),
                None => ports.push(HostPort { peer, count: 1.0, rate }),
            }
        } else if peer.0 >= n_hosts {
            self.leads_on.resize(self.leads_on.len().max(slot + 1), false);
            self.leads_on[slot] = true;
        }
    }

    /// Adds rows of table `ports`.
    pub fn extend(&mut self, n_hosts: u32, rows: &[PortRow]) {
        for row in rows {
            self.add(n_hosts, (row.node, row.peer, row.rate));
        }
    }

    /// From rows of table `ports`.
    pub fn of_rows(n_hosts: u32, rows: &[PortRow]) -> HostPorts {
        HostPorts::of(n_hosts, rows.iter().map(|row| (row.node, row.peer, row.rate)))
    }

    /// The possible rate of a message between two hosts; without a receiver, one that leaves its switch.
    pub fn rate(&self, source: HostId, destination: Option<HostId>) -> SendingRate {
        let none: &[HostPort] = &[];
        let of = |host: HostId| self.hosts.get(host.index()).map_or(none, Vec::as_slice);
        let (here, there) = (of(source), destination.map_or(none, of));
        let is_near = |port: &HostPort| {
            destination.is_some_and(|host| port.peer.0 == host.0)
                || there.iter().any(|other| other.peer == port.peer)
        };
        let leads_on = |port: &HostPort| self.leads_on.get(port.peer.index()).copied().unwrap_or(false);
        let sum = |wanted: &dyn Fn(&HostPort) -> bool| {
            let wanted = here.iter().filter(|port| wanted(port));
            wanted.fold((0.0, 0.0), |(count, sum), port| (count + port.count, sum + port.rate))
        };
        let found = [sum(&is_near), sum(&leads_on), sum(&|_| true)];
        let (count, all) = found.into_iter().find(|(count, _)| *count > 0.0).unwrap_or((1.0, 0.0));
        SendingRate { one: all / count, all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two servers of two GPUs (hosts 0, 1 and 2, 3) with switches inside (4, 5), a leaf for each rail (6, 7), one
    /// spine (8).
    fn rails() -> HostPorts {
        let inner = Rate(3_600);
        let gpus = (0..4_u32).flat_map(|gpu| [(gpu, 4 + gpu / 2, inner), (gpu, 6 + gpu % 2, Rate(400))]);
        let leaves =
            [(6, 0), (6, 2), (7, 1), (7, 3), (6, 8), (7, 8), (8, 6), (8, 7), (4, 0), (4, 1), (5, 2), (5, 3)];
        let others = leaves.map(|(from, to)| (from, to, Rate(800)));
        HostPorts::of(4, gpus.chain(others).map(|(from, to, rate)| (NodeId(from), NodeId(to), rate)))
    }

    #[test]
    fn a_message_is_measured_by_the_port_it_used() {
        let ports = rails();
        let one = |from, to: u32| ports.rate(HostId(from), Some(HostId(to))).one;
        // Within the server, on one rail, and to the other rail of the other server.
        assert_eq!([one(0, 1), one(0, 2), one(0, 3)].map(|rate| rate as u64), [3_600, 400, 400]);
        assert_eq!(ports.rate(HostId(0), None), SendingRate { one: 400.0, all: 400.0 });
    }

    #[test]
    fn of_parallel_ports_one_message_uses_one() {
        let ports = [(0, 2), (0, 2), (1, 2), (1, 2)].map(|(from, to)| (NodeId(from), NodeId(to), Rate(4)));
        let found = HostPorts::of(2, ports);
        // A single switch is connected to no other, and all ports lead to it.
        assert_eq!(found.rate(HostId(0), Some(HostId(1))), SendingRate { one: 4.0, all: 8.0 });
        assert_eq!(found.rate(HostId(0), None), SendingRate { one: 4.0, all: 8.0 });
        assert_eq!(found.rate(HostId(9), None), SendingRate { one: 0.0, all: 0.0 });
    }
}
