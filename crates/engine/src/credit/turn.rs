//! The turn among the ingresses of a switch, at a VL of an egress.
//!
//! Models: a turn that stays with its holder until the holder is granted a transfer, while transfers of others
//! may bypass it a few times.
//! Leaves out: which heads there are and which ingresses are idle (`crossbar.rs`); room and credits (`arbiter.rs`).
//!
//! Invariants: a holder has a head for the egress in this VL; no more than [`max_bypasses`] transfers to other ingresses
//! are granted in the VL while a packet is the head of its queue.

use netloom_units::StateWriter;

use super::queues::NONE;

/// How many transfers may bypass the holder of a turn.
///
/// With fewer, a crossbar without speedup idles more; with more, a holder waits longer: `docs/concepts/credits.md`.
pub const MAX_BYPASSES: u32 = 4;

/// The most transfers to other ingresses that the rule lets an egress grant in a VL while a packet is the head of its
/// queue, with `n_ingresses` that compete.
///
/// The packet's own ingress may be skipped once, since it has bypassed a holder: every other ingress may hold the turn
/// twice before it, is granted a transfer each time, and is bypassed [`MAX_BYPASSES`] times at most before that. Then the
/// packet's own ingress holds the turn and is bypassed as often. Transfers in other VLs do not count, since a VL without
/// credits does not compete for as long as that lasts. The bound does not hold where links fail: their turns begin
/// anew.
pub fn max_bypasses(n_ingresses: usize) -> u64 {
    let others = n_ingresses.saturating_sub(1) as u64;
    let bypasses = u64::from(MAX_BYPASSES);
    2 * others * (bypasses + 1) + bypasses
}

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct GrantPointer {
    /// The ingress that holds the turn, `NONE` for none.
    pub holder: u32,
    /// The ingress that was granted a transfer as the holder last.
    pub last_holder: u32,
    /// The ingress that bypassed a holder last.
    pub last_bypasser: u32,
    /// Transfers of the egress that have bypassed the holder.
    n_bypasses: u32,
    /// Transfers that had been granted at the holder's ingress when it got the turn.
    grants_before: u32,
}

impl GrantPointer {
    /// No ingress holds it, and the first one is the next to hold it; the last ingress has this number.
    pub fn new(last_ingress: u32) -> GrantPointer {
        let (last_holder, last_bypasser) = (last_ingress, last_ingress);
        GrantPointer { holder: NONE, last_holder, last_bypasser, n_bypasses: 0, grants_before: 0 }
    }

    /// Gives the turn to an ingress at which `n_grants` transfers have been granted.
    #[inline]
    pub fn assign(&mut self, ingress: u32, n_grants: u32) {
        (self.holder, self.n_bypasses, self.grants_before) = (ingress, 0, n_grants);
    }

    /// Whether no ingress may pass the holder any more, at whose ingress `n_grants` transfers have been granted.
    #[inline]
    pub fn is_due(&self, n_grants: u32) -> bool {
        self.n_bypasses + n_grants.wrapping_sub(self.grants_before) >= MAX_BYPASSES
    }

    /// Counts a transfer that the egress has granted in another VL, since the ingresses of this one were busy.
    #[inline]
    pub fn bypass(&mut self) {
        self.n_bypasses += 1;
    }

    /// Records a transfer that the egress has granted to an ingress in this VL.
    #[inline]
    pub fn grant(&mut self, ingress: u32) {
        if ingress == self.holder {
            (self.holder, self.last_holder) = (NONE, ingress);
        } else {
            self.last_bypasser = ingress;
            self.n_bypasses += 1;
        }
    }

    /// Writes what later behaviour depends on; `n_grants` transfers have been granted at the holder's ingress.
    pub fn write_state(&self, n_grants: u32, out: &mut StateWriter) {
        out.word(u64::from(self.last_holder) | u64::from(self.last_bypasser) << 32);
        if self.holder != NONE {
            let n_bypasses = self.n_bypasses + n_grants.wrapping_sub(self.grants_before);
            out.word(u64::from(self.holder) | u64::from(n_bypasses) << 32);
        }
    }
}
