//! When the wire of each port will be free: the backlog of a port that is never blocked while it has packets.
//!
//! Models: ports with the fewest bytes not yet sent, the rest of the packet on the wire included and rounded up.
//! Leaves out: irregular ports: those that are paused, or whose rate changes or gives no whole picoseconds per byte.
//!
//! Invariants: the instant stays the same while packets start, so ports need not be advanced before they are compared.

use netloom_model::PortSet;

use crate::port::Egress;

/// See the module.
pub struct Backlogs {
    /// When each port will have sent everything it has accepted, in ps.
    drained_at: Box<[u64]>,
    /// Picoseconds per byte.
    ps_per_byte: Box<[u64]>,
    /// For each port, the first later port that has another rate.
    alike_until: Box<[u32]>,
    irregular: Box<[bool]>,
    n_irregular: u32,
}

impl Backlogs {
    /// Of idle ports.
    pub fn of(ports: &mut [Egress]) -> Backlogs {
        let ps_per_byte: Box<[u64]> = ports.iter().map(Egress::ps_per_byte).collect();
        let mut alike_until: Box<[u32]> = (1..=ports.len() as u32).collect();
        for port in (1..ports.len()).rev() {
            if ps_per_byte[port] == ps_per_byte[port - 1] {
                alike_until[port - 1] = alike_until[port];
            }
        }
        let n_ports = ports.len();
        let (drained_at, irregular) = (vec![0; n_ports].into(), vec![false; n_ports].into());
        let mut backlogs = Backlogs { drained_at, ps_per_byte, alike_until, irregular, n_irregular: 0 };
        for (port, egress) in (0..).zip(ports) {
            egress.list_computed();
            backlogs.note(port, egress);
        }
        backlogs
    }

    /// Updates a port after a change there.
    #[inline(always)]
    pub fn note(&mut self, port: u32, egress: &Egress) {
        let port = port as usize;
        self.drained_at[port] = egress.drained_at();
        let is_irregular = !egress.is_drained_steadily();
        if self.irregular[port] != is_irregular {
            self.irregular[port] = is_irregular;
            self.n_irregular = if is_irregular { self.n_irregular + 1 } else { self.n_irregular - 1 };
        }
    }

    /// The ports with the fewest bytes waiting, a bit each in the order of the set, of at most 64.
    #[inline]
    pub fn fewest(&self, set: PortSet<'_>, now: u64) -> Option<u64> {
        let first = set.get(0) as usize;
        let per_byte = self.ps_per_byte[first];
        match set {
            PortSet::Range { count, .. } => {
                let range = first..first + count as usize;
                let is_regular = || self.n_irregular == 0 || !self.irregular[range.clone()].contains(&true);
                let is_comparable = self.alike_until[first] as usize >= range.end && is_regular();
                is_comparable.then(|| ties(self.drained_at[range].iter().copied(), per_byte, now))
            }
            PortSet::List(list) => {
                let is_comparable = |&port: &u32| {
                    self.ps_per_byte[port as usize] == per_byte && !self.irregular[port as usize]
                };
                let drained_at = list.iter().map(|&port| self.drained_at[port as usize]);
                list.iter().all(is_comparable).then(|| ties(drained_at, per_byte, now))
            }
        }
    }
}

/// The ports with the fewest bytes left to send.
#[inline(always)]
fn ties(drained_at: impl DoubleEndedIterator<Item = u64> + Clone, ps_per_byte: u64, now: u64) -> u64 {
    let first = drained_at.clone().fold(u64::MAX, u64::min);
    // Bytes are rounded up: ports that are drained within the same byte tie.
    let bytes = first.saturating_sub(now).div_ceil(ps_per_byte);
    let until = now + bytes * ps_per_byte;
    drained_at.rev().fold(0, |ties, at| ties << 1 | u64::from(at <= until))
}
