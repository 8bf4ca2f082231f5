//! `netloom field prepare`: the folder of a study, with everything that a cluster needs.
//!
//! Models: plans, the program's sources, scripts, and `study.json`, which is written last.
//! Leaves out: the measurement.
//!
//! Invariants: files that netloom did not write are not changed; preparing the same study again keeps the existing
//! files, edited or not, and all measured data.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use netloom_records::Marker;

use super::error::FieldError;
use super::files::{HOSTS_FILE, POINTS, PointFolder, SOURCE, STUDY_DRAFT, UNFINISHED_FILE, UNFINISHED_TEXT};
use super::points::points;
use super::study::Study;
use super::translate::Wanted;
use super::{scripts, sources};
use crate::error::LabError;
use crate::seeds::Seeds;
use crate::source::Source;
use crate::sweep::Variation;

/// Maximum deadline in seconds: the program accepts 30 days.
const MOST_SECONDS: u64 = 30 * 86_400;
/// Maximum number of iterations of a segment.
const MOST_ITERATIONS: u32 = 100_000_000;

/// What to prepare, and the destination.
#[derive(Clone)]
pub struct Preparation<'a> {
    /// The scenario of the study.
    pub scenario: Source,
    /// Changed settings.
    pub set: Vec<(String, String)>,
    /// Varied settings.
    pub vary: Vec<Variation>,
    /// The seeds of every variant; only seed 1 if there are none.
    pub seeds: Option<Seeds>,
    /// Iterations of each segment that count, instead of the scenario's number.
    pub iterations: Option<u32>,
    /// Warm-up iterations of each segment, instead of the scenario's number.
    pub warm_up: Option<u32>,
    /// Deadline of a plan, in seconds.
    pub deadline_s: u64,
    /// The destination.
    pub folder: PathBuf,
    /// The command line.
    pub command: Vec<String>,
    /// Set to stop early.
    pub stop: Option<&'a AtomicBool>,
}

impl Preparation<'_> {
    pub(super) fn wanted(&self) -> Wanted {
        Wanted { warm_up: self.warm_up, iterations: self.iterations, deadline_s: self.deadline_s }
    }
}

/// Writes the folder of a study, or the files that it lacks.
///
/// # Errors
/// Everything that is wrong with the study, everything that the program does not support, or why the folder cannot be
/// used.
pub fn prepare(asked: &Preparation<'_>) -> Result<Study, LabError> {
    check_options(asked)?;
    let (name, points) = points(asked)?;
    let study = Study::new(name, asked.scenario.name(), asked.command.clone(), points);
    let folder = &asked.folder;
    let is_there = check_folder(folder, &study)?;
    fs::create_dir_all(folder).map_err(FieldError::io("create the folder", folder))?;
    let marker = Marker::set(folder, UNFINISHED_FILE, UNFINISHED_TEXT)?;
    // Files without a study are those of a preparation that was interrupted: they have not been edited.
    let keep = if is_there { KeptFiles::All } else { KeptFiles::Nothing };
    write_files(folder, &study, keep)?;
    if !is_there {
        study.write(folder)?;
    }
    marker.lift()?;
    Ok(study)
}

fn check_options(asked: &Preparation<'_>) -> Result<(), FieldError> {
    let refuse = |option, problem: String| Err(FieldError::Option { option, problem });
    if asked.deadline_s == 0 || asked.deadline_s > MOST_SECONDS {
        return refuse("--deadline", format!("from 1 to {MOST_SECONDS} seconds, not {}", asked.deadline_s));
    }
    if asked.iterations.is_some_and(|n| n == 0 || n > MOST_ITERATIONS) {
        return refuse("--iterations", format!("from 1 to {MOST_ITERATIONS}"));
    }
    if asked.warm_up.is_some_and(|n| n > MOST_ITERATIONS) {
        return refuse("--warm-up", format!("at most {MOST_ITERATIONS}"));
    }
    Ok(())
}

/// Whether the study is already prepared there.
///
/// # Errors
/// If the folder holds another study, or files that netloom did not write.
fn check_folder(folder: &Path, wanted: &Study) -> Result<bool, FieldError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(FieldError::io("read the folder", folder)(error)),
    };
    let Some(there) = Study::find(folder)? else {
        let names: BTreeSet<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let is_unfinished =
            fs::read(folder.join(UNFINISHED_FILE)).is_ok_and(|text| text == UNFINISHED_TEXT.as_bytes());
        let is_free = names.is_empty() || is_unfinished && names.iter().all(|name| is_written(name));
        return if is_free { Ok(false) } else { Err(FieldError::Foreign(folder.to_owned())) };
    };
    if there.digest == wanted.digest && there.netloom == wanted.netloom {
        return Ok(true);
    }
    Err(FieldError::Other { path: folder.to_owned(), difference: difference(&there, wanted) })
}

/// Whether a file or folder is one that is written before `study.json`.
fn is_written(name: &str) -> bool {
    const OTHERS: [&str; 4] = [UNFINISHED_FILE, STUDY_DRAFT, POINTS, SOURCE];
    let name = name.strip_suffix(".draft").unwrap_or(name);
    OTHERS.contains(&name) || TOP.iter().any(|(own, _)| *own == name)
}

fn difference(there: &Study, wanted: &Study) -> String {
    if there.netloom != wanted.netloom {
        return format!("prepared by netloom {}, and this is {}", there.netloom, wanted.netloom);
    }
    let mut pairs = there.points.iter().zip(&wanted.points);
    let differs = pairs.find_map(|(old, new)| {
        if old.name != new.name {
            return Some(format!("it has {}, not {}", old.name, new.name));
        }
        let mut plan = new.plan.clone();
        plan.study = old.plan.study;
        let is_equal = plan == old.plan && old.hosts == new.hosts && old.runs == new.runs;
        (!is_equal).then(|| format!("{} has changed", old.name))
    });
    differs.unwrap_or_else(|| format!("it has {} points, not {}", there.points.len(), wanted.points.len()))
}

/// Files of the folder itself, and whether they are executable.
const TOP: [(&str, bool); 5] =
    [("build.sh", true), ("run.sh", true), ("job.slurm", false), (HOSTS_FILE, false), ("README.txt", false)];

/// Existing files that may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptFiles {
    All,
    Nothing,
}

fn write_files(folder: &Path, study: &Study, keep: KeptFiles) -> Result<(), FieldError> {
    for (path, text) in sources::FILES {
        write_file(&folder.join(SOURCE).join(path), text, false, keep)?;
    }
    let texts = [
        scripts::BUILD.to_owned(),
        scripts::run(study),
        scripts::slurm(study),
        scripts::hosts(study),
        scripts::readme(study),
    ];
    for ((name, is_program), text) in TOP.iter().zip(&texts) {
        write_file(&folder.join(name), text, *is_program, keep)?;
    }
    for point in &study.points {
        let location = PointFolder::new(folder, &point.name);
        write_file(&location.plan(), &point.plan.to_string(), false, keep)?;
        write_file(&location.hosts(), &scripts::hosts_of(point), false, keep)?;
        // The last run has the aggressor, if there is one.
        let scenario = point.runs.last().map_or("", |run| run.scenario_yaml.as_str());
        write_file(&location.scenario(), scenario, false, keep)?;
    }
    Ok(())
}

/// Writes a file, unless it exists and may be kept.
fn write_file(path: &Path, text: &str, is_program: bool, keep: KeptFiles) -> Result<(), FieldError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(FieldError::io("create the folder", parent))?;
    }
    if keep == KeptFiles::All && path.exists() {
        return Ok(());
    }
    // A partly written script would be mistaken for an edited one.
    let mut draft = path.as_os_str().to_owned();
    draft.push(".draft");
    let write = || -> io::Result<()> {
        let mut file = File::create(&draft)?;
        file.write_all(text.as_bytes())?;
        if is_program {
            make_executable(&file)?;
        }
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().map_err(FieldError::io("write the file", path))
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}
