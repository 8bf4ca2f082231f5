//! A measured job beside a competing one: the closed forms for shared buffers and for duty cycles, the guarantees of
//! rendezvous and bursts, and that records do not depend on execution options.
//!
//! Two switches, one link between them. The victim is a ring of two ranks, one on either side; the root of the incast
//! is beside one of them, all its senders beside the other.

use netloom_catalog::expand;
use netloom_engine::observe::{Control, Observer, Progress, States};
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{Job, Model};
use netloom_records::{FlowRow, MeasureRow, StepRow};
use netloom_scenario::{Style, compile, resolve};
use netloom_testkit::fixture::{Run, simulate_with};
use netloom_units::Duration;

/// Rate of hosts in bit/s.
const LINE: f64 = 100e9;
/// Payload rate of the link, in packets of 4096 bytes with 62 of header.
const PAYLOAD: f64 = LINE * 4096.0 / 4158.0;
/// Bytes of the victim's vector.
const VECTOR: f64 = 1_048_576.0;
const VICTIM: u16 = 0;
const AGGRESSOR: u16 = 1;

/// The scenario with this number of senders; the hosts are those of one side, root second, then those of the other.
fn scene(n_senders: u32, more: &str) -> String {
    let left = ["v0", "root"].map(str::to_owned);
    let right: Vec<String> =
        ["v1".to_owned()].into_iter().chain((0..n_senders).map(|n| format!("s{n}"))).collect();
    let link = |host: &String, switch| {
        format!("    - {{from: {host}, to: {switch}, rate: 100Gbps, delay: 100ns}}\n")
    };
    let links: String = left
        .iter()
        .map(|host| link(host, "left"))
        .chain(right.iter().map(|host| link(host, "right")))
        .collect();
    let hosts = [&left[..], &right].concat().join(", ");
    let senders = right[1..].join(", ");
    format!(
        "netloom: 1\n\
         fabric:\n  custom:\n    hosts: [{hosts}]\n    switches: [left, right]\n    links:\n{links}    \
         - {{from: left, to: right, rate: 400Gbps, delay: 100ns}}\n\
         transport: {{ideal: {{queue_pairs: pair, coalesce: 64}}}}\n\
         queues: {{credits: {{order: fifo}}}}\n\
         hosts: {{rendezvous: 32KiB}}\n\
         jobs:\n  - {{name: victim, placement: {{list: [v0, v1]}}, steps: {{precision: 1%}}, warm_up: 10%, \
         phases: [ring_all_gather: {{size: 1MiB}}]}}\n  \
         - {{name: aggressor, placement: {{list: [root, {senders}]}}, steps: endless, phases: [incast: {{size: 2MiB}}]}}\n\
         {more}\n"
    )
}

fn compiled(text: &str) -> Model {
    let resolved =
        resolve(text, "scene.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain))).model
}

/// The scenario with changed jobs.
fn changed(n_senders: u32, change: impl FnOnce(&mut Vec<Job>)) -> Model {
    let mut model = compiled(&scene(n_senders, ""));
    change(&mut model.workload.jobs);
    model
}

fn run_as(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the jobs are valid");
    simulate_with(model, work, options, Extensions::default())
}

fn run(model: &Model) -> Run {
    let run = run_as(model, Options::default());
    assert_eq!(run.outcome.status, Status::Complete);
    run
}

fn measured(run: &Run) -> MeasureRow {
    let [row] = run.records.measures[..] else { panic!("one job is measured: {:?}", run.records.measures) };
    row
}

fn mean_s(run: &Run) -> f64 {
    measured(run).mean.as_seconds()
}

fn steps(run: &Run, job: u16) -> Vec<StepRow> {
    run.records.steps.iter().filter(|row| row.job == job).copied().collect()
}

/// The mean of the victim in isolation.
fn alone() -> f64 {
    mean_s(&run(&changed(3, |jobs| drop(jobs.pop()))))
}

/// The time of the victim's edge for half the vector at a share of the link rate.
fn expected(share: f64) -> f64 {
    VECTOR / 2.0 * 8.0 / (PAYLOAD * share)
}

#[test]
fn an_edge_behind_a_saturated_incast_gets_the_fair_share() {
    // In the queue before the switch of the root, a packet of the ring is behind one of each sender, and these leave at
    // the link rate; where the link before it is no faster, the ring's packet takes its time there as well.
    for (n_senders, uplink, share) in [(2, 400, 2.0), (5, 400, 5.0), (2, 100, 3.0), (4, 100, 5.0)] {
        let text = scene(n_senders, "").replace("rate: 400Gbps", &format!("rate: {uplink}Gbps"));
        // Larger, so that the time of grants and of gaps between rounds is negligible.
        let text = text.replace("size: 1MiB", "size: 4MiB").replace("size: 2MiB", "size: 8MiB");
        let (found, law) = (mean_s(&run(&compiled(&text))), 4.0 * expected(1.0 / share));
        let what = format!("{n_senders} senders, {uplink} Gb/s: {found} s, expected {law} s");
        assert!((found / law - 1.0).abs() < 0.05, "{what}");
    }
    assert!((alone() / expected(1.0) - 1.0).abs() < 0.05, "in isolation: {} s", alone());
}

#[test]
fn buffers_for_a_round_and_virtual_output_queues_leave_the_edge_undisturbed() {
    let of = |order: &str| {
        let text = scene(3, "").replace("order: fifo", &format!("order: {order}, buffer: 16MiB"));
        alone() / mean_s(&run(&compiled(&text)))
    };
    let [free, held] = ["voq", "fifo"].map(of);
    assert!(free > 0.95 && held < 0.5, "{free} and {held}");
}

#[test]
fn bursts_slow_the_victim_in_proportion_to_their_duty_cycle() {
    let baseline = alone();
    let harmed = baseline / mean_s(&run(&compiled(&scene(3, ""))));
    for (length, pause) in [("1us", "2ms"), ("2ms", "2ms"), ("3ms", "1ms")] {
        let text = scene(3, "").replace(
            "steps: endless",
            &format!("steps: endless, bursts: {{length: {length}, pause: {pause}}}"),
        );
        let text = text.replace("{precision: 1%}", "{precision: 1%, at_least: 300}");
        let run = run(&compiled(&text));
        // Bursts end with a round, so the duty cycle is that of the rounds.
        let rounds = steps(&run, AGGRESSOR);
        let whole = rounds.last().unwrap().end.since(rounds[0].start).as_seconds();
        let busy: f64 = rounds.iter().map(|row| row.end.since(row.start).as_seconds()).sum();
        let duty = busy / whole;
        let law = 1.0 - duty * (1.0 - harmed);
        let found = baseline / mean_s(&run);
        assert!((found / law - 1.0).abs() < 0.05, "{length}, {pause}: {found}, expected {law} (duty {duty})");
    }
}

#[test]
fn a_burst_consists_of_whole_rounds_and_keeps_its_pause() {
    let bursts = "steps: endless, bursts: {length: 1500us, pause: 400us, slack: 55us}";
    let model = compiled(&scene(3, "").replace("steps: endless", bursts));
    let delay = model.coordination_delay;
    let rounds = steps(&run(&model), AGGRESSOR);
    let mut began = rounds[0].start;
    let mut n_bursts = 0;
    for two in rounds.windows(2) {
        let release = two[0].end + delay;
        if release.since(began) < Duration::from_micros(1500) {
            assert_eq!(two[1].start, release, "rounds of a burst are back to back");
        } else {
            assert_eq!(two[1].start, release + Duration::from_micros(455));
            (began, n_bursts) = (two[1].start, n_bursts + 1);
        }
    }
    assert!(n_bursts >= 3, "{n_bursts}");
}

#[test]
fn random_bursts_are_the_same_at_all_ranks_and_depend_on_the_seed() {
    let bursts = "steps: endless, bursts: {length: 800us, pause: 400us, kind: exponential}";
    let model = compiled(&scene(3, "").replace("steps: endless", bursts));
    let of_seed = |seed| steps(&run(&Model { seed, ..model.clone() }), AGGRESSOR);
    let (first, other) = (of_seed(1), of_seed(2));
    assert_eq!(first, of_seed(1));
    assert_ne!(first, other);
    // All ranks begin a round when the last rank has arrived: a round never lasts longer than its bytes need.
    let longest = first.iter().map(|row| row.end.since(row.start)).max().unwrap().as_seconds();
    assert!(longest < 3.0 * 2_097_152.0 * 8.0 / PAYLOAD * 1.5, "{longest}");
}

/// Messages of a job other than grants.
fn data(run: &Run, job: u16) -> Vec<FlowRow> {
    run.records.flows.iter().filter(|row| row.job == job && row.size.0 > 64).copied().collect()
}

/// The largest number of rounds of the aggressor in progress at once.
fn rounds_in_progress(run: &Run) -> usize {
    let flows = data(run, AGGRESSOR);
    let at = |flow: &FlowRow| {
        let is_open =
            |other: &&FlowRow| other.start <= flow.start && other.end.is_none_or(|end| end > flow.start);
        let mut open: Vec<u32> = flows.iter().filter(is_open).map(|other| other.step).collect();
        open.sort_unstable();
        open.dedup();
        open.len()
    };
    flows.iter().map(at).max().unwrap()
}

#[test]
fn a_root_that_posts_one_round_at_a_time_has_one_in_progress() {
    let granted = run(&compiled(&scene(3, "")));
    assert!(steps(&granted, AGGRESSOR).len() > 5);
    assert_eq!(rounds_in_progress(&granted), 1);
    // Without grants, senders run ahead.
    let eager =
        scene(3, "").replace("rendezvous: 32KiB", "rendezvous: none").replace("steps: endless", "steps: 20");
    assert!(rounds_in_progress(&run(&compiled(&eager))) > 1);
}

#[test]
fn rendezvous_adds_a_handshake_and_saves_the_copy() {
    let alone = |hosts: &str| {
        let text = scene(3, "").replace("{rendezvous: 32KiB}", hosts).replace("steps: endless", "steps: 1");
        let mut model = compiled(&text);
        model.workload.jobs.truncate(1);
        run(&model).records.measures[0].mean
    };
    let granted = alone("{rendezvous: 32KiB}");
    // One round of a ring of two: one message each way, which then no longer meets the acknowledgement of a grant (5.12
    // ns).
    let later = alone("{rendezvous: 32KiB, handshake: 8us}").0 - granted.0;
    assert!((8_000_000 - 5_120..=8_000_000).contains(&later), "{later} ps");
    assert_eq!(alone("{rendezvous: 32KiB, copy: 100Gbps}"), granted);
    let eager = alone("{rendezvous: none}");
    // Half a mebibyte at 80 ps per byte.
    assert_eq!(alone("{rendezvous: none, copy: 100Gbps}"), eager + Duration(524_288 * 80));
}

#[test]
fn the_run_ends_with_its_last_finite_job() {
    let run = run(&compiled(&scene(3, "")));
    let [victim, aggressor] = run.records.jobs[..] else { panic!("two jobs") };
    let delay = compiled(&scene(3, "")).coordination_delay;
    assert_eq!(run.outcome.end, victim.end.expect("it has an end") + delay);
    assert_eq!(aggressor.end, None);
    assert!(steps(&run, AGGRESSOR).iter().all(|row| row.end <= run.outcome.end));
    assert!(aggressor.steps > 3 && steps(&run, AGGRESSOR).len() == aggressor.steps as usize);
}

#[test]
fn progress_counts_the_steps_of_finite_jobs() {
    struct Last(Option<Progress>);
    impl Observer for Last {
        fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
            self.0 = Some(*progress);
            Control::Continue
        }
    }
    let model = compiled(&scene(3, ""));
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the jobs are valid");
    let mut last = Last(None);
    let extensions = Extensions { observer: Some(&mut last), ..Extensions::default() };
    let run = simulate_with(&model, work, Options::default(), extensions);
    let [victim, aggressor] = run.records.jobs[..] else { panic!("two jobs") };
    let progress = last.0.expect("there was a window");
    assert!(aggressor.steps > 3);
    assert_eq!(progress.steps, u64::from(victim.steps));
    assert!(progress.steps <= progress.total_steps, "{progress:?}");
}

#[test]
fn measured_statistics_follow_from_the_steps() {
    let run = run(&compiled(&scene(3, "")));
    let row = measured(&run);
    let times: Vec<u64> = steps(&run, VICTIM).iter().map(|step| step.end.since(step.start).0).collect();
    assert_eq!(times.len(), (row.steps + row.warm_up) as usize);
    assert_eq!(u64::from(row.warm_up), (times.len() as f64 * 0.1).ceil() as u64);
    let counted = &times[row.warm_up as usize..];
    let mean = counted.iter().sum::<u64>() as f64 / counted.len() as f64;
    assert!((row.mean.0 as f64 - mean).abs() <= 0.5);
    let half = row.half_interval.expect("there are ten").0 as f64;
    assert!(half <= 0.01 * mean, "{half} of {mean}");
    assert_eq!(row.precise, Some(true));
    // A step begins when all ranks have arrived: never before the preceding step has ended.
    assert!(steps(&run, VICTIM).windows(2).all(|two| two[0].end < two[1].start));
}

#[test]
fn a_job_that_reaches_its_step_limit_reports_that_it_is_not_precise() {
    let bursts = "steps: endless, bursts: {length: 1us, pause: 700us}";
    let text = scene(3, "")
        .replace("{precision: 1%}", "{precision: 0.01%, at_most: 30}")
        .replace("steps: endless", bursts);
    let row = measured(&run(&compiled(&text)));
    assert_eq!((row.steps, row.warm_up, row.precise), (27, 3, Some(false)));
    let text = scene(3, "").replace("{precision: 1%}", "30").replace("warm_up: 10%", "warm_up: 7");
    let row = measured(&run(&compiled(&text)));
    assert_eq!((row.steps, row.warm_up, row.precise), (23, 7, None));
    // A warm-up of 0 % requests a measurement; `warm_up: 0` does not.
    let row = measured(&run(&compiled(&text.replace("warm_up: 7", "warm_up: 0%"))));
    assert_eq!((row.steps, row.warm_up, row.precise), (30, 0, None));
    assert!(run(&compiled(&text.replace("warm_up: 7", "warm_up: 0"))).records.measures.is_empty());
}

#[test]
fn execution_options_do_not_change_records() {
    let bursts = "steps: endless, bursts: {length: 300us, pause: 100us, kind: exponential}";
    let burst = scene(3, "record: {messages: summed}").replace("steps: endless", bursts);
    let limited = scene(3, "")
        .replace(
            "{rendezvous: 32KiB}",
            "{send_overhead: 350ns, injection: 60Gbps, injection_to_many: 25Gbps, copy: 400Gbps}",
        )
        .replace("steps: endless", "steps: 5");
    let slow =
        scene(3, "").replace("{rendezvous: 32KiB}", "{rendezvous: 32KiB, handshake: 3us, copy: 100Gbps}");
    for text in [scene(2, ""), burst, limited, slow] {
        // Shorter, so that many options can be tried in little time.
        let text = text.replace("1MiB", "128KiB").replace("2MiB", "256KiB").replace("{precision: 1%}", "12");
        let model = compiled(&text);
        let plain = run(&model).results();
        for options in [
            Options { threads: 2, ..Options::default() },
            Options { threads: 3, coarsen: 2, ..Options::default() },
            Options { coarsen: u32::MAX, ..Options::default() },
            Options { shortcut: false, ..Options::default() },
        ] {
            let other = run_as(&model, options).results();
            assert_eq!(other.outcome, plain.outcome, "{options:?}");
            assert!(other.records == plain.records, "{options:?}: other records");
        }
    }
}

#[test]
fn message_totals_are_the_sums_of_the_rows_they_replace() {
    let [each, summed] =
        ["each", "summed"].map(|how| run(&compiled(&scene(3, &format!("record: {{messages: {how}}}")))));
    assert!(each.records.tallies.is_empty() && !summed.records.tallies.is_empty());
    assert!(summed.records.flows.iter().all(|row| row.end.is_none()));
    let tables =
        |run: &Run| (run.records.steps.clone(), run.records.measures.clone(), run.records.ports.clone());
    assert_eq!(tables(&each), tables(&summed));
    for tally in &summed.records.tallies {
        let rows = each.records.flows.iter().filter(|row| (row.job, row.source) == (tally.job, tally.source));
        let arrived: Vec<&FlowRow> = rows.filter(|row| row.end.is_some()).collect();
        assert_eq!(tally.messages, arrived.len() as u64);
        assert_eq!(tally.size.0, arrived.iter().map(|row| row.size.0).sum::<u64>());
        assert_eq!(tally.packets, arrived.iter().map(|row| u64::from(row.packets)).sum::<u64>());
        assert_eq!(tally.on_queue_pairs, tally.messages);
    }
    let n_arrived = each.records.flows.iter().filter(|row| row.end.is_some()).count() as u64;
    assert_eq!(summed.records.tallies.iter().map(|tally| tally.messages).sum::<u64>(), n_arrived);
}

#[test]
fn a_host_keeps_its_injection_limit_over_all_its_ports() {
    // Two links to two switches, messages over both.
    let text = |limit: &str| {
        format!(
            "netloom: 1\n\
         fabric:\n  custom:\n    hosts: [a, b, c]\n    switches: [one, two]\n    links:\n      \
         - {{from: a, to: one, rate: 100Gbps, delay: 100ns}}\n      - {{from: a, to: two, rate: 100Gbps, delay: 100ns}}\n      \
         - {{from: b, to: one, rate: 100Gbps, delay: 100ns}}\n      - {{from: c, to: two, rate: 100Gbps, delay: 100ns}}\n      \
         - {{from: one, to: two, rate: 100Gbps, delay: 100ns}}\n\
         transport: ideal\nqueues: {{credits: {{}}}}\nhosts: {{{limit}}}\n\
         jobs:\n  - {{placement: {{list: [a, b, c]}}, phases: [broadcast_tree: {{size: 1MiB}}]}}\n"
        )
    };
    let sent_by_a = |limit: &str| {
        let run = run(&compiled(&text(limit)));
        let from_a: Vec<&FlowRow> = run.records.flows.iter().filter(|row| row.source.0 == 0).collect();
        let end = from_a.iter().filter_map(|row| row.end).max().unwrap();
        end.as_seconds()
    };
    let seconds = |rate: f64| 2.0 * 1_048_576.0 * 8.0 / (rate * 4096.0 / 4158.0);
    for (limit, rate) in [
        ("injection: none", 200e9),
        ("injection: 150Gbps", 150e9),
        ("injection: 60Gbps", 60e9),
        // Both queue pairs have data to send until the end.
        ("injection: 150Gbps, injection_to_many: 60Gbps", 60e9),
    ] {
        let found = sent_by_a(limit);
        assert!(
            (found / seconds(rate) - 1.0).abs() < 0.03,
            "{limit}: {found} s, expected {} s",
            seconds(rate)
        );
    }
}

#[test]
fn the_limit_for_many_peers_does_not_apply_to_a_single_peer() {
    let text = |limits: &str, phase: &str| {
        format!(
            "netloom: 1\nfabric: {{single_switch: {{hosts: 4, host_rate: 200Gbps}}}}\n\
             transport: ideal\nqueues: {{credits: {{}}}}\nhosts: {{injection: 150Gbps{limits}}}\n\
             jobs: [{{phases: [{phase}]}}]\n"
        )
    };
    let duration = |limits: &str, phase: &str| {
        run(&compiled(&text(limits, phase))).records.flows.iter().filter_map(|row| row.end).max().unwrap()
    };
    let ring = "{ring_all_gather: {size: 4MiB}}";
    assert_eq!(duration(", injection_to_many: 50Gbps", ring), duration("", ring), "one peer for each");
    let exchange = "{all_to_all_linear: {size: 4MiB}}";
    let [slow, fast] =
        [", injection_to_many: 50Gbps", ""].map(|limits| duration(limits, exchange).as_seconds());
    assert!((slow / fast / 3.0 - 1.0).abs() < 0.05, "{slow} s against {fast} s");
}
