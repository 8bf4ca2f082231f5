//! Credit counters: free buffer space at the other end of a link, as its sender counts it.

use netloom_model::Credits;
use netloom_units::Bytes;

use crate::packet::Packet;

/// The credit counters of a link. What every packet needs comes first.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct CreditCounters {
    /// The first virtual lane of each traffic class.
    vls: [u8; 8],
    /// Whether data and control packets start in one VL, and must take turns.
    is_shared: bool,
    /// If so: blocks of control packets that have started since the last data packet did.
    control_started: u32,
    /// Credits of each VL, in blocks.
    blocks: [u32; Credits::MAX_VLS as usize],
    /// Credits without which no packet of a class starts, whatever its size, and that class, of data and of control;
    /// zero where only the packet's own size counts.
    needs: [(u32, u8); 2],
    /// Initial credits of each VL.
    initial: u32,
}

impl CreditCounters {
    /// The counters of a link before the run.
    pub fn new(credits: &Credits) -> CreditCounters {
        let initial = credits.initial();
        let blocks = [initial; Credits::MAX_VLS as usize];
        let (needs, vls) = ([(0, 0); 2], credits.vls);
        CreditCounters { vls, blocks, needs, is_shared: false, control_started: 0, initial }
    }

    /// Lets packets of a class start only while there are credits for this many bytes: data and control, before the
    /// run.
    pub fn need(&mut self, needs: [(Bytes, u8); 2]) {
        let blocks = |bytes: Bytes| Credits::blocks(u32::try_from(bytes.0).unwrap_or(u32::MAX));
        self.needs = needs.map(|(bytes, class)| (blocks(bytes), class & 7));
        self.is_shared = self.vl(self.needs[0].1) == self.vl(self.needs[1].1);
    }

    /// Whether the credits suffice for a packet.
    #[inline]
    pub fn suffices(&self, packet: &Packet) -> bool {
        self.blocks[self.vl_of(packet)] >= Credits::blocks(packet.bytes)
    }

    /// Takes the credits of a packet that starts.
    #[inline]
    pub fn consume(&mut self, packet: &Packet) {
        self.blocks[self.vl_of(packet)] -= Credits::blocks(packet.bytes);
        if self.is_shared {
            self.note_start(packet);
        }
    }

    /// Counts a packet that starts, or is lost at its start and takes no credits.
    #[inline]
    pub fn note_start(&mut self, packet: &Packet) {
        let blocks = Credits::blocks(packet.bytes);
        self.control_started = if packet.is_data() { 0 } else { self.control_started.saturating_add(blocks) };
    }

    /// Whether packets of a class start only while there are credits for the largest one.
    #[inline]
    pub fn limits_classes(&self) -> bool {
        self.needs[0].0 > 0
    }

    /// Whether data and control packets start in one VL.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Whether control packets have had their share of a VL that data shares: data that may start goes first.
    #[inline]
    pub fn is_turn_of_data(&self) -> bool {
        self.is_shared && self.control_started >= self.needs[0].0
    }

    /// Adds credits that have come back.
    #[inline]
    pub fn replenish(&mut self, vl: usize, blocks: u32) {
        self.blocks[vl] += blocks;
    }

    /// The classes of which no packet may start, one bit each.
    #[inline]
    pub fn short(&self) -> u8 {
        let short = |(need, class): (u32, u8)| u8::from(self.blocks[self.vl(class)] < need) << class;
        let [data, (control, class)] = self.needs;
        // Credits that data collects while it has the turn are not available to control packets.
        let control =
            if self.is_turn_of_data() { control + data.0.min(self.initial - control) } else { control };
        short(data) | short((control, class))
    }

    #[inline]
    fn vl_of(&self, packet: &Packet) -> usize {
        self.vl(packet.class()) + usize::from(packet.vl_offset())
    }

    /// The first VL of a class, in which packets start at a NIC.
    #[inline]
    fn vl(&self, class: u8) -> usize {
        usize::from(self.vls[usize::from(class & 7)])
    }

    /// Credits of each VL, for writing state out.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }
}
