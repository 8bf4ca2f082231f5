//! Credits at a port: buffer space at the other end of its link.
//!
//! Models: the credit counters of the link; packets in input buffers of the switch, which count at this port; the time
//! for which no packet could start for lack of credits; marks on data that starts.
//! Leaves out: those input buffers (`credit`).

use super::{Count, Egress, Pauses, Start};
use crate::context::PartitionContext;
use crate::credit::{CreditCounters, LinkCredits, OccupancyInterval, QueueOccupancy, ReturnQueue, Returned};
use crate::mark::Marker;
use crate::node::transmit;
use crate::packet::{InFlight, Packet};
use crate::prefetch::prefetch;
use crate::round::Round;
use crate::trace::QueueSnapshot;

impl Egress {
    /// Lets packets start only where there are credits for them, before the run. A switch checks that itself.
    pub fn set_credits(&mut self, counters: CreditCounters, is_switch: bool) {
        (self.uses_fast_path, self.has_start_effects, self.extras.has_enqueue_effects) = (false, true, true);
        let mut credits = LinkCredits::new(counters);
        credits.only_spends = !is_switch && !self.must_observe_starts();
        self.extras.watched |= !is_switch;
        self.credits = Some(Box::new(credits));
        self.update_admission_conditions();
    }

    /// Enables computed starts of packets when they are staged, unless starts must be seen, before the run: at a port
    /// of a switch with one virtual lane.
    pub fn enable_precomputed_starts(&mut self) {
        // At odd rates the time of several packets is not the sum of their times.
        let is_ahead = !self.must_observe_starts() && self.ps_per_byte != 0;
        self.link_credits().precomputes_starts = is_ahead;
    }

    /// # Panics
    /// At a port without credits.
    #[inline]
    fn link_credits(&mut self) -> &mut LinkCredits {
        self.credits.as_deref_mut().expect("the port has credits")
    }

    fn credit_counters(&self) -> Option<&CreditCounters> {
        self.credits.as_deref().map(|credits| &credits.counters)
    }

    fn returned(&self) -> impl Iterator<Item = Returned> {
        let queue = self.credits.as_deref().and_then(|credits| credits.returned.as_ref());
        queue.into_iter().flat_map(ReturnQueue::unread)
    }

    /// Enables marking of data packets where this port is a root of congestion, before the run.
    pub fn set_root_marker(&mut self, marker: Marker) {
        self.extras.marker = Some(marker);
        self.must_observe_starts = true;
    }

    /// Enables cut-through: packets arrive when `header` bytes of them have arrived, before the run.
    pub fn set_cut_through(&mut self, header: u32) {
        self.link_credits().cut_through = header;
    }

    /// Sets the queue by which credits come back to a port of a switch, before the run.
    pub fn set_return_queue(&mut self, queue: ReturnQueue) {
        self.link_credits().returned = Some(queue);
    }

    /// Credits of each VL at `now`; none where the link has no credits. Credits that arrive at `now` do not count yet.
    pub fn credits_at(&self, now: u64) -> Vec<u32> {
        let Some(counters) = self.credit_counters() else { return Vec::new() };
        let mut blocks = counters.blocks().to_vec();
        for Returned { vl, blocks: returned, .. } in self.returned().filter(|returned| returned.arrival < now)
        {
            blocks[vl as usize] += returned;
        }
        blocks
    }

    /// Credits in flight to a port of a switch that arrive at `now` or later.
    pub fn credits_in_flight(&self, now: u64) -> impl Iterator<Item = Returned> {
        self.returned().filter(move |returned| returned.arrival >= now)
    }

    /// Prefetches what the start of a packet will need.
    #[inline(always)]
    pub fn prefetch_start(&self) {
        prefetch(self);
        prefetch(&*self.extras);
        if let Some(credits) = self.credits.as_deref() {
            prefetch(credits);
        }
        self.channel.prefetch_next();
    }

    /// Whether there are credits for a packet at `now`; the port must be advanced to `now`.
    #[inline(always)]
    pub fn has_credits(&mut self, now: u64, packet: &Packet) -> bool {
        let credits = self.link_credits();
        credits.counters.suffices(packet) || credits.read_returned(now, packet)
    }

    /// Waits for credits at a switch: returns when the next ones arrive, if some are known to be in flight.
    #[cold]
    pub fn wait_for_credits(&mut self, context: &mut PartitionContext) -> Option<u64> {
        self.link_credits().returned.as_mut()?.wait(context)
    }

    /// When the next credits arrive, if the port waits for some that are known to be in flight.
    pub fn awaited_credits(&mut self) -> Option<u64> {
        if self.is_credit_blocked() { self.link_credits().returned.as_mut()?.next_arrival() } else { None }
    }

    /// Whether the only effect of starts at a NIC is that credits are spent.
    #[inline]
    pub fn only_spends(&self) -> bool {
        self.credits.as_deref().is_some_and(|credits| credits.only_spends)
    }

    /// Whether starts may be computed when packets are staged.
    #[inline]
    pub fn precomputes_starts(&self) -> bool {
        self.credits.as_deref().is_some_and(|credits| credits.precomputes_starts)
    }

    /// Bytes of packets whose start is computed and lies ahead.
    #[inline]
    pub fn precomputed_bytes(&self) -> u64 {
        self.credits.as_deref().map_or(0, LinkCredits::ahead_bytes)
    }

    /// The same at `now`, to which the port need not be advanced.
    pub fn precomputed_bytes_at(&self, now: u64) -> u64 {
        self.credits.as_deref().map_or(0, |credits| credits.ahead_at(now))
    }

    /// The next computed start, `u64::MAX` for none.
    #[inline]
    pub fn next_departure(&self) -> u64 {
        self.credits.as_deref().map_or(u64::MAX, LinkCredits::next_departure)
    }

    /// Processes computed starts before `until`.
    #[inline]
    pub fn pass_departures(&mut self, until: u64) {
        if self.next_start >= until {
            return;
        }
        let credits = self.credits.as_deref_mut().expect("the port has credits");
        self.data_bytes -= credits.pass_departures(until);
        self.next_start = credits.next_departure();
    }

    /// Whether waiting packets and their starts must be seen: they are counted, marked, recorded, or may be lost.
    #[inline]
    pub fn must_observe_starts(&self) -> bool {
        self.must_observe_starts
    }

    /// As [`Egress::launch_precomputed`], of a packet that has just arrived and waits only for the wire.
    #[inline(always)]
    pub fn launch_on_arrival(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let busy = self.serialization(packet.bytes);
        let at = self.free_at.max(now);
        let backlog = at - now + self.queued_ps + busy;
        if backlog > self.peak_ps {
            self.note_peak(now, backlog);
        }
        self.bytes += u64::from(packet.bytes);
        if at > now && packet.is_data() {
            self.data_bytes += u64::from(packet.bytes);
        }
        self.start_ahead(now, (at, at + busy), packet, context, round);
    }

    /// Puts a packet that was expected onto the link: it starts when the wire is free, or at `now` if it is. Credits
    /// suffice, and its start need not be seen.
    #[inline]
    pub fn launch_precomputed(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let busy = self.serialization(packet.bytes);
        let at = self.free_at.max(now);
        self.queued_ps -= busy;
        self.in_input_buffers -= 1;
        if at == now && packet.is_data() {
            self.data_bytes -= u64::from(packet.bytes);
        }
        self.start_ahead(now, (at, at + busy), packet, context, round);
    }

    /// Puts a packet onto the link whose transmission starts and ends at these instants.
    #[inline(always)]
    fn start_ahead(
        &mut self,
        now: u64,
        (at, end): (u64, u64),
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.free_at = end;
        let credits = self.credits.as_deref_mut().expect("the port has credits");
        credits.counters.consume(packet);
        if at > now {
            credits.depart(at, packet.bytes, packet.is_data());
            self.next_start = self.next_start.min(at);
        }
        let header = credits.cut_through;
        let end = if header < packet.bytes { at + self.serialization(header) } else { end };
        self.channel.push(InFlight { arrival: end + self.delay, packet: *packet }, context, round);
    }

    /// The serialization time of a packet.
    #[inline]
    pub fn serialization_of(&self, bytes: u32) -> u64 {
        self.serialization(bytes)
    }

    /// Spends the credits of a packet that starts.
    pub fn spend(&mut self, at: u64, packet: &Packet) {
        let Some(credits) = &mut self.credits else { return };
        credits.counters.consume(packet);
        self.update_blocked_classes(at);
    }

    /// Counts a packet that is lost as it starts: it takes no credits, but its turn.
    #[cold]
    pub fn spend_turn(&mut self, at: u64, packet: &Packet) {
        let Some(credits) = &mut self.credits else { return };
        credits.counters.note_start(packet);
        self.update_blocked_classes(at);
    }

    /// Whether control packets share a VL with data, and take turns with it.
    #[inline]
    pub fn takes_turns(&self) -> bool {
        self.credit_counters().is_some_and(CreditCounters::is_shared)
    }

    /// Whether data that may start goes before control packets.
    #[inline]
    pub fn is_turn_of_data(&self) -> bool {
        self.credit_counters().is_some_and(CreditCounters::is_turn_of_data)
    }

    /// A packet has started at `at`: updates which classes lack credits to start, and which may start again since data
    /// has had its turn.
    fn update_blocked_classes(&mut self, at: u64) {
        // A switch decides by itself what starts.
        let Some(counters) = self.credit_counters().filter(|counters| counters.limits_classes()) else {
            return;
        };
        let (short, before) = (counters.short(), self.blocked_classes);
        if short | before == 0 {
            return;
        }
        let pauses = &mut self.extras.pauses;
        match (before, short) {
            (0, _) => (pauses.since, pauses.busy) = (self.free_at, 0),
            (_, 0) if !self.extras.paused_packets.is_empty() => {
                pauses.total += at.saturating_sub(pauses.since).saturating_sub(pauses.busy);
            }
            _ => pauses.busy += self.free_at - at,
        }
        self.blocked_classes = short;
        let changed = before ^ short;
        if changed != 0 {
            self.move_paused(at, changed);
        }
    }

    /// Moves packets of classes that may not start out of the class queues, or back; data never waits here at a NIC.
    fn move_paused(&mut self, now: u64, classes: u8) -> Option<u64> {
        let moved = classes & !(1 << self.data_class);
        if moved == 0 {
            return None;
        }
        self.move_paused_classes(now, moved)
    }

    /// Whether packets wait outside the class queues since their class may not start.
    pub fn has_paused_packets(&self) -> bool {
        !self.extras.paused_packets.is_empty()
    }

    /// Adds credits that have come back to a NIC that lacked none; the port must be advanced to now.
    #[inline]
    pub fn add_credits(&mut self, vl: usize, blocks: u32) {
        self.link_credits().counters.replenish(vl, blocks);
    }

    /// Adds credits that have come back to a NIC, which has had something to send from `wanted_from` on; the port must
    /// be advanced to `now`. Returns the next start of a packet whose class lacked credits.
    pub fn give_credits_to_classes(
        &mut self,
        now: u64,
        vl: usize,
        blocks: u32,
        wanted_from: u64,
    ) -> Option<u64> {
        let counters = &mut self.credits.as_deref_mut()?.counters;
        counters.replenish(vl, blocks);
        let released = self.blocked_classes & !counters.short();
        if released == 0 {
            return None;
        }
        self.extras.pauses.total = self.blocked_time(now, wanted_from);
        // Nothing starts before the credits have arrived, regardless of when the port is accessed.
        self.free_at = self.free_at.max(now);
        (self.extras.pauses.since, self.extras.pauses.busy) = (self.free_at, 0);
        self.blocked_classes &= !released;
        self.move_paused(now, released)
    }

    /// Whether the port is blocked by credits: packets wait and the wire is free, but there are no credits.
    pub fn is_credit_blocked(&self) -> bool {
        self.blocked_classes != 0
    }

    /// Time since it was last blocked by credits.
    fn free_for(&self, now: u64) -> u64 {
        match (self.is_credit_blocked(), self.extras.pauses.total) {
            (true, _) => 0,
            (false, 0) => u64::MAX,
            (false, _) => now - self.extras.pauses.since,
        }
    }

    /// Records whether it is blocked by credits.
    pub fn set_credit_blocked(&mut self, now: u64, is_starving: bool) {
        match (self.blocked_classes != 0, is_starving) {
            (false, true) => self.extras.pauses.since = now,
            (true, false) => {
                self.extras.pauses.total += now - self.extras.pauses.since;
                self.extras.pauses.since = now;
                self.link_credits().returned.iter_mut().for_each(ReturnQueue::stop_waiting);
            }
            _ => {}
        }
        self.blocked_classes = u8::from(is_starving);
    }

    /// How long it has been paused or blocked by credits before `now`; at a NIC there has been something to send from
    /// `wanted_from` on.
    pub fn blocked_time(&self, now: u64, wanted_from: u64) -> u64 {
        let Pauses { since, busy, total, .. } = self.extras.pauses;
        if self.blocked_classes == 0 {
            return total;
        }
        let busy = busy.saturating_sub(self.free_at.saturating_sub(now));
        total + now.saturating_sub(since.max(wanted_from)).saturating_sub(busy)
    }

    /// Whether the other end blocks some class here.
    pub fn is_blocked(&self) -> bool {
        self.blocked_classes != 0
    }

    /// Records the occupancy before this port of a switch, before the run; packets come by `n_links` in-links.
    pub fn record_occupancy(&mut self, n_links: usize) {
        self.count_mut().occupancy = Some(QueueOccupancy::new(n_links));
    }

    /// The occupancy before this port since the last call, where it is recorded.
    pub fn take_occupancy(&mut self, now: u64) -> Option<OccupancyInterval> {
        Some(self.count.as_deref_mut()?.occupancy.as_mut()?.take(now))
    }

    /// Counts a packet that came by `ingress`, will leave by this port and enters an input buffer, `waiting` others
    /// before it; returns what it finds, where that is recorded.
    pub fn count_buffered_packet(
        &mut self,
        now: u64,
        packet: &Packet,
        (ingress, waiting): (u32, u32),
        round: &Round,
    ) -> Option<QueueSnapshot> {
        let busy = self.serialization(packet.bytes);
        let backlog = self.free_at.max(now) - now + self.queued_ps + busy;
        if backlog > self.peak_ps {
            self.note_peak(now, backlog);
        }
        self.bytes += u64::from(packet.bytes);
        self.queued_ps += busy;
        self.in_input_buffers += 1;
        if packet.is_data() {
            self.data_bytes += u64::from(packet.bytes);
        }
        self.count.as_ref()?;
        let bytes = self.bytes_ahead(now, self.queued_ps - busy);
        let count = self.count.as_deref_mut()?;
        count.count_buffered(packet, QueueSnapshot { at: now, packets: waiting, bytes, ingress }, round)
    }

    /// Subtracts such a packet that is lost before it could start.
    pub fn forget_buffered(&mut self, now: u64, packet: &Packet, snapshot: Option<QueueSnapshot>) {
        if let Some(snapshot) = snapshot {
            self.leave_queue(now, packet, snapshot, false);
        }
        self.leave_outside(packet);
        self.extras.dropped += 1;
        self.lose(packet);
    }

    /// Subtracts such a packet, which no longer waits.
    fn leave_outside(&mut self, packet: &Packet) {
        self.queued_ps -= self.serialization(packet.bytes);
        self.in_input_buffers -= 1;
        if packet.is_data() {
            self.data_bytes -= u64::from(packet.bytes);
        }
    }

    /// Starts such a packet at `now`, when the wire is free and credits suffice.
    #[inline]
    pub fn launch(
        &mut self,
        now: u64,
        packet: &Packet,
        snapshot: Option<QueueSnapshot>,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.leave_outside(packet);
        if self.must_observe_starts {
            return self.launch_observed(now, packet, snapshot, context, round);
        }
        self.free_at = now + self.serialization(packet.bytes);
        self.put_on_link(Start { at: now, end: self.free_at, packet: *packet }, context, round);
    }

    /// As [`Egress::launch`], where the start must be seen.
    #[inline(never)]
    fn launch_observed(
        &mut self,
        now: u64,
        packet: &Packet,
        snapshot: Option<QueueSnapshot>,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if let Some(snapshot) = snapshot {
            self.leave_queue(now, packet, snapshot, true);
        }
        self.free_at = now + self.serialization(packet.bytes);
        let packet = if self.extras.marker.is_some() { self.mark(now, *packet) } else { *packet };
        let start = Start { at: now, end: self.free_at, packet };
        if !self.extras.watched {
            return self.put_on_link(start, context, round);
        }
        if let (Some(snapshot), Some(trace)) = (snapshot, self.trace()) {
            trace.queued(start.packet.class(), snapshot);
        }
        transmit(self, &start, context, round);
    }

    /// Spends the credits of a packet that starts, and puts it into the ring of the link.
    #[inline]
    fn put_on_link(&mut self, start: Start, context: &mut PartitionContext, round: &Round) {
        self.link_credits().counters.consume(&start.packet);
        let head = self.cut_through_end(start);
        self.channel.push(self.entry(&head), context, round);
    }

    /// Marks a packet that starts, if this port is a root of congestion.
    fn mark(&mut self, now: u64, packet: Packet) -> Packet {
        let (waiting, free_for) = (self.data_bytes, self.free_for(now));
        match &mut self.extras.marker {
            Some(marker) if packet.is_data() => marker.mark_root(waiting, packet, free_for),
            _ => packet,
        }
    }

    /// Updates the occupancy as a packet that was expected starts, or is lost.
    #[cold]
    fn leave_queue(&mut self, now: u64, packet: &Packet, snapshot: QueueSnapshot, is_started: bool) {
        if let Some(occupancy) = self.count.as_deref_mut().and_then(|count| count.occupancy.as_mut()) {
            let index = packet.is_data().then_some(packet.flow);
            occupancy.leave(now, packet.bytes, snapshot.ingress, index, is_started);
        }
    }

    /// The bytes of a packet after which it counts as arrived at the other end; the largest number for all.
    pub fn header(&self) -> u32 {
        self.credits.as_deref().map_or(u32::MAX, |credits| credits.cut_through)
    }

    /// The start with the end of the part that must be sent before the packet counts as arrived (cut-through).
    pub fn cut_through_end(&self, start: Start) -> Start {
        match self.header() {
            header if header < start.packet.bytes => {
                Start { end: start.at + self.serialization(header), ..start }
            }
            _ => start,
        }
    }
}

impl Count {
    /// Counts an expected packet; returns the queue it finds, where that is needed at its start.
    #[cold]
    fn count_buffered(
        &mut self,
        packet: &Packet,
        snapshot: QueueSnapshot,
        round: &Round,
    ) -> Option<QueueSnapshot> {
        self.peak = self.peak.max(snapshot.packets + 1);
        if let Some(occupancy) = &mut self.occupancy {
            let ends = || (round.flows[packet.flow as usize].source.0, packet.destination);
            let data = packet.is_data().then(|| (packet.flow, ends()));
            occupancy.come(snapshot.at, packet.bytes, snapshot.ingress, data);
        }
        (self.occupancy.is_some() || self.trace.is_some()).then_some(snapshot)
    }
}
