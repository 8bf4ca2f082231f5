//! Content of compiled models: policies, faults, jobs, and the rules behind them.

use netloom_model::{
    Buffer, FailureAwareness, Fault, FaultAction, FlowHashInput, Marking, NackReaction, NamedFlow, Order,
    Pause, Phase, Posting, PriorityMap, QueuePairs, Rdma, ReroutePaths, SizePoint, Stage, TransportKind,
};
use netloom_policy::transport::Reliability;
use netloom_scenario::{Compiled, Diagnostics, Overrides, Problem, Style, compile, resolve, resolve_with};
use netloom_units::{Bytes, Duration, HostId, Rate, Time};

const FABRIC: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 4, spines: 2, hosts_per_leaf: 4, fabric_links: 2, fabric_delay: 2us } }
";
const JOB: &str = "jobs: [ { phases: [ { ring_all_reduce: { size: 1MiB } } ] } ]\n";

fn compiled(rest: &str) -> Compiled {
    let text = format!("{FABRIC}{rest}");
    let shown = |wrong: Diagnostics| -> ! { panic!("{}", wrong.render(Style::Plain)) };
    let resolved = resolve(&text, "test.yaml").unwrap_or_else(|wrong| shown(wrong));
    compile(&resolved).unwrap_or_else(|wrong| shown(wrong))
}

/// The warnings about settings without effect.
fn warnings_of(rest: &str) -> Vec<String> {
    compiled(rest).warnings.problems().iter().map(|problem| problem.message().to_owned()).collect()
}

fn refused(rest: &str) -> String {
    let text = format!("{FABRIC}{rest}");
    let wrong = match resolve(&text, "test.yaml") {
        Ok(resolved) => compile(&resolved).unwrap_err(),
        Err(wrong) => wrong,
    };
    wrong.problems().iter().map(|problem| problem.message().to_owned() + "\n").collect()
}

#[test]
fn defaults_make_a_complete_model() {
    let model = compiled(JOB).model;
    assert_eq!(model.seed, 1);
    assert_eq!(model.workload.jobs[0].ranks.len(), 16);
    // Hosts are advanced together with their leaf, as its links are the shorter ones.
    assert_eq!(model.coordination_delay, Duration::from_micros(2));
    assert_eq!(model.transport.packet, Bytes(4096));
    assert_eq!(model.transport.kind, TransportKind::OpenLoop { rate: None });
    assert!(model.faults.is_empty() && model.deadline.is_none());
}

#[test]
fn the_coordination_delay_is_at_least_the_lookahead() {
    let model = compiled(&format!("{JOB}coordination_delay: 3us\n")).model;
    assert_eq!(model.coordination_delay, Duration::from_micros(3));
    let text = refused(&format!("{JOB}coordination_delay: 500ns\n"));
    assert_eq!(text, "the coordination delay must be at least 2us\n");
}

#[test]
fn zero_delays_do_not_count_for_the_coordination_delay() {
    let text = "
netloom: 1
fabric:
  custom:
    hosts: [a, b]
    switches: [s]
    links: [ { from: a, to: s, rate: 1Gbps, delay: 0s }, { from: s, to: b, rate: 1Gbps, delay: 7ns } ]
jobs: [ { phases: [ { permutation: { size: 1KB } } ] } ]
";
    let model = compile(&resolve(text, "test.yaml").unwrap()).unwrap().model;
    assert_eq!(model.coordination_delay, Duration::from_nanos(7));
}

#[test]
fn repeats_are_unrolled() {
    let model = compiled(
        "jobs: [ { steps: 2, phases: [ { repeat: { times: 16, phases: [ { ring_all_reduce: { size: 1MiB } }, \
         { compute: 0.5ms } ] } }, barrier ] } ]\n",
    )
    .model;
    let phases = &model.workload.jobs[0].phases;
    assert_eq!(phases.len(), 33);
    assert_eq!(phases[31], Phase::Compute { span: Duration(500_000_000) });
    assert_eq!(phases[32], Phase::Barrier);
}

#[test]
fn buckets_contain_the_collectives_of_each() {
    let model = compiled(
        "jobs: [ { phases: [ { collectives: { buckets: 8, barrier: true, each: [ \
         { ring_reduce_scatter: { size: 8MiB, dependent: false, order: shuffled } }, \
         { ring_all_gather: { size: 8MiB, dependent: false, order: shuffled } } ] } } ] } ]\n",
    )
    .model;
    let Phase::Communicate { buckets, concurrent, barrier } = &model.workload.jobs[0].phases[0] else {
        panic!("a communication phase")
    };
    assert_eq!((buckets.len(), *concurrent, *barrier), (8, false, true));
    assert_eq!(buckets[7].collectives.len(), 2);
    assert_eq!(buckets[7].collectives[1].order, Order::Shuffled);
    assert!(!buckets[7].collectives[1].dependent);
}

#[test]
fn given_orders_belong_to_the_job() {
    let rest = "jobs: [ { placement: { contiguous: { ranks: 3 } }, orders: [[0, 1, 2], [2, 0, 1]], \
                phases: [ { ring_all_gather: { size: 1MiB, order: given } } ] } ]\n";
    let model = compiled(rest).model;
    let Phase::Communicate { buckets, .. } = &model.workload.jobs[0].phases[0] else {
        panic!("communication")
    };
    assert_eq!(buckets[0].collectives[0].order, Order::Given(vec![vec![0, 1, 2], vec![2, 0, 1]]));
    assert!(refused(&rest.replace("[2, 0, 1]", "[2, 0, 2]")).contains("not a permutation"));
    assert!(
        refused(&rest.replace("orders: [[0, 1, 2], [2, 0, 1]], ", "")).contains("needs the job's `orders`")
    );
}

#[test]
fn faults_are_found_by_name_and_sorted() {
    let rest = "faults: { awareness: global, failed: [leaf3-spine1.1, leaf0.host2.nic0], \
                timed: [ { at: 3ms, link: leaf0-spine0.0, action: up }, { at: 1ms, link: leaf0-spine0.0, action: down } ] }\n";
    let compiled = compiled(&format!("{JOB}{rest}"));
    let named: Vec<_> = compiled
        .model
        .faults
        .iter()
        .map(|fault| (fault.at, compiled.link_names[fault.link.index()].as_str(), fault.action))
        .collect();
    assert_eq!(
        named,
        [
            (Time::ZERO, "leaf0.host2.nic0", FaultAction::Down),
            (Time::ZERO, "leaf3-spine1.1", FaultAction::Down),
            (Time(1_000_000_000), "leaf0-spine0.0", FaultAction::Down),
            (Time(3_000_000_000), "leaf0-spine0.0", FaultAction::Up),
        ]
    );
    assert_eq!(compiled.model.awareness, FailureAwareness::Global(ReroutePaths::Shortest));
}

#[test]
fn random_faults_follow_the_seed_and_are_named() {
    let rest = |seed| {
        format!("{JOB}seed: {seed}\nfaults: {{ random: {{ fraction: 25%, among: fabric, draw: exact }} }}\n")
    };
    let links = |compiled: &Compiled| {
        compiled.model.faults.iter().map(|fault: &Fault| fault.link.0).collect::<Vec<_>>()
    };
    let (one, two) = (compiled(&rest(1)), compiled(&rest(2)));
    // A quarter of 4 x 2 x 2 links; the first 16 links are those of hosts.
    assert_eq!(links(&one).len(), 4);
    assert!(links(&one).iter().all(|link| *link >= 16));
    assert_eq!(links(&one), links(&compiled(&rest(1))));
    assert_ne!(links(&one), links(&two));
    let name = &one.link_names[links(&one)[0] as usize];
    assert!(one.notes.iter().any(|note| note.contains(name)), "{:?}", one.notes);
}

#[test]
fn independent_failures_match_the_fraction() {
    let text = "
netloom: 1
fabric: { leaf_spine: { leaves: 16, spines: 16, hosts_per_leaf: 16, fabric_links: 4 } }
jobs: [ { phases: [ barrier ] } ]
faults: { random: { fraction: 0.05 } }
";
    let compiled = compile(&resolve(text, "test.yaml").unwrap()).unwrap();
    let (n_failed, n_links) = (compiled.model.faults.len(), compiled.link_names.len());
    // 64 expected of 1280, standard deviation 7.8.
    assert_eq!(n_links, 1280);
    assert!((33..=95).contains(&n_failed), "{n_failed} failed");
}

#[test]
fn jobs_share_the_hosts() {
    let rest = "jobs:
  - { name: a, placement: { rack_balanced: { ranks: 8 } }, phases: [ barrier ] }
  - { name: b, placement: rack_balanced, phases: [ { point_to_point: { stages: 4, size: 1MiB, gap: 75us, gap_from: run } } ] }
";
    let compiled = compiled(rest);
    let jobs = &compiled.model.workload.jobs;
    assert_eq!(jobs[1].ranks[..3], [HostId(2), HostId(3), HostId(6)]);
    assert_eq!(compiled.job_names, ["a", "b"]);
    let Phase::PointToPoint(what) = &jobs[1].phases[0] else { panic!("stages") };
    assert_eq!(what.stages, [[0, 1], [2, 3], [4, 5], [6, 7]]);
    assert!(what.gap_from_run_start);
    assert!(
        refused(&rest.replace("placement: rack_balanced", "placement: all"))
            .contains("is taken by another job")
    );
}

#[test]
fn background_messages_follow_the_fabric() {
    let model =
        compiled("background: { mice: { end: 100us, interval: 10us, packet: 1KiB, rate: 1Gbps } }\n").model;
    let background = model.workload.background.unwrap();
    assert_eq!(background.rate, Some(Rate(1_000_000_000)));
    assert!((0..16).eq(background.senders.iter().map(|sender| sender.host.0)));
    assert!((0..16).map(|host| host / 4).eq(background.racks.iter().copied()));
}

#[test]
fn the_capacity_of_a_host_is_that_of_all_its_ports() {
    let text = "
netloom: 1
fabric:
  custom:
    hosts: 2
    switches: 1
    links:
      - { from: host0, to: switch0, rate: 10Gbps, delay: 1us, count: 2 }
      - { from: host1, to: switch0, rate: 4Gbps, delay: 1us }
background: { poisson: { load: 0.5, end: 1us } }
";
    let model = compile(&resolve(text, "two.yaml").unwrap()).unwrap().model;
    let capacities = model.workload.background.unwrap().senders.into_iter().map(|sender| sender.capacity);
    assert!(capacities.eq([Rate(20_000_000_000), Rate(4_000_000_000)]));
}

const POISSON: &str = "load: 30%, end: 1ms";

#[test]
fn poisson_traffic_has_its_senders_and_sizes() {
    let model = compiled(&format!(
        "background: {{ poisson: {{ {POISSON}, sizes: given, given: [[0B, 0%], [4KB, 22.5%], [1MiB, 1]], \
         senders: {{ strided: {{ ranks: 3, stride: 4 }} }} }} }}\n"
    ))
    .model;
    let background = model.workload.background.unwrap();
    assert!(background.senders.iter().map(|sender| sender.host.0).eq([0, 4, 8]));
    assert_eq!(background.sizes[1], SizePoint { size: Bytes(4_000), share: 0.225 });
    let published = compiled(&format!("background: {{ poisson: {{ {POISSON}, sizes: solar }} }}\n")).model;
    assert_eq!(published.workload.background.unwrap().sizes.len(), 8);
}

#[test]
fn inconsistent_poisson_traffic_is_refused() {
    let refused = |rest: &str| refused(&format!("background: {{ poisson: {{ {POISSON}, {rest} }} }}\n"));
    assert!(refused("sizes: given").contains("`poisson` needs `given`"));
    assert!(refused("given: [[1B, 0%], [2B, 100%]]").contains("another distribution is selected"));
    assert!(refused("sizes: given, given: [[1B, 0%], [2B, 90%]]").contains("from 0% to 100%"));
    assert!(refused("sizes: given, given: [[9B, 0%], [2B, 100%]]").contains("do not rise"));
    assert!(refused("sizes: given, given: [[9B], [2, 100%]]").contains("a point is a size"));
    assert!(refused("senders: { contiguous: { ranks: 17 } }").contains("no such senders"));
    assert!(refused("sizes: given, given: [[1B, 0%], [17000GiB, 100%]]").contains("more packets than"));
}

#[test]
fn overrides_are_applied_before_checking() {
    let set = |path: &str, value: &str| (path.to_owned(), value.to_owned());
    let text = format!("{FABRIC}{JOB}balance: ecmp\n");
    let overrides = Overrides {
        set: vec![
            set("balance.ecmp.salt", "none"),
            set("fabric.leaf_spine.leaves", "2"),
            set("transport", "{window: {packets: 8}}"),
            set("jobs.0.steps", "3"),
        ],
        vary: vec![set("jobs.0.steps", "7")],
        seed: Some(9),
    };
    let resolved = resolve_with(&text, "test.yaml", &overrides).unwrap();
    assert_eq!(resolved.balance.host.settings.choice("salt"), "none");
    let model = compile(&resolved).unwrap().model;
    assert_eq!((model.seed, model.fabric.n_hosts(), model.workload.jobs[0].steps), (9, 8, 7));
    let wrong = Overrides {
        set: vec![set("fabric.leaf_spine.leafs", "2")],
        vary: vec![set("transport.windw.packets", "3")],
        seed: None,
    };
    let wrong = resolve_with(&text, "test.yaml", &wrong).unwrap_err();
    let names: Vec<&str> = wrong.problems().iter().map(Problem::source_name).collect();
    assert_eq!(names, ["--set", "--vary"]);
    // The same mistakes in another form of the scenario are duplicates.
    assert_eq!(Diagnostics::join([wrong.clone(), wrong]).problems().len(), 2);
}

#[test]
fn excessive_sizes_are_refused() {
    let phases = |phases: &str| refused(&format!("jobs: [ {{ phases: [ {phases} ] }} ]\n"));
    let nested =
        "{ repeat: { times: 65535, phases: [ { repeat: { times: 65535, phases: [ barrier ] } } ] } }";
    assert!(phases(nested).contains("more than 65535 phases"));
    let buckets = "{ repeat: { times: 60000, phases: [ { collectives: { buckets: 65535, each: [ \
                   { incast: { size: 1KB } } ] } } ] } }";
    assert!(phases(buckets).contains("a step of this job is too large"));
    // A mistake inside leaves nothing to repeat; nested repeats of nothing must not loop forever.
    let nothing = (0..12).fold("barier".to_owned(), |inner, _| {
        format!("{{ repeat: {{ times: 65535, phases: [ {inner} ] }} }}")
    });
    assert!(phases(&nothing).contains("no phase `barier`"));
    let mice = "background: { mice: { end: 100s, interval: 1ps } }\n";
    assert!(refused(mice).contains("more messages before its `end` than the limit"));
    let lanes =
        "{ collectives: { buckets: 17, concurrent: true, each: [ { ring_all_reduce: { size: 1MB } } ] } }";
    assert!(phases(lanes).contains("17 collectives run side by side, at most 16 can"));
    assert!(phases("{ incast: { size: 17000GiB } }").contains("more packets than can be counted"));
}

#[test]
fn a_custom_fabric_may_be_numbered() {
    let text = "
netloom: 1
fabric:
  custom:
    hosts: 3
    switches: 1
    links:
      - { from: host0, to: switch0, rate: 10Gbps, delay: 1us, count: 2 }
      - { from: host1, to: switch0, rate: 10Gbps, delay: 1us }
      - { from: host2, to: switch0, rate: 10Gbps, delay: 1us }
jobs: [ { name: \"any: text, \\\"quoted\\\"\", placement: { list: [host2, host0] }, phases: [ { incast: { size: 1KB } } ] } ]
";
    let resolved = resolve(text, "folder/three.yaml").unwrap();
    assert_eq!(resolved.name, "three");
    assert_eq!(resolve(&resolved.to_yaml(), "other.yaml").unwrap(), resolved);
    let compiled = compile(&resolved).unwrap();
    assert_eq!(compiled.link_names, ["host0-switch0.0", "host0-switch0.1", "host1-switch0", "host2-switch0"]);
    assert_eq!(compiled.job_names, ["any: text, \"quoted\""]);
    assert_eq!(compiled.model.workload.jobs[0].ranks, [HostId(2), HostId(0)]);
}

/// The queue pairs of a transport.
fn rdma(transport: &str) -> Rdma {
    let model = compiled(&format!("{JOB}transport: {transport}\n")).model;
    *model.transport.rdma().expect("it has queue pairs")
}

#[test]
fn queue_pairs_have_the_defaults_of_their_transport() {
    let model = compiled(&format!("{JOB}transport: nic_sr\n")).model;
    assert_eq!(
        (model.transport.packet, model.transport.flow_hash_input),
        (Bytes(4096 + 62), FlowHashInput::Message)
    );
    assert_eq!(model.classes, PriorityMap { data: 0, control: 1 });
    let nic_sr = rdma("nic_sr");
    let window = nic_sr.window;
    let ms = |n: u64| Duration::from_micros(1000 * n);
    let expected = Rdma {
        rule: Reliability::NicSr,
        header: Bytes(62),
        control: Bytes(64),
        queue_pairs: QueuePairs::Message,
        first_psn: 0,
        coalesce: 1,
        turn: Bytes(0),
        timeout: ms(4),
        timeout_low: ms(4),
        retries: 7,
        window,
        nack: NackReaction::AsCnp,
    };
    assert_eq!(nic_sr, expected);
    let ignore = NackReaction::Ignore;
    assert_eq!(rdma("go_back_n"), Rdma { rule: Reliability::GoBackN, nack: ignore, ..expected });
    let (timeout, timeout_low) = (ms(1), ms(1));
    let ideal = Rdma { rule: Reliability::Ideal, nack: ignore, timeout, timeout_low, ..expected };
    assert_eq!(rdma("ideal"), ideal);
    let irn = rdma("irn");
    let timeouts = [irn.timeout, irn.timeout_low];
    assert_eq!(timeouts, [320, 100].map(Duration::from_micros));
}

#[test]
fn written_settings_of_queue_pairs_reach_the_model() {
    let model = compiled(&format!(
        "{JOB}transport: {{irn: {{mtu: 1000B, header: none, control: 100B, queue_pairs: pair, first_psn: 16777215, \
         coalesce: 4, timeout: 9us, timeout_low: 5us, retries: 0, window: 9999B, nack: slow_start, hash_input: pair}}}}\n\
         classes: {{data: 2, control: 7}}\n"
    ))
    .model;
    let expected = Rdma {
        rule: Reliability::Irn,
        header: Bytes(0),
        control: Bytes(100),
        queue_pairs: QueuePairs::Pair,
        first_psn: 0xff_ffff,
        coalesce: 4,
        turn: Bytes(0),
        timeout: Duration::from_micros(9),
        timeout_low: Duration::from_micros(5),
        retries: 0,
        window: 9,
        nack: NackReaction::SlowStart,
    };
    assert_eq!(model.transport.kind, TransportKind::Rdma(expected));
    assert_eq!((model.transport.packet, model.transport.flow_hash_input), (Bytes(1000), FlowHashInput::Pair));
    assert_eq!(model.classes, PriorityMap { data: 2, control: 7 });
    assert_eq!(rdma("{irn: {window: 100B}}").window, 1);
}

#[test]
fn a_window_follows_from_the_longest_path() {
    // Defaults: 400 Gb/s everywhere, two links of hosts, two of the fabric.
    let text = format!("{FABRIC}{JOB}transport: {{irn: {{mtu: 938B, timeout: 1ms}}}}\n").replace(
        "fabric_delay: 2us",
        "fabric_delay: 2us, host_delay: 1us, host_rate: 100Gbps, fabric_rate: 100Gbps",
    );
    let compiled = compile(&resolve(&text, "test.yaml").unwrap()).unwrap();
    // 1000 bytes take 80 ns: 2 x (1 + 2 + 2 + 1 us + 4 x 80 ns) at 100 Gb/s are 158 packets.
    assert_eq!(compiled.model.transport.rdma().unwrap().window, 158);
    let is_reported = |note: &&String| note.contains("`window: none`") && note.contains("158 packets");
    assert!(compiled.notes.iter().any(|note| is_reported(&note)), "{:?}", compiled.notes);
    // Within one leaf the delay of fabric links does not count.
    let alone = text.replace("leaves: 4", "leaves: 1");
    let alone = compile(&resolve(&alone, "test.yaml").unwrap()).unwrap();
    assert_eq!(alone.model.transport.rdma().unwrap().window, 54);
}

#[test]
fn written_settings_of_queues_reach_the_model() {
    let queues =
        |rest: &str| compiled(&format!("{JOB}transport: go_back_n\nqueues: {{{rest}}}\n")).model.queues;
    let plain = queues("");
    assert_eq!((plain.buffer, plain.marking), (None, None));
    let lossy = Buffer { size: Bytes(16 << 20), alpha: 1024, pause: None };
    assert_eq!(queues("buffer: 16MiB").buffer, Some(lossy));
    assert_eq!(queues("buffer: 16MiB, alpha: 0.125").buffer, Some(Buffer { alpha: 128, ..lossy }));
    assert_eq!(queues("buffer: 16MiB, alpha: 64").buffer, Some(Buffer { alpha: 65_536, ..lossy }));
    assert_eq!(queues("buffer: 16MiB, alpha: 10%").buffer, Some(Buffer { alpha: 102, ..lossy }));
    let pause = Pause { headroom: None, xon_gap: Bytes(3000) };
    assert_eq!(queues("buffer: 16MiB, pause: true").buffer, Some(Buffer { pause: Some(pause), ..lossy }));
    let pause = Pause { headroom: Some(Bytes(50_000)), xon_gap: Bytes(9) };
    let given = queues("buffer: 16MiB, pause: true, headroom: 50KB, xon_gap: 9B").buffer;
    assert_eq!(given, Some(Buffer { pause: Some(pause), ..lossy }));
}

#[test]
fn marking_and_loss_probabilities_are_fixed_point_numbers() {
    let model = |rest: &str| compiled(&format!("{JOB}{rest}\n")).model;
    let marking = |rest: &str| {
        model(&format!("queues: {{marking: {{minimum: 5KB, maximum: 200KB{rest}}}}}")).queues.marking.unwrap()
    };
    let [minimum, maximum] = [Bytes(5_000), Bytes(200_000)];
    let expected = Marking { minimum, maximum, probability: 858_993_459, at_enqueue: false };
    assert_eq!(marking(""), expected);
    let all = marking(", probability: 100%, at: enqueue");
    assert_eq!(all, Marking { probability: 1 << 32, at_enqueue: true, ..expected });
    assert_eq!(model("").loss, 0);
    assert_eq!(model("faults: {loss: 25%}").loss, 1 << 30);
    assert_eq!(model("faults: {loss: 1}").loss, 1 << 32);
}

#[test]
fn choices_for_queue_pairs_reach_the_model() {
    let rest = "transport: nic_sr\ncongestion: {dcqcn: {preset: simai, notify: packet}}\n\
                balance: {switch: adaptive, control: spray, edge: {themis: {race: literal}}}\n";
    let model = compiled(&format!("{JOB}{rest}")).model;
    assert_eq!(netloom_policy::congestion::SPECS[model.congestion.number].name, "dcqcn");
    assert_eq!(model.congestion.settings.choice("preset"), "simai");
    assert!(model.balances.control.is_some());
    let edge = model.balances.edge.unwrap();
    assert_eq!(netloom_policy::edge::SPECS[edge.number].name, "themis");
    assert_eq!(edge.settings.choice("race"), "literal");
    let plain = compiled(JOB).model;
    assert_eq!(netloom_policy::congestion::SPECS[plain.congestion.number].name, "none");
    assert!(plain.balances.control.is_none() && plain.balances.edge.is_none());
}

#[test]
fn congestion_control_without_feedback_is_reported() {
    let warnings = |rest: &str| warnings_of(&format!("{JOB}congestion: dcqcn\n{rest}\n"));
    assert_eq!(warnings("transport: irn"), ["congestion control `dcqcn` has no effect here"]);
    assert_eq!(warnings("transport: nic_sr"), ["congestion control `dcqcn` slows down on NACKs only"]);
    assert!(warnings("transport: irn\nqueues: {marking: {minimum: 5KB, maximum: 9KB}}").is_empty());
}

#[test]
fn reordering_is_noted_with_a_transport_that_accepts_packets_in_order_only() {
    let is_warned = |balance: &str, transport: &str| {
        let text = format!("{JOB}balance: {balance}\ntransport: {transport}\n");
        compiled(&text).notes.iter().any(|note| note.contains("reorders packets"))
    };
    for balance in ["adaptive_spectrum", "spray", "adaptive", "{flowlet: {by: packets}}"] {
        assert!(is_warned(balance, "go_back_n"), "{balance}");
        assert!(!is_warned(balance, "ideal"), "{balance}");
        assert!(!is_warned(balance, "window"), "{balance}");
    }
    for balance in ["ecmp", "flowlet", "deterministic"] {
        assert!(!is_warned(balance, "go_back_n"), "{balance}");
    }
}

#[test]
fn longer_paths_are_computed_only_if_the_policy_may_use_them() {
    let triangle = |balance: &str| {
        let links: String = [("a", "x"), ("b", "y"), ("x", "y"), ("y", "z"), ("x", "z")]
            .map(|(from, to)| format!("      - {{from: {from}, to: {to}, rate: 100Gbps, delay: 500ns}}\n"))
            .concat();
        let text = format!(
            "netloom: 1\nfabric:\n  custom:\n    hosts: [a, b]\n    switches: [x, y, z]\n    links:\n{links}balance: \
             {balance}\njobs: [{{phases: [permutation: {{size: 1MiB}}]}}]\n"
        );
        let model = compile(&resolve(&text, "test.yaml").unwrap()).unwrap().model;
        model.routing.longer(netloom_units::NodeId(2), HostId(1)).to_vec()
    };
    assert_eq!(triangle("adaptive_spectrum"), [2]);
    assert!(triangle("{adaptive_spectrum: {non_minimal_hops: 0}}").is_empty());
    assert!(triangle("ecmp").is_empty());
}

#[test]
fn modelling_assumptions_of_a_fabric_are_noted() {
    let notes = |fabric: &str, balance: &str| {
        let jobs = "jobs: [{phases: [permutation: {size: 1MiB}]}]";
        let text = format!("netloom: 1\nfabric: {{{fabric}}}\nbalance: {balance}\n{jobs}\n");
        compile(&resolve(&text, "test.yaml").unwrap()).unwrap().notes.join("; ")
    };
    let plain = "dragonfly: {groups: 3, switches_per_group: 4, hosts_per_switch: 2}";
    assert!(!notes(plain, "ecmp").contains("groups"));
    let has_warning = |balance: &str| {
        let text = format!("netloom: 1\nfabric: {{{plain}}}\nbalance: {balance}\n{JOB}");
        !compile(&resolve(&text, "test.yaml").unwrap()).unwrap().warnings.is_empty()
    };
    assert!(has_warning("adaptive_spectrum"));
    assert!(!has_warning("{adaptive_spectrum: {non_minimal_hops: 0}}"));
    let several =
        "dragonfly: {groups: 3, switches_per_group: 4, hosts_per_switch: 2, nics: 2, global_links: 4}";
    assert!(notes(several, "ecmp").contains("switches far apart"));
    assert!(notes(several, "ecmp").contains("blocks of 2 neighbouring switches, with NICs on the first 2"));
    let plus = "dragonfly_plus: {groups: 3, leaves_per_group: 2, spines_per_group: 2, hosts_per_leaf: 2}";
    assert!(notes(plus, "ecmp").contains("spines of equal number"));
    assert!(
        notes("rail: {servers: 2, gpus_per_server: 2, spines: 1}", "ecmp").contains("GPUs do not forward")
    );
}

/// GPUs of one server send to each other at the rate of its inner switch, and to others at the rate of their NICs.
#[test]
fn flows_of_gpus_have_the_rate_of_the_links_to_their_destination() {
    let text = "netloom: 1\nfabric: {rail: {servers: 2, gpus_per_server: 2, spines: 1, host_links: 2}}\n\
                background: {mice: {end: 1ms}}\nflows:\n  message: 1MiB\n  list:\n    \
                - {name: inside, from: server0.gpu0, to: server0.gpu1, stop: 2ms}\n    \
                - {name: across, from: server0.gpu0, to: server1.gpu0, stop: 2ms}\n";
    let shown = |wrong: Diagnostics| -> ! { panic!("{}", wrong.render(Style::Plain)) };
    let resolved = resolve(text, "test.yaml").unwrap_or_else(|wrong| shown(wrong));
    let model = compile(&resolved).unwrap_or_else(|wrong| shown(wrong)).model;
    let gbps = |rate: u64| Rate(rate * 1_000_000_000);
    let staged = model.workload.staged.unwrap();
    let rates: Vec<_> = staged.flows.iter().map(|flow| flow.rate).collect();
    assert_eq!(rates, [Some(gbps(3600)), Some(gbps(800))]);
    let senders = model.workload.background.unwrap().senders;
    assert!(senders.iter().all(|sender| sender.capacity == gbps(800)), "load is a share of the NIC rates");
}

#[test]
fn queue_pairs_on_extreme_links_cause_no_panic() {
    let fabric = |rate: &str, delay: &str| {
        let links = format!("[{{from: host0, to: switch0, rate: {rate}, delay: {delay}, count: 2}}]");
        format!("netloom: 1\nfabric: {{custom: {{hosts: 1, switches: 1, links: {links}}}}}\n")
    };
    let rest = "congestion: {dcqcn: {minimum: 1bps, alpha_time: 0s}}\nqueues: {buffer: 1GB, pause: true}\n\
                background: {mice: {end: 1s, interval: 1ms}}\n";
    for rate in ["1bps", "999999Tbps"] {
        for delay in ["1ps", "8000000s"] {
            for transport in ["{irn: {mtu: 60MB}}", "{irn: {mtu: 1B, header: none}}", "go_back_n"] {
                let one = format!("{}transport: {transport}\n{rest}", fabric(rate, delay));
                let two = one.replace("hosts: 1", "hosts: 2").replace(
                    "}]",
                    &format!("}}, {{from: host1, to: switch0, rate: {rate}, delay: {delay}}}]"),
                );
                for text in [one, two] {
                    // It may be accepted or refused, but must not panic.
                    if let Ok(resolved) = resolve(&text, "absurd.yaml") {
                        let _ = compile(&resolved);
                    }
                }
            }
        }
    }
}

#[test]
fn a_pause_storm_comes_from_the_port_of_the_nic() {
    let rest = "transport: nic_sr\nqueues: {buffer: 16MiB, pause: true}\n\
                faults: {storms: [{link: leaf1.host2.nic0, at: 1ms, span: 2ms, interval: 5us}]}\n";
    let model = compiled(&format!("{JOB}{rest}")).model;
    let [storm] = model.storms[..] else { panic!("{:?}", model.storms) };
    assert_eq!(model.fabric.port(storm.port).node.0, 6);
    assert_eq!((storm.at, storm.end), (Time(1_000_000_000), Time(3_000_000_000)));
    assert_eq!(storm.interval, Duration::from_micros(5));
}

#[test]
fn paths_are_named_over_three_tiers_only() {
    let of = |fabric: &str, switch: &str| {
        let text = format!("netloom: 1\nfabric: {{{fabric}}}\nbalance: {{switch: {switch}}}\n{JOB}");
        let compiled = compile(&resolve(&text, "test.yaml").expect("it is right")).expect("it is right");
        compiled.model.balances.path_map.map(|paths| paths.n_paths())
    };
    let linear = "{psn_spray: {hash: linear}}";
    assert_eq!(of("fat_tree: {k: 8}", linear), Some(16));
    assert_eq!(of("fat_tree: {k: 32}", linear), Some(256));
    assert_eq!(of("fat_tree: {k: 8, leaf_links: 2, cores_per_aggregation: 2}", linear), Some(16));
    assert_eq!(of("fat_tree: {k: 8}", "{ecmp: {hash: linear}}"), None);
    assert_eq!(of("leaf_spine: {leaves: 2, spines: 4, hosts_per_leaf: 2}", linear), None);
}

#[test]
fn static_routes_reach_the_model_with_ports_and_sources() {
    let fabric = "fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2, fabric_links: 2}}\n";
    let entries = "routes:\n  - {at: spine1, to: leaf0.host1, link: leaf0-spine1.1}\n  \
                   - {at: leaf0, from: leaf0.host0, to: leaf1.host0, link: leaf0-spine1.0}\n  \
                   - {at: leaf0, to: leaf1.host0, link: leaf0-spine0.1}\n  \
                   - {at: leaf1, to: leaf0.host0, link: leaf1-spine1.1, any: true}\n";
    let text = format!("netloom: 1\n{fabric}balance: {{deterministic: {{key: pair}}}}\n{entries}{JOB}");
    let resolved = resolve(&text, "test.yaml").expect("it is right");
    let compiled = compile(&resolved).expect("any link that is a next hop needs no deadline");
    let found = compiled.model.balances.static_routes;
    let found = found.iter().map(|entry| (entry.at.0, entry.to.0, entry.from.map(|host| host.0), entry.port));
    // Hosts, then leaves, then spines; ports to hosts, then to spines, two each.
    let expected = [(4, 2, None, 3), (4, 2, Some(0), 4), (5, 0, None, 5), (7, 1, None, 1)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(compiled.changed.iter().any(|changed| changed.value == "4 entries, as listed"));
    assert_eq!(resolve(&resolved.to_yaml(), "test.yaml").expect("it is printed"), resolved);
}

const FLOWS: &str = "flows: { warm_up: 10us, scale: 1/1000, list: [ \
                     { name: a, from: leaf0.host0, to: leaf1.host0, stop: 2ms }, \
                     { from: leaf0.host0, to: leaf1.host0, start: 1ms, stop: 3ms, rate: 80Gbps } ] }\n";

fn millis(n: u64) -> Time {
    Time::ZERO + Duration::from_millis(n)
}

#[test]
fn every_start_and_stop_of_a_flow_is_a_boundary_of_stages() {
    let found = compiled(&format!("transport: ideal\n{FLOWS}record: {{ rates: 5us }}\n"));
    let staged = found.model.workload.staged.expect("there are flows");
    let warm_up = Duration::from_micros(10);
    let stage =
        |from, to| Stage { start: millis(from), measured_from: millis(from) + warm_up, end: millis(to) };
    assert_eq!(staged.stages, [stage(0, 1), stage(1, 2), stage(2, 3)]);
    assert_eq!((staged.message, staged.posting), (Bytes(1 << 20), Posting::Acknowledged { posted: 2 }));
    let rates: Vec<_> = staged.flows.iter().map(|flow| flow.rate).collect();
    assert_eq!(rates, [None, Some(Rate(80_000_000_000))]);
    assert_eq!(found.flow_names, ["a", "leaf0.host0->leaf1.host0"]);
    assert_eq!(found.time_scale.as_deref(), Some("1/1000"));
    assert!(found.notes.iter().any(|note| note == "times are 1/1000 of the source's"), "{:?}", found.notes);
    // Rates over time are those of the staged flows, as no others are selected; a pair of hosts counts once.
    let pair = NamedFlow { source: HostId(0), destination: HostId(4), number: None };
    assert_eq!(found.model.recording.rates_of, [pair]);
}

#[test]
fn explicit_stages_need_not_match_the_starts_of_flows() {
    let given = FLOWS.replace("warm_up: 10us", "stages: [0.5ms, 2.5ms]");
    let staged = compiled(&format!("transport: window\n{}", given.replace(", rate: 80Gbps", "")));
    let staged = staged.model.workload.staged.expect("there are flows");
    let [start, end] = [500, 2_500].map(|micros| Time::ZERO + Duration::from_micros(micros));
    assert_eq!(staged.stages, [Stage { start, measured_from: start, end }]);
    assert!(staged.flows.iter().all(|flow| flow.rate.is_none()));
}

#[test]
fn in_an_open_loop_every_flow_is_posted_at_a_fixed_rate() {
    let rates = |transport: &str| {
        let staged = compiled(&format!("transport: {transport}\n{FLOWS}")).model.workload.staged;
        let staged = staged.expect("there are flows");
        assert_eq!(staged.posting, Posting::Clocked);
        staged
            .flows
            .iter()
            .map(|flow| flow.rate.expect("posting at a fixed rate needs a rate").0)
            .collect::<Vec<_>>()
    };
    assert_eq!(rates("open_loop"), [400_000_000_000, 80_000_000_000]);
    assert_eq!(rates("{ open_loop: { rate: 9Gbps } }"), [9_000_000_000, 80_000_000_000]);
}

#[test]
fn a_flow_uses_one_port_with_queue_pairs_and_all_ports_without() {
    let two = FABRIC.replace("fabric_links: 2", "fabric_links: 2, host_links: 2, host_rate: 100Gbps");
    let accepted = |transport: &str, rate: &str| {
        let flows = FLOWS.replace("80Gbps", rate);
        let resolved = resolve(&format!("{two}transport: {transport}\n{flows}"), "test.yaml").unwrap();
        compile(&resolved).is_ok()
    };
    assert!(accepted("ideal", "100Gbps") && !accepted("ideal", "101Gbps"));
    assert!(accepted("open_loop", "200Gbps") && !accepted("open_loop", "201Gbps"));
}

#[test]
fn the_product_of_stages_and_flows_is_limited() {
    let flow = |n: usize| {
        let (from, to) = (n % 16 / 4, (n + 1) % 16 / 4);
        let (host, other) = (n % 4, (n + 1) % 4);
        format!(
            "{{name: f{n}, from: leaf{from}.host{host}, to: leaf{to}.host{other}, start: {n}us, stop: {}us}}",
            n + 50
        )
    };
    let flows = |n: usize| {
        let all: Vec<String> = (0..n).map(flow).collect();
        format!("transport: ideal\nflows: {{message: 64KiB, list: [{}]}}\n", all.join(", "))
    };
    assert_eq!(compiled(&flows(290)).model.workload.staged.map(|staged| staged.stages.len()), Some(339));
    assert_eq!(refused(&flows(295)), "344 stages of 295 flows are too many to record\n");
}
