//! `netloom import seed-sim`: converts configurations of the simulator behind the first paper to scenarios.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use netloom_lab::import::{Imported, seed_sim};
use netloom_lab::{ExitCode, LabError, Source};

use crate::arguments::SeedSim;
use crate::output::Output;

/// Imports all files; an error in one does not prevent the import of the others.
pub fn import(arguments: &SeedSim, output: &mut Output) -> ExitCode {
    let mut worst = ExitCode::Good;
    for file in &arguments.files {
        match import_one(file, arguments) {
            Ok((imported, location)) => {
                output.line(location);
                for note in imported.notes {
                    output.note(format!("  note: {note}"));
                }
            }
            Err(error) => worst = worst.max(output.error(&error)),
        }
    }
    worst
}

fn import_one(file: &Path, arguments: &SeedSim) -> Result<(Imported, String), LabError> {
    let bytes = Source::file(file).read()?;
    let rings = match &arguments.rings {
        None => None,
        Some(path) => Some((read_text(path)?, path.display().to_string())),
    };
    let rings = rings.as_ref().map(|(text, name)| (text.as_str(), name.as_str()));
    let imported = seed_sim(&bytes, &file.display().to_string(), rings)?;
    let location = arguments.output.join(format!("{}.yaml", imported.name));
    let written = fs::create_dir_all(&arguments.output)
        .and_then(|()| write(&location, &imported.text, arguments.force));
    match written {
        Ok(()) => Ok((imported, location.display().to_string())),
        Err(source) => Err(LabError::Unwritable { path: location, source }),
    }
}

fn read_text(path: &Path) -> Result<String, LabError> {
    // Bytes that are not UTF-8 are not JSON either; the importer reports that with the name of the file.
    Ok(String::from_utf8_lossy(&Source::file(path).read()?).into_owned())
}

fn write(location: &Path, text: &str, force: bool) -> std::io::Result<()> {
    let file = if force { File::create(location) } else { File::create_new(location) };
    file.and_then(|mut file| file.write_all(text.as_bytes()))
}
