//! Signals that end a command: the first one ends the run cleanly, the second one ends the process at once.
//!
//! Models: Ctrl-C (`SIGINT`), `kill` and batch systems (`SIGTERM`), a terminal that closes (`SIGHUP`), unless it is ignored
//! (`nohup`); a file that reaches its largest size (`SIGXFSZ`), which becomes an error of the write.
//! Leaves out: commands that store nothing: a signal ends them at once.

use std::io;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crate::output::Output;

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether there is a handler.
static IS_HANDLED: AtomicBool = AtomicBool::new(false);

/// Shells expect this plus the number of the signal as the exit code of a process that a signal ended.
const BY_SIGNAL: i32 = 128;

/// A flag that is set by the first signal from now on.
pub fn stop_flag(output: &mut Output) -> &'static AtomicBool {
    handle(output, |is_typed| {
        let mut output = Output::new();
        if is_typed {
            // The terminal has echoed `^C` on this line.
            output.note("");
        }
        let again =
            if is_typed { "press Ctrl-C again to end at once" } else { "a second signal ends it at once" };
        output.note(format!("stopping; records up to now are being stored ({again})"));
    })
}

/// The same without a message, if another process that receives the same signal prints it.
pub fn silent_stop_flag(output: &mut Output) -> &'static AtomicBool {
    handle(output, |_| {})
}

/// Makes a file that reaches its largest size (`ulimit -f`) an error of the write, not the end of the process.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    // Without the handler the process ends there, as any other would.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

fn handle(output: &mut Output, report: impl Fn(bool) + Send + 'static) -> &'static AtomicBool {
    if !IS_HANDLED.swap(true, Ordering::Relaxed)
        && let Err(error) = listen(report)
    {
        output.note(format!("note: Ctrl-C will not end the command cleanly ({error})"));
    }
    &STOP
}

/// Waits for signals in a thread of its own.
#[cfg(unix)]
fn listen(report: impl Fn(bool) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut wanted = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    let mut signals = Signals::new(wanted)?;
    let act = move || {
        for signal in signals.forever() {
            if STOP.swap(true, Ordering::Relaxed) {
                process::exit(BY_SIGNAL + signal);
            }
            report(signal == SIGINT);
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(act).map(drop)
}

/// Whether this process was started with a signal ignored, as Linux lists it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// The first signal sets the flag, a second one ends the process.
#[cfg(not(unix))]
fn listen(_: impl Fn(bool) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag::{register, register_conditional_shutdown};

    register_conditional_shutdown(SIGINT, BY_SIGNAL + SIGINT, Arc::clone(&STOP))?;
    register(SIGINT, Arc::clone(&STOP)).map(drop)
}
