//! Which collections there are, and what they are called.

use std::collections::HashMap;
use std::sync::Mutex;

use cofio::model::Fingerprint;
use cofio::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use ureq::http::Method;

use crate::naming;
use crate::rest::Rest;

/// How many collections are listed at a time.
const PAGE: usize = 200;

/// The collections of one database that begin with our prefix.
#[derive(Debug)]
pub struct Collections {
    rest: Rest,
    root: String,
    prefix: String,
    known: Mutex<HashMap<String, Collection>>,
}

/// A collection, as the server knows it.
#[derive(Debug, Clone, Deserialize)]
pub struct Collection {
    id: String,
    name: String,
    /// How many dimensions its vectors have, once it has some.
    pub dimension: Option<usize>,
}

impl Collections {
    pub fn new(rest: Rest, tenant: &str, database: &str, prefix: &str) -> Self {
        let root = format!("/api/v2/tenants/{tenant}/databases/{database}/collections");
        Self { rest, root, prefix: prefix.to_owned(), known: Mutex::default() }
    }

    /// Returns the name of the collection of texts.
    pub fn texts(&self) -> String {
        format!("{}-texts", self.prefix)
    }

    /// Returns the name of the collection of a model's vectors.
    pub fn vectors(&self, model: &Fingerprint) -> String {
        format!("{}{}", self.vectors_prefix(), naming::hashed(model.as_str()))
    }

    fn vectors_prefix(&self) -> String {
        format!("{}-vectors-", self.prefix)
    }

    /// Returns the names of all collections of vectors, whoever made them.
    pub fn all_vectors(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for page in 0.. {
            let path = format!("{}?limit={PAGE}&offset={}", self.root, page * PAGE);
            let found: Vec<Collection> =
                self.read(self.rest.ask(Method::GET, &path, None, &[])?)?;
            let count = found.len();
            names.extend(found.into_iter().map(|collection| collection.name));
            if count < PAGE {
                break;
            }
        }
        names.retain(|name| name.starts_with(&self.vectors_prefix()));
        Ok(names)
    }

    /// Asks something of a collection; nothing if there is none of that name.
    pub fn ask(
        &self,
        name: &str,
        verb: &str,
        body: &Value,
        texts: &[&str],
    ) -> Result<Option<Value>> {
        let Some(collection) = self.find(name)? else { return Ok(None) };
        match self.post(&collection, verb, body, texts) {
            Err(error) if is_missing(&error) => {}
            answer => return answer.map(Some),
        }
        // Somebody removed it since, and may have made it again.
        self.forget(name);
        let Some(collection) = self.find(name)? else { return Ok(None) };
        self.post(&collection, verb, body, texts).map(Some)
    }

    /// Has a collection keep something; makes it if there is none of that name.
    pub fn tell(
        &self,
        name: &str,
        about: &Value,
        verb: &str,
        body: &Value,
        texts: &[&str],
    ) -> Result<()> {
        if self.ask(name, verb, body, texts)?.is_none() {
            let made = self.make(name, about)?;
            self.post(&made, verb, body, texts)?;
        }
        Ok(())
    }

    /// Returns a collection, if there is one of that name.
    pub fn find(&self, name: &str) -> Result<Option<Collection>> {
        if let Some(known) = self.known().get(name) {
            return Ok(Some(known.clone()));
        }
        let path = format!("{}/{name}", self.root);
        match self.rest.ask(Method::GET, &path, None, &[]) {
            Ok(found) => self.note(found).map(Some),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn make(&self, name: &str, about: &Value) -> Result<Collection> {
        let body = json!({
            "name": name,
            "get_or_create": true,
            "metadata": about,
            "configuration": { "hnsw": {
                "space": "cosine",
                // Twice the server's own, so that less is overlooked.
                "max_neighbors": 32,
                "ef_construction": 200,
                "ef_search": 200,
            } },
        });
        self.note(self.rest.ask(Method::POST, &self.root, Some(&body), &[])?)
    }

    fn post(
        &self,
        collection: &Collection,
        verb: &str,
        body: &Value,
        texts: &[&str],
    ) -> Result<Value> {
        let path = format!("{}/{}/{verb}", self.root, collection.id);
        self.rest.ask(Method::POST, &path, Some(body), texts)
    }

    /// Keeps in mind what the server said of a collection, once its dimensions are settled.
    fn note(&self, told: Value) -> Result<Collection> {
        let collection: Collection = self.read(told)?;
        if collection.dimension.is_some() {
            self.known().insert(collection.name.clone(), collection.clone());
        }
        Ok(collection)
    }

    fn forget(&self, name: &str) {
        self.known().remove(name);
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Collection>> {
        self.known.lock().expect("nothing panics while it holds the lock")
    }

    /// Reads an answer of the server.
    pub fn read<T: for<'a> Deserialize<'a>>(&self, told: Value) -> Result<T> {
        serde_json::from_value(told).map_err(|_| self.unreadable())
    }

    pub fn unreadable(&self) -> Error {
        self.rest.unreadable()
    }
}

/// Returns whether an error says that there is no such thing.
fn is_missing(error: &Error) -> bool {
    error.details().get("status").is_some_and(|status| *status == 404)
}
