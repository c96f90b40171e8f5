#![expect(missing_docs, reason = "the names are those of the protocol")]

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::ReceiptOutput;
use crate::engine::{
    Absence, Corrected, EntityProfile, Forgotten, Listed, Remembered, Session, Sessions, Stats,
    Turn, Updated, VersionedHistory, WhyNot,
};
use crate::entry::{MemoryEntry, identifiers_out};
use crate::error::Error;
use crate::ingest::Redaction;
use crate::model::{AuditEntry, ChangeRecord, Embedding, Layer, Memory, Scope};
use crate::retrieval::{Answer, Companion, Hit, MeaningUsed, Period, explain};
use crate::store::Rejection;
use crate::text::hex;

/// What became of something to remember.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AddOutput {
    pub memory: MemoryEntry,
    pub embedding_generated: bool,
    pub existing: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redactions: Vec<RedactionOutput>,
}

/// A memory after a change.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpdateOutput {
    pub memory: MemoryEntry,
    pub embedding_regenerated: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redactions: Vec<RedactionOutput>,
}

/// A memory that was wrong, and what stands in its place.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CorrectOutput {
    pub memory: MemoryEntry,
    pub replaced: MemoryEntry,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redactions: Vec<RedactionOutput>,
}

/// What was taken out of a text.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RedactionOutput {
    pub class: &'static str,
    pub level: &'static str,
}

/// The answer to a question.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchOutput {
    pub results: Vec<SearchResult>,
    pub total_count: usize,
    pub searched_layers: Vec<String>,
    pub searched_scopes: Vec<ScopeOutput>,
    pub meaning: &'static str,
    pub pending_embeddings: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The shelves that did not answer: what stands there may be missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<String>,
}

/// One hit.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    pub memory: MemoryEntry,
    pub score: f64,
    pub layer: String,
    pub signals: SignalsOutput,
}

/// What brought a hit into an answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SignalsOutput {
    pub parts: BTreeMap<&'static str, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    pub matched_terms: Vec<String>,
    pub matched_names: Vec<String>,
    pub overrides: Vec<String>,
    pub explanation: Vec<String>,
}

/// Why a memory is not part of an answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WhyNotOutput {
    pub memory: MemoryEntry,
    pub absent: bool,
    pub reasons: Vec<AbsenceOutput>,
    pub rank: Option<usize>,
    pub found: usize,
    pub cosine: Option<f64>,
}

/// One reason.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AbsenceOutput {
    pub code: &'static str,
    pub reason: String,
}

/// One page of a list.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListOutput {
    pub memories: Vec<MemoryEntry>,
    pub next_cursor: Option<String>,
    pub total_count: u64,
    pub scopes: Vec<ScopeOutput>,
    /// The ids of those that are missing here because a shelf has lost their texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

/// What was forgotten.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeleteOutput {
    pub success: bool,
    pub deleted: usize,
    pub ids: Vec<String>,
    pub failed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<ReceiptOutput>,
}

/// A value that is not learnt again.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RejectionOutput {
    pub hash: String,
    pub at: String,
    pub scope: ScopeOutput,
}

/// A memory with everything it was before.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistoryOutput {
    pub current: MemoryEntry,
    pub earlier: Vec<MemoryEntry>,
}

/// Whose something is.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScopeOutput {
    pub scope: String,
    pub layer: String,
    pub identifiers: BTreeMap<String, String>,
}

/// What is kept.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatsOutput {
    pub total: u64,
    pub kinds: BTreeMap<String, u64>,
    pub layers: BTreeMap<String, u64>,
    pub pending_embeddings: u64,
    pub content_bytes: u64,
    pub latest_at: Option<String>,
    pub scopes: Vec<ScopeStats>,
}

/// What one scope holds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScopeStats {
    #[serde(flatten)]
    pub scope: ScopeOutput,
    pub memories: u64,
    pub entities: u64,
    pub pending_embeddings: u64,
    pub latest_at: Option<String>,
}

/// What is known of an entity.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EntityOutput {
    pub name: String,
    #[serde(rename = "type")]
    pub entity_type: String,
    pub aliases: Vec<String>,
    pub mention_count: u64,
    pub first_at: String,
    pub last_at: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<MemoryEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<CompanionOutput>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<PeriodOutput>,
}

/// Something that is named together with an entity.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompanionOutput {
    pub name: String,
    #[serde(rename = "type")]
    pub entity_type: String,
    pub memories: u64,
}

/// A day or a month, and what happened then.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PeriodOutput {
    pub period: String,
    pub memories: Vec<DatedOutput>,
}

/// A memory in the order of time; what was replaced says until when it held.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DatedOutput {
    pub id: String,
    pub event_at: String,
    pub content: String,
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// One page of conversations.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionsOutput {
    pub sessions: Vec<SessionOutput>,
    pub next_cursor: Option<String>,
    pub total_count: usize,
}

/// A conversation, and how much is kept of it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionOutput {
    pub session_id: String,
    pub user_id: String,
    pub turns: u64,
    pub memories: u64,
    pub latest_at: Option<String>,
}

/// Something said in a conversation.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnOutput {
    pub role: String,
    pub content: String,
    pub timestamp: String,
}

/// One audit entry.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditOutput {
    pub sequence: u64,
    pub timestamp: String,
    pub action: String,
    pub user_id: String,
    pub scope: Option<String>,
    pub first_change: Option<u64>,
    pub last_change: Option<u64>,
    pub metadata: Map<String, Value>,
    pub hash: String,
}

/// One place in the sequence of changes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeOutput {
    pub sequence: u64,
    pub id: String,
    pub kind: String,
    pub version: u64,
    pub timestamp: String,
    pub scope: String,
}

/// Something that went wrong.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorOutput {
    pub code: &'static str,
    pub message: String,
    pub operation: Option<&'static str>,
    pub details: Map<String, Value>,
    pub retryable: bool,
}

impl From<&Remembered> for AddOutput {
    fn from(remembered: &Remembered) -> Self {
        Self {
            memory: MemoryEntry::from(&remembered.memory),
            embedding_generated: remembered.memory.embedding != Embedding::Pending,
            existing: remembered.existing,
            redactions: remembered.redactions.iter().map(RedactionOutput::from).collect(),
        }
    }
}

impl From<&Updated> for UpdateOutput {
    fn from(updated: &Updated) -> Self {
        let embedded = updated.memory.embedding != Embedding::Pending;
        Self {
            memory: MemoryEntry::from(&updated.memory),
            embedding_regenerated: updated.content_changed && embedded,
            redactions: updated.redactions.iter().map(RedactionOutput::from).collect(),
        }
    }
}

impl From<&Corrected> for CorrectOutput {
    fn from(corrected: &Corrected) -> Self {
        Self {
            memory: MemoryEntry::from(&corrected.memory),
            replaced: MemoryEntry::from(&corrected.replaced),
            redactions: corrected.redactions.iter().map(RedactionOutput::from).collect(),
        }
    }
}

impl From<&Redaction> for RedactionOutput {
    fn from(redaction: &Redaction) -> Self {
        Self { class: redaction.class, level: redaction.level.as_str() }
    }
}

impl From<&Answer> for SearchOutput {
    fn from(answer: &Answer) -> Self {
        Self {
            results: answer.hits.iter().map(SearchResult::from).collect(),
            total_count: answer.total,
            searched_layers: answer
                .searched
                .iter()
                .map(|scope| scope.layer().to_string())
                .collect(),
            searched_scopes: answer.searched.iter().map(ScopeOutput::from).collect(),
            meaning: match answer.meaning {
                MeaningUsed::NotAsked => "not-asked",
                MeaningUsed::NoEmbedder => "no-embedder",
                MeaningUsed::Failed => "failed",
                MeaningUsed::Compared { .. } => "compared",
            },
            pending_embeddings: match answer.meaning {
                MeaningUsed::Compared { pending } => pending,
                _ => 0,
            },
            left_out: answer.left_out,
            unavailable: answer.unavailable.iter().map(ToString::to_string).collect(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl From<&Hit> for SearchResult {
    fn from(hit: &Hit) -> Self {
        let signals = &hit.signals;
        Self {
            memory: MemoryEntry::from(&hit.memory),
            score: hit.score,
            layer: hit.memory.scope.layer().to_string(),
            signals: SignalsOutput {
                parts: signals
                    .parts
                    .iter()
                    .map(|part| (part.signal.as_str(), part.value))
                    .collect(),
                cosine: signals.cosine,
                matched_terms: signals.matched_terms.clone(),
                matched_names: signals.matched_names.clone(),
                overrides: signals.overrides.iter().map(ToString::to_string).collect(),
                explanation: explain(hit),
            },
        }
    }
}

impl From<&WhyNot> for WhyNotOutput {
    fn from(why: &WhyNot) -> Self {
        Self {
            memory: MemoryEntry::from(&why.memory),
            absent: !why.reasons.is_empty(),
            reasons: why.reasons.iter().map(AbsenceOutput::from).collect(),
            rank: why.rank,
            found: why.found,
            cosine: why.cosine,
        }
    }
}

impl From<&Absence> for AbsenceOutput {
    fn from(absence: &Absence) -> Self {
        let code = match absence {
            Absence::NotMeant(objection) => objection.as_str(),
            Absence::NothingSpeaksForIt => "unrelated",
            Absence::NotEmbedded => "not-embedded",
            Absence::BelowThreshold { .. } => "threshold",
            Absence::BeyondLimit { .. } => "rank",
            Absence::BeyondLayerLimit { .. } => "layer-limit",
            Absence::Overridden { .. } => "overridden",
            Absence::BeyondTokens { .. } => "tokens",
        };
        Self { code, reason: absence.to_string() }
    }
}

impl From<&Listed> for ListOutput {
    fn from(listed: &Listed) -> Self {
        Self {
            memories: listed.memories.iter().map(MemoryEntry::from).collect(),
            next_cursor: listed.next_cursor.clone(),
            total_count: listed.total,
            scopes: listed.scopes.iter().map(ScopeOutput::from).collect(),
            lost: listed.lost.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<&Rejection> for RejectionOutput {
    fn from(rejection: &Rejection) -> Self {
        Self {
            hash: hex(&rejection.value),
            at: rejection.at.to_string(),
            scope: ScopeOutput::from(&rejection.scope),
        }
    }
}

impl From<&Forgotten> for DeleteOutput {
    fn from(forgotten: &Forgotten) -> Self {
        Self {
            success: forgotten.missing.is_empty(),
            deleted: forgotten.ids.len(),
            ids: forgotten.ids.iter().map(ToString::to_string).collect(),
            failed: forgotten.missing.iter().map(ToString::to_string).collect(),
            receipt: forgotten.receipt.as_ref().map(ReceiptOutput::from),
        }
    }
}

impl From<&VersionedHistory> for HistoryOutput {
    fn from(history: &VersionedHistory) -> Self {
        Self {
            current: MemoryEntry::from(&history.current),
            earlier: history.earlier.iter().map(MemoryEntry::from).collect(),
        }
    }
}

impl From<&Scope> for ScopeOutput {
    fn from(scope: &Scope) -> Self {
        Self {
            scope: scope.to_string(),
            layer: scope.layer().to_string(),
            identifiers: identifiers_out(scope.identifiers()),
        }
    }
}

impl From<&Stats> for StatsOutput {
    fn from(stats: &Stats) -> Self {
        let scope = |summary: &crate::store::ScopeSummary| ScopeStats {
            scope: ScopeOutput::from(&summary.scope),
            memories: summary.counts.iter().map(|(_, _, count)| count).sum(),
            entities: summary.entities,
            pending_embeddings: summary.pending_embeddings,
            latest_at: summary.latest_at.as_ref().map(ToString::to_string),
        };
        Self {
            total: stats.total,
            kinds: stats.kinds.iter().map(|(kind, count)| (kind.to_string(), *count)).collect(),
            layers: stats.layers.iter().map(|(layer, count)| (layer.to_string(), *count)).collect(),
            pending_embeddings: stats.pending_embeddings,
            content_bytes: stats.content_bytes,
            latest_at: stats.latest_at.as_ref().map(ToString::to_string),
            scopes: stats.scopes.iter().map(scope).collect(),
        }
    }
}

impl From<&crate::model::Entity> for EntityOutput {
    fn from(entity: &crate::model::Entity) -> Self {
        Self {
            name: entity.name.clone(),
            entity_type: entity.entity_type.to_string(),
            aliases: entity.aliases.clone(),
            mention_count: entity.mention_count,
            first_at: entity.first_at.to_string(),
            last_at: entity.last_at.to_string(),
            memories: Vec::new(),
            statements: Vec::new(),
            companions: Vec::new(),
            timeline: Vec::new(),
        }
    }
}

impl From<&EntityProfile> for EntityOutput {
    fn from(profile: &EntityProfile) -> Self {
        Self {
            memories: profile.memories.iter().map(MemoryEntry::from).collect(),
            statements: profile.statements.iter().map(MemoryEntry::from).collect(),
            companions: profile.companions.iter().map(CompanionOutput::from).collect(),
            timeline: profile.timeline.iter().map(PeriodOutput::from).collect(),
            ..Self::from(&profile.entity)
        }
    }
}

impl From<&Companion> for CompanionOutput {
    fn from(companion: &Companion) -> Self {
        Self {
            name: companion.name.clone(),
            entity_type: companion.entity_type.to_string(),
            memories: companion.memories,
        }
    }
}

impl From<&Period> for PeriodOutput {
    fn from(period: &Period) -> Self {
        let memories = period.memories.iter().map(DatedOutput::from).collect();
        Self { period: period.name.clone(), memories }
    }
}

impl From<&Memory> for DatedOutput {
    fn from(memory: &Memory) -> Self {
        Self {
            id: memory.id.to_string(),
            event_at: memory.event_at.to_string(),
            content: memory.content.as_str().to_owned(),
            state: memory.state.to_string(),
            valid_until: memory.valid_until.as_ref().map(ToString::to_string),
            superseded_by: memory.provenance.superseded_by.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Sessions> for SessionsOutput {
    fn from(page: &Sessions) -> Self {
        Self {
            sessions: page.sessions.iter().map(SessionOutput::from).collect(),
            next_cursor: page.next_cursor.clone(),
            total_count: page.total,
        }
    }
}

impl From<&Session> for SessionOutput {
    fn from(session: &Session) -> Self {
        let identifiers = session.scope.identifiers();
        let name = |layer| identifiers.get(layer).map(ToString::to_string).unwrap_or_default();
        Self {
            session_id: name(Layer::Session),
            user_id: name(Layer::User),
            turns: session.turns,
            memories: session.memories,
            latest_at: session.latest_at.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Turn> for TurnOutput {
    fn from(turn: &Turn) -> Self {
        Self {
            role: turn.role.clone(),
            content: turn.content.clone(),
            timestamp: turn.at.to_string(),
        }
    }
}

impl From<&AuditEntry> for AuditOutput {
    fn from(entry: &AuditEntry) -> Self {
        let record = &entry.record;
        Self {
            sequence: record.sequence,
            timestamp: record.at.to_string(),
            action: record.action.to_string(),
            user_id: record.actor.to_string(),
            scope: record.scope.clone(),
            first_change: record.changes.as_ref().map(|range| range.first),
            last_change: record.changes.as_ref().map(|range| range.last),
            metadata: record.details.clone(),
            hash: entry.hash.clone(),
        }
    }
}

impl From<&ChangeRecord> for ChangeOutput {
    fn from(record: &ChangeRecord) -> Self {
        Self {
            sequence: record.sequence,
            id: record.id.to_string(),
            kind: record.kind.to_string(),
            version: record.version,
            timestamp: record.at.to_string(),
            scope: record.scope.to_string(),
        }
    }
}

impl From<&Error> for ErrorOutput {
    fn from(error: &Error) -> Self {
        Self {
            code: error.kind().code(),
            message: error.to_string(),
            operation: error.operation(),
            details: error.details().clone(),
            retryable: error.kind().retryable(),
        }
    }
}
