//! What is asked of Mem0.

use std::collections::{BTreeSet, HashMap};
use std::thread;
use std::time::{Duration, Instant};

use cofio::model::Scope;
use cofio::shelf::{Component, Content, Health, Slot, Status};
use cofio::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use ureq::http::Method;

use super::Options;
use crate::rest::{Rest, Server};
use crate::threads::Wanted;
use crate::{naming, scoped};

/// How many slots one request asks for.
const PORTION: usize = 100;

/// How many memories a page has.
const PAGE: usize = 100;

/// How long to wait before looking again whether something is there.
const GLANCE: Duration = Duration::from_millis(100);

/// What stands for a text that has nothing in it, which a server may not take.
const NOTHING: &str = "(nothing)";

/// Knows the server; cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    rest: Rest,
    prefix: String,
    patience: Duration,
}

/// A page of memories, as Mem0 lists them.
#[derive(Deserialize)]
struct Page {
    results: Vec<Found>,
    next: Option<String>,
}

/// A memory, as far as it says what it is of ours.
#[derive(Deserialize)]
struct Found {
    id: String,
    memory: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    /// What its scope is called.
    #[serde(rename = "cofio_scope")]
    scope: Option<String>,
    /// What its slot is called within the scope.
    #[serde(rename = "cofio_slot")]
    slot: Option<String>,
    /// The hash of its text.
    #[serde(rename = "cofio_hash")]
    hash: Option<String>,
}

/// A text that was found, and by what Mem0 knows it.
struct Kept {
    /// What its slot is called within the scope.
    slot: String,
    id: String,
    text: String,
    hash: String,
}

impl Client {
    /// Checks the options.
    pub fn new(options: &Options) -> Result<Self> {
        let rest = Rest::new(Server {
            name: "mem0",
            url: options.url.clone(),
            example: "https://api.mem0.ai",
            header: ("authorization", "Token "),
            key: options.key.clone(),
            timeout: options.timeout,
        })?;
        Ok(Self { rest, prefix: options.prefix.clone(), patience: options.patience })
    }

    pub fn put(&self, contents: &[Content], wanted: &Wanted<'_>) -> Result<()> {
        for portion in contents.chunks(PORTION) {
            let slots: Vec<Slot> = portion.iter().map(|content| content.slot.clone()).collect();
            let there = self.texts(&slots, wanted)?;
            let mut added: BTreeSet<String> = BTreeSet::new();
            for content in portion {
                let name = naming::whole(&content.slot);
                if !there.contains_key(&name) && added.insert(name) {
                    wanted.check()?;
                    self.add(content)?;
                }
            }
            if !added.is_empty() {
                self.await_all(&slots, wanted)?;
            }
        }
        Ok(())
    }

    /// Waits until everything that was added can be read.
    fn await_all(&self, slots: &[Slot], wanted: &Wanted<'_>) -> Result<()> {
        let start = Instant::now();
        loop {
            let there = self.texts(slots, wanted)?;
            if slots.iter().all(|slot| there.contains_key(&naming::whole(slot))) {
                return Ok(());
            }
            if start.elapsed() >= self.patience {
                let message = "mem0 took the contents but does not give them back yet";
                return Err(Error::new(ErrorKind::Provider, message));
            }
            thread::sleep(GLANCE);
        }
    }

    fn add(&self, content: &Content) -> Result<()> {
        let text = content.text.as_str();
        let told = if text.is_empty() { NOTHING } else { text };
        let body = json!({
            "messages": [{ "role": "user", "content": told }],
            "user_id": self.user(&content.slot.scope),
            "infer": false,
            "metadata": {
                "cofio_scope": naming::tag(&content.slot.scope),
                "cofio_slot": naming::within_scope(&content.slot),
                "cofio_hash": naming::hashed(text),
            },
        });
        self.rest.ask(Method::POST, "/v3/memories/add/", Some(&body), &[text])?;
        Ok(())
    }

    pub fn get(&self, slots: &[Slot], wanted: &Wanted<'_>) -> Result<Vec<Option<String>>> {
        let mut texts: HashMap<String, String> = HashMap::new();
        for portion in slots.chunks(PORTION) {
            texts.extend(self.texts(portion, wanted)?);
        }
        Ok(slots.iter().map(|slot| texts.get(&naming::whole(slot)).cloned()).collect())
    }

    /// Returns the texts of slots, by what these are called among all; what somebody changed there is
    /// not among them.
    fn texts(&self, slots: &[Slot], wanted: &Wanted<'_>) -> Result<HashMap<String, String>> {
        let mut texts = HashMap::new();
        for (scope, slots) in scoped::group(slots, |slot| &slot.scope, Slot::clone) {
            for kept in self.kept(&scope, &slots, wanted)? {
                let name = format!("{}:{}", naming::tag(&scope), kept.slot);
                texts.extend(kept.into_text().map(|text| (name, text)));
            }
        }
        Ok(texts)
    }

    pub fn remove(&self, slots: &[Slot], wanted: &Wanted<'_>) -> Result<()> {
        for portion in slots.chunks(PORTION) {
            for (scope, slots) in scoped::group(portion, |slot| &slot.scope, Slot::clone) {
                let kept = self.kept(&scope, &slots, wanted)?;
                let memories: Vec<Value> =
                    kept.iter().map(|kept| json!({ "memory_id": kept.id })).collect();
                for memories in memories.chunks(PAGE) {
                    let body = json!({ "memories": memories });
                    self.rest.ask(Method::DELETE, "/v1/batch/", Some(&body), &[])?;
                }
            }
        }
        Ok(())
    }

    pub fn slots(
        &self,
        scope: &Scope,
        after: Option<&Slot>,
        limit: usize,
        wanted: &Wanted<'_>,
    ) -> Result<Vec<Slot>> {
        let all = self.list(scope, &json!({ "user_id": self.user(scope) }), wanted)?;
        let names: BTreeSet<String> = all.into_iter().map(|kept| kept.slot).collect();
        let after = after.map(naming::within_scope);
        let rest = names.iter().filter(|name| after.as_ref().is_none_or(|after| *name > after));
        Ok(rest.filter_map(|name| naming::slot(scope, name)).take(limit).collect())
    }

    /// Returns what is kept under slots of a scope; more than one for a slot if several put it there.
    fn kept(&self, scope: &Scope, slots: &[Slot], wanted: &Wanted<'_>) -> Result<Vec<Kept>> {
        let names: BTreeSet<String> = slots.iter().map(naming::within_scope).collect();
        let slot = |name: &String| json!({ "metadata": { "cofio_slot": name } });
        let filters = json!({ "AND": [
            { "user_id": self.user(scope) },
            { "OR": names.iter().map(slot).collect::<Vec<_>>() },
        ]});
        let mut kept = self.list(scope, &filters, wanted)?;
        kept.retain(|kept| names.contains(&kept.slot));
        Ok(kept)
    }

    /// Returns what a filter finds of a scope, page by page.
    fn list(&self, scope: &Scope, filters: &Value, wanted: &Wanted<'_>) -> Result<Vec<Kept>> {
        let tag = naming::tag(scope);
        let mut all = Vec::new();
        for number in 1.. {
            wanted.check()?;
            let path = format!("/v3/memories/?page={number}&page_size={PAGE}");
            let told =
                self.rest.ask(Method::POST, &path, Some(&json!({ "filters": filters })), &[])?;
            let page: Page = serde_json::from_value(told).map_err(|_| self.rest.unreadable())?;
            // The server was asked for the scope alone; what is not of it is not looked at.
            all.extend(page.results.into_iter().filter_map(|found| found.kept(&tag)));
            if page.next.is_none() {
                break;
            }
        }
        Ok(all)
    }

    pub fn health(&self) -> Result<Health> {
        let start = Instant::now();
        self.rest.ask(Method::GET, "/v1/ping/", None, &[])?;
        let latency = start.elapsed();
        let component =
            |name, status, message: &str| Component { name, status, message: message.to_owned() };
        let components = vec![
            component(
                "durability",
                Status::Healthy,
                "a write counts once it can be read back; the server does not say more",
            ),
            component(
                "forgetting",
                Status::Degraded,
                "a server of one's own keeps the text of what was deleted in a history; \
                 let its history_db_path be :memory:, or clear that file after forgetting",
            ),
        ];
        Ok(Health::new(latency, None, components))
    }

    /// Returns what the user is called who stands for a scope.
    fn user(&self, scope: &Scope) -> String {
        format!("{}-{}", self.prefix, naming::tag(scope))
    }
}

impl Found {
    /// Returns what it is of ours, if it is of the scope that is called so.
    fn kept(self, tag: &str) -> Option<Kept> {
        let metadata = self.metadata.filter(|known| known.scope.as_deref() == Some(tag))?;
        let (slot, hash) = (metadata.slot?, metadata.hash?);
        Some(Kept { slot, hash, id: self.id, text: self.memory.unwrap_or_default() })
    }
}

impl Kept {
    /// Returns the text, unless it is not what was put there.
    fn into_text(self) -> Option<String> {
        let text = if self.text == NOTHING && self.hash == naming::hashed("") {
            String::new()
        } else {
            self.text
        };
        Some(text).filter(|text| naming::hashed(text) == self.hash)
    }
}
