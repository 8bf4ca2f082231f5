//! Programs that supply the operations of ranks: the records do not depend on how many are pulled at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_lab::{
    Bytes, Digest, Duration, Failure, JobProgram, LabError, Options, Prepared, ProgramStart, Programs,
    RankOperation, RankPhase, Status, Supply,
};

use crate::scenes::{prepared, simulated};

const SCENE: &str = "
netloom: 1
name: programs
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }
balance: spray
jobs: [ { name: ring, steps: 3, phases: [ { compute: 3us }, program ] } ]
";

const N_RANKS: u32 = 4;

/// A ring of 40 rounds, of which some are handed out at a time.
struct Ring {
    at_a_time: usize,
    /// How many operations of a phase were handed out, by rank.
    done: BTreeMap<RankPhase, u32>,
    failure: Arc<Failure>,
    fails_at: Option<u32>,
}

impl Supply for Ring {
    fn pull(&mut self, whose: RankPhase, limit: usize, operations: &mut Vec<RankOperation>) -> bool {
        let done = self.done.entry(whose).or_default();
        for _ in 0..limit.min(self.at_a_time).min(80 - *done as usize) {
            let tag = *done / 2;
            let to = (whose.rank + 1) % N_RANKS;
            operations.push(match *done % 2 {
                0 => RankOperation::Send { to, size: Bytes(9_000 + u64::from(tag)), tag },
                _ => RankOperation::Receive { tag, messages: 1 },
            });
            *done += 1;
        }
        if self.fails_at.is_some_and(|step| whose.step == step) {
            self.failure.set("the test wants it".to_owned());
        }
        *done < 80
    }

    fn has_ended(&self) -> bool {
        self.failure.reason().is_some()
    }
}

/// Operations without end that take no time.
struct Idle;

impl Supply for Idle {
    fn pull(&mut self, _: RankPhase, limit: usize, operations: &mut Vec<RankOperation>) -> bool {
        operations.extend(std::iter::repeat_n(RankOperation::Compute(Duration(0)), limit));
        true
    }

    fn has_ended(&self) -> bool {
        false
    }
}

#[test]
fn operations_without_end_at_one_instant_end_the_run() {
    let start = |_: &ProgramStart<'_>| -> Box<dyn Supply> { Box::new(Idle) };
    let jobs = vec![JobProgram { job: "ring".to_owned(), description: "nothing".to_owned() }];
    let programs = Programs { jobs, notes: Vec::new(), start: Arc::new(start), failure: Arc::default() };
    let idle = prepared(SCENE, None).with_programs(programs).expect("it fits");
    let (done, _) = simulated(&idle, Options::default());
    assert_eq!(done.outcome.status, Status::Stalled);
    let text = done.outcome.details.join("\n");
    let parts =
        ["a rank of job `ring`, at ", "1,000,000 operations at 3 us", "none of them takes time or waits"];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
}

fn with_ring(job: &str, at_a_time: usize, fails_at: Option<u32>) -> Result<Prepared, LabError> {
    let failure = Arc::new(Failure::default());
    let failing = Arc::clone(&failure);
    let start = move |_: &ProgramStart<'_>| -> Box<dyn Supply> {
        Box::new(Ring { at_a_time, done: BTreeMap::new(), failure: Arc::clone(&failing), fails_at })
    };
    let jobs = vec![JobProgram { job: job.to_owned(), description: "a ring".to_owned() }];
    prepared(SCENE, None).with_programs(Programs { jobs, notes: Vec::new(), start: Arc::new(start), failure })
}

fn digest(at_a_time: usize, threads: usize) -> Digest {
    let prepared = with_ring("ring", at_a_time, None).expect("it fits");
    let (simulated, sink) = simulated(&prepared, Options { threads, ..Options::default() });
    assert_eq!(simulated.outcome.status, Status::Complete);
    assert_eq!(simulated.summary.jobs[0].steps, 3);
    sink.digest(&prepared.names()).expect("rows are in order").digest
}

#[test]
fn records_do_not_depend_on_how_many_operations_are_pulled_at_a_time() {
    let first = digest(1, 1);
    for (at_a_time, threads) in [(2, 1), (7, 2), (80, 1), (1000, 3)] {
        assert_eq!(digest(at_a_time, threads), first, "{at_a_time} at a time, {threads} threads");
    }
}

#[test]
fn a_failure_ends_the_run_and_is_its_outcome() {
    let prepared = with_ring("ring", 8, Some(2)).expect("it fits");
    let (simulated, _) = simulated(&prepared, Options::default());
    assert_eq!(simulated.outcome.status, Status::Stopped);
    assert_eq!(simulated.outcome.details, ["the test wants it"]);
}

#[test]
fn a_scenario_without_its_program_is_refused_and_so_is_a_program_without_its_job() {
    let needed = prepared(SCENE, None).work().unwrap_err().to_string();
    assert!(needed.starts_with("the operations of job `ring` come from a program"), "{needed}");
    let refused = with_ring("rings", 8, None).unwrap_err().to_string();
    assert!(refused.contains("no job `rings`") && refused.contains("did you mean `ring`?"), "{refused}");
}
