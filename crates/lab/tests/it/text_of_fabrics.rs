//! Fabrics in characters: the pictures of each kind, and their maximum width.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use netloom_lab::show::fabric::{ShownFabric, fabric, of_path};
use netloom_lab::text::{self, Look};
use netloom_lab::{Overrides, RunRequest, Source, Style, run};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every scenario and every fabric of the repository.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("scenarios"), root().join("fabrics")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.extension().is_some_and(|ending| ending == "yaml") => found.push(path),
                _ => {}
            }
        }
    }
    // Neither allocations nor the files beside them are scenarios on their own.
    found.retain(|path| !path.components().any(|part| part.as_os_str() == "allocations"));
    found.sort();
    found
}

fn shown(source: &Source) -> ShownFabric {
    fabric(source, &Overrides::default()).unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
}

fn of_text(text: &str) -> ShownFabric {
    shown(&Source::text("scene.yaml", text))
}

fn of_file(below: &str) -> ShownFabric {
    let found = of_path(&root().join(below), &Overrides::default());
    found.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)))
}

/// The picture with bases by file name, since their paths differ between machines.
fn drawn(shown: &mut ShownFabric, width: usize) -> String {
    for base in &mut shown.outline.inherits_from {
        *base = Path::new(base.as_str()).file_name().expect("it is a file").to_string_lossy().into_owned();
    }
    text::fabric(shown, Look { width, colours: false })
}

/// Columns of the widest line, without the escape sequences of colours.
pub fn widest(text: &str) -> usize {
    let mut widest = 0;
    for line in text.lines() {
        let mut width = 0;
        let mut pieces = line.split('\u{1b}');
        width += unicode_width::UnicodeWidthStr::width(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (_, after) = piece.split_once('m').expect("colours end with this letter");
            width += unicode_width::UnicodeWidthStr::width(after);
        }
        widest = widest.max(width);
    }
    widest
}

/// Asserts that the documentation shows this text below this command; `NETLOOM_UPDATE_GOLDEN=1` updates it.
#[track_caller]
pub fn on_the_page(command: &str, text: &str) {
    /// Several tests update one page.
    static PAGE: Mutex<()> = Mutex::new(());
    let _alone = PAGE.lock();
    let path = root().join("docs/concepts/terminal.md");
    let page = fs::read_to_string(&path).expect("the page can be read");
    let opening = format!("```text\n$ {command}\n");
    let (before, rest) = page.split_once(&opening).expect("the page has the command");
    let (shown, after) = rest.split_once("```").expect("its block ends");
    if std::env::var_os("NETLOOM_UPDATE_GOLDEN").is_some() {
        let fresh = [before, &opening, text, "```", after].concat();
        fs::write(&path, fresh).expect("the page can be written");
    } else {
        assert_eq!(shown, text, "`make golden` updates docs/concepts/terminal.md");
    }
}

const EIGHT_THOUSAND: &str = "
netloom: 1
name: eight thousand
fabric: { leaf_spine: { leaves: 128, spines: 32, hosts_per_leaf: 64, host_rate: 400Gbps, fabric_rate: 800Gbps } }
";

/// A graph that is not a tree: a ring of four switches, one of them without hosts, and a link that skips a tier.
const LISTS: &str = "
netloom: 1
name: lists
fabric:
  custom:
    hosts: [a, b, c]
    switches: [north, east, south, west]
    links:
      - {from: a, to: north, rate: 100Gbps, delay: 500ns}
      - {from: b, to: east, rate: 100Gbps, delay: 500ns}
      - {from: c, to: south, rate: 40Gbps, delay: 1us}
      - {from: north, to: east, rate: 100Gbps, delay: 500ns, count: 2}
      - {from: east, to: south, rate: 100Gbps, delay: 500ns}
      - {from: south, to: west, rate: 100Gbps, delay: 500ns}
      - {from: west, to: north, rate: 100Gbps, delay: 500ns}
jobs: [ { phases: [ { permutation: { size: 4KiB } } ] } ]
";

#[test]
fn fabrics_of_every_kind() {
    let files = [
        "scenarios/fabrics/two_leaves.yaml",
        "scenarios/fabrics/fat_tree.yaml",
        "scenarios/fabrics/dragonfly.yaml",
        "scenarios/fabrics/dragonfly_plus.yaml",
        "scenarios/fabrics/dragonfly_nics.yaml",
        "scenarios/fabrics/rail.yaml",
        "scenarios/fabrics/custom.yaml",
        "scenarios/fabrics/single_switch.yaml",
        "scenarios/infiniband/c2_5_ar.yaml",
        "fabrics/lumi.yaml",
    ];
    let mut texts = String::new();
    for file in files {
        texts.push_str(&format!("$ netloom show {file}\n{}\n", drawn(&mut of_file(file), 80)));
    }
    for text in [EIGHT_THOUSAND, LISTS] {
        texts.push_str(&format!("{text}\n{}\n", drawn(&mut of_text(text), 80)));
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn the_documentation_shows_the_pictures() {
    for file in ["scenarios/fabrics/fat_tree.yaml", "scenarios/fabrics/dragonfly_plus.yaml"] {
        on_the_page(&format!("netloom show {file}"), &drawn(&mut of_file(file), 80));
    }
}

#[test]
fn no_line_is_wider_than_requested() {
    let files = files();
    assert!(files.len() > 60, "{}", files.len());
    for file in files {
        let shown = shown(&Source::file(&file));
        for width in [20, 60, 80, 120, 300] {
            let plain = text::fabric(&shown, Look { width, colours: false });
            let coloured = text::fabric(&shown, Look { width, colours: true });
            assert!(widest(&plain) <= width, "{} at {width}:\n{plain}", file.display());
            assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'), "{}", file.display());
            assert_eq!(widest(&coloured), widest(&plain), "{}", file.display());
        }
    }
}

#[test]
fn a_small_picture_has_every_switch_and_every_link() {
    let text = drawn(&mut of_file("scenarios/inheritance/failed_link.yaml"), 120);
    for word in [
        "spine0",
        "spine3",
        "leaf0",
        "leaf1",
        "4 hosts",
        "inherits from base.yaml",
        "not oversubscribed (1:1)",
    ] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
}

#[test]
fn numbers_are_those_of_the_model() {
    let outline = of_text(EIGHT_THOUSAND).outline;
    assert_eq!((outline.hosts, outline.switches, outline.links), (8_192, 160, 8_192 + 128 * 32));
    assert!(outline.is_idle);
    let names: Vec<&str> = outline.layers.iter().map(|layer| layer.names.as_str()).collect();
    assert_eq!(names, ["leaf[0-127].host[0-63]", "leaf[0-127]", "spine[0-31]"]);
    // 64 downlinks of 400 Gbps per leaf, 32 uplinks of 800 Gbps.
    assert_eq!(outline.layers[1].oversubscription, Some(1.0));
    assert_eq!(outline.joints[1].capacity, 128 * 32 * 800_000_000_000);
    assert!(outline.joints[1].is_full && outline.joints[1].bundle == [1, 1]);

    let outline = of_file("fabrics/leonardo.yaml").outline;
    let groups = outline.groups.expect("it has groups");
    assert_eq!((groups.groups, groups.switches, groups.hosts), (23, 36, 180));
    assert_eq!((groups.least_links, groups.most_links), (18, 18));
    // 18 leaves and 22 other groups per spine.
    assert_eq!(outline.layers[2].oversubscription, Some(18.0 / 22.0));
}

#[test]
fn every_link_is_in_one_joint_and_every_node_in_one_layer() {
    for file in files() {
        let outline = shown(&Source::file(&file)).outline;
        let links: u64 = outline.joints.iter().map(|joint| joint.links).sum();
        let nodes: u64 = outline.layers.iter().map(|layer| layer.nodes).sum();
        assert_eq!((links, nodes), (outline.links, outline.hosts + outline.switches), "{}", file.display());
    }
}

#[test]
fn control_characters_in_names_are_escaped() {
    let hostile = "\"a\\e[31mb\\u202e\"";
    let text = LISTS.replace("north", hostile).replace("name: lists", "name: \"\\e[2J\\n\\r\"");
    let shown = of_text(&text);
    assert!(shown.outline.name.contains('\u{1b}'), "the language allows such names");
    for colours in [false, true] {
        let text = text::fabric(&shown, Look { width: 80, colours });
        assert!(!text.contains("\u{1b}[31mb") && !text.contains("\u{1b}[2J"), "{text:?}");
        assert!(!text.contains(['\r', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn wide_names_are_counted_in_columns() {
    let text =
        LISTS.replace("north", "\u{8a08}\u{7b97}\u{6a5f}\u{7db2}\u{8def}").replace("west", &"w".repeat(150));
    let shown = of_text(&text);
    for width in [40, 60, 80] {
        let text = text::fabric(&shown, Look { width, colours: false });
        assert!(widest(&text) <= width, "{text}");
    }
}

#[test]
fn a_run_is_drawn_with_what_the_ports_of_its_tiers_did() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let source = Source::file(root().join("scenarios/fabrics/rail.yaml"));
    run(RunRequest { folder: Some(folder.clone()), ..RunRequest::new(source) }).expect("it runs");
    let text = |set: &[(&str, &str)]| {
        let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
        let found = of_path(&folder, &Overrides { set, ..Overrides::default() });
        drawn(&mut found.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain))), 80)
    };
    let of_run = text(&[]);
    for line in
        ["Ports by tier", "gpu to inner", "gpu to rail", "rail to spine", "spine to rail", "rail to gpu"]
    {
        assert!(of_run.contains(line), "{line}: {of_run}");
    }
    // Of a changed fabric the ports would be others.
    assert!(!text(&[("fabric.rail.spines", "4")]).contains("Ports by tier"));
}
