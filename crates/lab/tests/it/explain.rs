//! Why a step took as long as it did: causes add up, and planted ones are found.

use std::path::{Path, PathBuf};

use netloom_lab::explain::{
    ExplainRequest, ExplainedStep, Explanation, SelectedStep, Sharer, explain, explain_steps,
};
use netloom_lab::{LabError, Over, Overrides, ReasonRequest, RunRequest, Source, Watch, read_report, run};
use netloom_records::statistics::RandomCauses;
use netloom_records::{CauseRow, FIRST_OF_OTHER_TRAFFIC, RunFolder, StepRow};
use netloom_report::six_digits;
use tempfile::TempDir;

/// A stored run in a temporary folder.
struct Stored {
    _workspace: TempDir,
    folder: PathBuf,
}

impl Stored {
    fn of(source: Source, sets: &[(&str, &str)]) -> Stored {
        let workspace = tempfile::tempdir().expect("a folder can be made");
        let folder = workspace.path().join("run");
        let set = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
        let overrides = Overrides { set, ..Overrides::default() };
        run(RunRequest { folder: Some(folder.clone()), overrides, ..RunRequest::new(source) })
            .expect("it runs");
        Stored { _workspace: workspace, folder }
    }

    fn of_file(path: &str, sets: &[(&str, &str)]) -> Stored {
        let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        Stored::of(Source::file(scenarios.join(path)), sets)
    }

    fn try_explain(&self, step: SelectedStep, threads: usize) -> Result<Explanation, LabError> {
        explain(&self.folder, ExplainRequest { job: None, step, threads, watch: Watch::default() })
    }

    fn explain(&self, step: SelectedStep) -> Explanation {
        self.try_explain(step, 1).expect("it can be explained")
    }

    fn causes(&self) -> Vec<CauseRow> {
        let folder = RunFolder::open(&self.folder).expect("it is complete");
        folder
            .rows::<CauseRow>()
            .expect("it has causes")
            .flat_map(|block| block.expect("it can be read"))
            .collect()
    }

    /// Lengths of the steps of the first job, in seconds, by number.
    fn steps(&self) -> Vec<(u32, f64)> {
        let folder = RunFolder::open(&self.folder).expect("it is complete");
        let blocks = folder.rows::<StepRow>().expect("it has steps");
        let rows = blocks.flat_map(|block| block.expect("it can be read")).filter(|row| row.job == 0);
        rows.map(|row| (row.step, row.end.since(row.start).as_seconds())).collect()
    }
}

/// Eight hosts on two leaves and one spine, which send to each other once per step.
fn small(phase: &str, more: &str) -> Source {
    let text = format!(
        "netloom: 1\nname: small\nfabric: {{ leaf_spine: {{ leaves: 2, spines: 1, hosts_per_leaf: 4 }} }}\n\
         jobs: [ {{ name: all, steps: 3, phases: [ {{ compute: 10us }}, {phase} ] }} ]\n{more}"
    );
    Source::text("small", text)
}

#[track_caller]
fn adds_up(found: &Explanation) {
    let causes: f64 = found.causes.iter().map(|cause| cause.time_s).sum();
    assert!((causes / found.time_s - 1.0).abs() < 1e-9, "{found:?}");
    for message in &found.messages {
        let at_sender = message.earlier_s + message.turn_s + message.window_s + message.pacing_s;
        let held = message.timeout_s + message.pause_s;
        let parts = message.transmission_s + at_sender + held + message.queues_s + message.recovery_s;
        assert!((parts - message.time_s).abs() < 1e-15 + 1e-9 * message.time_s, "{message:?}");
    }
}

fn cause(found: &Explanation, name: &str) -> f64 {
    found.causes.iter().find(|cause| cause.name == name).map_or(0.0, |cause| cause.time_s)
}

/// Runs with several transports and kinds of jobs.
const RUNS: [&str; 8] = [
    "policies/ecmp.yaml",
    "policies/adaptive.yaml",
    "policies/spray.yaml",
    "rdma/loss_nic_sr.yaml",
    "rdma/lossless.yaml",
    "infiniband/c2_5_ar.yaml",
    "jobs/pipeline.yaml",
    "jobs/overlap.yaml",
];

#[test]
fn causes_add_up_to_the_step_whatever_the_transport() {
    for path in RUNS {
        let stored = Stored::of_file(path, &[("record.causes", "none")]);
        if stored.steps().is_empty() {
            continue;
        }
        let worst = stored.explain(SelectedStep::Worst);
        adds_up(&worst);
        let longest = stored.steps().iter().map(|(_, time)| *time).fold(0.0, f64::max);
        assert!((worst.time_s - longest).abs() < 1e-15, "{path}");
        assert_eq!((worst.slower, worst.steps), (0, stored.steps().len()), "{path}");
        let by_number = stored.explain(SelectedStep::Number(worst.step));
        assert_eq!(by_number, worst, "{path}");
        for message in &worst.messages {
            // No link is slower than its rate says here, so that all of the time in queues are waits.
            let hops: f64 = message.hops.iter().map(|hop| hop.wait_s).sum();
            assert!((hops - message.queues_s).abs() < 1e-12, "{path}: {message:?}");
        }
        assert_eq!(stored.try_explain(SelectedStep::Worst, 2).expect("it can be"), worst, "{path}");
        let median = stored.explain(SelectedStep::Median);
        adds_up(&median);
        // With recorded causes one second run is enough, and finds the same.
        for causes in ["steps", "all"] {
            let recorded = Stored::of_file(path, &[("record.causes", causes)]);
            assert_eq!(recorded.explain(SelectedStep::Worst), worst, "{path}, {causes}");
            assert_eq!(recorded.explain(SelectedStep::Median), median, "{path}, {causes}");
        }
    }
}

/// Selected rows are rows of messages of jobs, among them the slowest and a random sample.
fn are_selected(selected: &[CauseRow], all: &[CauseRow]) {
    let of_jobs: Vec<&CauseRow> = all.iter().filter(|row| row.job < FIRST_OF_OTHER_TRAFFIC).collect();
    let is_there = |row: &CauseRow| selected.binary_search_by_key(&row.order(), CauseRow::order);
    assert!(selected.is_sorted_by_key(CauseRow::order));
    assert!(selected.iter().all(|row| of_jobs.contains(&row)));
    let mut random = RandomCauses::default();
    for row in &of_jobs {
        random.take(row);
    }
    let time = |row: &CauseRow| row.times().iter().map(|time| time.0).sum::<u64>();
    let mut slowest = of_jobs.clone();
    slowest.sort_by_key(|row| std::cmp::Reverse(time(row)));
    let wanted = random.rows().chain(slowest.into_iter().take(64));
    assert!(wanted.into_iter().all(|row| is_there(row).is_ok()));
}

#[test]
fn recorded_causes_explain_every_step_as_a_second_run_does() {
    let mut n_compared = 0;
    for path in RUNS.into_iter().chain(["records/causes.yaml"]) {
        let stored = Stored::of_file(path, &[("record.causes", "steps")]);
        let steps = stored.steps();
        let found = explain_steps(&stored.folder).expect("it can be read");
        // A selection of the causes explains the steps as all of them do.
        let all = Stored::of_file(path, &[("record.causes", "all")]);
        assert_eq!(explain_steps(&all.folder).expect("it can be read"), found, "{path}");
        are_selected(&stored.causes(), &all.causes());
        let Some(found) = found else {
            assert!(steps.is_empty(), "{path}");
            continue;
        };
        let job = found.iter().find(|job| job.job == 0).expect("it has steps");
        assert_eq!(job.steps.len(), steps.len(), "{path}");
        for (number, time_s) in &steps {
            let is_it = |step: &&ExplainedStep| step.row.step == *number;
            let step = job.steps.iter().find(is_it).expect("every step is explained");
            let sum: f64 = step.causes.iter().map(|cause| cause.time_s).sum();
            assert!((sum / time_s - 1.0).abs() < 1e-9, "{path}: {step:?}");
        }
        let worst = stored.explain(SelectedStep::Worst);
        let is_it = |step: &&ExplainedStep| step.row.step == worst.step;
        let step = job.steps.iter().find(is_it).expect("every step is explained");
        // A row of causes has the three longest waits; the second run sees all.
        let elsewhere = step.causes.iter().find(|cause| cause.name == "queues elsewhere");
        for cause in step.causes.iter().filter(|cause| cause.name != "queues elsewhere") {
            let missing = worst.causes.iter().find(|other| other.name == cause.name).expect("it has it too");
            let difference = missing.time_s - cause.time_s;
            assert!(
                (-1e-12..=elsewhere.map_or(0.0, |cause| cause.time_s) + 1e-12).contains(&difference),
                "{path}: {cause:?} {missing:?}"
            );
            n_compared += 1;
        }
    }
    assert!(n_compared > 20, "{n_compared}");
}

#[test]
fn without_recorded_causes_steps_are_explained_by_a_second_run_only() {
    let ring = small("{ ring_all_reduce: { size: 64KiB } }", "record: { causes: none }\n");
    assert_eq!(explain_steps(&Stored::of(ring, &[]).folder).expect("it can be read"), None);
    let no_job = Stored::of_file("flows/staged.yaml", &[("record.causes", "all")]);
    assert_eq!(explain_steps(&no_job.folder).expect("it can be read"), None);
}

#[test]
fn a_ring_has_a_chain_from_its_first_round_to_its_last() {
    let stored = Stored::of(small("{ ring_all_reduce: { size: 8MiB } }", ""), &[]);
    let found = stored.explain(SelectedStep::Worst);
    adds_up(&found);
    // Two passes of seven rounds, each of which waits for the one before.
    assert_eq!(found.messages.len(), 14);
    let follows = found.messages.windows(2).all(|two| two[0].to == two[1].from && two[1].before_s == 0.0);
    assert!(follows, "{:?}", found.messages);
    assert!((found.messages[0].before_s - 10e-6).abs() < 1e-12, "{:?}", found.messages[0]);
    assert!(cause(&found, "transmission and propagation") > 0.5 * found.time_s, "{:?}", found.causes);
}

#[test]
fn an_incast_waits_at_the_link_of_its_receiver_behind_the_other_senders() {
    let incast = "{ incast: { size: 4MiB } }";
    let stored = Stored::of(small(incast, ""), &[]);
    let found = stored.explain(SelectedStep::Worst);
    adds_up(&found);
    let [largest, ..] = &found.causes[..] else { panic!("there are causes") };
    assert!(largest.name.starts_with("queues ") || largest.name.contains("sender"), "{largest:?}");
    let [longest, ..] = &found.waits[..] else { panic!("it waited") };
    assert!(longest.ahead.len() > 1 && longest.ahead.iter().all(|sharer| sharer.share > 0.0), "{longest:?}");
    let receiver = &found.messages.last().expect("there is one").to;
    assert!(longest.ahead.iter().all(|sharer| sharer.to == *receiver), "{longest:?}");
}

#[test]
fn a_slow_link_is_where_messages_wait() {
    let ring = "{ ring_all_reduce: { size: 8MiB } }";
    let slow =
        "faults: { timed: [ { at: 1us, link: leaf0-spine0.0, action: { degrade: { rate: 5Gbps } } } ] }\n";
    let stored = Stored::of(small(ring, slow), &[]);
    let found = stored.explain(SelectedStep::Worst);
    adds_up(&found);
    let [longest, ..] = &found.waits[..] else { panic!("it waited") };
    assert!(["leaf0 -> spine0", "spine0 -> leaf0"].contains(&longest.port.as_str()), "{longest:?}");
}

/// Two jobs of two hosts each, which share the link between two switches.
fn two_jobs(rate: &str) -> Stored {
    let link = |from, to| format!("{{ from: {from}, to: {to}, rate: 100Gbps, delay: 500ns }}");
    let links = [link("a", "left"), link("b", "left"), link("c", "right"), link("d", "right")].join(", ");
    let job = |name, from, to| {
        let phase = "ring_all_reduce: { size: 4MiB }";
        format!("{{ name: {name}, placement: {{ list: [{from}, {to}] }}, phases: [ {{ {phase} }} ] }}")
    };
    let shared = format!("{{ from: left, to: right, rate: {rate}, delay: 1us }}");
    let text = format!(
        "netloom: 1\nfabric: {{ custom: {{ hosts: [a, b, c, d], switches: [left, right], links: [{links}, {shared}] }} }}\n\
         jobs: [ {}, {} ]\n",
        job("one", "a", "c"),
        job("two", "b", "d")
    );
    Stored::of(Source::text("two", text), &[])
}

#[test]
fn traffic_of_another_job_ahead_is_named() {
    let found = two_jobs("25Gbps").explain(SelectedStep::Worst);
    let [longest, ..] = &found.waits[..] else { panic!("it waited") };
    assert!(!longest.at_nic && (longest.sending_s - longest.wait_s).abs() < 1e-6, "{longest:?}");
    let [one, two] = &longest.ahead[..] else { panic!("both jobs are ahead: {longest:?}") };
    let of = |own| [one, two].into_iter().find(|sharer| sharer.own == own).expect("there is one");
    assert_eq!(of(true).traffic, None);
    assert_eq!(of(false).traffic.as_deref(), Some("two"));
    assert!((of(true).share - 0.5).abs() < 0.02, "{longest:?}");
}

#[test]
fn a_port_that_would_save_time_if_it_were_faster_does_when_it_is() {
    let [slow, fast] = ["25Gbps", "50Gbps"].map(|rate| two_jobs(rate).explain(SelectedStep::Worst));
    let ports: Vec<&str> = slow.faster.iter().map(|port| port.port.as_str()).collect();
    assert_eq!(ports, ["right -> left", "left -> right"]);
    // Both directions of the link are faster; the wires of the messages themselves are, too, which is not counted.
    let predicted: f64 = slow.faster.iter().map(|port| port.saved_s).sum();
    let saved = slow.time_s - fast.time_s;
    assert!(predicted <= saved && predicted > 0.85 * saved, "{predicted} of {saved}");
}

#[test]
fn a_wait_at_a_nic_is_behind_the_other_messages_of_the_host() {
    let all = "{ all_to_all_linear: { size: 8MiB } }";
    let found = Stored::of(small(all, ""), &[]).explain(SelectedStep::Worst);
    adds_up(&found);
    let at_nic = found.waits.iter().find(|wait| wait.at_nic).expect("messages of a host wait for each other");
    let message = &found.messages[at_nic.message];
    assert!((at_nic.wait_s - message.turn_s - message.earlier_s).abs() < 1e-12, "{at_nic:?}");
    assert!(at_nic.port.starts_with(&message.from), "{at_nic:?}");
    let is_other = |sharer: &Sharer| sharer.from == message.from && !sharer.own;
    assert!(!at_nic.ahead.is_empty() && at_nic.ahead.iter().all(is_other), "{at_nic:?}");
}

#[test]
fn a_report_shows_the_chains_of_both_jobs_and_the_slowest_messages() {
    let stored = two_jobs("25Gbps");
    let request = ReasonRequest { threads: Some(1), ..ReasonRequest::default() };
    let folders = [stored.folder.clone()];
    let report = read_report(&folders, Over::Jobs, None, Some(&request)).expect("it can be read");
    let [run] = &report.explained[..] else { panic!("there is one run") };
    let jobs: Vec<&str> = run.steps.iter().map(|chain| chain.job.as_str()).collect();
    assert_eq!(jobs, ["one", "two"], "each has a single step");
    for chain in &run.steps {
        let causes: f64 = chain.causes.iter().map(|(_, time)| time).sum();
        assert!((causes / chain.time - 1.0).abs() < 1e-4, "{chain:?}");
        assert_eq!(chain.messages.len(), chain.n_messages);
    }
    assert_eq!(run.steps[0].time.to_bits(), six_digits(stored.explain(SelectedStep::Worst).time_s).to_bits());
    let messages = || run.steps.iter().flat_map(|chain| &chain.messages).chain(&run.slowest);
    for message in messages() {
        let causes: f64 = message.causes.iter().map(|(_, time)| time).sum();
        assert!((causes / message.time - 1.0).abs() < 1e-4, "{message:?}");
        for wait in message.waits.iter().filter(|wait| wait.wait > 0.0) {
            let shares: f64 = wait.ahead.iter().map(|sharer| sharer.share).sum();
            assert!(wait.sending.is_some() && (shares - 1.0).abs() < 1e-4, "{wait:?}");
        }
    }
    let times: Vec<f64> = run.slowest.iter().map(|message| message.time).collect();
    assert!(times.is_sorted_by(|one, other| one >= other) && !times.is_empty(), "{times:?}");
    assert!(messages().all(|message| message.time <= times[0]), "{times:?}");
}

#[test]
fn the_longest_wait_of_every_message_is_explained_as_far_as_waits_suffice() {
    // A ring of many rounds has more waits than are recorded.
    let stored =
        Stored::of(small("{ ring_all_reduce: { size: 8MiB } }, { incast: { size: 1MiB } }", ""), &[]);
    let found = stored.explain(SelectedStep::Worst);
    assert!(found.waits.len() <= 64 && found.waits.is_sorted_by(|one, other| one.wait_s >= other.wait_s));
    for (number, message) in found.messages.iter().enumerate() {
        let longest =
            message.hops.iter().map(|hop| hop.wait_s).fold(message.turn_s + message.earlier_s, f64::max);
        let has =
            found.waits.iter().any(|wait| wait.message == number && (wait.wait_s - longest).abs() < 1e-12);
        assert!(longest <= 0.0 || has, "{message:?}");
    }
}

#[test]
fn what_cannot_be_explained_is_refused() {
    let stored = Stored::of(small("{ ring_all_reduce: { size: 64KiB } }", ""), &[]);
    let refused = |found: Result<Explanation, LabError>, what: &str| {
        let error = found.expect_err("it is refused").to_string();
        assert!(error.starts_with(what), "{error}");
    };
    refused(stored.try_explain(SelectedStep::Number(7), 1), "step 7 was not completed; the last one is 2");
    let other = ExplainRequest {
        job: Some("other".to_owned()),
        step: SelectedStep::Worst,
        threads: 1,
        watch: Watch::default(),
    };
    refused(explain(&stored.folder, other), "no job has this name; the jobs are all");
    let summed =
        Stored::of(small("{ ring_all_reduce: { size: 64KiB } }", "record: { messages: summed }\n"), &[]);
    refused(summed.try_explain(SelectedStep::Worst, 1), "this step has no recorded messages");
    let without_job = Stored::of_file("flows/staged.yaml", &[]);
    refused(without_job.try_explain(SelectedStep::Worst, 1), "this run has no job");
    refused(
        Stored::of_file("flows/replay.yaml", &[]).try_explain(SelectedStep::Worst, 1),
        "this run has flows from the file `replay.csv`",
    );
}

#[test]
fn flows_from_a_file_are_read_again_beside_the_scenario_that_the_command_names() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let path = |name: &str| workspace.path().join(name);
    let scenario = "netloom: 1\nfabric: { single_switch: { hosts: 4 } }\nflows: { file: flows.csv }\n";
    let flows = |size: &str| format!("start,src,dst,size\n0us,host0,host1,{size}\n1us,host2,host1,{size}\n");
    std::fs::write(path("a.yaml"), scenario).expect("it can be written");
    std::fs::write(path("flows.csv"), flows("1MiB")).expect("it can be written");
    let command = ["netloom", "run"].map(str::to_owned).into_iter();
    let command = command.chain([path("a.yaml").display().to_string()]).collect();
    let request = RunRequest::new(Source::file(path("a.yaml")));
    run(RunRequest { folder: Some(path("run")), command, ..request }).expect("it runs");
    let again = || {
        let request = ReasonRequest { threads: Some(1), ..ReasonRequest::default() };
        read_report(&[path("run")], Over::Jobs, None, Some(&request)).expect("it can be read").explained
    };
    let [explained] = &again()[..] else { panic!("it is explained") };
    let ahead = |message: &netloom_report::panel_data::MessageData| {
        message.waits.iter().flat_map(|wait| &wait.ahead).find_map(|sharer| sharer.pair.clone())
    };
    assert_eq!(explained.slowest.len(), 2);
    assert_eq!(ahead(&explained.slowest[0]).as_deref(), Some("host0 → host1"));
    // Another file is refused by its digest.
    std::fs::write(path("flows.csv"), flows("2MiB")).expect("it can be written");
    assert!(again().is_empty());
    let request =
        ExplainRequest { job: None, step: SelectedStep::Worst, threads: 1, watch: Watch::default() };
    let refused = explain(&path("run"), request).expect_err("it is another one");
    assert!(refused.to_string().contains("digest"), "{refused}");
}
