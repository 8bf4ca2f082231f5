//! A picture as SVG.
//!
//! Models: text as text, in fonts that have the widths of the embedded one; one unit is one point.
//!
//! Invariants: no text of a run is interpreted as markup; the file refers to no other file.

use super::picture::{Align, Colour, Pen, Picture, Point, Shape, Turn};
use super::{font, number};

/// Fonts with the widths of the embedded one, the most common first.
const FONTS: &str = "Arial, Helvetica, Liberation Sans, Arimo, sans-serif";

/// The contents of the file.
pub fn svg(picture: &Picture) -> String {
    let (width, height) = (number(picture.width), number(picture.height));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}pt\" height=\"{height}pt\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" font-kerning=\"none\" stroke-linejoin=\"round\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    picture.shapes.iter().for_each(|shape| text.push_str(&element(shape)));
    text.push_str("</svg>\n");
    text
}

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Line { points, pen } => {
            format!("<polyline points=\"{}\" fill=\"none\"{}/>\n", positions(points), stroke(*pen))
        }
        Shape::Area { corners, fill, edge } => {
            let edge = edge.map(stroke).unwrap_or_default();
            format!("<polygon points=\"{}\" fill=\"{}\"{edge}/>\n", positions(corners), hex(*fill))
        }
        Shape::Words { text, at, align, turn, size } => words(text, *at, *align, *turn, *size),
    }
}

fn words(text: &str, at: Point, align: Align, turn: Turn, size: f64) -> String {
    let anchor = match align {
        Align::Start => "",
        Align::Middle => " text-anchor=\"middle\"",
        Align::End => " text-anchor=\"end\"",
    };
    let (x, y) = (number(at.0), number(at.1));
    let turned = match turn {
        Turn::Across => String::new(),
        Turn::Aslant => format!(" transform=\"rotate(-45 {x} {y})\""),
        Turn::Upright => format!(" transform=\"rotate(-90 {x} {y})\""),
    };
    // `textLength` gives the text its measured width in every font.
    let length = number(font::width(text, size));
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" textLength=\"{length}\"{anchor}{turned}>{}</text>\n",
        number(size),
        escaped(text)
    )
}

fn positions(points: &[Point]) -> String {
    let positions: Vec<String> =
        points.iter().map(|point| format!("{},{}", number(point.0), number(point.1))).collect();
    positions.join(" ")
}

fn stroke(pen: Pen) -> String {
    let dashes: Vec<String> = pen.dash.iter().map(|length| number(*length)).collect();
    let dash =
        if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", dashes.join(" ")) };
    format!(" stroke=\"{}\" stroke-width=\"{}\"{dash}", hex(pen.colour), number(pen.width))
}

fn hex(Colour([red, green, blue]): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text without markup, and without characters that XML does not allow.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other if other.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_becomes_markup() {
        assert_eq!(escaped("a<b>&\"'\u{1b}"), "a&lt;b&gt;&amp;\"'\u{fffd}");
    }
}
