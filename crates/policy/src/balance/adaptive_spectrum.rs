//! # Idea
//! Packets that may be reordered take a port with the lowest grade; grades are steps of the length of the queue that
//! the packet would join. All other packets keep to the path of their flow.
//!
//! # Source
//! NVIDIA 2022, "Adaptive Routing for NVIDIA Spectrum Ethernet" (the blog post): the least loaded egress queue of the
//! packet's own class, only for packets marked by their sender, non-minimal paths only while the shortest are
//! congested. Grades, thresholds and the interval are those of the Cumulus Linux documentation of adaptive routing. The
//! size of a cell is that of Spectrum-2 in Linux (`mlxsw`); Spectrum-1 has 96 bytes. How these combine is a modelling
//! assumption.
//!
//! # Parameters
//! `cell`, `low`, `medium`, `high`: where grades change. `utilization`, `utilization_window`: one grade more for a busy
//! link. `paused_limit`: a class paused for longer has grade 4. `sticky`, `flows`: how often a flow may change its
//! port, and the number of entries of the flow table. `non_minimal_above`, `non_minimal_hops`: when and how often packets take a
//! non-minimal hop. `salt`, `hash`: for packets that are not routed adaptively.
//!
//! # Invariants
//! A packet that is not marked takes the port that `ecmp` gives it. Among equal grades the port is drawn uniformly. No
//! packet takes more than `non_minimal_hops` hops that bring it no nearer, so none loops.
//!
//! # When it misleads
//! It does not distinguish queues below `low` cells. Grades are current; real switches refresh them. Flows that hash to
//! the same entry of the table of `flows` share a port while it leads to both destinations, else they evict each other.

use netloom_units::{Bytes, Duration, Kind, Parameter, Settings, Spec, StateWriter, Time, Value, mix};

use super::ecmp::{BUCKETS, Ecmp, HASH, REHASH, SALT};
use super::least::one_of;
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// A number of cells.
const CELLS: Kind = Kind::Count { minimum: 0, maximum: u32::MAX as u64 };

/// The specification.
pub static SPEC: Spec = Spec {
    name: "adaptive_spectrum",
    summary: "packets that may be reordered take a port with the lowest grade, given by the queue of their \
              class; others are hashed",
    source: "NVIDIA Spectrum adaptive routing and its Cumulus Linux defaults; their combination: modelling \
             assumption",
    parameters: &[
        Parameter {
            name: "cell",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(144))),
            meaning: "size of a buffer cell (Spectrum-2: 144B, Spectrum-1: 96B)",
        },
        Parameter {
            name: "low",
            kind: CELLS,
            default: Some(Value::Count(100)),
            meaning: "grade 0 if fewer cells than this wait in the queue of the packet's class",
        },
        Parameter {
            name: "medium",
            kind: CELLS,
            default: Some(Value::Count(1_000)),
            meaning: "otherwise grade 1 if fewer cells than this wait",
        },
        Parameter {
            name: "high",
            kind: CELLS,
            default: Some(Value::Count(10_000)),
            meaning: "otherwise grade 2 if fewer cells than this wait, and grade 3 if not",
        },
        Parameter {
            name: "utilization",
            kind: Kind::Optional(&Kind::Fraction { minimum: 0.0, maximum: 1.0 }),
            default: Some(Value::Absent),
            meaning: "a link with a higher utilization gets one grade more, at most 3; `none`: utilization \
                      is ignored",
        },
        Parameter {
            name: "utilization_window",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(10))),
            meaning: "shortest time over which utilization is averaged",
        },
        Parameter {
            name: "paused_limit",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "a port gets grade 4 if the packet's class has been paused there for longer than this; \
                      `none`: no port gets it",
        },
        Parameter {
            name: "sticky",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Duration(Duration::from_micros(1))),
            meaning: "a flow keeps its port for this time after each choice; `none`: every packet chooses",
        },
        Parameter {
            name: "flows",
            kind: Kind::Count { minimum: 1, maximum: 1 << 20 },
            default: Some(Value::Count(4_096)),
            meaning: "entries of the table of the flows' ports, indexed by a hash of the flow",
        },
        Parameter {
            name: "non_minimal_above",
            kind: Kind::Count { minimum: 0, maximum: 4 },
            default: Some(Value::Count(1)),
            meaning: "non-minimal paths are considered if the lowest grade of the minimal ones is above this",
        },
        Parameter {
            name: "non_minimal_hops",
            kind: Kind::Count { minimum: 0, maximum: 255 },
            default: Some(Value::Count(1)),
            meaning: "largest number of hops of a packet that do not bring it nearer to its destination; 0: \
                      minimal paths only",
        },
        SALT,
        HASH,
        REHASH,
        BUCKETS,
    ],
};

/// The grade of a port to avoid.
const WORST: u8 = 4;
/// The highest grade of a port that carries packets.
const FULL: u8 = 3;

/// Whether packets may take non-minimal paths.
pub(super) fn uses_non_minimal(settings: &Settings) -> bool {
    settings.count("non_minimal_hops") > 0
}

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct AdaptiveSpectrum {
    ecmp: Ecmp,
    grades: Grades,
    /// `None` chooses for every packet separately.
    sticky: Option<Sticky>,
    non_minimal_above: u8,
    non_minimal_hops: u32,
    shortest: LowestGrade,
    longer: LowestGrade,
}

impl AdaptiveSpectrum {
    pub(super) fn new(settings: &Settings, position: Position) -> AdaptiveSpectrum {
        AdaptiveSpectrum {
            ecmp: Ecmp::new(settings, position),
            grades: Grades::new(settings, position),
            sticky: Sticky::new(settings),
            non_minimal_above: settings.count("non_minimal_above") as u8,
            non_minimal_hops: settings.count("non_minimal_hops") as u32,
            shortest: LowestGrade::default(),
            longer: LowestGrade::default(),
        }
    }

    /// A candidate of the lowest grade: one on a non-minimal path only if its grade is below the lowest of the minimal
    /// ones.
    fn choose<P: Ports>(
        &mut self,
        context: &mut Context,
        class: u8,
        (n_minimal, n_all): (usize, usize),
        ports: &mut P,
    ) -> usize {
        let known = self.grades.lowest(class, ports);
        let grades = &mut self.grades;
        let mut grade = |candidate| grades.of(context.now, class, candidate, ports);
        let shortest = match known {
            Some((lowest, ties)) => {
                self.shortest.masked = ties;
                lowest
            }
            None => self.shortest.among(0..n_minimal, &mut grade),
        };
        if shortest > self.non_minimal_above && self.longer.among(n_minimal..n_all, &mut grade) < shortest {
            return self.longer.draw(context);
        }
        self.shortest.draw(context)
    }
}

impl Balance for AdaptiveSpectrum {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        if !packet.may_reorder {
            return self.ecmp.pick(context, packet, ports);
        }
        let n_minimal = ports.n_minimal();
        // For this policy the tag counts the hops that brought the packet no nearer.
        let n_longer = if packet.tag < self.non_minimal_hops { ports.n_non_minimal() } else { 0 };
        let n_all = n_minimal + n_longer;
        let kept = self.sticky.as_ref().and_then(|sticky| {
            let candidate = sticky.kept(context.now, packet.entropy, n_all, ports)?;
            (!self.grades.is_stuck(packet.class, candidate, ports)).then_some(candidate)
        });
        let candidate = kept.unwrap_or_else(|| {
            let chosen = self.choose(context, packet.class, (n_minimal, n_all), ports);
            if let Some(sticky) = &mut self.sticky {
                sticky.keep(context.now, packet.entropy, ports.port(chosen));
            }
            chosen
        });
        let step = u32::from(candidate >= n_minimal);
        Pick { candidate, class: packet.class, tag: packet.tag + step }
    }

    fn compares_class_bytes(&self) -> bool {
        self.grades.are_of_bytes_alone()
    }

    fn write_state(&self, out: &mut StateWriter) {
        if let Some(sticky) = &self.sticky {
            sticky.write_state(out);
        }
        self.grades.write_state(out);
    }
}

/// Finds the lowest of several grades.
#[derive(Debug, Clone, Default)]
struct LowestGrade {
    /// The candidates that have it, a bit each; zero if they are listed.
    masked: u64,
    /// Working memory: the candidates that have it.
    listed: Vec<u32>,
}

impl LowestGrade {
    /// The lowest grade of these candidates; above all grades if there is none.
    fn among(&mut self, candidates: std::ops::Range<usize>, grade: &mut impl FnMut(usize) -> u8) -> u8 {
        self.masked = 0;
        self.listed.clear();
        let mut lowest = u8::MAX;
        for candidate in candidates {
            let grade = grade(candidate);
            if grade < lowest {
                lowest = grade;
                self.listed.clear();
            }
            if grade == lowest {
                self.listed.push(candidate as u32);
            }
        }
        lowest
    }

    /// A random one of the candidates that have it.
    fn draw(&self, context: &mut Context) -> usize {
        if self.masked != 0 {
            return one_of(self.masked, context.random);
        }
        self.listed[context.random.below(self.listed.len() as u32) as usize] as usize
    }
}

/// How good a port is, from 0 to 4; lower is better.
#[derive(Debug, Clone)]
struct Grades {
    /// Queue lengths in bytes at which the grade becomes one, two, three; rising.
    steps: [u64; 3],
    paused_limit: Option<Duration>,
    utilization: Option<Utilization>,
}

impl Grades {
    fn new(settings: &Settings, position: Position) -> Grades {
        let cell = settings.size("cell").0;
        let step = |name| settings.count(name) * cell;
        let paused_limit = match settings.optional("paused_limit") {
            Some(Value::Duration(limit)) => Some(limit),
            _ => None,
        };
        let utilization = match settings.optional("utilization") {
            Some(Value::Fraction(above)) => {
                Some(Utilization::new(above, settings.duration("utilization_window"), position.n_ports()))
            }
            _ => None,
        };
        let mut steps = [step("low"), step("medium"), step("high")];
        steps.sort_unstable();
        Grades { steps, paused_limit, utilization }
    }

    /// Whether the grade depends on queue bytes only.
    fn are_of_bytes_alone(&self) -> bool {
        self.paused_limit.is_none() && self.utilization.is_none()
    }

    /// The lowest grade on the shortest paths and the candidates that have it, a bit each, if the ports have it
    /// precomputed.
    fn lowest<P: Ports>(&self, class: u8, ports: &mut P) -> Option<(u8, u64)> {
        if !self.are_of_bytes_alone() {
            return None;
        }
        ports.below_limits(class, &self.steps).map(|(grade, ties)| (grade as u8, ties))
    }

    fn of<P: Ports>(&mut self, now: Time, class: u8, candidate: usize, ports: &mut P) -> u8 {
        if self.is_stuck(class, candidate, ports) {
            return WORST;
        }
        let waiting = ports.class_bytes(candidate, class);
        let grade = self.steps.iter().filter(|&&step| waiting >= step).count() as u8;
        let is_busy = self.utilization.as_mut().is_some_and(|use_of| use_of.exceeds(now, candidate, ports));
        (grade + u8::from(is_busy)).min(FULL)
    }

    /// Whether the class has been paused at a candidate for longer than the limit.
    fn is_stuck<P: Ports>(&self, class: u8, candidate: usize, ports: &mut P) -> bool {
        self.paused_limit.is_some_and(|limit| ports.paused_for(candidate, class) > limit)
    }

    fn write_state(&self, out: &mut StateWriter) {
        for meter in self.utilization.iter().flat_map(|utilization| &utilization.meters) {
            out.age(meter.since);
            out.word(u64::from(meter.exceeds));
        }
    }
}

/// The share of the rate of each link that is in use: a mean from one reading to the first one a window or more later.
#[derive(Debug, Clone)]
struct Utilization {
    above: f64,
    window: Duration,
    /// By port.
    meters: Box<[Meter]>,
}

#[derive(Debug, Clone, Copy)]
struct Meter {
    since: Time,
    /// Bytes sent until then.
    sent: u64,
    exceeds: bool,
}

impl Utilization {
    fn new(above: f64, window: Duration, n_ports: u32) -> Utilization {
        let idle = Meter { since: Time::ZERO, sent: 0, exceeds: false };
        Utilization { above, window, meters: vec![idle; n_ports as usize].into() }
    }

    fn exceeds<P: Ports>(&mut self, now: Time, candidate: usize, ports: &mut P) -> bool {
        let meter = &mut self.meters[ports.port(candidate) as usize];
        let span = now.since(meter.since);
        if span >= self.window && span > Duration(0) {
            let sent = ports.sent_bytes(candidate);
            // In picobits, as rate times span.
            let used = sent.saturating_sub(meter.sent) as f64 * 8e12;
            let exceeds = used > self.above * ports.rate(candidate).0 as f64 * span.0 as f64;
            *meter = Meter { since: now, sent, exceeds };
        }
        meter.exceeds
    }
}

/// The ports of flows, by a hash of the flow; allocated with the first packet that is routed adaptively.
#[derive(Debug, Clone)]
struct Sticky {
    interval: Duration,
    n_entries: usize,
    table: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    chosen_at: Time,
    port: u32,
}

impl Sticky {
    fn new(settings: &Settings) -> Option<Sticky> {
        match settings.optional("sticky") {
            Some(Value::Duration(interval)) if interval > Duration(0) => {
                Some(Sticky { interval, n_entries: settings.count("flows") as usize, table: Vec::new() })
            }
            _ => None,
        }
    }

    fn index(&self, entropy: u32) -> usize {
        mix(u64::from(entropy)) as usize % self.n_entries
    }

    /// The candidate among the first `n_candidates` that is the port chosen less than an interval ago.
    fn kept<P: Ports>(&self, now: Time, entropy: u32, n_candidates: usize, ports: &P) -> Option<usize> {
        let entry = self.table.get(self.index(entropy))?;
        if entry.chosen_at == Time::NEVER || now.since(entry.chosen_at) >= self.interval {
            return None;
        }
        (0..n_candidates).find(|&candidate| ports.port(candidate) == entry.port)
    }

    fn keep(&mut self, now: Time, entropy: u32, port: u32) {
        if self.table.is_empty() {
            self.table = vec![Entry { chosen_at: Time::NEVER, port: 0 }; self.n_entries];
        }
        let index = self.index(entropy);
        self.table[index] = Entry { chosen_at: now, port };
    }

    fn write_state(&self, out: &mut StateWriter) {
        for entry in &self.table {
            out.age(entry.chosen_at);
            out.word(u64::from(entry.port));
        }
    }
}
