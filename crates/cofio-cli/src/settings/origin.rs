//! Values that know where they came from.

use std::fmt;
use std::path::PathBuf;

/// A value and where it came from.
#[derive(Debug, Clone)]
pub struct Given<T> {
    pub value: T,
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag, by the name of its setting.
    Flag(&'static str),
    /// An environment variable, by its name.
    Variable(&'static str),
    /// A line of the project's or the user's file.
    File { path: PathBuf, line: usize },
    /// The folder that all worktrees of the repository share.
    Git(PathBuf),
    /// The name of the home folder.
    Home(PathBuf),
    /// Cofio itself.
    Default,
}

/// A setting as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub name: &'static str,
    /// `None` where nothing is set and nothing is needed.
    pub value: Option<String>,
    pub origin: Origin,
}

impl Origin {
    /// Returns whether a flag of this very command said so.
    pub fn is_flag(&self) -> bool {
        matches!(self, Self::Flag(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag --{}", name.replace(['_', '.'], "-")),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::File { path, line } => write!(f, "file {}:{line}", path.display()),
            Self::Git(common_dir) => write!(f, "git {}", common_dir.display()),
            Self::Home(folder) => write!(f, "home {}", folder.display()),
            Self::Default => f.write_str("default"),
        }
    }
}
