//! What both sides last agreed on, as a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::files::compare::Said;
use crate::files::folder::Relative;
use crate::model::{MemoryId, Scope};

/// The form of the file.
const VERSION: u32 = 1;

/// What each file said of memories when both sides last agreed, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Whose memories they are, once there are any.
    scope: Option<String>,
    files: BTreeMap<String, Vec<Said>>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    scope: Option<String>,
    files: BTreeMap<String, Vec<(String, String)>>,
}

impl Agreed {
    /// Returns every file with what it said, in its order.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[Said])> {
        self.files.iter().map(|(path, said)| (path.as_str(), said.as_slice()))
    }

    /// Takes note of whose memories they are, and refuses those of anybody else.
    ///
    /// To them, everything that is there would be new, and then gone to the others.
    pub(super) fn claim(&mut self, scope: &Scope) -> Result<()> {
        let scope = scope.to_string();
        match &self.scope {
            Some(owner) if *owner != scope => {
                let message =
                    format!("the folder is in step with {owner}: take another one for {scope}");
                Err(Error::new(ErrorKind::Configuration, message))
            }
            _ => {
                self.scope = Some(scope);
                Ok(())
            }
        }
    }

    /// Takes note of what a file says.
    pub(super) fn set(&mut self, path: &Relative, said: Vec<Said>) {
        if said.is_empty() {
            self.files.remove(path.as_str());
        } else {
            self.files.insert(path.as_str().to_owned(), said);
        }
    }

    pub(super) fn from_json(text: &str) -> Result<Self> {
        let damaged = || {
            let message = "the notes of what files and store agreed on cannot be read; remove them \
                           to compare both anew";
            Error::new(ErrorKind::Damaged, message)
        };
        let stored: Stored = serde_json::from_str(text).map_err(|_| damaged())?;
        if stored.version != VERSION {
            let message =
                "the notes of what files and store agreed on were written by a newer Cofio";
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        let mut files = BTreeMap::new();
        for (path, said) in stored.files {
            let parse = |(id, text): (String, String)| Ok((id.parse::<MemoryId>()?, text));
            let said: Result<Vec<Said>> = said.into_iter().map(parse).collect();
            files.insert(path, said.map_err(|_| damaged())?);
        }
        Ok(Self { scope: stored.scope, files })
    }

    pub(super) fn to_json(&self) -> String {
        let said = |said: &Vec<Said>| {
            said.iter().map(|(id, text)| (id.as_str().to_owned(), text.clone())).collect()
        };
        let files = self.files.iter().map(|(path, texts)| (path.clone(), said(texts))).collect();
        let stored = Stored { version: VERSION, scope: self.scope.clone(), files };
        serde_json::to_string(&stored).expect("texts by path are JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_agreed_on_is_read_as_it_was_written() {
        let mut agreed = Agreed::default();
        let id: MemoryId = "fact_019f0000000070008000000000000001".parse().unwrap();
        let path = Relative::new("world/facts.md").unwrap();
        agreed.set(&path, vec![(id, "tea \"and\"\nbiscuits".to_owned())]);
        assert_eq!(Agreed::from_json(&agreed.to_json()).unwrap(), agreed);
        agreed.set(&path, Vec::new());
        assert_eq!(agreed, Agreed::default());
        for damaged in ["", "{", r#"{"version":1,"files":{"a.md":[["nobody","x"]]}}"#] {
            assert_eq!(Agreed::from_json(damaged).unwrap_err().kind(), ErrorKind::Damaged);
        }
        let newer = Agreed::from_json(r#"{"version":2,"files":{}}"#).unwrap_err();
        assert_eq!(newer.kind(), ErrorKind::Configuration);
    }
}
