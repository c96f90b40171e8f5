//! The fields at the top of a file, as people and language models write them.
//!
//! More is understood than [`FrontMatter`](crate::files::FrontMatter) does, as nothing is written back: texts with a colon in
//! them, texts over several lines, and one field within another, which is called `outer.inner`.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::files::front_matter::Field;
use crate::files::{Document, Value};
use crate::model::Timestamp;

/// Fields with their names in lower case.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(Vec<(String, Value)>);

impl Fields {
    /// Returns the fields of a file.
    pub(super) fn of(document: &Document) -> Self {
        let mut fields = Vec::new();
        if let Some(matter) = document.front_matter() {
            for field in matter.fields() {
                read(field, &mut fields);
            }
        }
        Self(fields)
    }

    /// Returns the first of some fields that says something, as one text.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        let mut said = names.iter().filter_map(|name| self.get(name)).map(|value| match value {
            Value::Text(text) => text.trim().to_owned(),
            Value::List(items) => items.join(", "),
        });
        said.find(|text| !text.is_empty())
    }

    /// Returns everything that some fields list, also those that list it in one text.
    pub(super) fn list(&self, names: &[&str], separators: &[char]) -> Vec<String> {
        let values = names.iter().filter_map(|name| self.get(name));
        let items = values.flat_map(|value| match value {
            Value::Text(text) => text.split(separators).map(str::to_owned).collect(),
            Value::List(items) => items.clone(),
        });
        let items = items.map(|item| item.trim().to_owned());
        items.filter(|item| !item.is_empty()).collect()
    }

    /// Returns the first of some fields that is a day or a moment.
    pub(super) fn moment(&self, names: &[&str], zone: &TimeZone) -> Option<Timestamp> {
        names.iter().find_map(|name| moment(&self.text(&[name])?, zone))
    }

    /// Returns the fields that say something and are not among some.
    pub(super) fn others(&self, known: &[&str]) -> Vec<(String, Value)> {
        let says = |value: &Value| match value {
            Value::Text(text) => !text.trim().is_empty(),
            Value::List(items) => !items.is_empty(),
        };
        let other = |name: &str| !known.contains(&name.split('.').next().unwrap_or(name));
        self.0.iter().filter(|(name, value)| other(name) && says(value)).cloned().collect()
    }

    /// Returns whether there is a field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Reads a field; of what is not understood, only that stays away which is neither a text nor
/// fields.
fn read(field: &Field<'_>, fields: &mut Vec<(String, Value)>) {
    let name = field.name.to_lowercase();
    if let Some(value) = &field.value {
        fields.push((name, value.clone()));
        return;
    }
    match field.rest.trim_end_matches(['-', '+']) {
        "" => fields.extend(field.below.iter().filter_map(|line| inner(&name, line))),
        "|" => fields.push((name, Value::Text(field.below.join("\n")))),
        ">" => fields.push((name, Value::Text(field.below.join(" ")))),
        rest if rest.starts_with('{') => {}
        _ => {
            let lines: Vec<&str> = [field.rest].iter().chain(&field.below).copied().collect();
            fields.push((name, Value::Text(unquoted(&lines.join(" ")).to_owned())));
        }
    }
}

/// Reads a field within another.
fn inner(outer: &str, line: &str) -> Option<(String, Value)> {
    let (name, value) = line.split_once(": ")?;
    let value = Value::Text(unquoted(value.trim()).to_owned());
    (!name.starts_with('-')).then(|| (format!("{outer}.{}", name.trim().to_lowercase()), value))
}

fn unquoted(text: &str) -> &str {
    let between = |sign| text.strip_prefix(sign).and_then(|text| text.strip_suffix(sign));
    between('"').or_else(|| between('\'')).unwrap_or(text)
}

/// Reads a day or a moment, which may stand between the brackets of a link.
fn moment(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim_start_matches("[[").trim_end_matches("]]").trim();
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    let local: DateTime = text.parse().ok()?;
    Some(local.to_zoned(zone.clone()).ok()?.timestamp())
}
