//! The model that the benchmarks embed with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;
use cofio::embed::Embedder;
use cofio_adapters::minilm::{Minilm, Options, compact};

/// What makes the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// all-MiniLM-L6-v2, in this process.
    Minilm,
    /// Nothing: words, names and dates alone.
    None,
}

/// Opens the model, or nothing if none is wanted.
pub fn open(model: Model, file: Option<&Path>) -> Result<Option<Arc<dyn Embedder>>> {
    match model {
        Model::None => Ok(None),
        Model::Minilm => {
            let file = compact_file(file)?;
            let opened = Minilm::open(&file, &Options::default())
                .with_context(|| format!("cannot open the model {}", file.display()))?;
            Ok(Some(Arc::new(opened)))
        }
    }
}

/// Returns the compact file of the model, making it on first use from the folder as published.
pub fn compact_file(file: Option<&Path>) -> Result<PathBuf> {
    if let Some(file) = file {
        return Ok(file.to_owned());
    }
    let file = target().join("models/all-MiniLM-L6-v2.cofio");
    // One that is not there, or that another version wrote, is made anew.
    if Minilm::open(&file, &Options::default()).is_err() {
        let folder = published();
        ensure!(
            folder.exists(),
            "no model in {}: `cargo xtask test` puts it there, or name one with --model",
            folder.display()
        );
        compact(&folder, &file).context("cannot make the compact file of the model")?;
    }
    Ok(file)
}

/// Returns the folder with the model as published.
pub fn published() -> PathBuf {
    target().join("models/all-MiniLM-L6-v2")
}

/// Returns the folder for everything that is made, whatever cargo was told to use.
pub fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("the crate is two folders below the root").join("target")
}
