//! What hosts take for messages: overheads of `LogGP`, rendezvous, and limits of their own.
//!
//! Models: time per message at sender and receiver, messages that wait for the receiver's grant, the rate at which a host
//! can start data at all, time per byte for adding and copying.
//! Leaves out: which messages those are; the catalog makes operations of it, the NIC holds the limit.
//!
//! Invariants: all of it at its default changes nothing.
//! Source: Alexandrov, Ionescu, Schauser, Scheiman, "`LogGP`", SPAA 1995; rendezvous as message passing libraries have it.

use netloom_units::{Bytes, Duration, Rate};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hosts {
    /// What posting a message takes a rank: messages of a lane are posted one after the other.
    pub send_overhead: Duration,
    /// What a message that has come takes the rank that waited for it.
    pub receive_overhead: Duration,
    /// Messages of at least this size start when their receiver has granted them, and their sender waits for their end.
    pub rendezvous: Option<Bytes>,
    /// From the coming of the grant until the message starts: matching, registration of memory, progress.
    pub handshake: Duration,
    /// The most that a host starts to send, over all its ports; control packets do not count.
    pub injection: Option<Rate>,
    /// The same while several queue pairs of a host have something to send.
    pub injection_to_many: Option<Rate>,
    /// How fast what has come is added to what is there.
    pub reduction: Option<Rate>,
    /// How fast what has come without a grant is copied to its place.
    pub copy: Option<Rate>,
}

impl Hosts {
    /// Size of the message by which a receiver grants one.
    pub const GRANT: Bytes = Bytes(64);

    /// Whether a message of this size waits for a grant.
    #[inline]
    pub fn grants(&self, size: u64) -> bool {
        self.rendezvous.is_some_and(|least| size >= least.0)
    }

    /// Whether ranks must know whom they receive from.
    pub fn needs_sources(&self) -> bool {
        self.rendezvous.is_some() || self.reduction.is_some() || self.copy.is_some()
    }

    /// Whether anything is asked of ranks beside their messages.
    pub fn is_idle(&self) -> bool {
        let overheads = self.send_overhead.0 + self.receive_overhead.0;
        overheads == 0 && !self.needs_sources()
    }
}
