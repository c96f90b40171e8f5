use cofio::retrieval::{Fusion, Merge};
use cofio::{Mode, Query, Result, wire};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::rest::{Filter, Names};
use crate::http::visit::Visit;

/// A question, and how it is to be answered.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Question {
    /// The question or keywords, in any language.
    query: String,
    /// The layers to search; without any, all that the names open.
    layers: Option<Vec<String>>,
    /// Whose memories, as far as the key is not bound to them.
    #[serde(default)]
    identifiers: Names,
    /// By which evidence: hybrid (the default), semantic or keyword.
    mode: Option<ModeName>,
    /// How evidence is put together: weighted (the default), or rrf, by ranks alone.
    fusion: Option<FusionName>,
    /// The best first (fused, the default), or the most specific layer first (precedence).
    merge: Option<MergeName>,
    /// How many hits at most: 10 if nothing is said.
    limit: Option<usize>,
    /// How many hits of one layer at most.
    limit_per_layer: Option<usize>,
    /// The least cosine, from -1 to 1; by vectors alone 0.7 if nothing is said.
    threshold: Option<f64>,
    /// How much more what happened lately counts, from 0 (the default) to 1.
    recency: Option<f64>,
    /// The moment from which "yesterday" is meant, if not now or the filter's `asOf`.
    reference_time: Option<String>,
    /// How many tokens all hits together may have, about.
    tokens: Option<usize>,
    /// What else must hold of the memories.
    #[serde(default)]
    filter: Filter,
}

/// By which evidence memories are found.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ModeName {
    /// All there is.
    Hybrid,
    /// Vectors alone.
    Semantic,
    /// Words alone.
    Keyword,
}

/// How pieces of evidence are put together.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FusionName {
    /// By how far each stands out.
    Weighted,
    /// By places in ranked lists alone.
    Rrf,
}

/// How results of several layers are put together.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum MergeName {
    /// The best first, whatever its layer.
    Fused,
    /// The most specific layer first.
    Precedence,
}

impl Question {
    /// Returns the question for the engine.
    pub(super) fn query(self, visit: &Visit) -> Result<Query> {
        let selection = visit.selection(&self.identifiers, self.layers.as_deref(), self.filter)?;
        let query = Query::new(selection, self.query);
        Ok(Query {
            mode: self.mode.map_or(query.mode, Mode::from),
            fusion: self.fusion.map_or(query.fusion, Fusion::from),
            merge: self.merge.map_or(query.merge, Merge::from),
            limit: self.limit.unwrap_or(query.limit),
            limit_per_layer: self.limit_per_layer,
            threshold: self.threshold,
            recency: self.recency.unwrap_or(query.recency),
            reference_time: self.reference_time.as_deref().map(wire::moment).transpose()?,
            tokens: self.tokens,
            ..query
        })
    }
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Hybrid => Self::Hybrid,
            ModeName::Semantic => Self::Semantic,
            ModeName::Keyword => Self::Keyword,
        }
    }
}

impl From<FusionName> for Fusion {
    fn from(name: FusionName) -> Self {
        match name {
            FusionName::Weighted => Self::Weighted,
            FusionName::Rrf => Self::Rrf,
        }
    }
}

impl From<MergeName> for Merge {
    fn from(name: MergeName) -> Self {
        match name {
            MergeName::Fused => Self::Fused,
            MergeName::Precedence => Self::Precedence,
        }
    }
}
