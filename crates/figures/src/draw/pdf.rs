//! A picture as PDF: one page of its size, text as text in the embedded font.
//!
//! Leaves out: dates, identifiers and everything else that would differ between calls.
//!
//! Source: ISO 32000-1, of which this needs sections 8.5 (paths), 9.4 (text), 9.7 (composite fonts).

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::font;
use super::picture::{Align, Colour, Pen, Picture, Point, Shape, Turn};

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const FONT: Ref = Ref::new(5);
const CID_FONT: Ref = Ref::new(6);
const DESCRIPTOR: Ref = Ref::new(7);
const FONT_FILE: Ref = Ref::new(8);
const CHARACTERS: Ref = Ref::new(9);
const INFORMATION: Ref = Ref::new(10);

const FONT_NAME: Name<'_> = Name(b"NetloomFigures");
const RESOURCE: Name<'_> = Name(b"F");
const IDENTITY: SystemInfo<'_> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The contents of the file; viewers show `title` in the frame of their window.
pub fn pdf(picture: &Picture, title: &str) -> Vec<u8> {
    let mut file = Pdf::new();
    file.catalog(CATALOG).pages(PAGES);
    file.pages(PAGES).kids([PAGE]).count(1);
    let mut page = file.page(PAGE);
    page.media_box(Rect::new(0.0, 0.0, picture.width as f32, picture.height as f32));
    page.parent(PAGES).contents(CONTENT);
    page.resources().fonts().pair(RESOURCE, FONT);
    page.finish();
    let content = deflated(&content(picture));
    file.stream(CONTENT, &content).filter(Filter::FlateDecode);
    embed_font(&mut file, picture);
    file.document_info(INFORMATION).title(TextStr(title)).producer(TextStr("netloom"));
    file.finish()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// Hundredths of a point, as in the other formats.
fn rounded(points: f64) -> f32 {
    ((points * 100.0).round() / 100.0) as f32
}

fn content(picture: &Picture) -> Vec<u8> {
    let mut content = Content::new();
    content.set_line_join(LineJoinStyle::RoundJoin);
    for shape in &picture.shapes {
        match shape {
            Shape::Line { points, pen } => {
                set_pen(&mut content, *pen);
                trace(&mut content, points, picture.height);
                content.stroke();
            }
            Shape::Area { corners, fill, edge } => {
                set_fill(&mut content, *fill);
                if let Some(pen) = edge {
                    set_pen(&mut content, *pen);
                }
                trace(&mut content, corners, picture.height);
                content.close_path();
                if edge.is_some() {
                    content.fill_nonzero_and_stroke()
                } else {
                    content.fill_nonzero()
                };
            }
            Shape::Words { text, at, align, turn, size } => {
                write(&mut content, text, (at.0, picture.height - at.1), *align, *turn, *size);
            }
        }
    }
    content.finish().into_vec()
}

fn channels(Colour(channels): Colour) -> [f32; 3] {
    channels.map(|channel| (f32::from(channel) / 255.0 * 1000.0).round() / 1000.0)
}

fn set_fill(content: &mut Content, colour: Colour) {
    let [red, green, blue] = channels(colour);
    content.set_fill_rgb(red, green, blue);
}

fn set_pen(content: &mut Content, pen: Pen) {
    let [red, green, blue] = channels(pen.colour);
    content.set_stroke_rgb(red, green, blue);
    content.set_line_width(rounded(pen.width));
    content.set_dash_pattern(pen.dash.iter().map(|length| rounded(*length)), 0.0);
}

/// Vertical positions count from below in PDF.
fn trace(content: &mut Content, points: &[Point], height: f64) {
    for (nth, &(x, y)) in points.iter().enumerate() {
        let (x, y) = (rounded(x), rounded(height - y));
        if nth == 0 {
            content.move_to(x, y)
        } else {
            content.line_to(x, y)
        };
    }
}

fn write(content: &mut Content, text: &str, at: Point, align: Align, turn: Turn, size: f64) {
    let share = match align {
        Align::Start => 0.0,
        Align::Middle => 0.5,
        Align::End => 1.0,
    };
    let back = font::width(text, size) * share;
    let (cosine, sine) = turn.direction();
    let (x, y) = (at.0 - back * cosine, at.1 - back * sine);
    let glyphs: Vec<u8> = font::glyphs(text).flat_map(|glyph| glyph.id.to_be_bytes()).collect();
    set_fill(content, super::BLACK);
    content.begin_text();
    content.set_font(RESOURCE, rounded(size));
    let (cosine, sine) = (cosine as f32, sine as f32);
    content.set_text_matrix([cosine, sine, -sine, cosine, rounded(x), rounded(y)]);
    content.show(Str(&glyphs));
    content.end_text();
}

/// The glyphs of a picture, with their characters.
fn used(picture: &Picture) -> BTreeMap<u16, font::Glyph> {
    let texts = picture.shapes.iter().filter_map(|shape| match shape {
        Shape::Words { text, .. } => Some(text),
        _ => None,
    });
    texts.flat_map(|text| font::glyphs(text)).map(|glyph| (glyph.id, glyph)).collect()
}

fn embed_font(file: &mut Pdf, picture: &Picture) {
    let used = used(picture);
    file.type0_font(FONT)
        .base_font(FONT_NAME)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(CID_FONT)
        .to_unicode(CHARACTERS);
    let mut cid_font = file.cid_font(CID_FONT);
    cid_font.subtype(CidFontType::Type2).base_font(FONT_NAME).system_info(IDENTITY);
    cid_font.font_descriptor(DESCRIPTOR).default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
    let mut widths = cid_font.widths();
    for glyph in used.values() {
        widths.consecutive(glyph.id, [thousandths(f64::from(glyph.advance))]);
    }
    widths.finish();
    cid_font.finish();
    describe_font(file);
    let program = deflated(font::FILE);
    let mut stream = file.stream(FONT_FILE, &program);
    stream.filter(Filter::FlateDecode);
    stream.pair(Name(b"Length1"), i32::try_from(font::FILE.len()).expect("the font is small"));
    stream.finish();
    let mut characters = UnicodeCmap::new(Name(b"NetloomFigures-UTF16"), IDENTITY);
    for glyph in used.values() {
        characters.pair(glyph.id, glyph.character);
    }
    let characters = characters.finish();
    file.cmap(CHARACTERS, &characters);
}

/// Units of the font, converted to those of PDF.
fn thousandths(units: f64) -> f32 {
    (units * 1000.0 / font::units()).round() as f32
}

fn describe_font(file: &mut Pdf) {
    let face = font::face();
    let bounds = face.global_bounding_box();
    let [left, below, right, above] =
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|edge| thousandths(f64::from(edge)));
    file.font_descriptor(DESCRIPTOR)
        .name(FONT_NAME)
        .flags(FontFlags::SYMBOLIC)
        .bbox(Rect::new(left, below, right, above))
        .italic_angle(0.0)
        .ascent(thousandths(f64::from(face.ascender())))
        .descent(thousandths(f64::from(face.descender())))
        .cap_height(thousandths(f64::from(face.capital_height().unwrap_or(face.ascender()))))
        .stem_v(80.0)
        .font_file2(FONT_FILE);
}
