use std::collections::BTreeSet;
use std::sync::Arc;

use cofio::model::{Caller, Identifier, Layer, Scope, Source};
use cofio::{Engine, Result, Selection};
use rmcp::RoleServer;
use rmcp::model::{InputResponses, ProgressNotificationParam};
use rmcp::service::RequestContext;

use super::ask::{self, Agreement, Question};
use super::failure::Outcome;
use super::names::LayerName;
use super::source::{self, SourceName};
use crate::dialects::Writer;
use crate::notes::Notes;
use crate::{Desk, Place};

/// One call of a tool: what it has at hand, and whom it can ask.
pub(crate) struct Call {
    pub(super) desk: Arc<Desk>,
    /// What a call counts as at best.
    pub(super) at_best: SourceName,
    pub(super) context: RequestContext<RoleServer>,
    /// What the user answered since the call was made first.
    pub(super) answers: InputResponses,
    /// What the user agreed to before that.
    pub(super) agreed: BTreeSet<String>,
    /// What is written down of it.
    pub(crate) notes: Notes,
}

impl Call {
    /// Returns the engine, once it is open.
    pub(crate) async fn engine(&self) -> Result<&Engine> {
        self.desk.engine().await
    }

    /// Returns who asks.
    pub(crate) fn caller(&self) -> &Caller {
        self.place().caller()
    }

    /// Returns where they read and write.
    pub(crate) fn place(&self) -> &Place {
        self.desk.place()
    }

    /// Returns which memories are read.
    pub(crate) fn selection(
        &self,
        layer: Option<LayerName>,
        session: Option<&str>,
    ) -> Result<Selection> {
        let layer = layer.map(Layer::from);
        if let Some(layer) = layer {
            self.notes.named(layer);
        }
        self.place().selection(layer, session)
    }

    /// Returns the scopes that are read.
    pub(crate) fn scopes(
        &self,
        layer: Option<LayerName>,
        session: Option<&str>,
    ) -> Result<Vec<Scope>> {
        self.place().scopes(layer.map(Layer::from), session)
    }

    /// Returns whose a new memory is.
    pub(crate) fn scope(&self, layer: Option<LayerName>, session: Option<&str>) -> Result<Scope> {
        let scope = self.place().scope(layer.map(Layer::from), session)?;
        self.notes.named(scope.layer());
        Ok(scope)
    }

    /// Returns where a text comes from, as far as that can be believed.
    pub(crate) fn source(
        &self,
        said: Option<SourceName>,
        text: &str,
        session: Option<&str>,
    ) -> Result<Source> {
        let mut source = source::source(said, self.at_best, text);
        source.session = session.map(Identifier::new).transpose()?;
        Ok(source)
    }

    /// Returns who uses a dialect, and where what they write is kept.
    pub(crate) async fn writer(&self) -> Result<Writer> {
        Ok(Writer {
            engine: self.engine().await?.clone(),
            caller: self.caller().clone(),
            scope: self.scope(None, None)?,
            source: self.source(None, "", None)?,
        })
    }

    /// Asks the user, where the client can; whoever calls again after the answer has it.
    pub(crate) async fn ask(&self, question: &Question) -> Outcome<Agreement> {
        ask::ask(self, question).await
    }

    /// Tells the client how far a long call is, if it wants to know.
    pub(crate) async fn progress(&self, done: usize, total: usize) {
        if let Some(token) = self.context.meta.get_progress_token() {
            let progress =
                ProgressNotificationParam::new(token, done as f64).with_total(total as f64);
            // Nobody may be listening any more.
            let _ = self.context.peer.notify_progress(progress).await;
        }
    }
}
