//! Texts, and which slots there are, a portion at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cofio::Result;
use cofio::model::{Fingerprint, Scope};
use cofio::shelf::{Content, Slot};
use qdrant_client::qdrant::{
    DeletePointsBuilder, Filter, GetPointsBuilder, NamedVectors, PointStruct, RetrievedPoint,
    ScrollPointsBuilder,
};

use super::client::Client;
use super::failure::is_missing;
use super::point;
use crate::{naming, portions};

/// How many points or slots a request has at most.
pub const PORTION: usize = 1_000;

/// How many texts or vectors are read at a time, each of which may be large.
pub const READ_PORTION: usize = 100;

/// How many bytes of text or vectors a request has at most, unless one alone has more.
pub const PORTION_BYTES: usize = 8 * 1024 * 1024;

impl Client {
    pub async fn put(&self, contents: &[Content]) -> Result<()> {
        let bytes = |content: &Content| content.text.as_str().len();
        for portion in portions::of(contents, PORTION, PORTION_BYTES, bytes) {
            let texts: Vec<&str> = portion.iter().map(|content| content.text.as_str()).collect();
            let points = portion.iter().map(told).collect();
            self.replace(&self.texts_name(), None, points, Vec::new(), &texts).await?;
        }
        Ok(())
    }

    pub async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>> {
        let mut found: HashMap<String, String> = HashMap::new();
        for portion in slots.chunks(READ_PORTION) {
            let names: BTreeMap<String, &Slot> =
                portion.iter().map(|slot| (naming::whole(slot), slot)).collect();
            let ids: Vec<_> = names.into_values().map(point::of_text).collect();
            let request = GetPointsBuilder::new(self.texts_name(), ids)
                .with_payload(point::fields(&["slot", "text"]))
                .with_vectors(false);
            let told = match self.answer(self.driver().get_points(request)).await {
                Err(error) if is_missing(&error) => break,
                told => told?.result,
            };
            found.extend(told.iter().filter_map(|told| {
                let (slot, text) = ("slot", "text");
                let read = |name| point::text(&told.payload, name).map(ToOwned::to_owned);
                Some((read(slot)?, read(text)?))
            }));
        }
        Ok(slots.iter().map(|slot| found.get(&naming::whole(slot)).cloned()).collect())
    }

    pub async fn remove(&self, slots: &[Slot]) -> Result<()> {
        if slots.is_empty() {
            return Ok(());
        }
        for name in self.collections().await? {
            self.remove_from(&name, slots).await?;
        }
        Ok(())
    }

    pub async fn remove_vectors(&self, model: &Fingerprint, slots: &[Slot]) -> Result<()> {
        self.remove_from(&self.vectors_name(model), slots).await
    }

    async fn remove_from(&self, collection: &str, slots: &[Slot]) -> Result<()> {
        for portion in slots.chunks(PORTION) {
            let filter = Filter::must([point::in_slots(portion.iter().map(naming::whole))]);
            self.delete(collection, filter).await?;
        }
        Ok(())
    }

    /// Deletes what a filter finds in a collection, if there is one.
    pub async fn delete(&self, collection: &str, filter: Filter) -> Result<()> {
        let request = DeletePointsBuilder::new(collection).points(filter).wait(true);
        match self.answer(self.driver().delete_points(request)).await {
            Err(error) if is_missing(&error) => Ok(()),
            told => self.done(told?.result),
        }
    }

    /// Looks through all of a scope, as Qdrant knows no order of names.
    pub async fn slots(
        &self,
        scope: &Scope,
        after: Option<&Slot>,
        limit: usize,
    ) -> Result<Vec<Slot>> {
        let filter = Filter::must([point::in_scopes(std::slice::from_ref(scope))]);
        let tag = format!("{}:", naming::tag(scope));
        let after = after.map(naming::within_scope);
        let mut names: BTreeSet<String> = BTreeSet::new();
        for collection in self.collections().await? {
            let scroll =
                ScrollPointsBuilder::new(&collection).with_payload(point::fields(&["slot"]));
            let points = self.scroll(scroll.filter(filter.clone()), PORTION, usize::MAX).await?;
            let own = points.iter().filter_map(|told| {
                point::text(&told.payload, "slot")?.strip_prefix(&tag).map(ToOwned::to_owned)
            });
            names.extend(own.filter(|name| after.as_ref().is_none_or(|after| name > after)));
        }
        Ok(names.iter().filter_map(|name| naming::slot(scope, name)).take(limit).collect())
    }

    /// Returns up to so many points of a collection, some at a time; none if it is not there.
    pub async fn scroll(
        &self,
        mut scroll: ScrollPointsBuilder,
        page: usize,
        limit: usize,
    ) -> Result<Vec<RetrievedPoint>> {
        let mut found = Vec::new();
        while found.len() < limit {
            let count = page.min(limit - found.len());
            scroll = scroll.limit(u32::try_from(count).unwrap_or(u32::MAX));
            let told = match self.answer(self.driver().scroll(scroll.clone())).await {
                Err(error) if is_missing(&error) => break,
                told => told?,
            };
            found.extend(told.result);
            let Some(next) = told.next_page_offset else { break };
            scroll = scroll.offset(next);
        }
        Ok(found)
    }
}

/// Returns the point of a text, which has no vector.
fn told(content: &Content) -> PointStruct {
    let mut payload = point::payload(&content.slot, &content.labels);
    payload.insert("text".to_owned(), content.text.as_str().into());
    let vectors = Some(NamedVectors::default().into());
    PointStruct { id: Some(point::of_text(&content.slot)), payload, vectors }
}
