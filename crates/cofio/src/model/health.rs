//! How what memories are kept in is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::names::names;
use crate::error::Result;

/// One of the places that memories are kept in, and how it is.
#[derive(Debug)]
pub struct Checkup {
    /// Which place, such as `sqlite` or `redis`.
    pub name: String,
    /// How it is; an error if it does not answer.
    pub health: Result<Health>,
}

impl Checkup {
    /// Returns how well the place is; one that does not answer does not work.
    pub fn status(&self) -> Status {
        self.health.as_ref().map_or(Status::Unhealthy, |health| health.status)
    }
}

/// One of the places that memories are kept in, which is still to be asked how it is.
pub struct PendingCheckup<'a> {
    /// Which place, such as `sqlite` or `redis`.
    pub name: String,
    /// Asks it, once somebody waits for the answer.
    pub health: Pin<Box<dyn Future<Output = Result<Health>> + Send + 'a>>,
}

impl<'a> PendingCheckup<'a> {
    /// Takes the name of a place, and what asks it.
    pub fn new(
        name: impl Into<String>,
        health: impl Future<Output = Result<Health>> + Send + 'a,
    ) -> Self {
        Self { name: name.into(), health: Box::pin(health) }
    }

    /// Waits for the answer.
    pub async fn done(self) -> Checkup {
        Checkup { name: self.name, health: self.health.await }
    }
}

impl fmt::Debug for PendingCheckup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCheckup").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How a store or a shelf is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// How the whole of it is.
    pub status: Status,
    /// How long it took to answer.
    pub latency: Duration,
    /// What it says of its version.
    pub version: Option<String>,
    /// How its parts are, and what it promises.
    pub components: Vec<Component>,
}

impl Health {
    /// Returns how something is that lives in this process.
    pub(crate) fn in_process() -> Self {
        let durability = Component {
            name: "durability",
            status: Status::Healthy,
            message: "what is kept ends with the process".to_owned(),
        };
        Self::new(Duration::ZERO, None, vec![durability])
    }

    /// Makes the whole as well as the worst of its parts.
    pub fn new(latency: Duration, version: Option<String>, components: Vec<Component>) -> Self {
        let worst = components.iter().map(|component| component.status).max();
        Self { status: worst.unwrap_or(Status::Healthy), latency, version, components }
    }
}

/// How a part of it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Which part.
    pub name: &'static str,
    /// How it is.
    pub status: Status,
    /// What to know of it.
    pub message: String,
}

/// How well something is, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// As it should be.
    Healthy,
    /// It works, and less well than it should or with less of a promise.
    Degraded,
    /// It does not work.
    Unhealthy,
}

names!(Status, "status", Invalid, {
    Healthy => "healthy",
    Degraded => "degraded",
    Unhealthy => "unhealthy",
});
