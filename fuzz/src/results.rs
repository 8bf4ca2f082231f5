//! All texts that are taken for results of the MPI program are refused with their place, or read.
//!
//! Models: a plan of two victims and two aggressors, or of two streams where the input begins with `s`; its files in order.
//!
//! Invariants checked: an answer always comes; a refusal is bounded and steers no terminal; what a strict reading accepts, a
//! partial one does too.
#![no_main]

mod shared;

use std::collections::BTreeMap;
use std::io::{self, BufRead, ErrorKind};

use libfuzzer_sys::fuzz_target;
use netloom_lab::Digest;
use netloom_lab::field::{
    FieldPlan, Files, Iterations, Reading, Role, Segment, SizedCollective, Stream, Work, read_results,
};

/// Files of a study of interference, and of streams.
const INTERFERENCE: [&str; 5] = ["manifest.txt", "times-0.csv", "times-1.csv", "times-2.csv", "times-3.csv"];
const STREAMS: [&str; 5] = ["manifest.txt", "times-0.csv", "times-1.csv", "times-2.csv", "streams-1.csv"];

struct Memory<'a>(BTreeMap<&'a str, &'a [u8]>);

impl Files for Memory<'_> {
    fn name(&self, file: &str) -> String {
        format!("result/{file}")
    }

    fn open(&self, file: &str) -> io::Result<Box<dyn BufRead + '_>> {
        match self.0.get(file) {
            Some(bytes) => Ok(Box::new(*bytes)),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let (has_streams, input) = match input.strip_prefix(b"s\n") {
        Some(rest) => (true, rest),
        None => (false, input),
    };
    let plan = plan(has_streams);
    let text = plan.to_string();
    let names = if has_streams { STREAMS } else { INTERFERENCE };
    let mut files: BTreeMap<&str, &[u8]> = names.into_iter().zip(shared::texts(input)).collect();
    files.insert("plan.txt", text.as_bytes());
    let files = Memory(files);
    let [strict, partial] = [Reading::Strict, Reading::Partial].map(|reading| read_results(&files, &plan, reading));
    for error in [&strict, &partial].into_iter().filter_map(|answer| answer.as_ref().err()) {
        shared::refused(&error.to_string());
    }
    assert!(strict.is_err() || partial.is_ok(), "{partial:?}");
});

fn plan(has_streams: bool) -> FieldPlan {
    let sized = |collective: &str| SizedCollective { collective: collective.to_owned(), bytes: 65_536 };
    let stream = |from, start_ns| Stream { from, to: 1, start_ns, stop_ns: 500_000_000, bytes: 65_536 };
    let segment = |is_congested, warm_up, n| Segment { is_congested, warm_up, iterations: Iterations::Count(n) };
    let (roles, work, segments) = if has_streams {
        let streams = Work::Streams(vec![stream(0, 0), stream(2, 100_000_000)]);
        (vec![Role::Victim; 3], streams, vec![segment(false, 0, 1)])
    } else {
        let work = Work::Interference {
            victim: sized("ring_all_reduce"),
            aggressor: Some(sized("incast")),
            bursts: None,
        };
        let roles = vec![Role::Victim, Role::Aggressor, Role::Victim, Role::Aggressor];
        (roles, work, [false, true, false].map(|is_congested| segment(is_congested, 1, 2)).to_vec())
    };
    FieldPlan { study: Digest::of(&[]), seed: 1, roles, work, segments, deadline_s: 60 }
}
