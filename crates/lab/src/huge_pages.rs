//! Huge pages for the memory of large fabrics, where the program has an allocator that asks for them.
//!
//! Models: the choice of the process, by the number of ports of the fabrics that it simulates. A run accesses the state of
//! its ports in no order, and a processor remembers the addresses of some thousand pages: huge ones save a seventh of the
//! time of a run on Leonardo (`docs/performance.md`). Once they are on, they stay on for later runs of the process.
//! Leaves out: programs that use this library, which decide for themselves.

use std::sync::atomic::{AtomicBool, Ordering};

use netloom_model::Model;

/// Number of ports from which on a fabric is large. Huge pages take up to 130 MB more, several times what a run of a
/// smaller one takes.
const MANY_PORTS: usize = 16_384;

/// Whether this process has switched huge pages off, and may switch them on again.
static IS_OFF: AtomicBool = AtomicBool::new(false);

/// Switches huge pages off until a large fabric is simulated. For the `main` of a program, before other threads start.
pub fn switch_off() {
    IS_OFF.store(set_disabled(true), Ordering::Relaxed);
}

/// Switches huge pages on again for the memory that a run is about to take, if its fabric is large.
pub(crate) fn allow_for(model: &Model) {
    allow_for_ports(model.fabric.ports().len());
}

fn allow_for_ports(n_ports: usize) {
    if n_ports >= MANY_PORTS && IS_OFF.swap(false, Ordering::Relaxed) {
        set_disabled(false);
    }
}

/// Returns whether the system has done so; a run without is slower or takes more memory, no more.
#[cfg(target_os = "linux")]
fn set_disabled(is_disabled: bool) -> bool {
    rustix::thread::disable_transparent_huge_pages(is_disabled).is_ok()
}

/// Elsewhere the system decides alone.
#[cfg(not(target_os = "linux"))]
fn set_disabled(_is_disabled: bool) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::transparent_huge_pages_are_disabled as are_off;

    use super::*;

    #[test]
    fn a_process_that_has_switched_them_off_switches_them_on_for_a_large_fabric() {
        let before = are_off().expect("Linux says");
        allow_for_ports(MANY_PORTS);
        assert_eq!(are_off().expect("Linux says"), before, "it has not switched them off");
        switch_off();
        allow_for_ports(MANY_PORTS - 1);
        assert!(are_off().expect("Linux says"));
        allow_for_ports(MANY_PORTS);
        assert!(!are_off().expect("Linux says"));
    }
}
