//! Jobs: unrolling phases, planning collectives.
//!
//! Every job is expanded once here by the catalog, so that errors of the catalog are reported with their location.

use netloom_catalog::workload::collective::{self, Plan};
use netloom_catalog::workload::{WorkloadError, expand};
use netloom_model::{
    Collective, FabricService, Hosts, Job, Message, Order, Phase, Pipeline, PipelineOrder, PointToPoint,
    Workload,
};
use netloom_units::HostId;

use super::built_fabric::BuiltFabric;
use super::communicators::NamedGroups;
use super::overlap::Scheduler;
use super::{communicators, placement, repetition, stages};
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolved::{self, Overlap, Parameters, PhaseEntry, Stages};

/// Most jobs of a scenario; job numbers have 16 bits.
const MOST_JOBS: usize = Message::FIRST_OF_OTHERS as usize;
/// Most phases of a step once repeats are unrolled; phase numbers have 16 bits.
const MOST_PHASES: usize = u16::MAX as usize;
/// Most ranks in all collectives and point-to-point phases of a step together, each counted with all its ranks.
const MOST_PARTS: usize = 100_000_000;
/// A part with fewer ranks counts as this number, since it takes some memory too.
const LEAST_RANKS: usize = 512;
/// Most ranks in all given orders of a job together, counted for each collective that uses them.
const MOST_ORDERED_RANKS: usize = 100_000_000;

/// All valid jobs, each with its number in the scenario; the others are reported.
pub(super) fn jobs(
    wanted: &[resolved::Job],
    seed: u64,
    (built_fabric, hosts): (&BuiltFabric, Hosts),
    problems: &mut Problems,
) -> Vec<(usize, Job)> {
    if let Some(job) = wanted.get(MOST_JOBS) {
        let report = problems.report(job.name.location, format!("more than {MOST_JOBS} jobs"));
        report.label("one too many").help("use fewer jobs with more hosts or more steps");
        return Vec::new();
    }
    let Some(placed) = placement::assign_hosts(wanted, seed, built_fabric, problems) else {
        return Vec::new();
    };
    let pairs = wanted.iter().enumerate().zip(placed);
    pairs
        .filter_map(|((number, job), ranks)| {
            Some((number, one(job, ranks, (built_fabric, hosts), problems)?))
        })
        .collect()
}

fn one(
    wanted: &resolved::Job,
    ranks: Vec<HostId>,
    (built_fabric, hosts): (&BuiltFabric, Hosts),
    problems: &mut Problems,
) -> Option<Job> {
    let n_ranks = ranks.len() as u32;
    let Some(groups) = NamedGroups::new(&wanted.groups, n_ranks, problems) else {
        report_unknown_groups(&wanted.phases, &wanted.groups, problems);
        return None;
    };
    let orders = orders(wanted, &groups.sizes(n_ranks), problems)?;
    let mut maker = Maker {
        n_ranks,
        groups: &groups,
        orders: &orders,
        phases: Vec::new(),
        origins: Vec::new(),
        scheduler: Scheduler::new(&wanted.phases),
        parts: 0,
        ordered: 0,
    };
    maker.all(&wanted.phases, problems)?;
    let Maker { phases, origins, scheduler, .. } = maker;
    let job = Job {
        ranks,
        groups: groups.kinds.clone(),
        steps: repetition::most_steps(wanted),
        phases,
        schedule: scheduler.finish(),
        start: wanted.start,
        handling: FabricService::default(),
        repetition: repetition::repetition(wanted),
    };
    let mut alone = Workload { jobs: vec![job], background: None, staged: None, finite: None, hosts };
    if let Err(error) = expand(&alone, built_fabric.built.fabric.n_hosts(), 0) {
        let (phase, message) = described(&error);
        let origin = phase.and_then(|phase| origins.get(phase));
        let location = origin.map_or(wanted.steps.location, |origin| origin.location_in(&message));
        let help = remedy(&error).map(str::to_owned);
        problems.report(location, message).label("this cannot be run").maybe_help(help);
        return None;
    }
    alone.jobs.pop()
}

/// Reports the names that are no groups, in a job whose groups are wrong.
fn report_unknown_groups(phases: &[PhaseEntry], known: &[resolved::Group], problems: &mut Problems) {
    let names = known.iter().map(|group| group.name.value.as_str());
    for PhaseEntry { phase, .. } in phases {
        match &phase.value {
            resolved::Phase::Repeat { phases, .. } => report_unknown_groups(phases, known, problems),
            resolved::Phase::Collectives { each, .. } => {
                let named = each.iter().filter_map(|collective| collective.group.as_ref());
                named.for_each(|name| communicators::check_name(name, names.clone(), problems));
            }
            resolved::Phase::PointToPoint { stages, .. } | resolved::Phase::Pipeline { stages, .. } => {
                if let Stages::Group(name) = &stages.value {
                    communicators::check_name(name, names.clone(), problems);
                }
            }
            resolved::Phase::Compute(_) | resolved::Phase::Barrier | resolved::Phase::Program => {}
        }
    }
}

/// The phase that an error is about, and the error without the numbers that its location makes redundant.
fn described(error: &WorkloadError) -> (Option<usize>, String) {
    match error {
        WorkloadError::Collective { phase, reason, .. }
        | WorkloadError::Stages { phase, reason, .. }
        | WorkloadError::Schedule { phase, reason, .. } => (Some(*phase), reason.clone()),
        WorkloadError::TooManyStreams { phase, wanted, limit, .. } => {
            (Some(*phase), format!("{wanted} collectives run side by side, at most {limit} can"))
        }
        WorkloadError::TooManyWaits { phase, .. } => {
            (Some(*phase), "the phases of this job wait for too many others".to_owned())
        }
        WorkloadError::Order { phase, .. } => (Some(*phase), error.to_string()),
        WorkloadError::NoLocalRate { .. } => (None, "a host has several ranks of this job".to_owned()),
        _ => (None, error.to_string()),
    }
}

fn remedy(error: &WorkloadError) -> Option<&'static str> {
    match error {
        WorkloadError::TooManyStreams { .. } => {
            Some("fewer buckets or `channels`, `concurrent: false`, or fewer streams of phases")
        }
        WorkloadError::TooManyWaits { .. } => Some("fewer `after`, or a `stream` that such phases share"),
        WorkloadError::Schedule { .. } => Some("the first stream is `main`"),
        WorkloadError::NeverWaits { .. } => Some(
            "a phase that computes; a size of at least `hosts.rendezvous`, so that senders wait; or `bursts`, which have a \
             barrier",
        ),
        WorkloadError::NoLocalRate { .. } => Some(
            "the rate between ranks of one host, such as `hosts: { local_rate: 3.6Tbps }`; or a host for each rank",
        ),
        WorkloadError::TooManyTags => Some("fewer steps, repeats or microbatches"),
        _ => None,
    }
}

/// The given orders of a job, each of them a permutation of its ranks, or of those of a group: of one of these sizes.
fn orders(wanted: &resolved::Job, sizes: &[u32], problems: &mut Problems) -> Option<Vec<Vec<u32>>> {
    let mut good = true;
    for list in &wanted.orders.value {
        let mut sorted = list.value.clone();
        sorted.sort_unstable();
        let n_ranks = list.value.len() as u32;
        if !sizes.contains(&n_ranks) || !sorted.into_iter().eq(0..n_ranks) {
            let report = problems.report(list.location, "this is not a permutation of the ranks");
            let largest = sizes.iter().find(|&&size| size >= n_ranks).or(sizes.last());
            let last = largest.map_or(0, |size| size - 1);
            report.label(format!("expected each of 0 to {last} once"));
            good = false;
        }
    }
    good.then(|| wanted.orders.value.iter().map(|list| list.value.clone()).collect())
}

/// The location in the scenario that a phase comes from.
struct Origin<'a> {
    location: Location,
    settings: Option<&'a Parameters>,
}

impl Origin<'_> {
    /// Where the parameter is written that a message names, or the phase itself.
    fn location_in(&self, message: &str) -> Location {
        let named = self.settings.and_then(|settings| settings.location_in(message));
        // A default value has no location.
        named.filter(|location| location.end > 0).unwrap_or(self.location)
    }
}

/// Makes the phases of one job.
struct Maker<'a> {
    n_ranks: u32,
    groups: &'a NamedGroups,
    orders: &'a [Vec<u32>],
    phases: Vec<Phase>,
    /// Where each of them comes from.
    origins: Vec<Origin<'a>>,
    scheduler: Scheduler<'a>,
    /// Ranks in all collectives and point-to-point phases so far.
    parts: usize,
    /// Ranks in all copies of given orders so far.
    ordered: usize,
}

impl<'a> Maker<'a> {
    /// Appends these phases; continues after errors, but not past the limits.
    fn all(&mut self, wanted: &'a [PhaseEntry], problems: &mut Problems) -> Option<()> {
        let mut good = true;
        for PhaseEntry { phase, overlap } in wanted {
            if self.phases.len() >= MOST_PHASES {
                let report =
                    problems.report(phase.location, format!("a step has more than {MOST_PHASES} phases"));
                report.label("too many from here on, repeats unrolled");
                report.help("fewer repeats in a step, and more `steps` of the job");
                return None;
            }
            good &= self.one((phase, overlap), problems).is_some();
        }
        good.then_some(())
    }

    /// Appends one phase; a repeat appends its phases.
    fn one(
        &mut self,
        (phase, overlap): (&'a Located<resolved::Phase>, &'a Overlap),
        problems: &mut Problems,
    ) -> Option<()> {
        let location = phase.location;
        let (made, settings) = match &phase.value {
            resolved::Phase::Compute(span) => (Some(Phase::Compute { span: *span }), None),
            resolved::Phase::Barrier => (Some(Phase::Barrier), None),
            resolved::Phase::Program => (Some(Phase::Program), None),
            resolved::Phase::Collectives { settings, each } => {
                (self.collectives(settings, each, location, problems), Some(settings))
            }
            resolved::Phase::PointToPoint { settings, stages } => {
                (self.point_to_point(settings, stages, location, problems), Some(settings))
            }
            resolved::Phase::Pipeline { settings, stages } => {
                (self.pipeline(settings, stages, location, problems), Some(settings))
            }
            resolved::Phase::Repeat { times, phases } => return self.repeat(times.value, phases, problems),
        };
        // Even if it is wrong, so that those that wait for it are not reported, too.
        self.scheduler.add(overlap, problems)?;
        self.phases.push(made?);
        self.origins.push(Origin { location, settings });
        Some(())
    }

    fn repeat(&mut self, times: u32, phases: &'a [PhaseEntry], problems: &mut Problems) -> Option<()> {
        let before = self.phases.len();
        for _ in 0..times {
            self.all(phases, problems)?;
            // Nested repeats of nothing would otherwise loop for ever.
            if self.phases.len() == before {
                break;
            }
        }
        Some(())
    }

    /// Counts parts that all ranks take part in.
    fn count(&mut self, parts: usize, location: Location, problems: &mut Problems) -> Option<()> {
        let each = (self.n_ranks as usize).max(LEAST_RANKS);
        self.parts = self.parts.saturating_add(parts.saturating_mul(each));
        if self.parts > MOST_PARTS {
            let report = problems.report(location, "a step of this job is too large");
            report.label("too many from here on, repeats unrolled and every rank counted");
            report.help("fewer buckets or repeats in a step, and more `steps` of the job");
            return None;
        }
        Some(())
    }

    fn collectives(
        &mut self,
        parameters: &Parameters,
        each: &[resolved::Collective],
        location: Location,
        problems: &mut Problems,
    ) -> Option<Phase> {
        let settings = &parameters.settings;
        let n_buckets = settings.count("buckets") as usize;
        let of_one =
            |each: &resolved::Collective| collective::number_of_channels(&each.algorithm.settings) as usize;
        let n_channels: usize = each.iter().map(of_one).sum();
        self.count(n_buckets.saturating_mul(n_channels), location, problems)?;
        let made: Vec<_> = each.iter().map(|wanted| self.collective(wanted, n_buckets, problems)).collect();
        let made: Vec<Collective> = made.into_iter().collect::<Option<_>>()?;
        let n_ranks = |made: &Collective| self.ranks_of(made.groups);
        let bucket = match collective::bucket(made, n_ranks) {
            Ok(bucket) => bucket,
            Err(reason) => {
                problems.report(location, reason).label("this cannot be run");
                return None;
            }
        };
        Some(Phase::Communicate {
            buckets: vec![bucket; n_buckets],
            concurrent: settings.flag("concurrent"),
            barrier: settings.flag("barrier"),
        })
    }

    fn collective(
        &mut self,
        wanted: &resolved::Collective,
        n_buckets: usize,
        problems: &mut Problems,
    ) -> Option<Collective> {
        let groups = match &wanted.group {
            Some(name) => Some(self.groups.number(name, problems)?),
            None => None,
        };
        let common = &wanted.common.settings;
        let order = match common.choice("order") {
            "shuffled" => Order::Shuffled,
            "given" => self.given(&wanted.common, (n_buckets, groups), problems)?,
            _ => Order::Rank,
        };
        let made = Collective {
            algorithm: collective::number_of(wanted.algorithm.spec.name)?,
            settings: wanted.algorithm.settings.clone(),
            size: common.size("size"),
            dependent: common.flag("dependent"),
            order,
            groups,
        };
        if let Err(reason) = self.check_plans(&made) {
            let location = wanted.algorithm.location_in(&reason).unwrap_or(wanted.algorithm.location);
            let report = problems.report(location, reason);
            let whose = if groups.is_some() { "its largest group" } else { "the job" };
            let help = format!("{whose} has {} ranks", self.ranks_of(groups));
            report.label("this does not fit the job").help(help);
            return None;
        }
        Some(made)
    }

    /// Number of ranks of a collective: of all, or of the largest group of a kind.
    fn ranks_of(&self, groups: Option<u16>) -> u32 {
        groups.map_or(self.n_ranks, |kind| self.groups.largest(kind))
    }

    /// Whether a collective can run in groups of these sizes; an error is a sentence about the parameter.
    fn check_plans(&self, made: &Collective) -> Result<(), String> {
        let sizes = made.groups.map_or_else(|| vec![self.n_ranks], |kind| self.groups.sizes_of(kind));
        sizes.into_iter().try_for_each(|size| Plan::new(made, size).map(|_| ()))
    }

    fn given(
        &mut self,
        common: &Parameters,
        (n_buckets, groups): (usize, Option<u16>),
        problems: &mut Problems,
    ) -> Option<Order> {
        let location = common.location_of("order");
        if self.orders.is_empty() {
            let report = problems.report(location, "`order: given` needs the job's `orders`");
            report.label("no orders are given").help("add `orders: [[0, 1, ...], ...]` to the job");
            return None;
        }
        let n_ranks = self.ranks_of(groups) as usize;
        if self.orders.iter().any(|order| order.len() != n_ranks) {
            let report = problems.report(location, format!("`order: given` needs orders of {n_ranks} ranks"));
            report.label("an order of another length is among the job's `orders`");
            return None;
        }
        let one = self.orders.len() * n_ranks;
        self.ordered = self.ordered.saturating_add(one.saturating_mul(n_buckets));
        if self.ordered > MOST_ORDERED_RANKS {
            let report = problems.report(location, "the given orders take too much memory");
            report.label("too many, counted once for every collective that uses them");
            return None;
        }
        Some(Order::Given(self.orders.to_vec()))
    }

    fn point_to_point(
        &mut self,
        parameters: &Parameters,
        stages: &Located<Stages>,
        location: Location,
        problems: &mut Problems,
    ) -> Option<Phase> {
        self.count(1, location, problems)?;
        let settings = &parameters.settings;
        let (stages, groups) = stages::made(stages, (self.n_ranks, self.groups), problems)?;
        Some(Phase::PointToPoint(PointToPoint {
            stages,
            groups,
            microbatches: settings.count("microbatches") as u32,
            size: settings.size("size"),
            backward: settings.flag("backward"),
            dependent: settings.flag("dependent"),
            gap: settings.duration("gap"),
            gap_from_run_start: settings.choice("gap_from") == "run",
            barrier: settings.flag("barrier"),
        }))
    }

    fn pipeline(
        &mut self,
        parameters: &Parameters,
        stages: &Located<Stages>,
        location: Location,
        problems: &mut Problems,
    ) -> Option<Phase> {
        self.count(1, location, problems)?;
        let settings = &parameters.settings;
        let (stages, groups) = stages::made(stages, (self.n_ranks, self.groups), problems)?;
        Some(Phase::Pipeline(Pipeline {
            stages,
            groups,
            microbatches: settings.count("microbatches") as u32,
            size: settings.size("size"),
            forward: settings.duration("forward"),
            backward: settings.duration("backward"),
            order: match settings.choice("schedule") {
                "gpipe" => PipelineOrder::ForwardFirst,
                _ => PipelineOrder::OneForwardOneBackward,
            },
        }))
    }
}
