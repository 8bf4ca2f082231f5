//! Ctrl-C: the first one ends the run cleanly, the second one ends the process at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::Output;

static STOP: AtomicBool = AtomicBool::new(false);
/// Whether there is a handler, of which a process has at most one.
static IS_HANDLED: AtomicBool = AtomicBool::new(false);

/// The exit code that shells expect of a process ended by an interrupt.
const INTERRUPTED: i32 = 130;

/// A flag that is set by the first Ctrl-C from now on.
pub fn stop_flag(output: &mut Output) -> &'static AtomicBool {
    handle(output, || {
        let mut output = Output::new();
        // The terminal has echoed `^C` on this line.
        output.note("");
        output.note("stopping; records up to now are being stored (press Ctrl-C again to end at once)");
    })
}

/// The same without a message, if another process that receives the same Ctrl-C prints it.
pub fn silent_stop_flag(output: &mut Output) -> &'static AtomicBool {
    handle(output, || {})
}

fn handle(output: &mut Output, say: impl Fn() + Send + 'static) -> &'static AtomicBool {
    if IS_HANDLED.swap(true, Ordering::Relaxed) {
        return &STOP;
    }
    let handler = move || {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
        say();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        output.note(format!("note: Ctrl-C will not end the command cleanly ({error})"));
    }
    &STOP
}
