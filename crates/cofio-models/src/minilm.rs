//! all-MiniLM-L6-v2, computed in this process.
//!
//! [`compact`] makes one file of the files the model is published as; [`Minilm`] computes with it.
//! Texts of any number are rows of one matrix of whole numbers, so there is no padding, and a
//! text has the same vector whatever it is computed with, on every processor.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::model::{CleanText, Fingerprint};
use cofio::{Error, ErrorKind, Result};

pub use compact::compact;
pub use kernel::Kernel;
pub use tokenizer::Tokenizer;

use encoder::{Network, Scratch, to_length_one};
use kernel::Runner;
use model::{Model, WIDTH};
use vocabulary::Vocabulary;
use workers::{Work, Workers};

mod workers;

mod attention;
mod encoder;
mod kernel;
mod rows;
mod tokenizer;

mod compact;
mod safetensors;

mod file;
mod linear;
mod model;
mod vocabulary;

/// About how many rows the matrix has: enough to use each weight often, few enough to stay close.
const ROWS: usize = 128;

/// How the model is computed.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many threads compute.
    pub threads: usize,
    /// How many numbers a vector has: 384, or the first 256 of them.
    pub dimensions: usize,
    /// The instructions to compute with.
    pub kernel: Kernel,
}

impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads, dimensions: WIDTH, kernel: Kernel::best() }
    }
}

/// Makes vectors with all-MiniLM-L6-v2.
///
/// Only the first 256 tokens of a text count. The weights are read at first use, by a thread of
/// its own; its threads end when it is dropped.
pub struct Minilm {
    fingerprint: Fingerprint,
    workers: Workers,
}

impl Minilm {
    /// Takes a file that [`compact`] wrote, and reads what it says about itself.
    pub fn open(path: impl Into<PathBuf>, options: &Options) -> Result<Self> {
        let path = path.into();
        if ![WIDTH, 256].contains(&options.dimensions) {
            let message =
                format!("all-MiniLM-L6-v2 has 384 or 256 dimensions, not {}", options.dimensions);
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        let Some(runner) = Runner::new(options.kernel) else {
            let message = format!("this processor has no {:?}", options.kernel);
            return Err(Error::new(ErrorKind::Unsupported, message));
        };
        let fingerprint = fingerprint(&path, options.dimensions)?;
        let dimensions = options.dimensions;
        let shared = Arc::new(Shared { path, loaded: Mutex::default() });
        let workers = Workers::start(options.threads, move || work(&shared, runner, dimensions))?;
        Ok(Self { fingerprint, workers })
    }
}

impl fmt::Debug for Minilm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minilm").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

#[async_trait]
impl Embedder for Minilm {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        self.workers.vectors(texts).await.map_err(|error| error.during("embed"))
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        let mut vectors = self.embed(std::slice::from_ref(text)).await?;
        Ok(vectors.pop().expect("every text gets a vector"))
    }
}

fn fingerprint(path: &Path, dimensions: usize) -> Result<Fingerprint> {
    let (header, _) = file::open(path)?;
    let [a, b, c, d, ..] = header.source;
    let version = file::VERSION;
    let source = format!("{a:02x}{b:02x}{c:02x}{d:02x}");
    Fingerprint::new(format!("all-MiniLM-L6-v2/{source}/int12-{version}/{dimensions}"))
}

/// What the threads have in common.
struct Shared {
    path: PathBuf,
    loaded: Mutex<Option<Arc<Loaded>>>,
}

/// What a model file holds.
struct Loaded {
    tokenizer: Tokenizer,
    model: Model,
}

impl Shared {
    /// Returns what the file holds; reads it once, and again after it could not be read.
    fn loaded(&self) -> Result<Arc<Loaded>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = &*loaded {
            return Ok(Arc::clone(loaded));
        }
        let read = Arc::new(Loaded::read(&self.path)?);
        *loaded = Some(Arc::clone(&read));
        Ok(read)
    }
}

impl Loaded {
    fn read(path: &Path) -> Result<Self> {
        let damaged = |error| file::damaged(path).caused_by(error);
        let (header, mut body) = file::open(path)?;
        let vocabulary = Vocabulary::read(&mut body).map_err(damaged)?;
        let model = Model::read(&mut body, vocabulary.len()).map_err(damaged)?;
        if !body.matches(&header).map_err(damaged)? {
            return Err(file::damaged(path));
        }
        Ok(Self { tokenizer: Tokenizer::new(vocabulary)?, model })
    }
}

/// Returns what one thread does with each piece.
fn work(shared: &Arc<Shared>, runner: Runner, dimensions: usize) -> Work {
    let shared = Arc::clone(shared);
    let mut scratch = Scratch::new();
    Box::new(move |texts| {
        let loaded = shared.loaded()?;
        let tokens: Vec<_> = texts.iter().map(|text| loaded.tokenizer.ids(text.as_str())).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in batches(&tokens) {
            vectors.extend(runner.run(&Network { model: &loaded.model, texts }, &mut scratch));
        }
        if dimensions < WIDTH {
            for vector in &mut vectors {
                vector.truncate(dimensions);
                to_length_one(vector);
            }
        }
        Ok(vectors)
    })
}

/// Cuts texts into matrices of about [`ROWS`] rows; a text is never cut.
fn batches(mut texts: &[Vec<u32>]) -> impl Iterator<Item = &[Vec<u32>]> {
    std::iter::from_fn(move || {
        let mut rows = 0;
        let fitting = texts.iter().take_while(|text| {
            rows += text.len();
            rows <= ROWS
        });
        let count = fitting.count().max(1);
        let (batch, rest) = texts.split_at_checked(count)?;
        texts = rest;
        Some(batch)
    })
}
