//! The fields between two rules at the top of a file.
//!
//! A subset of YAML, read and written by hand: `name: value` at the margin, where the value is a
//! text or a list of texts, quoted or not. Whatever else YAML can say is no value here, and stays as
//! it is written.

use std::fmt::Write as _;

use super::document::Document;
use super::lines::{is_blank, is_space, line_at};

/// What a field says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, as dates and numbers are too.
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

/// The fields at the top of a file.
#[derive(Debug, Clone)]
pub struct FrontMatter<'a> {
    fields: Vec<Field<'a>>,
}

/// A field, as it is written.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    /// Where its lines begin and end.
    start: usize,
    end: usize,
    /// What it says, if that is understood.
    pub(super) value: Option<Value>,
    /// What is written behind its name, without the spaces around it.
    pub(super) rest: &'a str,
    /// What is written on the lines beneath it, likewise.
    pub(super) below: Vec<&'a str>,
}

impl<'a> FrontMatter<'a> {
    pub(super) fn new(raw: &'a str) -> Self {
        Self { fields: fields(raw) }
    }

    /// Returns the value of a field; none if it is not there, or says what is not understood.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.iter().find(|one| one.name == field)?.value.as_ref()
    }

    /// Returns the names of all fields.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.fields.iter().map(|field| field.name)
    }

    /// Returns all fields as they are written, in their order.
    pub(super) fn fields(&self) -> &[Field<'a>] {
        &self.fields
    }

    /// Returns a text with some fields set at its top.
    pub(super) fn set(text: &str, values: &[(String, Value)], line_end: &str) -> String {
        let document = Document::parse(text);
        let (mark, rest) = text.split_at(if text.starts_with('\u{feff}') { 3 } else { 0 });
        let Some(length) = document.front_matter_length() else {
            let fields: String =
                values.iter().map(|(name, value)| written(name, value, false, line_end)).collect();
            let apart = line_at(rest, 0).is_some_and(|line| !is_blank(line.text));
            let apart = if apart { line_end } else { "" };
            return format!("{mark}---{line_end}{fields}---{line_end}{apart}{rest}");
        };
        let mut raw = rest[..length].to_owned();
        for (name, value) in values {
            raw = with(&raw, name, value, line_end);
        }
        format!("{mark}{raw}{}", &rest[length..])
    }
}

/// Returns fields with one of them set.
fn with(raw: &str, name: &str, value: &Value, line_end: &str) -> String {
    let fields = fields(raw);
    if let Some(field) = fields.iter().find(|field| field.name == name) {
        let line = written(name, value, !field.below.is_empty(), line_end);
        return format!("{}{line}{}", &raw[..field.start], &raw[field.end..]);
    }
    let closing = raw.trim_end_matches(['\n', '\r']).rfind('\n').map_or(raw.len(), |at| at + 1);
    format!("{}{}{}", &raw[..closing], written(name, value, false, line_end), &raw[closing..])
}

/// Returns the fields of what stands between two rules, the rules among it.
fn fields(raw: &str) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    let mut at = line_at(raw, 0).map_or(0, |line| line.end);
    while let Some(line) = line_at(raw, at) {
        let start = at;
        at = line.end;
        let Some((name, rest)) = named(line.text) else { continue };
        let mut below = Vec::new();
        let mut end = line.end;
        while let Some(line) = line_at(raw, at).filter(|line| is_beneath(line.text)) {
            at = line.end;
            if !is_blank(line.text) {
                below.push(line.text.trim_matches(is_space));
                end = at;
            }
        }
        let rest = rest.trim_matches(is_space);
        fields.push(Field { name, start, end, value: value(rest, &below), rest, below });
    }
    fields
}

/// Separates the name of a field from what it says.
fn named(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let plain =
        !name.is_empty() && !name.starts_with([' ', '\t', '#', '-', '"', '\'', '{', '[', '?']);
    (plain && (rest.is_empty() || rest.starts_with(is_space))).then(|| (name.trim_end(), rest))
}

/// Returns whether a line belongs to the field above it.
fn is_beneath(line: &str) -> bool {
    is_blank(line) || line.starts_with([' ', '\t']) || line == "-" || line.starts_with("- ")
}

fn value(rest: &str, below: &[&str]) -> Option<Value> {
    match (uncommented(rest).is_empty(), below.is_empty()) {
        (true, true) => Some(Value::Text(String::new())),
        (true, false) => {
            below.iter().map(|line| item(line)).collect::<Option<_>>().map(Value::List)
        }
        (false, false) => None,
        (false, true) if rest.starts_with('[') => list(&rest[1..]).map(Value::List),
        (false, true) => scalar(rest).map(Value::Text),
    }
}

/// Reads a line of a list.
fn item(line: &str) -> Option<String> {
    let rest = line.strip_prefix('-')?;
    let spaced = rest.is_empty() || rest.starts_with(is_space);
    spaced.then(|| scalar(rest.trim_start_matches(is_space)))?
}

/// Reads a list behind its opening bracket.
fn list(mut rest: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_space);
        if let Some(behind) = rest.strip_prefix(']') {
            return uncommented(behind.trim_start_matches(is_space)).is_empty().then_some(items);
        }
        let (item, behind) = match rest.chars().next()? {
            '"' => double_quoted(&rest[1..])?,
            '\'' => single_quoted(&rest[1..])?,
            '[' | '{' | '&' | '*' | '!' | '|' | '>' | '#' | ',' => return None,
            _ => {
                let end = rest.find([',', ']'])?;
                (rest[..end].trim_end_matches(is_space).to_owned(), &rest[end..])
            }
        };
        items.push(item);
        rest = behind.trim_start_matches(is_space);
        rest = match rest.strip_prefix(',') {
            Some(behind) => behind,
            None => rest.starts_with(']').then_some(rest)?,
        };
    }
}

/// Reads a text on a line of its own.
fn scalar(rest: &str) -> Option<String> {
    let (text, behind) = match rest.chars().next() {
        Some('"') => double_quoted(&rest[1..])?,
        Some('\'') => single_quoted(&rest[1..])?,
        Some('|' | '>' | '{' | '[' | '&' | '*' | '!' | '%' | '@' | '`') => return None,
        _ => {
            let plain = uncommented(rest);
            return (!plain.contains(": ") && !plain.ends_with(':')).then(|| plain.to_owned());
        }
    };
    uncommented(behind.trim_start_matches(is_space)).is_empty().then_some(text)
}

/// Returns what stands before a comment.
fn uncommented(text: &str) -> &str {
    let end = if text.starts_with('#') { Some(0) } else { text.find(" #") };
    end.map_or(text, |end| &text[..end]).trim_end_matches(is_space)
}

fn single_quoted(rest: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut rest = rest;
    loop {
        let (piece, behind) = rest.split_once('\'')?;
        text.push_str(piece);
        match behind.strip_prefix('\'') {
            Some(behind) => (text, rest) = (text + "'", behind),
            None => return Some((text, behind)),
        }
    }
}

fn double_quoted(rest: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some((text, chars.as_str())),
            '\\' => text.push(match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let digits = chars.as_str().get(..4)?;
                    chars = chars.as_str()[4..].chars();
                    char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                }
                c @ ('"' | '\\' | '/') => c,
                _ => return None,
            }),
            c => text.push(c),
        }
    }
}

/// Writes a field.
fn written(name: &str, value: &Value, lines: bool, line_end: &str) -> String {
    match value {
        Value::Text(text) if text.is_empty() => format!("{name}: \"\"{line_end}"),
        Value::Text(text) => format!("{name}: {}{line_end}", written_text(text)),
        Value::List(items) if lines && !items.is_empty() => {
            let items = items.iter().map(|item| format!("  - {}{line_end}", written_text(item)));
            format!("{name}:{line_end}{}", items.collect::<String>())
        }
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| written_text(item)).collect();
            format!("{name}: [{}]{line_end}", items.join(", "))
        }
    }
}

/// Writes a text, between quotes if it would be read as something else without them.
fn written_text(text: &str) -> String {
    const OTHERWISE: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "~"];
    let odd =
        |c: char| c.is_control() || "\"'\\,[]{}#&*!|>%@`\u{feff}\u{85}\u{2028}\u{2029}".contains(c);
    let quoted = text.is_empty()
        || text.trim() != text
        || text.starts_with(['-', '?', ':', '~'])
        || text.contains(odd)
        || text.contains(": ")
        || text.ends_with(':')
        || OTHERWISE.iter().any(|word| text.eq_ignore_ascii_case(word));
    if !quoted {
        return text.to_owned();
    }
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if odd(c) && (c.is_control() || !c.is_ascii()) => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
