//! Reading moments the way datasets write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

/// Written forms with a time of day, besides RFC 3339 and ISO 8601.
const WITH_TIME: &[&str] = &[
    "%I:%M %p on %d %B, %Y",
    "%Y/%m/%d (%a) %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%d %B %Y %H:%M",
    "%d %B %Y, %H:%M",
    "%B %d, %Y %H:%M",
    "%B %d, %Y, %H:%M",
    "%B %d, %Y %I:%M %p",
    "%B %d, %Y, %I:%M %p",
    "%a %b %d %H:%M:%S %Y",
];

/// Written forms of a day.
const DAYS: &[&str] = &["%Y/%m/%d", "%d %B, %Y", "%d %B %Y", "%B %d, %Y", "%B %d %Y"];

/// From here on a number counts milliseconds; as seconds it would be the year 5138.
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// Returns the moment that a text names; without a time zone it is in UTC.
pub fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    if let Ok(moment) = jiff::fmt::rfc2822::parse(text) {
        return Some(moment.timestamp());
    }
    if let Ok(number) = text.parse::<i64>() {
        // A bare year or an ordinal is no moment.
        return if text.len() < 9 { None } else { counted(number) };
    }
    in_utc(civil(text)?)
}

/// Returns the moment that many seconds, or milliseconds if they are very many, after 1970.
pub fn counted(number: i64) -> Option<Timestamp> {
    let moment = if number.abs() < MILLISECONDS_FROM {
        Timestamp::from_second(number)
    } else {
        Timestamp::from_millisecond(number)
    };
    moment.ok()
}

fn civil(text: &str) -> Option<DateTime> {
    if let Ok(time) = text.parse::<DateTime>() {
        return Some(time);
    }
    let read = |format: &&str| BrokenDownTime::parse(format, text).ok();
    let timed = WITH_TIME.iter().filter_map(read).find_map(|parts| parts.to_datetime().ok());
    let day = || DAYS.iter().filter_map(read).find_map(|parts| parts.to_date().ok());
    timed.or_else(|| day().map(Date::into))
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let read = moment(text).map(|moment| moment.to_string());
        assert_eq!(read.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn a_moment_is_read_in_the_forms_that_datasets_use() {
        check("2023-05-08T13:56:00Z", Some("2023-05-08T13:56:00Z"));
        check("2023-05-08T13:56:00.250+02:00", Some("2023-05-08T11:56:00.25Z"));
        check("2023-05-08 13:56", Some("2023-05-08T13:56:00Z"));
        check("2023-05-08T13:56:07", Some("2023-05-08T13:56:07Z"));
        check("2023-05-08", Some("2023-05-08T00:00:00Z"));
        check("1:56 pm on 8 May, 2023", Some("2023-05-08T13:56:00Z"));
        check("12:09 am on 13 September, 2023", Some("2023-09-13T00:09:00Z"));
        check("2023/05/20 (Sat) 02:21", Some("2023-05-20T02:21:00Z"));
        check("2023/05/20", Some("2023-05-20T00:00:00Z"));
        check("8 May 2023", Some("2023-05-08T00:00:00Z"));
        check("May 8, 2023", Some("2023-05-08T00:00:00Z"));
        check("Mon, 08 May 2023 13:56:00 +0000", Some("2023-05-08T13:56:00Z"));
        check("1683554160", Some("2023-05-08T13:56:00Z"));
        check("1683554160000", Some("2023-05-08T13:56:00Z"));
    }

    #[test]
    fn what_names_no_moment_is_not_guessed() {
        for text in ["", "yesterday", "2023", "8 May", "32 May 2023", "13:56"] {
            check(text, None);
        }
    }
}
