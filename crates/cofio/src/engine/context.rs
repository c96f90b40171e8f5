use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use super::Engine;
use super::list::ListRequest;
use super::remember::Remembered;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest;
use crate::model::{
    Caller, Criteria, Doubt, Draft, Identifier, Kind, Layer, Lifetime, Memory, MemoryId, Patch,
    Right, Scope, Source, Timestamp,
};
use crate::retrieval::{self, Answer, ContextBlock, Known, MeaningUsed, Query, Selection, WEIGHTS};
use crate::store::Order;

/// What a block for a prompt should be about.
#[derive(Clone)]
pub struct ContextRequest {
    /// Among which memories.
    pub selection: Selection,
    /// The prompt.
    pub prompt: String,
    /// How many facts at most.
    pub facts: usize,
    /// How many episodes at most.
    pub episodes: usize,
    /// How many facts about who the user is at most.
    pub profile: usize,
    /// How much more what happened lately counts, from 0 to 1.
    pub recency: f64,
    /// How many tokens at most.
    pub tokens: usize,
    /// The conversation that is going on, which needs no reminding of itself.
    pub session: Option<Identifier>,
    /// What it has been told already, which is left out.
    pub told: HashSet<MemoryId>,
}

impl ContextRequest {
    /// Asks for five facts and no episodes within 4,000 tokens.
    pub fn new(selection: Selection, prompt: impl Into<String>) -> Self {
        Self {
            selection,
            prompt: prompt.into(),
            facts: 5,
            episodes: 0,
            profile: 20,
            recency: WEIGHTS.prompt_recency,
            tokens: 4_000,
            session: None,
            told: HashSet::new(),
        }
    }
}

/// Shows the size of the prompt only: no secret was taken out of it yet.
impl fmt::Debug for ContextRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextRequest")
            .field("bytes", &self.prompt.len())
            .field("tokens", &self.tokens)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Keeps a value under a key until the end of the day, in place of what was there.
    pub async fn set_context(
        &self,
        caller: &Caller,
        scope: Scope,
        key: &str,
        value: &str,
        source: Source,
    ) -> Result<Remembered> {
        ingest::check_key(key)?;
        let draft = Draft {
            key: Some(key.to_owned()),
            lifetime: Lifetime::ByKind,
            // In the midst of a task nobody can be asked.
            doubt: Doubt::Redact,
            ..Draft::new(scope, Kind::Context, value, source.clone())
        };
        let mut remembered = self.remember(caller, draft).await?;
        if !remembered.existing {
            return Ok(remembered);
        }
        let (content, source) = (Some(value.to_owned()), Some(source));
        let patch = Patch { content, source, doubt: Doubt::Redact, ..Patch::default() };
        let unhindered = caller.with_every_right();
        let updated = self.update(&unhindered, &remembered.memory.id, patch).await?;
        if caller.rights().contains(Right::Read) {
            remembered.memory = updated.memory;
        }
        Ok(remembered)
    }

    /// Returns the value under a key, of the most specific layer that has one.
    pub async fn get_context(
        &self,
        caller: &Caller,
        selection: Selection,
        key: &str,
    ) -> Result<Memory> {
        ingest::check_key(key)?;
        let key = Some(key.to_owned());
        let criteria = Criteria { kinds: vec![Kind::Context], key, ..selection.criteria };
        let selection = Selection { criteria, ..selection };
        // A scope has one value under a key, so there are no more than layers.
        let request = ListRequest { limit: Layer::ALL.len(), ..ListRequest::new(selection) };
        let found = self.list(caller, &request).await?.memories;
        let most_specific = found.into_iter().min_by_key(|memory| memory.scope.layer());
        most_specific.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, "nothing is kept under this key").during("get_context")
        })
    }

    /// Writes markdown for a prompt from what other conversations left behind.
    ///
    /// With a session, what is known of the user is that of the moment when this was first asked
    /// in it, so that its bytes stay the same; a memory that is changed or forgotten changes them.
    /// What is in the block counts as read.
    pub async fn context(&self, caller: &Caller, request: &ContextRequest) -> Result<ContextBlock> {
        caller.require(Right::Read).map_err(|error| error.during("context"))?;
        self.check_amounts(request)?;
        let session = request.session.as_ref();
        let began_at = self.began_at(caller, &request.selection, session).await?;
        let mut told = request.told.clone();
        let mut untold = |memory: &Memory| told.insert(memory.id.clone());
        let mut known = Known {
            profile: self.profile(caller, request, began_at).await?,
            reflection: self.latest_reflection(caller, request, began_at).await?,
            ..Known::default()
        };
        known.profile.retain(&mut untold);
        known.reflection = known.reflection.filter(&mut untold);
        for (kind, limit) in [(Kind::Fact, request.facts), (Kind::Episode, request.episodes)] {
            if limit > 0 {
                let answer = self.relevant(caller, request, kind, limit).await?;
                known.by_words_alone |= answer.meaning == MeaningUsed::Failed;
                let relevant = answer.hits.into_iter().filter(retrieval::is_relevant);
                let relevant = relevant.map(|hit| hit.memory).filter(&mut untold);
                known.relevant.extend(relevant.take(limit));
            }
        }
        let block = retrieval::block(&known, request.tokens);
        let (now, ids) = (self.now(), block.memories.clone());
        self.record_reading(caller, now, "context", ids.len() as u64, ids);
        Ok(block)
    }

    fn check_amounts(&self, request: &ContextRequest) -> Result<()> {
        let (most, page) = (self.config.limits.search_results, self.config.limits.page);
        for (what, wanted, most) in [
            ("facts", request.facts, most),
            ("episodes", request.episodes, most),
            ("facts about the user", request.profile, page),
        ] {
            if wanted > most {
                let message = format!("a block has at most {most} {what}, not {wanted}");
                return Err(Error::invalid(message).during("context"));
            }
        }
        Ok(())
    }

    async fn profile(
        &self,
        caller: &Caller,
        request: &ContextRequest,
        began_at: Timestamp,
    ) -> Result<Vec<Memory>> {
        let category = ("category".to_owned(), Value::from("user_profile"));
        let wanted = request.selection.clone();
        let criteria = Criteria {
            kinds: vec![Kind::Fact],
            custom: wanted.criteria.custom.clone().into_iter().chain([category]).collect(),
            learnt_by: Some(began_at),
            ..wanted.criteria
        };
        let selection = Selection { criteria, ..wanted };
        let list = ListRequest {
            limit: request.profile.max(1),
            order: Order::EarliestEvent,
            ..ListRequest::new(selection)
        };
        let mut profile = self.list(caller, &list).await?.memories;
        profile.truncate(request.profile);
        Ok(profile)
    }

    async fn relevant(
        &self,
        caller: &Caller,
        request: &ContextRequest,
        kind: Kind,
        limit: usize,
    ) -> Result<Answer> {
        let criteria = Criteria {
            kinds: vec![kind],
            excluded_session: request.session.clone(),
            ..request.selection.criteria.clone()
        };
        let selection = Selection { criteria, ..request.selection.clone() };
        let recency = request.recency;
        // What was told may be the best there is, and must not stand in the way of the next best.
        let limit = (limit + request.told.len()).min(self.config.limits.search_results);
        let query = Query { recency, limit, ..Query::new(selection, request.prompt.as_str()) };
        self.answer(caller, &query, self.now()).await.map_err(|error| error.during("context"))
    }

    async fn latest_reflection(
        &self,
        caller: &Caller,
        request: &ContextRequest,
        began_at: Timestamp,
    ) -> Result<Option<Memory>> {
        let wanted = request.selection.clone();
        let (kinds, learnt_by) = (vec![Kind::Reflection], Some(began_at));
        let criteria = Criteria { kinds, learnt_by, ..wanted.criteria };
        let selection = Selection { criteria, ..wanted };
        let list =
            ListRequest { limit: 1, order: Order::LatestEvent, ..ListRequest::new(selection) };
        Ok(self.list(caller, &list).await?.memories.into_iter().next())
    }
}
