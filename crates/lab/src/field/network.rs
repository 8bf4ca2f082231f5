//! A point inside the testbed: the fabric of its scenario as a network of namespaces, a rank on each of its hosts.
//!
//! Leaves out: how the network is made; [`crate::testbed`] does that, in this program started again.
//!
//! Invariants: a rank runs on the host that the study gives it; the bytes of the fewest iterations must cross the network.

use std::env;
use std::path::Path;

use netloom_scenario::Overrides;
use netloom_units::{Bytes, Rate};

use super::error::FieldError;
use super::mpi::Launcher;
use super::plan::{FieldPlan, Role, SizedCollective, Work};
use super::study::StudyPoint;
use crate::error::LabError;
use crate::source::Source;
use crate::testbed::{Request, ScaleChoice, testbed};

/// How the network is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Network {
    /// Rate of the fastest link; all others are scaled by the same factor.
    pub rate: Option<Rate>,
    /// Queue limit of every switch port.
    pub queue: Option<Bytes>,
}

impl Network {
    /// The words that run a program on the hosts of a point, and what should be known of the network.
    ///
    /// # Errors
    /// If the network cannot be made of the point's fabric.
    pub(super) fn command(
        self,
        point: &StudyPoint,
        scenario: &Path,
        launcher: &Launcher,
        program: &[String],
    ) -> Result<(Vec<String>, Vec<String>), LabError> {
        let scale = self.rate.map_or(ScaleChoice::Default, ScaleChoice::Fastest);
        let request = Request { scale, is_pinned: None, queue: self.queue };
        let plan = testbed(&Source::file(scenario), &Overrides::default(), &request)?.plan;
        let netloom = env::current_exe()
            .map_err(|error| LabError::Internal(format!("this program cannot be found again: {error}")))?;
        let mut words = vec![netloom.display().to_string(), "field".to_owned(), "testbed".to_owned()];
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

/// Bytes that all victims together send in the fewest iterations, without headers; 0 with streams.
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
