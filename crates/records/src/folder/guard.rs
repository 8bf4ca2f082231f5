//! A guard around the Parquet library while it reads files that may be damaged.
//!
//! Models: a panic inside the library becomes the answer "damaged". Some flipped bits make its decoders panic (shifts
//! and indices taken from the file unchecked), and a damaged file is the user's misfortune, not a bug to report.
//! Leaves out: our own panics, which stay what they are.
//!
//! Invariants: outside the guarded call nothing changes; what panicked is not used again.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The library panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Calls the library; its panics are caught and not printed.
pub(crate) fn guard<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    hush_guarded_panics();
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    GUARDED.set(before);
    result.map_err(|_| Panicked)
}

/// The hook is one per process, so it asks whether this thread is being guarded, and passes on everything else.
fn hush_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                print(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_answer() {
        assert_eq!(guard(|| 1), Ok(1));
        assert_eq!(guard(|| panic!("bits")), Err::<(), _>(Panicked));
        assert!(!GUARDED.get());
    }
}
