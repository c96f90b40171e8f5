use axum::http::Method;
use cofio::Result;
use cofio::engine::{Forgotten, Receipt};
use cofio::model::{MemoryId, Right};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::write::unsupported;
use crate::http::answer::Found;
use crate::http::body::Perhaps;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Header, Nothing};
use crate::http::failure::{Failure, Outcome};
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Delete;

/// How to remove an entry.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct DeleteInput {
    /// The same id as in the path, if any.
    id: Option<String>,
    options: DeleteOptions,
}

/// How to remove an entry.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct DeleteOptions {
    /// A removal is always for good and takes earlier versions along; false is refused.
    hard_delete: Option<bool>,
    governance: DeleteGovernance,
}

/// Who has to agree.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct DeleteGovernance {
    /// A removal waits for nobody; true is refused.
    require_approval: bool,
    /// Not kept: it may say what was removed.
    reason: Option<String>,
}

/// That an entry is gone.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DeleteOutput {
    deleted: bool,
    entry_id: String,
    /// What shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<ReceiptOutput>,
    /// What was sent and made no difference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<&'static str>,
}

/// That entries were removed, and where the audit has it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ReceiptOutput {
    receipt_id: String,
    deleted_at: String,
    /// How many entries were concluded from it, and are gone too.
    derived: usize,
    audit_sequence: u64,
    audit_hash: String,
}

impl Endpoint for Delete {
    type Path = ById;
    type Query = Nothing;
    type Body = Perhaps<DeleteInput>;
    type Answer = Found<DeleteOutput>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/openspec/v1/knowledge/{id}";
    const NAME: &'static str = "deleteKnowledge";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Remove an entry for good";
    const ABOUT: &'static str = "The entry, its earlier versions, its vectors and whatever was concluded from it are gone. With If-Match nothing is removed that somebody else changed since, and the key needs the right to read as well.";
    const NEEDS: Right = Right::Delete;
    const HEADERS: &'static [Header] = &[Header::IfMatch];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let id = asked.path.memory()?;
        let input = asked.body.0.unwrap_or_default();
        if input.id.is_some_and(|other| other != id.as_str()) {
            return Err(Failure::unreadable("the body has another id than the path"));
        }
        let ignored = input.options.ignored()?;
        visit.notes().begins(Act::Delete).on(&id);
        let forgotten = remove(visit, &id, visit.expected_version()?).await;
        let forgotten = forgotten.map_err(|error| visit.refused(error))?;
        let receipt = forgotten.receipt.as_ref().map(ReceiptOutput::from);
        Ok(Found(DeleteOutput { deleted: true, entry_id: id.to_string(), receipt, ignored }))
    }
}

/// Removes an entry, if it still has the version that is expected.
pub(super) async fn remove(
    visit: &Visit,
    id: &MemoryId,
    expected: Option<u64>,
) -> Result<Forgotten> {
    let forgotten = match expected {
        Some(version) => visit.engine.forget_version(visit.caller(), id, version).await?,
        None => visit.engine.forget(visit.caller(), std::slice::from_ref(id)).await?,
    };
    if forgotten.ids.is_empty() {
        return Err(MemoryId::not_found(id.as_str()));
    }
    Ok(forgotten)
}

impl DeleteOptions {
    /// Refuses what cannot be done, and names what makes no difference.
    pub(super) fn ignored(&self) -> Result<Vec<&'static str>> {
        if self.hard_delete == Some(false) {
            return Err(unsupported("a removal is for good here: leave hard_delete out"));
        }
        if self.governance.require_approval {
            return Err(unsupported("a removal cannot wait for approval"));
        }
        let reason = self.governance.reason.as_ref();
        Ok(reason.map(|_| "options.governance.reason").into_iter().collect())
    }
}

impl From<&Receipt> for ReceiptOutput {
    fn from(receipt: &Receipt) -> Self {
        Self {
            receipt_id: receipt.id.clone(),
            deleted_at: receipt.at.to_string(),
            derived: receipt.derived,
            audit_sequence: receipt.audit.sequence,
            audit_hash: receipt.audit.hash.clone(),
        }
    }
}
