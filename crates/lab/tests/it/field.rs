//! Studies on a real machine, without one.

mod home;
mod plans;
mod scripts;
