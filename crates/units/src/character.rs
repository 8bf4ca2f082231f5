//! Characters that change how others are shown.

/// Whether a character moves the cursor, changes colours, or changes the writing direction.
pub fn steers(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Two of them end a line but are not control characters.
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}
