//! Periods that count from the reference: yesterday, last week, two months ago.

use jiff::civil::{Date, Weekday};

use super::lexicon::{Meaning, Unit};
use super::parser::{Lead, Parsed, Parser, Period, longest};
use super::period::{Which, day_in};
use super::yearly::{Days, around, plus};

/// How many of a unit, and whether exactly.
#[derive(Debug, Clone, Copy)]
struct Count {
    number: i64,
    exact: bool,
}

impl Parser<'_> {
    /// Reads a period that counts from the reference.
    pub(super) fn relative(&self, index: usize, lead: Lead) -> Parsed<Period> {
        longest([
            self.offset(index),
            self.shift(index),
            self.ago(index),
            self.ahead(index),
            self.window(index, lead),
            self.determined(index),
        ])
    }

    /// Reads "yesterday", "tomorrow morning" and "recently".
    fn offset(&self, index: usize) -> Parsed<Period> {
        let offset = |meaning| match meaning {
            Meaning::Offset(_) | Meaning::Recent(_) => Some(meaning),
            _ => None,
        };
        let (offset, end) = self.meaning(index, offset)?;
        let period = match offset {
            Meaning::Offset(days) => Period::counted(Days::day(self.days_later(days))),
            Meaning::Recent(days) => {
                let days = Days::between(self.days_later(-days), self.reference);
                Period { certain: false, ..Period::counted(days) }
            }
            _ => return None,
        };
        Some((period, self.skip(end, Meaning::DayPart)))
    }

    fn days_later(&self, days: i64) -> Date {
        plus(self.reference, Unit::Day, days)
    }

    /// Reads what is one word in some languages: 先週, 去年, 지난달.
    fn shift(&self, index: usize) -> Parsed<Period> {
        let ((unit, days), end) = self.shifted_unit(index)?;
        if unit == Unit::Week
            && let Some((weekday, _, end)) = self.weekday(self.skip(end, Meaning::Of))
        {
            return Some((Period::counted(Days::day(day_in(days, weekday))), end));
        }
        Some((Period::counted(days), end))
    }

    fn shifted_unit(&self, index: usize) -> Parsed<(Unit, Days)> {
        let ((unit, count), end) = self.meaning(index, |meaning| match meaning {
            Meaning::Shift(unit, count) => Some((unit, count)),
            _ => None,
        })?;
        Some(((unit, around(plus(self.reference, unit, count), unit)), end))
    }

    /// Reads "3 days ago", "a couple of months ago", "vor zwei Wochen" and "il y a un an".
    fn ago(&self, index: usize) -> Parsed<Period> {
        let before = self.is(index, Meaning::BeforeAgo);
        let (count, middle) = self.count(before.unwrap_or(index))?;
        let (unit, end) = self.unit(middle)?;
        let end = match before {
            Some(_) => self.skip(end, Meaning::Ago),
            None => self.is(end, Meaning::Ago)?,
        };
        Some((Period::counted(distant(self.reference, unit, -count.number, count.exact)), end))
    }

    /// Reads "in two weeks" and "two weeks from now".
    fn ahead(&self, index: usize) -> Parsed<Period> {
        let before = self.is(index, Meaning::Ahead);
        let (count, middle) = self.count(before.unwrap_or(index))?;
        let (unit, end) = self.unit(middle)?;
        let (end, certain) = match (before, self.is(end, Meaning::Onward)) {
            (_, Some(end)) => (end, true),
            // "how often in a week?"
            (Some(_), None) if count.number > 1 || self.future => (end, false),
            _ => return None,
        };
        let days = distant(self.reference, unit, count.number, count.exact);
        // "in two weeks" may also say how long something took.
        Some((Period { certain, ..Period::counted(days) }, end))
    }

    /// Reads "the last 10 days", "the past week" and "les 10 derniers jours".
    fn window(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let is_last = |meaning| matches!(meaning, Meaning::Last | Meaning::Past).then_some(meaning);
        let one = Count { number: 1, exact: true };
        let (count, middle) = if let Some((last, middle)) = self.meaning(index, is_last) {
            // "last week" is one of the calendar, "the last week" the seven days before now.
            let alone = lead.the || last == Meaning::Past;
            self.count(middle).or_else(|| alone.then_some((one, middle)))?
        } else {
            let (count, middle) = self.count(index)?;
            (count, self.meaning(middle, is_last)?.1)
        };
        let (unit, end) = self.unit(middle)?;
        let first = plus(self.reference, unit, -count.number);
        let period = Period::counted(Days::between(first, self.reference));
        let sensible = unit != Unit::Day || count.number > 1;
        sensible.then_some((period, end))
    }

    /// Reads "last week", "this Friday", "next summer", "last May" and "la semaine dernière".
    fn determined(&self, index: usize) -> Parsed<Period> {
        let unit = self.counted_unit(index).map(|((_, days), end)| (Period::counted(days), end));
        longest([unit, self.determined_weekday(index), self.determined_yearly(index)])
    }

    /// Reads a week, for the weekday that is meant of it.
    pub(super) fn week(&self, index: usize) -> Parsed<Days> {
        let (_, start) = self.skip_article(index);
        match self.counted_unit(start)? {
            ((Unit::Week, days), end) => Some((days, end)),
            _ => None,
        }
    }

    /// Reads a unit of the calendar that is one before, of or after the reference.
    pub(super) fn counted_unit(&self, index: usize) -> Parsed<(Unit, Days)> {
        if let Some(shifted) = self.shifted_unit(index) {
            return Some(shifted);
        }
        let (unit, which, end) = self.determiner_and(index, |index| self.unit(index))?;
        let steps = match which {
            Which::Last => -1,
            Which::Next => 1,
            _ => 0,
        };
        // The last or next day is seldom yesterday or tomorrow.
        if matches!(unit, Unit::Hour | Unit::Day) {
            return None;
        }
        let days = match (unit, which) {
            (Unit::Weekend, Which::Last) => {
                let latest = self.latest_before(Weekday::Sunday);
                around(latest, unit)
            }
            _ => around(plus(self.reference, unit, steps), unit),
        };
        Some(((unit, days), end))
    }

    fn determined_weekday(&self, index: usize) -> Parsed<Period> {
        let plain = |index| self.weekday(index).map(|(weekday, _, end)| (weekday, end));
        let (weekday, which, end) = self.determiner_and(index, plain)?;
        let week = around(self.reference, Unit::Week);
        let day = |date| Period::counted(Days::day(date));
        let period = match which {
            Which::Last => day(self.latest_before(weekday)),
            Which::Next => {
                let coming = self.first_after(weekday);
                let next_week = plus(day_in(week, weekday), Unit::Week, 1);
                let other = (next_week != coming).then_some(Days::day(next_week));
                Period { other, ..day(coming) }
            }
            _ => day(day_in(week, weekday)),
        };
        Some((period, self.skip(end, Meaning::DayPart)))
    }

    fn determined_yearly(&self, index: usize) -> Parsed<Period> {
        // "this may", "the last march" and "what came next may" need a capital to be months.
        let yearly = |index: usize| {
            let (yearly, entry, end) = self.entry(index, Meaning::yearly)?;
            let doubtful = entry.doubtful && matches!(entry.meaning, Meaning::Month(_));
            let after = self.meaning(end, follows_its_noun).is_some();
            let likely = !doubtful || after || self.tokens[index].capital;
            (likely && !(doubtful && self.is_possessive(end))).then_some((yearly, end))
        };
        let (yearly, which, end) = self.determiner_and(index, yearly)?;
        Some((self.which(yearly, which)?, end))
    }

    /// Reads something with "last", "this" or "next" before it, or the like after it.
    fn determiner_and<T>(
        &self,
        index: usize,
        read: impl Fn(usize) -> Parsed<T>,
    ) -> Option<(T, Which, usize)> {
        let before = || {
            let (which, middle) = self.meaning(index, precedes_its_noun)?;
            let (value, end) = read(middle)?;
            Some((value, which, end))
        };
        let after = || {
            let (value, middle) = read(index)?;
            let (which, end) = self.meaning(middle, follows_its_noun)?;
            Some((value, which, end))
        };
        before().or_else(after)
    }

    /// Reads "the day after Christmas", "two weeks before 9 June" and "the last Friday before May 20".
    pub(super) fn beside(&self, index: usize) -> Parsed<Period> {
        let counted = self.count(index);
        let middle = counted.map_or_else(|| self.skip(index, Meaning::Last), |(_, end)| end);
        let what = |meaning| match meaning {
            Meaning::Unit(_) | Meaning::Weekday(_) => Some(meaning),
            _ => None,
        };
        let (what, middle) = self.meaning(middle, what)?;
        let is_side =
            |meaning| matches!(meaning, Meaning::Before | Meaning::After).then_some(meaning);
        let (side, middle) = self.meaning(middle, is_side)?;
        let (period, end) = self.inner(middle)?;
        let direction = if side == Meaning::Before { -1 } else { 1 };
        let edge = if side == Meaning::Before { period.days.first } else { period.days.last };
        let days = match (what, counted) {
            (Meaning::Weekday(weekday), None) => {
                Days::day(edge.nth_weekday(direction, weekday).ok()?)
            }
            (Meaning::Unit(unit), Some((count, _))) => {
                distant(edge, unit, i64::from(direction) * count.number, count.exact)
            }
            (Meaning::Unit(Unit::Weekend), None) => {
                let saturday = edge.nth_weekday(direction, Weekday::Saturday).ok()?;
                around(saturday, Unit::Weekend)
            }
            (Meaning::Unit(unit), None) => {
                let near = plus(edge, Unit::Day, i64::from(direction));
                let far = plus(edge, unit, i64::from(direction));
                Days::between(near, far)
            }
            _ => return None,
        };
        Some((Period { days, other: None, ..period }, end))
    }

    fn count(&self, index: usize) -> Parsed<Count> {
        if let Some((number, digits)) = self.number(index) {
            let alone = self.stands_alone_before(index) && digits <= 4;
            return alone.then_some((Count { number, exact: true }, index + 1));
        }
        self.meaning(index, |meaning| match meaning {
            Meaning::Number(number) => Some(Count { number, exact: true }),
            Meaning::About(number) => Some(Count { number, exact: false }),
            _ => None,
        })
    }

    /// Returns the latest such weekday that is not after the reference, or the next in the future.
    pub(super) fn nearest(&self, weekday: Weekday) -> Date {
        if self.reference.weekday() == weekday {
            return self.reference;
        }
        if self.future { self.first_after(weekday) } else { self.latest_before(weekday) }
    }

    fn latest_before(&self, weekday: Weekday) -> Date {
        self.reference.nth_weekday(-1, weekday).unwrap_or(Date::MIN)
    }

    fn first_after(&self, weekday: Weekday) -> Date {
        self.reference.nth_weekday(1, weekday).unwrap_or(Date::MAX)
    }
}

fn precedes_its_noun(meaning: Meaning) -> Option<Which> {
    match meaning {
        Meaning::Last => Some(Which::Last),
        Meaning::This => Some(Which::This),
        Meaning::Next => Some(Which::Next),
        _ => None,
    }
}

fn follows_its_noun(meaning: Meaning) -> Option<Which> {
    match meaning {
        Meaning::LastAfter => Some(Which::Last),
        Meaning::NextAfter => Some(Which::Next),
        _ => None,
    }
}

/// Returns the day so many units from another, give or take half a unit or, of "a few", more.
fn distant(from: Date, unit: Unit, count: i64, exact: bool) -> Days {
    let half = match unit {
        Unit::Hour => 0,
        Unit::Day => i64::from(!exact),
        Unit::Weekend | Unit::Week => 3,
        Unit::Month => 15,
        Unit::Quarter => 45,
        Unit::Year => 182,
        Unit::Decade => 1825,
    };
    let slack = if exact { half } else { 2 * half };
    let middle = plus(from, unit, count);
    Days::between(plus(middle, Unit::Day, -slack), plus(middle, Unit::Day, slack))
}
