//! What must hold of every text that is taken for a scenario.
//!
//! Models: a scenario and what it inherits from, several texts in one input.
//! Leaves out: fabrics of more than some thousand hosts, which take long to build and teach nothing.
//!
//! Invariants checked: an answer always comes; a refusal names a place in the text, is of bounded length and steers no
//! terminal; what is accepted prints to a text that means and prints the same.
#![no_main]

use std::rc::Rc;

use libfuzzer_sys::fuzz_target;
use netloom_scenario::{Diagnostics, Origin, Overrides, Resolved, Style, compile, resolve, resolve_from};

/// Parts a scenario from its base in an input.
const SEPARATOR: &[u8] = b"\n%%%\n";
/// Most bytes of a refusal.
const LONGEST: usize = 200_000;

fuzz_target!(|input: &[u8]| {
    if !builds_much(input) {
        answer(input);
    }
});

/// One of the texts of an input; each inherits from the next.
#[derive(Clone)]
struct Chain {
    texts: Rc<[Vec<u8>]>,
    number: usize,
}

impl Origin for Chain {
    fn name(&self) -> String {
        format!("text{}.yaml", self.number)
    }

    fn base(&self, from: &str) -> Result<Chain, String> {
        // A path that leads upwards closes a circle.
        let number = if from.starts_with('.') { 0 } else { self.number + 1 };
        Ok(Chain { number, ..self.clone() })
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        self.texts.get(self.number).cloned().ok_or_else(|| "there is no such text".to_owned())
    }

    fn is_same(&self, other: &Chain) -> bool {
        self.number == other.number
    }
}

/// Whether a text holds a bare number of hosts or links that a fabric of that size could be built from.
///
/// Numbers of two digits multiply to little, numbers of nine and more are refused.
fn builds_much(input: &[u8]) -> bool {
    let mut at = 0;
    while at < input.len() {
        let digits = input[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let before = at.checked_sub(1).map_or(b' ', |before| input[before]);
        let after = input.get(at + digits).copied().unwrap_or(b' ');
        let continues = |byte: u8| byte.is_ascii_alphanumeric() || b"._%-".contains(&byte);
        if (3..9).contains(&digits) && !continues(before) && !continues(after) {
            return true;
        }
        at += digits.max(1);
    }
    false
}

fn answer(input: &[u8]) {
    let mut texts = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(SEPARATOR.len()).position(|bytes| bytes == SEPARATOR) {
        texts.push(rest[..at].to_vec());
        rest = &rest[at + SEPARATOR.len()..];
    }
    texts.push(rest.to_vec());
    let chain = Chain { texts: texts.into(), number: 0 };
    match resolve_from(&chain.texts[0], &chain, &Overrides::default()) {
        Ok(resolved) => accepted(&resolved, &chain.name()),
        Err(wrong) => refused(&wrong),
    }
}

fn accepted(resolved: &Resolved, name: &str) {
    let printed = resolved.to_yaml();
    let again = resolve(&printed, name).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    assert_eq!(&again, resolved, "{printed}");
    assert_eq!(again.to_yaml(), printed);
    match (compile(resolved), compile(&again)) {
        (Ok(one), Ok(two)) => {
            assert_eq!(one.model.workload, two.model.workload, "{printed}");
            assert_eq!(one.model.faults, two.model.faults, "{printed}");
        }
        (Err(one), Err(two)) => {
            assert_eq!(one.problems().len(), two.problems().len(), "{printed}");
            refused(&one);
        }
        _ => panic!("compiles in one form only:\n{printed}"),
    }
}

fn refused(wrong: &Diagnostics) {
    assert!(!wrong.problems().is_empty());
    for problem in wrong.problems() {
        let (line, column) = problem.line_and_column();
        assert!(line > 0 && column > 0 && !problem.message().is_empty() && !problem.label().is_empty());
    }
    let plain = wrong.render(Style::Plain);
    assert!(plain.len() < LONGEST, "{} bytes", plain.len());
    let steers = |c: char| c.is_control() && c != '\n';
    assert!(!plain.contains(steers), "{plain:?}");
    assert!(wrong.render(Style::Fancy).len() >= plain.len());
}
