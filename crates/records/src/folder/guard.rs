//! A guard around the Parquet library while it reads files that may be damaged.
//!
//! Models: a panic inside the library becomes the error "damaged". Some flipped bits make its decoders panic (shifts
//! and indices taken from the file unchecked), and a damaged file is an input error, not a bug to report.
//! Leaves out: panics of this program, which are not caught.
//!
//! Invariants: outside the guarded call nothing changes; an object that panicked is not used again.

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

/// The hook is global to the process, so it checks whether this thread is guarded, and passes on all other panics.
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
