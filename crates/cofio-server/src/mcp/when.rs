//! Times as models write them.

use cofio::model::Timestamp;
use cofio::{Error, Result};
use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Reads the beginning of a span: a moment, or a day from its first one.
pub(crate) fn beginning(raw: Option<&str>, zone: &TimeZone) -> Result<Option<Timestamp>> {
    read(raw, |day| start(day, zone))
}

/// Reads the end of a span: a moment, or a day up to its last one.
pub(crate) fn end(raw: Option<&str>, zone: &TimeZone) -> Result<Option<Timestamp>> {
    let last = |day: Date| start(day.tomorrow().ok()?, zone)?.checked_sub(INSTANT).ok();
    read(raw, last)
}

/// The least by which two moments differ.
const INSTANT: SignedDuration = SignedDuration::from_micros(1);

fn start(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    Some(day.to_zoned(zone.clone()).ok()?.timestamp())
}

fn read(
    raw: Option<&str>,
    of_day: impl Fn(Date) -> Option<Timestamp>,
) -> Result<Option<Timestamp>> {
    let Some(raw) = raw else { return Ok(None) };
    let day = || (raw.len() == "2026-01-31".len()).then(|| raw.parse().ok()).flatten();
    let moment = raw.parse().ok().or_else(|| of_day(day()?));
    moment.map(Some).ok_or_else(|| {
        Error::invalid(
            "a time is a day such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_lasts_until_the_next() {
        let check = |raw: &str, first: &str, last: &str| {
            let read = |moment: Result<Option<Timestamp>>| moment.unwrap().unwrap().to_string();
            assert_eq!(read(beginning(Some(raw), &TimeZone::UTC)), first);
            assert_eq!(read(end(Some(raw), &TimeZone::UTC)), last);
        };
        check("2026-01-31", "2026-01-31T00:00:00Z", "2026-01-31T23:59:59.999999Z");
        check("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z");
        for raw in ["", "yesterday", "2026-01-31T12:00", "9999-12-31", "-9999-01-01"] {
            assert!(end(Some(raw), &TimeZone::UTC).is_err(), "{raw:?}");
        }
        assert_eq!(end(None, &TimeZone::UTC).unwrap(), None);
    }
}
