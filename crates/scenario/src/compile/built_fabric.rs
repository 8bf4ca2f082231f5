//! The built fabric with its names, for looking up the names in a scenario.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use netloom_catalog::Built;
use netloom_model::Partitions;
use netloom_units::{Duration, HostId, LinkId, NodeId, Rate};

use crate::diagnostic::Problems;
use crate::location::Located;

/// The fabric and its names.
pub(super) struct BuiltFabric {
    pub built: Built,
    hosts: OnceCell<BTreeMap<String, u32>>,
    switches: OnceCell<BTreeMap<String, u32>>,
    links: OnceCell<BTreeMap<String, u32>>,
}

fn numbered(names: &[String]) -> BTreeMap<String, u32> {
    (0_u32..).zip(names).map(|(number, name)| (name.clone(), number)).collect()
}

impl BuiltFabric {
    pub fn new(built: Built) -> BuiltFabric {
        BuiltFabric { built, hosts: OnceCell::new(), switches: OnceCell::new(), links: OnceCell::new() }
    }

    fn host_names(&self) -> &[String] {
        &self.built.node_names[..self.built.fabric.n_hosts()]
    }

    /// Whether a host has this name.
    pub fn is_host(&self, name: &str) -> bool {
        self.hosts().contains_key(name)
    }

    fn hosts(&self) -> &BTreeMap<String, u32> {
        self.hosts.get_or_init(|| numbered(self.host_names()))
    }

    /// Looks up a host by name.
    pub fn host(&self, name: &Located<String>, problems: &mut Problems) -> Option<HostId> {
        let found = self.hosts().get(&name.value);
        if found.is_none() {
            unknown("host", name, self.host_names(), problems);
        }
        found.copied().map(HostId)
    }

    /// Looks up a host by name, or by number.
    pub fn host_or_number(&self, name: &Located<String>, problems: &mut Problems) -> Option<HostId> {
        let n_hosts = self.built.fabric.n_hosts();
        match name.value.parse::<usize>() {
            Ok(number) if !self.is_host(&name.value) => {
                if number >= n_hosts {
                    let report = problems.report(name.location, format!("there is no host {number}"));
                    report.label(format!("expected a name, or a number from 0 to {}", n_hosts - 1));
                }
                (number < n_hosts).then_some(HostId(number as u32))
            }
            _ => self.host(name, problems),
        }
    }

    /// The name of a host.
    pub fn host_name(&self, host: HostId) -> &str {
        &self.built.node_names[host.index()]
    }

    /// Looks up a switch by name.
    pub fn switch(&self, name: &Located<String>, problems: &mut Problems) -> Option<NodeId> {
        let n_hosts = self.built.fabric.n_hosts();
        let names = &self.built.node_names[n_hosts..];
        if let Some(found) = self.switches.get_or_init(|| numbered(names)).get(&name.value) {
            return Some(NodeId(n_hosts as u32 + found));
        }
        if self.is_host(&name.value) {
            let report = problems.report(name.location, format!("`{}` is a host", name.value));
            report.label("expected the name of a switch").help("hosts do not forward");
        } else {
            unknown("switch", name, names, problems);
        }
        None
    }

    /// Looks up a link by name.
    pub fn link(&self, name: &Located<String>, problems: &mut Problems) -> Option<LinkId> {
        let found = self.links.get_or_init(|| numbered(&self.built.link_names)).get(&name.value);
        if found.is_none() {
            unknown("link", name, &self.built.link_names, problems);
        }
        found.copied().map(LinkId)
    }

    pub fn link_name(&self, link: LinkId) -> &str {
        &self.built.link_names[link.index()]
    }

    /// The rate of a link.
    pub fn rate(&self, link: LinkId) -> Rate {
        let fabric = &self.built.fabric;
        fabric.port(fabric.links()[link.index()].ends[0]).rate
    }

    /// Whether a link ends at a host.
    pub fn is_host_link(&self, link: LinkId) -> bool {
        let fabric = &self.built.fabric;
        let ends: [NodeId; 2] = fabric.links()[link.index()].ends.map(|port| fabric.port(port).node);
        ends.iter().any(|&node| fabric.is_host(node))
    }

    /// All links, by number.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + use<> {
        (0..self.built.fabric.links().len() as u32).map(LinkId)
    }

    /// The lookahead between partitions of this fabric; `None` if it is a single partition.
    pub fn lookahead(&self) -> Option<Duration> {
        Partitions::of(&self.built.fabric).lookahead()
    }
}

fn unknown(what: &str, name: &Located<String>, known: &[String], problems: &mut Problems) {
    let help = problems.hint(&name.value, known.iter().map(String::as_str));
    let report = problems.report(name.location, format!("there is no {what} `{}`", name.value));
    report.label(format!("unknown {what}")).maybe_help(help);
}
