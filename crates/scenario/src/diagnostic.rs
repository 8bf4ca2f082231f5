//! Errors in a scenario: message, location, expectation, and a hint. Warnings have the same form.
//!
//! All errors of a scenario are collected and shown together, in the order of the text.
//!
//! Invariants: every problem has a location in one of the texts; rendering uses no colours unless requested; stored and
//! shown problems are bounded, whatever their number.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity, SourceCode};

use crate::brought;
use crate::excerpt::{Excerpt, harmless};
use crate::former::{self, FormerKey};
use crate::location::{Location, Sources};
use crate::suggest;

/// Problems beyond this number are counted, not shown: they are usually one error repeated.
const MOST_SHOWN: usize = 50;
/// Problems beyond this number are counted, not stored.
const MOST_KEPT: usize = 1_000;

/// An error or a warning.
#[derive(Debug, Clone)]
pub struct Problem {
    severity: Severity,
    location: Location,
    message: String,
    label: String,
    help: Option<String>,
    related: Vec<(Location, String)>,
    source: Excerpt,
}

impl Problem {
    /// The error message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The words under the caret.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The hint, if there is one.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Its location.
    pub fn location(&self) -> Location {
        self.location
    }

    /// The name of its text: the scenario file, or an override.
    pub fn source_name(&self) -> &str {
        self.source.name()
    }

    /// Line and column, both from 1; the column counts characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        self.source.line_and_column(self.location.start as usize)
    }

    /// The position of a location in the text, and its length.
    fn span(&self, location: Location) -> (usize, usize) {
        let (start, end) = self.source.pointed(location.start as usize, location.end as usize);
        (start, end - start)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let here = LabeledSpan::new_primary_with_span(Some(self.label.clone()), self.span(self.location));
        let same_text = |location: &Location| location.source == self.location.source;
        let others = self.related.iter().filter(move |(location, _)| same_text(location));
        let others = others
            .map(|(location, label)| LabeledSpan::new_with_span(Some(label.clone()), self.span(*location)));
        Some(Box::new(std::iter::once(here).chain(others)))
    }
}

/// All errors of a scenario, or all warnings.
#[derive(Debug, Clone)]
pub struct Diagnostics {
    severity: Severity,
    problems: Vec<Problem>,
    /// Number of problems that were not stored.
    n_beyond: usize,
}

/// How diagnostics are rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// With colours, for a terminal.
    Fancy,
    /// Without colours, for files, pipes and tests.
    Plain,
}

impl Diagnostics {
    /// The problems, in the order of the text.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether there are none, as is possible for warnings.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The errors of several scenarios, or of several forms of one, without duplicates.
    pub fn join(all: impl IntoIterator<Item = Diagnostics>) -> Diagnostics {
        let mut seen = BTreeSet::new();
        let mut joined = Diagnostics { severity: Severity::Advice, problems: Vec::new(), n_beyond: 0 };
        for diagnostics in all {
            joined.severity = joined.severity.max(diagnostics.severity);
            joined.n_beyond = joined.n_beyond.max(diagnostics.n_beyond);
            for problem in diagnostics.problems {
                // Overrides share a name, so their texts are compared, too.
                let name = problem.source_name().to_owned();
                let text = Arc::clone(problem.source.text());
                let location = (problem.location.start, problem.location.end);
                if seen.insert((name, text, location, problem.message.clone())) {
                    joined.problems.push(problem);
                }
            }
        }
        joined
    }

    /// All errors as text for users, with a closing line that counts them.
    pub fn render(&self, style: Style) -> String {
        let theme = match style {
            Style::Fancy => GraphicalTheme::unicode(),
            Style::Plain => GraphicalTheme::unicode_nocolor(),
        };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(100).with_links(false);
        let mut text = String::new();
        for problem in self.problems.iter().take(MOST_SHOWN) {
            // Writing into a string cannot fail; a source that cannot be read would only lose its excerpt.
            if handler.render_report(&mut text, problem).is_err() {
                text.push_str(&problem.message);
            }
            text.push('\n');
        }
        text.push_str(&self.to_string());
        text.push('\n');
        text
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = self.problems.iter().map(Problem::source_name).collect();
        names.dedup();
        names.sort_unstable();
        names.dedup();
        let name = names.join(" and ");
        let what = if self.severity == Severity::Error { "mistake" } else { "warning" };
        match self.problems.len() {
            1 => write!(formatter, "1 {what} in {name}"),
            n if self.n_beyond > 0 => {
                write!(formatter, "more than {n} {what}s in {name}, the first {MOST_SHOWN} shown")
            }
            n if n > MOST_SHOWN => {
                write!(formatter, "{n} {what}s in {name}, the first {MOST_SHOWN} shown")
            }
            n => write!(formatter, "{n} {what}s in {name}"),
        }
    }
}

impl std::error::Error for Diagnostics {}

impl Diagnostic for Diagnostics {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}

/// Collects errors while a scenario is checked.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Draft>,
    /// The last one that was counted, but not stored.
    beyond: Option<Draft>,
    n_beyond: usize,
    base_is_lost: bool,
    /// Keys written under their former names, which are warnings only.
    pub former_keys: Vec<FormerKey>,
}

/// An error that is being described.
#[derive(Debug)]
pub(crate) struct Draft {
    location: Location,
    message: String,
    label: String,
    help: Option<String>,
    related: Vec<(Location, String)>,
    is_absence: bool,
}

impl Problems {
    /// Adds an error; the result takes label and hint.
    pub fn report(&mut self, location: Location, message: impl Into<String>) -> &mut Draft {
        let draft = Draft {
            location,
            message: message.into(),
            label: "here".to_owned(),
            help: None,
            related: Vec::new(),
            is_absence: false,
        };
        if self.list.len() >= MOST_KEPT {
            self.n_beyond += 1;
            return self.beyond.insert(draft);
        }
        self.list.push(draft);
        self.list.last_mut().expect("one was just added")
    }

    /// Adds an error that something is missing, which a base could have provided.
    pub fn report_absence(&mut self, location: Location, message: impl Into<String>) -> &mut Draft {
        let draft = self.report(location, message);
        draft.is_absence = true;
        draft
    }

    /// A hint for a misspelled word, as long as there are few errors: to search one for each of many takes too long.
    pub fn hint<'a>(&self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
        if self.list.len() < MOST_SHOWN { suggest::hint(word, known) } else { None }
    }

    /// A hint for an unknown key or name: its present name, the key that a word from elsewhere means here, or a
    /// misspelled word.
    pub fn hint_for_key<'a>(
        &self,
        word: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Option<String> {
        let present =
            former::present_name(word).filter(|name| known.clone().into_iter().any(|key| key == *name));
        present
            .map(|name| format!("`{word}` is called `{name}` now"))
            .or_else(|| brought::advice(word).map(str::to_owned))
            .or_else(|| self.hint(word, known))
    }

    /// Number of errors so far.
    pub fn len(&self) -> usize {
        self.list.len() + self.n_beyond
    }

    /// Extends the expectation of the last error, if there are more than `n_before`.
    pub fn widen_since(&mut self, n_before: usize, more: &str) {
        if let Some(last) = self.list.get_mut(n_before..).and_then(<[Draft]>::last_mut) {
            last.label.push_str(more);
        }
    }

    /// Records that a base could not be read: what is missing may be written there.
    pub fn lose_base(&mut self) {
        self.base_is_lost = true;
    }

    /// Whether a base could not be read, so that the scenario is incomplete.
    pub fn base_is_lost(&self) -> bool {
        self.base_is_lost
    }

    /// Whether there is no error so far.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The errors with their texts, front to back, without duplicates.
    pub fn finish(self, sources: &Sources) -> Diagnostics {
        self.finish_as(Severity::Error, sources)
    }

    /// The same for warnings.
    pub fn finish_as_warnings(self, sources: &Sources) -> Diagnostics {
        self.finish_as(Severity::Warning, sources)
    }

    fn finish_as(mut self, severity: Severity, sources: &Sources) -> Diagnostics {
        let base_is_lost = self.base_is_lost;
        self.list.retain(|draft| !(draft.is_absence && base_is_lost));
        self.list.sort_by(|a, b| a.location.key().cmp(&b.location.key()).then(a.message.cmp(&b.message)));
        // A value reached twice through an alias reports its error twice.
        let same = |a: &Draft, b: &Draft| a.location.key() == b.location.key() && a.message == b.message;
        self.list.dedup_by(|a, b| same(a, b));
        let excerpts = sources.excerpts();
        let problem = |draft: Draft| {
            let source = excerpts.get(usize::from(draft.location.source)).cloned();
            let source = source.unwrap_or_else(|| Excerpt::new("the scenario", &Arc::from("")));
            let related = draft.related.into_iter().map(|(location, label)| (location, harmless(&label)));
            Problem {
                severity,
                location: draft.location,
                message: harmless(&draft.message),
                label: harmless(&draft.label),
                help: draft.help.as_deref().map(harmless),
                related: related.collect(),
                source,
            }
        };
        let problems = self.list.into_iter().map(problem).collect();
        Diagnostics { severity, problems, n_beyond: self.n_beyond }
    }
}

impl Draft {
    /// The words under the caret.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Draft {
        self.label = label.into();
        self
    }

    /// A hint.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Draft {
        self.help = Some(help.into());
        self
    }

    /// A hint, if there is one.
    pub fn maybe_help(&mut self, help: Option<String>) -> &mut Draft {
        self.help = help.or(self.help.take());
        self
    }

    /// Another related location.
    pub fn related(&mut self, location: Location, label: impl Into<String>) -> &mut Draft {
        self.related.push((location, label.into()));
        self
    }
}
