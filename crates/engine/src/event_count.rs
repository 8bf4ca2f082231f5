//! Waiting for a condition that another thread makes true: first by spinning, then in the kernel.
//!
//! Models: an event count: waiters check a condition of their own, the thread that changes it notifies.
//! Leaves out: the condition itself; it is an atomic of the caller.
//!
//! Invariants: no notification is lost: a waiter registers before its last check, a notifier changes the condition
//! before it checks for waiters, and both are sequentially consistent.

use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex, PoisonError};

/// Checks before a waiter sleeps: some ten microseconds, about the cost of a sleep and a wake-up.
const SPINS: u32 = 500;

/// A waiting point for threads.
#[derive(Default)]
pub struct EventCount {
    n_sleeping: AtomicUsize,
    lock: Mutex<()>,
    woken: Condvar,
}

impl EventCount {
    /// Returns the first `Some` of `condition`, which reads atomics and changes them only where it returns `Some`.
    pub fn wait_for<T>(&self, condition: impl Fn() -> Option<T>) -> T {
        for _ in 0..SPINS {
            if let Some(found) = condition() {
                return found;
            }
            std::hint::spin_loop();
        }
        // Nothing panics while it holds the lock, and it guards no data.
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.n_sleeping.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let found = loop {
            if let Some(found) = condition() {
                break found;
            }
            guard = self.woken.wait(guard).unwrap_or_else(PoisonError::into_inner);
        };
        self.n_sleeping.fetch_sub(1, Ordering::SeqCst);
        found
    }

    /// Wakes all waiters; to be called after the condition has changed.
    pub fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.n_sleeping.load(Ordering::SeqCst) > 0 {
            // A registered waiter holds the lock until it sleeps: after this it receives the notification.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.woken.notify_all();
        }
    }
}
