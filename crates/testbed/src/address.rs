//! Address, interface name and link-layer address of each port.
//!
//! Models: hosts in 10.64.0.0/16, the one of host h in 10.64.h.0/30; links between switches in 10.128.0.0/9, a /30
//! each.
//! Invariants: addresses are unique within a testbed; two testbeds may have the same ones, since they are isolated.

use std::net::Ipv4Addr;

/// The network of all hosts.
pub const HOSTS: &str = "10.64.0.0/16";

/// The /30 of a host.
pub fn host_subnet(host: usize) -> String {
    format!("10.64.{host}.0/30")
}

/// The address of a host; at most 64 nodes exist.
pub fn host(host: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 64, host as u8, 2)
}

/// The address of the switch port to which a host is attached.
pub fn gateway(host: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 64, host as u8, 1)
}

/// The address of one side, 0 or 1, of a link between switches.
pub fn switch_port(link: usize, side: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 128 + (link >> 8) as u8, (link & 0xff) as u8, 1 + side as u8)
}

/// The link-layer address of a port: locally administered, and configured at its peer, which needs no ARP.
pub fn link_layer(port: usize) -> String {
    format!("02:00:00:00:{:02x}:{:02x}", port >> 8, port & 0xff)
}
