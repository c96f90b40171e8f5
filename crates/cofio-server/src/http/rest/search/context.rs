use std::collections::HashSet;

use axum::http::Method;
use cofio::engine::ContextRequest;
use cofio::model::{Layer, MemoryId, Right, Scope};
use cofio::retrieval::{self, ContextBlock};
use cofio::wire::ScopeOutput;
use cofio::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::{Filter, Names};
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Context;

/// What a block for a prompt should be about.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ContextInput {
    /// The prompt: the task or question at hand.
    prompt: String,
    /// The layers to look at; without any, all that the names open.
    layers: Option<Vec<String>>,
    /// Whose memories, as far as the key is not bound to them; a session is the conversation that
    /// is going on, which needs no reminding of itself.
    #[serde(default)]
    identifiers: Names,
    /// How many tokens at most: 4,000 if nothing is said.
    tokens: Option<usize>,
    /// How many facts at most: 5 if nothing is said.
    facts: Option<usize>,
    /// How many episodes at most: none if nothing is said.
    episodes: Option<usize>,
    /// How many facts about who the user is at most: 20 if nothing is said.
    profile: Option<usize>,
    /// How much more what happened lately counts, from 0 to 1.
    recency: Option<f64>,
    /// The memories that the conversation was told already, which are left out.
    #[serde(default)]
    told: Vec<String>,
    /// What else must hold of the memories.
    #[serde(default)]
    filter: Filter,
}

/// A block and what went into it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextOutput {
    /// Both parts.
    markdown: String,
    /// The part that stays the same through a conversation.
    stable: String,
    /// The part that this prompt calls for.
    delta: String,
    /// The memories that are in it.
    memories: Vec<String>,
    /// About how many tokens it has.
    tokens: usize,
    /// How many memories did not fit.
    left_out: usize,
    /// Where was looked.
    scopes: Vec<ScopeOutput>,
}

impl Endpoint for Context {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<ContextInput>;
    type Answer = Found<ContextOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/context";
    const NAME: &'static str = "buildContext";
    const GROUP: Group = Group::Search;
    const SUMMARY: &'static str = "Write a block of markdown for a prompt";
    const ABOUT: &'static str = "It says what is known of the user, what was concluded last, and what the prompt calls for, each with how far it is trusted. Within a session the first part stays the same to the byte, unless a memory in it is changed or forgotten.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let request = input.request(visit)?;
        let selection = &request.selection;
        let layers = selection.layers.as_deref();
        let scopes = retrieval::reach(visit.caller(), &selection.identifiers, layers)?;
        visit.notes().begins(Act::Search);
        let block = visit.engine.context(visit.caller(), &request).await?;
        visit.notes().of(block.memories.len());
        Ok(Found(ContextOutput::new(&block, &scopes)))
    }
}

impl ContextInput {
    fn request(self, visit: &Visit) -> Result<ContextRequest> {
        let most = visit.engine.config().limits.batch;
        if self.told.len() > most {
            let message = format!("at most {most} memories can have been told");
            return Err(Error::new(ErrorKind::Invalid, message).with("limit", most));
        }
        // What cannot be an id was never told.
        let told: HashSet<MemoryId> = self.told.iter().flat_map(|id| id.parse()).collect();
        let selection = visit.selection(&self.identifiers, self.layers.as_deref(), self.filter)?;
        let session = selection.identifiers.get(Layer::Session).cloned();
        let request = ContextRequest::new(selection, self.prompt);
        Ok(ContextRequest {
            tokens: self.tokens.unwrap_or(request.tokens),
            facts: self.facts.unwrap_or(request.facts),
            episodes: self.episodes.unwrap_or(request.episodes),
            profile: self.profile.unwrap_or(request.profile),
            recency: self.recency.unwrap_or(request.recency),
            session,
            told,
            ..request
        })
    }
}

impl ContextOutput {
    fn new(block: &ContextBlock, scopes: &[Scope]) -> Self {
        Self {
            markdown: block.markdown(),
            stable: block.stable.clone(),
            delta: block.delta.clone(),
            memories: block.memories.iter().map(ToString::to_string).collect(),
            tokens: block.tokens,
            left_out: block.left_out,
            scopes: scopes.iter().map(ScopeOutput::from).collect(),
        }
    }
}
