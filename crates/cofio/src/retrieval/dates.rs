//! When a question is about: the expressions of time in it, as days of the calendar.
//!
//! "last Friday", "7 May 2023", "since March" or "先週" become ranges of days, counted from a
//! reference that the caller gives. English is covered widely; German, French, Spanish, Italian,
//! Portuguese, Dutch, Chinese, Japanese and Korean in their common forms. Pure: no clock, no time
//! zone, and no opinion on how much a date should weigh.
//!
//! Where people mean different things, this is what is taken:
//!
//! - A month, day, season or feast without a year is the latest that has begun by the reference,
//!   and [`Mention::year_known`] says that others may be meant. A question in the future tense
//!   ("what will I do in May?") takes the next instead.
//! - 5/7/2023 and 5-7-2023 are two mentions of the same bytes, month first and day first, unless
//!   one number is greater than 12. 7.5.2023 has the day first. Without a year such a pair counts
//!   only after a preposition.
//! - Words that are also names or verbs (May, March, April, June, August, Sat, Sun, fall) need a
//!   day, a year or a preposition of time beside them; after "last", "this" and "next" also a
//!   capital letter. After "before", "after" and "by" they are less than certain, and a
//!   possessive ("June's party") rules them out.
//! - Weeks begin on Monday. "last Friday" is the latest before the reference, "this Friday" the one
//!   of its week, and "next Friday" both the coming one and that of the next week.
//! - "two weeks ago" is the day two weeks ago, give or take half a week; and so for other units.
//! - Seasons are three whole months of the northern year; the winter of 2022 begins in December 2022.
//! - "early", "mid" and "late" are thirds.

mod dated;
mod lexicon;
mod numeric;
mod parser;
mod period;
mod relative;
mod tokens;
mod yearly;

#[cfg(test)]
mod tests;

use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::TimeZone;

pub use yearly::Days;

use super::weights::WEIGHTS;
use parser::Parser;

/// An expression of time in a question, and the days it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Where the expression is, with its preposition and article.
    pub bytes: Range<usize>,
    /// The days it means.
    ///
    /// An expression with one end ("before June") reaches to the end of the calendar, one with
    /// "since" to the reference.
    pub days: Days,
    /// Whether it counts from the reference ("yesterday"), so that its words in a memory mean
    /// another day.
    pub relative: bool,
    /// Whether the year is certain; if not, it may be any, and the latest was taken.
    pub year_known: bool,
    /// Whether the words can hardly mean anything else.
    pub certain: bool,
}

/// How long the time is that an expression means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// A day, or a weekend.
    Day,
    /// About a week.
    Week,
    /// About a month.
    Month,
    /// A season or a quarter.
    Season,
    /// About a year.
    Year,
    /// Longer than that, or without an end.
    Longer,
}

impl Mention {
    /// Returns how long the time is that is meant.
    pub fn precision(&self) -> Precision {
        match self.days.length() {
            ..=3 => Precision::Day,
            4..=14 => Precision::Week,
            15..=45 => Precision::Month,
            46..=140 => Precision::Season,
            141..=550 => Precision::Year,
            _ => Precision::Longer,
        }
    }

    /// Returns when the days that are meant begin and end in a time zone, in microseconds since 1970.
    pub fn span(&self, zone: &TimeZone) -> Option<(i64, i64)> {
        let begins =
            |day: Date| Some(day.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond());
        Some((begins(self.days.first)?, begins(self.days.last.tomorrow().ok()?)? - 1))
    }

    /// Returns how many days `day` is away from what is meant, 0 inside.
    ///
    /// If the year is not known, the nearest year counts.
    pub fn away(&self, day: Date) -> i64 {
        if self.year_known {
            return self.days.away(day);
        }
        let years = i64::from(day.year()) - i64::from(self.days.first.year());
        let nearest = (years - 1..=years + 1).map(|years| self.days.shifted(years).away(day)).min();
        nearest.unwrap_or_default()
    }

    /// Returns how well `day` fits what is meant: 1 inside, less the farther away it is.
    pub fn closeness(&self, day: Date) -> f64 {
        let fades = match self.precision() {
            Precision::Day => WEIGHTS.day_fades,
            Precision::Week => WEIGHTS.week_fades,
            Precision::Month => WEIGHTS.month_fades,
            Precision::Season => WEIGHTS.season_fades,
            Precision::Year | Precision::Longer => WEIGHTS.year_fades,
        };
        (-(self.away(day) as f64) / fades).exp()
    }
}

/// Returns the expressions of time in `question`, in order; two readings of one follow each other.
pub fn mentioned(question: &str, reference: Date) -> Vec<Mention> {
    if !tokens::has_trigger(question) {
        return Vec::new();
    }
    Parser::new(question, reference).collect()
}
