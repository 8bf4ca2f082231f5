//! The secret in the address: whoever does not know it, be it another user of this machine, sees nothing.
//!
//! Invariants: 128 bits from the operating system; how long a comparison takes tells nothing of what is secret.

use std::hint::black_box;
use std::io;

/// Bytes of it.
const BYTES: usize = 16;

/// A new one, as hexadecimal digits.
pub fn make() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// Whether two are the same, looking at every byte whatever was found before.
pub fn is_same(token: &str, other: &str) -> bool {
    let [token, other] = [token.as_bytes(), other.as_bytes()];
    let differences = token.iter().zip(other).fold(0, |found, (one, two)| black_box(found | (one ^ two)));
    token.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let [one, two] = [make().expect("the system has some"), make().expect("the system has some")];
        assert_eq!(one.len(), 2 * BYTES);
        assert!(one.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(is_same(&one, &one.clone()) && !is_same(&one, &two));
        assert!(!is_same(&one, &one[1..]) && !is_same(&one, "") && !is_same("", &one));
        assert!(!is_same(&one, &format!("{one}0")));
    }
}
