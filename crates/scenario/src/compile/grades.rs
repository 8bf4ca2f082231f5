//! Grades of ports: thresholds must rise.

use crate::diagnostic::Problems;
use crate::resolve::Draft;
use crate::resolved::Parameters;

/// Reports thresholds of `adaptive_spectrum` that are out of order.
pub(super) fn check(draft: &Draft, problems: &mut Problems) {
    let Some(balance) = &draft.balance else { return };
    check_policy(&balance.switch, problems);
    if balance.host != balance.switch {
        check_policy(&balance.host, problems);
    }
}

fn check_policy(policy: &Parameters, problems: &mut Problems) {
    if policy.spec.parameter("medium").is_none() {
        return;
    }
    for [below, above] in [["low", "medium"], ["medium", "high"]] {
        let [least, most] = [below, above].map(|name| policy.settings.count(name));
        if least > most {
            let message = format!("`{above}` is {most}, less than `{below}`");
            let report = problems.report(policy.location_of(above), message);
            report.label("grades rise with the queue");
            report.help(format!("at least {least}, or a lower `{below}`"));
        }
    }
}
