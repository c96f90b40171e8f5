use std::cmp::Ordering;

use cofio::{Error, Result};
use serde_json::Value;

/// Every operator that a filter may have.
pub(super) const OPERATORS: &[&str] =
    &["eq", "ne", "in", "gt", "gte", "lt", "lte", "contains", "icontains"];

/// What must hold of one value, which is null where there is none.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// There is one.
    Present,
    /// It is this.
    Equals(Value),
    /// It is anything else, or there is none.
    Differs(Value),
    /// It is one of these.
    In(Vec<Value>),
    /// It compares with another in one of these ways.
    Compares(Value, &'static [Ordering]),
    /// It has this text in it, or in one of its parts.
    Contains(String),
    /// The same, whatever the case.
    ContainsInAnyCase(String),
}

impl Test {
    /// Reads an operator with what it takes.
    pub(super) fn read(operator: &str, value: &Value) -> Result<Self> {
        let compares = |ways| Ok(Self::Compares(value.clone(), ways));
        let text = || match value {
            Value::String(text) => Ok(text.clone()),
            _ => Err(Error::invalid(format!("{operator} takes a text"))),
        };
        match operator {
            "eq" if value == "*" => Ok(Self::Present),
            "eq" => Ok(Self::Equals(value.clone())),
            "ne" => Ok(Self::Differs(value.clone())),
            "in" => match value {
                Value::Array(values) => Ok(Self::In(values.clone())),
                _ => Err(Error::invalid("in takes a list")),
            },
            "gt" => compares(&[Ordering::Greater]),
            "gte" => compares(&[Ordering::Greater, Ordering::Equal]),
            "lt" => compares(&[Ordering::Less]),
            "lte" => compares(&[Ordering::Less, Ordering::Equal]),
            "contains" => Ok(Self::Contains(text()?)),
            "icontains" => Ok(Self::ContainsInAnyCase(text()?.to_lowercase())),
            _ => Err(unknown_operator(operator)),
        }
    }

    /// Returns whether it holds.
    pub(super) fn holds(&self, found: &Value) -> bool {
        match self {
            Self::Present => !found.is_null(),
            Self::Equals(wanted) => same(found, wanted),
            Self::Differs(unwanted) => !same(found, unwanted),
            Self::In(wanted) => wanted.iter().any(|wanted| same(found, wanted)),
            Self::Compares(other, ways) => {
                compare(found, other).is_some_and(|way| ways.contains(&way))
            }
            Self::Contains(part) => has_text(found, &|text| text.contains(part)),
            Self::ContainsInAnyCase(part) => {
                has_text(found, &|text| text.to_lowercase().contains(part))
            }
        }
    }

    /// Returns whether it holds of one of several values, or of none where it asks for that.
    pub(super) fn holds_of_any(&self, found: &[String]) -> bool {
        match self {
            Self::Differs(unwanted) => !Self::Equals(unwanted.clone()).holds_of_any(found),
            Self::Equals(Value::Null) => found.is_empty(),
            test => found.iter().any(|one| test.holds(&Value::from(one.as_str()))),
        }
    }
}

/// Returns the error for an operator that there is not.
pub(super) fn unknown_operator(operator: &str) -> Error {
    let shown: String = operator.chars().take(40).collect();
    let known = OPERATORS.join(", ");
    Error::invalid(format!("unknown operator {shown:?} in a filter; known: {known}, and \"*\""))
}

/// Returns whether two values are the same, whichever way a number is written.
fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other) == Ordering::Equal,
        _ => one == other,
    }
}

/// Compares numbers with numbers and texts with texts.
fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64()?.partial_cmp(&other.as_f64()?),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

fn has_text(found: &Value, has: &dyn Fn(&str) -> bool) -> bool {
    match found {
        Value::String(text) => has(text),
        Value::Array(parts) => parts.iter().any(|part| part.as_str().is_some_and(has)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(found: &Value, operator: &str, value: &Value, expected: bool) {
        let test = Test::read(operator, value).unwrap();
        assert_eq!(test.holds(found), expected, "{found} {operator} {value}");
    }

    #[test]
    fn values_are_compared_with_their_like() {
        check(&json!(3), "eq", &json!(3.0), true);
        check(&json!(3), "gt", &json!(2), true);
        check(&json!(3), "gte", &json!(3), true);
        check(&json!(3), "lt", &json!(3), false);
        check(&json!("3"), "gt", &json!(2), false);
        check(&json!("b"), "lte", &json!("c"), true);
        check(&json!(true), "eq", &json!(true), true);
    }

    #[test]
    fn what_is_not_there_equals_nothing_and_differs_from_everything() {
        check(&Value::Null, "eq", &json!("*"), false);
        check(&json!("x"), "eq", &json!("*"), true);
        check(&Value::Null, "ne", &json!("x"), true);
        check(&Value::Null, "in", &json!(["x"]), false);
        check(&Value::Null, "gte", &json!(0), false);
        check(&Value::Null, "eq", &Value::Null, true);
    }

    #[test]
    fn parts_are_found_in_texts_and_lists() {
        check(&json!("Invoice 7"), "contains", &json!("voice"), true);
        check(&json!("Invoice 7"), "contains", &json!("invoice"), false);
        check(&json!("Invoice 7"), "icontains", &json!("INVOICE"), true);
        check(&json!(["a.rs", "b.rs"]), "contains", &json!("b."), true);
        check(&json!(7), "contains", &json!("7"), false);
    }

    #[test]
    fn an_operator_that_takes_something_else_is_an_error() {
        for (operator, value) in [("in", json!("x")), ("contains", json!(3)), ("near", json!(1))] {
            assert!(Test::read(operator, &value).is_err(), "{operator}");
        }
    }
}
