//! Step times: a bar for the mean of each job of each run with its 95 % interval, and marks for p95 and p99.

use netloom_report::panel_data::{Estimate, JobData};

use super::{Drawn, Run, largest, timed};
use crate::chart::frame::{Axis, Frame, room_below};
use crate::chart::legend::{Entry, Sign, legend};
use crate::chart::panel::whisker;
use crate::chart::scale::Scale;
use crate::chart::style::{AXIS, Mark, WHISKER, colour};
use crate::chart::{MIDDLE, SMALL, unit};
use crate::draw::{Align, Picture, WHITE, font};
use crate::table::Table;

/// Height of a bar.
const BAR: f64 = 6.5;
/// Distance from bar to bar if names are beside them.
const ROW: f64 = 11.0;
/// Height of a name above its bar.
const NAME: f64 = 8.5;
/// Names are beside bars if they take no more than this part of the width.
const BESIDE: f64 = 0.34;
/// Margin on the right of the frame.
const RIGHT: f64 = 9.0;
/// Largest number of bars that fit on a page.
const MOST: usize = 60;

const COLUMNS: &[&str] = &["run", "job", "steps", "mean_s", "mean_low_s", "mean_high_s", "p95_s", "p99_s"];

/// A bar.
struct Bar {
    name: String,
    run: usize,
    mean: Estimate,
    p95: f64,
    p99: f64,
}

/// Draws the figure.
pub fn draw(runs: &[Run], width: f64) -> Result<Drawn, String> {
    let (jobs, without) = timed(runs)?;
    if jobs.len() > MOST {
        return Err(format!("{} bars do not fit on a page ({MOST} do): name fewer runs", jobs.len()));
    }
    let mut table = Table::new(COLUMNS);
    let mut bars = Vec::new();
    for (name, run, job) in jobs {
        bars.extend(bar(name, run, job, &mut table));
    }
    Ok(Drawn { picture: chart(width, &bars), table, without })
}

fn bar(name: String, run: &Run, job: &JobData, table: &mut Table) -> Option<Bar> {
    let times = job.times.as_ref()?;
    let (mean, p95, p99) = (times.mean, times.p95.value, times.p99.value);
    table.push([
        run.name().into(),
        job.job.as_str().into(),
        f64::from(job.steps).into(),
        mean.value.into(),
        mean.low.into(),
        mean.high.into(),
        p95.into(),
        p99.into(),
    ]);
    Some(Bar { name, run: job.run, mean, p95, p99 })
}

fn chart(width: f64, bars: &[Bar]) -> Picture {
    let mut picture = Picture::new(width);
    let top = legend(&mut picture, &entries(bars)) + 2.0;
    let widest = largest(bars.iter().map(|bar| font::width(&bar.name, SMALL)));
    let is_beside = widest <= width * BESIDE;
    let row = if is_beside { ROW } else { ROW + NAME };
    let most = largest(bars.iter().flat_map(|bar| [bar.mean.high.unwrap_or(0.0), bar.mean.value, bar.p99]));
    let unit = unit::span(most);
    let frame = Frame {
        across: Axis::Numbers {
            name: format!("step time ({})", unit.name),
            scale: Scale::linear(0.0, most / unit.worth, 5),
        },
        up: Axis::Names { name: String::new(), names: vec![String::new(); bars.len()] },
        left: if is_beside { widest + 4.0 } else { 3.0 },
        right: width - RIGHT,
        top,
        bottom: top + row * bars.len() as f64 + 2.0,
    };
    frame.grid(&mut picture);
    for (nth, bar) in bars.iter().enumerate() {
        let end = frame.top + 1.0 + row * (nth as f64 + 1.0);
        let middle = end - ROW / 2.0;
        let at = if is_beside {
            (frame.left - 3.0, middle + SMALL * MIDDLE)
        } else {
            (frame.left + 3.0, end - ROW - NAME * 0.5 + SMALL * MIDDLE)
        };
        let align = if is_beside { Align::End } else { Align::Start };
        let name = font::shortened(&bar.name, SMALL, width - RIGHT - frame.left - 6.0);
        picture.words(name, at, align, SMALL);
        draw_bar(&mut picture, &frame, middle, unit.worth, bar);
    }
    frame.axes(&mut picture, true);
    picture.height = frame.bottom + room_below(&frame.across, frame.right - frame.left);
    picture
}

fn draw_bar(picture: &mut Picture, frame: &Frame, middle: f64, worth: f64, bar: &Bar) {
    let x = |seconds: f64| frame.x(seconds / worth);
    let corners =
        [(frame.left, -1.0), (x(bar.mean.value), -1.0), (x(bar.mean.value), 1.0), (frame.left, 1.0)];
    let corners = corners.map(|(x, half)| (x, middle + half * BAR / 2.0));
    picture.area(corners.to_vec(), colour(bar.run), Some(AXIS));
    if let (Some(low), Some(high)) = (bar.mean.low, bar.mean.high) {
        whisker(picture, middle, (x(low), x(high)));
    }
    // The smaller mark is in front, so that both are visible if they overlap.
    for (mark, radius, value) in [(Mark::Diamond, 2.4, bar.p99), (Mark::Circle, 1.5, bar.p95)] {
        picture.area(mark.corners((x(value), middle), radius), WHITE, Some(WHISKER));
    }
}

fn entries(bars: &[Bar]) -> Vec<Entry> {
    let entry = |sign, name: &str| Entry { sign, name: name.to_owned() };
    let has_interval = bars.iter().any(|bar| bar.mean.low.is_some());
    let mean = if has_interval { "mean, 95 % interval" } else { "bar: mean" };
    let sign = if has_interval { Sign::Interval } else { Sign::Bar };
    let percentiles = [entry(Sign::Mark(Mark::Circle), "p95"), entry(Sign::Mark(Mark::Diamond), "p99")];
    std::iter::once(entry(sign, mean)).chain(percentiles).collect()
}
