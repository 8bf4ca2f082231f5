//! The sources of the MPI program, so that a cluster needs nothing but the prepared folder.
//!
//! Leaves out: its tests.
//!
//! Invariants: the list contains every source that is built (checked by a test).

/// A file: its path below `field/`, and its text.
pub(super) type File = (&'static str, &'static str);

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../field/", $path)))),*]
    };
}

/// All of them.
pub(super) const FILES: &[File] = files![
    "CMakeLists.txt",
    "FORMATS.md",
    "README.md",
    "example.txt",
    "src/aggressor/burst.cpp",
    "src/aggressor/burst.hpp",
    "src/aggressor/incast.cpp",
    "src/aggressor/incast.hpp",
    "src/aggressor/rounds.cpp",
    "src/aggressor/rounds.hpp",
    "src/clock.cpp",
    "src/clock.hpp",
    "src/collective/collective.cpp",
    "src/collective/collective.hpp",
    "src/collective/pattern.cpp",
    "src/collective/pattern.hpp",
    "src/command.cpp",
    "src/command.hpp",
    "src/finalize.cpp",
    "src/finalize.hpp",
    "src/group.cpp",
    "src/group.hpp",
    "src/host.cpp",
    "src/host.hpp",
    "src/job.cpp",
    "src/job.hpp",
    "src/main.cpp",
    "src/memory.cpp",
    "src/memory.hpp",
    "src/peers.cpp",
    "src/peers.hpp",
    "src/plan/line.hpp",
    "src/plan/mistake.cpp",
    "src/plan/plan.cpp",
    "src/plan/plan.hpp",
    "src/plan/plan_check.cpp",
    "src/plan/text.cpp",
    "src/plan/text.hpp",
    "src/random.hpp",
    "src/rank_state.cpp",
    "src/rank_state.hpp",
    "src/record/output.cpp",
    "src/record/output.hpp",
    "src/record/row_file.cpp",
    "src/record/row_file.hpp",
    "src/record/times.hpp",
    "src/record/wrong_data.hpp",
    "src/schedule.cpp",
    "src/schedule.hpp",
    "src/shared_input.cpp",
    "src/shared_input.hpp",
    "src/version.hpp",
    "src/victim/all_to_all.cpp",
    "src/victim/all_to_all.hpp",
    "src/victim/measure.cpp",
    "src/victim/measure.hpp",
    "src/victim/pair_streams.cpp",
    "src/victim/pair_streams.hpp",
    "src/victim/ping_pong.cpp",
    "src/victim/ping_pong.hpp",
    "src/victim/precision.cpp",
    "src/victim/precision.hpp",
    "src/victim/ring_all_gather.cpp",
    "src/victim/ring_all_gather.hpp",
    "src/victim/ring_all_reduce.cpp",
    "src/victim/ring_all_reduce.hpp",
    "src/waiting.cpp",
    "src/waiting.hpp",
    "src/watchdog.cpp",
    "src/watchdog.hpp",
    "src/witness.cpp",
    "src/witness.hpp",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn find(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("the sources are there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                find(&path, root, found);
            } else {
                let name = path.strip_prefix(root).expect("it is below");
                found.insert(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }

    #[test]
    fn every_source_is_in_the_list() {
        let field = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../field");
        let mut there =
            BTreeSet::from(["CMakeLists.txt", "FORMATS.md", "README.md", "example.txt"].map(str::to_owned));
        find(&field.join("src"), &field, &mut there);
        let here: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(here, there);
    }

    #[test]
    fn the_program_is_built_from_these_sources() {
        let (_, rules) = FILES.iter().find(|(path, _)| *path == "CMakeLists.txt").expect("it is here");
        let sources = rules.split(|c: char| c.is_whitespace() || "()".contains(c));
        for source in sources.filter(|word| word.starts_with("src/")) {
            assert!(FILES.iter().any(|(path, _)| *path == source), "{source}");
        }
    }
}
