//! Progress of selected flows, read at the two ends of their messages.
//!
//! Invariants: between windows all starts before the instant have been processed, and reading changes nothing.

use netloom_records::RateRow;
use netloom_units::Time;

use super::Coordinator;
use super::messages::nic;
use crate::rates::{Rates, Reading, Totals};

impl Coordinator<'_, '_> {
    /// A message has started: it may belong to a selected flow.
    #[cold]
    pub(super) fn rate_started(&mut self, index: u32) {
        let Some(rates) = &mut self.rates else { return };
        let round_state = self.scheduler.round_state.read().expect("no thread panicked");
        if let Some(message) = self.table.identity(&round_state.flows, index) {
            rates.started(index, message);
        }
    }

    /// A message is about to be freed.
    #[cold]
    pub(super) fn rate_forget(&mut self, index: u32) {
        if self.rates.as_ref().is_some_and(|rates| rates.is_open(index)) {
            let totals = self.reading(index, self.now).totals;
            self.rates.as_mut().expect("just seen").forget(index, totals);
        }
    }

    /// An interval ends: samples the state at `at`.
    pub(super) fn rate_sample(&mut self, at: u64) {
        if let Some(mut rates) = self.rates.take() {
            rates.take(|index| self.reading(index, at));
            self.rates = Some(rates);
        }
    }

    /// All rows, including those of the interval in which the run ended.
    pub(super) fn rate_rows(&mut self, end: u64) -> Vec<RateRow> {
        self.rate_sample(end);
        self.rates.take().map(Rates::rows).unwrap_or_default()
    }

    fn reading(&self, index: u32, at: u64) -> Reading {
        let flow = self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize];
        let (sent, rate) = self.at_host(flow.source, |host| {
            let nic = nic(host);
            let pair = nic.sends.get_mut(flow.send_pair);
            let is_in_flight = pair.is_sending(index);
            let controller = &nic.ports[pair.port as usize].controller;
            // The controller works on a copy of the rate state: reading must not change the queue pair.
            let rate = is_in_flight.then(|| (flow.send_pair, controller.allowed(&pair.rate, Time(at))));
            (*nic.outgoing.get_mut(flow.send_slot), rate)
        });
        let came = self.at_host(flow.message.to, |host| *nic(host).incoming.get_mut(flow.receive_slot));
        let totals = Totals {
            packets: sent.packets,
            retransmitted: sent.retransmitted,
            duplicates: u64::from(came.tally.duplicates),
            nacks: u64::from(came.tally.nacks),
            marked: u64::from(came.tally.marked),
            notifications: u64::from(sent.notified),
            bytes: flow.message.size.0 - came.missing,
        };
        Reading { totals, rate }
    }
}
