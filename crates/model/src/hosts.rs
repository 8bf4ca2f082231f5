//! Costs of messages at hosts: overheads of `LogGP`, rendezvous, and rate limits.
//!
//! Models: time per message at sender and receiver, time per byte between ranks of one host, messages that wait for the
//! receiver's grant, the rate at which a host can start data, time per byte for adding and copying.
//! Leaves out: which messages have these costs; the catalog turns them into operations, the NIC enforces the limit.
//!
//! Invariants: with all fields at their defaults nothing changes.
//! Source: Alexandrov, Ionescu, Schauser, Scheiman, "`LogGP`", SPAA 1995; rendezvous as in message passing libraries.

use netloom_units::{Bytes, Duration, Rate};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hosts {
    /// Time that a rank spends to post a message: messages of a stream are posted one after the other.
    pub send_overhead: Duration,
    /// Time that a waiting rank spends on a message that has arrived.
    pub receive_overhead: Duration,
    /// Messages of at least this size start when their receiver has granted them, and their sender waits for their end.
    pub rendezvous: Option<Bytes>,
    /// From the arrival of the grant until the message starts: matching, registration of memory, progress.
    pub handshake: Duration,
    /// Largest rate at which a host starts to send, over all its ports; control packets do not count.
    pub injection: Option<Rate>,
    /// The same while several queue pairs of a host are backlogged.
    pub injection_to_many: Option<Rate>,
    /// Rate at which received data is added to local data.
    pub reduction: Option<Rate>,
    /// Rate at which data received without a grant is copied to its destination.
    pub copy: Option<Rate>,
    /// Rate at which a rank passes data to another rank of its host; `None` if no host has several ranks of a job.
    pub local: Option<Rate>,
}

impl Hosts {
    /// Size of the message by which a receiver grants another one.
    pub const GRANT: Bytes = Bytes(64);

    /// Whether a message of this size waits for a grant.
    #[inline]
    pub fn grants(&self, size: u64) -> bool {
        self.rendezvous.is_some_and(|least| size >= least.0)
    }

    /// Whether ranks must know the sender of each receive.
    pub fn needs_sources(&self) -> bool {
        self.rendezvous.is_some() || self.reduction.is_some() || self.copy.is_some()
    }

    /// Whether messages cost ranks no time.
    pub fn is_idle(&self) -> bool {
        let overheads = self.send_overhead.0 + self.receive_overhead.0;
        overheads == 0 && !self.needs_sources()
    }
}
