//! What room the sender of a link knows at the other end.

use netloom_model::Credits;
use netloom_units::Bytes;

use crate::packet::Packet;

/// Credits of each lane.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    /// The first virtual lane of each traffic class.
    lanes: [u8; 8],
    /// Credits of each lane.
    blocks: [u32; Credits::LANES as usize],
    /// Credits without which no packet of a class starts, whatever its size, and that class, of data and of control;
    /// zero asks for no more than each packet takes.
    needs: [(u32, u8); 2],
}

impl Account {
    /// The account of a link at first.
    pub fn new(credits: &Credits) -> Account {
        let blocks = [credits.initial(); Credits::LANES as usize];
        Account { lanes: credits.lanes, blocks, needs: [(0, 0); 2] }
    }

    /// Lets packets of a class start only while there are credits for so many bytes: data and control, before the run.
    pub fn need(&mut self, needs: [(Bytes, u8); 2]) {
        let blocks = |bytes: Bytes| Credits::blocks(u32::try_from(bytes.0).unwrap_or(u32::MAX));
        self.needs = needs.map(|(bytes, class)| (blocks(bytes), class & 7));
    }

    /// Whether a packet may start.
    #[inline]
    pub fn suffices(&self, packet: &Packet) -> bool {
        self.blocks[self.lane_of(packet)] >= Credits::blocks(packet.bytes)
    }

    /// A packet starts.
    #[inline]
    pub fn take(&mut self, packet: &Packet) {
        self.blocks[self.lane_of(packet)] -= Credits::blocks(packet.bytes);
    }

    /// Credits have come back.
    #[inline]
    pub fn give(&mut self, lane: usize, blocks: u32) {
        self.blocks[lane] += blocks;
    }

    /// The classes of which no packet may start, one bit each.
    #[inline]
    pub fn short(&self) -> u8 {
        let short = |(need, class): (u32, u8)| u8::from(self.blocks[self.lane(class)] < need) << class;
        short(self.needs[0]) | short(self.needs[1])
    }

    #[inline]
    fn lane_of(&self, packet: &Packet) -> usize {
        self.lane(packet.class()) + usize::from(packet.step())
    }

    /// The first lane of a class, in which packets start at a NIC.
    #[inline]
    fn lane(&self, class: u8) -> usize {
        usize::from(self.lanes[usize::from(class & 7)])
    }

    /// Credits of each lane, for writing state out.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }
}
