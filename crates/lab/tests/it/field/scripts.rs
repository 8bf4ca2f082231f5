//! Scripts of a prepared study: a shell reads them, Slurm finds its directives, the program accepts the plans.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::home::{Home, LATENCY, STREAMS, STUDY};

const VARY: &str = "interference.groups=random,contiguous";

#[test]
fn a_shell_reads_the_scripts() {
    let home = Home::of(STUDY, &[VARY]);
    for name in ["build.sh", "run.sh", "job.slurm"] {
        let mut shell = Command::new("bash");
        let answer = shell.arg("-n").arg(home.study_folder().join(name)).output().expect("there is a bash");
        assert!(answer.status.success(), "{name}: {}", String::from_utf8_lossy(&answer.stderr));
    }
    let script = home.text("run.sh");
    assert_eq!(script.matches("\nmeasure 'interference.groups=").count(), 2);
    assert!(home.text("README.txt").contains("mpiexec -ppn 1 -n 8 build/site/netloom-field"));
}

#[test]
fn slurm_finds_allocation_time_and_signal() {
    let home = Home::of(STUDY, &[VARY]);
    let text = home.text("job.slurm");
    let is_command = |line: &&str| !line.is_empty() && !line.starts_with('#');
    // Slurm ignores directives below the first command.
    let head = text.lines().take_while(|line| !is_command(line));
    let directives: BTreeMap<&str, &str> = head
        .filter_map(|line| line.strip_prefix("#SBATCH --"))
        .map(|option| option.split_once('=').unwrap_or((option, "")))
        .collect();
    let expected = [
        ("exclusive", ""),
        ("job-name", "netloom-field"),
        ("no-requeue", ""),
        ("nodes", "8"),
        ("ntasks-per-node", "1"),
        ("open-mode", "append"),
        ("output", "job-%j.txt"),
        ("signal", "B:TERM@60"),
        // Two plans of 60 s, 30 s of grace and 60 s around each, and the notice.
        ("time", "00:06:00"),
    ];
    assert_eq!(directives, BTreeMap::from(expected));
    assert_eq!(text.matches("#SBATCH").count(), expected.len() + 3, "three are specific to the site");
}

/// The test builds of the program, one for each MPI library.
fn programs() -> Vec<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let program = |mpi: &str| target.join("field").join(mpi).join("netloom-field");
    ["openmpi", "mpich"].map(program).into_iter().filter(|program| program.is_file()).collect()
}

#[test]
fn the_program_accepts_every_plan() {
    let precise = STUDY.replace("steps: 12", "steps: {precision: 2%, at_most: 300}");
    let vary = "interference.aggressor=none,{incast: {size: 1KiB}},{all_to_all_pairwise: {size: 32KiB}}";
    for home in [
        Home::of(STUDY, &[VARY]),
        Home::of(&precise, &[vary]),
        Home::of(LATENCY, &[]),
        Home::of(STREAMS, &[]),
    ] {
        for point in &home.study.points {
            let plan = home.study_folder().join("points").join(&point.name).join("plan.txt");
            for program in programs() {
                let mut check = Command::new(&program);
                check.arg(&plan).arg("--check").arg(point.plan.n_ranks().to_string()).stdin(Stdio::null());
                let answer = check.output().expect("it was built");
                assert!(
                    answer.status.success(),
                    "{}: {}",
                    point.name,
                    String::from_utf8_lossy(&answer.stderr)
                );
            }
        }
    }
}
