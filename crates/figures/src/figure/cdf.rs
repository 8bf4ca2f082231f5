//! Distributions of step times and of flow completion times, a line for each run.

use netloom_report::panel_data::{Cdf, GroupData};

use super::{Drawn, Run, check_lines, largest, timed, without};
use crate::chart::frame::Axis;
use crate::chart::legend::{Entry, Sign};
use crate::chart::panel::{Join, Line, Panel, chart};
use crate::chart::scale::Scale;
use crate::chart::style::Style;
use crate::chart::unit;
use crate::table::Table;

/// If times differ by more than this factor, the axis is logarithmic.
const WIDE: f64 = 20.0;
/// Shown instead of zero on a logarithmic axis, in seconds.
const LEAST: f64 = 1e-12;

/// Distributions of step times.
pub fn step_times(runs: &[Run], width: f64) -> Result<Drawn, String> {
    let (jobs, lacking) = timed(runs)?;
    check_lines(jobs.len())?;
    let mut table = Table::new(&["run", "job", "step_time_s", "share_of_steps"]);
    let (mut lines, mut entries) = (Vec::new(), Vec::new());
    for (number, (name, run, job)) in jobs.into_iter().enumerate() {
        let Some(times) = &job.times else { continue };
        for (value, share) in pairs(&times.cdf) {
            table.push([run.name().into(), job.job.as_str().into(), value.into(), share.into()]);
        }
        let style = Style::of(number);
        lines.push((style, &times.cdf));
        entries.push(Entry { sign: Sign::Line(style, false), name });
    }
    let panel = panel("step time", "share of steps (%)", &lines, false);
    Ok(Drawn { picture: chart(width, &entries, &[panel]), table, without: lacking })
}

/// Origin of messages: its name in the table, at the axis, and its data; finite flows count as background messages.
type Group = (&'static str, &'static str, fn(&Run) -> &GroupData);

const GROUPS: [Group; 2] = [
    ("background", "FCT of background messages", |run| &run.background),
    ("jobs", "FCT of messages of jobs", |run| &run.jobs),
];

/// Distributions of flow completion times: background messages and those of jobs, each where there are some.
pub fn fct(runs: &[Run], width: f64) -> Result<Drawn, String> {
    let has = |run: &Run| GROUPS.iter().any(|(_, _, of)| of(run).arrived.is_some()).then_some(());
    let (with, lacking) = without(runs, has, "no message of a job and no background message arrived")?;
    check_lines(with.len())?;
    let mut table =
        Table::new(&["run", "messages_of", "fct_s", "share_of_messages", "started_from_s", "started_to_s"]);
    let mut panels = Vec::new();
    for (word, what, of) in GROUPS {
        let arrived =
            with.iter().filter_map(|(number, run, ())| Some((*number, *run, of(run).arrived.as_ref()?)));
        let is_of_jobs = word == GROUPS[1].0;
        let mut lines = Vec::new();
        for (number, run, fct) in arrived {
            // For messages of jobs the span is the whole run.
            let [from, to] = if is_of_jobs { [0.0, run.simulated] } else { run.span() };
            for (value, share) in pairs(&fct.cdf) {
                table.push([
                    run.name().into(),
                    word.into(),
                    value.into(),
                    share.into(),
                    from.into(),
                    to.into(),
                ]);
            }
            lines.push((Style::of(number), &fct.cdf));
        }
        if !lines.is_empty() {
            panels.push(panel(what, "share of messages (%)", &lines, true));
        }
    }
    let entry = |(number, run, ()): &(usize, &Run, ())| Entry {
        sign: Sign::Line(Style::of(*number), false),
        name: run.called.clone(),
    };
    let entries: Vec<Entry> = with.iter().map(entry).collect();
    Ok(Drawn { picture: chart(width, &entries, &panels), table, without: lacking })
}

fn pairs(cdf: &Cdf) -> impl Iterator<Item = (f64, f64)> + '_ {
    cdf.values.iter().copied().zip(cdf.shares.iter().copied())
}

/// Lines over one axis, which is logarithmic if requested or if the times differ by a large factor.
fn panel(what: &str, shares: &str, lines: &[(Style, &Cdf)], is_log: bool) -> Panel {
    let values = || lines.iter().flat_map(|(_, cdf)| cdf.values.iter().copied());
    let most = largest(values()).max(LEAST);
    let least = values().fold(most, f64::min).max(LEAST);
    let is_log = is_log || most > WIDE * least;
    let unit = if is_log { unit::spans(least, most) } else { unit::span(most) };
    let scale = if is_log {
        Scale::logarithmic(least / unit.worth, most / unit.worth)
    } else {
        Scale::linear(0.0, most / unit.worth, 5)
    };
    let line = |(style, cdf): &(Style, &Cdf)| Line {
        points: points(cdf, unit.worth),
        style: *style,
        // There are other values between quantiles; a step would suggest that there are none.
        join: if cdf.whole { Join::Steps } else { Join::Straight },
        is_marked: false,
    };
    Panel {
        across: Axis::Numbers { name: format!("{what} ({})", unit.name), scale },
        up: Axis::Numbers { name: shares.to_owned(), scale: Scale::within(0.0, 102.0, 6) },
        lines: lines.iter().map(line).collect(),
        events: Vec::new(),
    }
}

/// Begins with share 0 at the smallest value, so that the line begins at the axis.
fn points(cdf: &Cdf, worth: f64) -> Vec<(f64, f64)> {
    let position = |value: f64| value.max(LEAST) / worth;
    let first = cdf.values.first().map(|value| (position(*value), 0.0));
    first.into_iter().chain(pairs(cdf).map(|(value, share)| (position(value), share * 100.0))).collect()
}
