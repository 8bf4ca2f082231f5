//! Ctrl-C: the first one ends the run cleanly, the second one at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::Output;

static STOP: AtomicBool = AtomicBool::new(false);

/// What a shell expects of a process that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// A flag that the first Ctrl-C from now on raises.
pub fn stop_flag(output: &mut Output) -> &'static AtomicBool {
    handle(output, || {
        let mut output = Output::new();
        // What was typed stands on this line.
        output.note("");
        output.note("stopping; what was recorded so far is being stored (Ctrl-C again to give up)");
    })
}

/// The same where another process, which a Ctrl-C reaches as well, says so.
pub fn silent_stop_flag(output: &mut Output) -> &'static AtomicBool {
    handle(output, || {})
}

fn handle(output: &mut Output, say: impl Fn() + Send + 'static) -> &'static AtomicBool {
    let handler = move || {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
        say();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        output.note(format!("note: Ctrl-C will not end this cleanly ({error})"));
    }
    &STOP
}
