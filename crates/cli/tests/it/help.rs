//! The help texts are the reference of the command; a snapshot makes changes visible in review.

use crate::command::Workspace;

#[test]
fn help_texts() {
    let workspace = Workspace::new();
    let mut texts = String::new();
    let subcommands = [
        "",
        "run",
        "sweep",
        "compare",
        "report",
        "figures",
        "show",
        "show packets",
        "show paths",
        "show themis",
        "export",
        "export perfetto",
        "export csv",
        "export nccl-tests",
        "export osu",
        "check",
        "list",
        "import",
        "import seed-sim",
        "import crab",
        "import osu",
        "import nccl-tests",
        "field",
        "field testbed",
        "field prepare",
        "field run",
        "field collect",
        "reproduce",
        "demo",
        "bench",
    ];
    for verbs in subcommands {
        let arguments: Vec<&str> = verbs.split_whitespace().chain(["--help"]).collect();
        let help = workspace.netloom(&arguments);
        assert_eq!(help.code, Some(0));
        texts.push_str(&format!("$ netloom {}\n{}\n", arguments.join(" "), help.out));
    }
    insta::assert_snapshot!(texts);
}
