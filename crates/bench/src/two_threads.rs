//! Cost of a second thread where it does not help: wall time with two threads over that with one.
//!
//! Models: whole runs in separate processes, with one and two threads in turns, so that other load on the machine slows
//! both; the median over the pairs.
//! Leaves out: the gain of two threads; machines with one core, where a second thread only costs.

use std::process::Command;
use std::time::Instant;

use crate::scene::Scene;

/// The largest ratio that is allowed.
pub const MOST: f64 = 1.1;
/// Number of pairs of runs.
pub const PAIRS: usize = 5;

/// The median of the ratios of the pairs.
///
/// # Errors
/// If a run fails.
pub fn ratio(scene: &Scene) -> Result<f64, String> {
    let pair = |_| Ok(seconds(scene, "2")? / seconds(scene, "1")?);
    let mut ratios = (0..PAIRS).map(pair).collect::<Result<Vec<f64>, String>>()?;
    ratios.sort_by(f64::total_cmp);
    Ok(ratios[PAIRS / 2])
}

/// Wall time of one run.
fn seconds(scene: &Scene, threads: &str) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let output = Command::new(this).args(["scene", scene.name, "--threads", threads]).output();
    let seconds = begin.elapsed().as_secs_f64();
    let output = output.map_err(|error| format!("cannot start another process of this program: {error}"))?;
    if output.status.success() {
        Ok(seconds)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
