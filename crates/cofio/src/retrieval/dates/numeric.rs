//! Dates written with numbers: 2023-05-07, 5/7/2023, 7.5.2023, 2023年5月7日.

use super::lexicon::{Meaning, Unit};
use super::parser::{Lead, Parsed, Parser, Period, longest};
use super::period::full_year;
use super::tokens::Kind;
use super::yearly::{Days, Yearly, around, date};

/// A number, and how many digits it was written with.
type Number = (i64, usize);

impl Parser<'_> {
    pub(super) fn numeric(&self, index: usize, lead: Lead) -> Parsed<Period> {
        longest([
            self.east_asian(index),
            self.year_first(index),
            self.year_last(index),
            self.without_year(index, lead),
        ])
    }

    /// Reads "2023-05-07", "2023/5/7" and "2023-05".
    fn year_first(&self, index: usize) -> Parsed<Period> {
        let (year, 4) = self.number(index)? else { return None };
        let year = i16::try_from(year).ok()?;
        if !self.stands_alone_before(index) || !(1000..3000).contains(&year) {
            return None;
        }
        let (separator, (month, digits)) = self.joined(index + 1)?;
        let month = small(month)?;
        if let Some((second, (day, 1..=2))) = self.joined(index + 3) {
            let day = date(year, month, small(day)?)?;
            let whole = second == separator && self.joined(index + 5).is_none();
            return whole.then_some((Period::named(Days::day(day)), index + 5));
        }
        let first = date(year, month, 1)?;
        let is_month = separator != '.' && digits == 2 && self.stands_alone_after(index + 2);
        is_month.then_some((Period::named(around(first, Unit::Month)), index + 3))
    }

    /// Reads "5/7/2023", "7.5.2023" and "5/7/23".
    fn year_last(&self, index: usize) -> Parsed<Period> {
        let (one, one_digits) = self.number(index)?;
        let (separator, (other, other_digits)) = self.joined(index + 1)?;
        let (second, (year, year_digits)) = self.joined(index + 3)?;
        let sensible = self.stands_alone_before(index)
            && self.stands_alone_after(index + 4)
            && one_digits.max(other_digits) <= 2
            && second == separator;
        let year = match year_digits {
            4 if (1000..3000).contains(&year) => i16::try_from(year).ok()?,
            2 if separator != '-' => full_year(year)?,
            _ => return None,
        };
        let (one, other) = (small(one)?, small(other)?);
        let day_first = date(year, other, one).map(Days::day);
        let month_first = date(year, one, other).map(Days::day);
        let mut readings = [month_first, day_first];
        if separator == '.' {
            readings = [day_first, None];
        }
        let mut readings = readings.into_iter().flatten();
        let days = readings.next().filter(|_| sensible)?;
        let other = readings.next().filter(|&other| other != days);
        Some((Period { other, ..Period::named(days) }, index + 5))
    }

    /// Reads "on 5/7", which might be a fraction without its preposition.
    fn without_year(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let (one, 1..=2) = self.number(index)? else { return None };
        let ('/', (other, 1..=2)) = self.joined(index + 1)? else { return None };
        let alone = self.stands_alone_before(index)
            && self.stands_alone_after(index + 2)
            && self.joined(index + 3).is_none();
        let dated = matches!(lead.preposition, Some(meaning) if meaning != Meaning::In);
        if !alone || !dated || lead.the {
            return None;
        }
        let (one, other) = (small(one)?, small(other)?);
        let reading = |month: i8, day: i8| {
            // 2000 is a leap year, so that 29 February counts.
            date(2000, month, day)?;
            Some(self.in_some_year(Yearly::Days(month, day, day), self.tokens.len()).0)
        };
        let (month_first, day_first) = (reading(one, other), reading(other, one));
        let first = month_first.or(day_first)?;
        let second = day_first.map(|period| period.days).filter(|&days| days != first.days);
        Some((Period { other: second, certain: false, ..first }, index + 3))
    }

    /// Returns the separator and the number that follow without a space.
    fn joined(&self, index: usize) -> Option<(char, Number)> {
        let separator = self.mark(index).filter(|mark| matches!(mark, '-' | '/' | '.'))?;
        let joined = self.touches_previous(index) && self.touches_previous(index + 1);
        let number = self.number(index + 1)?;
        joined.then_some((separator, number))
    }

    /// Reads "2023年5月7日", "5月7日", "5월", "2023년 5월".
    fn east_asian(&self, index: usize) -> Parsed<Period> {
        let year = self.labelled(index, &['年', '년']).filter(|((_, digits), _)| *digits == 4);
        let start = year.map_or(index, |(_, end)| end);
        let month = self.labelled(start, &['月', '월']);
        let month = month.and_then(|((month, _), end)| Some((small(month)?, end)));
        let month = month.filter(|(month, _)| (1..=12).contains(month));
        let Some((month, end)) = month else {
            let ((year, _), end) = year?;
            let first = date(i16::try_from(year).ok()?, 1, 1)?;
            return Some((Period::named(around(first, Unit::Year)), end));
        };
        let day = self.labelled(end, &['日', '号', '號', '일']);
        let (yearly, end) = match day.and_then(|((day, _), end)| Some((small(day)?, end))) {
            // 2000 is a leap year, so that 29 February counts.
            Some((day, end)) if date(2000, month, day).is_some() => {
                (Yearly::Days(month, day, day), end)
            }
            _ => (Yearly::Month(month), end),
        };
        let period = match year {
            Some(((year, _), _)) => Period::named(yearly.in_year(i16::try_from(year).ok()?)?),
            None => self.in_some_year(yearly, self.tokens.len()).0,
        };
        Some((period, end))
    }

    fn labelled(&self, index: usize, labels: &[char]) -> Parsed<Number> {
        let number = self.number(index)?;
        let Kind::Mark(mark) = self.tokens.get(index + 1)?.kind else { return None };
        labels.contains(&mark).then_some((number, index + 2))
    }
}

fn small(number: i64) -> Option<i8> {
    i8::try_from(number).ok()
}
