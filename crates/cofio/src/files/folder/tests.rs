use std::fs;

use tempfile::TempDir;

use super::*;

mod names;
#[cfg(unix)]
mod processes;
mod reading;
mod writing;

/// Makes a folder that is gone after the test.
fn folder() -> (TempDir, Folder) {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::open(place.path()).unwrap();
    (place, folder)
}

fn path(path: &str) -> Relative {
    Relative::new(path).unwrap()
}

/// Returns the text of a file that is there.
fn text(folder: &Folder, name: &str) -> String {
    folder.read(&path(name)).unwrap().unwrap().text
}

/// Returns the kind and the message of a failure.
fn failure<T: std::fmt::Debug>(result: Result<T>) -> (ErrorKind, String) {
    let error = result.unwrap_err();
    (error.kind(), error.to_string())
}
