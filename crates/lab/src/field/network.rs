//! A point inside the testbed: the fabric of its scenario as a network of namespaces, with a rank on each of its hosts.
//!
//! Leaves out: creating the network; [`crate::testbed`] does that in a second process of this program.
//!
//! Invariants: a rank runs on the host that the study assigns to it; the bytes of the fewest iterations must cross the
//! network.

use std::path::Path;

use netloom_scenario::Overrides;
use netloom_units::{Bytes, Rate};

use super::error::FieldError;
use super::mpi::Launcher;
use super::plan::{FieldPlan, Role, SizedCollective, Work};
use super::study::StudyPoint;
use crate::error::LabError;
use crate::invocation::Invocation;
use crate::source::Source;
use crate::testbed::{Plan, Request, ScaleChoice, testbed};

/// Parameters of the network.
#[derive(Debug, Clone, Copy, Default)]
pub struct Network {
    /// Rate of the fastest link; all others are scaled by the same factor.
    pub rate: Option<Rate>,
    /// Queue limit of every switch port.
    pub queue: Option<Bytes>,
}

/// Sections that a testbed ignores and the program executes.
const JOBS: &str = "jobs, background traffic and flows";

impl Network {
    /// The network of a scenario.
    fn plan(self, scenario: &Source) -> Result<Plan, LabError> {
        let scale = self.rate.map_or(ScaleChoice::Default, ScaleChoice::Fastest);
        let request = Request { scale, is_pinned: None, queue: self.queue };
        let mut plan = testbed(scenario, &Overrides::default(), &request)?.plan;
        plan.ignored.retain(|ignored| ignored.setting != JOBS);
        Ok(plan)
    }

    /// The command line that runs a program on the hosts of a point, and remarks about the network.
    ///
    /// # Errors
    /// If the network cannot be created from the point's fabric.
    pub(super) fn command(
        self,
        point: &StudyPoint,
        scenario: &Path,
        launcher: &Launcher,
        program: &[String],
    ) -> Result<(Vec<String>, Vec<String>), LabError> {
        let plan = self.plan(&Source::file(scenario))?;
        let netloom = Invocation::current().map_err(|error| LabError::unknown_program(&error))?.words([]);
        let mut words: Vec<String> = netloom.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        words.extend(["field".to_owned(), "testbed".to_owned()]);
        words.extend([scenario.display().to_string(), "--quiet".to_owned()]);
        let bytes = fewest_bytes(&point.plan);
        let options = [
            ("--rate", self.rate.map(|rate| format!("{}bps", rate.0))),
            ("--queue", self.queue.map(|queue| format!("{}B", queue.0))),
            ("--expect-bytes", (bytes > 0).then(|| format!("{bytes}B"))),
        ];
        for (option, value) in options {
            words.extend(value.into_iter().flat_map(|value| [option.to_owned(), value]));
        }
        words.push("--".to_owned());
        let mut addresses = Vec::new();
        for name in &point.hosts {
            let found = plan.hosts().find(|(node, _)| node.name == *name);
            let (_, address) = found.ok_or_else(|| FieldError::NoHost(name.clone()))?;
            addresses.push(address.to_string());
        }
        words.extend(launcher.command_at(&addresses, program));
        Ok((words, plan.notes()))
    }
}

/// Bytes that all victims together send in the fewest iterations, without headers; 0 for streams.
fn fewest_bytes(plan: &FieldPlan) -> u64 {
    let n_ranks = plan.ranks_of(Role::Victim).len() as u64;
    let of_one = |collective: &str, bytes: u64| {
        let times = if collective == "ring_all_reduce" { 2 } else { 1 };
        times * (n_ranks - 1) * bytes
    };
    let of_iteration: u64 = match &plan.work {
        Work::Interference { victim: SizedCollective { collective, bytes }, .. } => {
            of_one(collective, *bytes)
        }
        Work::Latency { collective, sizes } => sizes.iter().map(|bytes| of_one(collective, *bytes)).sum(),
        Work::Streams(_) => 0,
    };
    plan.segments.iter().map(|segment| of_iteration * segment.fewest()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::plan::{Iterations, Segment};
    use crate::field::study::no_digest;

    #[test]
    fn the_jobs_of_a_scenario_are_run_by_the_program() {
        let text = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 50Mbps, fabric_rate: 50Mbps } }
transport: irn
jobs: [ { name: timed, phases: [ { ring_all_gather: { size: 1KiB } } ] } ]
";
        let source = Source::text("study", text);
        let all = testbed(&source, &Overrides::default(), &Request::default()).expect("it can be made").plan;
        let plan = Network::default().plan(&source).expect("it can be made");
        assert_eq!(plan.ignored.len() + 1, all.ignored.len(), "{:?}", all.ignored);
        assert!(plan.notes().iter().any(|note| note.contains("TCP")), "{:?}", plan.notes());
    }

    #[test]
    fn bytes_of_the_fewest_iterations_must_cross_the_network() {
        let segment = Segment { is_congested: false, warm_up: 1, iterations: Iterations::Count(3) };
        let plan = FieldPlan {
            study: no_digest(),
            seed: 1,
            roles: vec![Role::Victim; 5],
            work: Work::Latency { collective: "ring_all_reduce".to_owned(), sizes: vec![8, 80] },
            segments: vec![segment],
            deadline_s: 1,
        };
        assert_eq!(fewest_bytes(&plan), 4 * 2 * 4 * 88);
    }
}
