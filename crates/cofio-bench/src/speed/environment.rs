//! The Python that other contenders run in.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::recall::embedder::target;

/// The exact versions that are compared with.
const REQUIREMENTS: &str = include_str!("../../python/requirements.txt");

/// Returns an interpreter with everything in it, installing that on first use.
pub fn interpreter() -> Result<PathBuf> {
    let folder = target().join("bench/python");
    let interpreter = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    // Written last, so that an installation that was interrupted is made again.
    let installed = folder.join("installed.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|text| text == REQUIREMENTS) {
        return Ok(interpreter);
    }
    eprintln!("installing what to compare with into {}; this takes minutes", folder.display());
    let python = if cfg!(windows) { "python" } else { "python3" };
    succeed(Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let requirements = scripts().join("requirements.txt");
    let mut install = Command::new(&interpreter);
    succeed(install.args(["-m", "pip", "install", "--requirement"]).arg(requirements))?;
    std::fs::write(&installed, REQUIREMENTS)?;
    Ok(interpreter)
}

/// Returns the model in the form that `ChromaDB` fetches by default, exporting it on first use.
pub fn exported_model(python: &Path) -> Result<PathBuf> {
    let folder = target().join("bench/onnx");
    // It is moved there when it is complete.
    if !folder.exists() {
        succeed(Command::new(python).arg(scripts().join("export_onnx.py")).arg(&folder))?;
    }
    Ok(folder)
}

/// Returns the folder of the contenders' programs.
pub fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python")
}

fn succeed(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}");
    // What they say is progress, and the output of this program is figures.
    let status = command.stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {shown}"))?;
    ensure!(status.success(), "{shown} ended with {status}");
    Ok(())
}
