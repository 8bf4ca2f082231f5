//! Placing jobs: rules and names become the catalog's requests.

use netloom_catalog::placement::{self, Placement, PlacementError, Request, hosts_by_leaf};
use netloom_units::{HostId, Value};

use super::built_fabric::BuiltFabric;
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolved::{self, Job, Parameters};

/// Most ranks of a job with several ranks on a host.
const MOST_RANKS: usize = 4_000_000;

/// The hosts of each job, rank by rank; `None` if they cannot all be placed.
pub(super) fn assign_hosts(
    jobs: &[Job],
    seed: u64,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<Vec<Vec<HostId>>> {
    let requests: Vec<Option<Request>> =
        jobs.iter().map(|job| request_of_job(job, built_fabric, problems)).collect();
    let requests: Vec<Request> = requests.into_iter().collect::<Option<_>>()?;
    let leaves = hosts_by_leaf(&built_fabric.built.fabric);
    match placement::assign_hosts(&requests, &leaves, seed) {
        Ok(placed) => {
            placed.into_iter().zip(jobs).map(|(hosts, job)| with_ranks(hosts, job, problems)).collect()
        }
        Err(error) => {
            report(&error, jobs, built_fabric, problems);
            None
        }
    }
}

/// The hosts that a job requests: one for every `ranks_per_host` ranks.
fn request_of_job(job: &Job, built_fabric: &BuiltFabric, problems: &mut Problems) -> Option<Request> {
    let request = request(&job.placement, built_fabric, problems)?;
    let per_host = job.ranks_per_host.value;
    if let Some(ranks) = request.ranks.filter(|ranks| !ranks.is_multiple_of(per_host)) {
        let message = format!("{ranks} ranks do not fill hosts of {per_host} ranks");
        let report = problems.report(job.ranks_per_host.location, message);
        report.label("must divide the number of ranks");
        return None;
    }
    let shared = job.share_hosts.value;
    if shared && request.placement == Placement::Interleaved {
        let message = "interleaved jobs take turns with each other, so they share no hosts";
        let report = problems.report(job.share_hosts.location, message);
        report.label("not with `interleaved`").help("another placement, such as `contiguous` or `strided`");
        return None;
    }
    Some(Request { ranks: request.ranks.map(|ranks| ranks / per_host), shared, ..request })
}

/// The host of each rank.
fn with_ranks(hosts: Vec<HostId>, job: &Job, problems: &mut Problems) -> Option<Vec<HostId>> {
    let per_host = job.ranks_per_host.value as usize;
    let n_ranks = hosts.len() * per_host;
    if per_host > 1 && n_ranks > MOST_RANKS {
        let message = format!("{} hosts of {per_host} ranks make {n_ranks} ranks", hosts.len());
        let report = problems.report(job.ranks_per_host.location, message);
        report.label(format!("a job has at most {MOST_RANKS} ranks, several on a host"));
        return None;
    }
    Some(hosts.into_iter().flat_map(|host| std::iter::repeat_n(host, per_host)).collect())
}

/// Hosts that belong to no job.
pub(super) fn hosts(
    placement: &resolved::Placement,
    seed: u64,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<Vec<HostId>> {
    let wanted = request(placement, built_fabric, problems)?;
    match placement::assign_hosts(&[wanted], &hosts_by_leaf(&built_fabric.built.fabric), seed) {
        Ok(mut placed) => placed.pop(),
        Err(error) => {
            let help = match error {
                PlacementError::TooFew { free, .. } => format!("the fabric has {free} hosts"),
                _ => message(&error, built_fabric).1,
            };
            let location = location_of(placement).unwrap_or_default();
            let report = problems.report(location, "the background traffic has no such senders");
            report.label("cannot be satisfied").help(help);
            None
        }
    }
}

fn request(
    placement: &resolved::Placement,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Option<Request> {
    match placement {
        resolved::Placement::Rule(parameters) => Some(rule(parameters)),
        resolved::Placement::List(names) => {
            let hosts: Vec<_> = names.value.iter().map(|name| built_fabric.host(name, problems)).collect();
            let hosts: Vec<HostId> = hosts.into_iter().collect::<Option<_>>()?;
            Some(Request { ranks: None, placement: Placement::List(hosts), shared: false })
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
        "numbered" => Placement::Numbered {
            first: settings.count("first") as u32,
            stride: settings.count("stride") as u32,
        },
        "random" => Placement::Random { seed: settings.count("seed") },
        "rack_balanced" => Placement::RackBalanced,
        _ => Placement::All,
    };
    Request { ranks, placement, shared: false }
}

/// The job that an error is about, and the error with names instead of numbers.
fn message(error: &PlacementError, built_fabric: &BuiltFabric) -> (usize, String) {
    match error {
        PlacementError::TooFew { job, wanted, free } => {
            (*job, format!("the job needs {wanted} hosts, but {free} are free"))
        }
        PlacementError::TooFewNumbers { job, wanted, there } => {
            let n_hosts = built_fabric.built.fabric.n_hosts();
            let text = format!("the job needs {wanted} hosts by number, but the fabric has {there} of these");
            (*job, format!("{text}: its hosts are numbered from 0 to {}", n_hosts.saturating_sub(1)))
        }
        PlacementError::LeafTooFew { job, wanted, free, .. } => {
            (*job, format!("the job needs {wanted} hosts of every leaf, but one has only {free} free"))
        }
        PlacementError::Uneven { job, ranks, leaves } => {
            (*job, format!("{leaves} leaves cannot share {ranks} ranks evenly"))
        }
        PlacementError::Taken { job, host } => {
            (*job, format!("host `{}` is taken by another job", built_fabric.built.node_names[host.index()]))
        }
        PlacementError::None { job } => (*job, "the job gets no hosts".to_owned()),
        PlacementError::NoSuchHost { job, .. }
        | PlacementError::Contradiction { job, .. }
        | PlacementError::ZeroStride { job } => (*job, error.to_string()),
        _ => (0, error.to_string()),
    }
}

/// Reports an error at the placement of the job.
fn report(error: &PlacementError, jobs: &[Job], built_fabric: &BuiltFabric, problems: &mut Problems) {
    let (job, message) = message(error, built_fabric);
    let own = |job: &Job| {
        let host = taken(error, &job.placement, built_fabric);
        host.or_else(|| location_of(&job.placement)).unwrap_or(job.name.location)
    };
    let location = jobs.get(job).map_or(Location::default(), own);
    let report = problems.report(location, message);
    report.label("this job cannot be placed").maybe_help(remedy(error));
}

/// A hint for a job that cannot be placed.
fn remedy(error: &PlacementError) -> Option<String> {
    Some(match error {
        PlacementError::Taken { .. } | PlacementError::None { .. } => {
            "state the number of hosts of each job, `placement: { contiguous: { ranks: 8 } }`; or let this job use \
             hosts of others: `share_hosts: true`"
                .to_owned()
        }
        PlacementError::TooFewNumbers { .. } => {
            "fewer ranks, a smaller `first` or `stride`, or a larger fabric; `contiguous` takes hosts that are \
             free"
                .to_owned()
        }
        PlacementError::TooFew { .. } => {
            "fewer ranks, fewer hosts for the jobs before it, or a larger fabric".to_owned()
        }
        PlacementError::Uneven { leaves, .. } => {
            format!("hosts below the same switches count as a leaf; use a multiple of {leaves}")
        }
        _ => return None,
    })
}

/// Where a job lists a host that is not available.
fn taken(
    error: &PlacementError,
    placement: &resolved::Placement,
    built_fabric: &BuiltFabric,
) -> Option<Location> {
    let (PlacementError::Taken { host, .. }, resolved::Placement::List(names)) = (error, placement) else {
        return None;
    };
    let taken = &built_fabric.built.node_names[host.index()];
    names.value.iter().find(|name| name.value == *taken).map(|name| name.location)
}

/// Where a placement is written, if it is.
fn location_of(placement: &resolved::Placement) -> Option<Location> {
    match placement {
        resolved::Placement::Rule(parameters) => {
            Some(parameters.location_of("ranks")).filter(|location| location.end > 0)
        }
        resolved::Placement::List(names) => Some(names.location),
    }
}
