//! Every scenario of the repository compiles, and is the same after printing and parsing.

mod shelf;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use netloom_scenario::resolved::queue_pairs;
use netloom_scenario::resolved::sections::TRANSPORTS;
use netloom_scenario::{Origin, Overrides, Style, compile, resolve, resolve_from};
use shelf::Shelf;

/// A scenario in the file system.
#[derive(Clone)]
struct File(PathBuf);

impl Origin for File {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn base(&self, from: &str) -> Result<File, String> {
        Ok(File(self.0.with_file_name(from)))
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.0).map_err(|error| error.to_string())
    }

    fn rows(&self, path: &str) -> Result<(String, Box<dyn Read>), String> {
        let file = fs::File::open(self.0.with_file_name(path)).map_err(|error| error.to_string())?;
        Ok((path.to_owned(), Box::new(file)))
    }

    fn is_same(&self, other: &File) -> bool {
        self.0 == other.0
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            yaml_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn all_compile_and_print_to_themselves() {
    let mut files = Vec::new();
    yaml_files(&folder(), &mut files);
    assert!(files.len() >= 20, "only {} scenarios found", files.len());
    for path in files {
        let name = path.to_string_lossy();
        let text = fs::read(&path).unwrap();
        let resolved = resolve_from(&text, &File(path.clone()), &Overrides::default());
        let resolved = resolved.unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
        let compiled = compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
        // A resolved scenario names its file of flows as the scenario does.
        let printed = compiled.resolved_yaml.as_bytes();
        let again = resolve_from(printed, &File(path.clone()), &Overrides::default())
            .unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
        assert_eq!(again, resolved, "{name}");
        assert_eq!(again.to_yaml(), compiled.resolved_yaml, "{name}");
        assert!(again.to_yaml().starts_with("netloom: 1\n"), "{name}");
    }
}

/// Every policy, collective and topology of the registries has its scenario, and no scenario lacks its plug-in.
#[test]
fn every_plug_in_has_its_scenario() {
    let has = |location: &str, name: &str| folder().join(location).join(format!("{name}.yaml")).exists();
    for spec in netloom_policy::balance::SPECS {
        assert!(has("policies", spec.name), "scenarios/policies/{}.yaml is missing", spec.name);
    }
    for spec in netloom_catalog::workload::collective::SPECS {
        assert!(has("collectives", spec.name), "scenarios/collectives/{}.yaml is missing", spec.name);
    }
    for spec in TRANSPORTS.iter().filter(|spec| queue_pairs::rule(spec).is_some()) {
        assert!(has("rdma", spec.name), "scenarios/rdma/{}.yaml is missing", spec.name);
    }
}

#[test]
fn what_is_printed_reads_well() {
    let text = fs::read_to_string(folder().join("collectives/pipeline.yaml")).unwrap();
    let resolved = resolve(&text, "pipeline.yaml").unwrap();
    insta::assert_snapshot!(resolved.to_yaml());
}

/// Fuzzing starts from texts that use much of the language.
#[test]
fn fuzzing_seeds_are_accepted() {
    let seeds = folder().join("../fuzz/seeds/scenario");
    for name in ["everything.yaml", "inherits.yaml"] {
        let text = fs::read_to_string(seeds.join(name)).unwrap();
        let texts: Vec<&str> = text.split("\n%%%\n").collect();
        let names = [name, "middle.yaml", "base.yaml"];
        let shelf: Vec<(&str, &str)> = names.into_iter().zip(texts.iter().copied()).collect();
        let resolved = resolve_from(texts[0].as_bytes(), &Shelf::new(&shelf), &Overrides::default());
        let compiled = resolved.and_then(|resolved| compile(&resolved).map(|_| ()));
        compiled.unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    }
}
