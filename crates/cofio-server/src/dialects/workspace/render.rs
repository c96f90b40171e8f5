//! How a workspace reads as markdown. Pure: memories in, a text out.

use std::collections::BTreeMap;

use cofio::model::Memory;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::topic::Topic;

/// What stands between sections.
const BETWEEN: &str = "\n\n---\n\n";

/// Returns everything in sections; those with nothing in them are left out.
pub(super) fn everything(
    world: &[Memory],
    memory: Option<&Memory>,
    log: &[Memory],
    zone: &TimeZone,
) -> String {
    let sections = [
        ("World Knowledge", topics(world)),
        (
            "Your Memory",
            memory.map(|memory| memory.content.as_str().to_owned()).unwrap_or_default(),
        ),
        ("Recent Experiences", days(log, zone).join(BETWEEN)),
    ];
    let full = sections.iter().filter(|(_, text)| !text.is_empty());
    let shown: Vec<String> = full.map(|(name, text)| format!("# {name}\n\n{text}")).collect();
    if shown.is_empty() { "No memories found".to_owned() } else { shown.join(BETWEEN) }
}

/// Returns an agent's own memory.
pub(super) fn current(memory: Option<&Memory>) -> String {
    match memory {
        Some(memory) => format!("Current MEMORY.md:\n\n{}", memory.content.as_str()),
        None => "MEMORY.md is empty: call reflect with content to write it.".to_owned(),
    }
}

/// Returns what was found, each under the file that it stands in.
pub(super) fn found(found: &[(String, String)]) -> String {
    if found.is_empty() {
        return "Nothing was found".to_owned();
    }
    let shown = found.iter().map(|(file, text)| format!("## {file}\n\n{text}"));
    shown.collect::<Vec<_>>().join(BETWEEN)
}

/// Returns what is known of the world, by topic.
fn topics(world: &[Memory]) -> String {
    let topic = |memory: &Memory| {
        let file = memory.key.as_deref()?;
        Some((Topic::of_file(file).to_owned(), memory.content.as_str().to_owned()))
    };
    let mut topics: Vec<(String, String)> = world.iter().filter_map(topic).collect();
    topics.sort();
    let shown = topics.into_iter().map(|(name, text)| format!("## {name}\n\n{text}"));
    shown.collect::<Vec<_>>().join("\n\n")
}

/// Returns the log of each day, the latest first; the entries of a day are in their order.
fn days(log: &[Memory], zone: &TimeZone) -> Vec<String> {
    let mut days: BTreeMap<Date, Vec<String>> = BTreeMap::new();
    for entry in log {
        let at = entry.event_at.to_zoned(zone.clone());
        let day = days.entry(at.date()).or_insert_with(|| vec![format!("# {}\n", at.date())]);
        let (hour, minute, said) = (at.hour(), at.minute(), entry.content.as_str());
        day.push(format!("\n## {hour:02}:{minute:02}\n\n{said}\n"));
    }
    days.into_values().rev().map(|day| day.concat()).collect()
}
