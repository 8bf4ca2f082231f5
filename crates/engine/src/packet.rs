//! What crosses a link.
//!
//! Models: one packet as 32 plain bytes, copied from ring to ring.
//! Leaves out: payload and headers; the size on the wire is all there is.
//!
//! Invariants: `flow` and `slot` are places in tables and differ from run to run layout; nothing that is recorded or
//! decided may depend on them (the entropy and the message's number are for that).

/// A packet on its way. What changes from hop to hop stands last, so that the rest is copied in two moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Packet {
    /// Place of its message in the flow table.
    pub flow: u32,
    /// Place of the message's state at the destination host: receive state for data, send state for ACKs.
    pub slot: u32,
    /// Number of the packet in its message, from 0.
    pub sequence: u32,
    /// The host it goes to.
    pub destination: u32,
    /// Hash input of its flow.
    pub entropy: u32,
    /// Size on the wire, in bytes.
    pub bytes: u32,
    /// Tag of the balancing policy.
    pub tag: u32,
    /// Traffic class, kind, marks and links crossed, a byte each from the low end: one word, because every hop changes it.
    state: u32,
}

impl Packet {
    const KIND_SHIFT: u32 = 8;
    const HOP: u32 = 1 << 24;

    /// The word of a packet that has crossed no link yet.
    #[inline(always)]
    fn fresh_state(class: u8, kind: PacketKind) -> u32 {
        u32::from(class) | ((kind as u32) << Packet::KIND_SHIFT)
    }

    /// A data packet that has crossed no link yet.
    #[inline(always)]
    pub fn data(to: Address, flow: u32, sequence: u32, entropy: u32, bytes: u32, class: u8) -> Packet {
        let state = Packet::fresh_state(class, PacketKind::Data);
        Packet { flow, slot: to.slot, sequence, destination: to.host, entropy, bytes, tag: 0, state }
    }

    /// The answer to a data packet.
    #[must_use]
    #[inline(always)]
    pub fn acknowledgement(&self, to: Address, bytes: u32, class: u8) -> Packet {
        Packet {
            slot: to.slot,
            destination: to.host,
            // A flow of its own: its path is hashed apart from that of the data.
            entropy: !self.entropy,
            bytes,
            tag: 0,
            state: Packet::fresh_state(class, PacketKind::Acknowledgement),
            ..*self
        }
    }

    /// Traffic class, 0 to 7.
    #[inline(always)]
    pub fn class(&self) -> u8 {
        self.state as u8
    }

    /// Changes the traffic class.
    #[inline(always)]
    pub fn set_class(&mut self, class: u8) {
        self.state = (self.state & !0xff) | u32::from(class);
    }

    /// What it is.
    #[inline(always)]
    pub fn kind(&self) -> PacketKind {
        if (self.state >> Packet::KIND_SHIFT) & 0xff == PacketKind::Data as u32 {
            PacketKind::Data
        } else {
            PacketKind::Acknowledgement
        }
    }

    /// Links it has been put on so far, modulo 256.
    #[inline(always)]
    pub fn hops(&self) -> u8 {
        (self.state >> 24) as u8
    }

    /// The packet as it is put on a link.
    #[inline(always)]
    pub(crate) fn onward(&self) -> Packet {
        Packet { state: self.state.wrapping_add(Packet::HOP), ..*self }
    }

    /// The packet as it was before it was put on a link.
    pub(crate) fn taken_back(&self) -> Packet {
        Packet { state: self.state.wrapping_sub(Packet::HOP), ..*self }
    }

    /// The packet as it is put on a link, with what the balancing policy made of class and tag.
    #[inline(always)]
    pub(crate) fn onward_as(&self, class: u8, tag: u32) -> Packet {
        let state = (self.state & !0xff) | u32::from(class);
        Packet { tag, state: state.wrapping_add(Packet::HOP), ..*self }
    }
}

/// A message's state at a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The host.
    pub host: u32,
    /// The place of the state there.
    pub slot: u32,
}

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// Part of a message.
    Data,
    /// Says that one data packet has arrived.
    Acknowledgement,
}

/// A packet with the instant its last bit arrives, as it stands in a link's ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InFlight {
    /// Arrival of the last bit, in ps.
    pub arrival: u64,
    /// The packet.
    pub packet: Packet,
}
