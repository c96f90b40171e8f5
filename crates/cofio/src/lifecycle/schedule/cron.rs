use std::fmt;
use std::iter;
use std::str::FromStr;

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::parse::{Fields, parse};
use crate::error::{Error, Result};
use crate::model::Timestamp;

/// How many days are looked at for one that fits.
///
/// The rarest is a 29th of February on a certain day of the week: around a year such as 2100, which
/// has none, it is 40 years away.
const MOST_DAYS: usize = 41 * 366;

/// Moments that come again and again, as in a line of `crontab`.
///
/// Five fields (minute, hour, day of the month, month, day of the week) of lists, ranges and steps,
/// months and days by number or by English name, or one of `@hourly`, `@daily`, `@weekly` and
/// `@monthly`. If days of the month and of the week are both given, either will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    line: String,
    minutes: Values,
    hours: Values,
    days: Days,
}

impl Cron {
    /// Returns the first moment after this one.
    ///
    /// A time that clocks skip comes when they go on, and one that they show twice comes the first
    /// time. Returns nothing at the end of the calendar.
    pub fn next_after(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let mut shown = zone.to_datetime(moment);
        loop {
            let planned = self.first_from(shown)?;
            let comes = first_shown(planned, zone)?;
            if comes > moment {
                return Some(comes);
            }
            shown = planned.checked_add(1.minute()).ok()?;
        }
    }

    /// Returns the last moment that was not after this one.
    pub fn last_until(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let mut shown = shown_at_latest(moment, zone);
        loop {
            let planned = self.last_to(shown)?;
            // What lies beyond the calendar's end comes after everything.
            if let Some(comes) = first_shown(planned, zone).filter(|comes| *comes <= moment) {
                return Some(comes);
            }
            shown = planned.checked_sub(1.minute()).ok()?;
        }
    }

    /// Returns the first planned date and time from this one on, wherever it is.
    fn first_from(&self, shown: DateTime) -> Option<DateTime> {
        if let Some(time) = self.first_time(shown.hour(), shown.minute())
            && self.days.have(shown.date())
        {
            return Some(shown.date().to_datetime(time));
        }
        let tomorrow = shown.date().tomorrow().ok()?;
        let dates = iter::successors(Some(tomorrow), |date| date.tomorrow().ok());
        let date = dates.take(MOST_DAYS).find(|date| self.days.have(*date))?;
        Some(date.to_datetime(self.first_time(0, 0)?))
    }

    /// Returns the last planned date and time up to this one, wherever it is.
    fn last_to(&self, shown: DateTime) -> Option<DateTime> {
        if let Some(time) = self.last_time(shown.hour(), shown.minute())
            && self.days.have(shown.date())
        {
            return Some(shown.date().to_datetime(time));
        }
        let yesterday = shown.date().yesterday().ok()?;
        let dates = iter::successors(Some(yesterday), |date| date.yesterday().ok());
        let date = dates.take(MOST_DAYS).find(|date| self.days.have(*date))?;
        Some(date.to_datetime(self.last_time(23, 59)?))
    }

    fn first_time(&self, hour: i8, minute: i8) -> Option<Time> {
        let in_this_hour = self.minutes.first_from(minute).filter(|_| self.hours.have(hour));
        let (hour, minute) = match in_this_hour {
            Some(minute) => (hour, minute),
            None => (self.hours.first_from(hour + 1)?, self.minutes.first_from(0)?),
        };
        Time::new(hour, minute, 0, 0).ok()
    }

    fn last_time(&self, hour: i8, minute: i8) -> Option<Time> {
        let in_this_hour = self.minutes.last_to(minute).filter(|_| self.hours.have(hour));
        let (hour, minute) = match in_this_hour {
            Some(minute) => (hour, minute),
            None => (self.hours.last_to(hour - 1)?, self.minutes.last_to(59)?),
        };
        Time::new(hour, minute, 0, 0).ok()
    }
}

/// Reads a line and keeps it as it is written.
impl FromStr for Cron {
    type Err = Error;

    fn from_str(line: &str) -> Result<Self> {
        let Fields { minutes, hours, days } = parse(line)?;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        Ok(Self { line: words.join(" "), minutes, hours, days })
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// Returns when clocks first show a date and time or, if they skip it, when they go on.
fn first_shown(planned: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(planned).offset() {
        AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
            offset.to_timestamp(planned).ok()
        }
        AmbiguousOffset::Gap { after, .. } => {
            let before_the_gap = after.to_timestamp(planned).ok()?;
            let mut turns = zone.following(before_the_gap).map(|turn| turn.timestamp());
            turns.find(|turn| zone.to_datetime(*turn) > planned)
        }
    }
}

/// Returns a date and time that clocks have not passed at this moment, even if they were put back.
fn shown_at_latest(moment: Timestamp, zone: &TimeZone) -> DateTime {
    let shown = zone.to_datetime(moment);
    match zone.to_ambiguous_timestamp(shown).offset() {
        AmbiguousOffset::Fold { before, .. } => before.to_datetime(moment),
        AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Gap { .. } => shown,
    }
}

/// The days on which something is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Days {
    pub of_month: Values,
    /// From Sunday, which is 0.
    pub of_week: Values,
    pub months: Values,
    /// Whether the day of the month and the day of the week both have to fit.
    pub both: bool,
}

impl Days {
    fn have(&self, date: Date) -> bool {
        let of_month = self.of_month.have(date.day());
        let of_week = self.of_week.have(date.weekday().to_sunday_zero_offset());
        let fits = if self.both { of_month && of_week } else { of_month || of_week };
        fits && self.months.have(date.month())
    }

    /// Returns whether there is such a day in any year.
    pub fn come_ever(&self) -> bool {
        let longest = |month: i8| match month {
            2 => 29,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let has_one =
            |month: i8| self.of_month.first_from(1).is_some_and(|day| day <= longest(month));
        !self.both || (1..=12).any(|month| self.months.have(month) && has_one(month))
    }
}

/// Which of the numbers from 0 to 59 are meant, a bit for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Values(u64);

impl Values {
    /// Adds a number.
    pub fn insert(&mut self, value: i8) {
        self.0 |= 1 << value;
    }

    fn have(self, value: i8) -> bool {
        self.0 >> value & 1 == 1
    }

    fn first_from(self, value: i8) -> Option<i8> {
        (value..60).find(|value| self.have(*value))
    }

    fn last_to(self, value: i8) -> Option<i8> {
        (0..=value).rfind(|value| self.have(*value))
    }
}
