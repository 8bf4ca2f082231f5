//! A central controller of load balancing: where it can plan, and how often it may sample the flows.

use netloom_model::Routing;
use netloom_policy::balance::nslb;
use netloom_units::Duration;

use super::built_fabric::BuiltFabric;
use crate::diagnostic::Problems;
use crate::resolve::Draft;
use crate::resolved::Parameters;

/// The shortest sampling interval: each sampling visits all flows.
const SHORTEST: Duration = Duration::from_micros(1);

/// Reports fabrics and intervals that the controller does not support.
pub(super) fn check(draft: &Draft, built_fabric: &BuiltFabric, problems: &mut Problems) {
    let Some(balance) = &draft.balance else { return };
    let is_central = |policy: &Parameters| policy.spec.name == nslb::SPEC.name;
    if is_central(&balance.switch) {
        two_tiers(&balance.switch, built_fabric, problems);
        interval(&balance.switch, problems);
    } else if is_central(&balance.host) {
        let report = problems.report(balance.host.location, "the controller of `nslb` plans for switches");
        report.label("hosts would hash flows instead").help("write `switch: nslb`, or `host: ecmp`");
    }
    if let Some(control) = balance.control.as_ref().filter(|control| is_central(control)) {
        let report =
            problems.report(control.location, "the controller of `nslb` plans paths of data packets only");
        report.label("ACKs, NACKs and CNPs would be hashed instead").help("write `control: ecmp`");
    }
}

fn two_tiers(switch: &Parameters, built_fabric: &BuiltFabric, problems: &mut Problems) {
    if matches!(built_fabric.built.routing, Routing::LeafSpine(_)) {
        return;
    }
    let report = problems.report(switch.location, "`nslb` needs a `leaf_spine` fabric");
    report.label("here the path up does not determine the path down");
    report.help("another policy, such as `ecmp` or `adaptive`");
}

fn interval(switch: &Parameters, problems: &mut Problems) {
    if switch.settings.duration("interval") >= SHORTEST {
        return;
    }
    let report =
        problems.report(switch.location_of("interval"), "the controller samples the flows too often");
    report.label("expected at least 1us").help("each sampling visits all flows; `100us` is the default");
}
