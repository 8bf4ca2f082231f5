//! Reading small files whole: of bounded size, and never from a pipe or a device, which may have no end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The largest file that is read whole: manifests and plans have some bytes per rank and per variant.
const MOST_BYTES: u64 = 1 << 30;

/// Refuses what is no regular file, since opening a pipe may wait for ever.
///
/// # Errors
/// If it is none, or the system fails.
pub(crate) fn refuse_irregular(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
}

/// The bytes of a regular file.
///
/// # Errors
/// If it is something else, or larger than a gibibyte, or the system fails.
pub fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    refuse_irregular(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "it is larger than 1 GiB"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("small");
        fs::write(&path, "text").expect("it can be written");
        assert_eq!(read_bounded(&path).expect("it is a file"), b"text");
        assert_eq!(read_bounded(home.path()).expect_err("a folder").kind(), ErrorKind::InvalidInput);
        #[cfg(unix)]
        assert_eq!(
            read_bounded(Path::new("/dev/zero")).expect_err("endless").kind(),
            ErrorKind::InvalidInput
        );
    }
}
