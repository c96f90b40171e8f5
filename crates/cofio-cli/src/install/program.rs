//! How the settings of others name this program.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Scope;
use crate::settings::Surroundings;

/// Returns the path of this program, or in a project, which others share, its name.
///
/// Programs with windows do not see what a shell has on its path, so the path is absolute. It is
/// that by which it is found, as a package manager keeps that one and replaces what is behind it.
pub fn find(scope: Scope, around: &Surroundings) -> Result<String> {
    if scope == Scope::Project {
        return Ok("cofio".to_owned());
    }
    let own = env::current_exe().context("cannot tell where this program is")?;
    let found = on_path(&own, around).unwrap_or(own);
    found.into_os_string().into_string().ok().context("the path of this program is not Unicode")
}

fn on_path(own: &Path, around: &Surroundings) -> Option<PathBuf> {
    let name = own.file_name()?;
    let real = own.canonicalize().ok()?;
    let path = around.variable("PATH")?;
    let candidates = env::split_paths(&path).map(|folder| folder.join(name));
    candidates
        .filter(|path| path.is_absolute())
        .find(|path| path.canonicalize().ok().as_ref() == Some(&real))
}

/// Returns a path as a shell takes it for one word.
pub fn quoted(program: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:\\+@,".contains(c);
    if program.chars().all(plain) {
        return program.to_owned();
    }
    if cfg!(windows) {
        format!("\"{program}\"")
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    }
}

/// Returns the first word of what a shell is given, and the rest.
pub fn split(command: &str) -> Option<(String, &str)> {
    let command = command.trim_start();
    for quote in ['\'', '"'] {
        if let Some(inside) = command.strip_prefix(quote) {
            let inside_out = format!("{quote} ");
            let (word, rest) = inside.split_once(&inside_out)?;
            return Some((word.replace(r"'\''", "'"), rest));
        }
    }
    let (word, rest) = command.split_once(' ')?;
    Some((word.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_split_again() {
        for program in ["cofio", "/usr/bin/cofio", "/my tools/cofio", "/it's/cofio"] {
            let command = format!("{} hook", quoted(program));
            assert_eq!(split(&command), Some((program.to_owned(), "hook")), "{command}");
        }
    }
}
