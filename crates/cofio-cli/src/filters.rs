//! The flags that say which memories are meant.

use anyhow::Result;
use clap::Args;
use cofio::Selection;
use cofio::model::{Criteria, Identifier, Kind, SourceType, State, TimeRange, Trust};
use serde_json::{Map, Value};

use crate::app::App;
use crate::failure::Refusal;
use crate::input;
use crate::when::When;

/// Which memories are meant; every flag narrows it down.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which memories")]
pub struct Filters {
    /// Of this kind: working, context, episode, fact, procedure or reflection; may be repeated
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<Kind>,
    /// With this tag; may be repeated, and one is enough
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// That happened then or later; a day or a moment
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// That happened then or earlier; a day or a moment
    #[arg(long, value_name = "TIME")]
    until: Option<When>,
    /// As they were known then, each as it was; a moment, or a day's end
    #[arg(long, value_name = "TIME")]
    as_of: Option<When>,
    /// That were true then, replaced since or not; a moment, or a day's end
    #[arg(long, value_name = "TIME")]
    valid_at: Option<When>,
    /// Trusted at least so far: low, medium or high
    #[arg(long, value_name = "TRUST")]
    min_trust: Option<Trust>,
    /// From `conversation`, `tool_output`, `ai_inference`, `manual`, `knowledge_sync` or `import`
    #[arg(long, value_name = "TYPE")]
    source_type: Option<SourceType>,
    /// Not from this conversation
    #[arg(long, value_name = "NAME", value_parser = input::identifier)]
    exclude_session: Option<Identifier>,
    /// In this state: active, decayed, archived, superseded or pending; may be repeated, and is
    /// active if nothing is said
    #[arg(long = "state", value_name = "STATE")]
    states: Vec<State>,
    /// With this custom field; the value is JSON or text
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = field)]
    custom: Vec<(String, Value)>,
}

impl Filters {
    /// Returns whether nothing is narrowed down.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
            && self.tags.is_empty()
            && self.since.is_none()
            && self.until.is_none()
            && self.as_of.is_none()
            && self.valid_at.is_none()
            && self.min_trust.is_none()
            && self.source_type.is_none()
            && self.exclude_session.is_none()
            && self.states.is_empty()
            && self.custom.is_empty()
    }

    /// Returns the memories that are meant, in the scopes that the command reads from.
    pub fn selection(&self, app: &App) -> Result<Selection> {
        let from = self.since.map(|when| when.first(app.zone())).transpose()?;
        let last = |when: Option<When>| when.map(|when| when.last(app.zone())).transpose();
        let active = || Criteria::default().states;
        let criteria = Criteria {
            states: if self.states.is_empty() { active() } else { self.states.clone() },
            kinds: self.kinds.clone(),
            tags: self.tags.clone(),
            time: TimeRange { from, to: last(self.until)? },
            as_of: last(self.as_of)?,
            valid_at: last(self.valid_at)?,
            minimum_trust: self.min_trust.unwrap_or(Trust::Low),
            source_type: self.source_type,
            excluded_session: self.exclude_session.clone(),
            custom: self.custom()?,
            ..Criteria::default()
        };
        Ok(Selection { criteria, ..app.selection() })
    }

    fn custom(&self) -> Result<Map<String, Value>> {
        let mut fields = Map::new();
        for (name, value) in &self.custom {
            if fields.insert(name.clone(), value.clone()).is_some() {
                let message = format!("--where names {name:?} twice: a field has one value");
                return Err(Refusal::Usage(message).into());
            }
        }
        Ok(fields)
    }
}

/// Reads `key=value`.
fn field(raw: &str) -> Result<(String, Value), String> {
    let parts = raw.split_once('=').filter(|(key, _)| !key.is_empty());
    let (key, value) = parts.ok_or("give a name and a value, such as colour=red")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    Ok((key.to_owned(), value))
}
