//! Times as people write them.

use std::str::FromStr;

use anyhow::Result;
use cofio::model::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, SpanRelativeTo};

use crate::failure::Refusal;

/// A moment or a whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Moment(Timestamp),
    Day(Date),
}

impl When {
    /// Returns the moment, or the first one of the day.
    pub fn first(self, zone: &TimeZone) -> Result<Timestamp> {
        match self {
            Self::Moment(moment) => Ok(moment),
            Self::Day(day) => start(day, zone).ok_or_else(|| outside(day)),
        }
    }

    /// Returns the moment, or the last one of the day.
    pub fn last(self, zone: &TimeZone) -> Result<Timestamp> {
        match self {
            Self::Moment(moment) => Ok(moment),
            Self::Day(day) => last(day, zone).ok_or_else(|| outside(day)),
        }
    }
}

fn start(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    Some(day.to_zoned(zone.clone()).ok()?.timestamp())
}

fn last(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    let next = start(day.tomorrow().ok()?, zone)?;
    next.checked_sub(SignedDuration::from_micros(1)).ok()
}

/// Returns the error for the last days of the calendar, which are not over in every time zone.
fn outside(day: Date) -> anyhow::Error {
    let message = format!("{day} is outside the calendar: give a day before 9999-12-30");
    Refusal::Usage(message).into()
}

impl FromStr for When {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        if let Ok(moment) = raw.parse() {
            return Ok(Self::Moment(moment));
        }
        // A longer text has a time in it, which must not be dropped.
        let day = (raw.len() == "2026-01-31".len()).then(|| raw.parse().ok()).flatten();
        day.map(Self::Day).ok_or_else(|| {
            "give a day such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z".to_owned()
        })
    }
}

/// Reads how long something lasts.
pub fn duration(raw: &str) -> Result<SignedDuration, String> {
    let span = raw.parse::<Span>().ok();
    let duration = span.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
    let positive = duration.filter(SignedDuration::is_positive);
    positive.ok_or_else(|| "give a time such as 1h, 7d or 12w".to_owned())
}

/// Writes a moment for people, in their time zone.
pub fn shown(moment: Timestamp, zone: &TimeZone) -> String {
    moment.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: Option<(&str, &str)>) {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let found = raw.parse::<When>().ok().map(|when| {
            (when.first(&zone).unwrap().to_string(), when.last(&zone).unwrap().to_string())
        });
        let expected = expected.map(|(first, last)| (first.to_owned(), last.to_owned()));
        assert_eq!(found, expected, "{raw:?}");
    }

    #[test]
    fn a_moment_is_one_and_a_day_lasts_until_the_next() {
        check("2026-01-31T12:00:00Z", Some(("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z")));
        check("2026-01-31T12:00:00+02:00", Some(("2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z")));
        check("2026-01-31", Some(("2026-01-30T23:00:00Z", "2026-01-31T22:59:59.999999Z")));
    }

    #[test]
    fn half_a_time_is_refused() {
        for raw in
            ["", "2026", "2026-13-01", "2026-01-31T12:00", "yesterday", "2026-01-31T25:00:00Z"]
        {
            check(raw, None);
        }
    }

    #[test]
    fn a_duration_has_units_of_fixed_length() {
        assert_eq!(duration("1h"), Ok(SignedDuration::from_hours(1)));
        assert_eq!(duration("7d"), Ok(SignedDuration::from_hours(7 * 24)));
        assert_eq!(duration("2w 1d"), Ok(SignedDuration::from_hours(15 * 24)));
        for raw in ["", "7", "-1h", "0s", "1 month", "soon", "99999999999999999999d"] {
            assert!(duration(raw).is_err(), "{raw:?}");
        }
    }
}
