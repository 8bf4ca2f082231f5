//! MPI libraries of this machine: the installed library, its launcher, and the program built with it.
//!
//! Leaves out: the measurement.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use super::error::FieldError;
use super::files::{BUILD_LOG, SOURCE};
use super::process::{Ending, run, tail};

/// An MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mpi {
    /// Open MPI.
    OpenMpi,
    /// MPICH, or another with its launcher.
    Mpich,
}

impl Mpi {
    /// All of them.
    pub const ALL: [Mpi; 2] = [Mpi::OpenMpi, Mpi::Mpich];

    /// Its name in Debian's packages and in options.
    pub fn word(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }

    pub(super) fn packages(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "openmpi-bin libopenmpi-dev",
            Mpi::Mpich => "mpich libmpich-dev",
        }
    }

    /// The library of a launcher, by the output of `--version`.
    fn of(launcher: &str) -> Option<Mpi> {
        let answer = Command::new(launcher).arg("--version").stdin(Stdio::null()).output().ok()?;
        let mut text = String::from_utf8_lossy(&answer.stdout).into_owned();
        text += &String::from_utf8_lossy(&answer.stderr);
        if text.contains("Open MPI") || text.contains("OpenRTE") {
            return Some(Mpi::OpenMpi);
        }
        (text.contains("HYDRA") || text.to_lowercase().contains("mpich")).then_some(Mpi::Mpich)
    }
}

/// How ranks are started.
#[derive(Debug, Clone)]
pub(super) struct Launcher {
    pub mpi: Mpi,
    /// The launcher, and its arguments.
    words: Vec<String>,
    /// Whether a user gave the command, which is then complete.
    is_given: bool,
}

impl Launcher {
    /// The requested library, or the one that is installed.
    ///
    /// # Errors
    /// If there is none, or its library is not known.
    pub fn find(mpi: Option<Mpi>, words: Option<&str>) -> Result<Launcher, FieldError> {
        if let Some(words) = words {
            return Launcher::given(mpi, words);
        }
        let own = |mpi: Mpi| {
            let names = [format!("mpiexec.{}", mpi.word()), "mpiexec".to_owned(), "mpirun".to_owned()];
            names.into_iter().find(|name| Mpi::of(name) == Some(mpi))
        };
        let found = |mpi, name| Launcher { mpi, words: vec![name], is_given: false };
        if let Some(mpi) = mpi {
            let missing =
                || FieldError::Tool { tool: format!("mpiexec of {}", mpi.word()), packages: mpi.packages() };
            return own(mpi).map(|name| found(mpi, name)).ok_or_else(missing);
        }
        let any = Mpi::ALL.into_iter().find_map(|mpi| Some(found(mpi, own(mpi)?)));
        any.ok_or(FieldError::NoMpi)
    }

    fn given(mpi: Option<Mpi>, text: &str) -> Result<Launcher, FieldError> {
        let refused =
            |problem: &str| FieldError::Option { option: "--launcher", problem: problem.to_owned() };
        if text.contains(['"', '\'', '\\']) {
            return Err(refused(
                "words are separated by blanks; quotes and backslashes have no special meaning",
            ));
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let Some(first) = words.first() else {
            return Err(refused("a launcher is expected, such as `mpirun --oversubscribe`"));
        };
        let mpi = mpi.or_else(|| Mpi::of(first)).ok_or_else(|| FieldError::UnknownLauncher(first.clone()))?;
        Ok(Launcher { mpi, words, is_given: true })
    }

    /// The command line that starts a number of ranks of a program on this machine.
    pub fn command(&self, n_ranks: usize, program: &[String]) -> Vec<String> {
        let mut words = self.words.clone();
        if !self.is_given && self.mpi == Mpi::OpenMpi {
            if is_root() {
                words.push("--allow-run-as-root".to_owned());
            }
            if n_ranks > cores() {
                words.extend(["--oversubscribe", "--bind-to", "none"].map(str::to_owned));
            }
        }
        words.extend(["-n".to_owned(), n_ranks.to_string()]);
        words.extend_from_slice(program);
        words
    }

    /// The command line that starts a rank at each of these addresses, in order.
    pub fn command_at(&self, addresses: &[String], program: &[String]) -> Vec<String> {
        let mut words = self.words.clone();
        match self.mpi {
            Mpi::Mpich => {
                let n_ranks = addresses.len().to_string();
                words
                    .extend(["-ppn", "1", "-hosts", &addresses.join(","), "-n", &n_ranks].map(str::to_owned));
                words.extend_from_slice(program);
            }
            // Open MPI maps the launcher's own host first, independent of the order of a list of hosts.
            Mpi::OpenMpi => {
                for (location, address) in addresses.iter().enumerate() {
                    words.extend((location > 0).then(|| ":".to_owned()));
                    words.extend(["-n", "1", "-host", address].map(str::to_owned));
                    words.extend_from_slice(program);
                }
            }
        }
        words
    }

    /// The compiler of the same library.
    fn compiler(&self) -> Result<String, FieldError> {
        let names = [format!("mpicxx.{}", self.mpi.word()), "mpicxx".to_owned()];
        let is_there = |name: &String| {
            let mut show = Command::new(name);
            show.arg("-show").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            show.status().is_ok_and(|status| status.success())
        };
        let (tool, packages) = (format!("mpicxx of {}", self.mpi.word()), self.mpi.packages());
        names.into_iter().find(is_there).ok_or(FieldError::Tool { tool, packages })
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Whether this process has the rights of root.
fn is_root() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
    }
    #[cfg(not(unix))]
    false
}

/// Builds the program of a prepared study with a library; returns its path, or `None` if the build was stopped.
///
/// # Errors
/// If a tool is missing, or the compiler fails.
pub(super) fn build(
    study: &Path,
    launcher: &Launcher,
    stop: Option<&AtomicBool>,
) -> Result<Option<PathBuf>, FieldError> {
    let (source, location) = (study.join(SOURCE), study.join("build").join(launcher.mpi.word()));
    remove_moved(&source, &location)?;
    let log = study.join(BUILD_LOG);
    drop(File::create(&log).map_err(FieldError::io("write the file", &log))?);
    let text = |path: &Path| path.display().to_string();
    // CMake takes a relative name as a path in the build folder.
    let choice = format!("-DMPI_CXX_COMPILER={}", find(&launcher.compiler()?));
    let configure = ["cmake", "-S", &text(&source), "-B", &text(&location), "-DFIELD_TESTS=OFF", &choice];
    let build = ["cmake", "--build", &text(&location), "--parallel", &cores().to_string()];
    for words in [&configure[..], &build[..]] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match run(&words, &log, "cmake g++", stop, |_| {})? {
            Ending::Stopped => return Ok(None),
            Ending::Exited(status) if !status.success() => {
                return Err(FieldError::NotBuilt { tail: tail(&log) });
            }
            Ending::Exited(_) => {}
        }
    }
    Ok(Some(location.join("netloom-field")))
}

/// The path of a command found in `PATH`, or its name.
fn find(name: &str) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut locations = std::env::split_paths(&path).map(|folder| folder.join(name));
    locations.find(|path| path.is_file()).map_or(name.to_owned(), |path| path.display().to_string())
}

/// Removes a build whose folder was copied from elsewhere: `cmake` refuses to reuse it.
fn remove_moved(source: &Path, location: &Path) -> Result<(), FieldError> {
    let Ok(cache) = fs::read_to_string(location.join("CMakeCache.txt")) else { return Ok(()) };
    let stated = |key: &str| cache.lines().find_map(|line| line.strip_prefix(key)).map(Path::new);
    let is_same = |stated: Option<&Path>, path: &Path| {
        let stated = stated.and_then(|stated| stated.canonicalize().ok());
        stated.zip(path.canonicalize().ok()).is_some_and(|(one, other)| one == other)
    };
    if is_same(stated("CMAKE_HOME_DIRECTORY:INTERNAL="), source)
        && is_same(stated("CMAKE_CACHEFILE_DIR:INTERNAL="), location)
    {
        return Ok(());
    }
    fs::remove_dir_all(location)
        .map_err(FieldError::io("remove the build that belongs to another folder", location))
}
