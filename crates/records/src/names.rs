//! Names of nodes, links, jobs, staged flows and kinds of traffic, as given by users; names of collectives in cells.
//!
//! Models: six lists indexed by id. Leaves out: the source of the names.
//!
//! Invariants: every id that occurs in a table with a name column has a name; names are part of the digest.

use netloom_units::NodeId;

/// Names by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Names of nodes, hosts first.
    pub nodes: Vec<String>,
    /// Names of links.
    pub links: Vec<String>,
    /// Names of jobs.
    pub jobs: Vec<String>,
    /// Names of staged flows.
    pub flows: Vec<String>,
    /// Names of kinds of traffic.
    pub traffic: Vec<String>,
    /// Names of collectives, as far as cells contain them.
    pub collectives: Vec<String>,
}

/// The list that a name column is filled from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Names of nodes.
    Nodes,
    /// Names of links.
    Links,
    /// Names of jobs.
    Jobs,
    /// Names of staged flows.
    Flows,
    /// Names of kinds of traffic.
    Traffic,
    /// Names of collectives.
    Collectives,
}

impl Family {
    /// The kind of a member, for one without a name.
    fn kind(self) -> &'static str {
        match self {
            Family::Nodes => "node",
            Family::Links => "link",
            Family::Jobs => "job",
            Family::Flows => "flow",
            Family::Traffic => "traffic",
            Family::Collectives => "collective",
        }
    }
}

impl Names {
    /// Names made of kind and number, if the user gave none; kinds of traffic have none.
    pub fn numbered(n_nodes: usize, n_links: usize, n_jobs: usize, n_flows: usize) -> Names {
        let list = |family: Family, count| (0..count).map(|id| format!("{} {id}", family.kind())).collect();
        Names {
            nodes: list(Family::Nodes, n_nodes),
            links: list(Family::Links, n_links),
            jobs: list(Family::Jobs, n_jobs),
            flows: list(Family::Flows, n_flows),
            traffic: Vec::new(),
            collectives: Vec::new(),
        }
    }

    /// The name of a member of a family, if it has one.
    pub fn get(&self, family: Family, id: usize) -> Option<&str> {
        self.list(family).get(id).map(String::as_str)
    }

    /// The label of a node: its name, or kind and number if it has none.
    pub fn node(&self, node: NodeId) -> String {
        self.called(Family::Nodes, node.index())
    }

    /// The label of a job.
    pub fn job(&self, job: u16) -> String {
        self.called(Family::Jobs, usize::from(job))
    }

    /// The label of a staged flow.
    pub fn flow(&self, flow: u16) -> String {
        self.called(Family::Flows, usize::from(flow))
    }

    fn called(&self, family: Family, id: usize) -> String {
        self.get(family, id).map_or_else(|| format!("{} {id}", family.kind()), str::to_owned)
    }

    /// Sets a name; skipped ids get empty names.
    pub(crate) fn set(&mut self, family: Family, id: usize, name: &str) {
        let list = match family {
            Family::Nodes => &mut self.nodes,
            Family::Links => &mut self.links,
            Family::Jobs => &mut self.jobs,
            Family::Flows => &mut self.flows,
            Family::Traffic => &mut self.traffic,
            Family::Collectives => &mut self.collectives,
        };
        if list.len() <= id {
            list.resize(id + 1, String::new());
        }
        name.clone_into(&mut list[id]);
    }

    fn list(&self, family: Family) -> &[String] {
        match family {
            Family::Nodes => &self.nodes,
            Family::Links => &self.links,
            Family::Jobs => &self.jobs,
            Family::Flows => &self.flows,
            Family::Traffic => &self.traffic,
            Family::Collectives => &self.collectives,
        }
    }
}

/// The kind of a node by its name: the last word with letters, without numbers; the whole name if it has none.
pub fn node_kind(name: &str) -> String {
    let letters =
        |part: &str| part.chars().filter(|character| !character.is_ascii_digit()).collect::<String>();
    let mut words = name.rsplit('.').map(letters);
    let part = |word: String| word.rsplit(['-', '_']).find(|part| !part.is_empty()).map(str::to_owned);
    words.find_map(part).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_node_is_the_last_word_of_its_name() {
        let kinds = ["leaf0.host13", "spine4", "pod1-edge2", "core0.3", "server7.gpu1", "12"].map(node_kind);
        assert_eq!(kinds, ["host", "spine", "edge", "core", "gpu", "12"]);
    }
}
