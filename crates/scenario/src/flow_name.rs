//! Names of flows: `source->destination` for all messages of a pair of hosts, with `#number` for one of them.
//!
//! Models: parsing such a name. Leaves out: which hosts exist; the caller tests whether a name is a host.
//!
//! Invariants: names may contain `->` and `#` themselves; if the text is ambiguous, the reading with known hosts is
//! taken.

/// The parsed name of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowName<'a> {
    /// Name of the sender.
    pub source: &'a str,
    /// Name of the receiver.
    pub destination: &'a str,
    /// Number among the sender's messages, as in table `flows`; `None` means every message to this receiver.
    pub number: Option<u32>,
}

impl<'a> FlowName<'a> {
    /// The expected form, as text.
    pub const FORM: &'static str = "`source->destination`, with `#number` for a single message";

    /// Parses a name; `None` if it does not have the form.
    pub fn parse(text: &'a str, is_host: impl Fn(&str) -> bool) -> Option<FlowName<'a>> {
        let readings = text.match_indices("->").flat_map(|(at, arrow)| {
            let (source, rest) = (text[..at].trim(), text[at + arrow.len()..].trim());
            let whole = (!rest.contains('#')).then_some((rest, None));
            let numbered = rest
                .rsplit_once('#')
                .and_then(|(host, number)| Some((host.trim(), Some(number.trim().parse::<u32>().ok()?))));
            // A host whose name ends like a number is meant only if there is no other reading.
            let odd = is_host(rest).then_some((rest, None));
            [numbered, whole, odd].into_iter().flatten().map(move |(destination, number)| FlowName {
                source,
                destination,
                number,
            })
        });
        let mut readings = readings.filter(|flow| !flow.source.is_empty() && !flow.destination.is_empty());
        let first = readings.next()?;
        let is_known = |flow: &FlowName<'_>| is_host(flow.source) && is_host(flow.destination);
        let known = std::iter::once(first).chain(readings).find(is_known);
        Some(known.unwrap_or(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<FlowName<'_>> {
        FlowName::parse(text, |name| ["a", "b", "a->b", "b#1", "x#y"].contains(&name))
    }

    fn flow<'a>(source: &'a str, destination: &'a str, number: Option<u32>) -> FlowName<'a> {
        FlowName { source, destination, number }
    }

    #[test]
    fn names_of_pairs_and_single_messages_are_parsed() {
        assert_eq!(parse("a->b"), Some(flow("a", "b", None)));
        assert_eq!(parse(" a -> b # 7 "), Some(flow("a", "b", Some(7))));
        assert_eq!(parse("unknown->host#0"), Some(flow("unknown", "host", Some(0))));
    }

    #[test]
    fn hosts_with_odd_names_are_found() {
        assert_eq!(parse("a->b->a"), Some(flow("a->b", "a", None)));
        assert_eq!(parse("a->b#1"), Some(flow("a", "b", Some(1))), "numbers come first");
        assert_eq!(parse("b->x#y"), Some(flow("b", "x#y", None)));
        assert_eq!(parse("a->b#1#2"), Some(flow("a", "b#1", Some(2))));
    }

    #[test]
    fn texts_of_another_form_are_refused() {
        for text in ["", "a", "a-b", "->", "a->", "->b", "a->b#", "a->b#x", "a->b#-1", "a->b#4294967296"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
