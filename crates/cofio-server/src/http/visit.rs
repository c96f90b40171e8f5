//! One request with everything an endpoint needs: who asks, of what engine, and how.

use std::fmt;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use cofio::model::{Caller, IdempotencyKey, Identifier, Identifiers, Layer, Scope};
use cofio::{Engine, Error, Result, Selection, retrieval};

use super::failure::Failure;
use super::house::House;
use super::progress::Progress;
use super::rest::{Filter, Names};
use crate::notes::Notes;

/// Who asks, and what they mean if they name nobody.
#[derive(Clone)]
pub(crate) struct Visitor {
    /// Who asks.
    pub(crate) caller: Caller,
    /// The names that need not be said.
    pub(crate) identifiers: Identifiers,
    /// What proves it, unless nobody has to.
    pub(super) token: Option<Arc<str>>,
}

impl Visitor {
    /// Returns somebody who has to prove nothing.
    pub(super) fn local(caller: Caller, identifiers: Identifiers) -> Self {
        Self { caller, identifiers, token: None }
    }
}

/// Does not show what proves it.
impl fmt::Debug for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor").field("caller", &self.caller).finish_non_exhaustive()
    }
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Visit {
    /// The engine that is asked.
    pub(crate) engine: Engine,
    /// Where everything that is served has its place.
    pub(crate) house: House,
    visitor: Visitor,
    headers: HeaderMap,
    notes: Notes,
    progress: Progress,
}

impl Visit {
    pub(super) async fn new(
        house: House,
        visitor: Visitor,
        headers: HeaderMap,
        notes: Notes,
        progress: Progress,
    ) -> Result<Self> {
        let engine = house.engine().await?.clone();
        Ok(Self { engine, house, visitor, headers, notes, progress })
    }

    /// Returns who asks, and what proves it.
    pub(crate) fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// Returns who asks.
    pub(crate) fn caller(&self) -> &Caller {
        &self.visitor.caller
    }

    /// Returns the names that are meant: those that were said, and those that need not be.
    ///
    /// Whether the caller may open what they name is seen to by the engine.
    pub(crate) fn identifiers(&self, said: &Names) -> Result<Identifiers> {
        let mut identifiers = self.visitor.identifiers.clone();
        for (layer, name) in said.iter() {
            identifiers = identifiers.with(layer, Identifier::new(name)?);
        }
        Ok(identifiers)
    }

    /// Returns whose a memory on a layer is.
    pub(crate) fn scope(&self, layer: &str, said: &Names) -> Result<Scope> {
        let layer = layer.parse()?;
        self.notes.named(layer);
        Scope::new(layer, &self.identifiers(said)?)
    }

    /// Returns the scopes that are meant: those on some layers, or all that the names open.
    pub(crate) fn scopes(&self, said: &Names, layers: &[String]) -> Result<Vec<Scope>> {
        let layers = (!layers.is_empty()).then(|| parse_layers(layers)).transpose()?;
        retrieval::reach(self.caller(), &self.identifiers(said)?, layers.as_deref())
    }

    /// Returns which memories are meant.
    pub(crate) fn selection(
        &self,
        said: &Names,
        layers: Option<&[String]>,
        filter: Filter,
    ) -> Result<Selection> {
        let layers = layers.map(parse_layers).transpose()?;
        layers.iter().flatten().for_each(|layer| self.notes.named(*layer));
        let criteria = filter.criteria()?;
        Ok(Selection { identifiers: self.identifiers(said)?, layers, criteria })
    }

    /// Returns what is written down of this request.
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Returns how far this request has come.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the caller's own name for this request.
    pub(crate) fn idempotency_key(&self) -> Result<Option<IdempotencyKey>> {
        let Some(key) = self.headers.get("idempotency-key") else { return Ok(None) };
        // A character that is not ASCII is none that a key can have.
        IdempotencyKey::new(key.to_str().unwrap_or_default()).map(Some)
    }

    /// Returns the version that a memory must still have.
    pub(crate) fn expected_version(&self) -> Result<Option<u64>> {
        let Some(tag) = self.headers.get(header::IF_MATCH) else { return Ok(None) };
        version_of(tag.to_str().unwrap_or_default())
    }

    /// Returns whether the caller has already what a tag stands for.
    pub(crate) fn has_already(&self, tag: &str) -> bool {
        let tags = self.headers.get_all(header::IF_NONE_MATCH).iter();
        let mut tags = tags.filter_map(|tags| tags.to_str().ok()).flat_map(|tags| tags.split(','));
        // What a proxy packs is the same by this comparison (RFC 9110, 8.8.3.2).
        tags.any(|one| one.trim().trim_start_matches("W/") == tag || one.trim() == "*")
    }

    /// Returns whether the caller would rather come back for the answer.
    pub(crate) fn prefers_async(&self) -> bool {
        let wishes = self.headers.get_all("prefer").iter();
        let mut wishes = wishes.filter_map(|wishes| wishes.to_str().ok());
        wishes.any(|wishes| wishes.split(',').any(|wish| wish.trim() == "respond-async"))
    }

    /// Returns what a header says.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns what becomes of an error of a change, where a version was expected or not.
    pub(crate) fn refused(&self, error: Error) -> Failure {
        let outdated = error.details().contains_key("found");
        let mut failure = Failure::from(error);
        if outdated && self.headers.contains_key(header::IF_MATCH) {
            failure.status = StatusCode::PRECONDITION_FAILED;
        }
        failure
    }
}

/// Returns the version that a tag stands for; `*` stands for any.
pub(crate) fn version_of(tag: &str) -> Result<Option<u64>> {
    if tag == "*" {
        return Ok(None);
    }
    let version = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    let version = version.and_then(|version| version.parse().ok());
    let malformed = || Error::invalid("If-Match takes one ETag as it was given, such as \"3\"");
    version.map(Some).ok_or_else(malformed)
}

/// Reads the names of layers.
pub(crate) fn parse_layers(names: &[String]) -> Result<Vec<Layer>> {
    names.iter().map(|name| name.parse()).collect()
}
