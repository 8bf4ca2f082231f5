//! Notes on a fabric: the layout of links and NICs where no source states it.

use netloom_model::Routing;

use super::built_fabric::BuiltFabric;
use crate::resolve::Draft;
use crate::resolved::Fabric;

/// Adds a note for every modelling assumption.
pub(super) fn add(draft: &Draft, built_fabric: &BuiltFabric, notes: &mut Vec<String>) {
    let Some(Fabric::Parametric(_)) = &draft.fabric else { return };
    match &built_fabric.built.routing {
        Routing::Dragonfly(dragonfly) => {
            if dragonfly.dealing().per_pair() > 1 {
                notes.push(
                    "modelling assumption: global links between two groups end at switches far apart, nearly the same \
                     number at each".to_owned(),
                );
            }
            let shape = dragonfly.shape();
            if shape.nic_switches > 1 {
                notes.push(format!(
                    "modelling assumption: the hosts of a group are attached to blocks of {} neighbouring switches, \
                     with NICs on the first {} of each",
                    shape.nic_switches, shape.nics
                ));
            }
        }
        Routing::DragonflyPlus(_) => notes.push(
            "modelling assumption: spines of equal number in two groups are joined; if spines have fewer global ports, \
             these are assigned to the other groups in turn"
                .to_owned(),
        ),
        Routing::Rail(_) => notes.push(
            "modelling assumption: the switch inside a server queues and forwards packets like any other; GPUs do not \
             forward".to_owned(),
        ),
        Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Tables(_) => {}
    }
}
