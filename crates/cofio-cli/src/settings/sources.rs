//! Where values are looked for, from the weakest source to the strongest.

use std::ffi::OsStr;
use std::path::Path;

use super::file::File;
use super::origin::{Given, Origin};
use super::places::Surroundings;
use super::read::{Raw, Word};
use super::table::{self, ProjectFile};
use super::{Result, SettingsError};

/// Everything but the flags that may say something.
pub struct Sources<'a> {
    pub around: &'a Surroundings,
    /// Where memories are kept unless somebody says otherwise, if that can be told.
    pub data: Option<&'a Path>,
    pub user_file: Option<File>,
    pub project_file: Option<File>,
}

impl Sources<'_> {
    /// Refuses a project's file that sets what it may not.
    pub fn check_project_file(&self) -> Result<()> {
        let Some(file) = &self.project_file else { return Ok(()) };
        for entry in &file.entries {
            let setting = table::find(entry.name).expect("a file holds known settings only");
            if setting.project_file == ProjectFile::MayNotSet {
                return Err(SettingsError::new(format!(
                    "{}:{} sets {}, which a project's file may not: \
                     remove it there, and put it into your own file or into the variable {}",
                    file.path.display(),
                    entry.line,
                    setting.name,
                    setting.variable,
                )));
            }
        }
        Ok(())
    }

    /// Takes a value from the strongest source that has it, and checks all the others.
    pub fn take<T>(
        &self,
        name: &'static str,
        variable: &'static str,
        flag: Option<&OsStr>,
        read: impl Fn(&Word<'_>) -> std::result::Result<T, String>,
        default: impl FnOnce(&Self) -> Result<Given<T>>,
    ) -> Result<Given<T>> {
        let mut given = None;
        for (word, origin) in self.words(name, variable, flag) {
            let value = read(&word).map_err(|advice| {
                // Whoever confuses the variable with the key must not find the key on the screen.
                let hidden = may_be_secret(name).then(|| "what is given".to_owned());
                let raw = hidden.unwrap_or_else(|| word.raw.to_string());
                SettingsError::new(format!("cannot use {raw} for {name} ({origin}): {advice}"))
            })?;
            given = Some(Given { value, origin });
        }
        given.map_or_else(|| default(self), Ok)
    }

    /// Returns what each source says, the weakest first.
    fn words(
        &self,
        name: &'static str,
        variable: &'static str,
        flag: Option<&OsStr>,
    ) -> Vec<(Word<'_>, Origin)> {
        let home = self.around.home.as_deref();
        let here = |raw| Word { raw, base: &self.around.folder, home };
        let mut words = Vec::new();
        for file in [&self.user_file, &self.project_file].into_iter().flatten() {
            let entries = file.entries.iter().filter(|entry| entry.name == name);
            words.extend(entries.map(|entry| {
                let base = file.path.parent().unwrap_or(&file.path);
                let origin = Origin::File { path: file.path.clone(), line: entry.line };
                (Word { raw: entry.raw.clone(), base, home }, origin)
            }));
        }
        if let Some(text) = self.around.variable(variable) {
            words.push((here(Raw::Text(text)), Origin::Variable(variable)));
        }
        if let Some(text) = flag {
            words.push((here(Raw::Text(text.to_owned())), Origin::Flag(name)));
        }
        words
    }
}

/// Returns whether somebody may have put a password or a key there.
fn may_be_secret(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "key_env" | "url")))
}
