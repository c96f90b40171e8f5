//! Times as people write them.

use std::str::FromStr;

use anyhow::Result;
use cofio::model::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, SpanRelativeTo, ToSpan as _};

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

/// A moment in the past, as people say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// A moment or a day.
    When(When),
    /// So long ago.
    Ago(SignedDuration),
    /// The beginning of so many days ago.
    DaysAgo(i64),
    /// The beginning of the latest such day, which may be today.
    Weekday(Weekday),
}

impl Since {
    /// Returns the moment, seen from another.
    pub fn moment(self, now: Timestamp, zone: &TimeZone) -> Result<Timestamp> {
        let today = now.to_zoned(zone.clone()).date();
        let beginning = |days: i64| {
            let day = today.checked_sub(days.days()).map_err(|_| outside(today))?;
            start(day, zone).ok_or_else(|| outside(day))
        };
        match self {
            Self::When(when) => when.first(zone),
            Self::Ago(duration) => now.checked_sub(duration).map_err(|_| outside(today)),
            Self::DaysAgo(days) => beginning(days),
            Self::Weekday(day) => beginning(day.until(today.weekday()).into()),
        }
    }
}

impl FromStr for Since {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        let name = raw.to_lowercase();
        let weekday = days.iter().zip(1_i8..).find(|(day, _)| **day == name);
        if let Some(day) =
            weekday.and_then(|(_, number)| Weekday::from_monday_one_offset(number).ok())
        {
            return Ok(Self::Weekday(day));
        }
        match name.as_str() {
            "today" => return Ok(Self::DaysAgo(0)),
            "yesterday" => return Ok(Self::DaysAgo(1)),
            _ => {}
        }
        let when = raw.parse().map(Self::When).or_else(|_| duration(raw).map(Self::Ago));
        when.map_err(|_| {
            "give a day such as 2026-01-31, a weekday, yesterday, or a time such as 7d".to_owned()
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
    fn since_is_said_in_many_ways() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        // A Wednesday.
        let now: Timestamp = "2026-03-04T12:00:00Z".parse().unwrap();
        let check = |raw: &str, expected: &str| {
            let since: Since = raw.parse().unwrap();
            assert_eq!(since.moment(now, &zone).unwrap().to_string(), expected, "{raw:?}");
        };
        check("monday", "2026-03-01T23:00:00Z");
        check("Wednesday", "2026-03-03T23:00:00Z");
        check("thursday", "2026-02-25T23:00:00Z");
        check("yesterday", "2026-03-02T23:00:00Z");
        check("7d", "2026-02-25T12:00:00Z");
        check("2026-03-01", "2026-02-28T23:00:00Z");
        for raw in ["", "someday", "-1d", "mon"] {
            assert!(raw.parse::<Since>().is_err(), "{raw:?}");
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
