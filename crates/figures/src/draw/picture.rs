//! Parts of a picture.
//!
//! Models: lines, filled areas and texts; positions in points from the upper left corner, downwards.
//! Leaves out: file formats.

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

/// Axes, words, whiskers.
pub const BLACK: Colour = Colour([0, 0, 0]);
/// Paper.
pub const WHITE: Colour = Colour([255, 255, 255]);

/// A position, in points from the upper left corner.
pub type Point = (f64, f64);
/// Lengths of dashes and gaps in turn, in points; empty for a line without gaps.
pub type Dash = &'static [f64];

/// The style of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pen {
    /// Its colour.
    pub colour: Colour,
    /// Its width in points.
    pub width: f64,
    /// Its dashes.
    pub dash: Dash,
}

impl Pen {
    /// A line without gaps.
    pub const fn solid(colour: Colour, width: f64) -> Pen {
        Pen { colour, width, dash: &[] }
    }
}

/// The part of a text that is at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// The direction of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// From left to right.
    Across,
    /// From the lower left to the upper right.
    Aslant,
    /// Upwards.
    Upright,
}

impl Turn {
    /// Cosine and sine of the angle, counter-clockwise.
    pub fn direction(self) -> (f64, f64) {
        match self {
            Turn::Across => (1.0, 0.0),
            Turn::Aslant => (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2),
            Turn::Upright => (0.0, 1.0),
        }
    }
}

/// A part of a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through these points.
    Line {
        /// The points, at least two.
        points: Vec<Point>,
        /// Its style.
        pen: Pen,
    },
    /// A filled area with these corners.
    Area {
        /// The corners, at least three.
        corners: Vec<Point>,
        /// The colour of the area.
        fill: Colour,
        /// The outline, if any.
        edge: Option<Pen>,
    },
    /// A text in one line.
    Words {
        /// The text.
        text: String,
        /// A position on its base line.
        at: Point,
        /// The part of it at that position.
        align: Align,
        /// Its direction.
        turn: Turn,
        /// Size of the font, in points.
        size: f64,
    },
}

/// A picture to which parts are added.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// In points.
    pub width: f64,
    /// In points.
    pub height: f64,
    /// Its parts, from the back to the front.
    pub shapes: Vec<Shape>,
}

impl Picture {
    /// An empty picture of the given width; its height grows with its parts.
    pub fn new(width: f64) -> Picture {
        Picture { width, height: 0.0, shapes: Vec::new() }
    }

    /// Adds a line through the points, if there are at least two.
    pub fn line(&mut self, points: Vec<Point>, pen: Pen) {
        if points.len() > 1 {
            self.shapes.push(Shape::Line { points, pen });
        }
    }

    /// Adds a filled area.
    pub fn area(&mut self, corners: Vec<Point>, fill: Colour, edge: Option<Pen>) {
        self.shapes.push(Shape::Area { corners, fill, edge });
    }

    /// Adds a filled rectangle between two corners.
    pub fn rectangle(&mut self, (left, top): Point, (right, bottom): Point, fill: Colour) {
        self.area(vec![(left, top), (right, top), (right, bottom), (left, bottom)], fill, None);
    }

    /// Adds a horizontal text.
    pub fn words(&mut self, text: impl Into<String>, at: Point, align: Align, size: f64) {
        self.turned(text, at, align, Turn::Across, size);
    }

    /// Adds a text in the given direction.
    pub fn turned(&mut self, text: impl Into<String>, at: Point, align: Align, turn: Turn, size: f64) {
        self.shapes.push(Shape::Words { text: text.into(), at, align, turn, size });
    }
}
