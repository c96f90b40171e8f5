use axum::http::Method;
use cofio::model::Right;
use cofio::store::Entries;
use cofio::wire::AuditOutput;
use cofio::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::amount;
use crate::http::visit::Visit;

/// How many there are at most.
const MOST: usize = 1_000;

pub(super) struct Audit;

/// Which part of the record.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AuditQuery {
    /// Only entries after this one; 0 begins with the first.
    after: Option<u64>,
    /// The latest entries, which is what is answered if no place is named.
    #[serde(default)]
    latest: bool,
    /// How many at most: 50 if nothing is said, and at most 1,000.
    limit: Option<usize>,
}

/// Entries of the record, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AuditListOutput {
    entries: Vec<AuditOutput>,
    /// Where to go on from, now or later.
    next_after: u64,
}

impl Endpoint for Audit {
    type Path = Nothing;
    type Query = AuditQuery;
    type Body = Empty;
    type Answer = Found<AuditListOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/audit";
    const NAME: &'static str = "listAudit";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Read what was done, by whom and when";
    const ABOUT: &'static str = "Never what was remembered. Callers see what they did themselves, and whoever administers the whole store sees everything.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let which = which(asked.query.after, asked.query.latest)?;
        let limit = amount(asked.query.limit, 50, MOST)?;
        let entries = visit.engine.audit(visit.caller(), which, limit).await?;
        let last = entries.last().map(|entry| entry.record.sequence);
        Ok(Found(AuditListOutput {
            next_after: last.or(asked.query.after).unwrap_or_default(),
            entries: entries.iter().map(AuditOutput::from).collect(),
        }))
    }
}

fn which(after: Option<u64>, latest: bool) -> Result<Entries> {
    match after {
        Some(_) if latest => Err(Error::invalid("give after or latest, not both")),
        Some(place) => Ok(Entries::After(place)),
        None => Ok(Entries::Latest),
    }
}
