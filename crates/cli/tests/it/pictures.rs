//! Drawings of fabrics and runs for the terminal, as printed if standard output is not a terminal.

use std::fs;

use crate::command::{SMALL, Workspace, command};

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn a_file_with_the_name_of_a_command_is_drawn_if_its_folder_is_given() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    workspace.write("packets", SMALL);
    let small = workspace.netloom(&["show", "small.yaml"]);
    assert_eq!(small.code, Some(0), "{}", small.err);
    assert!(small.out.contains("leaf[0-1].host[0-1]") && small.out.contains("│ spine0 │"), "{}", small.out);
    let packets = workspace.netloom(&["show", "./packets"]);
    assert_eq!(packets.code, Some(0), "{}", packets.err);
    assert!(packets.out.contains("── packets ─"), "{}", packets.out);
    // Without its folder it is the command, which requires a run.
    let subcommand = workspace.netloom(&["show", "packets"]);
    assert_eq!(subcommand.code, Some(2));
    assert!(subcommand.err.contains("<RUN>"), "{}", subcommand.err);
    for (arguments, why) in [(&["show"][..], "<FILE>"), (&["show", "nowhere.yaml"], "there is no such file")]
    {
        let refused = workspace.netloom(arguments);
        assert_eq!(refused.code, Some(2));
        assert!(refused.err.contains(why), "{}", refused.err);
    }
    let refused = workspace.netloom(&["show", "small.yaml", "packets", "out"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
}

#[test]
fn a_fabric_without_workload_is_drawn_and_an_invalid_one_is_refused_with_its_line() {
    let workspace = Workspace::new();
    workspace.write("base.yaml", "netloom: 1\nfabric: { single_switch: { hosts: 4 } }\n");
    workspace.write("heir.yaml", "netloom: 1\nfrom: base.yaml\nbalance: spray\n");
    let heir = workspace.netloom(&["show", "heir.yaml", "--set", "fabric.single_switch.hosts=6"]);
    assert_eq!(heir.code, Some(0), "{}", heir.err);
    for word in ["inherits from base.yaml", "6 hosts", "none (a base fabric)", "spray"] {
        assert!(heir.out.contains(word), "{word}: {}", heir.out);
    }
    let json = workspace.netloom(&["show", "heir.yaml", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!((&json["hosts"], &json["layers"][1]["names"]), (&4.into(), &"switch".into()));
    // A fabric without workload cannot be run.
    assert_eq!(workspace.netloom(&["run", "heir.yaml"]).code, Some(2));
    workspace.write("wrong.yaml", "netloom: 1\nfabric: { single_switch: { hosts: none, host: 4 } }\n");
    let wrong = workspace.netloom(&["show", "wrong.yaml"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("wrong.yaml:2"), "{}", wrong.err);
}

#[test]
fn a_text_summary_writes_a_file_only_if_one_is_given() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "small"]).code, Some(0));
    let text = workspace.netloom(&["report", "--text", "small"]);
    assert_eq!(text.code, Some(0), "{}", text.err);
    assert!(text.out.contains("Step time") && text.out.contains("netloom report small -o"), "{}", text.out);
    assert!(widest(&text.out) <= 80 && !text.out.contains('\u{1b}'), "{}", text.out);
    assert!(!workspace.path("out").exists());
    assert_eq!(workspace.netloom(&["report", "--text", "small"]).out, text.out);
    let both = workspace.netloom(&["report", "--text", "small", "-o", "page.html"]);
    assert_eq!(both.code, Some(0), "{}", both.err);
    assert!(both.out.starts_with(&text.out) && both.out.contains("report page.html"), "{}", both.out);
    assert!(fs::read_to_string(workspace.path("page.html")).expect("it is there").contains("<html"));
    assert_eq!(workspace.netloom(&["report", "small"]).code, Some(0));
    assert!(workspace.path("out/report.html").exists());
    // The fabric of a run is drawn from its run folder.
    let fabric = workspace.netloom(&["show", "small"]);
    assert!(fabric.out.contains("leaf[0-1].host[0-1]"), "{}{}", fabric.out, fabric.err);
}

#[test]
fn columns_set_the_width_of_drawings() {
    let workspace = Workspace::new();
    workspace.write("small.yaml", SMALL);
    assert_eq!(workspace.netloom(&["run", "small.yaml", "-o", "small"]).code, Some(0));
    for columns in [60, 120] {
        for arguments in [["show", "small.yaml"].as_slice(), &["report", "--text", "small"]] {
            let mut asked = command(&workspace.path("."));
            let answer =
                asked.args(arguments).env("COLUMNS", columns.to_string()).env("TERM", "xterm-256color");
            let answer = answer.output().expect("the command starts");
            let text = String::from_utf8(answer.stdout).expect("it is text");
            assert!(widest(&text) == columns && !text.contains('\u{1b}'), "{text}");
        }
    }
}
