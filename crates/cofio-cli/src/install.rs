//! Cofio in the settings of the programs that agents run in.
//!
//! Everything is planned before anything is written: a file that cannot be understood leaves all
//! of them as they are. Planning reads files and writes none.

mod edit;
mod file;
mod json;
mod places;
mod program;
mod toml;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::client::Client;
use crate::settings::Surroundings;
use edit::Edit;
pub use places::{Scope, is_present};

/// What is to be written into the settings of clients, or taken out of them.
#[derive(Debug)]
pub struct Plan {
    pub client: Client,
    pub files: Vec<FilePlan>,
    /// What is left for people to do, or to know.
    pub next: Vec<String>,
}

/// What becomes of a file.
#[derive(Debug)]
pub struct FilePlan {
    pub path: PathBuf,
    /// What it is for, in words.
    pub holds: Vec<&'static str>,
    pub before: Option<String>,
    pub after: Option<String>,
    backup: Backup,
}

/// What becomes of the copy that is kept beside a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backup {
    /// What was there before becomes the copy.
    Make,
    /// The copy is what was there before Cofio was.
    Keep,
    /// The file is as it was, so the copy has done its work.
    Remove,
}

/// Whether hooks are wanted beside the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Server,
    ServerAndHooks,
}

/// Plans to write Cofio into a client's settings.
pub fn plan(client: Client, wanted: Wanted, scope: Scope, around: &Surroundings) -> Result<Plan> {
    let hooks = wanted == Wanted::ServerAndHooks;
    let program = program::find(scope, around)?;
    let mut files = Vec::new();
    for place in places::of(client, scope, &program, around)? {
        let edits = || place.edits.iter().filter(|edit| hooks || !edit.is_hooks());
        if edits().next().is_none() {
            continue;
        }
        let before = file::read(&place.path)?;
        let written = written(before.as_deref(), edits());
        let after = written.with_context(|| refused(&place.path))?;
        let derived = file::backup(&place.path)?
            .is_some_and(|backup| is_derived(before.as_deref(), Some(&backup), &place.edits));
        files.push(FilePlan {
            holds: edits().map(Edit::holds).collect(),
            backup: if derived { Backup::Keep } else { Backup::Make },
            path: place.path,
            before,
            after: Some(after),
        });
    }
    Ok(Plan { client, files, next: next(client, hooks) })
}

/// Plans to take Cofio out of a client's settings.
///
/// A file that nobody else has changed becomes what it was before, to the byte.
pub fn plan_removal(client: Client, scope: Scope, around: &Surroundings) -> Result<Plan> {
    let program = program::find(scope, around)?;
    let mut files = Vec::new();
    for place in places::of(client, scope, &program, around)? {
        let before = file::read(&place.path)?;
        let backup = file::backup(&place.path)?;
        let bases = [backup.as_deref(), None];
        let base =
            bases.into_iter().find(|base| is_derived(before.as_deref(), *base, &place.edits));
        let (after, backup) = match (base, &before) {
            (Some(base), _) => (base.map(str::to_owned), Backup::Remove),
            (None, Some(text)) => {
                let without =
                    place.edits.iter().try_fold(text.clone(), |text, edit| edit.remove(&text));
                (Some(without.with_context(|| refused(&place.path))?), Backup::Make)
            }
            (None, None) => (None, Backup::Keep),
        };
        let holds = place.edits.iter().map(Edit::holds).collect();
        files.push(FilePlan { path: place.path, holds, before, after, backup });
    }
    Ok(Plan { client, files, next: Vec::new() })
}

impl FilePlan {
    /// Returns whether anything is to be done.
    pub fn changes(&self) -> bool {
        self.before != self.after
    }

    /// Returns where the copy will be, if one is to be kept.
    pub fn backup(&self) -> Option<PathBuf> {
        let keeps = self.changes() && self.before.is_some() && self.backup != Backup::Remove;
        keeps.then(|| file::backup_path(&self.path))
    }

    /// Does what was planned, unless somebody else has changed the file since.
    pub fn carry_out(&self, scope: Scope) -> Result<()> {
        if !self.changes() {
            return Ok(());
        }
        if self.backup == Backup::Make
            && let Some(before) = &self.before
        {
            file::write(&file::backup_path(&self.path), before, file::Like(&self.path), scope)?;
        }
        file::replace(&self.path, self.before.as_deref(), self.after.as_deref(), scope)?;
        if self.backup == Backup::Remove {
            file::remove(&file::backup_path(&self.path))?;
        }
        Ok(())
    }
}

/// Returns a text with some edits made.
fn written<'a>(text: Option<&str>, edits: impl Iterator<Item = &'a Edit>) -> Result<String> {
    edits.into_iter().try_fold(text.unwrap_or_default().to_owned(), |text, edit| edit.make(&text))
}

/// Returns whether a file is what some of the edits make of another.
fn is_derived(text: Option<&str>, base: Option<&str>, edits: &[Edit]) -> bool {
    let Some(text) = text else { return false };
    let choices = 1..1_u32 << edits.len();
    choices.into_iter().any(|choice| {
        let chosen = edits.iter().enumerate().filter(|(index, _)| choice & (1 << index) != 0);
        written(base, chosen.map(|(_, edit)| edit)).is_ok_and(|made| made == text)
    })
}

fn refused(path: &Path) -> String {
    format!("nothing was changed: cannot edit {}", path.display())
}

fn next(client: Client, hooks: bool) -> Vec<String> {
    let mut next = Vec::new();
    if hooks && places::hook_events(client).is_none() {
        next.push(format!("{} has no hooks that Cofio could use", client.title()));
    }
    next.extend(match client {
        Client::ClaudeCode => vec![
            "start a new session of Claude Code; /mcp shows the server, /hooks the hooks"
                .to_owned(),
        ],
        Client::Codex if hooks => vec![
            "start Codex and trust the hooks in /hooks: it does not run them before".to_owned(),
        ],
        Client::Codex => vec!["start a new session of Codex; /mcp shows the server".to_owned()],
        Client::Cursor => vec!["restart Cursor; its settings list the server under MCP".to_owned()],
        Client::VsCode => {
            vec!["in VS Code, run the command MCP: List Servers and start cofio".to_owned()]
        }
        Client::Gemini => {
            vec!["start a new session of Gemini CLI; /mcp shows the server".to_owned()]
        }
        Client::Zed => {
            vec!["Zed starts the server by itself; its agent settings list it".to_owned()]
        }
        Client::OpenCode => vec!["start a new session of OpenCode".to_owned()],
        Client::ClaudeDesktop => vec!["quit Claude Desktop and start it again".to_owned()],
    });
    next
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::json::tests::settings;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_a_file_looks_like_it_is_the_same_after_the_removal(text in settings()) {
            // Gemini CLI has the server and the hooks in one file.
            let home = tempfile::tempdir().unwrap();
            let home = home.path().to_owned();
            let around = Surroundings {
                env: Box::new(|_| None),
                home: Some(home.clone()),
                folder: home.clone(),
                ..Surroundings::of_process().unwrap()
            };
            let file = home.join(".gemini/settings.json");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &text).unwrap();
            let carry_out = |plan: Result<Plan>| {
                plan.unwrap().files.iter().for_each(|file| file.carry_out(Scope::Project).unwrap());
            };
            for wanted in [Wanted::Server, Wanted::ServerAndHooks] {
                carry_out(plan(Client::Gemini, wanted, Scope::Project, &around));
            }
            prop_assert_ne!(&fs::read_to_string(&file).unwrap(), &text);
            carry_out(plan_removal(Client::Gemini, Scope::Project, &around));
            prop_assert_eq!(fs::read_to_string(&file).unwrap(), text);
            prop_assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
        }
    }
}
