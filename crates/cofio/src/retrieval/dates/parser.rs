//! Finds expressions in a question: single periods, those with one end, and those between two.

use std::cell::OnceCell;
use std::collections::VecDeque;

use jiff::civil::Date;

use super::Mention;
use super::lexicon::{self, Entry, Meaning, Unit, WordId};
use super::tokens::{Kind, Token, tokens};
use super::yearly::{Days, plus};
use crate::text::{Language, language};

/// How far the heart of an expression may be from its start: "in the last couple of months".
const FARTHEST_HEART: usize = 6;

/// A value and the index of the token after it.
pub(super) type Parsed<T> = Option<(T, usize)>;

/// What an expression means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    pub days: Days,
    /// Another reading that is as likely.
    pub other: Option<Days>,
    pub relative: bool,
    pub year_known: bool,
    pub certain: bool,
}

impl Period {
    /// Returns days named by the calendar.
    pub(super) fn named(days: Days) -> Self {
        Self { days, other: None, relative: false, year_known: true, certain: true }
    }

    /// Returns days counted from the reference.
    pub(super) fn counted(days: Days) -> Self {
        Self { relative: true, ..Self::named(days) }
    }
}

/// What stands before a period and speaks for its being one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lead {
    pub preposition: Option<Meaning>,
    /// Whether there is "the".
    pub the: bool,
}

/// Goes through a question and yields its mentions.
pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub reference: Date,
    /// Whether the question is about what is to come.
    pub future: bool,
    language: OnceCell<Language>,
    next: usize,
    found: VecDeque<Mention>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, reference: Date) -> Self {
        let mut parser = Self {
            text,
            tokens: tokens(text),
            reference,
            future: false,
            language: OnceCell::new(),
            next: 0,
            found: VecDeque::new(),
        };
        parser.future = (0..parser.tokens.len()).any(|index| parser.is_future(index));
        parser
    }

    /// Tells whether the word is a verb of the future, and not somebody called Will.
    fn is_future(&self, index: usize) -> bool {
        let name = index > 0 && self.tokens[index].capital;
        !name && self.is(index, Meaning::Future).is_some()
    }

    /// Returns the meaning of the words at `index` that `accept` takes, the longest first.
    pub(super) fn entry<T>(
        &self,
        index: usize,
        accept: impl Fn(Meaning) -> Option<T>,
    ) -> Option<(T, &'static Entry, usize)> {
        let word = self.tokens.get(index)?.word?;
        lexicon::entries(word).iter().find_map(|entry| {
            let value = accept(entry.meaning)?;
            let end = self.followed_by(index + 1, &entry.rest)?;
            self.speaks(entry.only_in).then_some((value, entry, end))
        })
    }

    pub(super) fn meaning<T>(
        &self,
        index: usize,
        accept: impl Fn(Meaning) -> Option<T>,
    ) -> Parsed<T> {
        self.entry(index, accept).map(|(value, _, end)| (value, end))
    }

    /// Returns the index after the words at `index` if they can mean `meaning`.
    pub(super) fn is(&self, index: usize, meaning: Meaning) -> Option<usize> {
        self.meaning(index, |other| (other == meaning).then_some(())).map(|((), end)| end)
    }

    /// Returns the index after the words at `index` if they can mean `meaning`, or `index`.
    pub(super) fn skip(&self, index: usize, meaning: Meaning) -> usize {
        self.is(index, meaning).unwrap_or(index)
    }

    /// Returns the index after the article at `index`, and whether it is "the".
    pub(super) fn skip_article(&self, index: usize) -> (bool, usize) {
        if let Some(end) = self.is(index, Meaning::The) {
            return (true, end);
        }
        let end = self.skip(index, Meaning::Article);
        (false, if end > index && self.is_apostrophe(end) { end + 1 } else { end })
    }

    fn followed_by(&self, mut index: usize, rest: &[WordId]) -> Option<usize> {
        for &word in rest {
            if matches!(self.mark(index), Some('-' | '‐' | '\'' | '’')) {
                index += 1;
            }
            if self.tokens.get(index)?.word != Some(word) {
                return None;
            }
            index += 1;
        }
        Some(index)
    }

    fn speaks(&self, required: Option<Language>) -> bool {
        required
            .is_none_or(|required| *self.language.get_or_init(|| language(self.text)) == required)
    }

    pub(super) fn mark(&self, index: usize) -> Option<char> {
        match self.tokens.get(index)?.kind {
            Kind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    fn is_apostrophe(&self, index: usize) -> bool {
        matches!(self.mark(index), Some('\'' | '’'))
    }

    /// Tells whether nothing separates the token at `index` from the one before it.
    pub(super) fn touches_previous(&self, index: usize) -> bool {
        let previous = index.checked_sub(1).and_then(|index| self.tokens.get(index));
        let pair = previous.zip(self.tokens.get(index));
        pair.is_some_and(|(previous, token)| previous.end == token.start)
    }

    /// Tells whether a possessive follows, as in "June's".
    pub(super) fn is_possessive(&self, end: usize) -> bool {
        self.is_apostrophe(end) && self.touches_previous(end)
    }

    pub(super) fn spelling(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |token| &self.text[token.start..token.end])
    }

    /// Returns an expression that begins at `index`.
    fn expression(&self, index: usize) -> Parsed<Period> {
        let reach = &self.tokens[index..self.tokens.len().min(index + FARTHEST_HEART)];
        if !reach.iter().any(|token| token.trigger) {
            return None;
        }
        let candidates = [self.range(index), self.bounded(index), self.open_range(index)];
        longest(candidates)
    }

    /// Reads "between May and July" and "from 3 to 5 May".
    fn range(&self, index: usize) -> Parsed<Period> {
        let opens =
            |meaning| matches!(meaning, Meaning::Between | Meaning::From).then_some(meaning);
        let (opening, start) = self.meaning(index, opens)?;
        let lead = Lead { preposition: Some(opening), the: false };
        let closes = |meaning| matches!(meaning, Meaning::And | Meaning::To).then_some(());
        if let Some((first, middle)) = self.led(start, lead) {
            let ((), after) = self.closing(middle, closes)?;
            let (last, end) = self.led(after, lead)?;
            return Some((align(first, last), end));
        }
        let (_, start) = self.skip_article(start);
        let ((day, _), middle) = self.day_number(start)?;
        let ((), after) = self.closing(middle, closes)?;
        let (last, end) = self.led(after, lead)?;
        let first = last.days.first.with().day(day).build().ok()?;
        let days = (last.days.length() == 1).then(|| Days::between(first, last.days.last))?;
        Some((Period { days, ..last }, end))
    }

    /// Reads a period, or two with a dash or "to" between them.
    fn open_range(&self, index: usize) -> Parsed<Period> {
        let (first, middle) = self.led(index, Lead::default())?;
        let closes = |meaning| matches!(meaning, Meaning::To).then_some(());
        let through = Lead { preposition: Some(Meaning::To), the: false };
        let second = self.closing(middle, closes).and_then(|((), after)| self.led(after, through));
        Some(match second {
            Some((last, end)) if !first.relative && !last.relative => (align(first, last), end),
            _ => (first, middle),
        })
    }

    /// Reads a dash, or a word that `accept` takes.
    fn closing(&self, index: usize, accept: impl Fn(Meaning) -> Option<()>) -> Parsed<()> {
        match self.mark(index) {
            Some('-' | '–' | '—' | '~' | '～') => Some(((), index + 1)),
            _ => self.meaning(index, accept),
        }
    }

    /// Reads "since March", "before June 2023", "after the 3rd of May" and "until Friday".
    fn bounded(&self, index: usize) -> Parsed<Period> {
        let binds = |meaning| {
            let bound = matches!(
                meaning,
                Meaning::Since | Meaning::After | Meaning::Before | Meaning::Until
            );
            bound.then_some(meaning)
        };
        let (bound, start) = self.meaning(index, binds)?;
        let (period, end) = self.led(start, Lead { preposition: Some(bound), the: false })?;
        let Days { first, last } = period.days;
        let days = match bound {
            Meaning::Since => Days::between(first, last.max(self.reference)),
            Meaning::After => Days::between(plus(last, Unit::Day, 1), Date::MAX),
            Meaning::Before => Days::between(Date::MIN, plus(first, Unit::Day, -1)),
            _ => Days::between(Date::MIN, last),
        };
        let certain = period.certain && period.other.is_none();
        Some((Period { days, other: None, year_known: true, certain, ..period }, end))
    }

    /// Reads a period after its preposition and article.
    fn led(&self, index: usize, outer: Lead) -> Parsed<Period> {
        let is_preposition =
            |meaning| matches!(meaning, Meaning::In | Meaning::On).then_some(meaning);
        let plain = || {
            let (the, start) = self.skip_article(index);
            self.period(start, Lead { the, ..outer })
        };
        let placed = || {
            let (preposition, start) = self.meaning(index, is_preposition)?;
            let (the, start) = self.skip_article(start);
            let preposition = outer.preposition.or(Some(preposition));
            self.period(start, Lead { preposition, the })
        };
        // "the day before yesterday" and "in 3 days" begin with what may be a lead.
        longest([self.period(index, outer), plain(), placed()])
    }

    fn keep(&mut self, period: Period, from: usize, until: usize) {
        let bytes = self.tokens[from].start..self.tokens[until - 1].end;
        let mention = Mention {
            bytes,
            days: period.days,
            relative: period.relative,
            year_known: period.year_known,
            certain: period.certain && period.other.is_none(),
        };
        let other = period.other.map(|days| Mention { days, ..mention.clone() });
        self.found.extend([Some(mention), other].into_iter().flatten());
    }
}

impl Iterator for Parser<'_> {
    type Item = Mention;

    fn next(&mut self) -> Option<Mention> {
        while self.found.is_empty() && self.next < self.tokens.len() {
            let index = self.next;
            match self.expression(index) {
                Some((period, end)) if end > index => {
                    self.keep(period, index, end);
                    self.next = end;
                }
                _ => self.next += 1,
            }
        }
        self.found.pop_front()
    }
}

/// Returns the candidate that reaches farthest, the first of equals.
pub(super) fn longest<T>(candidates: impl IntoIterator<Item = Parsed<T>>) -> Parsed<T> {
    candidates
        .into_iter()
        .flatten()
        .reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Returns the time from one period to another, which lend each other their year.
fn align(mut first: Period, mut last: Period) -> Period {
    let years = i64::from(last.days.first.year()) - i64::from(first.days.first.year());
    match (first.year_known, last.year_known) {
        (false, true) => {
            first.days = first.days.shifted(years);
            if first.days.first > last.days.last {
                first.days = first.days.shifted(-1);
            }
        }
        (true, false) => last.days = last.days.shifted(-years),
        _ => {}
    }
    if !last.year_known && last.days.last < first.days.first {
        last.days = last.days.shifted(1);
    }
    Period {
        days: Days::between(first.days.first, last.days.last),
        other: None,
        relative: first.relative || last.relative,
        year_known: first.year_known || last.year_known,
        certain: true,
    }
}
