#![expect(missing_docs, reason = "the names are those of the protocol")]

use serde::{Deserialize, Serialize};

use crate::engine::Receipt;
use crate::error::{Error, Result};
use crate::model::MemoryId;

/// That memories were forgotten, as it is handed out and read back.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReceiptOutput {
    pub receipt: String,
    pub forgotten_at: String,
    pub forgotten_by: String,
    pub reason: String,
    pub memories: Vec<ForgottenOutput>,
    pub deleted: usize,
    pub derived: usize,
    pub audit: AuditPlaceOutput,
}

/// A memory that is gone.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForgottenOutput {
    pub id: String,
    pub scope: String,
}

/// An entry of the audit.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditPlaceOutput {
    pub sequence: u64,
    pub hash: String,
}

impl ReceiptOutput {
    /// Reads a receipt; an error never repeats it.
    pub fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|_| Error::invalid("this is no receipt of a forgetting"))
    }

    /// Returns the memories that it says are gone.
    pub fn ids(&self) -> Result<Vec<MemoryId>> {
        self.memories.iter().map(|memory| memory.id.parse()).collect()
    }
}

impl From<&Receipt> for ReceiptOutput {
    fn from(receipt: &Receipt) -> Self {
        let memories = receipt.memories.iter();
        Self {
            receipt: receipt.id.clone(),
            forgotten_at: receipt.at.to_string(),
            forgotten_by: receipt.actor.to_string(),
            reason: receipt.reason.as_str().to_owned(),
            memories: memories
                .map(|(id, scope)| ForgottenOutput { id: id.to_string(), scope: scope.to_string() })
                .collect(),
            deleted: receipt.memories.len(),
            derived: receipt.derived,
            audit: AuditPlaceOutput {
                sequence: receipt.audit.sequence,
                hash: receipt.audit.hash.clone(),
            },
        }
    }
}
