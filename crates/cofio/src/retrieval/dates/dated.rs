//! Days and months by name: 7 May 2023, May 7th, in May, on the 3rd.

use super::lexicon::{Meaning, Unit};
use super::parser::{Lead, Parsed, Parser, Period, longest};
use super::tokens::Kind;
use super::yearly::{Days, Yearly, date, plus};

impl Parser<'_> {
    /// Reads a month with its day and year, as far as they are there.
    pub(super) fn dated(&self, index: usize, lead: Lead) -> Parsed<Period> {
        longest([
            self.day_and_month(index, lead),
            self.month_and_day(index, lead),
            self.month_alone(index, lead),
        ])
    }

    /// Reads "7 May 2023", "7th of May", "3-5 May" and "7. Mai".
    fn day_and_month(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let ((first, ordinal), middle) = self.day_number(index)?;
        let (last, middle) = self.second_day(first, middle);
        let of = self.is(middle, Meaning::Of);
        let middle = match of {
            Some(end) if matches!(self.mark(end), Some('\'' | '’')) => end + 1,
            Some(end) => end,
            None if self.mark(middle) == Some('.') => middle + 1,
            None => middle,
        };
        let (month, doubtful, end) = self.month(middle)?;
        let evident = ordinal || of.is_some() || self.is_evident(middle, lead);
        self.on_days(Yearly::Days(month, first, last), end, !doubtful || evident)
    }

    /// Reads "May 7, 2023", "May 7th" and "May 3-5".
    fn month_and_day(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let (month, doubtful, middle) = self.month(index)?;
        let (_, middle) = self.skip_article(middle);
        let ((first, ordinal), end) = self.day_number(middle)?;
        // May 7:30 is no date, nor is May 7.5.
        let split = matches!(self.mark(end), Some(':' | '.' | '/'));
        if split && self.touches_previous(end) && self.touches_previous(end + 1) {
            return None;
        }
        let (last, end) = self.second_day(first, end);
        let evident = ordinal || self.is_evident(index, lead);
        self.on_days(Yearly::Days(month, first, last), end, !doubtful || evident)
    }

    fn on_days(&self, days: Yearly, end: usize, evident: bool) -> Parsed<Period> {
        let (period, end_of_year) = self.in_some_year(days, end);
        let valid = days.in_year(period.days.first.year()) == Some(period.days);
        (valid && (evident || end_of_year > end)).then_some((period, end_of_year))
    }

    /// Tells whether a doubtful month beside a day is one: it has a capital or a preposition.
    fn is_evident(&self, month: usize, lead: Lead) -> bool {
        lead.preposition.is_some() || lead.the || self.tokens[month].capital
    }

    /// Reads "May 2023", "May of last year" and, with evidence, "May".
    fn month_alone(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let (month, doubtful, middle) = self.month(index)?;
        let (period, end) = self.in_some_year(Yearly::Month(month), middle);
        if end > middle || !doubtful {
            return (!self.is_possessive(end) || !doubtful).then_some((period, end));
        }
        let sure = matches!(
            lead.preposition,
            Some(
                Meaning::In
                    | Meaning::Since
                    | Meaning::Until
                    | Meaning::Between
                    | Meaning::From
                    | Meaning::To
            )
        );
        let bound = matches!(lead.preposition, Some(Meaning::Before | Meaning::After));
        let likely = sure || (bound && self.tokens[index].capital);
        let certain = sure && !matches!(lead.preposition, Some(Meaning::Until));
        let fits = likely && !lead.the && !self.is_possessive(end);
        fits.then_some((Period { certain, ..period }, end))
    }

    /// Reads a month and the full stop of its abbreviation.
    fn month(&self, index: usize) -> Option<(i8, bool, usize)> {
        let month = |meaning| match meaning {
            Meaning::Month(month) => Some(month),
            _ => None,
        };
        let (month, entry, end) = self.entry(index, month)?;
        let abbreviated = self.mark(end) == Some('.') && self.number(end + 1).is_some();
        Some((month, entry.doubtful, if abbreviated { end + 1 } else { end }))
    }

    pub(super) fn number(&self, index: usize) -> Option<(i64, usize)> {
        self.tokens.get(index)?.number
    }

    /// Reads a day of a month, and whether it is an ordinal: "7", "7th", "1er", "first".
    pub(super) fn day_number(&self, index: usize) -> Parsed<(i8, bool)> {
        let ordinal = self.meaning(index, |meaning| match meaning {
            Meaning::Ordinal(day) => Some((day, true)),
            _ => None,
        });
        if ordinal.is_some() {
            return ordinal;
        }
        let (value, digits) = self.number(index)?;
        let day = i8::try_from(value).ok().filter(|day| (1..=31).contains(day) && digits <= 2)?;
        if !self.stands_alone_before(index) {
            return None;
        }
        if !self.touches_previous(index + 1) {
            return Some(((day, false), index + 1));
        }
        match (self.tokens[index + 1].kind, self.spelling(index + 1)) {
            (Kind::Word, "st" | "nd" | "rd" | "th" | "er" | "ère" | "e" | "º" | "ª" | "o")
            | (Kind::Mark('°'), _) => Some(((day, true), index + 2)),
            (Kind::Word, _) => None,
            _ => Some(((day, false), index + 1)),
        }
    }

    /// Reads the end of "3-5", or returns the first day again.
    fn second_day(&self, first: i8, index: usize) -> (i8, usize) {
        let dash = matches!(self.mark(index), Some('-' | '–'));
        match self.day_number(index + 1) {
            Some(((last, _), end)) if dash && last > first => (last, end),
            _ => (first, index),
        }
    }

    /// Reads "on the 7th" where a sentence or clause ends.
    pub(super) fn ordinal_day(&self, index: usize, lead: Lead) -> Parsed<Period> {
        let ((day, true), end) = self.day_number(index)? else { return None };
        let closed =
            end >= self.tokens.len() || matches!(self.mark(end), Some('?' | '.' | ',' | '!'));
        if !closed || !lead.the || lead.preposition.is_none() {
            return None;
        }
        let month = self.reference.first_of_month();
        let in_month = |back: i64| {
            let month = plus(month, Unit::Month, -back);
            date(month.year(), month.month(), day).filter(|&date| date <= self.reference)
        };
        let days = Days::day((0..3).find_map(in_month)?);
        Some((Period { certain: false, ..Period::counted(days) }, end))
    }

    /// Tells whether the number at `index` is not the end of something longer, as in "abc-7".
    pub(super) fn stands_alone_before(&self, index: usize) -> bool {
        if !self.touches_previous(index) {
            return true;
        }
        let after_word = index > 1 && self.tokens[index - 2].word.is_some();
        match self.tokens[index - 1].kind {
            // "mid-2022" and "2020-2022".
            Kind::Mark('-' | '–') => after_word || index > 1 && self.number(index - 2).is_some(),
            Kind::Mark(mark) => !"_#$€£@/.:+=\\".contains(mark),
            Kind::Word | Kind::Number | Kind::Space => false,
        }
    }

    /// Tells whether the number at `index` is not the start of something longer, as in "7.5".
    pub(super) fn stands_alone_after(&self, index: usize) -> bool {
        let next = index + 1;
        if !self.touches_previous(next) {
            return true;
        }
        let number_follows = self.touches_previous(next + 1) && self.number(next + 1).is_some();
        match self.tokens[next].kind {
            Kind::Word | Kind::Number | Kind::Mark('_' | '%') => false,
            Kind::Mark('.' | ':' | ',') => !number_follows,
            Kind::Mark('-' | '–' | '/') => {
                !number_follows || self.number(next + 1).is_some_and(|(_, digits)| digits == 4)
            }
            _ => true,
        }
    }
}
