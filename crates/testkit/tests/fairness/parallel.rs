//! A map over many items, on all cores; results are in the order of the items.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies a function to every item.
pub fn map<T: Sync, R: Send>(items: &[T], function: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(number) else { break };
        let result = function(item);
        *results[number].lock().expect("one thread writes it") = Some(result);
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let result =
        |slot: Mutex<Option<R>>| slot.into_inner().expect("no thread panicked").expect("it was computed");
    results.into_iter().map(result).collect()
}
