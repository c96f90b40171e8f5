//! Ranges of days, and the periods that come every year: months, seasons, feasts.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::lexicon::{Part, Unit};

/// A closed range of days; `first` is never after `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first day.
    pub first: Date,
    /// The last day, which belongs to the range.
    pub last: Date,
}

impl Days {
    /// Returns the days between two, whichever is earlier.
    pub fn between(one: Date, other: Date) -> Self {
        Self { first: one.min(other), last: one.max(other) }
    }

    /// Returns one day.
    pub fn day(day: Date) -> Self {
        Self { first: day, last: day }
    }

    /// Returns how many days there are.
    pub fn length(self) -> i64 {
        distance(self.first, self.last) + 1
    }

    /// Returns how many days lie between the range and `day`, 0 inside.
    pub fn away(self, day: Date) -> i64 {
        if day < self.first {
            distance(day, self.first)
        } else if day > self.last {
            distance(self.last, day)
        } else {
            0
        }
    }

    /// Returns the range so many years later, cut at the end of the calendar.
    pub(super) fn shifted(self, years: i64) -> Self {
        Self::between(plus(self.first, Unit::Year, years), plus(self.last, Unit::Year, years))
    }

    /// Returns a third of the range, or all of it if it is too short to be parted.
    pub(super) fn part(self, part: Part) -> Self {
        let third = self.length() / 3;
        if third < 2 {
            return self;
        }
        let early = plus(self.first, Unit::Day, third - 1);
        let late = plus(self.last, Unit::Day, 1 - third);
        match part {
            Part::Early => Self::between(self.first, early),
            Part::Late => Self::between(late, self.last),
            Part::Mid => Self::between(plus(early, Unit::Day, 1), plus(late, Unit::Day, -1)),
        }
    }
}

fn distance(from: Date, to: Date) -> i64 {
    i64::from((to - from).get_days())
}

/// Returns the day so many units later, or the end of the calendar.
pub(super) fn plus(date: Date, unit: Unit, count: i64) -> Date {
    // As much as a span of any unit may hold, or a question may mean.
    let count = count.clamp(-100_000, 100_000);
    let span: Span = match unit {
        Unit::Hour => (count / 24).days(),
        Unit::Day => count.days(),
        Unit::Weekend | Unit::Week => count.weeks(),
        Unit::Month => count.months(),
        Unit::Quarter => (count.clamp(-50_000, 50_000) * 3).months(),
        Unit::Year => count.clamp(-19_000, 19_000).years(),
        Unit::Decade => (count.clamp(-1_900, 1_900) * 10).years(),
    };
    date.saturating_add(span)
}

/// Returns the unit of the calendar that `day` is in; weeks begin on Monday.
pub(super) fn around(day: Date, unit: Unit) -> Days {
    let monday = plus(day, Unit::Day, -i64::from(day.weekday().to_monday_zero_offset()));
    match unit {
        Unit::Hour | Unit::Day => Days::day(day),
        Unit::Week => Days::between(monday, plus(monday, Unit::Day, 6)),
        Unit::Weekend => Days::between(plus(monday, Unit::Day, 5), plus(monday, Unit::Day, 6)),
        Unit::Month => Days::between(day.first_of_month(), day.last_of_month()),
        Unit::Quarter => {
            let quarter = Yearly::Quarter((day.month() + 2) / 3);
            quarter.in_year(day.year()).unwrap_or(Days::day(day))
        }
        Unit::Year => Days::between(day.first_of_year(), day.last_of_year()),
        Unit::Decade => {
            let first = plus(day, Unit::Year, -i64::from(day.year().rem_euclid(10)));
            let last = plus(first, Unit::Year, 9);
            Days::between(first.first_of_year(), last.last_of_year())
        }
    }
}

/// A period that comes every year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Yearly {
    Month(i8),
    /// A month, and its first and last day that are meant.
    Days(i8, i8, i8),
    Season(Season),
    Quarter(i8),
    Half(i8),
    Feast(Feast),
}

impl Yearly {
    /// Returns the days it has in a year, or nothing if there are none, as on 29 February.
    pub(super) fn in_year(self, year: i16) -> Option<Days> {
        match self {
            Self::Month(month) => months(year, month, 1),
            Self::Days(month, first, last) => {
                Some(Days::between(date(year, month, first)?, date(year, month, last)?))
            }
            Self::Season(season) => months(year, season.first_month(), 3),
            Self::Quarter(quarter) => months(year, 3 * quarter - 2, 3),
            Self::Half(half) => months(year, 6 * half - 5, 6),
            Self::Feast(feast) => feast.in_year(year),
        }
    }
}

/// A season of the northern half of the world: three whole months, winter beginning in December.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

impl Season {
    pub(super) fn from_number(number: i8) -> Option<Self> {
        let season = usize::try_from(number).ok()?.checked_sub(1)?;
        [Self::Spring, Self::Summer, Self::Autumn, Self::Winter].get(season).copied()
    }

    fn first_month(self) -> i8 {
        match self {
            Self::Spring => 3,
            Self::Summer => 6,
            Self::Autumn => 9,
            Self::Winter => 12,
        }
    }
}

/// A day or two that people name instead of numbering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feast {
    /// From a month and day to another of the same year.
    Fixed { first: (i8, i8), last: (i8, i8) },
    /// Days from Easter Sunday.
    Easter { first: i8, last: i8 },
    /// So many days after the nth weekday of a month.
    Nth { month: i8, weekday: Weekday, nth: i8, after: i8 },
}

impl Feast {
    fn in_year(self, year: i16) -> Option<Days> {
        match self {
            Self::Fixed { first, last } => {
                Some(Days::between(date(year, first.0, first.1)?, date(year, last.0, last.1)?))
            }
            Self::Easter { first, last } => {
                let sunday = easter(year)?;
                let day = |after: i8| plus(sunday, Unit::Day, i64::from(after));
                Some(Days::between(day(first), day(last)))
            }
            Self::Nth { month, weekday, nth, after } => {
                let day = date(year, month, 1)?.nth_weekday_of_month(nth, weekday).ok()?;
                Some(Days::day(plus(day, Unit::Day, i64::from(after))))
            }
        }
    }
}

/// Returns Easter Sunday by the anonymous Gregorian computus (Meeus, Astronomical Algorithms).
#[expect(clippy::many_single_char_names, reason = "the letters of the published algorithm")]
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y.rem_euclid(19), y.div_euclid(100), y.rem_euclid(100));
    let (d, e) = (b.div_euclid(4), b.rem_euclid(4));
    let g = (8 * b + 13).div_euclid(25);
    let h = (19 * a + b - d - g + 15).rem_euclid(30);
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k).rem_euclid(7);
    let m = (a + 11 * h + 22 * l).div_euclid(451);
    let sum = h + l - 7 * m + 114;
    date(year, i8::try_from(sum / 31).ok()?, i8::try_from(sum % 31 + 1).ok()?)
}

/// Returns whole months, the last of which may be in the next year.
fn months(year: i16, first: i8, count: i64) -> Option<Days> {
    let first = date(year, first, 1)?;
    Some(Days::between(first, plus(first, Unit::Month, count - 1).last_of_month()))
}

pub(super) fn date(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easter_is_when_it_was() {
        for (year, month, day) in [(1961, 4, 2), (2000, 4, 23), (2023, 4, 9), (2024, 3, 31)] {
            assert_eq!(easter(year), date(year, month, day));
        }
    }

    #[test]
    fn thirds_of_a_period_do_not_overlap() {
        for (month, early, late) in
            [(2, "2024-02-09", "2024-02-21"), (6, "2024-06-10", "2024-06-21")]
        {
            let days = Yearly::Month(month).in_year(2024).unwrap();
            assert_eq!(days.part(Part::Early).last.to_string(), early);
            assert_eq!(days.part(Part::Late).first.to_string(), late);
            assert_eq!(
                days.part(Part::Mid).length() + 2 * days.part(Part::Early).length(),
                days.length()
            );
        }
    }

    #[test]
    fn the_calendar_has_ends() {
        assert_eq!(plus(Date::MAX, Unit::Decade, i64::MAX), Date::MAX);
        assert_eq!(plus(Date::MIN, Unit::Day, i64::MIN), Date::MIN);
        for unit in
            [Unit::Week, Unit::Weekend, Unit::Month, Unit::Quarter, Unit::Year, Unit::Decade]
        {
            around(Date::MIN, unit);
            around(Date::MAX, unit);
        }
        Yearly::Season(Season::Winter).in_year(9999);
        Yearly::Feast(Feast::Easter { first: -2, last: 1 }).in_year(-9999);
    }
}
