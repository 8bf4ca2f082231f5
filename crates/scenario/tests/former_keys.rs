//! Former names of keys: read as the present ones, with a warning for each.

use netloom_scenario::{Compiled, Overrides, Resolved, compile, resolve, resolve_with};

const FORMER: &str = "
netloom: 1
fabric: { dragonfly: { groups: 3, switches_per_group: 2, hosts_per_switch: 2 } }
balance: { slingshot: { longer: 3, longer_weight: 4 } }
transport: { irn: { entropy: pair } }
queues: { credits: { data_lane: 1, control_lane: 2, extra_steps: 1 } }
flows: { settle: 10us, list: [ { from: group0.switch0.host0, to: group1.switch0.host0, stop: 1ms } ] }
faults: { knowledge: global }
";
const PRESENT: &str = "
netloom: 1
fabric: { dragonfly: { groups: 3, switches_per_group: 2, hosts_per_switch: 2 } }
balance: { slingshot: { non_minimal: 3, non_minimal_weight: 4 } }
transport: { irn: { hash_input: pair } }
queues: { credits: { data_vl: 1, control_vl: 2, extra_vls: 1 } }
flows: { warm_up: 10us, list: [ { from: group0.switch0.host0, to: group1.switch0.host0, stop: 1ms } ] }
faults: { awareness: global }
";

fn read(text: &str) -> Resolved {
    resolve(text, "test.yaml").expect("the scenario is valid")
}

fn compiled(resolved: &Resolved) -> Compiled {
    compile(resolved).expect("the scenario is consistent")
}

fn warnings(compiled: &Compiled) -> Vec<String> {
    let problems = compiled.warnings.problems().iter();
    problems.map(|problem| problem.message().to_owned()).filter(|text| text.ends_with(" now")).collect()
}

#[test]
fn a_scenario_with_former_keys_means_the_same_and_names_the_present_ones() {
    let (former, present) = (compiled(&read(FORMER)), compiled(&read(PRESENT)));
    assert_eq!(former.resolved_yaml, present.resolved_yaml);
    assert_eq!(format!("{:?}", former.model), format!("{:?}", present.model));
    assert!(warnings(&present).is_empty());
    assert_eq!(
        warnings(&former),
        [
            "`longer` is called `non_minimal` now",
            "`longer_weight` is called `non_minimal_weight` now",
            "`entropy` is called `hash_input` now",
            "`data_lane` is called `data_vl` now",
            "`control_lane` is called `control_vl` now",
            "`extra_steps` is called `extra_vls` now",
            "`settle` is called `warm_up` now",
            "`knowledge` is called `awareness` now",
        ]
    );
    let first = &former.warnings.problems()[0];
    assert_eq!(first.line_and_column(), (4, 25));
}

#[test]
fn overrides_may_have_former_keys() {
    let pairs = [
        ("flows.settle", "30us"),
        ("faults.knowledge", "local"),
        ("balance", "{progressive: {drawn: 2}}"),
        ("queues.credits", "{data_lane: 2}"),
    ];
    let set = pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let found = compiled(&resolve_with(PRESENT, "test.yaml", &overrides).expect("the overrides are valid"));
    for present in ["warm_up: 30us", "awareness: local", "candidate_groups: 2", "data_vl: 2"] {
        assert!(found.resolved_yaml.contains(present), "{present}: {}", found.resolved_yaml);
    }
    assert_eq!(warnings(&found).len(), 4);
}

#[test]
fn a_key_of_adaptive_spectrum_is_renamed_in_a_policy_of_one_kind_of_node() {
    let balance = |keys: &str| format!("balance: {{ switch: {{ adaptive_spectrum: {{ {keys} }} }} }}");
    let with = |keys| {
        PRESENT.replace("balance: { slingshot: { non_minimal: 3, non_minimal_weight: 4 } }", &balance(keys))
    };
    let former = with("longer_above: 2, longer_steps: 3")
        .replace("{ credits: { data_vl: 1, control_vl: 2, extra_vls: 1 } }", "{}");
    let present =
        former.replace("longer_above", "non_minimal_above").replace("longer_steps", "non_minimal_hops");
    assert_eq!(compiled(&read(&former)).resolved_yaml, compiled(&read(&present)).resolved_yaml);
}

#[test]
fn the_values_of_recorded_causes_were_flags() {
    for (former, present) in [("true", "all"), ("false", "none")] {
        let with = |value: &str| format!("{PRESENT}record: {{ causes: {value} }}\n");
        let (old, new) = (compiled(&read(&with(former))), compiled(&read(&with(present))));
        assert_eq!(old.resolved_yaml, new.resolved_yaml);
        let expected = [format!("`{former}` is called `{present}` now")];
        assert_eq!(warnings(&old), expected);
        let set = [("record.causes".to_owned(), former.to_owned())].into();
        let overrides = Overrides { set, ..Overrides::default() };
        let set = compiled(&resolve_with(PRESENT, "test.yaml", &overrides).expect("the override is valid"));
        assert!(set.resolved_yaml.contains(&format!("causes: {present}")), "{}", set.resolved_yaml);
        assert_eq!(warnings(&set), expected);
    }
}
