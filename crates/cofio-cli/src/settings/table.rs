//! The table of settings, written once.

use std::ffi::OsStr;
use std::path::PathBuf;

use cofio::config::Formula;
use cofio::lifecycle::spend::Money;
use cofio::model::{Identifier, Kind, Layer, Task};
use cofio_server::mcp::SourceName;
use jiff::tz::TimeZone;

use super::maintenance::{Layers, Line, Pace, Share};
use super::origin::{Given, Row};
use super::read::{Backend, Color, EmbedderName, Hooks, OnSecret, Provider};
use super::routes::Routes;
use super::sources::Sources;
use super::stores::{Address, Preset, Promise};
use super::{Overrides, Result, default, read};

/// What is known about a setting before it has a value.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name in files, with the table that it stands in, if any, before a dot; its flag has
    /// dashes where this has underscores and dots.
    pub name: &'static str,
    /// Its environment variable.
    pub variable: &'static str,
    /// Whether a project's file may set it.
    pub project_file: ProjectFile,
}

/// Whether a project's file may set something.
///
/// A cloned repository is not trusted: it may say where its own memories belong,
/// and nothing about the person who works in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectFile {
    MaySet,
    MayNotSet,
}

use ProjectFile::{MayNotSet, MaySet};

/// Makes the struct of all values, the list of all settings, and the way from one to the other.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident $(= $shown:literal)?: $type:ty, $variable:literal, $project_file:expr, $read:expr, $default:expr;)+) => {
        /// Every value with its origin.
        #[derive(Debug)]
        pub struct Values {
            $($(#[$doc])* pub $name: Given<$type>,)+
        }

        /// Every setting, in the order they are shown.
        pub const ALL: &[Setting] = &[
            $(Setting { name: shown!($name $($shown)?), variable: $variable, project_file: $project_file },)+
        ];

        impl Values {
            /// Takes each value from the strongest source that has it.
            pub(super) fn of(sources: &Sources<'_>, flags: &Overrides) -> Result<Self> {
                $(let $name = {
                    let flag = flags.$name.as_ref().map(AsRef::<OsStr>::as_ref);
                    sources.take(shown!($name $($shown)?), $variable, flag, $read, $default)?
                };)+
                Ok(Self { $($name),+ })
            }

            /// Returns every setting as text.
            pub(super) fn rows(&self) -> Vec<Row> {
                vec![$(Row {
                    name: shown!($name $($shown)?),
                    value: read::Shown::shown(&self.$name.value),
                    origin: self.$name.origin.clone(),
                },)+]
            }
        }
    };
}

/// Returns the name of a setting: that of its field, unless another is given.
macro_rules! shown {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $shown:literal) => {
        $shown
    };
}

settings! {
    /// The SQLite file that holds the memories.
    store: PathBuf, "COFIO_STORE", MayNotSet, read::file, default::store;
    /// What counts: the SQLite file, or files of markdown that it is the index of.
    backend: Backend, "COFIO_BACKEND", MayNotSet, read::backend, |_| default::fixed(Backend::Sqlite);
    /// The folder of files of markdown.
    memory_dir: Option<PathBuf>, "COFIO_MEMORY_DIR", MayNotSet, read::folder, default::memory_dir;

    /// Which servers memories are kept on, if not in one file.
    preset: Preset, "COFIO_PRESET", MayNotSet, read::parsed, |_| default::fixed(Preset::Embedded);
    /// Which texts stand on which server, in place of what the preset says.
    routes: Option<Routes>, "COFIO_ROUTES", MayNotSet, read::some_parsed, |_| default::fixed(None);
    /// Where PostgreSQL is; a password in it is never shown.
    postgres_url = "postgres.url": Option<Address>, "COFIO_POSTGRES_URL", MayNotSet, read::some_parsed, |_| default::fixed(None);
    /// The schema that memories are in.
    postgres_schema = "postgres.schema": String, "COFIO_POSTGRES_SCHEMA", MayNotSet, read::schema, |_| default::fixed("cofio".to_owned());
    /// How many connections there are at most.
    postgres_connections = "postgres.connections": usize, "COFIO_POSTGRES_CONNECTIONS", MayNotSet, read::number::<2, 1_000, _>, |_| default::fixed(8);
    /// How many milliseconds making a connection may take.
    postgres_connect_timeout_ms = "postgres.connect_timeout_ms": u64, "COFIO_POSTGRES_CONNECT_TIMEOUT_MS", MayNotSet, read::number::<10, 600_000, _>, |_| default::fixed(10_000);
    /// How many milliseconds one statement may take.
    postgres_statement_timeout_ms = "postgres.statement_timeout_ms": u64, "COFIO_POSTGRES_STATEMENT_TIMEOUT_MS", MayNotSet, read::number::<10, 3_600_000, _>, |_| default::fixed(60_000);
    /// How many milliseconds to wait for others who write.
    postgres_lock_timeout_ms = "postgres.lock_timeout_ms": u64, "COFIO_POSTGRES_LOCK_TIMEOUT_MS", MayNotSet, read::number::<10, 3_600_000, _>, |_| default::fixed(30_000);
    /// A file of certificates whose authorities are trusted, in place of the usual ones.
    postgres_certificates = "postgres.certificates": Option<PathBuf>, "COFIO_POSTGRES_CERTIFICATES", MayNotSet, read::some_file, |_| default::fixed(None);
    /// Where Redis is; a password in it is never shown.
    redis_url = "redis.url": Option<Address>, "COFIO_REDIS_URL", MayNotSet, read::some_parsed, |_| default::fixed(None);
    /// What Redis has to promise: durable, or as-configured.
    redis_promise = "redis.promise": Promise, "COFIO_REDIS_PROMISE", MayNotSet, read::parsed, |_| default::fixed(Promise::Durable);
    /// Where Qdrant listens for gRPC.
    qdrant_url = "qdrant.url": Option<Address>, "COFIO_QDRANT_URL", MayNotSet, read::some_parsed, |_| default::fixed(None);
    /// The variable that holds the key for Qdrant.
    qdrant_key_env = "qdrant.key_env": String, "COFIO_QDRANT_KEY_ENV", MayNotSet, read::variable, |_| default::fixed("QDRANT_API_KEY".to_owned());
    /// Where Chroma is.
    chroma_url = "chroma.url": Option<Address>, "COFIO_CHROMA_URL", MayNotSet, read::some_parsed, |_| default::fixed(None);
    /// The tenant of Chroma.
    chroma_tenant = "chroma.tenant": String, "COFIO_CHROMA_TENANT", MayNotSet, read::model, |_| default::fixed("default_tenant".to_owned());
    /// The database of that tenant.
    chroma_database = "chroma.database": String, "COFIO_CHROMA_DATABASE", MayNotSet, read::model, |_| default::fixed("default_database".to_owned());
    /// The variable that holds the key for Chroma.
    chroma_key_env = "chroma.key_env": String, "COFIO_CHROMA_KEY_ENV", MayNotSet, read::variable, |_| default::fixed("CHROMA_API_KEY".to_owned());
    /// Where Mem0 is.
    mem0_url = "mem0.url": Option<Address>, "COFIO_MEM0_URL", MayNotSet, read::some_parsed, |_| default::fixed(None);
    /// The variable that holds the key for Mem0.
    mem0_key_env = "mem0.key_env": String, "COFIO_MEM0_KEY_ENV", MayNotSet, read::variable, |_| default::fixed("MEM0_API_KEY".to_owned());
    /// How often a server that texts stand on is asked again.
    retry_retries = "retry.retries": u32, "COFIO_RETRY_RETRIES", MayNotSet, read::number::<0, 20, _>, |_| default::fixed(3);
    /// How many milliseconds pass before it is asked a second time.
    retry_first_delay_ms = "retry.first_delay_ms": u64, "COFIO_RETRY_FIRST_DELAY_MS", MayNotSet, read::number::<1, 60_000, _>, |_| default::fixed(1_000);
    /// How many milliseconds pass at most before it is asked again.
    retry_longest_delay_ms = "retry.longest_delay_ms": u64, "COFIO_RETRY_LONGEST_DELAY_MS", MayNotSet, read::number::<1, 600_000, _>, |_| default::fixed(30_000);
    /// How many milliseconds one answer may take.
    retry_timeout_ms = "retry.timeout_ms": u64, "COFIO_RETRY_TIMEOUT_MS", MayNotSet, read::number::<10, 600_000, _>, |_| default::fixed(10_000);

    /// Who is using Cofio.
    user: Identifier, "COFIO_USER", MayNotSet, read::identifier, default::user;
    /// The agent that works for the user.
    agent: Option<Identifier>, "COFIO_AGENT", MayNotSet, read::some_identifier, default::nothing;
    /// The conversation that is going on.
    session: Option<Identifier>, "COFIO_SESSION", MayNotSet, read::some_identifier, default::nothing;
    /// The project being worked on.
    project: Option<Identifier>, "COFIO_PROJECT", MaySet, read::some_identifier, default::project;
    /// The team the work is for.
    team: Option<Identifier>, "COFIO_TEAM", MaySet, read::some_identifier, default::nothing;
    /// The organisation the work is for.
    org: Option<Identifier>, "COFIO_ORG", MaySet, read::some_identifier, default::nothing;
    /// The company the work is for.
    company: Option<Identifier>, "COFIO_COMPANY", MaySet, read::some_identifier, default::nothing;

    /// The layer that new memories go to.
    layer: Layer, "COFIO_LAYER", MaySet, read::layer, |_| default::fixed(Layer::User);
    /// What new memories are.
    kind: Kind, "COFIO_KIND", MaySet, read::kind, |_| default::fixed(Kind::Fact);
    /// How many results to show.
    limit: usize, "COFIO_LIMIT", MaySet, read::number::<1, 1_000, _>, |_| default::fixed(10);

    /// In whose evening a day's context ends.
    time_zone: TimeZone, "COFIO_TIME_ZONE", MaySet, read::time_zone, |_| default::fixed(TimeZone::UTC);
    /// How many days an episode lives.
    episode_days: i64, "COFIO_EPISODE_DAYS", MaySet, read::number::<1, 365, _>, |_| default::fixed(90);
    /// How many turns a context window holds.
    window_turns: usize, "COFIO_WINDOW_TURNS", MaySet, read::number::<1, 100, _>, |_| default::fixed(5);
    /// What stands where a secret stood.
    secret_replacement: String, "COFIO_SECRET_REPLACEMENT", MayNotSet, read::replacement, default::replacement;
    /// Whether a text with a secret is kept without it or refused.
    on_secret: OnSecret, "COFIO_ON_SECRET", MayNotSet, read::on_secret, |_| default::fixed(OnSecret::Redact);
    /// The most bytes of one memory's text.
    max_content_bytes: usize, "COFIO_MAX_CONTENT_BYTES", MaySet, read::number::<1, 16_777_216, _>, |_| default::fixed(262_144);

    /// Who turns text into vectors.
    embedder: EmbedderName, "COFIO_EMBEDDER", MayNotSet, read::embedder, |_| default::fixed(EmbedderName::MiniLm);
    /// The folder that models are kept in.
    models_dir: Option<PathBuf>, "COFIO_MODELS_DIR", MayNotSet, read::folder, default::models_dir;
    /// The address of a server that speaks OpenAI's dialect, up to the version.
    openai_url = "openai.url": String, "COFIO_OPENAI_URL", MayNotSet, read::url, default::openai_url;
    /// The model that the server is asked for.
    openai_model = "openai.model": String, "COFIO_OPENAI_MODEL", MayNotSet, read::model, default::openai_model;
    /// How many dimensions the server is asked for, if not for the model's own.
    openai_dimensions = "openai.dimensions": Option<usize>, "COFIO_OPENAI_DIMENSIONS", MayNotSet, read::dimensions, |_| default::fixed(None);
    /// The variable that holds the key for the server; the key itself is never a setting.
    openai_key_env = "openai.key_env": String, "COFIO_OPENAI_KEY_ENV", MayNotSet, read::variable, default::openai_key_env;

    /// Who is asked where a language model helps.
    llm_provider = "llm.provider": Provider, "COFIO_LLM_PROVIDER", MayNotSet, read::provider, |_| default::fixed(Provider::None);
    /// The address of the server, up to the version, if not the provider's own.
    llm_url = "llm.url": Option<String>, "COFIO_LLM_URL", MayNotSet, read::some_url, |_| default::fixed(None);
    /// The language model that the server is asked for.
    llm_model = "llm.model": Option<String>, "COFIO_LLM_MODEL", MayNotSet, read::some_model, |_| default::fixed(None);
    /// The variable that holds the key for the server, if not the provider's usual one.
    llm_key_env = "llm.key_env": Option<String>, "COFIO_LLM_KEY_ENV", MayNotSet, read::some_variable, |_| default::fixed(None);
    /// The most tokens of a day.
    llm_tokens_per_day = "llm.tokens_per_day": Option<u64>, "COFIO_LLM_TOKENS_PER_DAY", MayNotSet, read::tokens, |_| default::fixed(None);
    /// The most tokens of one job.
    llm_tokens_per_job = "llm.tokens_per_job": Option<u64>, "COFIO_LLM_TOKENS_PER_JOB", MayNotSet, read::tokens, |_| default::fixed(None);
    /// The most tokens of a day for the memories of one scope.
    llm_tokens_per_scope = "llm.tokens_per_scope": Option<u64>, "COFIO_LLM_TOKENS_PER_SCOPE", MayNotSet, read::tokens, |_| default::fixed(None);
    /// The most money of a day.
    llm_money_per_day = "llm.money_per_day": Option<Money>, "COFIO_LLM_MONEY_PER_DAY", MayNotSet, read::money, |_| default::fixed(None);
    /// The most money of one job.
    llm_money_per_job = "llm.money_per_job": Option<Money>, "COFIO_LLM_MONEY_PER_JOB", MayNotSet, read::money, |_| default::fixed(None);
    /// The most money of a day for the memories of one scope.
    llm_money_per_scope = "llm.money_per_scope": Option<Money>, "COFIO_LLM_MONEY_PER_SCOPE", MayNotSet, read::money, |_| default::fixed(None);
    /// What a million tokens cost that the model reads.
    llm_price_input = "llm.price_input": Option<Money>, "COFIO_LLM_PRICE_INPUT", MayNotSet, read::money, |_| default::fixed(None);
    /// What a million tokens cost that the model writes.
    llm_price_output = "llm.price_output": Option<Money>, "COFIO_LLM_PRICE_OUTPUT", MayNotSet, read::money, |_| default::fixed(None);

    /// When names are looked for: a line of cron, or off.
    schedule_enrich = "schedule.enrich": Line, "COFIO_SCHEDULE_ENRICH", MayNotSet, read::parsed, |_| default::fixed(Line::usual(Task::Enrich));
    /// When facts are learnt from conversations: a line of cron, or off.
    schedule_consolidate = "schedule.consolidate": Line, "COFIO_SCHEDULE_CONSOLIDATE", MayNotSet, read::parsed, |_| default::fixed(Line::usual(Task::Consolidate));
    /// When what matters of conversations is taken to their user: a line of cron, or off.
    schedule_promote = "schedule.promote": Line, "COFIO_SCHEDULE_PROMOTE", MayNotSet, read::parsed, |_| default::fixed(Line::usual(Task::Promote));
    /// When what nobody uses is put away: a line of cron, or off.
    schedule_decay = "schedule.decay": Line, "COFIO_SCHEDULE_DECAY", MayNotSet, read::parsed, |_| default::fixed(Line::usual(Task::Decay));
    /// When the week is looked back on: a line of cron, or off.
    schedule_reflect = "schedule.reflect": Line, "COFIO_SCHEDULE_REFLECT", MayNotSet, read::parsed, |_| default::fixed(Line::usual(Task::Reflect));
    /// When what has ended is removed: a line of cron, or off.
    schedule_expire = "schedule.expire": Line, "COFIO_SCHEDULE_EXPIRE", MayNotSet, read::parsed, |_| default::fixed(Line::usual(Task::Expire));
    /// How memories fade.
    decay_formula = "decay.formula": Formula, "COFIO_DECAY_FORMULA", MayNotSet, read::formula, |_| default::fixed(Formula::Ebbinghaus);
    /// How many times as fast as usual memories fade; at 0 none does.
    decay_pace = "decay.pace": Pace, "COFIO_DECAY_PACE", MayNotSet, read::parsed, |_| default::fixed(Pace(1.0));
    /// The strength below which a memory is out of use.
    decay_threshold = "decay.threshold": Share, "COFIO_DECAY_THRESHOLD", MayNotSet, read::parsed, |_| default::fixed(Share(0.05));
    /// How many days a memory is out of use before it is put away.
    decay_rest_days = "decay.rest_days": i64, "COFIO_DECAY_REST_DAYS", MayNotSet, read::number::<0, 36_500, _>, |_| default::fixed(30);
    /// The layers where nothing fades.
    decay_exempt_layers = "decay.exempt_layers": Option<Layers>, "COFIO_DECAY_EXEMPT_LAYERS", MayNotSet, read::some_parsed, |_| default::fixed(None);
    /// How many minutes a conversation rests before it is over.
    sessions_idle_minutes = "sessions.idle_minutes": i64, "COFIO_SESSIONS_IDLE_MINUTES", MayNotSet, read::number::<1, 525_600, _>, |_| default::fixed(30);
    /// How many days a conversation's own memories stay after it; without a number, until they are forgotten.
    sessions_keep_days = "sessions.keep_days": Option<i64>, "COFIO_SESSIONS_KEEP_DAYS", MayNotSet, read::some_days, |_| default::fixed(None);
    /// The importance from which a conversation's memories are taken to its user.
    sessions_promotion = "sessions.promotion": Share, "COFIO_SESSIONS_PROMOTION", MayNotSet, read::parsed, |_| default::fixed(Share(0.7));
    /// How alike two memories are at least that are brought together.
    merge_similarity = "merge.similarity": Share, "COFIO_MERGE_SIMILARITY", MayNotSet, read::parsed, |_| default::fixed(Share(0.9));
    /// The share of memories that a job may put out of use without anybody's word.
    guard_share = "guard.share": Share, "COFIO_GUARD_SHARE", MayNotSet, read::parsed, |_| default::fixed(Share(0.3));

    /// What a call from an agent counts as at best.
    mcp_source = "mcp.source": SourceName, "COFIO_MCP_SOURCE", MayNotSet, read::source, |_| default::fixed(SourceName::User);
    /// What hooks of agents do.
    hooks: Hooks, "COFIO_HOOKS", MayNotSet, read::hooks, |_| default::fixed(Hooks::All);

    /// When to print in colour.
    color: Color, "COFIO_COLOR", MayNotSet, read::color, default::color;
}

/// Returns the setting of that name.
pub fn find(name: &str) -> Option<&'static Setting> {
    ALL.iter().find(|setting| setting.name == name)
}

/// Returns whether some settings stand in a table of that name.
pub fn is_table(name: &str) -> bool {
    ALL.iter().any(|setting| setting.name.split_once('.').is_some_and(|(table, _)| table == name))
}

/// Returns the setting that `name` was probably meant to be.
pub fn nearest(name: &str) -> Option<&'static Setting> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    if let Some(longer) = ALL.iter().find(|s| name.len() > 3 && s.name.starts_with(&name)) {
        return Some(longer);
    }
    let distance = |setting: &&Setting| strsim::damerau_levenshtein(&name, setting.name);
    let nearest = ALL.iter().min_by_key(distance)?;
    (distance(&nearest) * 2 <= nearest.name.len()).then_some(nearest)
}
