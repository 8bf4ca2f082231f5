//! The page: the template with the data put into it.
//!
//! Models: a template built from `web/`, committed and compiled in, so that making a report needs no Node; the data as
//! JSON in a script element that no browser executes.
//! Leaves out: drawing.
//!
//! Invariants: the data contains no `<`, `>` or `&`, so no text of a run can end the element or become markup; a page
//! that would be too large is refused, never cut.

use serde::Serialize;

use crate::error::ReportError;

/// The largest page.
pub const MOST_BYTES: usize = 15_000_000;

const TEMPLATE: &str = include_str!("../template/report.html");
/// Where the data goes: between this and what ends the element.
const OPENING: &str = r#"<script type="application/json" id="netloom-data">"#;
const CLOSING: &str = "</script>";

/// The page that shows this, which has so many of what could be fewer.
pub fn page(told: &impl Serialize, (count, what): (usize, &'static str)) -> Result<String, ReportError> {
    let data = harmless(&serde_json::to_string(told).expect("what a page is told is JSON"));
    let (before, rest) = TEMPLATE.split_once(OPENING).expect("the template has a place for the data");
    let (_, after) = rest.split_once(CLOSING).expect("the place for the data has an end");
    let page = [before, OPENING, &data, CLOSING, after].concat();
    if page.len() > MOST_BYTES {
        return Err(ReportError::TooLarge { bytes: page.len(), most: MOST_BYTES, count, what });
    }
    Ok(page)
}

/// The same JSON without any character that means something in HTML; these occur in JSON inside of texts only.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_element() {
        let hostile = "</script><img src=x onerror=alert(1)>&amp;\u{2028}<!--";
        let json = serde_json::to_string(hostile).expect("a text is JSON");
        let safe = harmless(&json);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).expect("it still is JSON"), hostile);
    }

    #[test]
    fn the_template_has_one_place_for_the_data() {
        assert_eq!(TEMPLATE.matches(OPENING).count(), 1);
        assert_eq!(TEMPLATE.matches("netloom-data\">").count(), 1);
    }
}
