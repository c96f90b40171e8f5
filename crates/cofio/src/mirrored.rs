//! A store whose memories also stand in files.
//!
//! What is committed stands in the files when the commit returns. What people change in the files is
//! the engine's to take in.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use async_trait::async_trait;
use jiff::tz::TimeZone;

use crate::error::{Error, ErrorKind, Result};
use crate::files::Mirror;
use crate::files::mirror::{self, Followed};
use crate::model::{Change, Commit, Outcome, Task};
use crate::store::{Store, Surrounding};

/// A store, and the folders that it is kept in step with.
pub struct Mirrored {
    store: Arc<dyn Store>,
    notes: PathBuf,
    zone: TimeZone,
    role: Role,
    known: Mutex<Known>,
}

/// What files are to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Another form of what it has: if they cannot be written, that is made up for later.
    Copy,
    /// What counts: what does not stand in them is not kept.
    Truth,
}

/// The folders, and when their notes were last added to or removed from.
#[derive(Default)]
struct Known {
    changed: Option<SystemTime>,
    mirrors: Arc<Vec<Mirror>>,
}

impl Mirrored {
    /// Lets the folders follow a store that there are notes of in a folder; days are those of a zone.
    pub fn new(store: Arc<dyn Store>, notes: PathBuf, zone: TimeZone, role: Role) -> Self {
        Self { store, notes, zone, role, known: Mutex::default() }
    }

    /// Returns the folders that there are now.
    pub fn mirrors(&self) -> Result<Arc<Vec<Mirror>>> {
        let changed = fs::metadata(&self.notes).and_then(|notes| notes.modified()).ok();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.changed != changed {
            let mirrors = Arc::new(mirror::registered(&self.notes)?);
            *known = Known { changed, mirrors };
        }
        Ok(Arc::clone(&known.mirrors))
    }

    /// Writes what was committed to the files.
    async fn follow(&self, followed: Vec<Followed>) -> Result<()> {
        let mirrors = self.mirrors()?;
        if followed.is_empty() || mirrors.is_empty() {
            return Ok(());
        }
        let zone = self.zone.clone();
        let follow = move || mirrors.iter().try_for_each(|mirror| mirror.follow(&followed, &zone));
        let done = apart(follow).await.flatten();
        if done.is_err() {
            // Somebody may have put another folder in its place.
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Known::default();
        }
        done
    }
}

impl fmt::Debug for Mirrored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (notes, role) = (&self.notes, &self.role);
        f.debug_struct("Mirrored").field("notes", notes).field("role", role).finish_non_exhaustive()
    }
}

/// Returns what became of memories, as far as files are to say something else.
fn followed(changes: Vec<Change>, outcomes: &[Outcome]) -> Vec<Followed> {
    let changed = changes.into_iter().zip(outcomes);
    let follow = |(change, outcome): (Change, &Outcome)| match (change, outcome) {
        (Change::Create { memory, .. }, Outcome::Created(id)) if memory.id == *id => {
            Some(Followed::Kept(memory))
        }
        (Change::Update { memory, .. }, Outcome::Updated(_)) => Some(Followed::Kept(memory)),
        (_, Outcome::Forgotten(id)) => Some(Followed::Gone(id.clone())),
        _ => None,
    };
    changed.filter_map(follow).collect()
}

/// Does something that takes a while, and keeps nobody else from going on.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let failed = || Error::new(ErrorKind::Provider, "cannot write to files: too much at once");
    let (sender, receiver) = async_channel::bounded(1);
    let spawned = thread::Builder::new().name("cofio-files".to_owned()).spawn(move || {
        let _ = sender.send_blocking(work());
    });
    spawned.map_err(|cause| failed().caused_by(cause))?;
    receiver.recv().await.map_err(|cause| failed().caused_by(cause))
}

#[async_trait]
impl Surrounding for Mirrored {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn commit_inside(&self, commit: Commit) -> Result<Vec<Outcome>> {
        // Whoever takes in what people wrote brings the files in order as well.
        let from_files = commit.work.as_ref().is_some_and(|work| work.job.task == Task::Files);
        if from_files || self.mirrors()?.is_empty() {
            return self.store.commit(commit).await;
        }
        let changes = commit.changes.clone();
        let outcomes = self.store.commit(commit).await?;
        match (self.follow(followed(changes, &outcomes)).await, self.role) {
            (Err(error), Role::Truth) => Err(error),
            _ => Ok(outcomes),
        }
    }
}
