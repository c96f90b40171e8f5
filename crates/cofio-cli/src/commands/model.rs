//! The models that turn text into vectors or find names in it: which there are, getting them, and
//! where they lie.

mod pull;

use anyhow::Result;
use clap::{Args, Subcommand};
use cofio::{Error, ErrorKind};
use cofio_adapters::models::{self, CATALOGUE, Model as Entry, Purpose};
use serde::Serialize;

use crate::app;
use crate::arguments::Globals;
use crate::embedder;
use crate::output::{Output, Page, shown};
use crate::settings::{EmbedderName, Settings};

const EXAMPLES: &str = "\
Examples:
  cofio model list
  cofio model pull
  cofio model pull en-core-web-sm
  cofio model pull all-MiniLM-L6-v2 --from ~/Downloads/all-MiniLM-L6-v2
  cofio model path";

/// Lists and fetches the models that turn text into vectors or find names in it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Model {
    #[command(subcommand)]
    action: Action,
}

/// What to do with models.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists every model that can be had, and whether it is here
    List,
    Pull(pull::Pull),
    /// Prints where a model lies
    Path {
        /// The model; the default one if none is named
        name: Option<String>,
    },
}

/// Every model that can be had.
#[derive(Debug, Serialize)]
struct ListOutput {
    folder: String,
    models: Vec<EntryOutput>,
}

/// A model that can be had.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryOutput {
    name: &'static str,
    /// How many dimensions its vectors have, if it makes vectors.
    dimensions: Option<usize>,
    licence: &'static str,
    download_bytes: u64,
    installed: bool,
    /// How much space it takes, if it is here.
    installed_bytes: Option<u64>,
    in_use: bool,
    path: String,
}

/// Where a model lies.
#[derive(Debug, Serialize)]
struct PathOutput {
    name: &'static str,
    path: String,
}

impl Model {
    pub fn run(self, globals: &Globals) -> Result<()> {
        let settings = app::settings(globals)?;
        let output = Output::new(globals.form(), settings.color());
        match self.action {
            Action::List => list(&settings, output),
            Action::Pull(pull) => pull.run(&settings, output),
            Action::Path { name } => path(name.as_deref(), &settings, output),
        }
    }
}

fn list(settings: &Settings, output: Output) -> Result<()> {
    let folder = settings.models_dir()?;
    let models = CATALOGUE.iter().map(|model| {
        let installed = model.installed(folder);
        let bytes = installed.as_ref().and_then(|path| path.metadata().ok());
        EntryOutput {
            name: model.name,
            dimensions: dimensions(model),
            licence: model.licence,
            download_bytes: model.download_bytes(),
            installed: installed.is_some(),
            installed_bytes: bytes.map(|file| file.len()),
            in_use: installed.is_some() && is_chosen(model, settings),
            path: shown(&model.path(folder)),
        }
    });
    let listed = ListOutput { folder: shown(folder), models: models.collect() };
    output.answer(|| &listed, |page| listed.show(page))?;
    output.note(&format!("in {}", folder.display()));
    Ok(())
}

impl ListOutput {
    fn show(&self, page: &mut Page) {
        for model in &self.models {
            let state = match (model.installed, model.in_use) {
                (true, true) => "in use",
                (true, false) => "here",
                (false, _) => "not here",
            };
            let size = match model.installed_bytes {
                Some(bytes) => size(bytes),
                None => format!("{} to fetch", size(model.download_bytes)),
            };
            page.line(format!("{} ({state})", model.name));
            let purpose = match model.dimensions {
                Some(dimensions) => format!("{dimensions} dimensions"),
                None => "finds names".to_owned(),
            };
            page.aside(format!("{purpose} · {size} · {}", model.licence));
        }
    }
}

fn path(name: Option<&str>, settings: &Settings, output: Output) -> Result<()> {
    let model = find(name)?;
    let Some(path) = model.installed(settings.models_dir()?) else {
        let message = format!("{0} is not here: get it by cofio model pull {0}", model.name);
        return Err(Error::new(ErrorKind::NotFound, message).into());
    };
    output.answer(
        || PathOutput { name: model.name, path: shown(&path) },
        |page| page.line(path.display()),
    )
}

fn dimensions(model: &Entry) -> Option<usize> {
    match model.purpose {
        Purpose::Vectors { dimensions } => Some(dimensions),
        Purpose::Names => None,
    }
}

/// Returns whether the settings choose a model.
fn is_chosen(model: &Entry, settings: &Settings) -> bool {
    settings.embedder() == EmbedderName::MiniLm && model.name == embedder::model()
}

/// Returns the model of that name, or the default one.
fn find(name: Option<&str>) -> Result<&'static Entry> {
    let Some(name) = name else { return Ok(&CATALOGUE[0]) };
    let unknown = || Error::new(ErrorKind::NotFound, advice(name));
    Ok(models::find(name).ok_or_else(unknown)?)
}

/// Says which model was probably meant.
fn advice(name: &str) -> String {
    let short: String = name.chars().take(40).collect();
    let wanted = short.to_ascii_lowercase();
    let resembles = |known: &&str| {
        let known = known.to_ascii_lowercase();
        let distance = strsim::damerau_levenshtein(&wanted, &known);
        distance * 2 <= known.len() || (wanted.len() > 2 && known.contains(&wanted))
    };
    let names: Vec<&str> = CATALOGUE.iter().map(|model| model.name).collect();
    match names.iter().copied().find(resembles) {
        Some(nearest) => format!("there is no model {short:?}: did you mean {nearest}?"),
        None => format!("there is no model {short:?}: known are {}", names.join(", ")),
    }
}

/// Returns a number of bytes as people read it.
fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
