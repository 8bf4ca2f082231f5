//! On systems other than Linux there are no testbeds, and no queues to read.

use super::QueueCounters;
use crate::plan::Plan;
use crate::refusal::Refusal;

/// Reads nothing.
#[derive(Debug)]
pub struct QueueReader;

impl QueueReader {
    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: &Plan) -> Result<QueueReader, Refusal> {
        Err(Refusal::NotLinux)
    }

    /// Does nothing.
    pub fn hurry() {}

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn read(&mut self) -> Result<Vec<QueueCounters>, Refusal> {
        Err(Refusal::NotLinux)
    }
}
