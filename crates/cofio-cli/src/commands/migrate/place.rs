//! The two ends of a move: what somebody named, and how it is opened.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Result;
use cofio::shelved::MovableShelved;
use cofio::store::{MemoryStore, Movable, SqliteStore, Store};
use cofio::{Error, ErrorKind};
use cofio_adapters::postgres::PostgresStore;

use crate::arguments::Globals;
use crate::failure::Refusal;
use crate::home::{named, postgres_options, shelves};
use crate::settings::{Address, HomeAt, Overrides, PostgresAt, Preset, Settings, Surroundings};

/// A store as somebody named it.
#[derive(Clone)]
pub enum Named {
    Preset(Preset),
    File(PathBuf),
    Address(Address),
    /// The address of something else, which may have a password in it.
    Unknown,
}

impl FromStr for Named {
    type Err = Infallible;

    fn from_str(raw: &str) -> std::result::Result<Self, Infallible> {
        if let Ok(preset) = raw.parse() {
            return Ok(Self::Preset(preset));
        }
        if !raw.contains("://") {
            return Ok(Self::File(PathBuf::from(raw)));
        }
        let known = ["postgres://", "postgresql://"].iter().any(|one| raw.starts_with(one));
        let address = raw.parse().ok().filter(|_| known);
        Ok(address.map_or(Self::Unknown, Self::Address))
    }
}

/// Leaves passwords out.
impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preset(preset) => write!(f, "{preset}"),
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Address(address) => write!(f, "{address}"),
            Self::Unknown => f.write_str("an address"),
        }
    }
}

/// A store, by the settings that lead to it.
pub struct Place {
    settings: Settings,
    around: Surroundings,
}

impl Place {
    /// Returns what somebody named by a flag, or what the settings say.
    pub fn of(
        flag: &'static str,
        named: Option<&Named>,
        schema: Option<&str>,
        globals: &Globals,
    ) -> Result<Self> {
        let around = Surroundings::of_process()?;
        let mut flags = Overrides::from(globals);
        flags.postgres_schema = schema.map(str::to_owned);
        let settings = match named {
            None => Settings::load(&around, &flags)?,
            Some(Named::Preset(preset)) => Settings::arranged(&around, flags, *preset, flag)?,
            Some(Named::File(file)) => {
                flags.store = Some(file.clone());
                Settings::arranged(&around, flags, Preset::Embedded, flag)?
            }
            Some(Named::Address(address)) => {
                flags.postgres_url = Some(address.reveal().to_owned());
                Settings::arranged(&around, flags, Preset::Postgres, flag)?
            }
            Some(Named::Unknown) => {
                let advice = "only PostgreSQL has an address here, such as \
                              postgres://cofio@127.0.0.1/cofio";
                return Err(Refusal::Usage(advice.to_owned()).into());
            }
        };
        Ok(Self { settings, around })
    }

    /// Refuses two names of one store.
    pub fn refuse_same(&self, other: &Self) -> Result<()> {
        let (is_same, advice) = match (&self.settings.stores().home, &other.settings.stores().home)
        {
            (HomeAt::Sqlite, HomeAt::Sqlite) => {
                let whole = |place: &Self| {
                    let store = place.settings.store();
                    store.canonicalize().unwrap_or_else(|_| store.to_owned())
                };
                let advice = "name the file it comes from with --from, and another with --store";
                (whole(self) == whole(other), advice)
            }
            (HomeAt::Postgres(one), HomeAt::Postgres(two)) => {
                let is_same = one.url == two.url && one.schema == two.schema;
                (is_same, "name another schema with --to-schema")
            }
            _ => (false, ""),
        };
        if is_same {
            let message = format!("{self} and {other} are in the same place: {advice}");
            return Err(Refusal::Usage(message).into());
        }
        Ok(())
    }

    /// Opens what is there, to be read.
    pub fn open(&self) -> Result<Arc<dyn Movable>> {
        match &self.settings.stores().home {
            HomeAt::Sqlite => {
                let store = self.settings.store();
                if !store.exists() {
                    let message = format!("there is no store at {}", store.display());
                    return Err(Error::new(ErrorKind::NotFound, message).into());
                }
                self.around_file(SqliteStore::open_current(store)?)
            }
            HomeAt::Postgres(at) => {
                let opened = PostgresStore::open_current(&postgres_options(at));
                self.around_schema(opened.map_err(|error| named(error, &at.url))?)
            }
        }
    }

    /// Opens what is to be filled; if nothing is to be changed, nothing is made.
    pub fn open_to_fill(&self, dry_run: bool) -> Result<Arc<dyn Movable>> {
        match &self.settings.stores().home {
            HomeAt::Sqlite => {
                let store = self.settings.store();
                if dry_run && !store.exists() {
                    return Ok(Arc::new(MemoryStore::new()));
                }
                self.around_file(SqliteStore::open_to_fill(store)?)
            }
            HomeAt::Postgres(at) => {
                let options = postgres_options(at);
                let opened = if dry_run {
                    PostgresStore::open_to_look(&options)
                } else {
                    PostgresStore::open_to_fill(&options)
                };
                match opened {
                    Err(error) if dry_run && error.kind() == ErrorKind::NotFound => {
                        Ok(Arc::new(MemoryStore::new()))
                    }
                    opened => self.around_schema(opened.map_err(|error| named(error, &at.url))?),
                }
            }
        }
    }

    fn around_file(&self, file: SqliteStore) -> Result<Arc<dyn Movable>> {
        let unique_name = file.unique_name().to_owned();
        self.around_home(Arc::new(file), &unique_name)
    }

    fn around_schema(&self, schema: PostgresStore) -> Result<Arc<dyn Movable>> {
        let unique_name = schema.unique_name().to_owned();
        self.around_home(Arc::new(schema), &unique_name)
    }

    /// Puts the shelves around a home of this name, if there are any.
    fn around_home<T: Movable + Store + 'static>(
        &self,
        home: Arc<T>,
        unique_name: &str,
    ) -> Result<Arc<dyn Movable>> {
        let Some(routes) = &self.settings.stores().routes else { return Ok(home) };
        let shelves = shelves::open(unique_name, &self.settings, &self.around)?;
        let shelved = shelves::around(home.clone(), &shelves, routes.rules())?;
        Ok(Arc::new(MovableShelved::new(shelved, home)))
    }

    /// Returns what has to be set so that this is used.
    pub fn setting(&self) -> String {
        let preset = self.settings.values().preset.value;
        match &self.settings.stores().home {
            HomeAt::Sqlite => {
                format!("preset = \"{preset}\" and store = \"{}\"", self.settings.store().display())
            }
            HomeAt::Postgres(PostgresAt { schema, .. }) => {
                format!("preset = \"{preset}\", postgres.url and postgres.schema = \"{schema}\"")
            }
        }
    }
}

/// Writes where it is, without passwords.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let home = match &self.settings.stores().home {
            HomeAt::Sqlite => self.settings.home(),
            HomeAt::Postgres(at) => format!("{} in {}", at.schema, self.settings.home()),
        };
        match self.settings.stores().elsewhere() {
            Some(servers) => write!(f, "{home} with {servers}"),
            None => f.write_str(&home),
        }
    }
}
