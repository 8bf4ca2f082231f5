//! The rate of the links from a tier of switches to the next one up.
//!
//! Models: the rate is given, or follows from an oversubscription, rounded to the nearest bit per second; if both are
//! given, they must agree to two decimal places, and the rate is used.
//! Leaves out: the number of links; the topology determines it.
//!
//! Invariants: the rate is not zero.

use netloom_units::{Rate, Settings, Value};

use super::TopologyError;

/// The links of a switch downwards and upwards, and the parameters that determine the rate of its uplinks.
pub(super) struct Uplinks {
    /// The parameter with the rate of an uplink.
    pub rate: &'static str,
    /// The parameter with the downlink capacity over the uplink capacity.
    pub oversubscription: &'static str,
    /// Number of downlinks, and their rate.
    pub down: (u64, Rate),
    /// Number of uplinks.
    pub up: u64,
}

impl Uplinks {
    /// The rate of an uplink; that of a downlink if neither parameter is given.
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
                // Ratios are written with two decimal places: 5 to 3 is 1.67.
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
