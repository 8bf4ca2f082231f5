//! The rate of the links from a tier of switches to the next one up.
//!
//! Models: it is given, or follows from an oversubscription, rounded to the nearest bit per second; where both are given,
//! they must agree as far as two digits behind the point go; the rate is what counts.
//! Leaves out: how many links there are; the topology says so.
//!
//! Invariants: the rate is not zero.

use netloom_units::{Rate, Settings, Value};

use super::TopologyError;

/// What a switch has above and below it, and the parameters that say how fast its links up are.
pub(super) struct Uplinks {
    /// The parameter with the rate of a link up.
    pub rate: &'static str,
    /// The parameter with the capacity down over the capacity up.
    pub oversubscription: &'static str,
    /// Links down, and their rate.
    pub down: (u64, Rate),
    /// Links up.
    pub up: u64,
}

impl Uplinks {
    /// The rate of a link up; that of a link down where nothing is said.
    pub fn rate(&self, settings: &Settings) -> Result<Rate, TopologyError> {
        let (rate, oversubscription) = (self.rate, self.oversubscription);
        let down = self.down.1.0 as f64 * self.down.0 as f64;
        let given = match settings.optional(rate) {
            Some(Value::Rate(rate)) => Some(rate),
            _ => None,
        };
        let wanted = match settings.optional(oversubscription) {
            Some(Value::Fraction(wanted)) if self.up > 0 => Some(wanted),
            _ => None,
        };
        match (given, wanted) {
            (Some(Rate(0)), _) => Err(TopologyError::Zero(rate)),
            (Some(given), Some(wanted)) => {
                let actual = down / (given.0 as f64 * self.up as f64);
                // Ratios are written with two digits behind the point: 5 to 3 is 1.67.
                if (actual - wanted).abs() > 0.005 * wanted.min(1.0) {
                    return Err(TopologyError::Oversubscription { rate, oversubscription, wanted, actual });
                }
                Ok(given)
            }
            (None, Some(wanted)) => match (down / (self.up as f64 * wanted)).round() as u64 {
                0 => Err(TopologyError::NoRate { rate, oversubscription }),
                found => Ok(Rate(found)),
            },
            (given, None) => Ok(given.unwrap_or(self.down.1)),
        }
    }
}
