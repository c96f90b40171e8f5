//! Where everything is, where each setting comes from, and whether the store is sound.

mod checks;
mod embeddings;
mod names;
mod stores;

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use cofio::wire::CheckupOutput;
use serde::Serialize;

use crate::arguments::Globals;
use crate::embedder;
use crate::output::{Output, Page, shown};
use crate::present;
use crate::recognisers;
use crate::settings::{HomeAt, Overrides, Settings, Surroundings};
use checks::{Check, Looked, Seen};
use embeddings::Embeddings;
use names::Names;

const EXAMPLES: &str = "\
Examples:
  cofio doctor
  cofio doctor --rebuild";

/// Prints where everything is and where each setting comes from, and checks the store
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Doctor {
    /// Makes the index anew before checking
    #[arg(long)]
    rebuild: bool,
}

/// Everything the doctor has to say.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DoctorOutput {
    version: &'static str,
    store: String,
    user_file: Option<String>,
    project_file: Option<String>,
    settings: Vec<SettingOutput>,
    /// How the home is, if there is one yet, and the servers that texts stand on.
    stores: Vec<CheckupOutput>,
    /// Nothing if the store cannot be read.
    embeddings: Option<Embeddings>,
    names: Names,
    checks: Vec<Check>,
}

/// A setting and where it comes from.
#[derive(Debug, Serialize)]
struct SettingOutput {
    name: &'static str,
    value: Option<String>,
    origin: String,
}

impl Doctor {
    pub async fn run(self, globals: &Globals) -> Result<()> {
        let around = Surroundings::of_process()?;
        let settings = Settings::load(&around, &Overrides::from(globals))?;
        let mut checks = Vec::new();
        if self.rebuild {
            checks.push(checks::rebuild(&settings).await);
        }
        let Looked { checks: of_home, home, seen } = checks::all(&settings, &around).await;
        checks.extend(of_home);
        let shelves = stores::look(seen.as_ref().and_then(Seen::home), &settings, &around).await;
        checks.extend(shelves.iter().map(stores::check));
        let stores = home.into_iter().chain(shelves).collect();
        let names = Names::of(&recognisers::chosen(&settings));
        checks.push(names.check());
        let chosen = embedder::chosen(&settings, &around);
        // Whatever is wrong with the store has been said by now.
        let embeddings = seen.map(|seen| Embeddings::new(&seen.embedding, &chosen));
        checks.extend(embeddings.as_ref().map(Embeddings::check));
        checks.extend(checks::llm(&settings, &around));
        checks.extend(settings.state_dir().and_then(checks::hooks));
        let problems = checks.iter().filter(|check| !check.ok).count();
        let output = DoctorOutput::new(&settings, stores, embeddings, names, checks);
        Output::new(globals.form(), settings.color())
            .answer(|| &output, |page| output.show(page, &settings))?;
        match problems {
            0 => Ok(()),
            _ => bail!("{}", present::count(problems as u64, "problem", "problems")),
        }
    }
}

impl DoctorOutput {
    fn new(
        settings: &Settings,
        stores: Vec<CheckupOutput>,
        embeddings: Option<Embeddings>,
        names: Names,
        checks: Vec<Check>,
    ) -> Self {
        let rows = settings.rows().map(|row| SettingOutput {
            name: row.name,
            value: row.value,
            origin: row.origin.to_string(),
        });
        Self {
            version: env!("CARGO_PKG_VERSION"),
            store: settings.home(),
            user_file: settings.user_file().map(shown),
            project_file: settings.project_file().map(shown),
            settings: rows.collect(),
            stores,
            embeddings,
            names,
            checks,
        }
    }

    fn show(&self, page: &mut Page, settings: &Settings) {
        page.strong(format!("cofio {}", self.version));
        page.gap();
        page.strong("places");
        let there = |path: &Path| if path.exists() { "" } else { " (not there)" };
        let at = |path: Option<&Path>| match path {
            Some(path) => format!("{}{}", path.display(), there(path)),
            None => "none".to_owned(),
        };
        let mut place = |name: &str, at: &str| page.indented(format!("{name:<13} {at}"));
        match settings.stores().home {
            HomeAt::Sqlite => place("store", &at(Some(settings.store()))),
            HomeAt::Postgres(_) => place("store", &self.store),
        }
        place("your file", &at(settings.user_file()));
        place("project file", &at(settings.project_file()));
        page.gap();
        page.strong("settings");
        for setting in &self.settings {
            let value = setting.value.as_deref().unwrap_or("-");
            page.indented(format!("{:<29} {value}  ({})", setting.name, setting.origin));
        }
        page.gap();
        page.strong("checks");
        for check in &self.checks {
            page.indented(format!("{:<8} {}: {}", check.mark(), check.name, check.detail));
        }
    }
}
