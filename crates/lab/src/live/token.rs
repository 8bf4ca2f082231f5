//! The secret in the address: anyone without it, such as another user of this machine, is refused.
//!
//! Invariants: 128 bits from the operating system; the duration of a comparison reveals nothing about the secret.

use std::hint::black_box;
use std::io;

/// Length in bytes.
const BYTES: usize = 16;

/// A new token, in hexadecimal digits.
pub fn make() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// Whether two tokens are equal; every byte is compared, whatever the result of the bytes before.
pub fn is_same(token: &str, other: &str) -> bool {
    let [token, other] = [token.as_bytes(), other.as_bytes()];
    let differences = token.iter().zip(other).fold(0, |found, (one, two)| black_box(found | (one ^ two)));
    token.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_all_different() {
        let [one, two] = [make().expect("the system has some"), make().expect("the system has some")];
        assert_eq!(one.len(), 2 * BYTES);
        assert!(one.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(is_same(&one, &one.clone()) && !is_same(&one, &two));
        assert!(!is_same(&one, &one[1..]) && !is_same(&one, "") && !is_same("", &one));
        assert!(!is_same(&one, &format!("{one}0")));
    }
}
