//! Credits at a port: room at the other end of its link.
//!
//! Models: the account of the link; packets that wait in input buffers of the switch, and count here; the time for which
//! nothing could start for want of credits; marks on data that starts.
//! Leaves out: those input buffers (`credit`).

use super::{Count, Egress, Pauses, Start};
use crate::context::PartitionContext;
use crate::credit::{CreditCounters, LinkCredits, OccupancyInterval, QueueOccupancy, ReturnQueue, Returned};
use crate::mark::Marker;
use crate::node::transmit;
use crate::packet::Packet;
use crate::round::Round;
use crate::trace::QueueSnapshot;

impl Egress {
    /// Lets packets start only where there are credits for them, before the run. A switch sees to that by itself.
    pub fn set_credits(&mut self, counters: CreditCounters, is_switch: bool) {
        (self.uses_fast_path, self.has_start_effects, self.extras.guarded) = (false, true, true);
        let mut credits = LinkCredits::new(counters);
        credits.only_spends = !is_switch && !self.sees_starts();
        self.extras.watched |= !is_switch;
        self.credits = Some(Box::new(credits));
        self.note_care();
    }

    /// Lets starts of packets be known when they are staged where nobody sees them, before the run: at a port of a switch with
    /// one virtual lane.
    pub fn start_ahead(&mut self) {
        // Elsewhere the time of several packets is not the sum of theirs.
        let is_ahead = !self.sees_starts() && self.ps_per_byte != 0;
        self.link_credits().is_ahead = is_ahead;
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

    /// Lets data packets be marked here where congestion has its root, before the run.
    pub fn set_root_marker(&mut self, marker: Marker) {
        self.extras.marker = Some(marker);
    }

    /// Lets packets arrive when so many bytes of them have, before the run.
    pub fn set_cut_through(&mut self, header: u32) {
        self.link_credits().cut_through = Some(header);
    }

    /// Lets credits come back to a port of a switch by a queue, before the run.
    pub fn set_return_queue(&mut self, queue: ReturnQueue) {
        self.link_credits().returned = Some(queue);
    }

    /// Credits of each lane at `now`; none where the port has no such links. Arrivals at `now` have not come.
    pub fn credits_at(&self, now: u64) -> Vec<u32> {
        let Some(counters) = self.credit_counters() else { return Vec::new() };
        let mut blocks = counters.blocks().to_vec();
        for Returned { vl, blocks: returned, .. } in self.returned().filter(|returned| returned.arrival < now)
        {
            blocks[vl as usize] += returned;
        }
        blocks
    }

    /// Credits on their way back to a port of a switch that arrive at `now` or later.
    pub fn credits_in_flight(&self, now: u64) -> impl Iterator<Item = Returned> {
        self.returned().filter(move |returned| returned.arrival >= now)
    }

    /// Whether there are credits for a packet at `now`; starts before must have happened.
    #[inline(always)]
    pub fn has_credits(&mut self, now: u64, packet: &Packet) -> bool {
        let credits = self.link_credits();
        credits.counters.suffices(packet) || credits.read_returned(now, packet)
    }

    /// Waits for credits at a switch: when the next ones arrive, if some are known to be on their way.
    #[cold]
    pub fn wait_for_credits(&mut self, context: &mut PartitionContext) -> Option<u64> {
        self.link_credits().returned.as_mut()?.wait(context)
    }

    /// When the next credits arrive, if the port waits for some that are known to be on their way.
    pub fn awaited_credits(&mut self) -> Option<u64> {
        if self.is_starving() { self.link_credits().returned.as_mut()?.next_arrival() } else { None }
    }

    /// Whether all that happens at starts at a NIC is that credits are spent.
    #[inline]
    pub fn only_spends(&self) -> bool {
        self.credits.as_deref().is_some_and(|credits| credits.only_spends)
    }

    /// Whether starts may be known when packets are staged.
    #[inline]
    pub fn starts_ahead(&self) -> bool {
        self.credits.as_deref().is_some_and(|credits| credits.is_ahead)
    }

    /// Bytes of packets that will start, of those that are known.
    #[inline]
    pub fn bytes_ahead_of_starts(&self) -> u64 {
        self.credits.as_deref().map_or(0, LinkCredits::ahead_bytes)
    }

    /// The same at `now`, whether starts before have happened or not.
    pub fn bytes_ahead_at(&self, now: u64) -> u64 {
        self.credits.as_deref().map_or(0, |credits| credits.ahead_at(now))
    }

    /// The next of the starts that are known, `u64::MAX` for none.
    #[inline]
    pub fn next_departure(&self) -> u64 {
        self.credits.as_deref().map_or(u64::MAX, LinkCredits::next_departure)
    }

    /// Starts that were known and are before `until` happen.
    #[inline]
    pub fn pass_departures(&mut self, until: u64) {
        if self.next_start >= until {
            return;
        }
        let credits = self.credits.as_deref_mut().expect("the port has credits");
        self.extras.data_bytes -= credits.pass_departures(until);
        self.next_start = credits.next_departure();
    }

    /// Whether somebody has to see packets that wait and start: they are counted, marked, recorded, or may be lost.
    #[inline]
    pub fn sees_starts(&self) -> bool {
        self.count.is_some() || self.extras.watched || self.extras.marker.is_some()
    }

    /// As [`Egress::launch_ahead`], of a packet that has just come, and waits for nothing but the wire.
    #[inline]
    pub fn launch_unexpected(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let busy = self.serialization(packet.bytes);
        let at = self.free_at.max(now);
        let backlog = at - now + self.queued + busy;
        if backlog > self.peak {
            self.note_peak(now, backlog);
        }
        self.bytes += u64::from(packet.bytes);
        self.free_at = at + busy;
        let credits = self.credits.as_deref_mut().expect("the port has credits");
        credits.counters.take(packet);
        if at > now {
            credits.depart(at, packet.bytes, packet.is_data());
            self.next_start = self.next_start.min(at);
            if packet.is_data() {
                self.extras.data_bytes += u64::from(packet.bytes);
            }
        }
        let head = self.head_of(Start { at, end: self.free_at, packet: *packet });
        self.channel.push(self.entry(&head), context, round);
    }

    /// A packet that was expected goes onto the link: it starts when the wire is free, or at `now` if it is. Credits suffice,
    /// and nobody has to see its start.
    #[inline]
    pub fn launch_ahead(&mut self, now: u64, packet: &Packet, context: &mut PartitionContext, round: &Round) {
        let busy = self.serialization(packet.bytes);
        let at = self.free_at.max(now);
        self.queued -= busy;
        self.extras.outside -= 1;
        self.free_at = at + busy;
        let credits = self.credits.as_deref_mut().expect("the port has credits");
        credits.counters.take(packet);
        if at > now {
            credits.depart(at, packet.bytes, packet.is_data());
            self.next_start = self.next_start.min(at);
        } else if packet.is_data() {
            self.extras.data_bytes -= u64::from(packet.bytes);
        }
        let head = self.head_of(Start { at, end: self.free_at, packet: *packet });
        self.channel.push(self.entry(&head), context, round);
    }

    /// The time of a packet on the wire.
    #[inline]
    pub fn serialization_of(&self, bytes: u32) -> u64 {
        self.serialization(bytes)
    }

    /// A packet starts: its credits are used.
    pub fn spend(&mut self, at: u64, packet: &Packet) {
        let Some(credits) = &mut self.credits else { return };
        credits.counters.take(packet);
        self.renew_short(at);
    }

    /// A packet is lost as it starts: it takes no credits, but its turn.
    #[cold]
    pub fn spend_turn(&mut self, at: u64, packet: &Packet) {
        let Some(credits) = &mut self.credits else { return };
        credits.counters.note_start(packet);
        self.renew_short(at);
    }

    /// Whether control packets share a lane with data, and take turns with it.
    #[inline]
    pub fn takes_turns(&self) -> bool {
        self.credit_counters().is_some_and(CreditCounters::is_shared)
    }

    /// Whether data that may start goes before control packets.
    #[inline]
    pub fn is_turn_of_data(&self) -> bool {
        self.credit_counters().is_some_and(CreditCounters::is_turn_of_data)
    }

    /// A packet has started at `at`: takes notice of the classes of which none may start any more, and of those that may again
    /// since data has had its turn.
    fn renew_short(&mut self, at: u64) {
        // A switch sees to what starts by itself.
        let Some(counters) = self.credit_counters().filter(|counters| counters.limits_classes()) else {
            return;
        };
        let (short, before) = (counters.short(), self.paused);
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
        self.paused = short;
        let changed = before ^ short;
        if changed != 0 {
            self.move_paused(at, changed);
        }
    }

    /// Packets of classes that may not start stand aside, or come back; data never waits here at a NIC.
    fn move_paused(&mut self, now: u64, classes: u8) -> Option<u64> {
        let moved = classes & !(1 << self.data_class);
        if moved == 0 {
            return None;
        }
        self.move_paused_classes(now, moved)
    }

    /// Whether packets of a class stand aside.
    pub fn has_paused_packets(&self) -> bool {
        !self.extras.paused_packets.is_empty()
    }

    /// Credits have come back to a NIC that lacked none; starts before must have happened.
    #[inline]
    pub fn take_credits(&mut self, vl: usize, blocks: u32) {
        self.link_credits().counters.give(vl, blocks);
    }

    /// Credits have come back to a NIC, which has had something to send from `wanted_from` on; starts before `now` must have
    /// happened. Tells the next start of a packet that stood aside.
    pub fn give_credits_to_classes(
        &mut self,
        now: u64,
        vl: usize,
        blocks: u32,
        wanted_from: u64,
    ) -> Option<u64> {
        let counters = &mut self.credits.as_deref_mut()?.counters;
        counters.give(vl, blocks);
        let released = self.paused & !counters.short();
        if released == 0 {
            return None;
        }
        self.extras.pauses.total = self.starved_at(now, wanted_from);
        // Nothing starts before the credits have come, whoever asks, and whenever.
        self.free_at = self.free_at.max(now);
        (self.extras.pauses.since, self.extras.pauses.busy) = (self.free_at, 0);
        self.paused &= !released;
        self.move_paused(now, released)
    }

    /// Whether nothing starts though something waits and the wire is free: there are no credits.
    pub fn is_starving(&self) -> bool {
        self.paused != 0
    }

    /// How long ago it starved last.
    fn free_for(&self, now: u64) -> u64 {
        match (self.is_starving(), self.extras.pauses.total) {
            (true, _) => 0,
            (false, 0) => u64::MAX,
            (false, _) => now - self.extras.pauses.since,
        }
    }

    /// Takes notice of whether it starves.
    pub fn starve(&mut self, now: u64, is_starving: bool) {
        match (self.paused != 0, is_starving) {
            (false, true) => self.extras.pauses.since = now,
            (true, false) => {
                self.extras.pauses.total += now - self.extras.pauses.since;
                self.extras.pauses.since = now;
                self.link_credits().returned.iter_mut().for_each(ReturnQueue::stop_waiting);
            }
            _ => {}
        }
        self.paused = u8::from(is_starving);
    }

    /// How long it has been paused or has starved before `now`; at a NIC there has been something to send from `wanted_from` on.
    pub fn starved_at(&self, now: u64, wanted_from: u64) -> u64 {
        let Pauses { since, busy, total, .. } = self.extras.pauses;
        if self.paused == 0 {
            return total;
        }
        let busy = busy.saturating_sub(self.free_at.saturating_sub(now));
        total + now.saturating_sub(since.max(wanted_from)).saturating_sub(busy)
    }

    /// Whether the other end keeps some class from being sent here.
    pub fn is_blocked(&self) -> bool {
        self.paused != 0
    }

    /// Records who stands before this port of a switch, before the run; packets come by so many in-links.
    pub fn record_occupancy(&mut self, n_links: usize) {
        self.counted().occupancy = Some(QueueOccupancy::new(n_links));
    }

    /// Who has stood before this port since this was asked last, where it is recorded.
    pub fn take_occupancy(&mut self, now: u64) -> Option<OccupancyInterval> {
        Some(self.count.as_deref_mut()?.occupancy.as_mut()?.take(now))
    }

    /// A packet that came by `ingress` and will leave by this port stands in an input buffer, `waiting` others before it; what
    /// it finds, where that is recorded.
    pub fn expect_packet(
        &mut self,
        now: u64,
        packet: &Packet,
        (ingress, waiting): (u32, u32),
        round: &Round,
    ) -> Option<QueueSnapshot> {
        let busy = self.serialization(packet.bytes);
        let backlog = self.free_at.max(now) - now + self.queued + busy;
        if backlog > self.peak {
            self.note_peak(now, backlog);
        }
        self.bytes += u64::from(packet.bytes);
        self.queued += busy;
        self.extras.outside += 1;
        if packet.is_data() {
            self.extras.data_bytes += u64::from(packet.bytes);
        }
        self.count.as_ref()?;
        let bytes = self.bytes_ahead(now, self.queued - busy);
        let count = self.count.as_deref_mut()?;
        count.expect(packet, QueueSnapshot { at: now, packets: waiting, bytes, ingress }, round)
    }

    /// Such a packet is lost before it could start.
    pub fn forget_expected(&mut self, now: u64, packet: &Packet, snapshot: Option<QueueSnapshot>) {
        if let Some(snapshot) = snapshot {
            self.leave_queue(now, packet, snapshot, false);
        }
        self.leave_outside(packet);
        self.dropped += 1;
        self.lose(packet);
    }

    /// Such a packet waits no more.
    fn leave_outside(&mut self, packet: &Packet) {
        self.queued -= self.serialization(packet.bytes);
        self.extras.outside -= 1;
        if packet.is_data() {
            self.extras.data_bytes -= u64::from(packet.bytes);
        }
    }

    /// Such a packet starts at `now`, when the wire is free and credits suffice.
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
        if let Some(snapshot) = snapshot {
            self.leave_queue(now, packet, snapshot, true);
        }
        self.free_at = now + self.serialization(packet.bytes);
        let packet = if self.extras.marker.is_some() { self.judge(now, *packet) } else { *packet };
        let start = Start { at: now, end: self.free_at, packet };
        if self.extras.watched {
            self.launch_watched(&start, snapshot, context, round);
        } else {
            self.link_credits().counters.take(&packet);
            let head = self.head_of(start);
            self.channel.push(self.entry(&head), context, round);
        }
    }

    /// As [`Egress::launch`], where more than credits is looked at.
    #[cold]
    fn launch_watched(
        &mut self,
        start: &Start,
        snapshot: Option<QueueSnapshot>,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if let (Some(snapshot), Some(trace)) = (snapshot, self.trace()) {
            trace.queued(start.packet.class(), snapshot);
        }
        transmit(self, start, context, round);
    }

    /// A packet that starts, marked if this is a root of congestion.
    fn judge(&mut self, now: u64, packet: Packet) -> Packet {
        let (waiting, free_for) = (self.extras.data_bytes, self.free_for(now));
        match &mut self.extras.marker {
            Some(marker) if packet.is_data() => marker.judge_root(waiting, packet, free_for),
            _ => packet,
        }
    }

    /// A packet that was expected starts, or is lost.
    #[cold]
    fn leave_queue(&mut self, now: u64, packet: &Packet, snapshot: QueueSnapshot, is_started: bool) {
        if let Some(standing) = self.count.as_deref_mut().and_then(|count| count.occupancy.as_mut()) {
            let place = packet.is_data().then_some(packet.flow);
            standing.leave(now, packet.bytes, snapshot.ingress, place, is_started);
        }
    }

    /// When a packet is through that arrives before its last bit does.
    pub fn head_of(&self, start: Start) -> Start {
        match self.credits.as_deref().and_then(|credits| credits.cut_through) {
            Some(header) if header < start.packet.bytes => {
                Start { end: start.at + self.serialization(header), ..start }
            }
            _ => start,
        }
    }
}

impl Count {
    /// A packet is expected; what it finds, where somebody wants to know when it starts.
    #[cold]
    fn expect(&mut self, packet: &Packet, snapshot: QueueSnapshot, round: &Round) -> Option<QueueSnapshot> {
        self.peak = self.peak.max(snapshot.packets + 1);
        if let Some(standing) = &mut self.occupancy {
            let ends = || (round.flows[packet.flow as usize].source.0, packet.destination);
            let data = packet.is_data().then(|| (packet.flow, ends()));
            standing.come(snapshot.at, packet.bytes, snapshot.ingress, data);
        }
        (self.occupancy.is_some() || self.trace.is_some()).then_some(snapshot)
    }
}
