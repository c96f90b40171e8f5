//! Times as Mem0's clients write them: days, moments with or without an offset, and seconds.

use cofio::model::{TimeRange, Timestamp};
use cofio::{Error, Result};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan as _};
use serde_json::Value;

/// The finest difference between two moments.
const TICK: SignedDuration = SignedDuration::from_micros(1);

/// A moment, or a whole day from its first moment to its last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    first: Timestamp,
    last: Timestamp,
}

impl Span {
    /// Reads a time; a day is one of the zone's.
    pub(super) fn read(value: &Value, zone: &TimeZone) -> Result<Self> {
        let unreadable = || {
            Error::invalid(
                "a time is a day such as 2026-01-31, a moment such as 2026-01-31T12:00:00Z, or \
                 seconds since 1970",
            )
        };
        match value {
            Value::Number(seconds) => {
                let seconds = seconds.as_f64().ok_or_else(unreadable)?;
                let since = SignedDuration::try_from_secs_f64(seconds).map_err(|_| unreadable())?;
                let moment = Timestamp::from_duration(since).map_err(|_| unreadable())?;
                Ok(Self { first: moment, last: moment })
            }
            Value::String(text) => Self::parse(text, zone).ok_or_else(unreadable),
            _ => Err(unreadable()),
        }
    }

    fn parse(text: &str, zone: &TimeZone) -> Option<Self> {
        if text.len() <= 10 {
            return Self::of_day(text.parse().ok()?, zone);
        }
        let of_zone =
            |time: DateTime| time.to_zoned(zone.clone()).ok().map(|time| time.timestamp());
        let moment = text.parse().ok().or_else(|| of_zone(text.parse().ok()?))?;
        Some(Self { first: moment, last: moment })
    }

    fn of_day(day: Date, zone: &TimeZone) -> Option<Self> {
        let first = day.to_zoned(zone.clone()).ok()?;
        let next = first.checked_add(1.day()).ok()?.start_of_day().ok()?;
        let last = next.timestamp().checked_sub(TICK).ok()?;
        Some(Self { first: first.timestamp(), last })
    }

    /// Returns when something happens that an operator compares with it.
    pub(super) fn compared(self, operator: &str) -> Option<TimeRange> {
        let (first, last) = (Some(self.first), Some(self.last));
        // Nothing is before the first moment of the calendar, nor after the last.
        let before = Some(self.first.checked_sub(TICK).unwrap_or(Timestamp::MIN));
        let after = Some(self.last.checked_add(TICK).unwrap_or(Timestamp::MAX));
        match operator {
            "eq" => Some(TimeRange { from: first, to: last }),
            "gte" => Some(TimeRange { from: first, to: None }),
            "gt" => Some(TimeRange { from: after, to: None }),
            "lte" => Some(TimeRange { from: None, to: last }),
            "lt" => Some(TimeRange { from: None, to: before }),
            _ => None,
        }
    }
}

/// Returns the moment from which "yesterday" is meant.
pub(super) fn reference(value: &Value, zone: &TimeZone) -> Result<Timestamp> {
    Ok(Span::read(value, zone)?.first)
}

/// Returns the moment after so many seconds since 1970.
pub(super) fn of_seconds(seconds: i64) -> Result<Timestamp> {
    Timestamp::from_second(seconds)
        .map_err(|_| Error::invalid("timestamp takes seconds since 1970"))
}

/// Returns the moment at which a day is over.
pub(super) fn end_of_day(day: &str, zone: &TimeZone) -> Result<Timestamp> {
    let span = day.parse().ok().and_then(|day| Span::of_day(day, zone));
    let unreadable = || Error::invalid("expiration_date takes a day such as 2026-01-31");
    let end = span.and_then(|span| span.last.checked_add(TICK).ok());
    end.ok_or_else(unreadable)
}

/// Returns the last day on which something is there that ends at a moment.
pub(super) fn last_day(end: Timestamp, zone: &TimeZone) -> String {
    let last = end.checked_sub(TICK).unwrap_or(end);
    last.to_zoned(zone.clone()).date().to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(time: &Value, operator: &str, expected: (Option<&str>, Option<&str>)) {
        let range = Span::read(time, &TimeZone::UTC).unwrap().compared(operator).unwrap();
        let text = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
        let expected = (expected.0.map(ToOwned::to_owned), expected.1.map(ToOwned::to_owned));
        assert_eq!((text(range.from), text(range.to)), expected, "{time} {operator}");
    }

    #[test]
    fn a_day_is_all_of_it() {
        let day = json!("2026-01-31");
        let (first, last) = ("2026-01-31T00:00:00Z", "2026-01-31T23:59:59.999999Z");
        check(&day, "eq", (Some(first), Some(last)));
        check(&day, "gte", (Some(first), None));
        check(&day, "lte", (None, Some(last)));
        check(&day, "gt", (Some("2026-02-01T00:00:00Z"), None));
        check(&day, "lt", (None, Some("2026-01-30T23:59:59.999999Z")));
    }

    #[test]
    fn a_moment_is_written_in_many_ways() {
        let moment = Some("2026-01-31T12:00:00Z");
        for time in [
            json!("2026-01-31T12:00:00Z"),
            json!("2026-01-31T13:00:00+01:00"),
            json!("2026-01-31T12:00:00"),
            json!("2026-01-31 12:00:00"),
            json!(1_769_860_800),
            json!(1_769_860_800.0),
        ] {
            check(&time, "eq", (moment, moment));
        }
        for time in [json!("soon"), json!(null), json!(["2026-01-31"]), json!(1e300), json!("")] {
            assert!(Span::read(&time, &TimeZone::UTC).is_err(), "{time}");
        }
    }

    #[test]
    fn what_ends_with_a_day_is_there_on_it() {
        let end = end_of_day("2026-01-31", &TimeZone::UTC).unwrap();
        assert_eq!(end.to_string(), "2026-02-01T00:00:00Z");
        assert_eq!(last_day(end, &TimeZone::UTC), "2026-01-31");
        assert!(end_of_day("tomorrow", &TimeZone::UTC).is_err());
    }
}
