//! What stands at the top of a file that we made: whose memories it has, in which state, and of when.
//!
//! It is brought up to date whenever the file is written anyway. Fields that people take out stay
//! out, and fields of files that others made are theirs.

use super::Layout;
use super::layout::is_list;
use crate::files::{Document, Form, Value};
use crate::model::{Memory, State, Timestamp};

const SCOPE: &str = "scope";
const STATUS: &str = "status";
const CREATED: &str = "created";
const UPDATED: &str = "updated";

/// When the first of some memories was learnt, and when the last of them changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl Span {
    /// Makes it longer by a memory.
    pub fn with(self, memory: &Memory) -> Self {
        self.from(memory.created_at).until(memory.updated_at)
    }

    /// Makes it longer by something that changes at a moment.
    pub fn until(self, moment: Timestamp) -> Self {
        let last = self.last.map_or(moment, |last| last.max(moment));
        Self { last: Some(last), ..self.from(moment) }
    }

    fn from(self, moment: Timestamp) -> Self {
        Self { first: Some(self.first.map_or(moment, |first| first.min(moment))), ..self }
    }
}

impl Layout {
    /// Returns a file as it is to be, with what stands at its top.
    pub fn headed(&self, path: &str, before: &Document, after: Document, span: Span) -> Document {
        let (Self::Scope(scope), Some(first), Some(last)) = (self, span.first, span.last) else {
            return after;
        };
        let same = after.as_str() == before.as_str();
        if same || after.form() == Form::Page || !is_list(path) {
            return after;
        }
        let scope = Value::Text(scope.to_string());
        let mut edit = after.edit();
        if before.as_str().is_empty() {
            edit.set(SCOPE, scope);
            edit.set(STATUS, Value::Text(State::Active.as_str().to_owned()));
            edit.set(CREATED, told(first));
            edit.set(UPDATED, told(last));
            return edit.finish();
        }
        let Some(fields) = after.front_matter().filter(|it| it.get(SCOPE) == Some(&scope)) else {
            return after;
        };
        let earlier = fields.get(UPDATED).and_then(|updated| match updated {
            Value::Text(text) => text.parse::<Timestamp>().ok(),
            Value::List(_) => None,
        });
        let Some(earlier) = earlier.filter(|earlier| *earlier < last) else { return after };
        if told(earlier) == told(last) {
            return after;
        }
        edit.set(UPDATED, told(last));
        edit.finish()
    }
}

fn told(moment: Timestamp) -> Value {
    Value::Text(moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
