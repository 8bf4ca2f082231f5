//! Rates that switches allow a host towards another host for a while.
//!
//! Models: a share for all queue pairs towards that host together, split evenly among those with packets in flight (a
//! modelling assumption), and extended to those that begin later.
//! Leaves out: how long a share holds, and its window; congestion control decides that.

use netloom_units::{Rate, StateWriter, Time};

use super::nic::Nic;
use crate::node::Node;
use crate::packet::Packet;

/// A queue pair that begins within this time of a notice, in ps, takes part in its share.
const FRESH: u64 = 20_000_000;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct RateShare {
    /// The host that is congested.
    destination: u32,
    share: Rate,
    /// When the notice arrived, in ps.
    at: u64,
}

impl RateShare {
    /// Writes the state that later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        out.word(u64::from(self.destination));
        out.word(self.share.0);
        out.instant(Time(self.at));
    }
}

impl Node {
    /// A rate notice from a switch arrives.
    #[cold]
    pub(super) fn on_rate_notice(&mut self, now: u64, notice: &Packet) {
        let share = Rate(u64::from(notice.tag) * 1_000_000);
        let lease = RateShare { destination: notice.sequence, share, at: now };
        let nic = self.nic_mut().expect("the host has queue pairs");
        nic.shares.retain(|other| other.at + FRESH > now && other.destination != lease.destination);
        nic.shares.push(lease);
        let concerned = nic.towards(lease.destination);
        let each = Rate((share.0 / concerned.len().max(1) as u64).max(1));
        for &slot in &concerned {
            nic.allow(now, slot, each);
            nic.wake(now, slot);
        }
        nic.concerned = concerned;
    }
}

impl Nic {
    /// Slots of the queue pairs towards a host that have packets in flight.
    fn towards(&mut self, destination: u32) -> Vec<u32> {
        let mut slots = std::mem::take(&mut self.concerned);
        slots.clear();
        let is_concerned = |(_, pair): &(u32, &super::pair::SendPair)| {
            pair.destination == destination && pair.number.is_some() && pair.is_in_flight()
        };
        slots.extend((0..).zip(self.sends.iter()).filter(is_concerned).map(|(slot, _)| slot));
        slots
    }

    /// Applies a share to a queue pair.
    fn allow(&mut self, now: u64, slot: u32, share: Rate) {
        let pair = self.sends.get_mut(slot);
        let controller = &self.ports[pair.port as usize].controller;
        controller.on_share(&mut pair.rate, Time(now), share);
        pair.renew_window(now, controller);
    }

    /// A queue pair is about to send for the first time: it takes part in the share towards its destination.
    #[cold]
    pub(super) fn share_with(&mut self, now: u64, slot: u32) {
        let destination = self.sends.get_mut(slot).destination;
        let is_fresh = |lease: &&RateShare| lease.destination == destination && lease.at + FRESH > now;
        let Some(lease) = self.shares.iter().find(is_fresh).copied() else { return };
        let concerned = self.towards(destination);
        let each = Rate((lease.share.0 / (concerned.len() as u64 + 1)).max(1));
        self.concerned = concerned;
        self.allow(now, slot, each);
    }
}
