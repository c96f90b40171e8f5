//! What is in a folder.

use std::io;

use super::directory::{Directory, Found, FoundKind};
use super::relative::Relative;
use super::stamp::Seen;
use crate::error::Result;

/// The files of markdown in a folder, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Each file, and what the operating system says of it.
    pub files: Vec<(Relative, Seen)>,
    /// What was not looked into.
    pub skipped: Vec<Skipped>,
}

/// Something that is not looked into, though it may have something to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it is.
    pub path: String,
    /// Why it is not looked into.
    pub why: &'static str,
}

/// Says whether a path may be looked into.
type Check = fn(&str) -> Result<Relative>;

/// Lists everything below a folder whose path passes a check; opens no file.
pub(super) fn list(root: &Directory, check: Check) -> io::Result<Listing> {
    let mut listing = Listing::default();
    add(&mut listing, root, check, "", 1)?;
    listing.files.sort_by(|(one, _), (other, _)| one.cmp(other));
    listing.skipped.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(listing)
}

fn add(
    listing: &mut Listing,
    folder: &Directory,
    check: Check,
    prefix: &str,
    depth: usize,
) -> io::Result<()> {
    for Found { name, kind } in folder.found()? {
        let path = format!("{prefix}{name}");
        let skipped = match (kind, check(&path)) {
            (FoundKind::Link, _) if !name.starts_with('.') => Some("it is a symbolic link"),
            (FoundKind::Folder, _) if name.starts_with('.') => Some("it is hidden"),
            (FoundKind::Folder, _) if depth >= Relative::DEEPEST => Some("it is too deep"),
            (FoundKind::Folder | FoundKind::Other, Ok(_)) if is_markdown(&name) => {
                Some("it is no file, though it is called like one")
            }
            (FoundKind::Nameless, _) => Some("its name is no text"),
            (FoundKind::Folder, Ok(_)) => match folder.folder(&name) {
                Ok(below) => {
                    add(listing, &below, check, &format!("{path}/"), depth + 1)?;
                    None
                }
                Err(_) => Some("it cannot be opened"),
            },
            (FoundKind::File, Ok(relative)) if is_markdown(&name) => match folder.look(&name) {
                Ok(seen) => {
                    listing.files.push((relative, seen));
                    None
                }
                // Somebody has removed it since.
                Err(_) => None,
            },
            (FoundKind::Folder | FoundKind::File, Err(_)) if !name.starts_with('.') => {
                Some("not every system can have such a name")
            }
            _ => None,
        };
        listing.skipped.extend(skipped.map(|why| Skipped { path, why }));
    }
    Ok(())
}

/// Returns whether a name says that a file is markdown.
fn is_markdown(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension
        .is_some_and(|one| ["md", "markdown"].iter().any(|other| one.eq_ignore_ascii_case(other)))
}
