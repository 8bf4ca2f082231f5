//! The parameters of one plug-in or section: complete, checked against its `Spec`, each with its location.

use std::fmt;

use netloom_units::{Settings, Spec};

use crate::location::Location;

/// A spec with a value for each of its parameters.
#[derive(Clone)]
pub struct Parameters {
    /// The spec.
    pub spec: &'static Spec,
    /// Its values, in the order of the spec.
    pub settings: Settings,
    /// Where the plug-in is named.
    pub location: Location,
    /// Whether a value was refused and replaced by a meaningless substitute.
    pub(crate) has_stand_ins: bool,
    locations: Vec<Location>,
}

impl Parameters {
    /// Joins values with their locations, both in the order of the spec.
    pub(crate) fn new(
        spec: &'static Spec,
        settings: Settings,
        location: Location,
        locations: Vec<Location>,
        has_stand_ins: bool,
    ) -> Parameters {
        Parameters { spec, settings, location, has_stand_ins, locations }
    }

    /// All defaults, for a section that is not written.
    pub(crate) fn defaults(spec: &'static Spec) -> Parameters {
        let locations = vec![Location::default(); spec.parameters.len()];
        let location = Location::default();
        Parameters { spec, settings: spec.defaults(), location, has_stand_ins: false, locations }
    }

    /// The same, marked as a substitute for a refused value.
    pub(crate) fn stand_in(self) -> Parameters {
        Parameters { has_stand_ins: true, ..self }
    }

    /// Where a parameter is written; where the plug-in is named if it has its default.
    pub fn location_of(&self, name: &str) -> Location {
        let number = self.spec.parameters.iter().position(|parameter| parameter.name == name);
        number.and_then(|number| self.locations.get(number).copied()).unwrap_or(self.location)
    }

    /// Where the first of its parameters is written that a message names in backquotes; where the plug-in is named if
    /// that one has its default. `None` if the message names none.
    pub(crate) fn location_in(&self, message: &str) -> Option<Location> {
        let mut words = message.split('`').skip(1).step_by(2);
        words.find(|word| self.spec.parameter(word).is_some()).map(|name| self.location_of(name))
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Parameters) -> bool {
        self.spec.name == other.spec.name && self.settings == other.settings
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {:?}", self.spec.name, self.settings)
    }
}
