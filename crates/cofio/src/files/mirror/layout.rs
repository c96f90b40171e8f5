//! Which file a memory stands in, if nobody has put it into another, and what a new text in a file is.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use super::workspace::Workspace;
use crate::files::compare::Bare;
use crate::files::folder::Relative;
use crate::files::{Form, Shape};
use crate::model::{Kind, Memory, Scope, Timestamp};

/// The folder of what happened, a file for each day.
const DAILY: &str = "daily/";

/// The folder of topics, each of which is one memory.
const WORLD: &str = "world/";

/// The file that is one memory: what somebody thinks is worth keeping.
const MEMORY: &str = "MEMORY.md";

/// The files that have an entry for each memory, and the titles they have.
const LISTS: [(&str, &str); 4] = [
    ("facts.md", "Facts"),
    ("procedures.md", "Procedures"),
    ("reflections.md", "Reflections"),
    ("context.md", "Context"),
];

/// Whose memories a folder has, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Those of one scope.
    Scope(Scope),
    /// Those of everybody, a folder for each.
    Workspace(Workspace),
}

/// Where a memory is put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The file.
    pub path: String,
    /// How memories stand in it.
    pub form: Form,
    /// The headings in it, the topmost first.
    pub titles: Vec<String>,
    /// What the entry looks like.
    pub shape: Shape,
}

/// What a new text in a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Whose it is.
    pub scope: Scope,
    /// What kind of memory.
    pub kind: Kind,
    /// When it happened, if that is told.
    pub event_at: Option<Timestamp>,
    /// The key of a memory that is a whole file.
    pub key: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// Whether it is an entry of a daily log.
    pub daily: bool,
}

impl Layout {
    /// Returns whether the memories of a scope stand in the folder.
    pub fn has(&self, scope: &Scope) -> bool {
        self.prefix(scope).is_some()
    }

    /// Returns what becomes of what people wrote: a folder that is a copy says of everything which
    /// memory it is, and one that was there before stays as people and other programs wrote it.
    pub fn bare(&self) -> Bare {
        match self {
            Self::Scope(_) => Bare::Marked,
            Self::Workspace(_) => Bare::Stays,
        }
    }

    /// Returns where a memory is put that stands nowhere yet, if its scope is in the folder.
    pub fn spot(&self, memory: &Memory, zone: &TimeZone) -> Option<Spot> {
        let prefix = self.prefix(&memory.scope)?;
        if let Some(key) = memory.key.as_deref().filter(|key| self.is_page(&prefix, key)) {
            let (path, titles) = (format!("{prefix}{key}"), Vec::new());
            return Some(Spot { path, form: Form::Page, titles, shape: Shape::Prose });
        }
        let (name, title) = match memory.kind {
            Kind::Episode => return Some(of_day(&prefix, memory.event_at, zone)),
            Kind::Fact => LISTS[0],
            Kind::Procedure => LISTS[1],
            Kind::Reflection => LISTS[2],
            Kind::Context | Kind::Working => LISTS[3],
        };
        let (path, titles) = (format!("{prefix}{name}"), vec![title.to_owned()]);
        Some(Spot { path, form: Form::Entries, titles, shape: Shape::Item })
    }

    /// Returns how memories stand in a file of which nothing is known, unless it is nobody's.
    pub fn form(&self, path: &str) -> Option<Form> {
        let (_, inner) = self.owner(path)?;
        let topic = inner.strip_prefix(WORLD).is_some_and(|name| !name.contains('/'));
        Some(if topic || inner == MEMORY { Form::Page } else { Form::Entries })
    }

    /// Returns what a new text is that somebody wrote into a file, unless that is nobody's.
    pub fn text(&self, path: &str, form: Form, titles: &[String], zone: &TimeZone) -> Option<Text> {
        let (scope, inner) = self.owner(path)?;
        let fact =
            Text { scope, kind: Kind::Fact, event_at: None, key: None, title: None, daily: false };
        if form == Form::Page {
            let name = inner.strip_prefix(WORLD).unwrap_or(inner);
            let title = Some(name.strip_suffix(".md").unwrap_or(name).to_owned());
            let kind = if inner == MEMORY { Kind::Reflection } else { Kind::Fact };
            return Some(Text { kind, key: Some(inner.to_owned()), title, ..fact });
        }
        let Some(day) = day(inner) else {
            let kind = if inner == LISTS[2].0 { Kind::Reflection } else { Kind::Fact };
            return Some(Text { kind, ..fact });
        };
        let time = titles.last().and_then(|title| title.parse::<Time>().ok()).unwrap_or_default();
        let at = day.to_datetime(time).to_zoned(zone.clone());
        let event_at = at.ok().map(|at| at.timestamp());
        Some(Text { kind: Kind::Episode, event_at, daily: true, ..fact })
    }

    /// Returns what stands before the paths of a scope's files.
    fn prefix(&self, scope: &Scope) -> Option<String> {
        match self {
            Self::Scope(own) => (own == scope).then(String::new),
            Self::Workspace(workspace) => Some(workspace.prefix(scope)),
        }
    }

    /// Returns whose file it is, and its path among those.
    fn owner<'a>(&self, path: &'a str) -> Option<(Scope, &'a str)> {
        match self {
            Self::Scope(own) => Some((own.clone(), path)),
            Self::Workspace(workspace) => workspace.owner(path),
        }
    }

    /// Returns whether what is kept under a key is a whole file.
    fn is_page(&self, prefix: &str, key: &str) -> bool {
        let list = key.starts_with(DAILY) || is_list(key);
        let path = format!("{prefix}{key}");
        !list
            && key.strip_suffix(".md").is_some()
            && Relative::new(&path).is_ok()
            && self.owner(&path).is_some_and(|(_, inner)| inner == key)
    }
}

/// Returns whether a file of a scope has an entry for each memory, and is no log of a day.
pub(super) fn is_list(path: &str) -> bool {
    LISTS.iter().any(|(name, _)| *name == path)
}

fn of_day(prefix: &str, at: Timestamp, zone: &TimeZone) -> Spot {
    let at = at.to_zoned(zone.clone());
    let (date, time) = (at.date(), format!("{:02}:{:02}", at.hour(), at.minute()));
    Spot {
        path: format!("{prefix}{DAILY}{date}.md"),
        form: Form::Entries,
        titles: vec![date.to_string(), time],
        shape: Shape::Prose,
    }
}

fn day(inner: &str) -> Option<Date> {
    let name = inner.strip_prefix(DAILY)?.strip_suffix(".md")?;
    name.parse().ok()
}
