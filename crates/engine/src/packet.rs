//! Packets and frames on links.
//!
//! Models: one packet as 32 bytes, copied from ring to ring; pause frames are packets too.
//! Leaves out: payload and headers; only the size on the wire is kept.
//!
//! Invariants: `flow` and `slot` are table indices that may differ with the layout of a run; nothing that is recorded
//! or decided may depend on them (the flow-hash input and the number of the message serve for that).

/// A packet in flight. The fields that change at every hop come last, so that the rest is copied in two moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Packet {
    /// Index of its message in the flow table.
    pub flow: u32,
    /// Slot of the message's state at the destination host: receive state for data, send state for ACKs. In credits and
    /// notices the local port of the receiver.
    pub slot: u32,
    /// Number of the packet in its message, from 0. On a queue pair the PSN; in control packets the PSN expected next.
    /// In pause frames the mask of classes, in credits the VL, in rate notices the congested host.
    pub sequence: u32,
    /// The destination host; in notices the congested leaf.
    pub destination: u32,
    /// Flow-hash input.
    pub entropy: u32,
    /// Size on the wire, in bytes; in credits, which have none, the number of blocks.
    pub bytes: u32,
    /// Tag of the balancing policy; in control packets of a queue pair the PSN of the packet that caused them. In rate
    /// notices the rate in Mb/s.
    pub tag: u32,
    /// Traffic class, kind, flags and number of links crossed, a byte each from the low end: one word, because every
    /// hop changes it. The VL offset is stored above the flags.
    state: u32,
}

impl Packet {
    const KIND_SHIFT: u32 = 8;
    const KIND: u32 = 0x3f;
    /// Its arrivals are reported: the last packet of a message whose causes are recorded.
    pub const REPORTED: u32 = 1 << 14;
    /// Its sender had no packet of the flow in flight; set only if the balancing policy uses it.
    pub const DRAINED: u32 = 1 << 15;
    const HOP: u32 = 1 << 24;
    /// A switch has marked it.
    pub const MARKED: u32 = 1 << 16;
    /// It answers a marked packet: the congestion echo.
    pub const ECHO: u32 = 1 << 17;
    /// It is a retransmission.
    pub const RETRANSMISSION: u32 = 1 << 18;
    /// It is the last packet of its message.
    pub const LAST: u32 = 1 << 19;
    /// Its sender allows packets of its own flow to overtake it.
    pub const MAY_REORDER: u32 = 1 << 20;
    /// One VL above that of its class; three bits count them.
    const VL_OFFSET_UNIT: u32 = 1 << 21;

    /// The state word of a packet that has crossed no link yet.
    #[inline(always)]
    fn fresh_state(class: u8, kind: PacketKind) -> u32 {
        u32::from(class) | ((kind as u32) << Packet::KIND_SHIFT)
    }

    /// A data packet that has crossed no link yet.
    #[inline(always)]
    pub fn data(
        to: Address,
        flow: u32,
        sequence: u32,
        entropy: u32,
        bytes: u32,
        header_flags: HeaderFlags,
    ) -> Packet {
        let state = header_flags.0;
        Packet { flow, slot: to.slot, sequence, destination: to.host, entropy, bytes, tag: 0, state }
    }

    /// The acknowledgement of a data packet.
    #[must_use]
    #[inline(always)]
    pub fn acknowledgement(&self, to: Address, bytes: u32, class: u8) -> Packet {
        Packet {
            slot: to.slot,
            destination: to.host,
            // A flow-hash input of its own: its path is hashed independently of the path of the data.
            entropy: !self.entropy,
            bytes,
            tag: 0,
            state: Packet::fresh_state(class, PacketKind::Acknowledgement),
            ..*self
        }
    }

    /// Queue number of pause frames: served before all classes.
    pub const BEFORE_CLASSES: u8 = 8;

    /// Traffic class, 0 to 7; [`Packet::BEFORE_CLASSES`] for pause frames.
    #[inline(always)]
    pub fn class(&self) -> u8 {
        self.state as u8
    }

    /// Sets the traffic class.
    #[inline(always)]
    pub fn set_class(&mut self, class: u8) {
        self.state = (self.state & !0xff) | u32::from(class);
    }

    /// A control packet that answers a data packet of a queue pair.
    #[must_use]
    #[inline(always)]
    pub fn response(&self, kind: PacketKind, to: Address, bytes: u32, class: u8) -> Packet {
        let state = Packet::fresh_state(class, kind);
        let (entropy, tag) = (!self.entropy, self.sequence);
        Packet { slot: to.slot, destination: to.host, entropy, bytes, tag, state, ..*self }
    }

    /// The control packet, with the PSN expected next.
    #[must_use]
    #[inline(always)]
    pub fn expecting(self, sequence: u32) -> Packet {
        Packet { sequence, ..self }
    }

    /// A pause frame for a bit mask of classes; it crosses one link.
    pub fn pause_frame(kind: PacketKind, paused: u8, bytes: u32) -> Packet {
        Packet::frame(kind, paused, bytes, Packet::BEFORE_CLASSES)
    }

    /// A frame that crosses one link and belongs to no message.
    fn frame(kind: PacketKind, paused: u8, bytes: u32, class: u8) -> Packet {
        Packet {
            flow: u32::MAX,
            slot: 0,
            sequence: u32::from(paused),
            destination: 0,
            entropy: 0,
            bytes,
            tag: 0,
            state: Packet::fresh_state(class, kind),
        }
    }

    /// Credits for a number of freed blocks of a virtual lane, for the sender's local `port`.
    pub fn credit(port: u32, vl: u32, blocks: u32) -> Packet {
        let frame = Packet::frame(PacketKind::Credit, 0, blocks, 0);
        Packet { slot: port, sequence: vl, ..frame }
    }

    /// A notice to the sender's local `port` that the path through it is congested towards a leaf.
    pub fn notice(port: u32, leaf: u32) -> Packet {
        let frame = Packet::frame(PacketKind::Notice, 0, 0, 0);
        Packet { slot: port, destination: leaf, ..frame }
    }

    /// A switch's notice to a host: its rate towards `congested` is limited to `megabits` Mb/s for a while. It answers
    /// no packet and so belongs to no message.
    pub fn rate_notice(host: u32, congested: u32, megabits: u32, bytes: u32, class: u8) -> Packet {
        let frame = Packet::frame(PacketKind::Cnp, 0, bytes, class);
        Packet { sequence: congested, destination: host, entropy: congested, tag: megabits, ..frame }
    }

    /// Whether it is a switch's notice to a host, as made by [`Packet::rate_notice`].
    #[inline(always)]
    pub fn belongs_to_no_message(&self) -> bool {
        self.flow == u32::MAX
    }

    /// Its kind.
    #[inline(always)]
    pub fn kind(&self) -> PacketKind {
        match (self.state >> Packet::KIND_SHIFT) & Packet::KIND {
            0 => PacketKind::Data,
            1 => PacketKind::Acknowledgement,
            2 => PacketKind::Nack,
            3 => PacketKind::Cnp,
            4 => PacketKind::Pause,
            5 => PacketKind::Resume,
            6 => PacketKind::Credit,
            _ => PacketKind::Notice,
        }
    }

    /// Whether it is a data packet.
    #[inline(always)]
    pub fn is_data(&self) -> bool {
        (self.state >> Packet::KIND_SHIFT) & Packet::KIND == PacketKind::Data as u32
    }

    /// Whether it is a pause frame, credits or a notice, which end at this node.
    #[inline(always)]
    pub fn is_link_local(&self) -> bool {
        (self.state >> Packet::KIND_SHIFT) & Packet::KIND >= PacketKind::Pause as u32
    }

    /// Whether a flag is set.
    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.state & flag != 0
    }

    /// The packet with these flags set.
    #[must_use]
    #[inline(always)]
    pub fn with(self, flags: u32) -> Packet {
        Packet { state: self.state | flags, ..self }
    }

    /// The VL step, in a fabric of groups: 0 to 7.
    #[inline(always)]
    pub fn vl_offset(&self) -> u8 {
        (self.state / Packet::VL_OFFSET_UNIT) as u8 & 7
    }

    /// The packet with its VL step raised; the caller keeps it within the number of steps.
    #[must_use]
    pub(crate) fn with_raised_vl(&self, steps: u8) -> Packet {
        Packet { state: self.state + u32::from(steps) * Packet::VL_OFFSET_UNIT, ..*self }
    }

    /// The packet with these flags cleared.
    #[must_use]
    pub fn without(self, flags: u32) -> Packet {
        Packet { state: self.state & !flags, ..self }
    }

    /// Number of links it has been put on so far, modulo 256.
    #[inline(always)]
    pub fn hops(&self) -> u8 {
        (self.state >> 24) as u8
    }

    /// The packet as it is put on a link.
    #[inline(always)]
    pub(crate) fn with_hop(&self) -> Packet {
        Packet { state: self.state.wrapping_add(Packet::HOP), ..*self }
    }

    /// The packet as it was before [`Packet::with_hop`].
    pub(crate) fn without_hop(&self) -> Packet {
        Packet { state: self.state.wrapping_sub(Packet::HOP), ..*self }
    }

    /// The packet as it is put on a link, with the class and tag that the balancing policy chose.
    #[inline(always)]
    pub(crate) fn with_hop_as(&self, class: u8, tag: u32) -> Packet {
        let state = (self.state & !0xff) | u32::from(class);
        Packet { tag, state: state.wrapping_add(Packet::HOP), ..*self }
    }
}

/// The part of the state word that is equal in all data packets of a message, computed once: class, kind and flags.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeaderFlags(u32);

impl HeaderFlags {
    /// For a message of a class, whose packets may be reordered or not.
    pub fn new(class: u8, may_reorder: bool) -> HeaderFlags {
        let mark = if may_reorder { Packet::MAY_REORDER } else { 0 };
        HeaderFlags(Packet::fresh_state(class, PacketKind::Data) | mark)
    }

    /// The same, for a message whose packets report whether their queue pair has drained.
    #[must_use]
    pub fn reporting_drained(self) -> HeaderFlags {
        HeaderFlags(self.0 | Packet::DRAINED)
    }
}

/// The address of a message's state at a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The host.
    pub host: u32,
    /// The slot of the state at that host.
    pub slot: u32,
}

/// The kind of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// Part of a message.
    Data,
    /// Acknowledges what has arrived.
    Acknowledgement,
    /// Negative acknowledgement: reports what has not arrived although later packets have.
    Nack,
    /// Congestion notification: reports that a packet was marked.
    Cnp,
    /// Pauses classes at the other end of a link.
    Pause,
    /// Resumes paused classes.
    Resume,
    /// Returns credits to the sender of a link.
    Credit,
    /// Notifies the sender of a link of congestion behind it.
    Notice,
}

/// A packet with the arrival time of its last bit, as stored in the ring of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InFlight {
    /// Arrival of the last bit, in ps.
    pub arrival: u64,
    /// The packet.
    pub packet: Packet,
}
