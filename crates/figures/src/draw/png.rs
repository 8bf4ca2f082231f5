//! A picture as PNG, with the size of its paper in it.
//!
//! Models: white paper; glyphs as outlines; the number of dots follows from the size of the paper and the dots per
//! inch.

use png::{BitDepth, ColorType, Compression, Encoder, PixelDimensions, Unit};
use tiny_skia::{FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};
use ttf_parser::OutlineBuilder;

use super::font;
use super::picture::{Align, BLACK, Colour, Pen, Picture, Point, Shape, Turn};

/// Points per inch.
const POINTS: f64 = 72.0;
/// Largest number of dots of a picture, which takes 256 MB while it is drawn.
pub const MOST_DOTS: u64 = 1 << 26;
/// Inches per metre.
const INCHES: f64 = 1.0 / 0.0254;

/// The contents of the file; `None` if it would have no dots or too many.
pub fn png(picture: &Picture, dots_per_inch: u32) -> Option<Vec<u8>> {
    let scale = f64::from(dots_per_inch) / POINTS;
    let [width, height] = [picture.width, picture.height].map(|points| (points * scale).round() as u32);
    if u64::from(width) * u64::from(height) > MOST_DOTS {
        return None;
    }
    let mut paper = Pixmap::new(width, height)?;
    paper.fill(tiny_skia::Color::WHITE);
    let transform = Transform::from_scale(scale as f32, scale as f32);
    picture.shapes.iter().for_each(|shape| draw(&mut paper, shape, transform));
    Some(encoded(&paper, dots_per_inch))
}

fn draw(paper: &mut Pixmap, shape: &Shape, transform: Transform) {
    match shape {
        Shape::Line { points, pen } => {
            if let Some(path) = path(points, false) {
                paper.stroke_path(&path, &paint(pen.colour), &stroke(*pen), transform, None);
            }
        }
        Shape::Area { corners, fill, edge } => {
            if let Some(path) = path(corners, true) {
                paper.fill_path(&path, &paint(*fill), FillRule::Winding, transform, None);
                if let Some(pen) = edge {
                    paper.stroke_path(&path, &paint(pen.colour), &stroke(*pen), transform, None);
                }
            }
        }
        Shape::Words { text, at, align, turn, size } => {
            if let Some(path) = letters(text, *at, *align, *turn, *size) {
                paper.fill_path(&path, &paint(BLACK), FillRule::Winding, transform, None);
            }
        }
    }
}

fn paint(Colour([red, green, blue]): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}

fn stroke(pen: Pen) -> Stroke {
    let dash = pen.dash.iter().map(|length| *length as f32).collect();
    Stroke {
        width: pen.width as f32,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(dash, 0.0),
        ..Stroke::default()
    }
}

fn path(points: &[Point], is_closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (nth, &(x, y)) in points.iter().enumerate() {
        if nth == 0 { builder.move_to(x as f32, y as f32) } else { builder.line_to(x as f32, y as f32) }
    }
    if is_closed {
        builder.close();
    }
    builder.finish()
}

/// The outlines of a text at its position; `None` for a text without outlines, such as a space.
fn letters(text: &str, at: Point, align: Align, turn: Turn, size: f64) -> Option<Path> {
    let share = match align {
        Align::Start => 0.0,
        Align::Middle => 0.5,
        Align::End => 1.0,
    };
    let scale = size / font::units();
    let mut along = -font::width(text, size) * share;
    let mut path = PathBuilder::new();
    for glyph in font::glyphs(text) {
        font::outline(
            glyph.id,
            &mut GlyphPath { path: &mut path, at, direction: turn.direction(), along, scale },
        );
        along += f64::from(glyph.advance) * scale;
    }
    path.finish()
}

/// Builds the outline of a glyph at its position.
struct GlyphPath<'a> {
    path: &'a mut PathBuilder,
    at: Point,
    direction: (f64, f64),
    along: f64,
    scale: f64,
}

impl GlyphPath<'_> {
    fn position(&self, x: f32, y: f32) -> (f32, f32) {
        let (x, y) = (self.along + f64::from(x) * self.scale, f64::from(y) * self.scale);
        let (cosine, sine) = self.direction;
        ((self.at.0 + x * cosine - y * sine) as f32, (self.at.1 - x * sine - y * cosine) as f32)
    }
}

impl OutlineBuilder for GlyphPath<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.position(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.position(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.position(x1, y1), self.position(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) =
            (self.position(x1, y1), self.position(x2, y2), self.position(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

fn encoded(paper: &Pixmap, dots_per_inch: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, paper.width(), paper.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    let per_metre = (f64::from(dots_per_inch) * INCHES).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: per_metre, yppu: per_metre, unit: Unit::Meter }));
    // The paper is opaque, so premultiplied colours equal plain ones.
    let dots: Vec<u8> = paper.pixels().iter().flat_map(|dot| [dot.red(), dot.green(), dot.blue()]).collect();
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&dots)?;
        writer.finish()
    });
    written.expect("writing to memory does not fail");
    file
}
