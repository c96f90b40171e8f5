//! Embedding what was claimed: in portions, and around what cannot be embedded.

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;
use sha2::{Digest as _, Sha256};

use super::Engine;
use crate::embed::{self, Embedder};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Level};
use crate::model::{
    Change, CleanText, Commit, Identifier, Memory, MemoryId, Outcome, PassageHash, PassageVector,
    Timestamp,
};
use crate::store::Claimed;

/// How long memories are left to whoever took them.
///
/// An embedder that asks a server gives up a portion after two minutes.
const LEASE: SignedDuration = SignedDuration::from_secs(150);

/// How much of a lease may be used up before it is renewed.
const RENEWED_AFTER: SignedDuration = SignedDuration::from_secs(10);

/// How many passages are embedded at a time.
const PORTION: usize = 64;

/// How long a memory that could not be embedded is left alone, at first and at most.
const WAITS: (SignedDuration, SignedDuration) =
    (SignedDuration::from_mins(10), SignedDuration::from_hours(24));

/// A text that no embedder has reason to refuse.
const PLAIN: &str = "a plain sentence";

/// What became of what was claimed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    pub(super) done: usize,
    pub(super) refused: usize,
}

/// A memory that somebody is embedding.
struct Task {
    claimed: Claimed,
    passages: Vec<(PassageHash, CleanText)>,
}

/// A claim under way.
struct Batch<'a> {
    engine: &'a Engine,
    embedder: &'a dyn Embedder,
    until: Timestamp,
    /// What is neither embedded nor refused.
    left: HashSet<MemoryId>,
    /// Whether the embedder is known to be able to embed at all.
    sound: bool,
    progress: Progress,
}

impl Engine {
    /// Takes some memories that wait, and embeds them.
    ///
    /// What stops it is an error only if nothing was done before; otherwise the next call meets it.
    pub(super) async fn embed_batch(
        &self,
        embedder: &dyn Embedder,
        limit: usize,
    ) -> Result<Progress> {
        let now = self.now();
        let until = later(now, LEASE);
        let claimed = self.store.claim(now, until, limit).await?;
        let left = claimed.iter().map(|claimed| claimed.memory.id.clone()).collect();
        let tasks: Vec<Task> = claimed.into_iter().map(Task::new).collect();
        let progress = Progress::default();
        let mut batch = Batch { engine: self, embedder, until, left, sound: false, progress };
        let outcome = batch.embed_all(&tasks).await;
        batch.give_back().await?;
        match outcome {
            Err(error) if batch.progress.done + batch.progress.refused == 0 => Err(error),
            _ => Ok(batch.progress),
        }
    }
}

impl Batch<'_> {
    /// Embeds portion after portion; one that cannot be embedded is tried in halves.
    async fn embed_all(&mut self, tasks: &[Task]) -> Result<()> {
        let mut portions = portions(tasks);
        portions.reverse();
        while let Some(portion) = portions.pop() {
            let Err(error) = self.embed(portion).await else { continue };
            if error.kind().retryable() || !self.is_sound().await {
                return Err(error);
            }
            if let [task] = portion {
                self.refuse(task, &error).await?;
            } else {
                let (first, second) = portion.split_at(portion.len() / 2);
                portions.extend([second, first]);
            }
        }
        Ok(())
    }

    async fn embed(&mut self, portion: &[Task]) -> Result<()> {
        let vectors = self.vectors_of(portion).await?;
        let fingerprint = self.embedder.fingerprint();
        let change = |(task, vectors): (&Task, Vec<PassageVector>)| {
            let Memory { id, version, .. } = &task.claimed.memory;
            let (id, fingerprint) = (id.clone(), fingerprint.clone());
            Change::Embed { id, version: *version, fingerprint, vectors }
        };
        let commit = Commit {
            actor: Identifier::new("cofio")?,
            at: self.engine.now(),
            changes: portion.iter().zip(vectors).map(change).collect(),
            audit: Vec::new(),
            idempotency: None,
        };
        for outcome in self.engine.store.commit(commit).await? {
            if let Outcome::Embedded(id) = outcome {
                self.left.remove(&id);
                self.progress.done += 1;
            }
        }
        Ok(())
    }

    /// Returns the vectors of the passages of each memory; the same text is embedded once.
    async fn vectors_of(&mut self, portion: &[Task]) -> Result<Vec<Vec<PassageVector>>> {
        let all = || portion.iter().flat_map(|task| &task.passages);
        let hashes: Vec<PassageHash> = all().map(|(hash, _)| *hash).collect();
        let store = &self.engine.store;
        let known = store.known_vectors(self.embedder.fingerprint(), &hashes).await?;
        let known = hashes.into_iter().zip(known);
        let mut vectors: HashMap<PassageHash, Vec<f32>> =
            known.filter_map(|(hash, known)| Some((hash, known?))).collect();
        let mut seen = HashSet::new();
        let unknown = all().filter(|(hash, _)| !vectors.contains_key(hash) && seen.insert(*hash));
        let (hashes, texts): (Vec<PassageHash>, Vec<CleanText>) = unknown.cloned().unzip();
        for (hashes, texts) in hashes.chunks(PORTION).zip(texts.chunks(PORTION)) {
            self.renew().await?;
            let made = made(self.embedder, texts).await?;
            vectors.extend(hashes.iter().copied().zip(made));
        }
        let of = |(hash, _): &(PassageHash, CleanText)| {
            let vector = vectors.get(hash).cloned().ok_or_else(too_few)?;
            Ok(PassageVector { hash: *hash, vector })
        };
        portion.iter().map(|task| task.passages.iter().map(of).collect()).collect()
    }

    /// Returns whether the embedder can embed at all, so that a text must be at fault.
    async fn is_sound(&mut self) -> bool {
        if !self.sound {
            let text = ingest::redact(PLAIN, "", Level::Probable).text;
            let kept = self.engine.store.dimensions(self.embedder.fingerprint()).await;
            let made = made(self.embedder, std::slice::from_ref(&text)).await;
            self.sound = match (made, kept) {
                (Ok(made), Ok(kept)) => {
                    made.iter().all(|vector| embed::check(vector, kept).is_ok())
                }
                _ => false,
            };
        }
        self.sound
    }

    /// Puts a memory aside, for longer every time.
    async fn refuse(&mut self, task: &Task, error: &Error) -> Result<()> {
        let Claimed { memory, refusals } = &task.claimed;
        let until = later(self.engine.now(), wait(*refusals));
        let store = &self.engine.store;
        store.refuse(&memory.id, self.until, until, &error.to_string()).await?;
        self.left.remove(&memory.id);
        self.progress.refused += 1;
        Ok(())
    }

    /// Keeps others away for a whole lease from now on, unless most of it is left.
    async fn renew(&mut self) -> Result<()> {
        let until = later(self.engine.now(), LEASE);
        if until.duration_since(self.until) > RENEWED_AFTER {
            self.engine.store.extend(&self.ids(), self.until, until).await?;
            self.until = until;
        }
        Ok(())
    }

    async fn give_back(&self) -> Result<()> {
        if self.left.is_empty() {
            return Ok(());
        }
        self.engine.store.release(&self.ids(), self.until).await
    }

    fn ids(&self) -> Vec<MemoryId> {
        self.left.iter().cloned().collect()
    }
}

impl Task {
    fn new(claimed: Claimed) -> Self {
        let hashed = |text: CleanText| (hash(&text), text);
        let passages = claimed.memory.passages().into_iter().map(hashed).collect();
        Self { claimed, passages }
    }
}

/// Has vectors made, and refuses what are none.
async fn made(embedder: &dyn Embedder, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
    let vectors = embedder.embed(texts).await?;
    if vectors.len() != texts.len() {
        return Err(too_few());
    }
    for vector in &vectors {
        embed::check(vector, None)?;
    }
    Ok(vectors)
}

/// Splits tasks into runs with few passages each; a task with many is alone.
fn portions(tasks: &[Task]) -> Vec<&[Task]> {
    let mut portions = Vec::new();
    let mut start = 0;
    let mut passages = 0;
    for (place, task) in tasks.iter().enumerate() {
        passages += task.passages.len();
        if passages > PORTION && place > start {
            portions.push(&tasks[start..place]);
            start = place;
            passages = task.passages.len();
        }
    }
    portions.push(&tasks[start..]);
    portions.retain(|portion| !portion.is_empty());
    portions
}

/// Returns how long a memory is left alone that was refused so often before.
fn wait(refusals: u32) -> SignedDuration {
    let doubled = 2_i32.checked_pow(refusals).and_then(|factor| WAITS.0.checked_mul(factor));
    doubled.map_or(WAITS.1, |wait| wait.min(WAITS.1))
}

fn later(now: Timestamp, duration: SignedDuration) -> Timestamp {
    now.saturating_add(duration).unwrap_or(now)
}

fn hash(text: &CleanText) -> PassageHash {
    let digest = <[u8; 32]>::from(Sha256::digest(text.as_str()));
    let mut hash = PassageHash::default();
    hash.copy_from_slice(&digest[..16]);
    hash
}

fn too_few() -> Error {
    Error::new(ErrorKind::Configuration, "the embedder returned fewer vectors than texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_day() {
        let check = |refusals, minutes| assert_eq!(wait(refusals).as_mins(), minutes);
        for (refusals, minutes) in [(0, 10), (1, 20), (3, 80), (8, 1_440), (99, 1_440)] {
            check(refusals, minutes);
        }
        check(u32::MAX, 1_440);
    }
}
