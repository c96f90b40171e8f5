//! Which file a memory stands in, if nobody has put it into another, and what a new line in a file is.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use crate::model::{Kind, Memory, Timestamp};

/// The folder of what happened, a file for each day.
const DAILY: &str = "daily/";

/// Where a memory is put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The file.
    pub path: String,
    /// The headings in it, the topmost first.
    pub titles: Vec<String>,
}

impl Section {
    /// Returns where a memory is put that stands nowhere yet.
    pub fn of(memory: &Memory, zone: &TimeZone) -> Self {
        let (path, title) = match memory.kind {
            Kind::Episode => return Self::of_day(memory.event_at, zone),
            Kind::Fact => ("facts.md", "Facts"),
            Kind::Procedure => ("procedures.md", "Procedures"),
            Kind::Reflection => ("reflections.md", "Reflections"),
            Kind::Context | Kind::Working => ("context.md", "Context"),
        };
        Self { path: path.to_owned(), titles: vec![title.to_owned()] }
    }

    fn of_day(at: Timestamp, zone: &TimeZone) -> Self {
        let at = at.to_zoned(zone.clone());
        let (date, time) = (at.date(), format!("{:02}:{:02}", at.hour(), at.minute()));
        Self { path: format!("{DAILY}{date}.md"), titles: vec![date.to_string(), time] }
    }
}

/// Returns what a new entry is that somebody wrote into a file, and when it happened if that is told.
pub fn written(path: &str, titles: &[String], zone: &TimeZone) -> (Kind, Option<Timestamp>) {
    let Some(day) = day(path) else {
        let kind = if path == "reflections.md" { Kind::Reflection } else { Kind::Fact };
        return (kind, None);
    };
    let time = titles.last().and_then(|title| title.parse::<Time>().ok()).unwrap_or_default();
    let at = day.to_datetime(time).to_zoned(zone.clone());
    (Kind::Episode, at.ok().map(|at| at.timestamp()))
}

fn day(path: &str) -> Option<Date> {
    let name = path.strip_prefix(DAILY)?.strip_suffix(".md")?;
    name.parse().ok()
}
