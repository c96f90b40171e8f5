//! Vectors: kept, and found by.

use std::collections::{BTreeMap, HashMap, HashSet};

use cofio::Result;
use cofio::model::{Fingerprint, Meaning, Scope};
use cofio::shelf::{Embedded, Sampled, Slot, Within};
use qdrant_client::qdrant::vector_output::Vector;
use qdrant_client::qdrant::{
    Condition, DenseVector, Filter, PointId, PointStruct, Query, QueryPointsBuilder,
    RetrievedPoint, ScoredPoint, ScrollPointsBuilder, SearchParamsBuilder, Vectors,
};

use super::client::Client;
use super::contents::{PORTION, PORTION_BYTES, READ_PORTION};
use super::failure::is_missing;
use super::point;
use crate::{naming, portions};

/// How many candidates a search by the graph of neighbours looks at; twice the server's own, so that
/// less is overlooked.
const CANDIDATES: u64 = 256;

/// How many points are sampled at a time, of which only the names are told.
const SAMPLE_PORTION: usize = 4_096;

/// How a search goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    /// By the graph of neighbours, and through all of it only where that finds too little.
    Fast,
    /// Through all of it.
    Exact,
}

impl Client {
    pub async fn put_vectors(&self, model: &Fingerprint, embedded: &[Embedded]) -> Result<()> {
        let all: Vec<&[f32]> =
            embedded.iter().flat_map(|embedded| &embedded.vectors).map(Vec::as_slice).collect();
        self.check(model, &all).await?;
        let name = self.vectors_name(model);
        let passages: Vec<(&Embedded, usize)> = embedded
            .iter()
            .flat_map(|embedded| (0..embedded.vectors.len()).map(move |number| (embedded, number)))
            .collect();
        let bytes = |(embedded, number): &(&Embedded, usize)| {
            size_of::<f32>() * embedded.vectors[*number].len()
        };
        for portion in portions::of(&passages, PORTION, PORTION_BYTES, bytes) {
            let points: Vec<PointStruct> =
                portion.iter().map(|(embedded, number)| told(embedded, *number)).collect();
            let dimensions =
                portion.first().map(|(embedded, number)| embedded.vectors[*number].len());
            let slots: HashSet<&Slot> =
                portion.iter().map(|(embedded, _)| &embedded.slot).collect();
            let outlived = outlived(embedded.iter().filter(|one| slots.contains(&one.slot)));
            self.replace(&name, dimensions, points, outlived, &[]).await?;
        }
        for filter in outlived(embedded.iter().filter(|one| one.vectors.is_empty())) {
            self.delete(&name, filter).await?;
        }
        Ok(())
    }

    pub async fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>> {
        if within.scopes.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        self.check(&meaning.fingerprint, &[&meaning.vector]).await?;
        let found = self.best(meaning, &point::within(within), limit, Search::Fast).await?;
        let slot = |(name, cosine): (String, f32)| Some((slot(&within.scopes, &name)?, cosine));
        Ok(found.into_iter().filter_map(slot).take(limit).collect())
    }

    pub async fn cosines(&self, meaning: &Meaning, slots: &[Slot]) -> Result<Vec<Option<f32>>> {
        self.check(&meaning.fingerprint, &[&meaning.vector]).await?;
        let mut found: HashMap<String, f32> = HashMap::new();
        for portion in slots.chunks(PORTION) {
            let names: HashSet<String> = portion.iter().map(naming::whole).collect();
            let count = names.len();
            let filter = Filter::must([point::in_slots(names)]);
            found.extend(self.best(meaning, &filter, count, Search::Exact).await?);
        }
        Ok(slots.iter().map(|slot| found.get(&naming::whole(slot)).copied()).collect())
    }

    /// Returns the names of slots with the cosines of their best passages, best first: as many as
    /// are asked for, or all.
    ///
    /// The nearest passages may all belong to a few slots; then it asks for those of others.
    async fn best(
        &self,
        meaning: &Meaning,
        filter: &Filter,
        limit: usize,
        search: Search,
    ) -> Result<Vec<(String, f32)>> {
        let mut slots: Vec<(String, f32)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        let mut passages = limit;
        while slots.len() < limit {
            let mut others = filter.clone();
            if !seen.is_empty() {
                others.must_not = vec![point::in_slots(seen.iter().cloned())];
            }
            let found = self.passages(meaning, others, passages, search).await?;
            let is_all = found.len() < passages;
            for told in found {
                if let Some(name) = point::text(&told.payload, "slot")
                    && seen.insert(name.to_owned())
                {
                    slots.push((name.to_owned(), told.score));
                }
            }
            if is_all {
                break;
            }
            passages = passages.saturating_mul(2);
        }
        slots.sort_by(|one, two| two.1.total_cmp(&one.1));
        Ok(slots)
    }

    /// Returns the nearest passages that a filter finds, best first; none of an unknown model.
    async fn passages(
        &self,
        meaning: &Meaning,
        filter: Filter,
        limit: usize,
        search: Search,
    ) -> Result<Vec<ScoredPoint>> {
        let name = self.vectors_name(&meaning.fingerprint);
        let ask = async |exact: bool| {
            let parameters = SearchParamsBuilder::default().exact(exact);
            let request = QueryPointsBuilder::new(&name)
                .query(Query::new_nearest(meaning.vector.clone()))
                .filter(filter.clone())
                .params(parameters.hnsw_ef(CANDIDATES.max(limit as u64)))
                .limit(limit as u64)
                .with_payload(point::fields(&["slot"]))
                .with_vectors(false);
            match self.answer(Box::pin(self.driver().query(request))).await {
                Err(error) if is_missing(&error) => Ok(Vec::new()),
                told => Ok(told?.result),
            }
        };
        let found = ask(search == Search::Exact).await?;
        if search == Search::Fast && found.len() < limit {
            return ask(true).await;
        }
        Ok(found)
    }

    /// Takes those whose points are called by the lowest hashes, which say nothing of their meaning.
    ///
    /// The server compares them, as their vectors would be far more to send than the cosines.
    pub async fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>> {
        if scopes.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        self.check(&meaning.fingerprint, &[&meaning.vector]).await?;
        let name = self.vectors_name(&meaning.fingerprint);
        let scroll = ScrollPointsBuilder::new(&name)
            .filter(Filter::must([point::in_scopes(scopes)]))
            .with_payload(false)
            .with_vectors(false);
        let some = self.scroll(scroll, SAMPLE_PORTION, limit).await?;
        let ids: Vec<PointId> = some.into_iter().filter_map(|told| told.id).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let count = ids.len() as u64;
        let request = QueryPointsBuilder::new(name)
            .query(Query::new_nearest(meaning.vector.clone()))
            .filter(Filter::must([Condition::has_id(ids)]))
            .params(SearchParamsBuilder::default().exact(true))
            .limit(count)
            .with_payload(point::fields(&["assistant"]))
            .with_vectors(false);
        let told = match self.answer(Box::pin(self.driver().query(request))).await {
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            told => told?.result,
        };
        let sampled = |told: ScoredPoint| {
            let assistant = point::holds(&told.payload, "assistant");
            Sampled { cosine: told.score, assistant }
        };
        Ok(told.into_iter().map(sampled).collect())
    }

    pub async fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        let mut found: HashMap<String, BTreeMap<i64, Vec<f32>>> = HashMap::new();
        for portion in slots.chunks(READ_PORTION) {
            let names: HashSet<String> = portion.iter().map(naming::whole).collect();
            let scroll = ScrollPointsBuilder::new(self.vectors_name(model))
                .filter(Filter::must([point::in_slots(names)]))
                .with_payload(point::fields(&["slot", "passage"]))
                .with_vectors(true);
            for told in self.scroll(scroll, PORTION, usize::MAX).await? {
                let name = point::text(&told.payload, "slot").map(ToOwned::to_owned);
                let number = point::number(&told.payload, "passage");
                if let (Some(name), Some(number), Some(vector)) = (name, number, vector(told)) {
                    found.entry(name).or_default().insert(number, vector);
                }
            }
        }
        let of = |slot: &Slot| Some(found.get(&naming::whole(slot))?.values().cloned().collect());
        Ok(slots.iter().map(of).collect())
    }
}

/// Finds passages that slots had before and do not have any more.
fn outlived<'a>(embedded: impl Iterator<Item = &'a Embedded>) -> Vec<Filter> {
    let mut by_count: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for Embedded { slot, vectors, .. } in embedded {
        by_count.entry(vectors.len()).or_default().push(naming::whole(slot));
    }
    let filter = |(count, names): (usize, Vec<String>)| {
        Filter::must([point::in_slots(names), point::from_passage(count)])
    };
    by_count.into_iter().map(filter).collect()
}

/// Returns the point of a passage.
fn told(embedded: &Embedded, number: usize) -> PointStruct {
    let Embedded { slot, labels, vectors } = embedded;
    let mut payload = point::payload(slot, labels);
    payload.insert("passage".to_owned(), i64::try_from(number).unwrap_or(i64::MAX).into());
    let vectors = Some(Vectors::from(vectors[number].clone()));
    PointStruct { id: Some(point::of_passage(slot, number)), payload, vectors }
}

/// Returns the vector of a point.
fn vector(told: RetrievedPoint) -> Option<Vec<f32>> {
    match told.vectors?.get_vector()? {
        Vector::Dense(DenseVector { data }) => Some(data),
        _ => None,
    }
}

/// Returns the slot that is called so, if it belongs to one of the scopes.
fn slot(scopes: &[Scope], name: &str) -> Option<Slot> {
    let (tag, rest) = name.split_once(':')?;
    let scope = scopes.iter().find(|scope| naming::tag(scope) == tag)?;
    naming::slot(scope, rest)
}
