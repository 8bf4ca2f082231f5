//! The engine against the reference simulator, packet for packet, on random small fabrics: listed messages, and jobs,
//! whose ranks react to the messages that arrive.
//!
//! The engine runs with a registered policy in a wrapper that records its random inputs: flow hashes and raw random
//! words. The reference simulator gets only these and computes everything else itself, in doubles and with one global
//! heap: paths, queues, ties among queues, starts, arrivals, completions. Hooks at every switch record the exact
//! instants in the engine; a run without hooks, with the shortcut, and with all nodes in one partition must record the
//! same.
//!
//! Two simulators need not agree on the order of two events at one node and instant, so scenes with such ties are left
//! out; link speeds are primes (in ps per byte) to make them few.

mod agreement;
mod jobs;
mod ranks;
mod reference_side;
mod scene;
mod witness;

use netloom_testkit::reference::Outcome;
use scene::Draft;

/// Scenes compared.
const N_SCENES: usize = 300;
/// Scenes of messages tried at most: one in five may have a tie.
const MOST_TRIED: u64 = 375;
/// The same of jobs, whose ranks often act at one instant.
const MOST_JOBS_TRIED: u64 = 900;

#[test]
fn engine_and_reference_agree_packet_for_packet() {
    let compared = compare(Draft::random, MOST_TRIED);
    scene::cover_much(&compared);
}

#[test]
fn engine_and_reference_agree_on_jobs() {
    let compared = compare(Draft::of_jobs, MOST_JOBS_TRIED);
    scene::cover_jobs(&compared);
}

/// Compares scenes without ties; returns them with what the reference simulator made of them.
fn compare(draft: fn(u64) -> Draft, most_tried: u64) -> Vec<(Draft, Outcome)> {
    let mut compared = Vec::new();
    for seed in 0..most_tried {
        let draft = draft(seed);
        let witnessed = witness::run(&draft);
        let played = reference_side::play(&draft, &witnessed);
        if reference_side::has_ties(&draft, &played.outcome) {
            continue;
        }
        agreement::check(&draft, &witnessed, &played);
        compared.push((draft, played.outcome));
        if compared.len() == N_SCENES {
            break;
        }
    }
    assert_eq!(compared.len(), N_SCENES, "too many scenes had ties");
    compared
}
