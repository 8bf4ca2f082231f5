//! Measures the peak heap of this program under DHAT.

use std::process::Command;

/// The largest number of bytes of the heap in use at any time of one run of this program.
///
/// # Errors
/// If valgrind cannot be run or prints no count, or the run fails.
pub fn peak_bytes(arguments: &[&str]) -> Result<u64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=dhat", "--dhat-out-file=/dev/null"]).arg(this).args(arguments);
    let output = command.output().map_err(|error| format!("cannot run valgrind: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let peak = peak(&errors).filter(|_| output.status.success());
    peak.ok_or_else(|| format!("valgrind counted nothing: {errors}"))
}

/// The bytes in DHAT's line on the peak: `==7== At t-gmax: 1,234 bytes in 5 blocks`.
fn peak(report: &str) -> Option<u64> {
    let line = report.lines().find_map(|line| line.split("At t-gmax:").nth(1))?;
    let digits: String = line.split(" bytes").next()?.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_without_its_commas() {
        let report =
            "==7== Total:     9,876,543 bytes in 12 blocks\n==7== At t-gmax: 1,234,567 bytes in 5 blocks\n";
        assert_eq!(peak(report), Some(1_234_567));
        assert_eq!(peak("==7== Total: 1 bytes in 1 blocks"), None);
    }
}
