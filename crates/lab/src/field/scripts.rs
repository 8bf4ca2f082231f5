//! Files for a cluster: build script, launch lines, a Slurm job, a README.
//!
//! Leaves out: running anything; `netloom field run` does the same on this machine.
//!
//! Invariants: measured data is never overwritten; site-dependent values are in variables, or marked `EDIT`.

use super::plan::GRACE_S;
use super::study::{Study, StudyPoint};

/// Seconds for starting and ending a plan, in the time limit of a job.
const AROUND_S: u64 = 60;
/// Seconds between Slurm's signal and the end of a job: twice the time that the program has to end after a signal.
const NOTICE_S: u64 = 2 * GRACE_S;

/// Builds the program.
pub(super) const BUILD: &str = include_str!("scripts/build.sh");
/// The beginning of the measuring script; a line for each point follows.
const RUN: &str = include_str!("scripts/run.sh");
/// A job for Slurm.
const SLURM: &str = include_str!("scripts/job.slurm");

/// The script that measures.
pub(super) fn run(study: &Study) -> String {
    let line = |point: &StudyPoint| format!("measure '{}' {}", point.name, point.plan.n_ranks());
    let lines: Vec<String> = study.points.iter().map(line).collect();
    format!("{RUN}{}\nexit $((n_failed > 0))\n", lines.join("\n"))
}

/// A job of all plans for Slurm.
pub(super) fn slurm(study: &Study) -> String {
    let seconds: u64 = study.points.iter().map(|point| point.plan.deadline_s + GRACE_S + AROUND_S).sum();
    SLURM
        .replace("{nodes}", &most_ranks(study).to_string())
        .replace("{time}", &slurm_time(seconds + NOTICE_S))
        .replace("{notice}", &NOTICE_S.to_string())
}

/// A duration in Slurm's format.
fn slurm_time(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3600, rest % 3600 / 60, rest % 60);
    if days > 0 { format!("{days}-{clock}") } else { clock }
}

fn most_ranks(study: &Study) -> usize {
    study.points.iter().map(|point| point.plan.n_ranks()).max().unwrap_or(0)
}

/// Which host of the machine represents which host of the study.
pub(super) fn hosts(study: &Study) -> String {
    let mut text = "# Maps each host of the study to a host of the machine: one line with both names. While a host of a point \
                    has `-`,\n# the launcher chooses the hosts of its ranks.\n"
        .to_owned();
    let mut listed: Vec<&String> = Vec::new();
    for host in study.points.iter().flat_map(|point| &point.hosts) {
        if !listed.contains(&host) {
            listed.push(host);
            text += &format!("{host} -\n");
        }
    }
    text
}

/// The hosts of a point's ranks.
pub(super) fn hosts_of(point: &StudyPoint) -> String {
    point.hosts.join("\n") + "\n"
}

/// The README of the folder.
pub(super) fn readme(study: &Study) -> String {
    let mut text = format!(
        "{name}: {n} plans of at most {ranks} ranks, one on each host, prepared by netloom {version}.
Study {digest}

  ./build.sh          builds the program from source/ with cmake and MPI
  ./run.sh            measures the plans one after the other; the same command continues after an interruption
  sbatch job.slurm    both as a Slurm job; edit it first
  hosts.txt           maps each host of the study to a host of the machine (optional)

Manually, for one point:

  cmake -S source -B build/site -DFIELD_TESTS=OFF && cmake --build build/site
{lines}
Then, with netloom, here or on another machine with a copy of this folder:

  netloom field collect FOLDER -o MEASURED
  netloom report MEASURED

source/README.md describes what is timed, source/FORMATS.md the files in points/*/result.
",
        name = study.name,
        n = study.points.len(),
        ranks = most_ranks(study),
        version = study.netloom,
        digest = study.digest,
        lines = study.points.first().map(launch_lines).unwrap_or_default(),
    );
    if !study.notes.is_empty() {
        text += "\nDifferences between what is simulated and what is measured:\n\n";
        text.extend(study.notes.iter().map(|note| format!("- {note}\n")));
    }
    text
}

/// Launch commands for a point.
fn launch_lines(point: &StudyPoint) -> String {
    let (n, name) = (point.plan.n_ranks(), &point.name);
    let program = format!("build/site/netloom-field 'points/{name}/plan.txt' --out 'points/{name}/result'");
    format!(
        "  mpirun --map-by node -n {n} {program}     # Open MPI
  mpiexec -ppn 1 -n {n} {program}     # MPICH
  srun --nodes={n} --ntasks-per-node=1 {program}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_in_the_format_of_slurm() {
        assert_eq!(slurm_time(59), "00:00:59");
        assert_eq!(slurm_time(3 * 3600 + 62), "03:01:02");
        assert_eq!(slurm_time(2 * 86_400 + 1), "2-00:00:01");
    }
}
