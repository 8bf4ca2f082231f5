//! The page: the template with the data put into it.
//!
//! Models: a template built from `web/`, committed and compiled in, so that making a report needs no Node; the data as
//! JSON in a script element that no browser executes.
//! Leaves out: drawing.
//!
//! A page is a file that fetches nothing; the one of a run that goes on may ask the server it came from, and nobody else.
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
/// What the template says a page may fetch.
const FETCHES_NOTHING: &str = "content=\"default-src 'none'; ";
/// The same of a page that may ask where it came from.
const ASKS_AGAIN: &str = "content=\"default-src 'none'; connect-src 'self'; ";

/// The page that shows this, which has so many of what could be fewer.
pub fn page(reported: &impl Serialize, (count, what): (usize, &'static str)) -> Result<String, ReportError> {
    let data = harmless(&serde_json::to_string(reported).expect("what a page is told is JSON"));
    let (before, rest) = TEMPLATE.split_once(OPENING).expect("the template has a place for the data");
    let (_, after) = rest.split_once(CLOSING).expect("the place for the data has an end");
    let page = [before, OPENING, &data, CLOSING, after].concat();
    if page.len() > MOST_BYTES {
        return Err(ReportError::TooLarge { bytes: page.len(), most: MOST_BYTES, count, what });
    }
    Ok(page)
}

/// The same page, which may ask the server that it came from, and nobody else.
pub fn served_page(reported: &impl Serialize, counted: (usize, &'static str)) -> Result<String, ReportError> {
    // What is told comes later in the page, and has no quotation marks of its own.
    Ok(page(reported, counted)?.replacen(FETCHES_NOTHING, ASKS_AGAIN, 1))
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
        assert_eq!(TEMPLATE.matches(FETCHES_NOTHING).count(), 1);
    }

    #[test]
    fn a_served_page_may_ask_its_server_and_others_nobody() {
        let reported = "content=\"default-src 'none'; ";
        let [file, served] = [page(&reported, (1, "texts")), served_page(&reported, (1, "texts"))];
        let [file, served] = [file.expect("it is small"), served.expect("it is small")];
        assert!(!file.contains("connect-src"));
        assert_eq!(served.matches("connect-src").count(), 1);
        assert_eq!(served.replace("connect-src 'self'; ", ""), file);
    }
}
