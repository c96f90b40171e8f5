use super::{Engine, ForgetReason};
use crate::error::{Error, Result};
use crate::model::{
    Caller, Criteria, Doubt, Draft, Kind, Layer, Memory, Right, Scope, Source, Timestamp,
};
use crate::retrieval::Selection;
use crate::store::{Order, Page};

/// Something said in a conversation that is going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who spoke.
    pub role: String,
    /// What was said.
    pub content: String,
    /// When.
    pub at: Timestamp,
}

/// How many turns too many a window may have gathered, from several writers or an older setting,
/// that one push drops.
const SURPLUS: usize = 100;

impl Engine {
    /// Adds to a session's window and drops what no longer fits.
    ///
    /// The window holds the last turns, a turn being a question and its answer.
    pub async fn push_turn(
        &self,
        caller: &Caller,
        session: &Scope,
        role: &str,
        content: &str,
        mut source: Source,
    ) -> Result<Vec<Turn>> {
        caller.require(Right::Read)?;
        check_window(session, role)?;
        source.role = Some(role.to_owned());
        let draft = Draft::new(session.clone(), Kind::Working, content, source);
        // In the midst of a conversation nobody can be asked.
        let draft = Draft { doubt: Doubt::Redact, ..draft };
        self.remember(caller, draft).await?;
        let kept = self.window_size();
        let turns = self.spoken(caller, session, kept + SURPLUS).await?;
        if let Some(old) = turns.get(kept..).filter(|old| !old.is_empty()) {
            let old: Vec<_> = old.iter().map(|memory| memory.id.clone()).collect();
            // A window lets go of its oldest turns by itself.
            self.forget_chosen(&caller.with_every_right(), &old, ForgetReason::Window).await?;
        }
        Ok(in_order(turns.into_iter().take(kept)))
    }

    /// Returns the last turns of a session, the oldest first.
    pub async fn window(&self, caller: &Caller, session: &Scope) -> Result<Vec<Turn>> {
        check_window(session, "any")?;
        Ok(in_order(self.spoken(caller, session, self.window_size()).await?.into_iter()))
    }

    /// Empties the window of a session, and returns how much was in it.
    pub async fn clear_window(&self, caller: &Caller, session: &Scope) -> Result<usize> {
        check_window(session, "any")?;
        let forgotten = self.forget_matching(caller, &working(session)).await?;
        Ok(forgotten.ids.len())
    }

    fn window_size(&self) -> usize {
        self.config.window_turns * 2
    }

    /// Returns what was said in a session, the latest first.
    async fn spoken(&self, caller: &Caller, session: &Scope, limit: usize) -> Result<Vec<Memory>> {
        let filter = super::filter(caller, &working(session), self.now())?;
        let page = Page { limit, order: Order::Newest, after: None, counted: false };
        Ok(self.store.list(&filter, &page).await?.memories)
    }
}

fn working(session: &Scope) -> Selection {
    let criteria = Criteria { kinds: vec![Kind::Working], ..Criteria::default() };
    let layers = Some(vec![Layer::Session]);
    Selection { layers, ..Selection::with(session.identifiers().clone(), criteria) }
}

fn in_order(latest_first: impl DoubleEndedIterator<Item = Memory>) -> Vec<Turn> {
    let turn = |memory: Memory| Turn {
        role: memory.source.role.unwrap_or_default(),
        content: memory.content.as_str().to_owned(),
        at: memory.event_at,
    };
    latest_first.rev().map(turn).collect()
}

fn check_window(session: &Scope, role: &str) -> Result<()> {
    if session.layer() != Layer::Session {
        return Err(Error::invalid("a window belongs to a session"));
    }
    if role.trim().is_empty() || role.len() > 64 || role.chars().any(char::is_control) {
        return Err(Error::invalid("a role has 1 to 64 bytes, such as user or assistant"));
    }
    Ok(())
}
