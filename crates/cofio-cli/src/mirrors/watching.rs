//! Taking in what people write into files while a door is open.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cofio::engine::{Synced, Syncing};
use cofio::files::Mirror;
use cofio::files::mirror;
use cofio::model::{Caller, Identifier};
use cofio::{Engine, Result};
use cofio_server::Desk;
use notify::{Event, RecursiveMode, Watcher};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::{task, time};

/// How long it is waited for more of the same: an editor saves in several steps.
const BREATH: Duration = Duration::from_millis(100);

/// How often it is looked which folders there are.
const PAUSE: Duration = Duration::from_secs(1);

/// How often files are compared though nobody said that they changed: some systems do not say.
const ANYWAY: u32 = 30;

/// Keeps the folders that there are notes of in step with the store, until nobody polls it.
pub async fn keep_in_step(desk: Arc<Desk>, notes: PathBuf, user: Identifier, tell: fn(&Synced)) {
    let engine = loop {
        match desk.engine().await {
            Ok(engine) => break engine.clone(),
            // Somebody may mend it meanwhile.
            Err(_) => time::sleep(PAUSE).await,
        }
    };
    let keeping = Keeping { engine, caller: Caller::keeper(user), tell };
    loop {
        let known = changed_at(&notes);
        let folders = Arc::new(mirror::registered(&notes).unwrap_or_default());
        keeping.keep(&folders, || changed_at(&notes) == known).await;
    }
}

/// Who compares files.
struct Keeping {
    engine: Engine,
    caller: Caller,
    tell: fn(&Synced),
}

impl Keeping {
    /// Keeps some folders in step, as long as they are all there are.
    async fn keep(&self, folders: &Arc<Vec<Mirror>>, are_all: impl Fn() -> bool) {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let watching = watch(folders, &sender);
        let mut fine = self.sync(folders).await;
        for look in 1_u32.. {
            let told = time::timeout(PAUSE, receiver.recv()).await.is_ok();
            if told {
                settle(&mut receiver).await;
            }
            // Somebody may have put another folder in the place of one.
            if !are_all() || !fine {
                return;
            }
            if told || watching.is_none() || look.is_multiple_of(ANYWAY) {
                fine = self.sync(folders).await;
            }
        }
    }

    /// Compares every folder, and returns whether that could be done.
    async fn sync(&self, folders: &Arc<Vec<Mirror>>) -> bool {
        let (engine, caller, folders) = (self.engine.clone(), self.caller.clone(), folders.clone());
        let (handle, count) = (Handle::current(), folders.len());
        let sync = move || -> Vec<Result<Synced>> {
            let sync = |mirror| engine.sync_files(&caller, mirror, Syncing::default());
            folders.iter().map(|mirror| handle.block_on(sync(mirror))).collect()
        };
        let synced = task::spawn_blocking(sync).await.unwrap_or_default();
        synced.iter().flatten().for_each(self.tell);
        synced.len() == count && synced.iter().all(Result::is_ok)
    }
}

/// Has it said when somebody changes a file, unless the system cannot say.
fn watch(folders: &[Mirror], sender: &UnboundedSender<()>) -> Option<impl Watcher + use<>> {
    let roots: Vec<PathBuf> = folders.iter().map(|mirror| mirror.path().to_owned()).collect();
    let (sender, known) = (sender.clone(), roots.clone());
    let say = move |event: notify::Result<Event>| {
        // What cannot be told is looked at too.
        if event.is_ok_and(|event| !concerns(&event, &known)) {
            return;
        }
        let _ = sender.send(());
    };
    let mut watcher = notify::recommended_watcher(say).ok()?;
    for root in &roots {
        watcher.watch(root, RecursiveMode::Recursive).ok()?;
    }
    Some(watcher)
}

/// Returns whether something may be different now: nothing that is hidden counts, as we write there.
fn concerns(event: &Event, roots: &[PathBuf]) -> bool {
    let hidden = |path: &Path| {
        let below = roots.iter().find_map(|root| path.strip_prefix(root).ok());
        below.is_some_and(|below| below.components().any(is_hidden))
    };
    !event.kind.is_access() && event.paths.iter().any(|path| !hidden(path))
}

fn is_hidden(component: Component<'_>) -> bool {
    matches!(component, Component::Normal(name) if name.as_encoded_bytes().starts_with(b"."))
}

/// Waits until nothing more has been said for a moment.
async fn settle(receiver: &mut UnboundedReceiver<()>) {
    time::sleep(BREATH).await;
    while receiver.try_recv().is_ok() {}
}

fn changed_at(notes: &Path) -> Option<SystemTime> {
    notes.metadata().and_then(|notes| notes.modified()).ok()
}
