//! Filters in SQL: every value is a parameter, never part of the text.

use cofio::model::{Criteria, Filter, State};
use cofio::text::fold;

use super::labels;
use super::plain::plain;
use super::session::Sql;

/// Adds the condition on a memory `m` for everything in a filter except its scopes.
///
/// As of an earlier moment, only memories meet it that have not been changed since; the others are
/// those of [`super::earlier`].
pub(super) fn condition(filter: &Filter, sql: &mut Sql) {
    let criteria = &filter.criteria;
    let states: Vec<&'static str> = criteria.states_meant().map(State::as_str).collect();
    and(sql, "m.state = ANY (?)", states);
    let moment = criteria.as_of.map_or(filter.now, |moment| moment.max(filter.now));
    and(sql, "(m.expires_at IS NULL OR m.expires_at > ?)", moment.as_microsecond());
    if !criteria.kinds.is_empty() {
        let kinds: Vec<&'static str> = criteria.kinds.iter().map(|kind| kind.as_str()).collect();
        and(sql, "m.kind = ANY (?)", kinds);
    }
    if criteria.minimum_trust as i16 > 0 {
        and(sql, "m.trust >= ?", criteria.minimum_trust as i16);
    }
    if let Some(from) = criteria.time.from {
        and(sql, "m.event_at >= ?", from.as_microsecond());
    }
    if let Some(to) = criteria.time.to {
        and(sql, "m.event_at <= ?", to.as_microsecond());
    }
    if let Some(from) = criteria.learnt_from {
        and(sql, "m.created_at >= ?", from.as_microsecond());
    }
    if let Some(by) = criteria.learnt_by {
        and(sql, "m.created_at <= ?", by.as_microsecond());
    }
    if let Some(session) = &criteria.excluded_session {
        and(sql, "m.session IS DISTINCT FROM ?", session.to_string());
    }
    if let Some(key) = &criteria.key {
        let key = plain(key).into_owned();
        and(sql, "m.key_hash = hashtextextended(?, 0)", key.clone());
        and(sql, "m.key = ?", key);
    }
    if let Some(prefix) = &criteria.key_prefix {
        and(sql, "starts_with(m.key, ?)", plain(prefix).into_owned());
    }
    moments(criteria, sql);
    triple(criteria, sql);
    let wanted = labels::wanted(criteria);
    if !wanted.all.is_empty() {
        and(sql, "m.labels ?& $", wanted.all);
    }
    if !wanted.any.is_empty() {
        and(sql, "m.labels ?| $", wanted.any);
    }
    if !wanted.none.is_empty() {
        and(sql, "NOT m.labels ?| $", wanted.none);
    }
}

fn moments(criteria: &Criteria, sql: &mut Sql) {
    if let Some(moment) = criteria.as_of {
        and(sql, "m.created_at <= ?", moment.as_microsecond());
        and(sql, "m.written_at <= ?", moment.as_microsecond());
    }
    if let Some(moment) = criteria.valid_at {
        and(sql, "m.event_at <= ?", moment.as_microsecond());
        and(sql, "(m.valid_until IS NULL OR m.valid_until > ?)", moment.as_microsecond());
    }
}

fn triple(criteria: &Criteria, sql: &mut Sql) {
    let parts = [
        ("fact_type", &criteria.triple.fact_type),
        ("subject", &criteria.triple.subject),
        ("predicate", &criteria.triple.predicate),
        ("object", &criteria.triple.object),
    ];
    for (column, part) in parts {
        let Some(part) = part else { continue };
        let part = plain(&fold(part)).into_owned();
        // No index has the object.
        if column != "object" {
            and(sql, &format!("m.{column}_hash = hashtextextended(?, 0)"), part.clone());
        }
        and(sql, &format!("m.{column} = ?"), part);
    }
}

/// Adds a condition; its value stands where the first question mark is, or the dollar sign where
/// operators have question marks of their own.
fn and(
    sql: &mut Sql,
    condition: &str,
    value: impl tokio_postgres::types::ToSql + Sync + Send + 'static,
) {
    let parameter = sql.bind(value);
    let mark = if condition.contains('$') { '$' } else { '?' };
    sql.push(" AND ");
    sql.push(&condition.replacen(mark, &parameter, 1));
}
