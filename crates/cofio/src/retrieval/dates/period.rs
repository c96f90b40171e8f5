//! Periods that the calendar names: dates, months, seasons, feasts, quarters, years, decades.

use jiff::civil::Weekday;

use super::lexicon::{Meaning, Unit};
use super::parser::{Lead, Parsed, Parser, Period, longest};
use super::yearly::{Days, Yearly, around, date, plus};

/// Which of the periods that come every year is meant.
#[derive(Debug, Clone, Copy)]
pub(super) enum Which {
    /// The one of a year.
    Year(i16),
    /// The one of a year that was counted from the reference.
    CountedYear(i16),
    /// The latest that has begun, or the next if the question is about the future.
    Latest,
    /// The latest that is over.
    Last,
    /// The one in the year of the reference.
    This,
    /// The first that has not begun.
    Next,
}

impl Parser<'_> {
    /// Reads one period, whose preposition and article have been read.
    pub(super) fn period(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let token = self.tokens.get(index)?;
        let quarter = || matches!(self.spelling(index), "Q" | "q" | "H" | "h" | "'" | "’");
        if token.word.is_none() && token.number.is_none() && !quarter() {
            return None;
        }
        longest([
            self.simple(index, lead),
            self.part(index),
            self.nth(index),
            self.unit_of(index),
            self.beside(index),
        ])
    }

    /// Reads a period that contains no other.
    fn simple(&self, index: usize, lead: Lead) -> Parsed<Period> {
        longest([
            self.relative(index, lead),
            self.numeric(index, lead),
            self.weekday_period(index, lead),
            self.dated(index, lead),
            self.ordinal_day(index, lead),
            self.season_or_feast(index, lead),
            self.quarter(index),
            self.decade(index, lead),
            self.bare_year(index, lead),
        ])
    }

    /// Reads a simple period after "of" and "the".
    pub(super) fn inner(&self, index: usize) -> Parsed<Period> {
        let (the, start) = self.skip_article(index);
        let lead = Lead { preposition: Some(Meaning::In), the };
        longest([self.simple(start, lead), self.simple(index, lead)])
    }

    /// Reads "early June", "mid-July" and "the end of August".
    fn part(&self, index: usize) -> Parsed<Period> {
        let (part, end) = self.meaning(index, |meaning| match meaning {
            Meaning::Part(part) => Some(part),
            _ => None,
        })?;
        let start = if self.mark(end) == Some('-') { end + 1 } else { end };
        let (period, end) = self.inner(self.skip(start, Meaning::Of))?;
        Some((Period { days: period.days.part(part), other: None, ..period }, end))
    }

    /// Reads "the first week of June", "the last Monday of May" and "the second half of 2023".
    fn nth(&self, index: usize) -> Parsed<Period> {
        let (nth, middle) = self.meaning(index, |meaning| match meaning {
            Meaning::Ordinal(nth @ 1..=5) => Some(nth),
            Meaning::Last => Some(-1),
            _ => None,
        })?;
        let kind = |meaning| {
            let kind = matches!(meaning, Meaning::Unit(_) | Meaning::Weekday(_) | Meaning::Half);
            kind.then_some(meaning)
        };
        let (kind, middle) = self.meaning(middle, kind)?;
        if let (Meaning::Unit(Unit::Quarter), 1..=4) = (kind, nth) {
            return Some(self.in_some_year(Yearly::Quarter(nth), middle));
        }
        let (period, end) = self.inner(self.is(middle, Meaning::Of)?)?;
        let days = nth_of(period.days, nth, kind)?;
        Some((Period { days, other: None, ..period }, end))
    }

    /// Reads "the week of May 7" and "the month of May".
    fn unit_of(&self, index: usize) -> Parsed<Period> {
        let (unit, middle) = self.unit(index)?;
        let (period, end) = self.inner(self.skip(middle, Meaning::Of))?;
        let same = match unit {
            Unit::Month => (28..=31).contains(&period.days.length()),
            Unit::Year => period.days.length() > 364,
            Unit::Week | Unit::Weekend => period.days.length() <= 3,
            _ => false,
        };
        let days = match unit {
            Unit::Week | Unit::Weekend => around(period.days.first, unit),
            _ => period.days,
        };
        same.then_some((Period { days, other: None, ..period }, end))
    }

    pub(super) fn unit(&self, index: usize) -> Parsed<Unit> {
        self.meaning(index, |meaning| match meaning {
            Meaning::Unit(unit) => Some(unit),
            _ => None,
        })
    }

    pub(super) fn weekday(&self, index: usize) -> Option<(Weekday, bool, usize)> {
        let weekday = |meaning| match meaning {
            Meaning::Weekday(weekday) => Some(weekday),
            _ => None,
        };
        let (weekday, entry, end) = self.entry(index, weekday)?;
        Some((weekday, entry.doubtful, end))
    }

    /// Reads "Friday, 7 May", "Friday of last week" and "Friday night".
    fn weekday_period(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let (weekday, doubtful, end) = self.weekday(index)?;
        let after = if matches!(self.mark(end), Some(',' | '.')) { end + 1 } else { end };
        let (_, after_article) = self.skip_article(after);
        let certainly = Lead { preposition: Some(Meaning::On), the: false };
        let date =
            longest([self.dated(after_article, certainly), self.numeric(after_article, certainly)]);
        if let Some((period, end)) = date.filter(|(period, _)| period.days.length() == 1) {
            return Some((period, end));
        }
        if let Some((week, end)) = self.week(self.skip(after, Meaning::Of)) {
            return Some((Period::counted(Days::day(day_in(week, weekday))), end));
        }
        let habit = index > 0 && self.is(index - 1, Meaning::Every).is_some();
        let evidence = lead.preposition.is_some() && !lead.the;
        if habit || (doubtful && !evidence) {
            return None;
        }
        let period = Period::counted(Days::day(self.nearest(weekday)));
        Some((period, self.skip(end, Meaning::DayPart)))
    }

    /// Returns a period of the year that follows, or of the likeliest one.
    pub(super) fn in_some_year(&self, yearly: Yearly, index: usize) -> (Period, usize) {
        let given = self.year_after(index);
        let given = given.and_then(|(which, end)| Some((self.which(yearly, which)?, end)));
        given.unwrap_or_else(|| {
            (self.which(yearly, Which::Latest).unwrap_or_else(|| self.today()), index)
        })
    }

    fn today(&self) -> Period {
        Period::counted(Days::day(self.reference))
    }

    /// Returns the one period that is meant of those that come every year.
    pub(super) fn which(&self, yearly: Yearly, which: Which) -> Option<Period> {
        let reference = self.reference;
        let year = reference.year();
        // Leap days are up to eight years apart.
        let earlier = || (0..10).map_while(|back| year.checked_sub(back)?.checked_add(1));
        let later = || (0..10).map_while(|ahead| year.checked_add(ahead)?.checked_sub(1));
        let latest = |fits: &dyn Fn(Days) -> bool| {
            earlier().filter_map(|year| yearly.in_year(year)).find(|&days| fits(days))
        };
        let next = |fits: &dyn Fn(Days) -> bool| {
            later().filter_map(|year| yearly.in_year(year)).find(|&days| fits(days))
        };
        Some(match which {
            Which::Year(year) => Period::named(yearly.in_year(year)?),
            Which::CountedYear(year) => Period::counted(yearly.in_year(year)?),
            Which::Last => Period::counted(latest(&|days| days.last < reference)?),
            Which::Next => Period::counted(next(&|days| days.first > reference)?),
            Which::This => {
                let current = latest(&|days| days.away(reference) == 0);
                Period::counted(current.or_else(|| yearly.in_year(year))?)
            }
            Which::Latest => {
                let days = if self.future {
                    next(&|days| days.last >= reference)
                } else {
                    latest(&|days| days.first <= reference)
                };
                Period { year_known: false, ..Period::named(days?) }
            }
        })
    }

    /// Reads ", 2023", "of 2023", "'23" and "of last year".
    fn year_after(&self, index: usize) -> Parsed<Which> {
        let comma = matches!(self.mark(index), Some(',' | '/'));
        let is_link = |meaning| matches!(meaning, Meaning::Of | Meaning::In).then_some(());
        let start =
            self.meaning(index, is_link).map_or(index + usize::from(comma), |((), end)| end);
        let absolute = self.absolute_year(start).map(|(year, end)| (Which::Year(year), end));
        if absolute.is_some() || comma {
            return absolute;
        }
        let (_, start) = self.skip_article(start);
        let counted = self.counted_unit(start)?;
        let ((Unit::Year, days), end) = counted else { return None };
        Some((Which::CountedYear(days.first.year()), end))
    }

    /// Reads "2023" and "'23".
    fn absolute_year(&self, index: usize) -> Parsed<i16> {
        if matches!(self.mark(index), Some('\'' | '’')) && self.touches_previous(index + 1) {
            let (value, 2) = self.number(index + 1)? else { return None };
            return Some((full_year(value)?, index + 2));
        }
        let (value, 4) = self.number(index)? else { return None };
        let year = i16::try_from(value).ok().filter(|year| (1000..3000).contains(year))?;
        let alone = self.stands_alone_before(index) && self.stands_alone_after(index);
        alone.then_some((year, index + 1))
    }

    /// Reads "the summer of 2023", "in spring", "Christmas 2022" and "New Year's Eve".
    fn season_or_feast(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let yearly = |meaning| match meaning {
            Meaning::Season(_) | Meaning::Feast(_) => Some(meaning),
            _ => None,
        };
        let (meaning, entry, middle) = self.entry(index, yearly)?;
        let (period, end) = self.in_some_year(meaning.yearly()?, middle);
        if end > middle {
            return Some((period, end));
        }
        let certain = match meaning {
            Meaning::Season(_) => {
                matches!(lead.preposition, Some(meaning) if meaning != Meaning::On)
            }
            _ => lead.preposition.is_some(),
        };
        // "the fall of Rome" and "spring onions" are no seasons.
        let other = entry.doubtful && (!certain || self.is(end, Meaning::Of).is_some());
        (!other).then_some((Period { certain, ..period }, end))
    }

    /// Reads "Q3 2024" and "H1 2023".
    fn quarter(&self, index: usize) -> Parsed<Period> {
        let (value, 1) = self.number(index + 1)? else { return None };
        let number = i8::try_from(value).ok()?;
        let yearly = match (self.spelling(index), number) {
            ("Q" | "q", 1..=4) => Yearly::Quarter(number),
            ("H" | "h", 1..=2) => Yearly::Half(number),
            _ => return None,
        };
        let joined = self.touches_previous(index + 1) && self.stands_alone_after(index + 1);
        if !joined || self.touches_previous(index) {
            return None;
        }
        let (period, end) = self.in_some_year(yearly, index + 2);
        let sure = end > index + 2 || matches!(yearly, Yearly::Quarter(_));
        sure.then_some((period, end))
    }

    /// Reads "the 90s", "1990s" and "the nineties", but not "in her nineties".
    fn decade(&self, index: usize, lead: Lead) -> Parsed<Period> {
        if index > 0 && self.is(index - 1, Meaning::Own).is_some() {
            return None;
        }
        let named = self.meaning(index, |meaning| match meaning {
            Meaning::Decade(year) => Some(year),
            _ => None,
        });
        let (year, end) = named.or_else(|| self.numbered_decade(index))?;
        let days = around(date(year, 1, 1)?, Unit::Decade);
        let certain = lead.the || end - index == 2 && year > 1000 && lead.preposition.is_some();
        Some((Period { certain, ..Period::named(days) }, end))
    }

    fn numbered_decade(&self, index: usize) -> Parsed<i16> {
        let apostrophe = usize::from(matches!(self.mark(index), Some('\'' | '’')));
        let start = index + apostrophe;
        let (value, digits) = self.number(start)?;
        let suffix = start + 1 + usize::from(matches!(self.mark(start + 1), Some('\'' | '’')));
        let plural = self.spelling(suffix) == "s" && self.touches_previous(suffix);
        if !plural || value % 10 != 0 || !self.stands_alone_before(start) && apostrophe == 0 {
            return None;
        }
        let year = match digits {
            4 if (1000..3000).contains(&value) => value,
            2 => {
                let century = i64::from(self.reference.year()).div_euclid(100) * 100;
                let begun = century + value <= i64::from(self.reference.year());
                if begun { century + value } else { century + value - 100 }
            }
            _ => return None,
        };
        Some((i16::try_from(year).ok()?, suffix + 1))
    }

    /// Reads a year by itself, which is likelier one after a preposition.
    fn bare_year(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let (year, end) = self.absolute_year(index)?;
        let counts_something = self.unit(end).is_some() || self.mark(end) == Some('%');
        let certain = matches!(lead.preposition, Some(meaning) if meaning != Meaning::On);
        let soon = self.reference.year().saturating_add(1);
        let plausible = (1900..=soon).contains(&year) || certain && (1600..=2100).contains(&year);
        if counts_something || !plausible || self.number(index).is_none() {
            return None;
        }
        let days = around(date(year, 1, 1)?, Unit::Year);
        Some((Period { certain, ..Period::named(days) }, end))
    }
}

/// Returns the year with these last two digits: 1969 to 2068, as POSIX has it.
pub(super) fn full_year(value: i64) -> Option<i16> {
    i16::try_from(if value <= 68 { 2000 + value } else { 1900 + value }).ok()
}

/// Returns the day of a week.
pub(super) fn day_in(week: Days, weekday: Weekday) -> jiff::civil::Date {
    plus(week.first, Unit::Day, i64::from(weekday.to_monday_zero_offset()))
}

/// Returns the nth week, weekend, day, weekday or half of a period, the last if `nth` is -1.
fn nth_of(days: Days, nth: i8, kind: Meaning) -> Option<Days> {
    let back = i64::from(nth) - 1;
    let nth_weekday = |weekday: Weekday| {
        let (start, steps) = match nth {
            -1 => (plus(days.last, Unit::Day, 1), -1),
            _ => (plus(days.first, Unit::Day, -1), nth),
        };
        start.nth_weekday(i32::from(steps), weekday).ok()
    };
    let part = match (kind, nth) {
        (Meaning::Weekday(weekday), _) => Days::day(nth_weekday(weekday)?),
        (Meaning::Unit(Unit::Weekend), _) => around(nth_weekday(Weekday::Saturday)?, Unit::Weekend),
        (Meaning::Unit(Unit::Week), -1) => Days::between(plus(days.last, Unit::Day, -6), days.last),
        (Meaning::Unit(Unit::Week), _) => {
            let first = plus(days.first, Unit::Week, back);
            Days::between(first, plus(first, Unit::Day, 6))
        }
        (Meaning::Unit(Unit::Day), -1) => Days::day(days.last),
        (Meaning::Unit(Unit::Day), _) => Days::day(plus(days.first, Unit::Day, back)),
        (Meaning::Half, 1) => {
            Days::between(days.first, plus(days.first, Unit::Day, days.length() / 2 - 1))
        }
        (Meaning::Half, 2) => {
            Days::between(plus(days.first, Unit::Day, days.length() / 2), days.last)
        }
        _ => return None,
    };
    (days.away(part.first) == 0).then_some(part)
}
