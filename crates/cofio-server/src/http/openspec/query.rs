use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use axum::http::Method;
use cofio::model::{Criteria, Right};
use cofio::retrieval::{Answer, Hit};
use cofio::wire::{self, SearchResult};
use cofio::{Mode, Query, Result, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::PROVIDER;
use super::entry::Entry;
use super::layer::Layers;
use super::source::{self, Wanted};
use super::write::unsupported;
use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

/// The distances that are known.
pub(super) const METRICS: &[&str] = &["cosine"];

/// How many sentences of a result are shown at most.
const SNIPPETS: usize = 3;

pub(super) struct Ask;

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryInput {
    query: String,
    /// By which evidence: hybrid (the default), keyword, or semantic, which needs an embedder.
    mode: Option<ModeName>,
    #[serde(default)]
    filters: QueryCriteria,
    #[serde(default)]
    options: QueryOptions,
    #[serde(default)]
    layer: Layers,
}

/// By which evidence entries are found.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ModeName {
    Semantic,
    Keyword,
    Hybrid,
}

/// What must hold of entries.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct QueryCriteria {
    /// What produced them.
    source_type: Option<String>,
    /// How widely they are meant to be seen.
    access_policy: Option<String>,
    /// They were learnt at this moment or later.
    created_after: Option<String>,
    /// They were learnt at this moment or earlier.
    created_before: Option<String>,
    /// Labels of which they have at least one.
    tags: Vec<String>,
    /// Who wrote or said them.
    author: Option<String>,
    /// Custom fields and the values they have.
    custom_filters: Map<String, Value>,
}

/// How to answer.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct QueryOptions {
    /// How many results: 10, if nothing is said.
    limit: Option<usize>,
    /// How many of the best to leave out.
    offset: usize,
    /// The largest distance of an entry whose meaning is known, from 0 to 2.
    distance_threshold: Option<f64>,
    /// Only cosine is known: the distance is 1 less the cosine.
    distance_metric: Option<String>,
    /// Whether texts are wanted; they are, if nothing is said.
    include_content: Option<bool>,
    /// Vectors are not given out; true is refused.
    include_embeddings: bool,
    /// Among how many of the best, offset included.
    top_k: Option<usize>,
    /// Whether to say what brought each result here.
    explain: bool,
    /// Entries are as they were known at this moment: each as it was then, and none learnt later.
    as_of: Option<String>,
    /// Entries were true at this moment, as far as is known.
    valid_at: Option<String>,
}

/// The answer to a question.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QueryOutput {
    query_id: String,
    /// The best first.
    results: Vec<QueryResult>,
    metadata: QueryMetadata,
}

/// One result.
#[derive(Debug, Serialize, JsonSchema)]
struct QueryResult {
    entry: Entry,
    /// From 0 to 1.
    score: f64,
    /// 1 less the cosine of its best passage and the question, where both are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    /// The sentences that have words of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    highlight: Option<Highlight>,
    /// What brought it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    signals: Option<Signals>,
}

/// What stands out in an entry.
#[derive(Debug, Serialize, JsonSchema)]
struct Highlight {
    content: Vec<String>,
}

/// What brought a result into an answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Signals {
    /// What its place is made of: what speaks for it and, below zero, against it.
    parts: BTreeMap<&'static str, f64>,
    matched_terms: Vec<String>,
    matched_names: Vec<String>,
    /// Entries of less specific layers that say the same and gave way.
    overrides: Vec<String>,
    explanation: Vec<String>,
}

/// How the answer came about.
#[derive(Debug, Serialize, JsonSchema)]
struct QueryMetadata {
    /// How many entries something speaks for.
    total_results: usize,
    execution_time_ms: u64,
    layers_queried: Vec<&'static str>,
    provider: Provider,
}

/// Who answers.
#[derive(Debug, Serialize, JsonSchema)]
struct Provider {
    name: &'static str,
    version: &'static str,
}

impl Endpoint for Ask {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<QueryInput>;
    type Answer = Found<QueryOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/openspec/v1/knowledge/query";
    const NAME: &'static str = "queryKnowledge";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Find entries";
    const ABOUT: &'static str = "All layers that the names open are searched together, and an entry that says the same as one of a more specific layer gives way to it. Semantic mode is refused where no embedder is configured; hybrid then answers by words and names.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let began = Instant::now();
        let shown = Shown::of(&input.options);
        let query = input.query(visit)?;
        visit.notes().begins(Act::Search);
        let answer = visit.engine.search(visit.caller(), &query).await?;
        visit.notes().found(answer.hits.len());
        let mut output = shown.output(&answer);
        output.metadata.execution_time_ms =
            u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Found(output))
    }
}

/// Returns the modes that are answered.
pub(super) fn modes(by_meaning: bool) -> Vec<&'static str> {
    if by_meaning { vec!["hybrid", "keyword", "semantic"] } else { vec!["hybrid", "keyword"] }
}

impl QueryInput {
    fn query(self, visit: &Visit) -> Result<Query> {
        let Self { query: text, mode, filters, options, layer } = self;
        let metric = options.distance_metric.as_deref().unwrap_or("cosine");
        if !METRICS.contains(&metric) {
            return Err(unsupported("cosine is the only distance that is known"));
        }
        if options.include_embeddings {
            return Err(unsupported("vectors are not given out"));
        }
        let moment = |text: Option<&String>| text.map(|text| wire::moment(text)).transpose();
        let criteria = Criteria {
            as_of: moment(options.as_of.as_ref())?,
            valid_at: moment(options.valid_at.as_ref())?,
            ..filters.criteria()?
        };
        let selection = layer.selection(visit, criteria)?;
        let query = Query::new(selection, text);
        let wanted = options.limit.unwrap_or(query.limit).saturating_add(options.offset);
        Ok(Query {
            mode: mode.map_or(query.mode, Mode::from),
            threshold: options.distance_threshold.map(|distance| 1.0 - distance),
            limit: wanted.min(options.top_k.unwrap_or(wanted)),
            ..query
        })
    }
}

impl QueryCriteria {
    fn criteria(self) -> Result<Criteria> {
        let moment = |text: Option<String>| text.as_deref().map(wire::moment).transpose();
        let mut criteria = Criteria {
            tags: self.tags,
            custom: self.custom_filters,
            learnt_from: moment(self.created_after)?,
            learnt_by: moment(self.created_before)?,
            author: self.author,
            access_policy: self.access_policy.map(|policy| policy.parse()).transpose()?,
            ..Criteria::default()
        };
        match self.source_type.as_deref().map(source::wanted).transpose()? {
            Some(Wanted::Type(source_type)) => criteria.source_type = Some(source_type),
            Some(Wanted::Custom(name, value)) => {
                criteria.custom.insert(name.to_owned(), value);
            }
            None => {}
        }
        Ok(criteria)
    }
}

/// What of an answer is shown.
struct Shown {
    offset: usize,
    content: bool,
    signals: bool,
}

impl Shown {
    fn of(options: &QueryOptions) -> Self {
        Self {
            offset: options.offset,
            content: options.include_content.unwrap_or(true),
            signals: options.explain,
        }
    }

    fn output(&self, answer: &Answer) -> QueryOutput {
        let mut layers: Vec<&str> =
            answer.searched.iter().map(|scope| scope.layer().as_str()).collect();
        layers.dedup();
        let hits = answer.hits.iter().skip(self.offset);
        QueryOutput {
            query_id: Uuid::now_v7().to_string(),
            results: hits.map(|hit| self.result(hit)).collect(),
            metadata: QueryMetadata {
                total_results: answer.total,
                execution_time_ms: 0,
                layers_queried: layers,
                provider: Provider { name: PROVIDER, version: env!("CARGO_PKG_VERSION") },
            },
        }
    }

    fn result(&self, hit: &Hit) -> QueryResult {
        let entry = Entry::from(&hit.memory);
        QueryResult {
            entry: if self.content { entry } else { entry.without_content() },
            score: hit.score,
            distance: hit.signals.cosine.map(|cosine| 1.0 - cosine),
            highlight: if self.content { highlight(hit) } else { None },
            signals: self.signals.then(|| Signals::from(hit)),
        }
    }
}

/// Returns the sentences that have words of the question, those with the most first.
fn highlight(hit: &Hit) -> Option<Highlight> {
    let wanted: HashSet<&str> = hit.signals.matched_terms.iter().map(String::as_str).collect();
    let matches = |sentence: &str| {
        let terms: HashSet<String> = text::document_terms(sentence).into_iter().collect();
        terms.iter().filter(|term| wanted.contains(term.as_str())).count()
    };
    let sentences = text::sentences(hit.memory.content.as_str());
    let mut found: Vec<(usize, &str)> =
        sentences.map(|sentence| (matches(sentence), sentence)).collect();
    found.retain(|(count, _)| *count > 0);
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let content: Vec<String> =
        found.iter().take(SNIPPETS).map(|(_, sentence)| sentence.trim().to_owned()).collect();
    (!content.is_empty()).then_some(Highlight { content })
}

impl From<&Hit> for Signals {
    fn from(hit: &Hit) -> Self {
        let signals = SearchResult::from(hit).signals;
        Self {
            parts: signals.parts,
            matched_terms: signals.matched_terms,
            matched_names: signals.matched_names,
            overrides: signals.overrides,
            explanation: signals.explanation,
        }
    }
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Semantic => Self::Semantic,
            ModeName::Keyword => Self::Keyword,
            ModeName::Hybrid => Self::Hybrid,
        }
    }
}
