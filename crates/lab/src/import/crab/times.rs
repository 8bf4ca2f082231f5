//! The times of one size of one job: `data_app_N.csv`.
//!
//! Models: a line for each iteration; the time of the slowest rank, in seconds; the mean without the warm-up, with a
//! confidence interval by batch means as in the simulator, and the median.
//! Leaves out: means over ranks, the fastest rank, the first rank.
//!
//! Invariants: a file with fewer iterations than its job configured has no times.

use netloom_engine::estimate;
use netloom_model::WarmUp;
use netloom_scenario::Diagnostics;
use netloom_units::Duration;

use super::WARM_UP;
use super::jobs::Victim;
use crate::import::sheet::{SECOND, Sheet};

const SIZE: &str = "msg_size";

/// The times of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Times {
    pub mean: Duration,
    pub half_interval: Option<Duration>,
    pub median: Duration,
    pub steps: u32,
    pub warm_up: u32,
}

/// The result of reading.
pub(super) enum Read {
    Times(Times),
    /// Fewer iterations than configured, or none beyond the warm-up.
    Short,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], path: &str, victim: &Victim) -> Result<Read, Diagnostics> {
    let slowest = format!("{}_Max-Duration_s", victim.number);
    let mut sheet = Sheet::open(bytes, path, &[SIZE, &slowest])?;
    let mut times = Vec::new();
    for line in sheet.lines() {
        let size = sheet.whole(&line, SIZE, 0..=u64::MAX);
        if size.is_some_and(|size| size != victim.size.0) {
            let what = format!("the job configured {} bytes", victim.size.0);
            sheet.wrong(&line, SIZE, what, "the size of `-msgsize`");
        }
        times.extend(sheet.time(&line, &slowest, SECOND).map(|time| time.0));
    }
    sheet.finish()?;
    let is_short = times.len() < victim.iterations as usize;
    let warm_up = WarmUp { steps: WARM_UP, share: 0.0 };
    let found = if is_short || times.len() <= WARM_UP as usize { None } else { estimate(&times, warm_up) };
    let Some(found) = found else { return Ok(Read::Short) };
    Ok(Read::Times(Times {
        mean: Duration(found.mean.round() as u64),
        half_interval: found.half(),
        median: median(&times[WARM_UP as usize..]),
        steps: u32::try_from(found.steps).unwrap_or(u32::MAX),
        warm_up: WARM_UP,
    }))
}

/// The median; for an even number of times, the mean of the two middle ones.
fn median(times: &[u64]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    let [low, high] = [sorted[(sorted.len() - 1) / 2], sorted[middle]];
    Duration(low.midpoint(high))
}

#[cfg(test)]
mod tests {
    use netloom_scenario::Style;
    use netloom_units::Bytes;

    use super::*;

    fn victim(iterations: u32) -> Victim {
        Victim { number: 3, collective: "ring_all_gather", size: Bytes(64), iterations }
    }

    fn file(times: impl Iterator<Item = String>) -> Vec<u8> {
        let mut text = "run_id,msg_size,3_Avg-Duration_s,3_Max-Duration_s\n".to_owned();
        for time in times {
            text.push_str(&format!("1,64,1e-06,{time}\n"));
        }
        text.into_bytes()
    }

    #[test]
    fn the_first_hundred_iterations_do_not_count() {
        let times =
            (0..200).map(|nth| if nth < 100 { "1".to_owned() } else { format!("{}e-06", 10 + nth % 10) });
        let Ok(Read::Times(found)) = read(&file(times), "a.csv", &victim(200)) else {
            panic!("there are some")
        };
        assert_eq!((found.mean, found.median), (Duration(14_500_000), Duration(14_500_000)));
        assert_eq!((found.steps, found.warm_up, found.half_interval), (100, 100, Some(Duration(0))));
    }

    #[test]
    fn a_job_that_did_not_finish_has_no_times() {
        let times = |count: usize| file((0..count).map(|_| "1e-06".to_owned()));
        assert!(matches!(read(&times(150), "a.csv", &victim(200)), Ok(Read::Short)));
        assert!(matches!(read(&times(100), "a.csv", &victim(50)), Ok(Read::Short)));
    }

    #[test]
    fn mistakes_are_reported_with_line_and_column() {
        let error_of = |bytes: &[u8]| match read(bytes, "a.csv", &victim(1)) {
            Err(mistakes) => mistakes.render(Style::Plain),
            Ok(_) => panic!("it is wrong"),
        };
        assert!(
            error_of(&file(["nan".to_owned()].into_iter()))
                .contains("line 2, column `3_Max-Duration_s`: `nan` is not a valid time")
        );
        assert!(error_of(b"run_id,msg_size,3_Max-Duration_s\n1,65,1e-6\n").contains("configured 64 bytes"));
        assert!(error_of(b"run_id,msg_size,3_Max-Duration_s\n1,64\n").contains("2 cells where 3"));
        assert!(error_of(b"run_id,msg_size,2_Max-Duration_s\n").contains("no column `3_Max-Duration_s`"));
    }
}
