use cofio::model::{Criteria, Identifier, TimeRange, TriplePattern, Trust};
use cofio::{Result, wire};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What must hold of memories; without a state, that they are active.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Filter {
    /// What they are: working, context, episode, fact, procedure or reflection.
    pub(crate) kinds: Vec<String>,
    /// Where they are in their life: active, pending, decayed, superseded or archived.
    pub(crate) states: Vec<String>,
    /// Labels of which they have at least one.
    pub(crate) tags: Vec<String>,
    /// What kind of event produced them.
    pub(crate) source_type: Option<String>,
    /// Whether they stand for a document.
    pub(crate) has_knowledge_pointer: Option<bool>,
    /// Custom fields and the values they have.
    pub(crate) custom: Map<String, Value>,
    /// They happened at this moment or later.
    pub(crate) from: Option<String>,
    /// They happened at this moment or earlier.
    pub(crate) to: Option<String>,
    /// They were learnt by this moment.
    pub(crate) learnt_by: Option<String>,
    /// They are as they were known at this moment: each as it was then, and none that was learnt
    /// later.
    pub(crate) as_of: Option<String>,
    /// They were true at this moment, as far as is known; those that were replaced since are meant
    /// too.
    pub(crate) valid_at: Option<String>,
    /// The least they are trusted: low, medium or high.
    pub(crate) minimum_trust: Option<String>,
    /// A conversation they do not come from.
    pub(crate) excluded_session_id: Option<String>,
    /// The page, file, call, conversation or tool they come from.
    pub(crate) origin: Option<String>,
    /// The key they are kept under.
    pub(crate) context_key: Option<String>,
    /// What the key they are kept under begins with.
    pub(crate) key_prefix: Option<String>,
    /// The parts of a statement.
    pub(crate) fact: FactFilter,
}

/// The parts of a statement that are known.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct FactFilter {
    /// What kind of statement.
    pub(crate) fact_type: Option<String>,
    /// What it is about.
    pub(crate) subject: Option<String>,
    /// What is said of it.
    pub(crate) predicate: Option<String>,
    /// With respect to what.
    pub(crate) object: Option<String>,
}

impl Filter {
    /// Reads it in the words of the model.
    pub(crate) fn criteria(self) -> Result<Criteria> {
        let moment = |text: Option<String>| text.as_deref().map(wire::moment).transpose();
        let default = Criteria::default();
        let states = parsed(&self.states)?;
        let FactFilter { fact_type, subject, predicate, object } = self.fact;
        let session = self.excluded_session_id.as_deref();
        Ok(Criteria {
            kinds: parsed(&self.kinds)?,
            states: if states.is_empty() { default.states } else { states },
            tags: self.tags,
            source_type: self.source_type.map(|name| name.parse()).transpose()?,
            has_knowledge_pointer: self.has_knowledge_pointer,
            custom: self.custom,
            time: TimeRange { from: moment(self.from)?, to: moment(self.to)? },
            learnt_by: moment(self.learnt_by)?,
            as_of: moment(self.as_of)?,
            valid_at: moment(self.valid_at)?,
            minimum_trust: self.minimum_trust.map_or(Ok(Trust::Low), |name| name.parse())?,
            excluded_session: session.map(Identifier::new).transpose()?,
            triple: TriplePattern { fact_type, subject, predicate, object },
            origin: self.origin,
            key: self.context_key,
            key_prefix: self.key_prefix,
            ..Criteria::default()
        })
    }
}

fn parsed<T: std::str::FromStr<Err = cofio::Error>>(names: &[String]) -> Result<Vec<T>> {
    names.iter().map(|name| name.parse()).collect()
}
