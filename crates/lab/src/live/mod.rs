//! A page that shows a run in progress, on this machine only.
//!
//! Models: a server on the loopback address from before a run until after it, and what it reports: the progress of the
//! run, and the counters of the edges in the drawing of its fabric.
//! Leaves out: the drawing (`web/src/live`); control of a run, which the page cannot influence.
//!
//! Invariants: nothing here changes a result; the simulating thread reads ports rarely and never waits for a client;
//! the run continues whatever clients do, and the server ends with the run.

mod answer;
mod live_state;
mod recorder;
mod server;
mod token;

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use netloom_engine::observe::{Observer, States};
use netloom_model::Model;
use netloom_records::PortRow;
use netloom_report::{LivePage, LiveView, render_live};
use netloom_units::{Bytes, Duration as Span, PortId};

use crate::error::LabError;
use crate::line::RunReport;
use crate::prepare::Prepared;
use crate::watch::{RunProgress, Watch};
use answer::Site;
use live_state::LiveState;
use recorder::Recorder;
use server::Server;

/// How long the end of a run is served to open pages; they request the state twice a second.
const FAREWELL: Duration = Duration::from_millis(1_200);
/// A page that has requested the state within this time is open.
const OPEN: Duration = Duration::from_secs(3);

/// How to serve a run in progress.
pub struct Serve<'a> {
    /// The port on the loopback address; 0 takes one that is free.
    pub port: u16,
    /// Called with the address before the run begins.
    pub on_address: &'a mut (dyn FnMut(&str) + 'a),
}

/// Runs `line`, and serves the page from before it until after it.
pub(crate) fn around(
    prepared: &Prepared,
    folder: &Path,
    Serve { port, on_address }: Serve<'_>,
    watch: Watch<'_>,
    line: impl FnOnce(Watch<'_>) -> Result<RunReport, LabError>,
) -> Result<RunReport, LabError> {
    let LiveView { page, edge_of, n_edges } = view(prepared, folder)?;
    let live_state = Arc::new(LiveState::default());
    let server = open(port, page, &live_state)?;
    on_address(&server.address());
    let mut recorder = Recorder::new(Arc::clone(&live_state), edge_of, n_edges);
    let Watch { stop, failure, on_progress, look: mut other, observer } = watch;
    let mut look = |progress: &RunProgress, states: &dyn States| {
        recorder.look(progress, states);
        if let Some(other) = &mut other {
            other(progress, states);
        }
    };
    let on_progress = on_progress.map(|on_progress| -> &mut dyn FnMut(&RunProgress) { on_progress });
    let observer = observer.map(|observer| -> &mut dyn Observer { observer });
    let done = line(Watch { stop, failure, on_progress, look: Some(&mut look), observer });
    live_state.end(&done, &prepared.compiled.model.workload.jobs);
    part(&live_state);
    drop(server);
    done
}

/// The page, with the fabric in its initial state.
fn view(prepared: &Prepared, folder: &Path) -> Result<LiveView, LabError> {
    let model = &prepared.compiled.model;
    let view = render_live(&LivePage {
        scenario: &prepared.name,
        seed: model.seed,
        netloom: env!("CARGO_PKG_VERSION"),
        folder: &folder.display().to_string(),
        n_hosts: prepared.n_hosts(),
        names: &prepared.names(),
        ports: &ports(model),
    })?;
    Ok(view)
}

/// The ports of a fabric with all counters at zero.
fn ports(model: &Model) -> Vec<PortRow> {
    let fabric = &model.fabric;
    let row = |id: u32| {
        let id = PortId(id);
        let port = fabric.port(id);
        PortRow {
            port: id,
            node: port.node,
            index: fabric.local_index(id),
            link: port.link,
            peer: fabric.neighbour(id),
            rate: port.rate,
            packets: 0,
            size: Bytes(0),
            busy: Span::ZERO,
            peak_packets: None,
            peak_size: Bytes(0).into(),
            dropped: 0,
        }
    };
    (0..fabric.ports().len() as u32).map(row).collect()
}

fn open(port: u16, page: String, live_state: &Arc<LiveState>) -> Result<Server, LabError> {
    let refused = |source| LabError::Unserved { address: format!("{}:{port}", Ipv4Addr::LOCALHOST), source };
    let token = token::make().map_err(refused)?;
    Server::open(port, |port| Site { port, token, page, live_state: Arc::clone(live_state) }).map_err(refused)
}

/// Waits until open pages have received how the run ended, for a limited time.
fn part(live_state: &LiveState) {
    if live_state.asked().is_some_and(|asked| asked.elapsed() < OPEN) {
        thread::sleep(FAREWELL);
    }
}
