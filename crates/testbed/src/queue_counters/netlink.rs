//! Reads the counters of queues by netlink.
//!
//! Models: one netlink socket per namespace, opened inside it; each reading is a dump of its queueing disciplines, in
//! which
//! the token buckets at the root of interfaces belong to the ports of the plan.
//! Leaves out: when to read.
//!
//! Invariants: nothing is counted twice, and counters of 32 bits are extended when they wrap around; a port that the
//! kernel
//! does not report is an error and never a zero.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::{io, thread};

use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcStats2};
use netloom_units::Bytes;
use rustix::net::{
    AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};
use rustix::process::nice;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::QueueCounters;
use crate::plan::Plan;
use crate::refusal::Refusal;
use crate::script::FOLDER;

/// The queueing discipline of each port.
const KIND: &str = "tbf";
/// The netlink protocol for routes, links and queueing disciplines: number 0.
const NETLINK_ROUTE: Option<Protocol> = None;
/// Largest size of a part of a reply, in bytes.
const PIECE: usize = 32 << 10;
/// Niceness of the reading thread, which runs before other processes if that is allowed.
const PRIORITY: i32 = -10;

/// Reads the counters of all ports.
#[derive(Debug)]
pub struct QueueReader {
    namespaces: Vec<Namespace>,
    ports: Vec<Port>,
    request: Vec<u8>,
    piece: Vec<u8>,
}

/// The socket of a namespace, and its ports.
#[derive(Debug)]
struct Namespace {
    name: String,
    socket: OwnedFd,
    /// Ports, by the index of their interface.
    ports: BTreeMap<i32, usize>,
}

/// A port, and its counters of 32 bits at the last reading.
#[derive(Debug, Clone, Copy, Default)]
struct Port {
    counters: QueueCounters,
    packets: u32,
    dropped: u32,
    is_read: bool,
}

impl QueueReader {
    /// Opens a socket in every namespace; to be called only inside, after the network was created.
    ///
    /// # Errors
    /// If the kernel refuses one.
    pub fn open(plan: &Plan) -> Result<QueueReader, Refusal> {
        // Sockets belong to the namespace of the thread that opens them, and this thread must stay in its own.
        let opener = thread::scope(|scope| scope.spawn(|| open_all(plan)).join());
        let namespaces = opener.map_err(|_| refusal("sockets", &"a thread panicked"))??;
        let n_ports = plan.interfaces.len();
        Ok(QueueReader {
            namespaces,
            ports: vec![Port::default(); n_ports],
            request: request(),
            piece: vec![0; PIECE],
        })
    }

    /// Raises the priority of the calling thread, if allowed, so that it reads in time on a busy machine.
    pub fn hurry() {
        // Without permission, readings may be late; their delay is recorded.
        let _ = nice(PRIORITY);
    }

    /// Reads the counters of all ports, in the order of the plan.
    ///
    /// # Errors
    /// If the kernel does not report one.
    pub fn read(&mut self) -> Result<Vec<QueueCounters>, Refusal> {
        self.ports.iter_mut().for_each(|port| port.is_read = false);
        for namespace in &self.namespaces {
            namespace
                .read(&self.request, &mut self.piece, &mut self.ports)
                .map_err(|error| refusal(&namespace.name, &error))?;
        }
        match self.ports.iter().position(|port| !port.is_read) {
            Some(port) => Err(refusal(&format!("port {port}"), &"the kernel reports no queue there")),
            None => Ok(self.ports.iter().map(|port| port.counters).collect()),
        }
    }
}

fn open_all(plan: &Plan) -> Result<Vec<Namespace>, Refusal> {
    let open =
        |(number, name): (usize, &str)| open_one(plan, number, name).map_err(|error| refusal(name, &error));
    plan.nodes.iter().map(|node| node.name.as_str()).enumerate().map(open).collect()
}

/// Moves the calling thread into the namespace.
fn open_one(plan: &Plan, number: usize, name: &str) -> io::Result<Namespace> {
    let namespace = File::open(format!("/run/netns/{name}"))?;
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, NETLINK_ROUTE)?;
    let own = plan.interfaces.iter().enumerate().filter(|(_, port)| port.node == number);
    let numbered = own.map(|(port, interface)| {
        let index = fs::read_to_string(format!("{FOLDER}/sys/{name}/class/net/{}/ifindex", interface.name))?;
        Ok((index.trim().parse().map_err(io::Error::other)?, port))
    });
    Ok(Namespace { name: name.to_owned(), socket, ports: numbered.collect::<io::Result<_>>()? })
}

/// A request for all queueing disciplines of a namespace.
fn request() -> Vec<u8> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let asked = RouteNetlinkMessage::GetQueueDiscipline(TcMessage::default());
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(asked));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

impl Namespace {
    fn read(&self, request: &[u8], piece: &mut [u8], ports: &mut [Port]) -> io::Result<()> {
        send(&self.socket, request, SendFlags::empty())?;
        loop {
            let (length, _) = recv(&self.socket, &mut *piece, RecvFlags::empty())?;
            let mut rest = &piece[..length];
            while !rest.is_empty() {
                let message =
                    NetlinkMessage::<RouteNetlinkMessage>::deserialize(rest).map_err(io::Error::other)?;
                match &message.payload {
                    NetlinkPayload::Done(_) => return Ok(()),
                    NetlinkPayload::Error(error) => return Err(error.to_io()),
                    NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewQueueDiscipline(found)) => {
                        self.take(found, ports);
                    }
                    _ => {}
                }
                // Messages begin at multiples of four bytes.
                let next = (message.header.length as usize).next_multiple_of(4).max(1);
                rest = rest.get(next..).unwrap_or_default();
            }
        }
    }

    fn take(&self, found: &TcMessage, ports: &mut [Port]) {
        let is_own_reply = found.header.parent == TcHandle::ROOT
            && found.attributes.contains(&TcAttribute::Kind(KIND.to_owned()));
        let Some(&port) = self.ports.get(&found.header.index).filter(|_| is_own_reply) else { return };
        let statistics = found.attributes.iter().filter_map(|attribute| match attribute {
            TcAttribute::Stats2(statistics) => Some(statistics),
            _ => None,
        });
        for one in statistics.flatten() {
            ports[port].take(one);
        }
    }
}

impl Port {
    fn take(&mut self, statistics: &TcStats2) {
        let counters = &mut self.counters;
        match statistics {
            TcStats2::Basic(basic) => {
                counters.sent = Bytes(basic.bytes);
                counters.packets += u64::from(basic.packets.wrapping_sub(self.packets));
                self.packets = basic.packets;
            }
            TcStats2::Queue(queue) => {
                counters.dropped += u64::from(queue.drops.wrapping_sub(self.dropped));
                counters.waiting = Bytes(queue.backlog.into());
                self.dropped = queue.drops;
                self.is_read = true;
            }
            _ => {}
        }
    }
}

fn refusal(path: &str, reason: &impl ToString) -> Refusal {
    Refusal::Counter { path: format!("queues of {path}"), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use netlink_packet_route::tc::{TcStatsBasic, TcStatsQueue};

    use super::*;

    /// The kernel's statistics of a queue that has sent and dropped this number of packets.
    fn statistics(packets: u32, drops: u32) -> [TcStats2; 2] {
        let mut basic = TcStatsBasic::default();
        basic.packets = packets;
        basic.bytes = 1_514 * u64::from(packets);
        let mut queue = TcStatsQueue::default();
        (queue.drops, queue.backlog) = (drops, 3_028);
        [TcStats2::Basic(basic), TcStats2::Queue(queue)]
    }

    #[test]
    fn counters_that_wrap_around_are_counted_on() {
        let mut port = Port::default();
        for (packets, drops) in [(u32::MAX - 1, 7), (3, 7), (3, 6)] {
            for one in &statistics(packets, drops) {
                port.take(one);
            }
        }
        let all = u64::from(u32::MAX) + 4;
        assert_eq!((port.counters.packets, port.counters.dropped), (all, 7 + u64::from(u32::MAX)));
        assert_eq!(port.counters.waiting, Bytes(3_028));
    }
}
