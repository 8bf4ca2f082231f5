//! Prepared studies in temporary folders, and results as the MPI program writes them, with times that follow a rule.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use netloom_lab::field::{
    Collected, Collection, FieldPlan, Preparation, Role, Study, StudyPoint, Work, collect, prepare,
};
use netloom_lab::{LabError, Overwrite, Source, Style};
use netloom_records::RunFolder;
use tempfile::TempDir;

/// Eight hosts, interleaved: a ring beside an incast.
pub const STUDY: &str = "
netloom: 1
name: study
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4 } }
transport: { ideal: { queue_pairs: pair } }
hosts: { rendezvous: 1KiB }
interference:
  hosts: 8
  victim: { ring_all_gather: { size: 64KiB } }
  aggressor: { incast: { size: 64KiB } }
  steps: 12
  warm_up: 2
";
/// A collective in two sizes.
pub const LATENCY: &str = "
netloom: 1
name: latency
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2 } }
jobs:
  - name: timed
    steps: 12
    warm_up: 2
    phases: [ { ring_all_gather: { size: 4KiB } }, { ring_all_gather: { size: 64KiB } } ]
";
/// Streams between pairs, a hundred times faster than on the machine.
pub const STREAMS: &str = "
netloom: 1
name: streams
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2 } }
transport: ideal
flows:
  message: 4KiB
  warm_up: 1ms
  scale: 1/100
  list:
    - { name: near, from: leaf0.host1, to: leaf0.host0, stop: 10ms }
    - { name: far, from: leaf1.host1, to: leaf0.host0, start: 5ms, stop: 10ms }
";

/// Warm-up and iterations of each segment.
pub const WARM_UP: u32 = 2;
pub const ITERATIONS: u32 = 10;
/// Rounds of the aggressor.
const ROUNDS: u64 = 3;

/// A folder with a prepared study, removed at the end.
pub struct Home {
    folder: TempDir,
    pub study: Study,
}

/// The default preparation.
pub fn preparation(text: &str, folder: PathBuf) -> Preparation<'static> {
    Preparation {
        scenario: Source::text("study.yaml", text),
        set: Vec::new(),
        vary: Vec::new(),
        seeds: None,
        iterations: None,
        warm_up: None,
        deadline_s: 60,
        folder,
        command: Vec::new(),
        stop: None,
    }
}

impl Home {
    pub fn of(text: &str, vary: &[&str]) -> Home {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let vary = vary.iter().map(|text| text.parse().expect("it is one")).collect();
        let asked = Preparation { vary, ..preparation(text, folder.path().join("study")) };
        let study = prepare(&asked).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
        Home { folder, study }
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn study_folder(&self) -> PathBuf {
        self.path("study")
    }

    /// A file of the first point.
    pub fn file(&self, name: &str) -> PathBuf {
        self.study_folder().join("points").join(&self.study.points[0].name).join(name)
    }

    /// A file of the study.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.study_folder().join(name)).expect("it is there")
    }

    pub fn out(&self) -> PathBuf {
        self.path("out")
    }

    /// Changes a file of the first point's result.
    pub fn edit(&self, name: &str, change: impl FnOnce(String) -> String) {
        let path = self.file("result").join(name);
        let text = fs::read_to_string(&path).expect("it is there");
        let changed = change(text.clone());
        assert_ne!(changed, text, "the change has no effect");
        fs::write(path, changed).expect("it can be written");
    }

    pub fn measure_all(&self) {
        for workspace in 0..self.study.points.len() {
            self.measure(workspace, 1);
        }
    }

    /// Writes the results of a point on a machine that is slower by this factor.
    pub fn measure(&self, workspace: usize, scale: u64) {
        let point = &self.study.points[workspace];
        let folder = self.study_folder().join("points").join(&point.name).join("result");
        fs::create_dir_all(&folder).expect("the folder can be made");
        for (name, text) in results(point, scale) {
            fs::write(folder.join(name), text).expect("it can be written");
        }
    }

    pub fn collection(&self) -> Collection {
        Collection {
            study: self.study_folder(),
            folder: self.out(),
            is_partial: false,
            overwrite: Overwrite::Refuse,
            command: Vec::new(),
        }
    }

    pub fn collect(&self) -> Result<Collected, LabError> {
        collect(&self.collection())
    }

    pub fn run(&self, point: &str, kind: &str) -> RunFolder {
        RunFolder::open(&self.out().join("points").join(point).join(kind)).expect("it is a run folder")
    }
}

/// The files of a plan's results by name.
pub fn results(point: &StudyPoint, scale: u64) -> BTreeMap<String, String> {
    let plan = &point.plan;
    let mut files = BTreeMap::from([("plan.txt".to_owned(), plan.to_string())]);
    files.insert("manifest.txt".to_owned(), manifest(plan));
    for (rank, role) in (0..).zip(&plan.roles) {
        let rows = match role {
            Role::Victim => iterations(plan, rank, scale),
            Role::Aggressor => rounds(plan, rank),
        };
        let head = format!(
            "netloom-field times 1 rank {rank} role {}\nsegment,bytes,iteration,start_ns,end_ns,reduce_ns\n",
            role.word()
        );
        files.insert(format!("times-{rank}.csv"), table(&head, &rows));
    }
    for (rank, rows) in streams(plan) {
        let head = format!("netloom-field streams 1 rank {rank}\nsegment,stream,start_ns,end_ns,bytes\n");
        files.insert(format!("streams-{rank}.csv"), table(&head, &rows));
    }
    files
}

fn table(head: &str, rows: &[Vec<u64>]) -> String {
    let mut text = head.to_owned();
    for row in rows {
        let words: Vec<String> = row.iter().map(u64::to_string).collect();
        text += &(words.join(",") + "\n");
    }
    text + &format!("end {}\n", rows.len())
}

fn manifest(plan: &FieldPlan) -> String {
    let mut text = format!(
        "netloom-field manifest 1\nstudy {}\nstatus complete\nprogram netloom-field 1.0\nbuild GNU 12\n\
         mpi_library Open MPI v4\nmpi_standard 3.1\narguments plan.txt --out result\nclock steady\nwaiting spin\n\
         room_rows 65536\ngrace_ns 30000000000\nbegin 2026-01-01T00:00:00.000Z\nend 2026-01-01T00:00:01.000Z\nn_ranks {}\n",
        plan.study,
        plan.n_ranks()
    );
    for (rank, role) in plan.roles.iter().enumerate() {
        let (role, step) = (role.word(), 20 + rank);
        writeln!(
            text,
            "rank {rank} {role} host node {rank} pid 17 cores 4 clock_step_ns {step} clock_read_ns 20.5"
        )
        .expect("it is text");
    }
    for (number, segment) in plan.segments.iter().enumerate() {
        let (name, warm_up, all) = (segment.name(), segment.warm_up, segment.most());
        for bytes in plan.sizes() {
            let bytes = if plan.streams().is_empty() { bytes.to_string() } else { "-".to_owned() };
            writeln!(
                text,
                "segment {number} {name} bytes {bytes} warm_up {warm_up} planned {all} kept {all}"
            )
            .expect("it is text");
        }
        if segment.is_congested {
            writeln!(text, "rounds {number} {name} kept {ROUNDS}").expect("it is text");
        }
    }
    text
}

/// A rank takes 1000 ns, plus 100 ns for each victim before it, plus 10 ns per iteration; beside the aggressor four
/// times that, except for the 10 ns per iteration.
fn iterations(plan: &FieldPlan, rank: u32, scale: u64) -> Vec<Vec<u64>> {
    let workspace =
        plan.ranks_of(Role::Victim).iter().position(|own| *own == rank).expect("it is one") as u64;
    let mut rows = Vec::new();
    for (number, segment) in (0_u64..).zip(&plan.segments) {
        let factor = if segment.is_congested { 4 } else { 1 };
        for (size, bytes) in (0_u64..).zip(plan.sizes()) {
            for iteration in 0..segment.most() {
                let since = number * 1_000_000 + size * 500_000 + (iteration + 1) * 10_000 - 9_000;
                let start = (since + workspace * 20) * scale;
                let end = start + ((1000 + 100 * workspace) * factor + 10 * iteration) * scale;
                rows.push(vec![number, bytes, iteration, start, end, 0]);
            }
        }
    }
    rows
}

/// A rank takes 400 ns and begins 10 ns after the one before it.
fn rounds(plan: &FieldPlan, rank: u32) -> Vec<Vec<u64>> {
    let workspace =
        plan.ranks_of(Role::Aggressor).iter().position(|own| *own == rank).expect("it is one") as u64;
    let Work::Interference { aggressor: Some(aggressor), .. } = &plan.work else { return Vec::new() };
    let row = |round| {
        let start = 1_000_000 + round * 500 + workspace * 10;
        vec![1, aggressor.bytes, round, start, start + 400, 0]
    };
    (0..ROUNDS).map(row).collect()
}

/// The first stream delivers 1000 B in each tenth of a second, the second one 500 B.
fn streams(plan: &FieldPlan) -> BTreeMap<u32, Vec<Vec<u64>>> {
    const TENTH: u64 = 100_000_000;
    let mut files: BTreeMap<u32, Vec<Vec<u64>>> = BTreeMap::new();
    for (number, stream) in (0_u64..).zip(plan.streams()) {
        let stretches = stream.start_ns / TENTH..stream.stop_ns.div_ceil(TENTH);
        let row = |stretch: u64| {
            let start = 1_000 + 20 + stretch * TENTH;
            vec![0, number, start, start + TENTH, 1000 / (number + 1)]
        };
        files.entry(stream.to).or_default().extend(stretches.map(row));
    }
    files
}
