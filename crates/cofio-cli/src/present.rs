//! How memories look to people.

use std::fmt::Write as _;

use cofio::ingest::Redaction;
use cofio::model::{Memory, Metadata, Source};
use cofio::wire::RedactionOutput;
use jiff::tz::TimeZone;

use crate::output::Page;
use crate::when;

/// How many characters of a text stand in a list.
const SHOWN_CHARS: usize = 300;

/// Shows a memory among others: the beginning of its text, and what tells it apart.
pub fn brief(page: &mut Page, memory: &Memory, zone: &TimeZone) {
    page.line(beginning(memory.content.as_str()));
    let tags = memory.metadata.tags.iter().map(|tag| format!("#{tag}"));
    let mut parts =
        vec![memory.id.to_string(), memory.scope.to_string(), when::shown(memory.event_at, zone)];
    parts.extend(tags);
    page.aside(parts.join(" · "));
}

/// Shows a memory alone, with everything known about it.
pub fn whole(page: &mut Page, memory: &Memory, zone: &TimeZone) {
    page.line(memory.content.as_str());
    page.gap();
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            page.aside(format!("{name:<12} {value}"));
        }
    };
    let moment = |moment| when::shown(moment, zone);
    row("id", Some(memory.id.to_string()));
    row("scope", Some(memory.scope.to_string()));
    row("kind", Some(format!("{}, {}", memory.kind, memory.state)));
    row("key", memory.key.clone());
    row("fact", memory.triple.as_ref().map(statement));
    metadata(&memory.metadata, &mut row);
    row("source", Some(source(&memory.source)));
    row("happened", Some(moment(memory.event_at)));
    row("learnt", Some(moment(memory.created_at)));
    row("changed", (memory.version > 1).then(|| moment(memory.updated_at)));
    row("ends", memory.expires_at.map(moment));
    row("replaces", memory.provenance.supersedes.as_ref().map(ToString::to_string));
    row("replaced by", memory.provenance.superseded_by.as_ref().map(ToString::to_string));
    row("names", Some(names(memory)));
    row("read", Some(format!("{} times", memory.accesses.count)));
    row("version", Some(memory.version.to_string()));
}

/// Says what was taken out of a text before it was kept.
pub fn redactions(page: &mut Page, redactions: &[Redaction]) {
    for redaction in redactions.iter().map(RedactionOutput::from) {
        page.line(format!("took out a secret: {} ({})", redaction.class, redaction.level));
    }
}

/// Returns the beginning of a text on one line.
pub fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns a statement in three parts, with its type.
pub fn statement(triple: &cofio::model::Triple) -> String {
    format!("{} {} {} ({})", triple.subject, triple.predicate, triple.object, triple.fact_type)
}

/// Returns a number with its noun.
pub fn count(number: impl Into<u64>, one: &str, many: &str) -> String {
    match number.into() {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

/// Returns a share from 0 to 1 as people say it.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// Returns how many memories there are.
pub fn memories(number: usize) -> String {
    count(number as u64, "memory", "memories")
}

fn metadata(metadata: &Metadata, row: &mut impl FnMut(&str, Option<String>)) {
    row("title", metadata.title.clone());
    row("description", metadata.description.clone());
    row("tags", Some(metadata.tags.join(", ")));
    row("language", metadata.language.clone());
    row("author", metadata.author.clone());
    row("confidence", metadata.confidence.map(|fraction| fraction.get().to_string()));
    row("importance", metadata.importance.map(|fraction| fraction.get().to_string()));
    let custom = &metadata.custom;
    row(
        "custom",
        (!custom.is_empty()).then(|| serde_json::Value::from(custom.clone()).to_string()),
    );
}

fn source(source: &Source) -> String {
    let mut text = format!("{}, trust {}", source.source_type, source.trust());
    let session = source.session.as_ref().map(ToString::to_string);
    let parts = [
        ("session", &session),
        ("role", &source.role),
        ("tool", &source.tool),
        ("message", &source.message),
        ("reference", &source.reference),
    ];
    for (name, value) in parts {
        if let Some(value) = value {
            let _ = write!(text, ", {name} {value}");
        }
    }
    text
}

fn names(memory: &Memory) -> String {
    let aliases: Vec<&str> = memory.entities.iter().map(|mention| mention.alias.as_str()).collect();
    aliases.join(", ")
}
