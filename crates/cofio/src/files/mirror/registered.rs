//! Which folders a store is kept in step with.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::notes::{Notes, Writing};
use super::{Layout, Mirror, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Identifier, Identifiers, Layer, Scope};

/// The file of a folder's notes.
pub(super) const NOTES: &str = "notes.db";

/// What is noted once: where the folder is, whose memories it has, and how far it is.
const FOLDER: &str = "folder";
pub(super) const LAYOUT: &str = "layout";
pub(super) const SEQUENCE: &str = "sequence";

/// Opens every folder that there are notes of in a folder; those that are no longer there are left
/// out.
pub fn registered(notes: &Path) -> Result<Vec<Mirror>> {
    let mut mirrors = Vec::new();
    for found in notes.read_dir().into_iter().flatten().flatten() {
        let path = found.path().join(NOTES);
        let Some(reader) = Notes::at(&path).reading()? else { continue };
        let (folder, layout) = (reader.fact(FOLDER)?, reader.fact(LAYOUT)?);
        let (Some(folder), Some(layout)) = (folder, layout.and_then(|layout| read(&layout))) else {
            continue;
        };
        if Path::new(&folder).is_dir() {
            mirrors.push(Mirror::with_notes(Path::new(&folder), &path, layout)?);
        }
    }
    mirrors.sort_by(|one, other| one.path().cmp(other.path()));
    Ok(mirrors)
}

/// Notes which folder it is and whose memories it has.
pub(super) fn note(notes: &Writing<'_>, mirror: &Mirror) -> Result<()> {
    let noted = notes.fact(LAYOUT)?;
    if noted.is_some() {
        return mirror.check_layout(noted);
    }
    notes.set_fact(FOLDER, &mirror.path().display().to_string())?;
    notes.set_fact(LAYOUT, &written(&mirror.layout))
}

impl Mirror {
    /// Refuses notes of other memories: to those, everything that is there would be new, and then
    /// gone to the others.
    pub(super) fn check_layout(&self, noted: Option<String>) -> Result<()> {
        match noted.and_then(|noted| read(&noted)) {
            Some(other) if written(&other) != written(&self.layout) => {
                let message = format!(
                    "the folder is in step with {}: take another one for {}",
                    named(&other),
                    named(&self.layout)
                );
                Err(Error::new(ErrorKind::Configuration, message))
            }
            _ => Ok(()),
        }
    }
}

fn named(layout: &Layout) -> String {
    match layout {
        Layout::Scope(scope) => scope.to_string(),
        Layout::Workspace(workspace) => format!("the workspace of {}", workspace.world),
    }
}

fn written(layout: &Layout) -> String {
    match layout {
        Layout::Scope(own) => json!({"scope": scope(own)}),
        Layout::Workspace(Workspace { world, user, .. }) => {
            json!({"world": scope(world), "user": user.as_str()})
        }
    }
    .to_string()
}

fn read(layout: &str) -> Option<Layout> {
    let layout: Value = serde_json::from_str(layout).ok()?;
    if let Some(own) = layout.get("scope") {
        return Some(Layout::Scope(read_scope(own)?));
    }
    let user = Identifier::new(layout.get("user")?.as_str()?).ok()?;
    Some(Layout::Workspace(Workspace::new(read_scope(layout.get("world")?)?, user)))
}

fn scope(scope: &Scope) -> Value {
    let names =
        scope.identifiers().iter().map(|(layer, name)| (layer.to_string(), name.as_str().into()));
    json!({"layer": scope.layer().as_str(), "names": names.collect::<Map<String, Value>>()})
}

fn read_scope(value: &Value) -> Option<Scope> {
    let layer: Layer = value.get("layer")?.as_str()?.parse().ok()?;
    let mut all = Identifiers::default();
    for (name, identifier) in value.get("names")?.as_object()? {
        let identifier = Identifier::new(identifier.as_str()?).ok()?;
        all = all.with(name.parse().ok()?, identifier);
    }
    Scope::new(layer, &all).ok()
}
