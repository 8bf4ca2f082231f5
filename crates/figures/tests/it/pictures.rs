//! Pictures: all texts are on the paper and large enough, axes have names, no name becomes markup.

use netloom_figures::{Figures, Format, figures};
use netloom_records::statistics::Over;

use crate::data::{drawn, with_samples};
use crate::sample::{Workspace, names, rows, summary};

/// Texts of an SVG, with the attributes of their position.
fn texts(svg: &str) -> Vec<(String, String)> {
    let elements = svg.split("<text ").skip(1);
    let split = |element: &str| {
        let (attributes, rest) = element.split_once('>').expect("it is closed");
        (attributes.to_owned(), rest.split_once("</text>").expect("it has an end").0.to_owned())
    };
    elements.map(split).collect()
}

fn attribute(attributes: &str, name: &str) -> Option<f64> {
    let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
    rest.split_once('"')?.0.trim_end_matches("pt").parse().ok()
}

/// Left, right, top and bottom of a text.
fn bounds(attributes: &str) -> [f64; 4] {
    let number = |name| attribute(attributes, name).expect("it has one");
    let (x, y, length, size) = (number("x"), number("y"), number("textLength"), number("font-size"));
    let share =
        if attributes.contains("\"middle\"") { 0.5 } else { f64::from(attributes.contains("\"end\"")) };
    let (from, to) = (-length * share, length * (1.0 - share));
    let (above, below) = (size * 0.75, size * 0.22);
    if attributes.contains("rotate(-90") {
        return [x - above, x + below, y - to, y - from];
    }
    if attributes.contains("rotate(-45") {
        let turned = |along: f64| along * std::f64::consts::FRAC_1_SQRT_2;
        return [
            x + turned(from - below),
            x + turned(to + below),
            y - turned(to + above),
            y + turned(below - from),
        ];
    }
    [x + from, x + to, y - above, y + below]
}

/// Checks that elements are nested, attributes are quoted, and tags contain nothing else.
fn check_markup(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("every tag ends");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(tag.matches('"').count() % 2 == 0, "{tag}");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && svg.matches("<svg").count() == 1);
    let entities = svg.split('&').skip(1);
    entities.for_each(|rest| assert!(["lt;", "gt;", "amp;"].iter().any(|entity| rest.starts_with(entity))));
}

fn check(found: &Figures) {
    for figure in &found.figures {
        let svg = String::from_utf8(figure.file(Format::Svg).unwrap()).unwrap();
        check_markup(&svg);
        let (width, height) = (attribute(&svg, "width").unwrap(), attribute(&svg, "height").unwrap());
        for (attributes, text) in texts(&svg) {
            let [left, right, top, bottom] = bounds(&attributes);
            let is_on_paper = left > -0.2 && right < width + 0.2 && top > -0.2 && bottom < height + 0.2;
            assert!(is_on_paper, "{}: `{text}` {attributes} on {width} x {height}", figure.name);
            assert!(attribute(&attributes, "font-size").unwrap() >= 7.0, "{text}");
        }
    }
}

fn words(found: &Figures, name: &str) -> Vec<String> {
    let figure = found.figures.iter().find(|figure| figure.name == name).expect("it is drawn");
    let svg = String::from_utf8(figure.file(Format::Svg).unwrap()).unwrap();
    texts(&svg).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn axes_have_names_and_units() {
    let mut workspace = Workspace::new();
    workspace.run("spray", &with_samples(), names("training"), summary("spray"));
    let found = drawn(&workspace).unwrap();
    check(&found);
    for (figure, axes) in [
        (
            "slowdown",
            ["mean slowdown (×)", "p99 slowdown (×)", "message size, largest of its bucket"].as_slice(),
        ),
        ("step_time", &["step time (s)", "mean, 95 % interval", "p95", "p99"]),
        ("step_time_cdf", &["step time (s)", "share of steps (%)"]),
        (
            "fct_cdf",
            &["FCT of background messages (s)", "FCT of messages of jobs (s)", "share of messages (%)"],
        ),
        (
            "links",
            &["leaf", "spine", "leaf → spine", "spine → leaf", "utilization, busiest of parallel links (%)"],
        ),
        (
            "throughput",
            &["throughput to all hosts (Gbit/s)", "simulated time (s)", "event (fault or repair)"],
        ),
        ("queues_over_time", &["largest backlog of a switch (KiB)", "simulated time (s)"]),
    ] {
        let found = words(&found, figure);
        for axis in axes {
            assert!(found.iter().any(|text| text == axis), "{figure}: {axis} {found:?}");
        }
    }
}

#[test]
fn many_runs_with_long_names_stay_on_the_paper() {
    let mut workspace = Workspace::new();
    for number in 0..8 {
        let name = format!(
            "balance=adaptive_with_a_long_name_{number}/transport=go_back_n_with_all_its_settings,window=16MiB/seed-1"
        );
        workspace.run(&name, &with_samples(), names("a job whose name is long as well"), summary("spray"));
    }
    for width in [50.0, 84.6, 176.0] {
        let found = figures(workspace.runs(), width, Over::Jobs).unwrap();
        check(&found);
        assert!(found.boxed.is_empty());
        let reported = words(&found, "throughput");
        let named =
            |number: usize| reported.iter().filter(|text| text.contains(&format!("name_{number}"))).count();
        assert!((0..8).all(|number| named(number) == 1), "{reported:?}");
    }
}

#[test]
fn more_lines_than_can_be_distinguished_are_refused() {
    let mut workspace = Workspace::new();
    (0..73).for_each(|nth| {
        workspace.run(&format!("run {nth}"), &rows(), names("training"), summary("spray"));
    });
    let error = drawn(&workspace).unwrap_err().to_string();
    for reported in ["`fct_cdf`: 73 lines", "`step_time`: 73 bars", "`links`: maps of 73 runs"] {
        assert!(error.contains(reported), "{error}");
    }
}

#[test]
fn no_name_becomes_markup() {
    let mut workspace = Workspace::new();
    let hostile = "<script>alert(\"1\")</script>&\u{1b}[31m 漢";
    workspace.run(hostile, &with_samples(), names("</text>"), summary("spray"));
    workspace.run("plain", &with_samples(), names("]]>"), summary("spray"));
    let found = drawn(&workspace).unwrap();
    check(&found);
    assert_eq!(found.boxed, [hostile]);
    let csv = found.figures[0].csv();
    assert!(csv.contains("\"<script>alert(\"\"1\"\")</script>&\u{1b}[31m 漢\","), "{csv}");
    found.figures.iter().for_each(|figure| assert!(figure.file(Format::Pdf).is_ok()));
}
