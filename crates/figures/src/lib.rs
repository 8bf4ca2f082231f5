//! Figures.
mod draw;
