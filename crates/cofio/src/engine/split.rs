use std::collections::{HashMap, HashSet};

use super::Engine;
use crate::error::Result;
use crate::ingest::{self, Finding, Prepared, Redaction};
use crate::model::{Change, Criteria, Filter, Kind, Memory, Scope, Timestamp};
use crate::recognise;
use crate::store::{Order, Page};

/// How many earlier turns may hold a part of a secret.
const TURNS: usize = 6;

/// The conversation that turns belong to.
type Conversation = (Scope, String);

impl Engine {
    /// Takes the parts out of turns that are a secret only together.
    ///
    /// Returns what has to change in turns that were kept before: they are forgotten and kept anew
    /// without their part, since an update would leave it in their history.
    pub(super) async fn redact_split(
        &self,
        prepared: &mut [Prepared],
        now: Timestamp,
    ) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        let mut spoken: HashMap<Conversation, Vec<Piece>> = HashMap::new();
        let mut looked_up: HashSet<Conversation> = HashSet::new();
        for place in 0..prepared.len() {
            let Some(conversation) = conversation(&prepared[place].memory) else { continue };
            let text = prepared[place].memory.content.as_str().to_owned();
            let pieces = spoken.entry(conversation.clone()).or_default();
            // Most turns hold nothing that could be a part.
            if ingest::may_complete_secret(&text) && looked_up.insert(conversation.clone()) {
                pieces.splice(..0, self.turns(&conversation, now).await?);
            }
            let texts: Vec<&str> = pieces.iter().map(|piece| piece.text(prepared)).collect();
            let found = ingest::findings_across(&texts, &text);
            pieces.push(Piece::Prepared(place));
            for (piece, findings) in by_piece(found) {
                match &mut pieces[piece] {
                    Piece::Prepared(place) => self.redact_new(&mut prepared[*place], &findings),
                    Piece::Kept(memory) => changes.extend(self.redact_kept(memory, &findings, now)),
                }
            }
        }
        Ok(changes)
    }

    /// Returns the last turns of a conversation that are kept, the oldest first.
    async fn turns(&self, (scope, session): &Conversation, now: Timestamp) -> Result<Vec<Piece>> {
        let kinds = vec![Kind::Episode, Kind::Working];
        let criteria = Criteria { kinds, ..Criteria::default() };
        let filter = Filter { scopes: vec![scope.clone()], now, criteria };
        // Others may talk in between.
        let page = Page { limit: 4 * TURNS, order: Order::Newest, after: None, counted: false };
        let mut turns = self.store.list(&filter, &page).await?.memories;
        turns.retain(|memory| memory.conversation() == Some(session.as_str()));
        turns.truncate(TURNS);
        turns.reverse();
        Ok(turns.into_iter().map(|memory| Piece::Kept(Box::new(memory))).collect())
    }

    fn redact_new(&self, prepared: &mut Prepared, findings: &[Finding]) {
        let memory = &mut prepared.memory;
        memory.content =
            ingest::without(&memory.content, findings, &self.config.secret_replacement);
        memory.entities = recognise::mentions(memory.content.as_str());
        prepared.identity = ingest::identity_of(memory);
        let part = |finding| Redaction { field: "content", ..Redaction::from(finding) };
        prepared.redactions.extend(findings.iter().map(part));
    }

    fn redact_kept(
        &self,
        memory: &mut Memory,
        findings: &[Finding],
        now: Timestamp,
    ) -> [Change; 2] {
        let (id, scope) = (memory.id.clone(), memory.scope.clone());
        let forget = Change::Forget { id, scope, version: None };
        let content = ingest::without(&memory.content, findings, &self.config.secret_replacement);
        memory.entities = recognise::mentions(content.as_str());
        memory.content = content;
        memory.id = self.new_id(memory.kind, now);
        memory.version = 1;
        memory.updated_at = now;
        let (identity, history) = (ingest::identity_of(memory), Vec::new());
        [forget, Change::Create { memory: Box::new(memory.clone()), identity, history }]
    }
}

/// A turn that may hold a part of a secret.
enum Piece {
    /// One that is about to be kept, by its place.
    Prepared(usize),
    /// One that was kept before.
    Kept(Box<Memory>),
}

impl Piece {
    fn text<'a>(&'a self, prepared: &'a [Prepared]) -> &'a str {
        match self {
            Self::Prepared(place) => prepared[*place].memory.content.as_str(),
            Self::Kept(memory) => memory.content.as_str(),
        }
    }
}

/// Returns the conversation of a turn; whatever else is remembered is no part of one.
fn conversation(memory: &Memory) -> Option<Conversation> {
    let spoken = matches!(memory.kind, Kind::Episode | Kind::Working);
    let session = memory.conversation().filter(|_| spoken)?;
    Some((memory.scope.clone(), session.to_owned()))
}

fn by_piece(found: Vec<(usize, Finding)>) -> HashMap<usize, Vec<Finding>> {
    let mut pieces: HashMap<usize, Vec<Finding>> = HashMap::new();
    for (piece, finding) in found {
        pieces.entry(piece).or_default().push(finding);
    }
    pieces
}
