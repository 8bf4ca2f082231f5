//! Placing jobs: rules and names become the catalog's requests.

use netloom_catalog::placement::{self, Placement, PlacementError, Request, hosts_by_leaf};
use netloom_units::{HostId, Value};

use super::ground::Ground;
use crate::diagnostic::Problems;
use crate::place::Place;
use crate::resolved::{self, Job, Parameters};

/// The hosts of each job, rank by rank; nothing if they cannot all be placed.
pub(super) fn place(
    jobs: &[Job],
    seed: u64,
    ground: &Ground,
    problems: &mut Problems,
) -> Option<Vec<Vec<HostId>>> {
    let requests: Vec<Option<Request>> = jobs.iter().map(|job| request(job, ground, problems)).collect();
    let requests: Vec<Request> = requests.into_iter().collect::<Option<_>>()?;
    let leaves = hosts_by_leaf(&ground.built.fabric);
    match placement::place(&requests, &leaves, seed) {
        Ok(placed) => Some(placed),
        Err(error) => {
            report(&error, jobs, ground, problems);
            None
        }
    }
}

fn request(job: &Job, ground: &Ground, problems: &mut Problems) -> Option<Request> {
    match &job.placement {
        resolved::Placement::Rule(parameters) => Some(rule(parameters)),
        resolved::Placement::List(names) => {
            let hosts: Vec<_> = names.value.iter().map(|name| ground.host(name, problems)).collect();
            let hosts: Vec<HostId> = hosts.into_iter().collect::<Option<_>>()?;
            Some(Request { ranks: None, placement: Placement::List(hosts) })
        }
    }
}

fn rule(parameters: &Parameters) -> Request {
    let settings = &parameters.settings;
    let ranks = parameters.spec.parameter("ranks").and_then(|_| settings.optional("ranks"));
    let ranks = match ranks {
        Some(Value::Count(n)) => Some(n as u32),
        _ => None,
    };
    let placement = match parameters.spec.name {
        "contiguous" => Placement::Contiguous,
        "strided" => Placement::Strided { stride: settings.count("stride") as u32 },
        "interleaved" => Placement::Interleaved,
        "random" => Placement::Random { seed: settings.count("seed") },
        "rack_balanced" => Placement::RackBalanced,
        _ => Placement::All,
    };
    Request { ranks, placement }
}

/// Puts an error where the job says where it wants to run, with names instead of numbers.
fn report(error: &PlacementError, jobs: &[Job], ground: &Ground, problems: &mut Problems) {
    let (job, message) = match error {
        PlacementError::TooFew { job, wanted, free } => {
            (*job, format!("the job wants {wanted} hosts, but {free} are free"))
        }
        PlacementError::LeafTooFew { job, wanted, free, .. } => {
            (*job, format!("the job wants {wanted} hosts of every leaf, but one has only {free} free"))
        }
        PlacementError::Uneven { job, ranks, leaves } => {
            (*job, format!("{leaves} leaves cannot share {ranks} ranks evenly"))
        }
        PlacementError::Taken { job, host } => {
            (*job, format!("host `{}` is taken by another job", ground.built.node_names[host.index()]))
        }
        PlacementError::None { job } => (*job, "the job gets no hosts".to_owned()),
        PlacementError::NoSuchHost { job, .. }
        | PlacementError::Contradiction { job, .. }
        | PlacementError::ZeroStride { job } => (*job, error.to_string()),
        _ => (0, error.to_string()),
    };
    let place = jobs.get(job).map_or(Place::default(), place_of);
    let report = problems.report(place, message);
    report.label("this job cannot be placed");
    if matches!(error, PlacementError::Taken { .. } | PlacementError::None { .. }) {
        report.help(
            "a host belongs to one job; say how many each takes: `placement: { contiguous: { ranks: 8 } }`",
        );
    }
}

fn place_of(job: &Job) -> Place {
    match &job.placement {
        resolved::Placement::Rule(parameters) if parameters.place.end > 0 => parameters.place,
        resolved::Placement::Rule(_) => job.name.place,
        resolved::Placement::List(names) => names.place,
    }
}
