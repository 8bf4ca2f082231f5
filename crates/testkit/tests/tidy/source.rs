//! A minimal reader of Rust sources: blanks out what is not code, removes tests, measures functions.

/// A function and its length.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The line it starts on, from 1.
    pub line: usize,
    /// Lines with code on them, from `fn` to the closing brace.
    pub length: usize,
}

/// The source with comments, and the insides of strings and characters, blanked out; lines stay where they were.
pub fn blank(source: &str) -> String {
    let mut blanker = Blanker { rest: source.chars().collect(), at: 0, out: String::new() };
    while blanker.at < blanker.rest.len() {
        blanker.step();
    }
    blanker.out
}

struct Blanker {
    rest: Vec<char>,
    at: usize,
    out: String,
}

impl Blanker {
    fn peek(&self, ahead: usize) -> char {
        self.rest.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn keep(&mut self) {
        self.out.push(self.peek(0));
        self.at += 1;
    }

    fn hide(&mut self) {
        self.out.push(if self.peek(0) == '\n' { '\n' } else { ' ' });
        self.at += 1;
    }

    fn hide_while(&mut self, mut more: impl FnMut(&Blanker) -> bool) {
        while self.at < self.rest.len() && more(self) {
            self.hide();
        }
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.hide_while(|b| b.peek(0) != '\n'),
            ('/', '*') => self.block_comment(),
            ('"', _) => self.string(),
            ('r', '"' | '#') if !self.in_word() => self.raw_string(),
            ('\'', '\\') => self.character(),
            ('\'', _) if self.peek(2) == '\'' => self.character(),
            _ => self.keep(),
        }
    }

    /// Whether the character before continues a word, so that this one does not begin one; `b` begins byte strings.
    fn in_word(&self) -> bool {
        let mut before = self.out.chars().rev();
        let last = before.next().unwrap_or(' ');
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if last == 'b' { before.next().is_some_and(is_word) } else { is_word(last) }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.rest.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    self.hide();
                    continue;
                }
            }
            self.hide();
            self.hide();
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.keep();
        while self.at < self.rest.len() && self.peek(0) != '"' {
            if self.peek(0) == '\\' {
                self.hide();
            }
            self.hide();
        }
        self.keep();
    }

    fn raw_string(&mut self) {
        let hashes = (1..self.rest.len() - self.at).take_while(|&ahead| self.peek(ahead) == '#').count();
        if self.peek(1 + hashes) != '"' {
            return self.keep();
        }
        for _ in 0..hashes + 2 {
            self.keep();
        }
        let ends = move |b: &Blanker| b.peek(0) == '"' && (1..=hashes).all(|ahead| b.peek(ahead) == '#');
        self.hide_while(|b| !ends(b));
        for _ in 0..(hashes + 1).min(self.rest.len() - self.at) {
            self.keep();
        }
    }

    fn character(&mut self) {
        self.keep();
        if self.peek(0) == '\\' {
            self.hide();
        }
        self.hide();
        self.hide_while(|b| b.peek(0) != '\'');
        self.keep();
    }
}

/// Blanked source without its `#[cfg(test)]` modules; lines stay where they were.
pub fn without_tests(blanked: &str) -> String {
    let mut rest = blanked;
    let mut out = String::new();
    while let Some(start) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..start]);
        let end = start + end_of_item(&rest[start..]);
        out.extend(rest[start..end].chars().filter(|&c| c == '\n'));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Where the first item of a blanked text ends: after its `;`, or after the brace that closes its body.
fn end_of_item(text: &str) -> usize {
    let mut braces = 0;
    let mut brackets = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => braces += 1,
            '}' if braces <= 1 => return at + 1,
            '}' => braces -= 1,
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if braces == 0 && brackets == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The functions of a blanked source that have a body.
pub fn functions(blanked: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, _) in blanked.match_indices("fn ") {
        let before = blanked[..at].chars().next_back().unwrap_or(' ');
        if before.is_alphanumeric() || before == '_' {
            continue;
        }
        let rest = &blanked[at + 3..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if let Some(end) = end_of_function(rest).filter(|_| !name.is_empty()) {
            let length = rest[..end].lines().filter(|line| !line.trim().is_empty()).count();
            found.push(Function { name, line: blanked[..at].matches('\n').count() + 1, length });
        }
    }
    found
}

/// Where the body of a function ends, counted from its name; `None` where there is only a signature.
fn end_of_function(text: &str) -> Option<usize> {
    let mut brackets = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if brackets == 0 => return None,
            '{' if brackets == 0 => return Some(at + end_of_item(&text[at..])),
            _ => {}
        }
    }
    None
}

#[test]
fn blanking_keeps_code_and_line_numbers() {
    let source = "let a = \"x // {\\\" y\"; // fn no() {\n/* { /* } */ \n */ let b = r#\"\"{\"#; let c = '{';\nlet d: &'a u8;";
    let blanked = blank(source);
    assert_eq!(blanked.matches('\n').count(), source.matches('\n').count());
    assert!(!blanked.contains('{') && !blanked.contains("no()"), "{blanked}");
    assert!(
        blanked.contains("let b") && blanked.contains("let c") && blanked.contains("&'a u8"),
        "{blanked}"
    );
}

#[test]
fn functions_are_measured_in_lines_of_code() {
    let source = "trait T {\n    fn sign(x: [u8; 2]);\n}\npub fn two(x: fn() -> u8) -> u8 {\n\n    // why\n    x() }\n";
    let found = functions(&blank(source));
    assert_eq!(found, [Function { name: "two".into(), line: 4, length: 2 }]);
}

#[test]
fn test_modules_are_removed() {
    let source = "use a;\n#[cfg(test)]\nmod tests;\nfn f() {}\n#[cfg(test)]\nmod more {\n    fn g() {}\n}\nfn h() {}\n";
    let left = without_tests(&blank(source));
    assert_eq!(
        functions(&left).iter().map(|f| (f.name.as_str(), f.line)).collect::<Vec<_>>(),
        [("f", 4), ("h", 9)]
    );
}
