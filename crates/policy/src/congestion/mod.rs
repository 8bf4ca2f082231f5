//! Congestion control: how fast a queue pair may send.
//!
//! Models: the rate of one queue pair as it follows from the feedback that its sender receives, and when.
//! Leaves out: pacing, packets, marking at switches; when receivers send notifications is defined here
//! ([`Controller::notify`], [`Controller::cnp_interval`]) and done elsewhere.
//!
//! A [`Controller`] is shared by all queue pairs of one line rate: parameters, made once. A [`State`] belongs to one
//! queue pair: small, `Copy`, without a pointer. Each form is one file with a `SPEC` and an `impl Control`; the
//! registry below is the only list.
//!
//! Invariants: integers, or floats with `+ - * /` and `sqrt` only. Timers are evaluated lazily, so an idle queue pair
//! costs nothing; the result is the same to the bit as that of timers that fire in time (tests compare both forms with
//! one that does). Calls for one queue pair come in order of time; at one instant [`Controller::on_congestion`] and
//! [`Controller::slow_start`] come first, then [`Controller::on_acknowledgement`], then [`Controller::rate`], then
//! [`Controller::on_sent`].

mod alpha;
mod dcqcn;
mod dcqcn_paper;
mod feedback;
mod hpcc;
pub mod infiniband;
mod line;
pub mod slingshot;
mod swift;
mod timely;

use std::sync::Arc;

use netloom_units::{Bytes, Duration, Kind, Rate, Settings, Spec, StateWriter, Time};

pub use feedback::{Feedback, Hop, Senses};

/// A congestion signal to a sender.
///
/// Controllers that count notifications treat both alike; whether a NACK counts at all is the transport's choice
/// (`nack`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A congestion notification: a CNP, or an echoed mark.
    Cnp,
    /// A NACK that counts as a notification.
    Nack,
}

/// How a receiver reports marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notify {
    /// Every acknowledgement of a marked packet echoes the mark.
    Acknowledgement,
    /// A marked packet is answered by a CNP, at most one per interval.
    Packet,
}

/// A controller: the parameters that its queue pairs share.
pub trait Control {
    /// The state of one queue pair.
    type State: Copy + std::fmt::Debug;

    /// A new queue pair.
    fn start(&self) -> Self::State;

    /// The rate of a packet that starts at `at`, after the timers of that instant.
    fn rate(&self, state: &mut Self::State, at: Time) -> Rate;

    /// A notification at `at`, before the timers of that instant.
    fn on_congestion(&self, state: &mut Self::State, at: Time, signal: Signal);

    /// Sets the smallest rate at `at`, before the timers of that instant.
    fn slow_start(&self, state: &mut Self::State, at: Time);

    /// A packet of this size has started at the instant of the last call of `rate`.
    fn on_sent(&self, _state: &mut Self::State, _size: Bytes) {}

    /// How the receiver reports marks; `None` if it need not.
    fn notify(&self) -> Option<Notify>;

    /// The least time between two notifications of [`Notify::Packet`].
    fn cnp_interval(&self) -> Duration;

    /// Whether a notification slows all queue pairs of its port.
    fn is_for_port(&self) -> bool {
        false
    }

    /// The feedback that it needs.
    fn senses(&self) -> Senses {
        Senses::Notifications
    }

    /// Largest number of packets in flight from `at` on.
    fn window(&self, _state: &Self::State, _at: Time) -> u64 {
        u64::MAX
    }

    /// The average rate that it allows at `at`, if that differs from the rate at which packets follow each other.
    fn allowed(&self, state: &Self::State, at: Time) -> Rate {
        self.rate(&mut { *state }, at)
    }

    /// An ACK, after the notifications of that instant; only if its `senses` include ACKs.
    fn on_acknowledgement(&self, _state: &mut Self::State, _feedback: &Feedback) {}

    /// A retransmission timeout, if its `senses` include ACKs.
    fn on_timeout(&self, _state: &mut Self::State, _at: Time) {}

    /// A switch grants it this share for a while from `at` on, if its `senses` include ACKs.
    fn on_share(&self, _state: &mut Self::State, _at: Time, _share: Rate) {}

    /// Writes what later rates depend on, in the state at `at` before any event of that instant.
    fn write_state(&self, state: &Self::State, at: Time, out: &mut StateWriter);
}

/// A controller with its parameters, not yet fitted to a line rate.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Index in [`SPECS`].
    pub number: usize,
    /// Its parameters.
    pub settings: Settings,
    /// Explicit entries of its table; empty for a computed table.
    pub table: Arc<[f64]>,
    /// The largest round trip of the fabric without queues, for controllers whose settings give none.
    pub round_trip: Duration,
}

/// The port and fabric that a controller is made for.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// The rate of the NIC port.
    pub line: Rate,
    /// A full packet on the wire.
    pub packet: Bytes,
    /// Number of hosts of the fabric.
    pub n_hosts: u32,
}

impl Chosen {
    /// The round trip if no fabric is given: a fabric of three tiers.
    const ROUND_TRIP: Duration = Duration::from_micros(10);

    /// A registered controller by name with its default parameters.
    ///
    /// # Panics
    /// If there is none of that name.
    pub fn named(name: &str) -> Chosen {
        let number = number_of(name).unwrap_or_else(|| panic!("no congestion control `{name}`"));
        Chosen::with(number, SPECS[number].defaults())
    }

    /// A controller by its index in [`SPECS`], with these parameters.
    pub fn with(number: usize, settings: Settings) -> Chosen {
        Chosen { number, settings, table: Arc::default(), round_trip: Chosen::ROUND_TRIP }
    }
}

/// The index of a controller in [`SPECS`].
pub fn number_of(name: &str) -> Option<usize> {
    SPECS.iter().position(|spec| spec.name == name)
}

/// The feedback that a controller needs, by its specification.
pub fn senses(spec: &Spec) -> Senses {
    match spec.name {
        "hpcc" => Senses::Telemetry,
        "timely" | "swift" | "slingshot" => Senses::Acknowledgements,
        _ => Senses::Notifications,
    }
}

/// Whether a controller may limit the data in flight.
pub fn has_window(spec: &Spec) -> bool {
    matches!(spec.name, "hpcc" | "swift" | "slingshot")
}

/// Closes the set of controllers into two enums, so that the hot path is a `match` the compiler can inline.
///
/// Controllers listed as `inlined` are evaluated in place for every packet, which costs all others time; those that
/// need ACKs have more to do there anyway, and are listed as `apart`.
macro_rules! registry {
    (inlined { $($near:ident => $beside:ident),+ $(,)? } apart { $($far:ident => $away:ident),+ $(,)? }) => {
        registry!(@all [$($near => $beside,)+] [$($far => $away,)+] $($near => $beside,)+ $($far => $away,)+);
    };
    (@all [$($near:ident => $beside:ident,)+] [$($far:ident => $away:ident,)+]
        $($variant:ident => $module:ident,)+) => {
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

        /// The state of one queue pair, made by [`Controller::start`] and valid for that controller only.
        #[derive(Debug, Clone, Copy)]
        #[repr(u8)]
        pub enum State {
            $(
                #[doc = concat!("of `", stringify!($module), "`")]
                $variant(<$module::$variant as Control>::State),
            )+
        }

        impl Controller {
            /// Makes a chosen controller for a site.
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
                    $((Controller::$near(shared), State::$near(own)) => {
                        let rate = shared.rate(own, at);
                        shared.on_sent(own, size);
                        rate
                    })+
                    (_, state) => self.send_apart(state, at, size),
                }
            }

            #[cold]
            #[inline(never)]
            fn send_apart(&self, state: &mut State, at: Time, size: Bytes) -> Rate {
                match (self, state) {
                    $((Controller::$far(shared), State::$far(own)) => {
                        let rate = shared.rate(own, at);
                        shared.on_sent(own, size);
                        rate
                    })+
                    _ => foreign(),
                }
            }

            /// A notification arrives at `at`: it takes effect before the timers of that instant.
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

            /// A packet of `size` bytes has started, at the instant of the last call of [`Controller::rate`].
            #[inline(always)]
            pub fn on_sent(&self, state: &mut State, size: Bytes) {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.on_sent(own, size),)+
                    _ => foreign(),
                }
            }

            /// How the receiver reports marks; `None` if it need not.
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

            /// The feedback that it needs.
            pub fn senses(&self) -> Senses {
                match self {
                    $(Controller::$variant(shared) => shared.senses(),)+
                }
            }

            /// Largest number of packets in flight from `at` on.
            pub fn window(&self, state: &State, at: Time) -> u64 {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.window(own, at),)+
                    _ => foreign(),
                }
            }

            /// The average rate that it allows at `at`.
            pub fn allowed(&self, state: &State, at: Time) -> Rate {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.allowed(own, at),)+
                    _ => foreign(),
                }
            }

            /// An ACK, for controllers whose `senses` include ACKs.
            pub fn on_acknowledgement(&self, state: &mut State, feedback: &Feedback) {
                match (self, state) {
                    $(
                        (Controller::$variant(shared), State::$variant(own)) => {
                            shared.on_acknowledgement(own, feedback);
                        }
                    )+
                    _ => foreign(),
                }
            }

            /// A retransmission timeout, for controllers whose `senses` include ACKs.
            pub fn on_timeout(&self, state: &mut State, at: Time) {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.on_timeout(own, at),)+
                    _ => foreign(),
                }
            }

            /// A switch grants it this share for a while from `at` on, for controllers whose `senses` include ACKs.
            pub fn on_share(&self, state: &mut State, at: Time, share: Rate) {
                match (self, state) {
                    $((Controller::$variant(shared), State::$variant(own)) => shared.on_share(own, at, share),)+
                    _ => foreign(),
                }
            }

            /// Writes what later rates depend on, in the state at `at` before any event of that instant.
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
    inlined {
        Line => line,
        Dcqcn => dcqcn,
        DcqcnPaper => dcqcn_paper,
        Infiniband => infiniband,
    }
    apart {
        Hpcc => hpcc,
        Timely => timely,
        Swift => swift,
        Slingshot => slingshot,
    }
}

/// A state was passed to a controller that did not make it: a bug of this program, never a user error.
#[cold]
fn foreign() -> ! {
    panic!("the state belongs to another congestion control")
}

/// The values of `notify`, shared by all controllers that use marks.
const NOTIFY: Kind = Kind::Choice(&["acknowledgement", "packet"]);

/// The setting `notify`.
fn notify_of(settings: &Settings) -> Notify {
    if settings.choice("notify") == "packet" { Notify::Packet } else { Notify::Acknowledgement }
}

#[cfg(test)]
mod tests;
