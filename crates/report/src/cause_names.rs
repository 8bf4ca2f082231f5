//! The names of causes that people read.

use netloom_records::Cause;

/// Waits in queues that are not among the longest of their message.
pub const OTHER_QUEUES: &str = "queues elsewhere";

/// The name of a cause.
pub fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Transmission => "transmission and propagation",
        Cause::Earlier => "earlier messages of the queue pair",
        Cause::Turn => "turn at the NIC of the sender",
        Cause::Window => "acknowledgements (window of the sender)",
        Cause::Pacing => "pacing (rate of the sender)",
        Cause::Timeout => "timeouts (retransmission)",
        Cause::Pause => "pause or credits at the sender",
        Cause::Queues => "queues behind the sender",
        Cause::Recovery => "reordering or recovery of earlier packets",
    }
}
