//! Studies on a real machine, without one.

mod collected;
mod damaged;
mod home;
mod plans;
mod scripts;
