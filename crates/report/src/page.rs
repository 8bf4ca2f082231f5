//! The page: the template with the data inserted.
//!
//! Models: a template built from `web/`, committed and compiled in, so that writing a report needs no Node; its script and
//! the data, which is JSON, compressed in script elements that browsers do not execute.
//! Leaves out: drawing.
//!
//! A page is a file that fetches nothing; the page of a run in progress may send requests only to its own server.
//!
//! Invariants: the compressed data is in base 64, so no text of a run can end the element or become markup; a page that
//! would be too large for a browser is rejected, never cut.

use std::sync::LazyLock;

use flate2::Compression;
use netloom_units::steers;
use serde::Serialize;

use crate::drawing::pack::{pack_text, unpack_text};
use crate::error::ReportError;

/// The largest page, its data unpacked.
pub const MOST_BYTES: usize = 15_000_000;

const TEMPLATE: &str = include_str!("../template/report.html");
/// The template with its script compressed.
static COMPRESSED: LazyLock<String> = LazyLock::new(|| compressed(TEMPLATE));
/// Start of the element with the script of the template.
const SCRIPT: &str = r#"<script type="module">"#;
/// Unpacks and runs the compressed script.
const LOADER: &str = include_str!("../template/loader.js");
/// Start of the element with the data, in the template and in a page.
const OPENING: &str = r#"<script type="application/json" id="netloom-data">"#;
const PACKED: &str = r#"<script type="text/plain" id="netloom-data">"#;
const CLOSING: &str = "</script>";
/// The policy of the template on what a page may fetch.
const FETCHES_NOTHING: &str = "content=\"default-src 'none'; ";
/// The policy of a page that may send requests to its server.
const ASKS_AGAIN: &str = "content=\"default-src 'none'; connect-src 'self'; ";

/// The page with this data; `count` and `what` are for the error if it is too large.
pub fn page(reported: &impl Serialize, (count, what): (usize, &'static str)) -> Result<String, ReportError> {
    let data = data_text(reported);
    let bytes = COMPRESSED.len() + data.len();
    if bytes > MOST_BYTES {
        return Err(ReportError::TooLarge { bytes, most: MOST_BYTES, count, what });
    }
    let (before, rest) = COMPRESSED.split_once(OPENING).expect("the template has a place for the data");
    let (_, after) = rest.split_once(CLOSING).expect("the place for the data has an end");
    Ok([before, PACKED, &pack_text(&data, Compression::default()), CLOSING, after].concat())
}

/// The data of a page as JSON. Characters in its texts that change colours, lines or the direction of writing, such as in
/// the names of folders, are replaced by escapes that are shown as such; line ends and tabs remain.
fn data_text(reported: &impl Serialize) -> String {
    let json = serde_json::to_string(reported).expect("the data of a page is JSON");
    let is_escaped = |escape: &str| json.contains(escape);
    if !json.contains(steers) && !["\\u", "\\b", "\\f", "\\r"].into_iter().any(is_escaped) {
        return json;
    }
    let mut text = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find(|c| c == '\\' || steers(c)) {
        let (before, found) = rest.split_at(at);
        text.push_str(before);
        let (character, length) = character_at(found);
        match character {
            Some(character) => text.push_str(&format!("\\\\u{{{:x}}}", u32::from(character))),
            None => text.push_str(&found[..length]),
        }
        rest = &found[length..];
    }
    text + rest
}

/// The character to be replaced at the beginning of a piece of JSON, if it is one, and the length of its bytes there.
fn character_at(json: &str) -> (Option<char>, usize) {
    let mut characters = json.chars();
    let first = characters.next().unwrap_or_default();
    if first != '\\' {
        return (Some(first), first.len_utf8());
    }
    match characters.next() {
        Some('b') => (Some('\u{8}'), 2),
        Some('f') => (Some('\u{c}'), 2),
        Some('r') => (Some('\r'), 2),
        // Only control characters are written by their numbers.
        Some('u') => {
            (json.get(2..6).and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32), 6)
        }
        _ => (None, 2),
    }
}

/// The data of a page, as JSON; `None` if this is no page with data.
pub fn page_data(page: &str) -> Option<String> {
    let (_, rest) = page.split_once(PACKED)?;
    unpack_text(rest.split_once(CLOSING)?.0)
}

/// The template with its script as packed text, and a script that unpacks it.
fn compressed(template: &str) -> String {
    let (before, rest) = template.split_once(SCRIPT).expect("the template has a script");
    let (script, after) = rest.split_once(CLOSING).expect("the script has an end");
    let packed = pack_text(script, Compression::best());
    let element = format!(r#"<script type="text/plain" id="netloom-script">{packed}"#);
    [before, &element, CLOSING, SCRIPT, LOADER, CLOSING, after].concat()
}

/// The same page, which may send requests only to the server that it came from.
pub fn served_page(reported: &impl Serialize, counted: (usize, &'static str)) -> Result<String, ReportError> {
    // The data comes later in the page, and contains no such policy.
    Ok(page(reported, counted)?.replacen(FETCHES_NOTHING, ASKS_AGAIN, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_run_ends_the_element_of_the_data() {
        let hostile = "</script><img src=x onerror=alert(1)>&amp;\u{2028}<!--";
        let page = page(&hostile, (1, "texts")).expect("it is small");
        assert_eq!(page.matches(CLOSING).count(), COMPRESSED.matches(CLOSING).count());
        assert!(!page.contains("onerror"));
        let data = page_data(&page).expect("it has data");
        assert_eq!(
            serde_json::from_str::<String>(&data).expect("it is JSON"),
            hostile.replace('\u{2028}', "\\u{2028}")
        );
        assert_eq!(page_data(TEMPLATE), None);
    }

    #[test]
    fn characters_that_are_not_shown_as_they_are_are_escaped() {
        let hostile = "a\u{1b}[31m\u{202e}b\r\u{8}\\u001b\n\tc\u{7f}\u{2028}\u{e9}";
        let page = page(&[hostile], (1, "texts")).expect("it is small");
        let [shown]: [String; 1] =
            serde_json::from_str(&page_data(&page).expect("it has data")).expect("it is JSON");
        assert_eq!(shown, "a\\u{1b}[31m\\u{202e}b\\u{d}\\u{8}\\u001b\n\tc\\u{7f}\\u{2028}\u{e9}");
    }

    #[test]
    fn the_template_has_one_marker_for_the_data() {
        assert_eq!(TEMPLATE.matches(OPENING).count(), 1);
        assert_eq!(TEMPLATE.matches("netloom-data\">").count(), 1);
        assert_eq!(TEMPLATE.matches(FETCHES_NOTHING).count(), 1);
    }

    #[test]
    fn the_page_of_no_data_has_its_script_compressed() {
        let page = page(&"nothing", (1, "texts")).expect("it is small");
        assert!(page.len() < TEMPLATE.len() / 2, "{} of {} bytes", page.len(), TEMPLATE.len());
        assert_eq!(page.matches(SCRIPT).count(), 1);
        assert!(page.contains(LOADER) && !LOADER.contains("</"));
    }

    #[test]
    fn a_served_page_may_send_requests_to_its_server_and_other_pages_to_none() {
        let reported = "content=\"default-src 'none'; ";
        let [file, served] = [page(&reported, (1, "texts")), served_page(&reported, (1, "texts"))];
        let [file, served] = [file.expect("it is small"), served.expect("it is small")];
        assert!(!file.contains("connect-src"));
        assert_eq!(served.matches("connect-src").count(), 1);
        assert_eq!(served.replace("connect-src 'self'; ", ""), file);
    }
}
