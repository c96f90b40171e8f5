//! The flags that make up a question.

use anyhow::Result;
use clap::{Args, ValueEnum};
use cofio::retrieval::{Fusion, Merge};
use cofio::{Mode, Query};

use crate::app::App;
use crate::filters::Filters;
use crate::when::When;

/// A question, and how it is to be answered.
#[derive(Debug, Args)]
pub struct QueryFlags {
    /// The question
    #[arg(value_name = "QUERY", required = true)]
    words: Vec<String>,
    /// How many hits at most
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit: Option<usize>,
    /// How many hits of one layer at most
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit_per_layer: Option<usize>,
    /// By which evidence: hybrid, semantic or keyword
    #[arg(long, value_enum, hide_possible_values = true, default_value_t)]
    mode: ModeName,
    /// How evidence is put together: weighted, or rrf (by ranks alone)
    #[arg(long, value_enum, hide_possible_values = true, default_value_t)]
    fusion: FusionName,
    /// The least cosine, from -1 to 1; with --mode semantic 0.7 if nothing is said
    #[arg(long, value_name = "COSINE", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// How much more what happened lately counts, from 0 to 1
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0, allow_negative_numbers = true)]
    recency: f64,
    /// The moment from which "yesterday" is meant, if not now or that of --as-of
    #[arg(long, value_name = "TIME")]
    at: Option<When>,
    /// How many tokens all hits together may have, about
    #[arg(long, value_name = "NUMBER")]
    tokens: Option<usize>,
    /// The best first (fused), or the most specific layer first (precedence)
    #[arg(long, value_enum, hide_possible_values = true, default_value_t)]
    merge: MergeName,
    #[command(flatten)]
    filters: Filters,
}

/// By which evidence memories are found.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ModeName {
    /// All there is
    #[default]
    Hybrid,
    /// Vectors alone
    Semantic,
    /// Words alone
    Keyword,
}

/// How pieces of evidence are put together.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FusionName {
    /// By how far each stands out
    #[default]
    Weighted,
    /// By places in ranked lists alone
    Rrf,
}

/// How results of several layers are put together.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum MergeName {
    /// The best first, whatever its layer
    #[default]
    Fused,
    /// The most specific layer first
    Precedence,
}

impl QueryFlags {
    /// Returns the question for the engine.
    ///
    /// Vectors alone can only be asked if somebody makes them.
    pub fn query(&self, app: &App) -> Result<Query> {
        let mode = Mode::from(self.mode);
        if mode == Mode::Semantic {
            app.embedder.required()?;
        }
        Ok(Query {
            mode,
            fusion: self.fusion.into(),
            threshold: self.threshold,
            recency: self.recency,
            reference_time: self.at.map(|at| at.last(app.zone())).transpose()?,
            tokens: self.tokens,
            merge: self.merge.into(),
            limit: self.limit.unwrap_or(app.settings.limit()),
            limit_per_layer: self.limit_per_layer,
            ..Query::new(self.filters.selection(app)?, self.words.join(" "))
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
