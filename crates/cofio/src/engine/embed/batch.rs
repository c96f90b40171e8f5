//! Embedding what was claimed: in portions, and around what cannot be embedded.

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;

use super::abreast::Abreast;
use super::lease::Lease;
use super::{Engine, later};
use crate::embed::{self, Embedder};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Level};
use crate::model::{
    Change, CleanText, Commit, Identifier, Memory, Outcome, PassageHash, PassageVector, Vectors,
};
use crate::store::Claimed;

/// How many passages are embedded at a time.
const PORTION: usize = 64;

/// How many portions are under way together: while one is committed, another is embedded.
const UNDER_WAY: usize = 2;

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
    lease: Lease<'a>,
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
        let (lease, claimed) = Lease::take(self, limit).await?;
        let tasks: Vec<Task> = claimed.into_iter().map(Task::new).collect();
        let batch = Batch { engine: self, embedder, lease };
        let mut progress = Progress::default();
        let outcome = batch.embed_all(&tasks, &mut progress).await;
        batch.lease.give_back().await?;
        match outcome {
            Err(error) if progress.done + progress.refused == 0 => Err(error),
            _ => Ok(progress),
        }
    }
}

impl Batch<'_> {
    /// Embeds portion after portion; one that cannot be embedded is tried in halves.
    async fn embed_all(&self, tasks: &[Task], progress: &mut Progress) -> Result<()> {
        let mut portions = portions(tasks);
        portions.reverse();
        let mut under_way = Abreast::new();
        // Whether the embedder is known to be able to embed at all.
        let mut sound = false;
        loop {
            while under_way.len() < UNDER_WAY
                && let Some(portion) = portions.pop()
            {
                under_way.start(async move { (portion, self.embed(portion).await) });
            }
            let Some((portion, outcome)) = under_way.next().await else { return Ok(()) };
            let error = match outcome {
                Ok(done) => {
                    progress.done += done;
                    continue;
                }
                Err(error) => error,
            };
            sound = sound || (!error.kind().retryable() && self.can_embed().await);
            if error.kind().retryable() || !sound {
                return Err(error);
            }
            if let [task] = portion {
                self.refuse(task, &error).await?;
                progress.refused += 1;
            } else {
                let (first, second) = portion.split_at(portion.len() / 2);
                portions.extend([second, first]);
            }
        }
    }

    /// Gives a few memories their vectors, and returns how many still had the text by then.
    async fn embed(&self, portion: &[Task]) -> Result<usize> {
        let vectors = self.vectors_of(portion).await?;
        let fingerprint = self.embedder.fingerprint();
        let change = |(task, vectors): (&Task, Vec<PassageVector>)| {
            let Memory { id, version, .. } = &task.claimed.memory;
            let (id, fingerprint) = (id.clone(), fingerprint.clone());
            let vectors = Vectors::Here(vectors);
            Change::Embed { id, version: *version, fingerprint, vectors }
        };
        let commit = Commit {
            actor: Identifier::new("cofio")?,
            at: self.engine.now(),
            changes: portion.iter().zip(vectors).map(change).collect(),
            audit: Vec::new(),
            idempotency: None,
            work: None,
        };
        let outcomes = self.engine.store.commit(commit).await?;
        let embedded = outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Embedded(id) => Some(id),
            _ => None,
        });
        Ok(embedded.inspect(|id| self.lease.finish(id)).count())
    }

    /// Returns the vectors of the passages of each memory; the same text is embedded once.
    async fn vectors_of(&self, portion: &[Task]) -> Result<Vec<Vec<PassageVector>>> {
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
            self.lease.renew().await?;
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
    async fn can_embed(&self) -> bool {
        let text = ingest::redact(PLAIN, "", Level::Probable).text;
        let kept = self.engine.store.dimensions(self.embedder.fingerprint()).await;
        let made = made(self.embedder, std::slice::from_ref(&text)).await;
        match (made, kept) {
            (Ok(made), Ok(kept)) => made.iter().all(|vector| embed::check(vector, kept).is_ok()),
            _ => false,
        }
    }

    /// Puts a memory aside, for longer every time.
    async fn refuse(&self, task: &Task, error: &Error) -> Result<()> {
        let Claimed { memory, refusals } = &task.claimed;
        let until = later(self.engine.now(), wait(*refusals));
        let (store, claim) = (&self.engine.store, self.lease.until());
        store.refuse(&memory.id, claim, until, &error.to_string()).await?;
        self.lease.finish(&memory.id);
        Ok(())
    }
}

impl Task {
    fn new(claimed: Claimed) -> Self {
        let hashed = |text: CleanText| (text.passage_hash(), text);
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
