//! The commands that create the network, as a readable shell script.
//!
//! Models: a private `/run`, `/proc` and `/dev/shm`; namespaces, links, addresses, queues, routes; a command that runs
//! another one on a host.
//! Leaves out: the namespaces in which it runs itself; [`crate::start`] creates these.
//!
//! Invariants: the script that `--explain` prints is the one that is run; it writes only to file systems that it
//! mounted.

use std::fmt::Write as _;

use crate::plan::{Interface, Plan, Route};
use crate::{address, mpi};

/// Folder for all files of the network, on the private `/run`.
pub const FOLDER: &str = "/run/netloom";

/// A command that exists only inside.
pub const ON_HOST_NAME: &str = "on-host";

const HEAD: &str = "\
#!/bin/sh
# Creates the network of a netloom testbed. It runs in namespaces of its own, which end with it:
#   unshare --mount --net --pid --fork --kill-child sh THIS-FILE
# (without root: unshare --user --map-root-user --mount ...)
set -eu

# File systems that end with the mount namespace: names of network namespaces, shared memory, processes inside.
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t proc proc /proc
mkdir -p /run/netns /run/netloom/bin /run/netloom/sys
mkdir -m 1777 /run/netloom/tmp
";

/// Runs a command on a host, with its network, its name and its own shared memory, so that no program regards two hosts
/// as
/// one.
const ON_HOST: &str = r#"
# on-host HOST COMMAND...: runs a command on a host, given by name or address.
cat > /run/netloom/bin/on-host << 'END'
#!/bin/sh
host=${1:?usage: on-host HOST COMMAND...}
shift
while read -r address name; do
    [ "$address" != "$host" ] || host=$name
done < /run/netloom/hosts
[ -e "/run/netns/$host" ] || { echo "on-host: there is no host $host; /run/netloom/hosts lists them" >&2; exit 2; }
exec ip netns exec "$host" unshare --uts --ipc --mount sh -c '
    hostname "$0"
    mount -t tmpfs -o mode=1777 tmpfs /dev/shm
    exec "$@"' "$host" "$@"
END
chmod 755 /run/netloom/bin/on-host
"#;

/// Settings of every namespace: no IPv6, which would send packets by itself; no reverse path filter, since replies may
/// arrive at another port.
const EVERY_NODE: &str = "\
[ ! -e /proc/sys/net/ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
[ ! -e /proc/sys/net/ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
echo 0 > /proc/sys/net/ipv4/conf/all/rp_filter
echo 0 > /proc/sys/net/ipv4/conf/default/rp_filter
";

impl Plan {
    /// The whole script.
    pub fn script(&self) -> String {
        let mut text = HEAD.to_owned();
        text.push_str(&self.names());
        text.push_str(ON_HOST);
        text.push_str(mpi::AGENT);
        for number in 0..self.nodes.len() {
            text.push_str(&self.namespace(number));
        }
        for number in 0..self.nodes.len() {
            text.push_str(&self.links(number));
        }
        for number in 0..self.nodes.len() {
            text.push_str(&self.configuration(number));
        }
        text
    }

    /// Names of hosts, for programs and for users.
    fn names(&self) -> String {
        let (mut lines, mut addresses) = (String::new(), String::new());
        for (node, address) in self.hosts() {
            let _ = writeln!(lines, "{address} {}", node.name);
            let _ = writeln!(addresses, "{address}");
        }
        format!(
            "\n# Hosts with their addresses; a list of only the addresses for launchers.\n\
             cat > {FOLDER}/hosts << 'END'\n{lines}END\n\
             cat > {FOLDER}/hostfile << 'END'\n{addresses}END\n\
             {{ echo 127.0.0.1 localhost; cat {FOLDER}/hosts; }} > {FOLDER}/etc-hosts\n\
             [ ! -e /etc/hosts ] || mount --bind {FOLDER}/etc-hosts /etc/hosts\n"
        )
    }

    fn namespace(&self, number: usize) -> String {
        let node = &self.nodes[number];
        let own = match node.address {
            // Metrics of earlier connections must not set the window of later ones.
            Some(_) => "echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save\n".to_owned(),
            // Addresses and ports choose the next hop, by a different hash in each switch: with the same hash, the
            // choices
            // in all tiers would be correlated.
            None => format!(
                "echo 1 > /proc/sys/net/ipv4/ip_forward\n\
                 echo 1 > /proc/sys/net/ipv4/fib_multipath_hash_policy\n\
                 seed=/proc/sys/net/ipv4/fib_multipath_hash_seed\n\
                 [ ! -e $seed ] || echo {} > $seed\n",
                number + 1
            ),
        };
        let kind = if node.address.is_some() { "Host" } else { "Switch" };
        let name = &node.name;
        format!(
            "\n# {kind} {name}: its namespace, its settings, its counters as files.\n\
             ip netns add {name}\n\
             ip netns exec {name} sh -e << 'END'\n{EVERY_NODE}{own}END\n\
             mkdir {FOLDER}/sys/{name}\n\
             nsenter --net=/run/netns/{name} mount -t sysfs -o ro sysfs {FOLDER}/sys/{name}\n"
        )
    }

    /// The links that are created from this node's side.
    fn links(&self, number: usize) -> String {
        let own = |port: &&Interface| port.node == number && port.node < self.interfaces[port.peer].node;
        let lines: String = self.interfaces.iter().filter(own).map(|port| self.link(port)).collect();
        let name = &self.nodes[number].name;
        if lines.is_empty() {
            return lines;
        }
        format!("\n# Links of {name}.\nip -n {name} -batch - << 'END'\n{lines}END\n")
    }

    fn link(&self, port: &Interface) -> String {
        let peer = &self.interfaces[port.peer];
        let other = &self.nodes[peer.node].name;
        format!(
            "link add name {} address {} type veth peer name {} address {} netns {other}\n",
            port.name, port.link_layer, peer.name, peer.link_layer
        )
    }

    /// Addresses, neighbours and routes, then rates and queues.
    fn configuration(&self, number: usize) -> String {
        let node = &self.nodes[number];
        let mut network = "link set dev lo up\n".to_owned();
        let mut queues = String::new();
        for port in self.interfaces.iter().filter(|port| port.node == number) {
            network.push_str(&self.port(port));
            let (name, rate, burst, limit) = (&port.name, port.rate.0, port.burst.0, port.limit.0);
            let _ = writeln!(
                queues,
                "qdisc add dev {name} root handle 1: tbf rate {rate}bit burst {burst} limit {limit}"
            );
        }
        let routes = self.routes.iter().filter(|route| route.switch == number);
        let routes: String = routes.map(|route| self.route(route)).collect();
        network.push_str(&routes);
        if node.address.is_some() {
            let _ = writeln!(
                network,
                "route add default via {} dev eth0 congctl cubic",
                address::gateway(number)
            );
        }
        let name = &node.name;
        format!(
            "\n# {name}: addresses, neighbours, routes, queues.\n\
             ip -n {name} -batch - << 'END'\n{network}END\n\
             tc -n {name} -batch - << 'END'\n{queues}END\n"
        )
    }

    /// Limits segmentation offload to one segment: TCP would pass 64 kB as one packet, too large for bucket and queue.
    fn port(&self, port: &Interface) -> String {
        let (name, peer) = (&port.name, &self.interfaces[port.peer]);
        format!(
            "address add {}/30 dev {name}\n\
             link set dev {name} gso_max_segs 1 up\n\
             neighbour replace {} lladdr {} dev {name} nud permanent\n",
            port.address, peer.address, peer.link_layer
        )
    }

    fn route(&self, route: &Route) -> String {
        let hop = |&port: &usize| {
            let port = &self.interfaces[port];
            format!("via {} dev {}", self.interfaces[port.peer].address, port.name)
        };
        let hops: Vec<String> = route.next_hops.iter().map(hop).collect();
        let hops = match &hops[..] {
            [only] => only.clone(),
            several => several.iter().map(|hop| format!("nexthop {hop}")).collect::<Vec<_>>().join(" "),
        };
        format!("route add {} {hops}\n", address::host_subnet(route.host))
    }
}
