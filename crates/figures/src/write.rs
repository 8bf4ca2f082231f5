//! Writes figures to files, all or none.
//!
//! Models: a draft of every file is written beside its path before the first draft is renamed.
//!
//! Invariants: no file is replaced by other contents unless requested; a failure leaves no draft behind.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use netloom_records::{DraftFile, Overwrite};

use crate::{FigureError, Figures, Format, LeftOut};

/// The files that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Figures with their files (the picture and the data) and the runs without data in it.
    pub figures: Vec<MadeFigure>,
    /// Figures without data.
    pub left_out: Vec<LeftOut>,
    /// Names of runs with characters that the font lacks.
    pub boxed: Vec<String>,
}

/// A figure that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFigure {
    /// The picture.
    pub picture: PathBuf,
    /// Its data.
    pub data: PathBuf,
    /// Runs without data in it.
    pub without: Vec<String>,
}

/// A file to be written.
struct Planned {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Writes figures into a folder, which is created if necessary.
///
/// # Errors
/// If a file exists and is not to be replaced, a picture would be too large, or the system returns an error.
pub fn write(
    figures: Figures,
    folder: &Path,
    format: Format,
    overwrite: Overwrite,
) -> Result<Made, FigureError> {
    let (mut planned, mut made) = (Vec::new(), Vec::new());
    for figure in &figures.figures {
        let [picture, data] =
            [format.ending(), "csv"].map(|ending| folder.join(format!("{}.{ending}", figure.name)));
        planned.push(Planned { path: picture.clone(), bytes: figure.file(format)? });
        planned.push(Planned { path: data.clone(), bytes: figure.csv().into_bytes() });
        made.push(MadeFigure { picture, data, without: figure.without.clone() });
    }
    check(&planned, folder, overwrite)?;
    fs::create_dir_all(folder)
        .map_err(|source| FigureError::Unwritable { path: folder.to_owned(), source })?;
    put(&planned)?;
    Ok(Made { figures: made, left_out: figures.left_out, boxed: figures.boxed })
}

/// Checks that the files may be written to the folder.
fn check(planned: &[Planned], folder: &Path, overwrite: Overwrite) -> Result<(), FigureError> {
    if folder.exists() && !folder.is_dir() {
        return Err(FigureError::NotAFolder(folder.to_owned()));
    }
    if let Some(other) = planned.iter().find(|file| file.path.exists() && !file.path.is_file()) {
        return Err(FigureError::NotAFile(other.path.clone()));
    }
    // Pictures in several formats share the file of the data.
    let says_otherwise =
        |file: &&Planned| file.path.exists() && fs::read(&file.path).ok().as_ref() != Some(&file.bytes);
    let there: Vec<PathBuf> = planned.iter().filter(says_otherwise).map(|file| file.path.clone()).collect();
    if overwrite == Overwrite::Refuse && !there.is_empty() {
        return Err(FigureError::Exists(there));
    }
    Ok(())
}

fn put(planned: &[Planned]) -> Result<(), FigureError> {
    let refused = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| FigureError::Unwritable { path, source }
    };
    let mut drafts = Vec::new();
    for Planned { path, bytes } in planned {
        let mut draft = DraftFile::create(path).map_err(refused(path))?;
        draft.write_all(bytes).and_then(|()| draft.commit()).map_err(refused(path))?;
        drafts.push((path, draft));
    }
    drafts.into_iter().try_for_each(|(path, draft)| draft.finish().map_err(refused(path)))
}
