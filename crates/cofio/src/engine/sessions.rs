use std::cmp::Reverse;

use sha2::{Digest as _, Sha256};

use super::Engine;
use crate::error::{Error, Result};
use crate::model::{Caller, Kind, Layer, Right, Scope, Timestamp};
use crate::store::ScopeSummary;
use crate::text::hex;

/// A conversation, and how much is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Whose it is.
    pub scope: Scope,
    /// How many turns its window has.
    pub turns: u64,
    /// How many other memories belong to it.
    pub memories: u64,
    /// When something was last kept.
    pub latest_at: Option<Timestamp>,
}

/// One page of conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    /// The conversations of this page.
    pub sessions: Vec<Session>,
    /// How many there are in all.
    pub total: usize,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Engine {
    /// Returns the conversations that the caller opens and of which something is kept, page by
    /// page; the one that something was kept of last comes first.
    pub async fn sessions(
        &self,
        caller: &Caller,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Sessions> {
        let sessions = async {
            caller.require(Right::Read)?;
            let most = self.config.limits.page;
            if limit == 0 || limit > most {
                return Err(Error::invalid(format!("a page has 1 to {most} sessions")));
            }
            let seal = seal(caller);
            let after = cursor.map(|cursor| open_cursor(cursor, &seal)).transpose()?;
            let all = self.stats(caller, None).await?.scopes;
            Ok(page(all, limit, after.as_ref(), &seal))
        };
        sessions.await.map_err(|error: Error| error.during("sessions"))
    }
}

/// A place in the list: the latest first, and those of one moment by a hash of their names.
type Position = (Reverse<i64>, String);

fn page(all: Vec<ScopeSummary>, limit: usize, after: Option<&Position>, seal: &str) -> Sessions {
    let sessions = all.into_iter().filter(|summary| summary.layer() == Layer::Session);
    let mut sessions: Vec<(Position, Session)> =
        sessions.map(Session::from).map(|session| (position(&session), session)).collect();
    sessions.sort_by(|(one, _), (other, _)| one.cmp(other));
    let total = sessions.len();
    sessions.retain(|(position, _)| after.is_none_or(|after| position > after));
    let more = sessions.len() > limit;
    sessions.truncate(limit);
    let next_cursor = sessions.last().filter(|_| more);
    let next_cursor =
        next_cursor.map(|((Reverse(moment), names), _)| format!("{seal}.{moment}.{names}"));
    let sessions = sessions.into_iter().map(|(_, session)| session).collect();
    Sessions { sessions, total, next_cursor }
}

fn position(session: &Session) -> Position {
    let moment = session.latest_at.map_or(i64::MIN, Timestamp::as_microsecond);
    let names = Sha256::digest(session.scope.to_string());
    (Reverse(moment), hex(&names[..8]))
}

/// Returns what ties a cursor to its caller.
fn seal(caller: &Caller) -> String {
    hex(&Sha256::digest(format!("sessions {}", caller.actor()))[..6])
}

fn open_cursor(cursor: &str, seal: &str) -> Result<Position> {
    let parsed = || {
        let mut parts = cursor.splitn(3, '.');
        let matches = parts.next()? == seal;
        let moment = parts.next()?.parse().ok()?;
        let names = parts.next()?.to_owned();
        matches.then_some((Reverse(moment), names))
    };
    parsed().ok_or_else(|| {
        Error::invalid("this cursor does not belong to this list; start again without one")
    })
}

impl From<ScopeSummary> for Session {
    fn from(summary: ScopeSummary) -> Self {
        let count = |is_turn: bool| {
            let counts = summary.counts.iter();
            let counts = counts.filter(|(kind, ..)| (*kind == Kind::Working) == is_turn);
            counts.map(|(.., count)| count).sum()
        };
        let (turns, memories) = (count(true), count(false));
        Self { scope: summary.scope, turns, memories, latest_at: summary.latest_at }
    }
}
