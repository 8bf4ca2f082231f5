//! Names people gave to nodes, links, jobs, staged flows and kinds of traffic.
//!
//! Models: five lists indexed by id. Leaves out: who chose the names.
//!
//! Invariants: every id that occurs in a table with a name column has a name; names count towards the digest.

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
}

/// Which of the lists a name column is filled from.
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
}

impl Names {
    /// Names that say kind and number, where nobody has chosen better ones; kinds of traffic have none.
    pub fn numbered(n_nodes: usize, n_links: usize, n_jobs: usize, n_flows: usize) -> Names {
        let list = |kind: &str, count| (0..count).map(|id| format!("{kind} {id}")).collect();
        Names {
            nodes: list("node", n_nodes),
            links: list("link", n_links),
            jobs: list("job", n_jobs),
            flows: list("flow", n_flows),
            traffic: Vec::new(),
        }
    }

    /// The name of a member of a family, if it has one.
    pub fn get(&self, family: Family, id: usize) -> Option<&str> {
        self.list(family).get(id).map(String::as_str)
    }

    /// Sets a name, leaving those skipped empty.
    pub(crate) fn set(&mut self, family: Family, id: usize, name: &str) {
        let list = match family {
            Family::Nodes => &mut self.nodes,
            Family::Links => &mut self.links,
            Family::Jobs => &mut self.jobs,
            Family::Flows => &mut self.flows,
            Family::Traffic => &mut self.traffic,
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
        }
    }
}
