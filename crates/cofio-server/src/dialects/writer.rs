use cofio::model::{
    Caller, Criteria, Doubt, Draft, Kind, Layer, Memory, Scope, Source, State, Trust,
};
use cofio::{Engine, Result, Selection, ingest};

/// What a dialect reads back: everything it wrote, unless something else stands in its place.
const READABLE: [State; 4] = [State::Active, State::Decayed, State::Archived, State::Pending];

/// What a model is to tell its user of something that waits.
pub(super) const WAITS: &str =
    "It waits for review and is not recalled before the user approves it.";

/// Who uses a dialect, and where what they write is kept.
#[derive(Debug, Clone)]
pub struct Writer {
    /// What remembers.
    pub engine: Engine,
    /// Who asks.
    pub caller: Caller,
    /// Whose everything is that is written and read.
    pub scope: Scope,
    /// Where everything that is written comes from, at best.
    pub source: Source,
}

impl Writer {
    /// Returns the source of a text.
    ///
    /// Nobody can tell whether the user or a page had a model keep orders to an assistant, so they
    /// are trusted as little as a page is.
    pub(super) fn source(&self, text: &str) -> Source {
        let source = self.source.clone();
        if ingest::instructs(text) { source.trusted_at_most(Trust::Low) } else { source }
    }

    /// Starts a draft; what may be a secret is taken out, as nobody can be asked.
    pub(super) fn draft(&self, kind: Kind, text: &str) -> Draft {
        let draft = Draft::new(self.scope.clone(), kind, text, self.source(text));
        Draft { doubt: Doubt::Redact, ..draft }
    }

    /// Returns whether a memory waits where others would read it, so that nobody does.
    ///
    /// What one person alone reads is shown to them while it waits, as they know it anyway.
    pub(super) fn hides(&self, memory: &Memory) -> bool {
        memory.state == State::Pending && self.is_shared()
    }

    /// Returns whether others than the user read and write here too.
    fn is_shared(&self) -> bool {
        self.scope.identifiers().get(Layer::User).is_none()
    }

    /// Returns everything that the dialect wrote and that meets the criteria, the oldest first;
    /// without what is hidden.
    pub(super) async fn written(&self, criteria: Criteria) -> Result<Vec<Memory>> {
        let mut states = READABLE.to_vec();
        states.retain(|state| *state != State::Pending || !self.is_shared());
        let criteria = Criteria { states, ..criteria };
        let selection = Selection {
            layers: Some(vec![self.scope.layer()]),
            ..Selection::with(self.scope.identifiers().clone(), criteria)
        };
        let mut memories = self.engine.list_all(&self.caller, &selection).await?;
        memories.reverse();
        Ok(memories)
    }

    /// Returns everything that the dialect keeps under keys that begin so, the oldest first.
    pub(super) async fn under_all(&self, kind: Kind, prefix: &str) -> Result<Vec<Memory>> {
        let key_prefix = Some(prefix.to_owned());
        let kinds = vec![kind];
        self.written(Criteria { kinds, key_prefix, ..Criteria::default() }).await
    }

    /// Returns the memory that the dialect keeps under a key.
    pub(super) async fn under(&self, kind: Kind, key: &str) -> Result<Option<Memory>> {
        // What cannot be a key is kept under none.
        if ingest::check_key(key).is_err() {
            return Ok(None);
        }
        let key = Some(key.to_owned());
        let criteria = Criteria { kinds: vec![kind], key, ..Criteria::default() };
        Ok(self.written(criteria).await?.pop())
    }
}
