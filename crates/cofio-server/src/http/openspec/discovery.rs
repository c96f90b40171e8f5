use axum::http::Method;
use cofio::model::{Kind, Layer, Right};
use schemars::JsonSchema;
use serde::Serialize;

use super::batch::{OPERATIONS, most_entries};
use super::query::{METRICS, modes};
use super::{PROVIDER, source};
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::stream;
use crate::http::visit::Visit;

pub(super) struct Discover;

/// What answers here, and what it can do at this moment.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Discovery {
    provider: Provider,
}

/// Who answers.
#[derive(Debug, Serialize, JsonSchema)]
struct Provider {
    name: &'static str,
    version: &'static str,
    description: &'static str,
    capabilities: Capabilities,
    /// The types of sources that are understood.
    supported_sources: Vec<&'static str>,
    limits: Limits,
    features: Features,
}

/// What can be asked, and how.
#[derive(Debug, Serialize, JsonSchema)]
struct Capabilities {
    query: QueryCapabilities,
    storage: StorageCapabilities,
    metadata: MetadataCapabilities,
    streaming: StreamingCapabilities,
}

/// How entries are found.
#[derive(Debug, Serialize, JsonSchema)]
struct QueryCapabilities {
    modes: Vec<&'static str>,
    distance_metrics: &'static [&'static str],
    /// Results of one query at most, offset included.
    max_results: usize,
    /// Bytes of a query at most.
    max_query_size: usize,
    highlight: bool,
    explain: bool,
    /// Whether vectors are given out.
    include_embeddings: bool,
}

/// How entries are kept.
#[derive(Debug, Serialize, JsonSchema)]
struct StorageCapabilities {
    layers: Vec<&'static str>,
    kinds: Vec<&'static str>,
    batch_operations: &'static [&'static str],
    /// Whether Idempotency-Key is honoured.
    idempotency: bool,
    /// Whether If-Match is honoured.
    conditional_writes: bool,
    /// Whether new entries can wait for approval.
    approval: bool,
    /// Whether an entry can be removed and kept at the same time.
    soft_delete: bool,
    /// Whether vectors that are sent along are used.
    accepts_embeddings: bool,
}

/// What is known about entries.
#[derive(Debug, Serialize, JsonSchema)]
struct MetadataCapabilities {
    custom_fields: bool,
    version_history: bool,
    /// Bytes of one entry's metadata at most, written as JSON.
    max_size: usize,
    max_tags: usize,
}

/// How changes are followed.
#[derive(Debug, Serialize, JsonSchema)]
struct StreamingCapabilities {
    formats: &'static [&'static str],
    types: Vec<&'static str>,
    /// Whether a stream goes on where it broke off.
    resumable: bool,
    keep_alive_seconds: u64,
}

/// How much is taken.
#[derive(Debug, Serialize, JsonSchema)]
struct Limits {
    /// Bytes of one entry's text.
    max_entry_size: usize,
    /// Entries of one batch.
    max_batch_size: usize,
    /// Dimensions of a vector that is sent along; none is used.
    max_embeddings_dim: usize,
    /// Requests of one key in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_rate_limit: Option<u64>,
}

/// What is there.
#[derive(Debug, Serialize, JsonSchema)]
struct Features {
    /// Whether entries are found by meaning.
    semantic_search: bool,
    /// Whether meaning and words are weighed together.
    hybrid_search: bool,
    /// Whether a second model orders what was found.
    reranking: bool,
    cross_layer_query: bool,
    versioning: bool,
    /// Whether entries move between layers by themselves.
    promotion: bool,
}

impl Endpoint for Discover {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<Discovery>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/openspec/v1/knowledge";
    const NAME: &'static str = "discoverKnowledge";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Ask what this provider can do";
    const ABOUT: &'static str =
        "Limits and features are those of this server at this moment, not of the software.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        let limits = &visit.engine.config().limits;
        let rate = visit.house.limits().rate.filter(|_| visit.visitor().token.is_some());
        let by_meaning = visit.engine.has_embedder();
        Ok(Found(Discovery {
            provider: Provider {
                name: PROVIDER,
                version: env!("CARGO_PKG_VERSION"),
                description: "Memory for AI agents: stores, finds, corrects and forgets what they learn",
                capabilities: Capabilities {
                    query: QueryCapabilities {
                        modes: modes(by_meaning),
                        distance_metrics: METRICS,
                        max_results: limits.search_results,
                        max_query_size: limits.query_bytes,
                        highlight: true,
                        explain: true,
                        include_embeddings: false,
                    },
                    storage: StorageCapabilities {
                        layers: Layer::ALL.iter().map(|layer| layer.as_str()).collect(),
                        kinds: Kind::ALL.iter().map(|kind| kind.as_str()).collect(),
                        batch_operations: OPERATIONS,
                        idempotency: true,
                        conditional_writes: true,
                        approval: true,
                        soft_delete: false,
                        accepts_embeddings: false,
                    },
                    metadata: MetadataCapabilities {
                        custom_fields: true,
                        version_history: true,
                        max_size: limits.metadata_bytes,
                        max_tags: limits.tags,
                    },
                    streaming: StreamingCapabilities {
                        formats: &["sse"],
                        types: stream::TYPES.to_vec(),
                        resumable: true,
                        keep_alive_seconds: stream::KEEP_ALIVE.as_secs(),
                    },
                },
                supported_sources: source::names().collect(),
                limits: Limits {
                    max_entry_size: limits.content_bytes,
                    max_batch_size: most_entries(limits),
                    max_embeddings_dim: 0,
                    query_rate_limit: rate.map(|rate| u64::from(rate.get()) * 60),
                },
                features: Features {
                    semantic_search: by_meaning,
                    hybrid_search: by_meaning,
                    reranking: false,
                    cross_layer_query: true,
                    versioning: true,
                    promotion: false,
                },
            },
        }))
    }
}
