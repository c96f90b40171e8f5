//! What governs the command, and where each value came from.
//!
//! A flag beats a variable, which beats the project's file, which beats the user's file, which beats the default.
//! Every value found is checked, also one that is beaten, so that removing a flag brings no surprise.
//! Nothing here looks at the process: its surroundings are handed in.
//!
//! To add a setting: a row in `settings/table.rs`, a field in [`Overrides`], and an accessor here.

mod default;
mod error;
mod file;
mod llm;
mod maintenance;
mod origin;
mod places;
mod read;
mod routes;
mod sources;
mod stores;
mod table;

use std::path::{Path, PathBuf};

use cofio::Config;
use cofio::model::{Identifier, Identifiers, Kind, Layer, Task};
use cofio_server::mcp::SourceName;
use jiff::SignedDuration;

pub use error::SettingsError;
pub use llm::Llm;
use origin::Origin;
pub use origin::Row;
pub use places::{Platform, Surroundings, state_dir};
use read::OnSecret;
pub use read::{Backend, Color, EmbedderName, Hooks};
pub use routes::ShelfName;
pub use stores::{Address, HomeAt, Patience, PostgresAt, Preset, Promise, Stores};
pub use table::Values;

use places::{INDEX, MEMORY, Places};
use sources::Sources;

/// The result of reading settings.
type Result<T> = std::result::Result<T, SettingsError>;

/// What governs the command.
#[derive(Debug)]
pub struct Settings {
    values: Values,
    llm: Option<Llm>,
    stores: Stores,
    state: Option<PathBuf>,
    user_file: Option<PathBuf>,
    project_file: Option<PathBuf>,
}

/// What the flags of a command say.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub store: Option<PathBuf>,
    pub backend: Option<String>,
    pub memory_dir: Option<PathBuf>,
    pub preset: Option<String>,
    pub routes: Option<String>,
    pub postgres_url: Option<String>,
    pub postgres_schema: Option<String>,
    pub postgres_connections: Option<String>,
    pub postgres_connect_timeout_ms: Option<String>,
    pub postgres_statement_timeout_ms: Option<String>,
    pub postgres_lock_timeout_ms: Option<String>,
    pub postgres_certificates: Option<PathBuf>,
    pub redis_url: Option<String>,
    pub redis_promise: Option<String>,
    pub qdrant_url: Option<String>,
    pub qdrant_key_env: Option<String>,
    pub chroma_url: Option<String>,
    pub chroma_tenant: Option<String>,
    pub chroma_database: Option<String>,
    pub chroma_key_env: Option<String>,
    pub mem0_url: Option<String>,
    pub mem0_key_env: Option<String>,
    pub retry_retries: Option<String>,
    pub retry_first_delay_ms: Option<String>,
    pub retry_longest_delay_ms: Option<String>,
    pub retry_timeout_ms: Option<String>,
    pub user: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub project: Option<String>,
    pub team: Option<String>,
    pub org: Option<String>,
    pub company: Option<String>,
    pub layer: Option<String>,
    pub kind: Option<String>,
    pub limit: Option<String>,
    pub time_zone: Option<String>,
    pub episode_days: Option<String>,
    pub window_turns: Option<String>,
    pub secret_replacement: Option<String>,
    pub on_secret: Option<String>,
    pub max_content_bytes: Option<String>,
    pub embedder: Option<String>,
    pub models_dir: Option<PathBuf>,
    pub openai_url: Option<String>,
    pub openai_model: Option<String>,
    pub openai_dimensions: Option<String>,
    pub openai_key_env: Option<String>,
    pub llm_provider: Option<String>,
    pub llm_url: Option<String>,
    pub llm_model: Option<String>,
    pub llm_key_env: Option<String>,
    pub llm_tokens_per_day: Option<String>,
    pub llm_tokens_per_job: Option<String>,
    pub llm_tokens_per_scope: Option<String>,
    pub llm_money_per_day: Option<String>,
    pub llm_money_per_job: Option<String>,
    pub llm_money_per_scope: Option<String>,
    pub llm_price_input: Option<String>,
    pub llm_price_output: Option<String>,
    pub schedule_enrich: Option<String>,
    pub schedule_consolidate: Option<String>,
    pub schedule_promote: Option<String>,
    pub schedule_decay: Option<String>,
    pub schedule_reflect: Option<String>,
    pub schedule_expire: Option<String>,
    pub decay_formula: Option<String>,
    pub decay_pace: Option<String>,
    pub decay_threshold: Option<String>,
    pub decay_rest_days: Option<String>,
    pub decay_exempt_layers: Option<String>,
    pub sessions_idle_minutes: Option<String>,
    pub sessions_keep_days: Option<String>,
    pub sessions_promotion: Option<String>,
    pub merge_similarity: Option<String>,
    pub guard_share: Option<String>,
    pub mcp_source: Option<String>,
    pub hooks: Option<String>,
    pub color: Option<String>,
}

impl Settings {
    /// Brings together the flags, the variables, both files and the defaults.
    pub fn load(around: &Surroundings, flags: &Overrides) -> Result<Self> {
        Self::load_by(around, flags, |values| values)
    }

    /// Does the same for an arrangement that somebody names by a flag of its own; where texts stand
    /// is only what the settings say if it is theirs.
    pub fn arranged(
        around: &Surroundings,
        mut flags: Overrides,
        preset: Preset,
        flag: &'static str,
    ) -> Result<Self> {
        let own = Self::load(around, &flags).ok().map(|own| own.values.preset.value);
        flags.preset = Some(preset.to_string());
        if matches!(preset, Preset::Postgres | Preset::Tiered) {
            flags.backend = Some("sqlite".to_owned());
        }
        Self::load_by(around, &flags, |mut values| {
            values.preset.origin = Origin::Flag(flag);
            if own != Some(preset) {
                values.routes.value = None;
            }
            values
        })
    }

    fn load_by(
        around: &Surroundings,
        flags: &Overrides,
        adapt: impl FnOnce(Values) -> Values,
    ) -> Result<Self> {
        let places = Places::of(around)?;
        let user_file = places.user_file.as_deref().map(file::read_if_present).transpose()?;
        let project_file = places.project_file.as_deref().map(file::read_if_present).transpose()?;
        let sources = Sources {
            around,
            data: places.data.as_deref(),
            user_file: user_file.flatten(),
            project_file: project_file.flatten(),
        };
        sources.check_project_file()?;
        let mut values = Values::of(&sources, flags)?;
        if let (Backend::Filesystem, Origin::Default, Some(folder)) =
            (values.backend.value, &values.store.origin, &values.memory_dir.value)
        {
            values.store.value = folder.join(INDEX);
        }
        let values = adapt(values);
        let llm = Llm::of(&values)?;
        let stores = Stores::of(&values)?;
        let Places { user_file, project_file, state, .. } = places;
        Ok(Self { values, llm, stores, state, user_file, project_file })
    }

    /// Returns the file that holds the memories, as an absolute path.
    pub fn store(&self) -> &Path {
        &self.values.store.value
    }

    /// Returns what has everything but the texts that stand elsewhere, as people read it.
    pub fn home(&self) -> String {
        match &self.stores.home {
            HomeAt::Sqlite => self.store().display().to_string(),
            HomeAt::Postgres(at) => at.url.to_string(),
        }
    }

    /// Returns which servers memories are kept on, if not in that file.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Returns what counts.
    pub fn backend(&self) -> Backend {
        self.values.backend.value
    }

    /// Returns the folder of files of markdown, as an absolute path.
    pub fn memory_dir(&self) -> &Path {
        self.values.memory_dir.value.as_deref().unwrap_or(Path::new(MEMORY))
    }

    /// Returns who is using Cofio.
    pub fn user(&self) -> &Identifier {
        &self.values.user.value
    }

    /// Returns the names at hand, for scopes.
    pub fn identifiers(&self) -> Identifiers {
        let values = &self.values;
        let named = [
            (Layer::Agent, &values.agent),
            (Layer::Session, &values.session),
            (Layer::Project, &values.project),
            (Layer::Team, &values.team),
            (Layer::Org, &values.org),
            (Layer::Company, &values.company),
        ];
        let start = Identifiers::default().with(Layer::User, values.user.value.clone());
        named.into_iter().fold(start, |all, (layer, given)| match &given.value {
            Some(identifier) => all.with(layer, identifier.clone()),
            None => all,
        })
    }

    /// Returns the layer that new memories go to.
    pub fn layer(&self) -> Layer {
        self.values.layer.value
    }

    /// Returns whether nobody said which layer new memories go to.
    pub fn layer_is_default(&self) -> bool {
        self.values.layer.origin == Origin::Default
    }

    /// Returns what new memories are.
    pub fn kind(&self) -> Kind {
        self.values.kind.value
    }

    /// Returns how many results to show.
    pub fn limit(&self) -> usize {
        self.values.limit.value
    }

    /// Returns who turns text into vectors.
    pub fn embedder(&self) -> EmbedderName {
        self.values.embedder.value
    }

    /// Returns the folder that models are kept in, as an absolute path.
    pub fn models_dir(&self) -> Result<&Path> {
        self.values.models_dir.value.as_deref().ok_or_else(|| {
            SettingsError::new(
                "cannot tell where to keep models, as there is no home folder: set HOME, COFIO_HOME or COFIO_MODELS_DIR",
            )
        })
    }

    /// Returns which language model may be asked, and for how much, if one is wanted.
    pub fn llm(&self) -> Option<&Llm> {
        self.llm.as_ref()
    }

    /// Returns what a call from an agent counts as at best.
    pub fn mcp_source(&self) -> SourceName {
        self.values.mcp_source.value
    }

    /// Returns what hooks of agents do.
    pub fn hooks(&self) -> Hooks {
        self.values.hooks.value
    }

    /// Returns the folder for what is neither a setting nor a memory, if there can be one.
    pub fn state_dir(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    /// Returns when to print in colour.
    pub fn color(&self) -> Color {
        self.values.color.value
    }

    /// Returns what governs the engine.
    pub fn config(&self) -> Config {
        let values = &self.values;
        let mut config = Config::default();
        config.limits.content_bytes = values.max_content_bytes.value;
        config.expiry.time_zone = values.time_zone.value.clone();
        config.expiry.episode = SignedDuration::from_hours(24 * values.episode_days.value);
        config.secret_replacement.clone_from(&values.secret_replacement.value);
        config.fail_on_secret = values.on_secret.value == OnSecret::Refuse;
        config.window_turns = values.window_turns.value;
        maintenance::govern(&mut config, values);
        config
    }

    /// Returns each task that is done by itself with its line of cron.
    pub fn schedule(&self) -> impl Iterator<Item = (Task, &str)> {
        maintenance::lines(&self.values)
    }

    /// Returns every value with its origin.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns every setting as text, in the order of the table.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.values.rows().into_iter()
    }

    /// Returns where the user's file is looked for, whether or not there is one.
    pub fn user_file(&self) -> Option<&Path> {
        self.user_file.as_deref()
    }

    /// Returns the project's file, if there is one.
    pub fn project_file(&self) -> Option<&Path> {
        self.project_file.as_deref()
    }
}

#[cfg(test)]
mod tests;
