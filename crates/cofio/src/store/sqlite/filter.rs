//! Filters and access in SQL: every value is a parameter, never part of the text.

use rusqlite::types::Value as Sql;
use serde_json::Value;

use crate::model::{Access, Criteria, Filter, Grant, Kind, Layer, State, TriplePattern};
use crate::text::fold;

/// A condition and the values for its question marks, in order.
#[derive(Debug, Default)]
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) values: Vec<Sql>,
    /// Whether the few memories that meet it are looked up, not picked out of those of a scope.
    narrow: bool,
}

impl Condition {
    pub(super) fn always() -> Self {
        Self { sql: "true".to_owned(), ..Self::default() }
    }

    /// Returns how a memory `m` is said to be of a scope.
    pub(super) fn scope(&self) -> &'static str {
        // The sign keeps it from choosing an index.
        if self.narrow { "+m.scope = ?" } else { "m.scope = ?" }
    }

    pub(super) fn and(&mut self, sql: &str, values: impl IntoIterator<Item = Sql>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(sql);
        self.values.extend(values);
    }
}

/// Returns the condition on a memory `m` for everything in a filter except its scopes.
///
/// As of an earlier moment, only memories meet it that have not been changed since; the others are
/// those of [`super::earlier`].
pub(super) fn condition(filter: &Filter) -> Condition {
    let mut all = Condition::always();
    let text = |text: &str| Sql::from(text.to_owned());
    let criteria = &filter.criteria;
    let states: Vec<State> = criteria.states_meant().collect();
    all.and(
        "m.state IN (SELECT value FROM json_each(?))",
        [names(&states, |state| state.as_str())],
    );
    let moment = criteria.as_of.map_or(filter.now, |moment| moment.max(filter.now));
    all.and("(m.expires_at IS NULL OR m.expires_at > ?)", [moment.as_microsecond().into()]);
    if !criteria.kinds.is_empty() {
        all.and(
            "m.kind IN (SELECT value FROM json_each(?))",
            [names(&criteria.kinds, |kind| kind.as_str())],
        );
    }
    if criteria.minimum_trust as i64 > 0 {
        all.and("m.trust >= ?", [(criteria.minimum_trust as i64).into()]);
    }
    if let Some(from) = criteria.time.from {
        all.and("m.event_at >= ?", [from.as_microsecond().into()]);
    }
    if let Some(to) = criteria.time.to {
        all.and("m.event_at <= ?", [to.as_microsecond().into()]);
    }
    if let Some(from) = criteria.learnt_from {
        all.and("m.created_at >= ?", [from.as_microsecond().into()]);
    }
    if let Some(by) = criteria.learnt_by {
        // Nearly everything was learnt by then: the sign keeps this from choosing the index.
        all.and("+m.created_at <= ?", [by.as_microsecond().into()]);
    }
    if let Some(session) = &criteria.excluded_session {
        all.and("m.session IS NOT ?", [text(session.as_str())]);
    }
    if let Some(key) = &criteria.key {
        all.and("m.key = ?", [text(key)]);
    }
    if let Some(prefix) = &criteria.key_prefix {
        all.and("m.key >= ?", [text(prefix)]);
        if let Some(end) = after_prefix(prefix) {
            all.and("m.key < ?", [text(&end)]);
        }
    }
    moments(criteria, &mut all);
    metadata(criteria, &mut all);
    triple(filter, &mut all);
    indexed(criteria, &mut all);
    all
}

/// Returns the first text after all that begin with a prefix, if any is.
fn after_prefix(prefix: &str) -> Option<String> {
    let following = |last: char| (last..=char::MAX).nth(1);
    let (place, next) = prefix
        .char_indices()
        .rev()
        .find_map(|(place, last)| following(last).map(|next| (place, next)))?;
    Some(format!("{}{next}", &prefix[..place]))
}

/// Says again, in the words of an index of few memories, what the condition says already.
fn indexed(criteria: &Criteria, all: &mut Condition) {
    if criteria.kinds == [Kind::Reflection] {
        all.and("m.kind = 'reflection'", []);
    }
    if criteria.custom.get("category").is_some_and(|category| category == "user_profile") {
        all.and(
            "iif(json_valid(m.document), json_extract(m.document, '$.metadata.custom.category'), NULL)
             = 'user_profile'",
            [],
        );
    }
}

fn moments(criteria: &Criteria, all: &mut Condition) {
    if let Some(moment) = criteria.as_of {
        let moment = Sql::from(moment.as_microsecond());
        all.and("m.created_at <= ?", [moment.clone()]);
        all.and("(m.version = 1 OR json_extract(m.document, '$.updated_at') <= ?)", [moment]);
    }
    if let Some(moment) = criteria.valid_at {
        let moment = Sql::from(moment.as_microsecond());
        all.and("m.event_at <= ?", [moment.clone()]);
        all.and("ifnull(json_extract(m.document, '$.valid_until') > ?, true)", [moment]);
    }
}

fn metadata(criteria: &Criteria, all: &mut Condition) {
    if !criteria.tags.is_empty() {
        all.and(
            "EXISTS (SELECT 1 FROM json_each(m.document, '$.metadata.tags') AS tag
                     WHERE tag.value IN (SELECT value FROM json_each(?)))",
            [names(&criteria.tags, String::as_str)],
        );
    }
    if let Some(source_type) = criteria.source_type {
        let name = source_type.as_str().to_owned();
        all.and("json_extract(m.document, '$.source.type') = ?", [name.into()]);
    }
    if let Some(author) = &criteria.author {
        all.and("json_extract(m.document, '$.metadata.author') = ?", [author.clone().into()]);
    }
    if let Some(policy) = criteria.access_policy {
        let name = policy.as_str().to_owned();
        all.and("json_extract(m.document, '$.access_policy') = ?", [name.into()]);
    }
    if let Some(origin) = &criteria.origin {
        all.and(
            "? IN (json_extract(m.document, '$.source.reference'),
                   json_extract(m.document, '$.source.tool'),
                   json_extract(m.document, '$.source.session'))",
            [origin.clone().into()],
        );
    }
    if let Some(has_pointer) = criteria.has_knowledge_pointer {
        all.and(
            "(json_type(m.document, '$.metadata.knowledge') IS NOT NULL) = ?",
            [has_pointer.into()],
        );
    }
    for (name, value) in &criteria.custom {
        let (json_type, value) = comparable(value);
        all.and(
            "EXISTS (SELECT 1 FROM json_each(m.document, '$.metadata.custom') AS field
                     WHERE field.key = ? AND field.type = ? AND field.value IS ?)",
            [name.clone().into(), json_type.to_owned().into(), value],
        );
    }
}

fn triple(filter: &Filter, all: &mut Condition) {
    let TriplePattern { fact_type, subject, predicate, object } = &filter.criteria.triple;
    let parts = [
        ("fact_type", fact_type),
        ("subject", subject),
        ("predicate", predicate),
        ("object", object),
    ];
    let given: Vec<_> =
        parts.iter().filter_map(|(column, part)| Some((column, part.as_ref()?))).collect();
    if given.is_empty() {
        return;
    }
    let tests: Vec<String> = given.iter().map(|(column, _)| format!("{column} = ?")).collect();
    // Nothing in it is of `m`: it is looked up once, not for every memory.
    let sql = format!(
        "m.memory IN (SELECT memory FROM triples
                      WHERE scope IN (SELECT scope FROM scopes
                                      WHERE text IN (SELECT value FROM json_each(?)))
                        AND {})",
        tests.join(" AND ")
    );
    let scopes: Vec<String> = filter.scopes.iter().map(ToString::to_string).collect();
    let parts = given.iter().map(|(_, part)| fold(part).into());
    all.and(&sql, [names(&scopes, String::as_str)].into_iter().chain(parts));
    all.narrow = subject.is_some();
}

/// Returns how SQLite's JSON functions see a value.
fn comparable(value: &Value) -> (&'static str, Sql) {
    match value {
        Value::Null => ("null", Sql::Null),
        Value::Bool(true) => ("true", 1.into()),
        Value::Bool(false) => ("false", 0.into()),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => ("integer", integer.into()),
            None => ("real", number.as_f64().unwrap_or(f64::NAN).into()),
        },
        Value::String(text) => ("text", text.clone().into()),
        Value::Array(_) => ("array", value.to_string().into()),
        Value::Object(_) => ("object", value.to_string().into()),
    }
}

/// Returns the condition on a scope `s` that access opens it.
pub(super) fn access(access: &Access) -> Condition {
    let mut all = Condition::always();
    for &layer in Layer::ALL {
        if let Grant::Only(open) = access.grant(layer) {
            let sql =
                format!("(s.{layer} IS NULL OR s.{layer} IN (SELECT value FROM json_each(?)))");
            all.and(&sql, [names(open, |identifier| identifier.as_str())]);
        }
    }
    all
}

/// Writes a list as one JSON parameter.
pub(super) fn names<'a, T: 'a>(
    values: impl IntoIterator<Item = &'a T>,
    name: impl Fn(&'a T) -> &'a str,
) -> Sql {
    let list: Vec<&str> = values.into_iter().map(name).collect();
    Sql::from(Value::from(list).to_string())
}
