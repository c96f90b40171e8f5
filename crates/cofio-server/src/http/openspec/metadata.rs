use axum::http::Method;
use cofio::model::{Memory, Right};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Metadata, described};
use super::source::SourceOutput;
use crate::http::answer::Versioned;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Header};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Describe;

/// What to say of an entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DescribeQuery {
    /// Whether custom fields are wanted; they are, if nothing is said.
    include_custom: Option<bool>,
}

/// What is known about an entry, without its text.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Described {
    entry_id: String,
    metadata: Metadata,
    source: SourceOutput,
    /// Every version, the oldest first.
    version_history: Vec<Edition>,
}

/// One version of an entry.
#[derive(Debug, Serialize, JsonSchema)]
struct Edition {
    version: u64,
    created_at: String,
    /// Who wrote or said it, if that is known.
    created_by: Option<String>,
}

impl Endpoint for Describe {
    type Path = ById;
    type Query = DescribeQuery;
    type Body = Empty;
    type Answer = Versioned<Described>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/openspec/v1/knowledge/{id}/metadata";
    const NAME: &'static str = "getKnowledgeMetadata";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Read what is known about an entry, without its text";
    const NEEDS: Right = Right::Read;
    const HEADERS: &'static [Header] = &[Header::IfNoneMatch];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let history = visit.engine.history(visit.caller(), &asked.path.memory()?).await?;
        let memory = &history.current;
        let (metadata, source) = described(memory);
        let custom = asked.query.include_custom.unwrap_or(true);
        let versions = history.earlier.iter().chain([memory]);
        let value = Described {
            entry_id: memory.id.to_string(),
            metadata: if custom { metadata } else { metadata.without_custom() },
            source,
            version_history: versions.map(Edition::from).collect(),
        };
        Ok(Versioned { version: memory.version, value })
    }
}

impl From<&Memory> for Edition {
    fn from(memory: &Memory) -> Self {
        Self {
            version: memory.version,
            created_at: memory.updated_at.to_string(),
            created_by: memory.author().map(ToOwned::to_owned),
        }
    }
}
