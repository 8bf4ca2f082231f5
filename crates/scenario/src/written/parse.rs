//! YAML text to a tree of nodes with locations.
//!
//! The tree is built from parser events without recursion. Every limit is checked before memory is taken: size of the
//! text, depth, and number of nodes after aliases are expanded.

use std::collections::BTreeMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{Entry, Node, Tree};
use crate::diagnostic::Problems;
use crate::location::Location;

/// Largest text, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Deepest nesting.
const MOST_DEPTH: usize = 48;
/// Most nodes, aliases expanded.
const MOST_NODES: usize = 2_000_000;
/// A text counts as an extra node per this number of bytes, or aliases of a long one would take all memory.
const BYTES_PER_NODE: usize = 64;

/// Why bytes are not the text of a scenario.
pub(crate) struct Unreadable {
    /// The first invalid byte.
    pub at: usize,
    pub message: String,
    pub label: &'static str,
    pub help: &'static str,
    /// Whether the bytes before it are worth showing.
    pub is_text: bool,
}

/// The first zero byte among the leading bytes that decide whether a file is text.
pub(crate) fn zero_byte(bytes: &[u8]) -> Option<usize> {
    bytes.iter().take(4096).position(|byte| *byte == 0)
}

/// The bytes of a file as text.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Unreadable> {
    if let Some(at) = zero_byte(bytes) {
        let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let what = if utf16 { "UTF-16" } else { "binary" };
        let message = format!("this is a {what} file, not a scenario (byte {at} is zero)");
        return Err(Unreadable { at, message, label: "not text", help: IN_UTF8, is_text: false });
    }
    if bytes.len() > MOST_BYTES {
        return Err(too_long());
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let message = format!("the text is not UTF-8 from byte {at} on");
        Unreadable { at, message, label: "not text from here on", help: IN_UTF8, is_text: true }
    })
}

const IN_UTF8: &str = "a scenario is text in UTF-8 that begins with `netloom: 1`";

fn too_long() -> Unreadable {
    Unreadable {
        at: 0,
        message: format!("the text is longer than {} MiB", MOST_BYTES >> 20),
        label: "too long",
        help: "use numbers instead of lists: `hosts: 1000` is a thousand hosts",
        is_text: true,
    }
}

/// Parses one document of text number `source`, which starts `offset` bytes into that text.
///
/// Returns `None` if a problem was reported.
pub(crate) fn parse(text: &str, source: u16, offset: usize, problems: &mut Problems) -> Option<Node> {
    let start = Location { source, start: offset as u32, end: offset as u32 };
    if text.len() > MOST_BYTES {
        let Unreadable { message, label, help, .. } = too_long();
        problems.report(start, message).label(label).help(help);
        return None;
    }
    if let Some(at) = text.find('\0') {
        let location = Location { start: (offset + at) as u32, end: (offset + at + 1) as u32, ..start };
        let report = problems.report(location, "a zero byte: this is a binary file, not a scenario");
        report.label("not text").help(IN_UTF8);
        return None;
    }
    Builder::new(text, source, offset).run(problems)
}

/// A list or map that is not complete yet.
struct Open {
    location: Location,
    anchor: usize,
    kind: OpenKind,
    depth_below: usize,
    nodes: usize,
}

enum OpenKind {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, keys: BTreeMap<String, Location>, key: Option<(String, Location)> },
}

/// A finished node that an alias may refer to.
struct Anchored {
    node: Node,
    depth: usize,
    nodes: usize,
}

struct Builder<'a> {
    text: &'a str,
    source: u16,
    offset: usize,
    stack: Vec<Open>,
    anchored: BTreeMap<usize, Anchored>,
    n_nodes: usize,
    root: Option<Node>,
    n_documents: usize,
}

/// Parsing stops here; the problem has been reported.
struct Stop;

impl<'a> Builder<'a> {
    fn new(text: &'a str, source: u16, offset: usize) -> Builder<'a> {
        Builder {
            text,
            source,
            offset,
            stack: Vec::new(),
            anchored: BTreeMap::new(),
            n_nodes: 0,
            root: None,
            n_documents: 0,
        }
    }

    fn run(mut self, problems: &mut Problems) -> Option<Node> {
        let mut options = granit_parser::options! { disallow_directives: true };
        options.set_emit_comments(false);
        let parser: Parser<'_, StrInput<'_>> = Parser::new_from_str_with_options(self.text, options);
        for next in parser {
            match next {
                Ok((event, span)) => self.event(event, span, problems).ok()?,
                Err(error) => {
                    self.refuse(&error, problems);
                    return None;
                }
            }
        }
        let empty = Node { location: self.character_at(0), owner: None, tree: Tree::Nothing };
        Some(self.root.unwrap_or(empty))
    }

    /// Reports an error of the parser.
    fn refuse(&self, error: &ScanError, problems: &mut Problems) {
        let at = error.marker().byte_offset().unwrap_or(self.text.len());
        // An early end is best shown at the last character.
        let last = self.text.trim_end().len().saturating_sub(1);
        let message = format!("this is not well-formed YAML: {}", error.info());
        let report = problems.report(self.character_at(at.min(last)), message);
        report.label("reading stopped here").maybe_help(remedy(error.kind()).map(str::to_owned));
    }

    fn event(&mut self, event: Event<'_>, span: Span, problems: &mut Problems) -> Result<(), Stop> {
        let location = self.location(span);
        if event.tag().is_some() {
            let report =
                problems.report(self.tag_before(location), "tags (`!...`) have no meaning in a scenario");
            report.label("a tag").help("remove it; the key alone says what a value means");
        }
        match event {
            Event::DocumentStart(..) => {
                self.n_documents += 1;
                if self.n_documents > 1 {
                    let report = problems.report(location, "a file contains one scenario");
                    report.label("a second one starts").help("write it in a file of its own");
                    return Err(Stop);
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, _) => {
                let nothing = style == ScalarStyle::Plain && (text.is_empty() || text == "~");
                let tree = if nothing { Tree::Nothing } else { Tree::Text(text.into_owned()) };
                let nodes = weight(&tree);
                self.count(nodes, location, problems)?;
                self.finish(Node { location, owner: None, tree }, anchor, 0, nodes, problems)
            }
            Event::Alias(anchor) => self.alias(anchor, location, problems),
            Event::SequenceStart(_, anchor, _) => {
                self.open(location, anchor, OpenKind::List(Vec::new()), problems)
            }
            Event::MappingStart(_, anchor, _) => {
                let kind = OpenKind::Map { entries: Vec::new(), keys: BTreeMap::new(), key: None };
                self.open(location, anchor, kind, problems)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(location, problems),
            _ => Ok(()),
        }
    }

    fn open(
        &mut self,
        location: Location,
        anchor: usize,
        kind: OpenKind,
        problems: &mut Problems,
    ) -> Result<(), Stop> {
        self.count(1, location, problems)?;
        if self.stack.len() >= MOST_DEPTH {
            return Err(too_deep(location, problems));
        }
        self.stack.push(Open { location, anchor, kind, depth_below: 0, nodes: 1 });
        Ok(())
    }

    fn close(&mut self, end: Location, problems: &mut Problems) -> Result<(), Stop> {
        let Some(open) = self.stack.pop() else { return Ok(()) };
        let location = self.first_line(Location { end: end.end, ..open.location });
        let tree = match open.kind {
            OpenKind::List(items) => Tree::List(items),
            OpenKind::Map { entries, .. } => Tree::Map(entries),
        };
        let node = Node { location, owner: None, tree };
        self.finish(node, open.anchor, open.depth_below + 1, open.nodes, problems)
    }

    fn alias(&mut self, anchor: usize, location: Location, problems: &mut Problems) -> Result<(), Stop> {
        let Some(found) = self.anchored.get(&anchor) else {
            let report = problems.report(location, "this alias refers to a value that contains it");
            report.label("would never end").help("repeat only what is complete before it");
            return Err(Stop);
        };
        let (depth, nodes) = (found.depth, found.nodes);
        if self.stack.len() + depth > MOST_DEPTH {
            return Err(too_deep(location, problems));
        }
        // Counted before it is copied: aliases of aliases grow exponentially.
        self.count(nodes, location, problems)?;
        let node = self.anchored[&anchor].node.clone();
        self.finish(node, 0, depth, nodes, problems)
    }

    /// Adds a finished node to the enclosing list, map or document.
    fn finish(
        &mut self,
        node: Node,
        anchor: usize,
        depth: usize,
        nodes: usize,
        problems: &mut Problems,
    ) -> Result<(), Stop> {
        if anchor != 0 {
            // The copy costs memory as well, so it counts.
            self.count(nodes, node.location, problems)?;
            self.anchored.insert(anchor, Anchored { node: node.clone(), depth, nodes });
        }
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.depth_below = open.depth_below.max(depth);
        open.nodes += nodes;
        match &mut open.kind {
            OpenKind::List(items) => items.push(node),
            OpenKind::Map { entries, keys, key } => match key.take() {
                None => *key = Some(key_of(node, problems)?),
                Some((text, location)) => {
                    if let Some(first) = keys.get(&text) {
                        // The first one is kept, so that the rest can be read.
                        let report = problems.report(location, format!("`{text}` is written twice"));
                        report.label("again here").related(*first, "first here").help("remove one of them");
                        return Ok(());
                    }
                    keys.insert(text.clone(), location);
                    let value = Node { owner: Some(location), ..node };
                    entries.push(Entry { key: text, key_location: location, value });
                }
            },
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize, location: Location, problems: &mut Problems) -> Result<(), Stop> {
        self.n_nodes = self.n_nodes.saturating_add(nodes);
        if self.n_nodes <= MOST_NODES {
            return Ok(());
        }
        let message = format!("the scenario has more than {MOST_NODES} values, aliases expanded");
        let report = problems.report(location, message);
        report.label("too many from here on").help("an alias (`*name`) counts as all values that it repeats");
        Err(Stop)
    }

    fn location(&self, span: Span) -> Location {
        let range = span.byte_range().unwrap_or(0..0);
        let text = self.text.get(range.clone()).unwrap_or("");
        // A plain scalar at the end of a line may include the line break in its range.
        let end = range.start + text.trim_end().len();
        self.shifted(range.start, end)
    }

    fn shifted(&self, start: usize, end: usize) -> Location {
        Location {
            source: self.source,
            start: (self.offset + start) as u32,
            end: (self.offset + end.max(start)) as u32,
        }
    }

    fn character_at(&self, at: usize) -> Location {
        let at = self.text.floor_char_boundary(at.min(self.text.len()));
        let length = self.text[at..].chars().next().map_or(0, char::len_utf8);
        self.shifted(at, at + length)
    }

    /// The tag of a node that starts here.
    fn tag_before(&self, location: Location) -> Location {
        let before = &self.text[..location.start as usize - self.offset];
        let Some(last) = before.rfind('!') else { return location };
        let start = before[..last].trim_end_matches('!').len();
        let length = before[start..].find(char::is_whitespace).unwrap_or(before.len() - start);
        self.shifted(start, start + length)
    }

    fn first_line(&self, location: Location) -> Location {
        let start = location.start as usize - self.offset;
        let end = (location.end as usize - self.offset).max(start);
        let text = self.text.get(start..end).unwrap_or("");
        let line = text.lines().next().unwrap_or("").trim_end();
        self.shifted(start, start + line.len())
    }
}

fn too_deep(location: Location, problems: &mut Problems) -> Stop {
    let message = format!("nested more than {MOST_DEPTH} levels deep");
    problems.report(location, message).label("too deep").help(NOT_CLOSED);
    Stop
}

const NOT_CLOSED: &str = "no scenario is nested this deeply: is a bracket not closed?";

/// The number of nodes that a scalar counts as.
fn weight(tree: &Tree) -> usize {
    match tree {
        Tree::Text(text) => 1 + text.len() / BYTES_PER_NODE,
        _ => 1,
    }
}

/// Hints for common errors.
fn remedy(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            "indent with spaces"
        }
        ErrorKind::UnknownAnchor => {
            "`*name` repeats what `&name` has marked before; text that begins with `*` needs quotes"
        }
        ErrorKind::DirectiveDisallowed => "remove the line that begins with `%`",
        ErrorKind::UnclosedQuotedScalar | ErrorKind::InvalidQuotedScalarIndent => {
            "close the quote on its line, or write the text without quotes"
        }
        ErrorKind::MissingAnchorOrAliasName => "text that begins with `*` or `&` needs quotes",
        ErrorKind::RecursionLimitExceeded => NOT_CLOSED,
        ErrorKind::MappingValueNotAllowed => {
            "the value of a key is indented below it, and then nothing is written on the line of the key"
        }
        ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => {
            "entries are separated by commas, and every bracket must be closed"
        }
        ErrorKind::MismatchedFlowCollectionEnd { .. }
        | ErrorKind::MisplacedFlowCollectionEnd
        | ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping => "every `[` needs its `]`, every `{` its `}`",
        ErrorKind::SimpleKeyExpected | ErrorKind::ExpectedBlockMappingKey => {
            "a line is `key: value`, indented like the lines beside it"
        }
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockSequenceEntry => {
            "lines that belong together begin in the same column"
        }
        ErrorKind::UnexpectedCharacter { .. } => "text that begins with a special character needs quotes",
        _ => return None,
    })
}

/// The text of a key; keys are words.
fn key_of(node: Node, problems: &mut Problems) -> Result<(String, Location), Stop> {
    let (message, help) = match node.tree {
        Tree::Text(text) if text == "<<" => (
            "merge keys (`<<`) are not part of the language",
            "inherit with `from: base.yaml`, or write it out",
        ),
        Tree::Text(text) => return Ok((text, node.location)),
        _ => ("a key must be a word", "put a text with brackets in quotes"),
    };
    problems.report(node.location, message).label("not a key").help(help);
    Err(Stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostics, Style};
    use crate::location::Sources;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Node, Diagnostics> {
        let mut sources = Sources::default();
        sources.add("test.yaml", text);
        let mut problems = Problems::default();
        let node = parse(text, 0, 0, &mut problems);
        if problems.is_empty() { Ok(node.unwrap()) } else { Err(problems.finish(&sources)) }
    }

    fn message(text: &str) -> String {
        read(text).unwrap_err().problems()[0].message().to_owned()
    }

    #[test]
    fn locations_are_those_of_the_text() {
        let text = "a: 4Gbps\nb:\n  - x\n  - {c: \u{e9}t\u{e9}}\n";
        let Tree::Map(entries) = read(text).unwrap().tree else { panic!("a map") };
        let slice = |location: Location| &text[location.start as usize..location.end as usize];
        assert_eq!(slice(entries[0].key_location), "a");
        assert_eq!(slice(entries[0].value.location), "4Gbps");
        let Tree::List(items) = &entries[1].value.tree else { panic!("a list") };
        assert_eq!(slice(items[0].location), "x");
        assert_eq!(slice(items[1].location), "{c: \u{e9}t\u{e9}}");
        assert_eq!(slice(entries[1].value.head()), "b");
    }

    #[test]
    fn hostile_texts_are_refused() {
        assert!(message(&format!("{}{}", "[".repeat(200), "]".repeat(200))).contains("levels deep"));
        assert!(message(&"- ".repeat(200)).contains("levels deep"));
        let tens = |n: usize| format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 10].join(", "));
        let first = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]".to_owned();
        let bomb = std::iter::once(first).chain((1..12).map(tens)).collect::<Vec<_>>().join("\n");
        assert!(message(&bomb).contains("more than"));
        assert!(message("a: &a [*a]").contains("contains it"));
        assert!(message("a: *b").contains("YAML"));
        assert!(message("a: \0").contains("binary"));
        assert!(message("a: !!int 3").contains("tags"));
        assert!(message("a: 1\n---\nb: 2").contains("one scenario"));
        assert!(message("? [a]\n: 1").contains("key must be a word"));
        assert!(message("a: {<<: b}").contains("merge keys"));
        assert!(decode(b"\x7fELF\0\0").is_err_and(|found| found.message.contains("binary")));
        let long = format!("a: &a {}\nb: [{}]", "x".repeat(1 << 20), "*a, ".repeat(200));
        assert!(message(&long).contains("more than"));
        assert!(decode(b"\xff\xfea\0").is_err_and(|found| found.message.contains("UTF-16")));
        assert!(decode(b"ab\xff").is_err_and(|found| found.message.contains("byte 2")));
    }

    #[test]
    fn duplicate_keys_show_both_locations() {
        let rendered = read("a: 1\nb: 2\na: 3\n").unwrap_err().render(Style::Plain);
        assert!(rendered.contains("first here") && rendered.contains("again here"), "{rendered}");
    }

    #[test]
    fn parsing_continues_after_unambiguous_errors() {
        let wrong = read("a: !x 1\na: 2\nb: !y {c: 1, c: 2}\nd: [\n").unwrap_err();
        assert_eq!(wrong.problems().len(), 5);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[-a-c:{}\\[\\],&*!#|>'\"%@?\\n \\t\u{feff}\u{e9}0-3]{0,80}") {
            let _ = read(&text);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = decode(&bytes) {
                let _ = read(text);
            }
        }
    }
}
