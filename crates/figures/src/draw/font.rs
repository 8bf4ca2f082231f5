//! The embedded font: widths of texts, their glyphs, and outlines of glyphs.
//!
//! Models: one glyph for each character, one after the other; a box for characters that the font lacks.
//! Leaves out: kerning, ligatures, and scripts that need more.
//!
//! Source: `font/README.md` says which font it is.

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The font file.
pub const FILE: &[u8] = include_bytes!("../../font/figures.ttf");
/// The glyph for characters that the font lacks.
const LACKING: char = '\u{25a1}';

static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(FILE, 0).expect("the embedded font is valid"));

/// A glyph of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyph {
    /// Its number in the font.
    pub id: u16,
    /// Its character.
    pub character: char,
    /// Its width, in units of the font.
    pub advance: u16,
}

/// The font.
pub fn face() -> &'static Face<'static> {
    &FACE
}

/// Units of the font per size.
pub fn units() -> f64 {
    f64::from(FACE.units_per_em())
}

/// The glyphs of a text.
pub fn glyphs(text: &str) -> impl Iterator<Item = Glyph> + '_ {
    text.chars().map(|character| {
        let id = FACE.glyph_index(character).or_else(|| FACE.glyph_index(LACKING)).unwrap_or(GlyphId(0));
        Glyph { id: id.0, character, advance: FACE.glyph_hor_advance(id).unwrap_or(0) }
    })
}

/// The width of a text, in points.
pub fn width(text: &str, size: f64) -> f64 {
    glyphs(text).map(|glyph| f64::from(glyph.advance)).sum::<f64>() * size / units()
}

/// Whether the font has every character of a text.
pub fn has_all(text: &str) -> bool {
    text.chars().all(|character| FACE.glyph_index(character).is_some())
}

/// The text itself if it fits the width; else its beginning and its end, with an ellipsis between them.
pub fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let all: Vec<char> = text.chars().collect();
    let kept = |n: usize| -> String {
        let (head, tail) = (n.div_ceil(2), n / 2);
        all[..head].iter().chain(['…'].iter()).chain(&all[all.len() - tail..]).collect()
    };
    let fits = (0..all.len()).rev().map(kept).find(|text| width(text, size) <= most);
    fits.unwrap_or_else(|| "…".to_owned())
}

/// Draws the outline of a glyph.
pub fn outline(id: u16, builder: &mut dyn OutlineBuilder) {
    FACE.outline_glyph(GlyphId(id), builder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_as_wide_as_those_of_the_fonts_it_stands_for() {
        // Widths of Helvetica, in thousandths: a digit 556, `i` 222, `W` 944, a space 278.
        for (text, thousandths) in [("0", 556.0), ("i", 222.0), ("W", 944.0), (" ", 278.0), ("Wi", 1166.0)] {
            assert!((width(text, 1000.0) - thousandths).abs() < 1.0, "{text} {}", width(text, 1000.0));
        }
        assert!(has_all("µs − × ° · → ↑ … ≥ ′"));
        assert!(!has_all("漢") && width("漢", 10.0) > 4.0);
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        assert_eq!(shortened("short", 7.0, 100.0), "short");
        let short = shortened("balance=adaptive/transport=go_back_n/seed-1", 7.0, 60.0);
        assert!(short.starts_with("bala") && short.ends_with("ed-1") && short.contains('…'), "{short}");
        assert!(width(&short, 7.0) <= 60.0);
        assert_eq!(shortened("wide", 7.0, 1.0), "…");
    }
}
