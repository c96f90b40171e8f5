//! The files of a folder, and what of it cannot be read.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use cofio::files::Folder;
use cofio::files::folder::{Relative, Seen};
use cofio::files::foreign::File;
use cofio::model::Timestamp;
use cofio::{Error, ErrorKind};

use super::Problem;
use crate::failure::Refusal;
use crate::input::STANDARD;
use crate::output;
use crate::progress::Progress;

/// The most bytes that are held before the first memory is written.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// What is to be taken in.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Where its paths begin.
    root: PathBuf,
    /// How many bytes its files have.
    bytes: usize,
    pub files: Vec<File>,
    pub problems: Vec<Problem>,
    /// The names of what is hidden at its top.
    pub hidden: Vec<String>,
}

impl Gathered {
    /// Returns where a file is, as people would name it.
    pub fn reference(&self, path: &str) -> String {
        output::shown(&self.root.join(path))
    }

    fn add(&mut self, path: &str, text: String, modified: Option<Timestamp>) -> Result<()> {
        self.bytes += text.len();
        if self.bytes > MOST_BYTES {
            let message =
                format!("more than {MOST_BYTES} bytes at once; import its folders one by one");
            return Err(Error::new(ErrorKind::ContentTooLong, message).into());
        }
        self.files.push(File { path: path.to_owned(), text, modified });
        Ok(())
    }

    fn skip(&mut self, path: &str, why: impl Into<String>) {
        self.problems.push(Problem { path: path.to_owned(), line: None, why: why.into() });
    }
}

/// Reads a folder, a file or standard input; no symbolic link is followed.
pub fn gather(path: &Path) -> Result<Gathered> {
    if path == Path::new(STANDARD) {
        return standard_input();
    }
    let cannot = || format!("cannot read {}", path.display());
    if fs::metadata(path).with_context(cannot)?.is_dir() { folder(path) } else { file(path) }
}

fn folder(path: &Path) -> Result<Gathered> {
    let folder = Folder::open(path)?;
    let listing = folder.list_foreign()?;
    let mut gathered = Gathered { root: path.to_owned(), ..Gathered::default() };
    for skipped in listing.skipped {
        // Programs keep their own things in hidden folders.
        match skipped.path.rsplit('/').next() {
            Some(name) if name.starts_with('.') => gathered.hidden.push(skipped.path),
            _ => gathered.skip(&skipped.path, skipped.why),
        }
    }
    let progress = Progress::of(listing.files.len(), "reading");
    for (number, (path, seen)) in listing.files.into_iter().enumerate() {
        match folder.read(&path) {
            Ok(Some(content)) => gathered.add(path.as_str(), content.text, modified(seen))?,
            Ok(None) => gathered.skip(path.as_str(), "it is gone, or its name is no text"),
            Err(error) => gathered.skip(path.as_str(), without_name(&error, &path)),
        }
        progress.at(number as u64 + 1);
    }
    if gathered.files.is_empty() && gathered.problems.is_empty() {
        let message = format!("there is no markdown in {}", output::shown(path));
        return Err(Refusal::Usage(message).into());
    }
    Ok(gathered)
}

/// Returns what is wrong with a file that is named beside it.
fn without_name(error: &Error, path: &Relative) -> String {
    let why = error.to_string();
    let named = why.strip_prefix(&format!("{:?} ", path.as_str()));
    named.map(|why| format!("it {why}")).unwrap_or(why)
}

/// Reads one file, from the folder that it is in.
fn file(path: &Path) -> Result<Gathered> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let root = parent.unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = Folder::open(root)?;
    let content = folder.read(&Relative::foreign(&name)?)?;
    let content = content.with_context(|| format!("cannot read {}", path.display()))?;
    let root = parent.map(Path::to_owned).unwrap_or_default();
    let mut gathered = Gathered { root, ..Gathered::default() };
    gathered.add(&name, content.text, modified(content.stamp.seen))?;
    Ok(gathered)
}

fn standard_input() -> Result<Gathered> {
    let mut text = String::new();
    let most = Folder::LIMIT + 1;
    let read = io::stdin().lock().take(most).read_to_string(&mut text);
    read.context("cannot read standard input")?;
    if text.len() as u64 >= most {
        let message = format!("standard input has more than {} bytes", Folder::LIMIT);
        return Err(Error::new(ErrorKind::ContentTooLong, message).into());
    }
    let mut gathered = Gathered::default();
    gathered.add(STANDARD, text, None)?;
    Ok(gathered)
}

/// Returns when a file was last written to, unless that is yet to come.
fn modified(seen: Seen) -> Option<Timestamp> {
    let modified = Timestamp::from_nanosecond(seen.modified).ok();
    modified.filter(|modified| *modified <= Timestamp::now())
}
