//! What a run over a dataset is worth, in figures.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::conversation::{Altered, Conversation};
use super::metrics::{Scores, judge, mean};

/// Everything that a run tells.
#[derive(Serialize)]
pub struct Report {
    /// What makes it again.
    pub command: String,
    /// What was read.
    pub dataset: Contents,
    /// What was measured.
    pub settings: Settings,
    /// How well single messages were found.
    pub message: Level,
    /// How well sessions were found: in the order of their first message among the hits.
    pub session: Level,
    /// How fast it was, and how large.
    pub speed: Speed,
}

/// What a dataset had, and what of it was measured.
#[derive(Serialize)]
pub struct Contents {
    pub file: String,
    pub namespaces: usize,
    pub messages: usize,
    pub questions: usize,
    /// Questions that were asked and judged.
    pub asked: usize,
    pub skipped: Skipped,
    /// Questions that were judged by the part of their evidence that is among the messages.
    pub evidence_partly_unknown: usize,
    pub altered: Altered,
}

/// Questions that nothing can be said of.
#[derive(Debug, Default, Serialize)]
pub struct Skipped {
    /// No message holds the answer.
    pub no_evidence: usize,
    /// The answer is in messages that the namespace does not have.
    pub evidence_unknown: usize,
}

/// How the questions were answered.
#[derive(Serialize)]
pub struct Settings {
    /// The fingerprint of the model, or `none`.
    pub embedder: String,
    pub fusion: String,
    pub mode: String,
    /// The cosine below which nothing is found, where the engine does not decide.
    pub threshold: Option<f64>,
    /// How many hits were asked for.
    pub limit: usize,
    /// Tells this table of weights from every other.
    pub weights_hash: String,
}

/// How fast a run was, and how large.
#[derive(Serialize)]
pub struct Speed {
    /// Messages per second, until each is durable and found by its words.
    pub ingest_acknowledged_per_second: f64,
    /// Messages per second, until each is found by its meaning too.
    pub ingest_embedded_per_second: Option<f64>,
    /// Asking once, the embedding of the question included.
    pub query_p50_ms: f64,
    pub query_p95_ms: f64,
    pub resident_megabytes: Option<f64>,
    pub peak_resident_megabytes: Option<f64>,
}

/// Scores at one level.
#[derive(Serialize)]
pub struct Level {
    pub overall: Scores,
    pub by_category: BTreeMap<String, Scores>,
}

/// Collects the scores of questions.
#[derive(Default)]
pub struct Judged {
    by_category: BTreeMap<String, (Vec<Scores>, Vec<Scores>)>,
}

impl Judged {
    /// Adds one question: the messages found, best first, and those that hold the answer.
    pub fn add(
        &mut self,
        category: Option<&str>,
        found: &[usize],
        evidence: &HashSet<usize>,
        conversation: &Conversation,
    ) {
        let session = |&message: &usize| conversation.session(message);
        let mut seen = HashSet::new();
        let found_sessions: Vec<usize> =
            found.iter().map(session).filter(|&session| seen.insert(session)).collect();
        let evidence_sessions = evidence.iter().map(session).collect();
        let (messages, sessions) =
            self.by_category.entry(category.unwrap_or("none").to_owned()).or_default();
        messages.extend(judge(found, evidence));
        sessions.extend(judge(&found_sessions, &evidence_sessions));
    }

    /// Returns the means at the level of messages and at that of sessions.
    pub fn levels(&self) -> (Level, Level) {
        (self.level(|both| &both.0), self.level(|both| &both.1))
    }

    fn level(&self, pick: impl Fn(&(Vec<Scores>, Vec<Scores>)) -> &Vec<Scores>) -> Level {
        let mean_of = |(name, both): (&String, _)| (name.clone(), mean(pick(both)));
        let by_category: BTreeMap<String, Scores> = self.by_category.iter().map(mean_of).collect();
        Level { overall: mean(by_category.values()), by_category }
    }
}
