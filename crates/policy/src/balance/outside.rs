//! Balancing policies from outside this crate, by their names in scenarios.
//!
//! Models: a registry that a program passes along with a scenario: specs like those of this crate, and how to make
//! instances.
//! Leaves out: how instances are called ([`super::DynBalance`]).
//!
//! Invariants: names differ from each other and from those of this crate; there is no registry but the one passed in.

use std::fmt;
use std::sync::Arc;

use netloom_units::{Settings, Spec};

use super::{Chosen, DynBalance, Position, number_of};

/// Makes an instance of a policy at a node, from its parameters.
pub type MakeOutside = dyn Fn(&Settings, Position) -> Box<dyn DynBalance> + Send + Sync;

/// Policies from outside this crate.
#[derive(Clone, Default)]
pub struct OutsidePolicies(Vec<(&'static Spec, Arc<MakeOutside>)>);

impl OutsidePolicies {
    /// These and one more.
    ///
    /// # Panics
    /// If there is a policy of its name.
    #[must_use]
    pub fn with(
        mut self,
        spec: &'static Spec,
        make: impl Fn(&Settings, Position) -> Box<dyn DynBalance> + Send + Sync + 'static,
    ) -> OutsidePolicies {
        let is_new = number_of(spec.name).is_none() && self.specs().all(|known| known.name != spec.name);
        assert!(is_new, "there is a balancing policy `{}` already", spec.name);
        self.0.push((spec, Arc::new(make)));
        self
    }

    /// Their specs.
    pub fn specs(&self) -> impl Iterator<Item = &'static Spec> {
        self.0.iter().map(|(spec, _)| *spec)
    }

    /// The one of a name, with its parameters.
    pub fn chosen(&self, name: &str, settings: &Settings) -> Option<Chosen> {
        let (_, make) = self.0.iter().find(|(spec, _)| spec.name == name)?;
        let (make, settings) = (Arc::clone(make), settings.clone());
        Some(Chosen::Dyn(Arc::new(move |position| make(&settings, position))))
    }
}

impl fmt::Debug for OutsidePolicies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.specs().map(|spec| spec.name)).finish()
    }
}

/// Equal if they have the same names.
impl PartialEq for OutsidePolicies {
    fn eq(&self, other: &OutsidePolicies) -> bool {
        self.specs().map(|spec| spec.name).eq(other.specs().map(|spec| spec.name))
    }
}

impl Eq for OutsidePolicies {}
