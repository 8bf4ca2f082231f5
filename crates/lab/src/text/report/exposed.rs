//! Where the time of steps goes: exposed communication, barriers and bubble of jobs that compute or have groups; their
//! most exposed phases, longest waits, and bandwidths against their bounds.

use netloom_report::breakdown::{BoundKind, Breakdown, CutList, GroupBandwidth, MemberWait, PhaseTime};
use netloom_report::panel_data::Timeline;

use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet};
use crate::words;

/// Most rows of a list in text.
const MOST_ROWS: usize = 5;

/// The section of a run; none without such jobs.
pub fn exposed(sheet: &mut Sheet, timeline: Option<&Timeline>) {
    let Some(timeline) = timeline.filter(|found| !found.jobs.is_empty()) else { return };
    sheet.title("Exposed communication", "communication that computation of the same rank does not cover");
    for job in &timeline.jobs {
        let step = timeline.steps.iter().find(|step| step.job == job.job);
        let name = step.map_or("", |step| step.name.as_str());
        one(sheet, name, job);
    }
}

fn one(sheet: &mut Sheet, name: &str, job: &Breakdown) {
    let times = &job.times;
    let part = |what: &str, share: f64| format!("{what} {}", words::percent(share));
    let parts = [
        part("computing", times.compute.share),
        part("exposed communication", times.exposed.share),
        part("barriers", times.barrier.share),
        part("bubble", times.idle.share),
    ];
    let worst = format!("most exposed: rank {}, {}", times.exposed.rank, words::span(times.exposed.worst));
    let text = format!(
        "{} per step on average, over {}: {}; {worst}",
        words::span(times.step.mean),
        words::steps(&job.steps),
        parts.join(", ")
    );
    item(sheet, 2, name, &text);
    list(sheet, &job.phases, phase, "phase");
    list(sheet, &waits_of_some(&job.waits), wait, "wait");
    list(sheet, &job.bandwidths, bandwidth, "bandwidth");
}

fn item(sheet: &mut Sheet, indent: usize, name: &str, text: &str) {
    let start = Line::indented(indent).plain(&words::harmless(name)).plain(": ");
    sheet.hanging(start, Ink::Plain, text);
}

/// The first rows of a list, each as a name and a text.
fn list<T>(sheet: &mut Sheet, found: &CutList<T>, row: fn(&T) -> (String, String), noun: &str) {
    let shown = found.rows.len().min(MOST_ROWS);
    for of in &found.rows[..shown] {
        let (name, text) = row(of);
        item(sheet, 4, &name, &text);
    }
    if found.total > shown {
        sheet.text(Ink::Faint, &format!("{} of {}", shown, words::some(found.total as u64, noun)), 4);
    }
}

fn phase(row: &PhaseTime) -> (String, String) {
    let of = format!("{}, {}", row.name, row.group);
    let [time, worst] = [row.time, row.worst].map(words::span);
    let text = match row.exposed {
        Some(exposed) => format!(
            "{of}: {time}, {} of it exposed, {} of the step; at most {worst} (rank {})",
            words::span(exposed),
            words::percent(row.share),
            row.worst_rank
        ),
        None => format!("{of}: {} {time}, {} of the step", row.activity, words::percent(row.share)),
    };
    (format!("phase {}", row.phase), text)
}

/// The waits without those in which all members began together.
fn waits_of_some(all: &CutList<MemberWait>) -> CutList<MemberWait> {
    let rows: Vec<MemberWait> = all.rows.iter().filter(|row| row.largest > 0.0).cloned().collect();
    let n_without = all.rows.len() - rows.len();
    CutList { total: all.total - n_without, rows }
}

fn wait(row: &MemberWait) -> (String, String) {
    let name = format!("phase {}, bucket {}", row.phase, row.bucket);
    let [mean, largest] = [row.mean, row.largest].map(words::span);
    let text = format!(
        "{}, {}: members waited {mean} for the last one on average, at most {largest} for rank {} of {}",
        row.name, row.group, row.last_rank, row.communicator
    );
    (name, text)
}

fn bandwidth(row: &GroupBandwidth) -> (String, String) {
    let name = format!("phase {}", row.phase);
    let [busbw, from_first, lowest] = [row.busbw, row.from_first, row.lowest].map(words::bytes_per_second);
    let links = match row.bound_kind {
        Some(BoundKind::Local) => "within the host",
        Some(BoundKind::Nic) | None => "that the links allow",
    };
    let bound = row.bound.zip(row.share).map_or_else(String::new, |(bound, share)| {
        format!(", {} of the {} {links}", words::percent(share), words::bytes_per_second(bound))
    });
    let (since, first) = if from_first == busbw {
        ("", String::new())
    } else {
        (" from the last begin of a member", format!(" ({from_first} from the first)"))
    };
    let text = format!(
        "{}, {}: busbw {busbw}{since}{bound}{first}; lowest {lowest} in {}",
        row.name, row.group, row.lowest_communicator
    );
    (name, text)
}
