//! JSON, as far as a schema needs it.
//!
//! Invariants: members keep their order, so the same schema is always the same text.

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Flag(bool),
    Count(u64),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    /// A text.
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    /// A list of texts.
    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Json {
        Json::List(texts.into_iter().map(Json::text).collect())
    }

    /// A map.
    pub fn map<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Json {
        Json::Map(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The same map with more members.
    pub fn with<K: Into<String>>(self, more: impl IntoIterator<Item = (K, Json)>) -> Json {
        let Json::Map(mut members) = self else { unreachable!("only maps have members") };
        members.extend(more.into_iter().map(|(key, value)| (key.into(), value)));
        Json::Map(members)
    }

    /// The JSON text, indented, ending in a line break.
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out.push('\n');
        out
    }

    fn write(&self, indent: usize, out: &mut String) {
        match self {
            Json::Flag(flag) => out.push_str(&flag.to_string()),
            Json::Count(n) => out.push_str(&n.to_string()),
            Json::Number(number) => out.push_str(&number.to_string()),
            Json::Text(text) => quote(text, out),
            Json::List(items) => {
                let item = |item: &Json, out: &mut String| item.write(indent + 2, out);
                block(('[', ']'), items, indent, out, item);
            }
            Json::Map(members) => {
                block(('{', '}'), members, indent, out, |(key, value), out| {
                    quote(key, out);
                    out.push_str(": ");
                    value.write(indent + 2, out);
                });
            }
        }
    }
}

/// Writes items between brackets, each on its own line.
fn block<T>(
    brackets: (char, char),
    items: &[T],
    indent: usize,
    out: &mut String,
    write: impl Fn(&T, &mut String),
) {
    out.push(brackets.0);
    for (number, item) in items.iter().enumerate() {
        out.push_str(if number > 0 { ",\n" } else { "\n" });
        out.push_str(&" ".repeat(indent + 2));
        write(item, out);
    }
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&" ".repeat(indent));
    }
    out.push(brackets.1);
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_printed_in_order_and_quoted() {
        let json = Json::map([("b", Json::texts(["\"\\d\n"])), ("a", Json::Map(Vec::new()))]);
        assert_eq!(json.print(), "{\n  \"b\": [\n    \"\\\"\\\\d\\u000a\"\n  ],\n  \"a\": {}\n}\n");
    }
}
