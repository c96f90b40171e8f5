//! Which servers memories are kept on, if not in one file.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::read::Backend;
use super::routes::{Routes, ShelfName};
use super::table::Values;
use super::{Result, SettingsError};

/// A usual arrangement of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Everything in one SQLite file.
    Embedded,
    /// Everything in PostgreSQL.
    Postgres,
    /// By how long memories live and how they are found: Redis, PostgreSQL and Qdrant.
    Tiered,
    /// Texts and meanings in Chroma, everything else in one SQLite file.
    Chroma,
}

impl Preset {
    fn as_str(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Postgres => "postgres",
            Self::Tiered => "tiered",
            Self::Chroma => "chroma",
        }
    }

    /// Returns where texts stand, unless somebody says otherwise.
    fn routes(self) -> Option<Routes> {
        let rules = match self {
            Self::Embedded | Self::Postgres => return None,
            Self::Tiered => {
                "state:archived -> qdrant; kind:working,context -> redis; \
                 kind:fact layer:user -> home; kind:fact,reflection -> qdrant; * -> home"
            }
            Self::Chroma => "* -> chroma",
        };
        Some(rules.parse().expect("it is written as rules are"))
    }

    fn wants_postgres(self) -> bool {
        matches!(self, Self::Postgres | Self::Tiered)
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(raw: &str) -> std::result::Result<Self, String> {
        let all = [Self::Embedded, Self::Postgres, Self::Tiered, Self::Chroma];
        let known = all.into_iter().find(|preset| preset.as_str() == raw);
        known.ok_or_else(|| "give embedded, postgres, tiered or chroma".to_owned())
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The address of a server, perhaps with a password, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// Returns all of it, for whoever connects.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(raw: &str) -> std::result::Result<Self, String> {
        let visible = raw.bytes().all(|byte| byte.is_ascii_graphic());
        let host = raw.split_once("://").map_or("", |(_, rest)| rest);
        if !visible || host.is_empty() || raw.len() > 2_000 {
            return Err("give an address such as \"postgres://cofio@127.0.0.1/cofio\", \
                        \"redis://127.0.0.1:6379\" or \"http://127.0.0.1:8000\""
                .to_owned());
        }
        Ok(Self(raw.to_owned()))
    }
}

/// Leaves the password out, and everything behind the path, where one may hide.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("", &self.0));
        f.pad(&format!("{scheme}://{}", without_password(rest)))
    }
}

/// Returns what follows the scheme, without any password.
///
/// A password that nobody has encoded may have any character in it, so that only the last `@` says
/// where it ends; the servers' drivers do not agree on what it means before that.
fn without_password(rest: &str) -> String {
    let Some((user, server)) = rest.rsplit_once('@') else { return without_odd_port(rest) };
    let behind = user.find(['?', '#']).map_or("", |at| &user[at..]);
    if behind.contains('=') {
        // Perhaps the last @ is part of a parameter, and what follows it is secret as well.
        return HIDDEN.to_owned();
    }
    let name = user.split([':', '/', '?', '#']).next().unwrap_or_default();
    let hidden = if name == user { String::new() } else { format!(":{HIDDEN}") };
    format!("{name}{hidden}@{}", until_parameters(server))
}

/// Returns where servers are, unless a port is none: somebody may have left out the host, so that it
/// is a password.
fn without_odd_port(rest: &str) -> String {
    let place = until_parameters(rest);
    let (hosts, path) = place.find('/').map_or((place, ""), |at| place.split_at(at));
    let has_port = |host: &str| {
        // What stands in brackets has colons of its own.
        let behind = host.rsplit(']').next().unwrap_or_default();
        behind
            .split_once(':')
            .is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if hosts.split(',').all(has_port) { format!("{hosts}{path}") } else { HIDDEN.to_owned() }
}

fn until_parameters(place: &str) -> &str {
    place.split(['?', '#']).next().unwrap_or_default()
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// What stands for what is not shown.
const HIDDEN: &str = "***";

/// What Redis has to promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// That what it acknowledged is on disk.
    Durable,
    /// Whatever it is set to.
    AsConfigured,
}

impl FromStr for Promise {
    type Err = String;

    fn from_str(raw: &str) -> std::result::Result<Self, String> {
        match raw {
            "durable" => Ok(Self::Durable),
            "as-configured" => Ok(Self::AsConfigured),
            _ => Err("give durable or as-configured".to_owned()),
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Durable => "durable",
            Self::AsConfigured => "as-configured",
        })
    }
}

/// Where memories are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stores {
    /// What has everything but the texts that stand elsewhere.
    pub home: HomeAt,
    /// Which texts stand elsewhere.
    pub routes: Option<Routes>,
    /// The servers that they stand on, with the address of each.
    pub shelves: Vec<(ShelfName, Address)>,
    /// How patiently servers are asked.
    pub patience: Patience,
}

/// What has everything but the texts that stand elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomeAt {
    /// The SQLite file.
    Sqlite,
    /// A schema in PostgreSQL.
    Postgres(PostgresAt),
}

/// A schema in PostgreSQL, and how to get there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresAt {
    pub url: Address,
    pub schema: String,
    pub connections: usize,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// How long one statement may take.
    pub statement_timeout: Duration,
    /// How long to wait for others who write.
    pub lock_timeout: Duration,
    pub certificates: Option<PathBuf>,
}

/// How patiently servers are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often to try again.
    pub retries: u32,
    /// How long to wait before the second attempt.
    pub first_delay: Duration,
    /// The longest wait.
    pub longest_delay: Duration,
    /// How long one attempt may take.
    pub timeout: Duration,
}

impl Stores {
    /// Brings the settings together, or says what is missing.
    pub(super) fn of(values: &Values) -> Result<Self> {
        let preset = values.preset.value;
        let home = if preset.wants_postgres() { postgres(values)? } else { HomeAt::Sqlite };
        if home != HomeAt::Sqlite && values.backend.value == Backend::Filesystem {
            return Err(cannot(
                values,
                "files of markdown count only beside an SQLite file: \
                                       set backend to sqlite, or the preset to embedded",
            ));
        }
        let routes = values.routes.value.clone().or_else(|| preset.routes());
        let named = routes.as_ref().map(Routes::shelves).unwrap_or_default();
        let shelves =
            named.into_iter().map(|shelf| address(values, shelf)).collect::<Result<_>>()?;
        let seconds = Duration::from_millis;
        let patience = Patience {
            retries: values.retry_retries.value,
            first_delay: seconds(values.retry_first_delay_ms.value),
            longest_delay: seconds(values.retry_longest_delay_ms.value),
            timeout: seconds(values.retry_timeout_ms.value),
        };
        Ok(Self { home, routes, shelves, patience })
    }

    /// Returns the names of the servers that texts stand on, if there are any.
    pub fn elsewhere(&self) -> Option<String> {
        let names: Vec<&str> = self.shelves.iter().map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

fn postgres(values: &Values) -> Result<HomeAt> {
    let missing = "nobody said where PostgreSQL is: set postgres.url, or the variable \
                   COFIO_POSTGRES_URL, to an address such as postgres://cofio@127.0.0.1/cofio";
    Ok(HomeAt::Postgres(PostgresAt {
        url: values.postgres_url.value.clone().ok_or_else(|| cannot(values, missing))?,
        schema: values.postgres_schema.value.clone(),
        connections: values.postgres_connections.value,
        connect_timeout: Duration::from_millis(values.postgres_connect_timeout_ms.value),
        statement_timeout: Duration::from_millis(values.postgres_statement_timeout_ms.value),
        lock_timeout: Duration::from_millis(values.postgres_lock_timeout_ms.value),
        certificates: values.postgres_certificates.value.clone(),
    }))
}

fn address(values: &Values, shelf: ShelfName) -> Result<(ShelfName, Address)> {
    let (given, example) = match shelf {
        ShelfName::Redis => (&values.redis_url.value, "redis://127.0.0.1:6379"),
        ShelfName::Qdrant => (&values.qdrant_url.value, "http://127.0.0.1:6334"),
        ShelfName::Chroma => (&values.chroma_url.value, "http://127.0.0.1:8000"),
        ShelfName::Mem0 => (&values.mem0_url.value, "https://api.mem0.ai"),
    };
    let name = shelf.as_str();
    let variable = name.to_uppercase();
    let missing = || {
        let why = format!(
            "nobody said where {name} is: set {name}.url, or the variable COFIO_{variable}_URL, \
             to an address such as {example}"
        );
        cannot(values, &why)
    };
    Ok((shelf, given.clone().ok_or_else(missing)?))
}

fn cannot(values: &Values, why: &str) -> SettingsError {
    let (preset, routes) = (&values.preset, &values.routes);
    let (what, origin) = match &routes.value {
        Some(_) => (format!("the routes beside the preset {}", preset.value), &routes.origin),
        None => (format!("the preset {}", preset.value), &preset.origin),
    };
    SettingsError::new(format!("cannot use {what} ({origin}), as {why}"))
}

#[cfg(test)]
mod tests {
    use cofio::Engine;
    use cofio::model::{
        Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, Memory, Scope, Source, State,
        Timestamp,
    };
    use cofio::store::MemoryStore;
    use pollster::block_on;

    use super::*;

    /// What the guide says of the preset `tiered`.
    const TOLD: &str = "working and context memories in Redis; facts and reflections in Qdrant, \
                        except what a user told of themselves; what is archived in Qdrant; \
                        everything else in PostgreSQL";

    /// Where a preset `tiered` puts what is in use: of a user, and of anybody else.
    const TIERED: [(Kind, &str, &str); 6] = [
        (Kind::Working, "redis", "redis"),
        (Kind::Context, "redis", "redis"),
        (Kind::Episode, "home", "home"),
        (Kind::Fact, "home", "qdrant"),
        (Kind::Procedure, "home", "home"),
        (Kind::Reflection, "qdrant", "qdrant"),
    ];

    #[test]
    fn tiered_puts_everything_where_the_guide_says() {
        assert!(include_str!("../../../../docs/guide/scale.md").contains(TOLD));
        assert_eq!(TIERED.map(|(kind, ..)| kind).as_slice(), Kind::ALL);
        let rules = Preset::Tiered.routes().unwrap().rules();
        let plain = memory();
        let name = Identifier::new("x").unwrap();
        let names = |all: Identifiers, layer: &Layer| all.with(*layer, name.clone());
        let identifiers = Layer::ALL.iter().fold(Identifiers::default(), names);
        for (kind, of_user, of_others) in TIERED {
            for layer in Layer::ALL {
                let scope = Scope::new(*layer, &identifiers).unwrap();
                for state in State::ALL {
                    let in_use = if *layer == Layer::User { of_user } else { of_others };
                    let expected = if *state == State::Archived { "qdrant" } else { in_use };
                    let memory =
                        Memory { kind, scope: scope.clone(), state: *state, ..plain.clone() };
                    let shelf = rules.shelf(&memory).map_or("home", Identifier::as_str);
                    assert_eq!(shelf, expected, "{kind} of {layer}, {state}");
                }
            }
        }
    }

    fn memory() -> Memory {
        let alice = Identifier::new("alice").unwrap();
        let source = Source::through(Channel::ExplicitSave);
        let draft = Draft::new(Scope::user(alice.clone()), Kind::Fact, "Alice keeps bees", source);
        let engine = Engine::new(MemoryStore::new(), || Timestamp::UNIX_EPOCH);
        block_on(engine.remember(&Caller::local(alice), draft)).unwrap().memory
    }

    #[test]
    fn no_password_is_shown() {
        let check = |raw: &str, expected: &str| {
            let address: Address = raw.parse().unwrap();
            assert_eq!(address.to_string(), expected);
            assert!(!format!("{address:?}").contains("secret"));
        };
        check(
            "postgres://me:secret@db:5432/cofio?sslmode=require",
            "postgres://me:***@db:5432/cofio",
        );
        check("redis://:secret@127.0.0.1/0", "redis://:***@127.0.0.1/0");
        check("redis://me:se@secret@host", "redis://me:***@host");
        check("postgres://me:secret/more@db/cofio", "postgres://me:***@db/cofio");
        check("postgres://me:sec/secret@db/cofio", "postgres://me:***@db/cofio");
        check("postgres://me:sec?secret@db/cofio", "postgres://me:***@db/cofio");
        check("postgres://me:sec#secret@db/cofio", "postgres://me:***@db/cofio");
        check("postgres://me:se@sec/secret@db/cofio", "postgres://me:***@db/cofio");
        check("postgres://me:sec?s=cret@secret@db/cofio", "postgres://***");
        check("postgres://me@db/cofio?password=secret", "postgres://me@db/cofio");
        check("postgres://me@db/cofio?password=my@secret", "postgres://***");
        check("postgres://db/cofio?password=my@secret", "postgres://***");
        check("postgres://me:secret", "postgres://***");
        check("postgres://me@db", "postgres://me@db");
        check(
            "postgres://me:secret@[::1]:5432,db:5433/cofio",
            "postgres://me:***@[::1]:5432,db:5433/cofio",
        );
        check(
            "postgres://[::1]:5432,[::2],db:5433/cofio",
            "postgres://[::1]:5432,[::2],db:5433/cofio",
        );
        check("rediss://:sec/secret@host:6379/0", "rediss://:***@host:6379/0");
        check("redis://host:6379/0?password=secret", "redis://host:6379/0");
        check("http://me:sec/secret@host:6334", "http://me:***@host:6334");
        check("http://host/?key=secret", "http://host/");
        check("http://host/#secret", "http://host/");
        check("http://127.0.0.1:8000", "http://127.0.0.1:8000");
    }

    #[test]
    fn every_preset_is_what_it_is_called() {
        for preset in [Preset::Embedded, Preset::Postgres, Preset::Tiered, Preset::Chroma] {
            assert_eq!(preset.to_string().parse(), Ok(preset));
            preset.routes();
        }
    }
}
