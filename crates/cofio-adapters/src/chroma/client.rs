//! What is asked of Chroma, a portion at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cofio::Result;
use cofio::model::{Fingerprint, Meaning, Scope};
use cofio::shelf::{
    Component, Content, Embedded, Health, Sampled, Slot, Status, Within, other_dimensions,
};
use serde::Deserialize;
use serde_json::{Value, json};
use ureq::http::Method;

use super::Options;
use super::collection::Collections;
use super::record;
use crate::rest::{Rest, Server};
use crate::threads::Wanted;
use crate::{naming, portions};

/// How many records a request has at most, if the server takes so many.
const PORTION: usize = 1_000;

/// How many texts are read at a time, each of which may be large.
const READ_PORTION: usize = 100;

/// How many passages are compared one by one, at most, where the server's index cannot be trusted.
const EXACT: usize = 10_000;

/// How many bytes of text a request has at most, unless one text alone has more.
const PORTION_BYTES: usize = 8 * 1024 * 1024;

/// Knows the server; cheap to clone.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    rest: Rest,
    collections: Collections,
    /// How many records the server takes at a time, once it has said so.
    most: OnceLock<usize>,
}

/// What Chroma says of records; what was not asked for is missing.
#[derive(Debug, Deserialize)]
struct Records {
    ids: Vec<String>,
    documents: Option<Vec<Option<String>>>,
    embeddings: Option<Vec<Vec<f32>>>,
    metadatas: Option<Vec<Option<record::Metadata>>>,
}

/// What Chroma says of the records nearest to one vector.
#[derive(Debug, Deserialize)]
struct Nearest {
    ids: Vec<Vec<String>>,
    distances: Vec<Vec<Option<f32>>>,
}

impl Client {
    /// Checks the options.
    pub fn new(options: &Options) -> Result<Self> {
        let rest = Rest::new(Server {
            name: "chroma",
            url: options.url.clone(),
            example: "http://127.0.0.1:8000",
            header: ("x-chroma-token", ""),
            key: options.key.clone(),
            timeout: options.timeout,
        })?;
        let Options { tenant, database, prefix, .. } = options;
        let collections = Collections::new(rest.clone(), tenant, database, prefix);
        Ok(Self(Arc::new(Inner { rest, collections, most: OnceLock::new() })))
    }

    pub fn put(&self, contents: &[Content], wanted: &Wanted<'_>) -> Result<()> {
        let collections = &self.0.collections;
        let most = if contents.is_empty() { 1 } else { self.most()? };
        for portion in
            portions::of(contents, most, PORTION_BYTES, |content| content.text.as_str().len())
        {
            wanted.check()?;
            let texts: Vec<&str> = portion.iter().map(|content| content.text.as_str()).collect();
            let slots = || portion.iter().map(|content| &content.slot);
            let metadata = |content: &Content| record::metadata(&content.slot, &content.labels);
            let body = json!({
                "ids": slots().map(naming::whole).collect::<Vec<_>>(),
                "documents": texts,
                "embeddings": slots().map(record::direction).collect::<Vec<_>>(),
                "metadatas": portion.iter().map(metadata).collect::<Vec<_>>(),
            });
            let about = json!({ "cofio": "texts" });
            collections.tell(&collections.texts(), &about, "upsert", &body, &texts)?;
        }
        Ok(())
    }

    pub fn get(&self, slots: &[Slot], wanted: &Wanted<'_>) -> Result<Vec<Option<String>>> {
        let mut found: HashMap<String, String> = HashMap::new();
        for portion in slots.chunks(READ_PORTION) {
            wanted.check()?;
            let names: BTreeSet<String> = portion.iter().map(naming::whole).collect();
            let body = json!({ "ids": names, "include": ["documents"] });
            let records = self.records(&self.0.collections.texts(), &body)?;
            let texts = records.documents.unwrap_or_default();
            let named = records.ids.into_iter().zip(texts);
            found.extend(named.filter_map(|(name, text)| Some((name, text?))));
        }
        Ok(slots.iter().map(|slot| found.get(&naming::whole(slot)).cloned()).collect())
    }

    pub fn remove(&self, slots: &[Slot], wanted: &Wanted<'_>) -> Result<()> {
        if slots.is_empty() {
            return Ok(());
        }
        let collections = &self.0.collections;
        let all = collections.all_vectors()?.into_iter().chain([collections.texts()]);
        for name in all {
            self.delete(&name, slots, wanted)?;
        }
        Ok(())
    }

    pub fn remove_vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
        wanted: &Wanted<'_>,
    ) -> Result<()> {
        self.delete(&self.0.collections.vectors(model), slots, wanted)
    }

    pub fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>> {
        let collections = &self.0.collections;
        let own = std::slice::from_ref(scope);
        let body = json!({ "where": record::in_scopes(own), "include": [] });
        let mut names: BTreeSet<String> = BTreeSet::new();
        for name in collections.all_vectors()?.into_iter().chain([collections.texts()]) {
            let ids = self.records(&name, &body)?.ids.into_iter();
            names.extend(ids.map(|id| record::slot_name(&id).to_owned()));
        }
        let after = after.map(naming::whole);
        let rest = names.iter().filter(|name| after.as_ref().is_none_or(|after| *name > after));
        Ok(rest.filter_map(|name| record::slot(own, name)).take(limit).collect())
    }

    pub fn put_vectors(
        &self,
        model: &Fingerprint,
        embedded: &[Embedded],
        wanted: &Wanted<'_>,
    ) -> Result<()> {
        self.check(model, embedded.iter().flat_map(|embedded| &embedded.vectors))?;
        let name = self.0.collections.vectors(model);
        let passages: Vec<(&Embedded, usize)> = embedded
            .iter()
            .flat_map(|embedded| (0..embedded.vectors.len()).map(move |number| (embedded, number)))
            .collect();
        let most = if passages.is_empty() { 1 } else { self.most()? };
        for portion in passages.chunks(most) {
            wanted.check()?;
            let id =
                |(embedded, number): &(&Embedded, usize)| record::passage(&embedded.slot, *number);
            let vector =
                |(embedded, number): &(&Embedded, usize)| embedded.vectors[*number].clone();
            let metadata = |(embedded, number): &(&Embedded, usize)| {
                let mut metadata = record::metadata(&embedded.slot, &embedded.labels);
                metadata.insert("passage".to_owned(), (*number).into());
                metadata
            };
            let body = json!({
                "ids": portion.iter().map(id).collect::<Vec<_>>(),
                "embeddings": portion.iter().map(vector).collect::<Vec<_>>(),
                "metadatas": portion.iter().map(metadata).collect::<Vec<_>>(),
            });
            let about = json!({ "cofio": "vectors", "model": model.as_str() });
            self.0.collections.tell(&name, &about, "upsert", &body, &[])?;
        }
        self.trim(&name, embedded, wanted)
    }

    /// Removes passages that slots had before and do not have any more.
    fn trim(&self, collection: &str, embedded: &[Embedded], wanted: &Wanted<'_>) -> Result<()> {
        let mut by_count: BTreeMap<usize, Vec<Slot>> = BTreeMap::new();
        for Embedded { slot, vectors, .. } in embedded {
            by_count.entry(vectors.len()).or_default().push(slot.clone());
        }
        for (count, slots) in by_count {
            for portion in slots.chunks(PORTION) {
                wanted.check()?;
                let body = json!({ "where": record::from_passage(portion, count) });
                self.0.collections.ask(collection, "delete", &body, &[])?;
            }
        }
        Ok(())
    }

    pub fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>> {
        if within.scopes.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        self.check(&meaning.fingerprint, [&meaning.vector])?;
        // Several passages of one slot may be among the nearest.
        let mut passages = limit;
        loop {
            let found = self.nearest_passages(meaning, within, passages)?;
            let (is_all, is_stuck) = (found.len() < passages, is_stuck(&found));
            let mut slots = best(&found, &within.scopes);
            slots.truncate(limit);
            if is_stuck || is_all && slots.len() < limit {
                let exact = self.exact(meaning, within, if is_stuck { 0 } else { slots.len() })?;
                return Ok(exact.map_or(slots, |exact| exact.into_iter().take(limit).collect()));
            }
            if slots.len() >= limit {
                return Ok(slots);
            }
            passages *= 4;
        }
    }

    /// Compares everything within, if that is more slots than were found and not very much.
    fn exact(
        &self,
        meaning: &Meaning,
        within: &Within,
        found: usize,
    ) -> Result<Option<Vec<(Slot, f32)>>> {
        let name = self.0.collections.vectors(&meaning.fingerprint);
        let by = json!({ "where": record::within(within), "limit": EXACT, "include": [] });
        let names = self.records(&name, &by)?.ids;
        let slots: BTreeSet<&str> = names.iter().map(|name| record::slot_name(name)).collect();
        if slots.len() <= found || names.len() >= EXACT {
            return Ok(None);
        }
        let mut passages: Vec<(String, f32)> =
            self.compared(meaning, &names)?.into_iter().collect();
        passages.sort_by(|one, two| two.1.total_cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
        Ok(Some(best(&passages, &within.scopes)))
    }

    /// Returns the names of passages with their cosines, best first.
    fn nearest_passages(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(String, f32)>> {
        self.query(meaning, json!({ "where": record::within(within), "n_results": limit }))
    }

    /// Returns the names of the nearest of what something means, with their cosines, best first.
    fn query(&self, meaning: &Meaning, mut body: Value) -> Result<Vec<(String, f32)>> {
        let collections = &self.0.collections;
        body["query_embeddings"] = json!([meaning.vector]);
        body["include"] = json!(["distances"]);
        let name = collections.vectors(&meaning.fingerprint);
        let Some(told) = collections.ask(&name, "query", &body, &[])? else {
            return Ok(Vec::new());
        };
        let mut found: Nearest = collections.read(told)?;
        let (Some(distances), Some(names)) = (found.distances.pop(), found.ids.pop()) else {
            return Err(collections.unreadable());
        };
        let found = names.into_iter().zip(distances);
        Ok(found.filter_map(|(name, distance)| Some((name, 1.0 - distance?))).collect())
    }

    pub fn cosines(
        &self,
        meaning: &Meaning,
        slots: &[Slot],
        wanted: &Wanted<'_>,
    ) -> Result<Vec<Option<f32>>> {
        self.check(&meaning.fingerprint, [&meaning.vector])?;
        let name = self.0.collections.vectors(&meaning.fingerprint);
        let mut best: HashMap<String, f32> = HashMap::new();
        for portion in slots.chunks(PORTION) {
            wanted.check()?;
            let by = json!({ "where": record::in_slots(portion), "include": [] });
            for (name, cosine) in self.compared(meaning, &self.records(&name, &by)?.ids)? {
                let known = best.entry(record::slot_name(&name).to_owned()).or_insert(cosine);
                *known = known.max(cosine);
            }
        }
        Ok(slots.iter().map(|slot| best.get(&naming::whole(slot)).copied()).collect())
    }

    pub fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
        wanted: &Wanted<'_>,
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        let name = self.0.collections.vectors(model);
        let mut found: HashMap<String, BTreeMap<u64, Vec<f32>>> = HashMap::new();
        for portion in slots.chunks(READ_PORTION) {
            wanted.check()?;
            let by = json!({
                "where": record::in_slots(portion),
                "include": ["embeddings", "metadatas"],
            });
            let records = self.records(&name, &by)?;
            let metadatas = records.metadatas.unwrap_or_default().into_iter();
            for (metadata, vector) in metadatas.zip(records.embeddings.unwrap_or_default()) {
                let Some(metadata) = metadata else { continue };
                let passages = found.entry(metadata.slot).or_default();
                passages.insert(metadata.passage.unwrap_or_default(), vector);
            }
        }
        let taken = |slot: &Slot| found.get(&naming::whole(slot)).cloned();
        let vectors = slots.iter().map(|slot| Some(taken(slot)?.into_values().collect()));
        Ok(vectors.collect())
    }

    pub fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>> {
        if scopes.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        self.check(&meaning.fingerprint, [&meaning.vector])?;
        let name = self.0.collections.vectors(&meaning.fingerprint);
        let by = json!({
            "where": record::in_scopes(scopes),
            "limit": limit,
            "include": ["metadatas"],
        });
        let records = self.records(&name, &by)?;
        let cosines = self.compared(meaning, &records.ids)?;
        let some = records.ids.iter().zip(records.metadatas.unwrap_or_default());
        let sampled = |(name, metadata): (&String, Option<record::Metadata>)| {
            Some(Sampled { cosine: *cosines.get(name)?, assistant: metadata?.assistant })
        };
        Ok(some.filter_map(sampled).collect())
    }

    /// Returns the cosines of passages by their names.
    ///
    /// The server compares them, as their vectors would be far more to send; what its index does not
    /// find is compared here.
    fn compared(&self, meaning: &Meaning, names: &[String]) -> Result<HashMap<String, f32>> {
        let collection = self.0.collections.vectors(&meaning.fingerprint);
        let mut cosines = HashMap::with_capacity(names.len());
        for portion in names.chunks(PORTION) {
            let by = json!({ "ids": portion, "n_results": portion.len() });
            let wanted: HashSet<&String> = portion.iter().collect();
            // A server that does not know `ids` looks among all.
            let found = self.query(meaning, by)?.into_iter();
            cosines.extend(found.filter(|(name, _)| wanted.contains(name)));
            let lacking = portion.iter().filter(|name| !cosines.contains_key(*name));
            let lacking: Vec<&String> = lacking.collect();
            if lacking.is_empty() {
                continue;
            }
            let by = json!({ "ids": lacking, "include": ["embeddings"] });
            let Records { ids, embeddings, .. } = self.records(&collection, &by)?;
            let cosine =
                |vector: Vec<f32>| vector.iter().zip(&meaning.vector).map(|(a, b)| a * b).sum();
            let vectors = embeddings.unwrap_or_default().into_iter().map(cosine);
            cosines.extend(ids.into_iter().zip(vectors));
        }
        Ok(cosines)
    }

    pub fn health(&self) -> Result<Health> {
        let start = Instant::now();
        self.0.rest.ask(Method::GET, "/api/v2/heartbeat", None, &[])?;
        let latency = start.elapsed();
        let version = self.0.rest.ask(Method::GET, "/api/v2/version", None, &[])?;
        self.0.collections.all_vectors()?;
        let message = "writes are in the server's log when it answers; \
                       it does not say when they are on disk";
        let promise =
            Component { name: "durability", status: Status::Healthy, message: message.to_owned() };
        let message = format!("{} records at a time", self.most()?);
        let portions = Component { name: "portions", status: Status::Healthy, message };
        Ok(Health::new(latency, version.as_str().map(ToOwned::to_owned), vec![promise, portions]))
    }

    fn delete(&self, collection: &str, slots: &[Slot], wanted: &Wanted<'_>) -> Result<()> {
        for portion in slots.chunks(PORTION) {
            wanted.check()?;
            let body = json!({ "where": record::in_slots(portion) });
            self.0.collections.ask(collection, "delete", &body, &[])?;
        }
        Ok(())
    }

    /// Returns records of a collection; none if it is not there.
    fn records(&self, collection: &str, body: &Value) -> Result<Records> {
        let told = self.0.collections.ask(collection, "get", body, &[])?;
        let told = told.unwrap_or_else(|| json!({ "ids": [] }));
        self.0.collections.read(told)
    }

    /// Refuses vectors that have other dimensions than those of their model.
    fn check<'a>(
        &self,
        model: &Fingerprint,
        vectors: impl IntoIterator<Item = &'a Vec<f32>>,
    ) -> Result<()> {
        let collections = &self.0.collections;
        let mut vectors = vectors.into_iter().peekable();
        let Some(first) = vectors.peek().map(|vector| vector.len()) else { return Ok(()) };
        let known = collections.find(&collections.vectors(model))?;
        let known = known.and_then(|collection| collection.dimension).unwrap_or(first);
        match vectors.find(|vector| vector.len() != known) {
            Some(other) => Err(other_dimensions(model, other.len(), known)),
            None => Ok(()),
        }
    }

    /// Returns how many records a request has at most.
    fn most(&self) -> Result<usize> {
        if let Some(most) = self.0.most.get() {
            return Ok(*most);
        }
        let told = self.0.rest.ask(Method::GET, "/api/v2/pre-flight-checks", None, &[])?;
        let most = told["max_batch_size"].as_u64().and_then(|most| usize::try_from(most).ok());
        let most = most.unwrap_or(READ_PORTION).clamp(1, PORTION);
        Ok(*self.0.most.get_or_init(|| most))
    }
}

/// Returns whether a search may have got stuck among equals.
///
/// Chroma's index is a graph of neighbours: from one of hundreds of equal vectors, all edges lead to
/// the others, and nothing else is found.
fn is_stuck(passages: &[(String, f32)]) -> bool {
    match passages {
        [(_, best), .., (_, worst)] => *best < 0.99 && best - worst < 1e-4,
        _ => false,
    }
}

/// Returns the slots of the scopes with the cosines of their best passages, best first.
fn best(passages: &[(String, f32)], scopes: &[Scope]) -> Vec<(Slot, f32)> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut slots = Vec::new();
    for (name, cosine) in passages {
        let name = record::slot_name(name);
        if let Some(slot) = record::slot(scopes, name)
            && seen.insert(name)
        {
            slots.push((slot, *cosine));
        }
    }
    slots
}
