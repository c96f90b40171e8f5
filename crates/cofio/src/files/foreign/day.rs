//! The day that a file is about, if its name tells one.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use crate::model::Timestamp;

/// Returns the day of a file that is called after it: `2026-03-01`, or `2026-03-01 Meeting`.
pub(super) fn day(stem: &str) -> Option<Date> {
    let (date, rest) = (stem.get(..10)?, &stem[10..]);
    let apart = rest.is_empty() || rest.starts_with([' ', '_', '-']);
    apart.then(|| date.parse().ok()).flatten()
}

/// Returns when something happened on a day: at the time that a heading above it tells, or at the
/// day's first moment.
pub(super) fn on(day: Date, headings: &[String], zone: &TimeZone) -> Option<Timestamp> {
    let time = headings.iter().rev().find_map(|heading| time(heading)).unwrap_or_default();
    Some(day.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp())
}

/// Reads a time such as `9:30`, `09:30` or `09:30:15`.
fn time(heading: &str) -> Option<Time> {
    let heading = heading.trim();
    let padded =
        if heading.find(':') == Some(1) { format!("0{heading}") } else { heading.to_owned() };
    let clock = padded.len() >= 5 && padded.chars().all(|c| c.is_ascii_digit() || c == ':');
    clock.then(|| padded.parse().ok()).flatten()
}
