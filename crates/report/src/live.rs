//! The page of a run in progress: the drawing of its fabric, without traffic.
//!
//! Models: the same squares and edges as in a report, so that both can be compared.
//! Leaves out: the values of the run, which the page requests from its server; the server, which is in `lab`.
//!
//! Invariants: every port is in one edge, so sums over edges are sums over ports; the page sends requests only to its
//! server.

use netloom_records::{Names, PortRow};
use netloom_units::NodeId;
use serde::Serialize;

use crate::drawing::squares::Squares;
use crate::error::ReportError;
use crate::page::served_page;
use crate::panels::fabric::{EdgeData, RunData, SquareData};

/// The properties of a run before it begins.
#[derive(Debug, Clone, Copy)]
pub struct LivePage<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Its seed.
    pub seed: u64,
    /// Version of netloom.
    pub netloom: &'a str,
    /// Path of the run folder.
    pub folder: &'a str,
    /// Hosts, which come first among the nodes.
    pub n_hosts: u32,
    /// Names of nodes.
    pub names: &'a Names,
    /// The ports, with all counters zero, by id.
    pub ports: &'a [PortRow],
}

/// The page, and the mapping of ports to edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveView {
    /// HTML.
    pub page: String,
    /// The edge of each port, by port.
    pub edge_of: Vec<u32>,
    /// Number of edges.
    pub n_edges: usize,
}

/// The data of the page, with a key that distinguishes it from a report about runs.
#[derive(Serialize)]
struct PageData<'a> {
    live: Live<'a>,
}

#[derive(Serialize)]
struct Live<'a> {
    scenario: &'a str,
    /// As text: browsers cannot represent every seed as a number.
    seed: String,
    netloom: &'a str,
    folder: &'a str,
    fabric: RunData,
}

/// The page of a run.
///
/// # Errors
/// If it would be too large.
pub fn render_live(of: &LivePage<'_>) -> Result<LiveView, ReportError> {
    let squares = Squares::of(of.n_hosts, of.ports, 1);
    let mut edges: Vec<EdgeData> = squares.edges.iter().map(EdgeData::of).collect();
    for port in of.ports {
        edges[squares.edge_of[port.port.index()] as usize].add(port, 0.0);
    }
    let name = |node: NodeId| of.names.node(node);
    let fabric = RunData {
        most_nodes: squares.most_nodes(),
        ports: of.ports.len(),
        squares: squares.squares.iter().map(|square| SquareData::of(name, square)).collect(),
        edges,
        frames: None,
    };
    let (n_edges, n_squares) = (fabric.edges.len(), fabric.squares.len());
    let &LivePage { scenario, netloom, folder, .. } = of;
    let live = Live { scenario, seed: of.seed.to_string(), netloom, folder, fabric };
    let page = served_page(&PageData { live }, (n_squares, "squares"))?;
    Ok(LiveView { page, edge_of: squares.edge_of, n_edges })
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Duration, LinkId, PortId, Rate};

    use super::*;
    use crate::page::page_data;

    /// A port of a link between two nodes.
    fn port(number: u32, node: u32, index: u32, link: u32, peer: u32) -> PortRow {
        PortRow {
            port: PortId(number),
            node: NodeId(node),
            index,
            link: LinkId(link),
            peer: NodeId(peer),
            rate: Rate(8_000),
            packets: 0,
            size: Bytes(0),
            busy: Duration::ZERO,
            peak_packets: None,
            peak_size: Bytes(0).into(),
            dropped: 0,
        }
    }

    #[test]
    fn every_port_has_an_edge_and_no_name_becomes_markup() {
        let ports = [port(0, 0, 0, 0, 2), port(1, 1, 0, 1, 2), port(2, 2, 0, 0, 0), port(3, 2, 1, 1, 1)];
        let names =
            Names { nodes: ["</script>", "b", "leaf"].map(str::to_owned).to_vec(), ..Names::default() };
        let of = LivePage {
            scenario: "<star>",
            seed: u64::MAX,
            netloom: "0",
            folder: "out/star",
            n_hosts: 2,
            names: &names,
            ports: &ports,
        };
        let view = render_live(&of).expect("it is small");
        assert_eq!((view.edge_of.len(), view.n_edges), (4, 4));
        assert!(view.edge_of.iter().all(|&edge| (edge as usize) < view.n_edges));
        let data = page_data(&view.page).expect("it has data");
        assert!(!view.page.contains("<star>") && data.contains("<star>"));
        assert!(data.contains("18446744073709551615") && data.contains("\"rate\":8000"));
    }
}
