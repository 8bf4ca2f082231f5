//! Congestion control: how fast a queue pair may send.
//!
//! Models: the rate of one queue pair as it follows from what the network told its sender, and when.
//! Leaves out: pacing, packets, marking at switches; who sends notifications, and when, is read from here
//! ([`Controller::notify`], [`Controller::cnp_interval`]) and done elsewhere.
//!
//! A [`Controller`] is what all queue pairs of one line rate share: parameters, made once. A [`State`] is what one queue
//! pair remembers: small, `Copy`, without a pointer. Each form is one file with a `SPEC` and an `impl Control`; the
//! registry below is the only list.
//!
//! Invariants: integers only. Nothing is asked of a timer before it matters, so an idle queue pair costs nothing; what
//! is computed late is what would have been computed in time, to the bit (tests hold both forms to one that ticks).
//! Calls about one queue pair come in order of time; at one instant [`Controller::on_congestion`] and
//! [`Controller::slow_start`] come first, then [`Controller::rate`], then [`Controller::on_sent`].

mod alpha;
mod dcqcn;
mod dcqcn_paper;
pub mod infiniband;
mod line;

use std::sync::Arc;

use netloom_units::{Bytes, Duration, Kind, Rate, Settings, Spec, StateWriter, Time};

/// What tells a sender of congestion.
///
/// All controllers of today take both alike; whether a NACK is told here at all is the transport's choice (`nack`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A congestion notification: a CNP, or an echoed mark.
    Cnp,
    /// A negative acknowledgement that is to count as one.
    Nack,
}

/// How a receiver tells of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notify {
    /// Every acknowledgement of a marked packet echoes the mark.
    Acknowledgement,
    /// A marked packet is answered by a packet of its own, at most one per interval.
    Packet,
}

/// A controller: what its queue pairs share.
pub trait Control {
    /// What one queue pair remembers.
    type State: Copy + std::fmt::Debug;

    /// A new queue pair.
    fn start(&self) -> Self::State;

    /// The rate of a packet that starts at `at`, after the timers of that instant.
    fn rate(&self, state: &mut Self::State, at: Time) -> Rate;

    /// A notification at `at`, before the timers of that instant.
    fn on_congestion(&self, state: &mut Self::State, at: Time, signal: Signal);

    /// To the smallest rate at `at`, before the timers of that instant.
    fn slow_start(&self, state: &mut Self::State, at: Time);

    /// A packet of this size has started at the instant last asked about.
    fn on_sent(&self, _state: &mut Self::State, _size: Bytes) {}

    /// How the receiver tells of marks, if anybody listens.
    fn notify(&self) -> Option<Notify>;

    /// The least time between two notifications of [`Notify::Packet`].
    fn cnp_interval(&self) -> Duration;

    /// Whether a notification slows all queue pairs of its port.
    fn is_for_port(&self) -> bool {
        false
    }

    /// Writes what later rates depend on, as it is at `at` before anything happens at that instant.
    fn write_state(&self, state: &Self::State, at: Time, out: &mut StateWriter);
}

/// A controller with its parameters, not yet fitted to a line rate.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Place in [`SPECS`].
    pub number: usize,
    /// Its parameters.
    pub settings: Settings,
    /// Entries of its table that are listed by hand; none for one that is worked out.
    pub table: Arc<[f64]>,
}

/// What a controller is fitted to.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// The rate of the NIC port.
    pub line: Rate,
    /// A full packet on the wire.
    pub packet: Bytes,
    /// Hosts of the fabric.
    pub n_hosts: u32,
}

impl Chosen {
    /// A registered controller by name with its default parameters.
    ///
    /// # Panics
    /// If there is none of that name.
    pub fn named(name: &str) -> Chosen {
        let number = number_of(name).unwrap_or_else(|| panic!("no congestion control `{name}`"));
        Chosen::with(number, SPECS[number].defaults())
    }

    /// A controller by its place in [`SPECS`], with these parameters.
    pub fn with(number: usize, settings: Settings) -> Chosen {
        Chosen { number, settings, table: Arc::default() }
    }
}

/// The place of a controller in [`SPECS`].
pub fn number_of(name: &str) -> Option<usize> {
    SPECS.iter().position(|spec| spec.name == name)
}

/// Closes the set of controllers into two enums, so that the hot path is a `match` the compiler can inline.
macro_rules! registry {
    ($($variant:ident => $module:ident),+ $(,)?) => {
        /// Every registered controller.
        pub static SPECS: &[&Spec] = &[$(&$module::SPEC),+];

        /// A controller: the parameters that the queue pairs of one line rate share.
        #[derive(Debug, Clone)]
        #[repr(u8)]
        pub enum Controller {
            $(
                #[doc = concat!("`", stringify!($module), "`")]
                $variant($module::$variant),
            )+
        }

        /// What one queue pair remembers, made by [`Controller::start`] and good for that controller only.
        #[derive(Debug, Clone, Copy)]
        #[repr(u8)]
        pub enum State {
            $(
                #[doc = concat!("of `", stringify!($module), "`")]
                $variant(<$module::$variant as Control>::State),
            )+
        }

        impl Controller {
            /// Fits a chosen controller to where it is.
            pub fn new(chosen: &Chosen, site: Site) -> Controller {
                let name = SPECS[chosen.number].name;
                $(
                    if name == $module::SPEC.name {
                        return Controller::$variant($module::$variant::new(chosen, site));
                    }
                )+
                unreachable!("`{name}` is in SPECS")
            }

            /// A new queue pair: it starts at line rate.
            pub fn start(&self) -> State {
                match self {
                    $(Controller::$variant(shared) => State::$variant(shared.start()),)+
                }
            }

            /// The rate of a packet that starts at `at`: all timers up to and including that instant have run.
            #[inline(always)]
            pub fn rate(&self, state: &mut State, at: Time) -> Rate {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.rate(own, at),)+
                    _ => foreign(),
                }
            }

            /// A packet of `size` bytes starts at `at`: [`Controller::rate`], then [`Controller::on_sent`].
            #[inline(always)]
            pub fn send(&self, state: &mut State, at: Time, size: Bytes) -> Rate {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => {
                        let rate = shared.rate(own, at);
                        shared.on_sent(own, size);
                        rate
                    })+
                    _ => foreign(),
                }
            }

            /// A notification arrives at `at`: it is taken before the timers of that instant.
            #[inline]
            pub fn on_congestion(&self, state: &mut State, at: Time, signal: Signal) {
                match (self, state) {
                    $(
                        (Controller::$variant(shared), State::$variant(own)) => {
                            shared.on_congestion(own, at, signal);
                        }
                    )+
                    _ => foreign(),
                }
            }

            /// The rate falls to the smallest at `at`, before the timers of that instant.
            #[inline]
            pub fn slow_start(&self, state: &mut State, at: Time) {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.slow_start(own, at),)+
                    _ => foreign(),
                }
            }

            /// A packet of `size` bytes has started, at the instant that [`Controller::rate`] was last asked about.
            #[inline(always)]
            pub fn on_sent(&self, state: &mut State, size: Bytes) {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.on_sent(own, size),)+
                    _ => foreign(),
                }
            }

            /// How the receiver tells of marks; `None` if nobody listens.
            pub fn notify(&self) -> Option<Notify> {
                match self {
                    $(Controller::$variant(shared) => shared.notify(),)+
                }
            }

            /// With [`Notify::Packet`], the least time between two notifications of a queue pair.
            pub fn cnp_interval(&self) -> Duration {
                match self {
                    $(Controller::$variant(shared) => shared.cnp_interval(),)+
                }
            }

            /// Whether a notification slows all queue pairs of its port.
            pub fn is_for_port(&self) -> bool {
                match self {
                    $(Controller::$variant(shared) => shared.is_for_port(),)+
                }
            }

            /// Writes what later rates depend on, as it is at `at` before anything happens at that instant.
            ///
            /// `at` is the base of the writer.
            pub fn write_state(&self, state: &State, at: Time, out: &mut StateWriter) {
                match (self, state) {
                    $(
                        (Controller::$variant(shared), State::$variant(own)) => {
                            shared.write_state(own, at, out);
                        }
                    )+
                    _ => foreign(),
                }
            }
        }
    };
}

registry! {
    Line => line,
    Dcqcn => dcqcn,
    DcqcnPaper => dcqcn_paper,
    Infiniband => infiniband,
}

/// A state was handed to a controller that did not make it: our bug, never the user's.
#[cold]
fn foreign() -> ! {
    panic!("the state belongs to another congestion control")
}

/// The choice of `notify`, shared by those who are told of marks.
const NOTIFY: Kind = Kind::Choice(&["acknowledgement", "packet"]);

/// What `notify` says.
fn notify_of(settings: &Settings) -> Notify {
    if settings.choice("notify") == "packet" { Notify::Packet } else { Notify::Acknowledgement }
}

#[cfg(test)]
mod tests;
