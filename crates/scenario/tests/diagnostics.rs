//! Properties of diagnostics as a whole; the corpus (`broken.rs`) has the messages of each kind of mistake.

use netloom_scenario::{Overrides, Style, resolve, resolve_with};

const FRAME: &str = "netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }
jobs: [ { phases: [ { ring_all_reduce: { size: 1MiB } } ] } ]
";

#[test]
fn mistakes_in_overrides() {
    let set = |path: &str, value: &str| (path.to_owned(), value.to_owned());
    let set = vec![
        set("fabric.leaf_spine.host_rate", "4"),
        set("transport.window.packts", "8"),
        set("jobs.3.steps", "2"),
    ];
    let overrides = Overrides { set, ..Overrides::default() };
    let wrong = resolve_with(FRAME, "scenario.yaml", &overrides).unwrap_err();
    insta::assert_snapshot!(wrong.render(Style::Plain));
}

#[test]
fn every_mistake_of_a_file_is_reported() {
    let text = format!("{FRAME}seed: x\nclasses: {{ data: 9 }}\nrecord: {{ packets_on: [nowhere] }}\n");
    let wrong = resolve(&text, "scenario.yaml").unwrap_err();
    assert_eq!(wrong.problems().len(), 3);
    let locations: Vec<_> = wrong.problems().iter().map(netloom_scenario::Problem::line_and_column).collect();
    assert_eq!(locations, [(4, 7), (5, 18), (6, 24)]);
    assert!(wrong.render(Style::Fancy).contains('\u{1b}'));
    assert!(!wrong.render(Style::Plain).contains('\u{1b}'));
}

#[test]
fn the_output_does_not_grow_with_the_text() {
    let wide = format!("{FRAME}balance: {}\n", "x".repeat(10_000_000));
    let keys: Vec<String> = (0..100_000).map(|number| format!("key{number}: 1")).collect();
    let many = format!("{FRAME}{}\n", keys.join("\n"));
    let folded = format!("{FRAME}name: |\n{}seed: x\n", "  line\n".repeat(1_000_000));
    for text in [wide, many, folded] {
        let rendered = resolve(&text, "scenario.yaml").unwrap_err().render(Style::Plain);
        assert!(rendered.len() < 50_000, "{} bytes", rendered.len());
    }
}
