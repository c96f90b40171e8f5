//! Receipts in files.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use cofio::wire::ReceiptOutput;
use tempfile::NamedTempFile;

use crate::app::App;
use crate::failure::Refusal;
use crate::output::as_json;
use crate::store_files;

/// Refuses a file that is there already, before anything is forgotten.
pub fn refuse_existing(file: &Path, app: &App) -> Result<()> {
    store_files::refuse_own(file, app.settings.store())?;
    if file.symlink_metadata().is_ok() {
        return Err(Refusal::Conflict(format!("{} is there already", file.display())).into());
    }
    Ok(())
}

/// Writes a receipt to a file that only its owner can read.
pub fn write(file: &Path, receipt: &ReceiptOutput) -> Result<()> {
    let cannot = || format!("forgotten, but the receipt cannot be written to {}", file.display());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut partial =
        NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).with_context(cannot)?;
    partial.write_all(as_json(receipt).as_bytes()).with_context(cannot)?;
    partial.as_file().sync_all().with_context(cannot)?;
    partial.persist_noclobber(file).map(drop).map_err(|error| error.error).with_context(cannot)
}
