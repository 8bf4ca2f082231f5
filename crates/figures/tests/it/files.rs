//! Files: formats, sizes, reproducible bytes, and errors.

use std::fs;

use netloom_figures::{FigureError, Figures, Format, figures, write};
use netloom_records::Overwrite;
use netloom_records::statistics::Over;

use crate::data::{drawn, with_samples};
use crate::sample::{Workspace, names, summary};

fn workspace() -> Workspace {
    let mut workspace = Workspace::new();
    workspace.run("spray", &with_samples(), names("training"), summary("spray"));
    workspace
}

fn files(figures: &Figures, format: Format) -> Vec<Vec<u8>> {
    figures.figures.iter().map(|figure| figure.file(format).unwrap()).collect()
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let workspace = workspace();
    let (one, other) = (drawn(&workspace).unwrap(), drawn(&workspace).unwrap());
    for format in [Format::Pdf, Format::Svg, Format::Png(150)] {
        let (one, other) = (files(&one, format), files(&other, format));
        assert!(one.len() == 7 && one == other, "{format:?}");
    }
}

#[test]
fn a_pdf_has_the_requested_width_and_no_date() {
    let workspace = workspace();
    for width in [60.0, 84.6, 176.0] {
        for file in files(&figures(workspace.runs(), width, Over::Jobs).unwrap(), Format::Pdf) {
            let text = String::from_utf8_lossy(&file).into_owned();
            assert!(text.starts_with("%PDF-") && text.trim_end().ends_with("%%EOF"));
            let (_, sizes) = text.split_once("/MediaBox [0 0 ").expect("the page has a size");
            let found: f64 = sizes.split(' ').next().unwrap().parse().unwrap();
            assert!((found - width * 72.0 / 25.4).abs() < 0.01, "{found} {width}");
            assert!(text.contains("/Producer (netloom)") && text.contains("/ToUnicode"));
            assert!(!text.contains("Date") && !text.contains("/ID"), "they would differ between calls");
        }
    }
}

#[test]
fn the_dots_of_a_png_follow_from_width_and_resolution() {
    let workspace = workspace();
    let drawn = drawn(&workspace).unwrap();
    for (dots_per_inch, width) in [(300, 999_u32), (72, 240), (600, 1998)] {
        for file in files(&drawn, Format::Png(dots_per_inch)) {
            assert_eq!(file[..8], *b"\x89PNG\r\n\x1a\n");
            let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
            assert!(number(16) == width && number(20) > width / 5, "{} {}", number(16), number(20));
            // The file has the dots per metre, so that it is printed in its size.
            let workspace = file.windows(4).position(|word| word == b"pHYs").expect("it has a size");
            assert_eq!(number(workspace + 4), (f64::from(dots_per_inch) / 0.0254).round() as u32);
        }
    }
    let fine = drawn.figures[0].file(Format::Png(1_000_000));
    assert!(matches!(fine, Err(FigureError::TooLarge { .. })));
}

#[test]
fn dots_per_inch_are_only_for_png() {
    assert_eq!(Format::of("png", None).unwrap(), Format::Png(300));
    assert_eq!(Format::of("png", Some(600)).unwrap(), Format::Png(600));
    assert_eq!(Format::of("svg", None).unwrap(), Format::Svg);
    assert!(matches!(Format::of("pdf", Some(600)), Err(FigureError::NoDots("pdf"))));
}

#[test]
fn either_all_files_are_written_or_none() {
    let workspace = workspace();
    let folder = workspace.path("paper/figures");
    let put = |format, overwrite| write(drawn(&workspace).unwrap(), &folder, format, overwrite);
    let made = put(Format::Pdf, Overwrite::Refuse).unwrap();
    assert_eq!((made.figures.len(), made.left_out.len()), (7, 0));
    assert!(made.figures.iter().all(|figure| figure.picture.is_file() && figure.data.is_file()));
    // Files with the same content are no conflict; another format has the same data.
    put(Format::Svg, Overwrite::Refuse).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 21);
    // Other files stay, and nothing is written beside them.
    fs::write(folder.join("links.csv"), "mine").unwrap();
    fs::remove_file(folder.join("slowdown.pdf")).unwrap();
    let refused = put(Format::Pdf, Overwrite::Refuse).unwrap_err();
    assert!(matches!(&refused, FigureError::Exists(files) if files.len() == 1), "{refused}");
    assert!(!folder.join("slowdown.pdf").exists());
    put(Format::Pdf, Overwrite::Replace).unwrap();
    assert_ne!(fs::read_to_string(folder.join("links.csv")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 21, "no draft is left");
}

#[test]
fn paths_that_cannot_be_written_are_reported() {
    let workspace = workspace();
    let put = |folder: &str, overwrite| {
        write(drawn(&workspace).unwrap(), &workspace.path(folder), Format::Pdf, overwrite).unwrap_err()
    };
    fs::write(workspace.path("taken"), "").unwrap();
    assert!(matches!(put("taken", Overwrite::Replace), FigureError::NotAFolder(_)));
    fs::create_dir_all(workspace.path("other/links.pdf")).unwrap();
    assert!(matches!(put("other", Overwrite::Replace), FigureError::NotAFile(_)));
}

#[test]
fn files_named_like_drafts_are_kept() {
    let workspace = workspace();
    fs::create_dir_all(workspace.path("third/throughput.pdf.draft")).unwrap();
    fs::write(workspace.path("third/links.pdf.draft"), "mine").unwrap();
    write(drawn(&workspace).unwrap(), &workspace.path("third"), Format::Pdf, Overwrite::Refuse).unwrap();
    assert_eq!(fs::read_to_string(workspace.path("third/links.pdf.draft")).unwrap(), "mine");
    assert_eq!(fs::read_dir(workspace.path("third")).unwrap().count(), 2 + 14, "no other draft is left");
}
