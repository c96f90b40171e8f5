//! Where files are: the user's, the project's and the memories'.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::{Result, SettingsError};
use crate::project;

/// The name of a settings file.
const CONFIG: &str = "config.toml";

/// The name of the file that holds the memories.
pub const STORE: &str = "cofio.db";

/// Where files of markdown are in a project.
pub const MEMORY: &str = ".cofio/memory";

/// Where the index of a folder of such files is in it.
pub const INDEX: &str = ".cofio/index.db";

/// The name of the folder that holds the models.
pub const MODELS: &str = "models";

/// Looks up an environment variable.
type Lookup = Box<dyn Fn(&str) -> Option<OsString>>;

/// What the command sees of the machine it runs on.
pub struct Surroundings {
    /// The environment variables.
    pub env: Lookup,
    /// The working folder, absolute.
    pub folder: PathBuf,
    /// The home folder, absolute.
    pub home: Option<PathBuf>,
    /// Whose customs to follow.
    pub platform: Platform,
}

/// Whose customs to follow for where files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Unix,
    MacOs,
    Windows,
}

/// Where files are, whether or not they exist.
#[derive(Debug)]
pub struct Places {
    pub user_file: Option<PathBuf>,
    pub project_file: Option<PathBuf>,
    pub data: Option<PathBuf>,
    pub state: Option<PathBuf>,
}

impl Surroundings {
    /// Returns those of this process.
    pub fn of_process() -> Result<Self> {
        let folder = env::current_dir().map_err(|error| {
            SettingsError::new(format!("cannot tell the working folder: {error}"))
        })?;
        let home = env::home_dir().filter(|home| home.is_absolute());
        Ok(Self {
            env: Box::new(|name| env::var_os(name)),
            folder,
            home,
            platform: Platform::own(),
        })
    }

    /// Returns a variable; one that is empty counts as not set.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        (self.env)(name).filter(|value| !value.is_empty())
    }
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("folder", &self.folder)
            .field("home", &self.home)
            .field("platform", &self.platform)
            .finish_non_exhaustive()
    }
}

impl Platform {
    fn own() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Unix
        }
    }
}

impl Places {
    /// Finds the places for these surroundings.
    pub fn of(around: &Surroundings) -> Result<Self> {
        let Folders { config, data, state } = folders(around)?;
        let user_file = config.map(|folder| folder.join(CONFIG));
        let project_file = project_file(around, user_file.as_deref());
        Ok(Self { user_file, project_file, data, state })
    }
}

/// The folders that are Cofio's own.
struct Folders {
    config: Option<PathBuf>,
    data: Option<PathBuf>,
    state: Option<PathBuf>,
}

/// Returns the folder for what is neither a setting nor a memory, if there can be one.
pub fn state_dir(around: &Surroundings) -> Option<PathBuf> {
    folders(around).ok()?.state
}

/// Returns the folders for settings, for memories and for everything else.
fn folders(around: &Surroundings) -> Result<Folders> {
    if let Some(own) = around.variable("COFIO_HOME") {
        let own = absolute(Path::new(&own), &around.folder, around.home.as_deref())
            .map_err(|advice| SettingsError::new(format!("cannot use COFIO_HOME: {advice}")))?;
        return Ok(Folders {
            config: Some(own.clone()),
            data: Some(own.clone()),
            state: Some(own),
        });
    }
    // The XDG specification has relative paths ignored.
    let named = |name| around.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let below_home = |path| around.home.as_ref().map(|home| home.join(path));
    let (config, data, state) = match around.platform {
        Platform::Unix => {
            (below_home(".config"), below_home(".local/share"), below_home(".local/state"))
        }
        Platform::MacOs => {
            let support = below_home("Library/Application Support");
            (support.clone(), support.clone(), support)
        }
        Platform::Windows => {
            let local = named("LOCALAPPDATA").or_else(|| below_home("AppData/Local"));
            let roaming = named("APPDATA").or_else(|| below_home("AppData/Roaming"));
            (roaming, local.clone(), local)
        }
    };
    let own = |variable, usual: Option<PathBuf>| {
        named(variable).or(usual).map(|folder| folder.join("cofio"))
    };
    Ok(Folders {
        config: own("XDG_CONFIG_HOME", config),
        data: own("XDG_DATA_HOME", data),
        state: own("XDG_STATE_HOME", state),
    })
}

/// Returns the nearest project file at or above the working folder.
///
/// The search ends at the top of a git repository and below the home folder;
/// the user's own file is never a project's.
fn project_file(around: &Surroundings, user_file: Option<&Path>) -> Option<PathBuf> {
    let top = project::top_level(&around.folder);
    let same = |a: &Path, b: Option<&Path>| {
        b.is_some_and(|b| {
            a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
        })
    };
    for folder in around.folder.ancestors() {
        if same(folder, around.home.as_deref()) {
            return None;
        }
        let file = folder.join(".cofio").join(CONFIG);
        if file.is_file() && !same(&file, user_file) {
            return Some(file);
        }
        if Some(folder) == top {
            return None;
        }
    }
    None
}

/// Makes a path absolute: `~` is the home folder, and a relative path starts at `base`.
pub fn absolute(
    path: &Path,
    base: &Path,
    home: Option<&Path>,
) -> std::result::Result<PathBuf, String> {
    let start = match path.strip_prefix("~") {
        Ok(rest) => home.ok_or("there is no home folder to put for ~: set HOME")?.join(rest),
        Err(_) => base.join(path),
    };
    // Leaves out what `.` adds; `..` stays, as it may lead through a link.
    Ok(start.components().collect())
}
