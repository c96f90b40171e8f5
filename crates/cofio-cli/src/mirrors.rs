//! Folders of markdown that a store is kept in step with.

mod watching;

use std::path::PathBuf;
use std::sync::Arc;

use cofio::engine::{Problem, Synced, Syncing};
use cofio::files::Mirror;
use cofio::files::mirror::{Layout, Unread, Workspace};
use cofio::mirrored::{Mirrored, Role};
use cofio::model::{Caller, Layer, Scope};
use cofio::store::Store;
use cofio::{Engine, Result};

use crate::settings::{Backend, Settings};
use crate::store_files::beside;
pub use watching::keep_in_step;

/// Returns the store, followed by the folders that it is kept in step with.
pub fn followed(store: Arc<dyn Store>, settings: &Settings) -> Mirrored {
    let role = match settings.backend() {
        Backend::Sqlite => Role::Copy,
        Backend::Filesystem => Role::Truth,
    };
    let zone = settings.values().time_zone.value.clone();
    Mirrored::new(store, notes(settings), zone, role)
}

/// Returns the folder of what files and store last agreed on.
pub fn notes(settings: &Settings) -> PathBuf {
    beside(settings.store(), ".files")
}

/// Opens the folder of markdown that counts, if one does.
pub fn workspace(settings: &Settings) -> Result<Option<Mirror>> {
    if settings.backend() != Backend::Filesystem {
        return Ok(None);
    }
    let user = settings.user().clone();
    let world = Scope::new(Layer::Project, &settings.identifiers());
    let world = world.unwrap_or_else(|_| Scope::user(user.clone()));
    let layout = Layout::Workspace(Workspace::new(world, user));
    Mirror::open_as_noted(settings.memory_dir(), &notes(settings), layout).map(Some)
}

/// Takes in what people wrote into files, where files are what counts.
pub async fn take_in(engine: &Engine, settings: &Settings) -> Result<Option<Synced>> {
    let Some(mirror) = workspace(settings)? else { return Ok(None) };
    let keeper = Caller::keeper(settings.user().clone());
    engine.sync_files(&keeper, &mirror, Syncing::default()).await.map(Some)
}

/// Says on standard error what was left out.
pub fn tell(synced: &Synced) {
    for line in left_out(synced) {
        eprintln!("{line}");
    }
}

/// Says what was left out of what people wrote, and why.
pub fn left_out(synced: &Synced) -> Vec<String> {
    let problems = synced
        .problems
        .iter()
        .map(|Problem { path, line, why }| format!("left out {}:{line}: {why}", path.as_str()));
    let unread = synced.unread.iter().map(|Unread { path, why }| format!("left out {path}: {why}"));
    let held = synced.held.map(|(taken, among)| {
        format!(
            "{taken} of {among} memories were deleted from files: cofio files sync puts them away"
        )
    });
    problems.chain(unread).chain(held).collect()
}
