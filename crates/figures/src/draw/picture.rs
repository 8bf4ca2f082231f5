//! What a picture is made of.
//!
//! Models: lines, filled areas and words; places in points from the upper left corner, downwards.
//! Leaves out: how they are written.

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

/// Axes, words, whiskers.
pub const BLACK: Colour = Colour([0, 0, 0]);
/// Paper.
pub const WHITE: Colour = Colour([255, 255, 255]);

/// A place, in points from the upper left corner.
pub type Point = (f64, f64);
/// Lengths of dashes and gaps in turn, in points; none of a line without gaps.
pub type Dash = &'static [f64];

/// How a line is drawn.
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

/// Which part of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// Which way a text runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// From left to right.
    Across,
    /// From the lower left to the upper right.
    Aslant,
    /// From below upwards.
    Upright,
}

impl Turn {
    /// Cosine and sine of the angle, against the clock.
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
        /// At least two.
        points: Vec<Point>,
        /// How it is drawn.
        pen: Pen,
    },
    /// A filled area with these corners.
    Area {
        /// At least three.
        corners: Vec<Point>,
        /// What it is filled with.
        fill: Colour,
        /// The line around it, if there is one.
        edge: Option<Pen>,
    },
    /// A text in one line.
    Words {
        /// The text.
        text: String,
        /// A place on its base line.
        at: Point,
        /// Which part of it stands there.
        align: Align,
        /// Which way it runs.
        turn: Turn,
        /// Size of the font, in points.
        size: f64,
    },
}

/// A picture being made.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// In points.
    pub width: f64,
    /// In points.
    pub height: f64,
    /// From the back to the front.
    pub shapes: Vec<Shape>,
}

impl Picture {
    /// An empty one, so wide; it grows as it is drawn.
    pub fn new(width: f64) -> Picture {
        Picture { width, height: 0.0, shapes: Vec::new() }
    }

    /// A line through some points; nothing of fewer than two.
    pub fn line(&mut self, points: Vec<Point>, pen: Pen) {
        if points.len() > 1 {
            self.shapes.push(Shape::Line { points, pen });
        }
    }

    /// A filled area.
    pub fn area(&mut self, corners: Vec<Point>, fill: Colour, edge: Option<Pen>) {
        self.shapes.push(Shape::Area { corners, fill, edge });
    }

    /// A filled rectangle between two corners.
    pub fn rectangle(&mut self, (left, top): Point, (right, bottom): Point, fill: Colour) {
        self.area(vec![(left, top), (right, top), (right, bottom), (left, bottom)], fill, None);
    }

    /// A text across.
    pub fn words(&mut self, text: impl Into<String>, at: Point, align: Align, size: f64) {
        self.turned(text, at, align, Turn::Across, size);
    }

    /// A text that runs some way.
    pub fn turned(&mut self, text: impl Into<String>, at: Point, align: Align, turn: Turn, size: f64) {
        self.shapes.push(Shape::Words { text: text.into(), at, align, turn, size });
    }
}
