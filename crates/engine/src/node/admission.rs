//! Ports that count or mark data: a buffer that they share, and pause frames to the neighbours that fill it.
//!
//! Models: admission, frames that pause and resume a class, starts that must be events while an ingress is paused.
//! Leaves out: the buffer accounting (`buffer.rs`) and marking (`mark.rs`).
//!
//! Invariants: while an ingress is paused every start at the node is an event of its own, so that it is resumed in
//! time.

use netloom_model::Rdma;
use netloom_records::DropReason;

use super::features::{COUNTED_COMPARING, PAUSING, includes};
use super::{Forwarding, Node, advance_port};
use crate::buffer::{Admission, Request};
use crate::context::{PartitionContext, TimerKind};
use crate::packet::{Packet, PacketKind};
use crate::port::{Enqueued, Form};
use crate::round::Round;
use crate::turns::classes_high_first;

impl Node {
    /// As [`Node::enqueue_class`], where ports share a buffer or mark packets.
    #[inline(always)]
    pub(super) fn enqueue_with_admission<const FEATURES: u8>(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Node { ports, buffer, .. } = self;
        let egress = &mut ports[forwarding.port as usize];
        let (bytes, waiting) = (u64::from(packet.bytes), egress.data_bytes());
        let request = Request {
            ingress: forwarding.ingress,
            egress: forwarding.port,
            class: packet.class(),
            bytes,
            waiting,
        };
        // Without `PAUSING`, starts of control packets are computed elsewhere, so this is data.
        let is_data = !includes(FEATURES, PAUSING) || packet.is_data();
        let is_simple = (includes(FEATURES, PAUSING) || packet.is_data()) && !egress.needs_admission_check();
        let joins = match buffer {
            Some(buffer) if is_simple && is_data => buffer.take_at_once(&request),
            _ => is_simple,
        };
        if !joins {
            return self.enqueue_checked(now, forwarding, packet, context, round);
        }
        if is_data {
            egress.count_in(packet);
        }
        match egress.join(now, packet) {
            Enqueued::Taken => {}
            Enqueued::StartsAt(at) => self.schedule_start(forwarding.port, at, context),
            Enqueued::Full => self.refuse_counted(now, forwarding.port, packet, context, round),
        }
    }

    /// Drops a packet that was counted, since the queue of its port is full.
    #[cold]
    #[inline(never)]
    fn refuse_counted(
        &mut self,
        now: u64,
        port: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.ports[port as usize].uncount(*packet);
        self.take_back_at_edge(packet, round);
        self.refuse(now, port, DropReason::QueueFull, packet, context);
    }

    fn request(&self, forwarding: Forwarding, packet: &Packet) -> Request {
        let (egress, class) = (&self.ports[forwarding.port as usize], packet.class());
        let waiting = egress.data_bytes_in(class);
        Request {
            ingress: forwarding.ingress,
            egress: forwarding.port,
            class,
            bytes: u64::from(packet.bytes),
            waiting,
        }
    }

    /// As [`Node::enqueue_with_admission`], for a packet that cannot simply join its queue.
    #[inline(never)]
    fn enqueue_checked(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if self.crossbar.is_some() {
            return self.buffer_at_input(now, forwarding, packet, context, round);
        }
        // The caller has not advanced the port, since the packet might have joined its queue.
        advance_port(&mut self.ports[forwarding.port as usize], now, context, round);
        if packet.is_data() && self.buffer.is_some() {
            match self.admit(now, forwarding, packet, context, round) {
                Admission::Refuse(reason) => {
                    self.take_back_at_edge(packet, round);
                    return self.refuse(now, forwarding.port, reason, packet, context);
                }
                Admission::TakeAndPause => {
                    let class = 1 << packet.class();
                    self.send_frame(now, forwarding.ingress, PacketKind::Pause, class, context, round);
                    self.expect_starts(context);
                }
                Admission::Take | Admission::Unsure => {}
            }
        }
        let egress = &mut self.ports[forwarding.port as usize];
        let packet = egress.count_and_mark(*packet);
        let is_taken = if egress.is_paused(packet.class()) {
            egress.enqueue_paused(now, &packet)
        } else {
            match egress.enqueue(now, &packet) {
                Enqueued::Taken => true,
                Enqueued::StartsAt(at) => {
                    self.schedule_start(forwarding.port, at, context);
                    true
                }
                Enqueued::Full => false,
            }
        };
        if !is_taken {
            self.refuse_counted(now, forwarding.port, &packet, context, round);
        }
    }

    fn admit(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) -> Admission {
        let asked = self.request(forwarding, packet);
        let buffer = self.buffer.as_deref_mut().expect("seen by the caller");
        match buffer.admit(&asked, false) {
            Admission::Unsure => {}
            admission => return admission,
        }
        let mut held = 0;
        for port in 0..self.ports.len() {
            advance_port(&mut self.ports[port], now, context, round);
            self.sync_port(port as u32, round);
            held += self.ports[port].data_bytes();
        }
        let asked = self.request(forwarding, packet);
        let buffer = self.buffer.as_deref_mut().expect("seen by the caller");
        buffer.recount(held);
        buffer.admit(&asked, true)
    }

    /// Schedules a start at a port: marks a lazy port as busy, and sets a timer where the start must be an event.
    #[inline(always)]
    pub(crate) fn schedule_start(&mut self, port: u32, at: u64, context: &mut PartitionContext) {
        let egress = &mut self.ports[port as usize];
        let is_lazy = egress.form() == Form::Lazy;
        if is_lazy {
            self.busy[port as usize / 64] |= 1 << (port % 64);
        }
        if (!is_lazy || self.buffer.as_ref().is_some_and(|buffer| buffer.is_pausing()))
            && egress.is_timer_needed(at)
        {
            context.set_timer(at, self.index_in_partition, TimerKind::Start { port });
        }
    }

    /// Schedules the next start at every port.
    #[cold]
    pub(crate) fn expect_starts(&mut self, context: &mut PartitionContext) {
        for port in 0..self.ports.len() as u32 {
            if let Some(at) = self.ports[port as usize].next_start() {
                self.schedule_start(port, at, context);
            }
        }
    }

    /// Sends frames to the other end of a link that pause or resume classes, one bit each: a frame per class, unless
    /// one about the class waits, which is changed instead.
    #[cold]
    pub(super) fn send_frame(
        &mut self,
        now: u64,
        port: u32,
        kind: PacketKind,
        classes: u8,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if port as usize >= self.ports.len() || !self.ports[port as usize].is_up() {
            return;
        }
        advance_port(&mut self.ports[port as usize], now, context, round);
        let forwarding = Forwarding { ingress: self.ports.len() as u32, port };
        for class in classes_high_first(classes).map(|class| 1 << class) {
            let egress = &mut self.ports[port as usize];
            let amended = egress.amend_frame(kind, class);
            match (amended, kind) {
                (Some(PacketKind::Pause), PacketKind::Pause) => {}
                (Some(PacketKind::Pause), _) => egress.uncount_pause(class),
                (_, PacketKind::Pause) => egress.count_pause(class),
                _ => {}
            }
            if amended.is_none() {
                let frame = Packet::pause_frame(kind, class, Rdma::FRAME.0 as u32);
                self.enqueue::<COUNTED_COMPARING>(
                    now,
                    forwarding,
                    Packet::BEFORE_CLASSES,
                    || frame,
                    context,
                    round,
                );
            }
        }
    }

    /// Repeats the pause state after a link has come up: frames may have been lost on it.
    pub(super) fn resend_pauses(
        &mut self,
        now: u64,
        port: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let classes = round.model.pausing_classes();
        let Some(paused) = self.buffer.as_ref().and_then(|buffer| buffer.paused_at(port, classes)) else {
            return self.send_storm_frame(now, port, context, round);
        };
        for (kind, classes) in [(PacketKind::Pause, paused), (PacketKind::Resume, classes & !paused)] {
            if classes != 0 {
                self.send_frame(now, port, kind, classes, context, round);
            }
        }
    }

    /// Handles a frame from the other end of a link: credits, a congestion notice, a pause or a resume.
    #[cold]
    #[inline(never)]
    pub fn take_frame(
        &mut self,
        now: u64,
        port: u32,
        frame: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if frame.kind() == PacketKind::Credit {
            return self.take_credit_at_nic(now, frame, context, round);
        }
        if frame.kind() == PacketKind::Notice {
            return self.take_notice(now, frame, context);
        }
        if self.has_nic() {
            self.serve(now, context, round);
        }
        advance_port(&mut self.ports[port as usize], now, context, round);
        let is_pause = frame.kind() == PacketKind::Pause;
        let next = self.ports[port as usize].set_paused(now, frame.sequence as u8, is_pause);
        if let Some(at) = next {
            self.schedule_start(port, at, context);
        }
        self.note_load(port);
        self.reevaluate_starts();
    }

    /// A packet may have left the shared buffer: resumes every ingress that was paused for lack of room and has room
    /// now.
    pub(super) fn leave_buffer(
        &mut self,
        now: u64,
        port: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if self.buffer.is_none() {
            return;
        }
        while let Some((ingress, class)) = self.sync_port(port, round) {
            self.send_frame(now, ingress, PacketKind::Resume, class, context, round);
        }
    }

    /// Updates the shared buffer for packets that have left a port. Returns an ingress to resume, and the class as a
    /// bit; there may be another: call again.
    #[inline]
    pub(super) fn sync_port(&mut self, port: u32, round: &Round) -> Option<(u32, u8)> {
        let Node { buffer, ports, .. } = self;
        let (buffer, egress) = (buffer.as_deref_mut()?, &ports[port as usize]);
        if buffer.is_by_class() {
            let sync = |class| buffer.sync_of_class(port, class, egress.data_waiting_of(class));
            return classes_high_first(round.model.data_classes()).find_map(sync);
        }
        let resumed = buffer.sync(port as usize, egress.data_waiting())?;
        Some((resumed, 1 << round.model.classes.data))
    }
}
