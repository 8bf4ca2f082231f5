//! The attributes of a run in the Python package: one for each table, with its meaning and columns.

use std::fmt::Write;

use netloom_records::{Column, TABLES, TableSpec};

const HEAD: &str = r#""""The tables of a run as attributes. Generated from the tables of `records` by `make golden`; do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars

TABLES = (
"#;

const CLASS: &str = r#")
"""Names of all tables."""


class RunTables(ABC):
    """Each table of a run, as a frame of polars."""

    @abstractmethod
    def _frame(self, table: str) -> polars.DataFrame: ...
"#;

/// The module.
pub fn module() -> String {
    let mut text = HEAD.to_owned();
    for spec in TABLES {
        text.push_str(&format!("    \"{}\",\n", spec.table.name()));
    }
    text.push_str(CLASS);
    for spec in TABLES {
        property(spec, &mut text);
    }
    text
}

fn property(spec: &TableSpec, text: &mut String) {
    let name = spec.table.name();
    let columns: Vec<String> =
        spec.columns.iter().map(|column: &Column| format!("{} ({})", column.name, column.unit)).collect();
    // Writing to a `String` cannot fail.
    let _ = write!(
        text,
        "\n    @property\n    def {name}(self) -> polars.DataFrame:\n        \"\"\"{}\n\n        As stored: {}.\n        \
         \"\"\"\n        return self._frame(\"{name}\")\n",
        wrapped(spec.meaning),
        wrapped(&columns.join(", ")),
    );
}

/// Text in lines of at most 100 characters, indented by eight from the second on.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, String::len);
        if last + 1 + word.len() > 100 {
            lines.push(String::new());
        }
        let line = lines.last_mut().expect("there is one");
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    lines.join("\n        ")
}
