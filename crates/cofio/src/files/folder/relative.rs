//! The name of a file in a folder, which is the same file on every machine.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;

use crate::error::{Error, Result};
use crate::text::may_hide;

/// A path below a folder, with `/` between names.
///
/// Every name is one that any system can have: nothing that leads elsewhere, is hidden, is reserved
/// by Windows, or cannot be seen. Only what [`list_foreign`](super::Folder::list_foreign) finds may
/// be called as this system alone has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relative(String);

impl Relative {
    /// The most names that a path may have.
    pub const DEEPEST: usize = 16;

    /// The most bytes that a name may have, so that there is room for what is put beside it.
    pub const LONGEST: usize = 200;

    /// Checks a path.
    pub fn new(path: &str) -> Result<Self> {
        let names = path.split('/').count();
        if names > Self::DEEPEST {
            let message = format!("a path has at most {} names", Self::DEEPEST);
            return Err(Error::invalid(message).with("names", names));
        }
        match path.split('/').find_map(|name| Some((name, objection(name)?))) {
            Some((name, why)) => {
                Err(Error::invalid(format!("a file cannot be called {name:?}: {why}")))
            }
            None => Ok(Self(path.to_owned())),
        }
    }

    /// Checks a path that somebody else has named, on a system that has it.
    pub fn foreign(path: &str) -> Result<Self> {
        let odd = |c: char| c.is_control() || may_hide(c);
        let plain = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(odd);
        let names = path.split('/').count();
        if cfg!(unix) && names <= Self::DEEPEST && path.split('/').all(plain) {
            return Ok(Self(path.to_owned()));
        }
        Self::new(path)
    }

    /// Returns the path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Returns the names of the folders that lead to it.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let folders = self.0.rsplit_once('/').map(|(folders, _)| folders.split('/'));
        folders.into_iter().flatten()
    }
}

impl fmt::Display for Relative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Returns what is the same for two names that some systems take for one.
pub(in crate::files) fn folded(name: &str) -> String {
    name.nfkd().flat_map(char::to_lowercase).nfkd().collect()
}

/// Returns why a name is not one that every system can have.
fn objection(name: &str) -> Option<&'static str> {
    let odd = |c: char| c.is_control() || may_hide(c) || r#"\<>:"|?*"#.contains(c);
    match name {
        "" => Some("a name needs a character"),
        _ if name.len() > Relative::LONGEST => Some("it is too long"),
        _ if name.starts_with('.') => Some("it is hidden, or leads elsewhere"),
        _ if name.trim() != name || name.ends_with('.') => {
            Some("it begins or ends with what some systems drop")
        }
        _ if name.contains(odd) => {
            Some("it has characters that some systems cannot have, or nobody sees")
        }
        _ if is_reserved(name) => Some("it is reserved by Windows"),
        _ => None,
    }
}

/// Returns whether Windows takes a name for a device, whatever comes after a dot.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().find_map(|device| stem.strip_prefix(device));
    let digit = |rest: &str| {
        rest.chars().count() == 1 && rest.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
    };
    matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered.is_some_and(digit)
}
