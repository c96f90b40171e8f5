//! Shelves on real servers: what all of them are tested with.

pub mod faults;

#[cfg(any(feature = "chroma", feature = "mem0"))]
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use cofio::model::{Identifier, Kind, Scope, State, Timestamp};
use cofio::shelf::{Content, Labels, MemoryShelf, Shelf, Slot};
#[cfg(any(feature = "chroma", feature = "mem0"))]
use serde_json::Value;
#[cfg(any(feature = "redis", feature = "mem0"))]
use sha2::{Digest as _, Sha256};

use crate::clean::clean;

/// Returns what a variable says, and that a test is skipped if it says nothing.
pub fn provisioned(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok();
    if value.is_none() {
        eprintln!("skipped: {variable} is not set; `cargo xtask test` starts the server");
    }
    value
}

/// Returns a shelf on the server that a variable names.
pub fn on_server(variable: &str, open: impl Fn(&str) -> Arc<dyn Shelf>) -> Arc<dyn Shelf> {
    match provisioned(variable) {
        Some(url) => open(&url),
        // Nobody asks it anything.
        None => Arc::new(MemoryShelf::new(Timestamp::now)),
    }
}

/// Runs a case if a variable names a server.
pub fn unless_skipped(variable: &str, case: impl Future<Output = ()>) {
    if std::env::var_os(variable).is_some() {
        pollster::block_on(case);
    }
}

/// Returns what the names of one test begin with, so that tests share a server.
pub fn own_prefix() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() % 1_000_000_000;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("t{}-{now}-{number}", std::process::id())
}

pub fn user(name: &str) -> Scope {
    Scope::user(Identifier::new(name).unwrap())
}

pub fn slot(scope: &Scope, number: u64) -> Slot {
    let id = format!("fact_{number:032x}").parse().unwrap();
    Slot { scope: scope.clone(), id, edition: 1 }
}

pub fn labels() -> Labels {
    Labels {
        kind: Kind::Fact,
        state: State::Active,
        assistant: false,
        event_at: Timestamp::UNIX_EPOCH,
        ends_at: None,
    }
}

/// Returns what a scope is called on servers.
#[cfg(any(feature = "redis", feature = "mem0"))]
pub fn tag(scope: &Scope) -> String {
    let hash = Sha256::digest(scope.to_string().as_bytes());
    hash[..16].iter().fold(String::new(), |tag, byte| tag + &format!("{byte:02x}"))
}

/// Asks a server what any program may ask it.
#[cfg(any(feature = "chroma", feature = "mem0"))]
pub fn raw(url: &str, method: &str, path: &str, body: &Value) -> Value {
    let mut command = Command::new("curl");
    command.args(["--silent", "--request", method, "--header", "Content-Type: application/json"]);
    if !body.is_null() {
        command.args(["--data", &body.to_string()]);
    }
    let output = command.arg(format!("{url}{path}")).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Returns the text that a slot has in these tests.
pub fn told(slot: &Slot) -> String {
    format!("what {} is about", slot.id)
}

pub fn content(slot: &Slot) -> Content {
    Content { slot: slot.clone(), text: clean(&told(slot)), labels: labels() }
}
