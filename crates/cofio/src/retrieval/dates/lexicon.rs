//! What words mean in expressions of time, read from a table.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::Weekday;

use super::tokens::{Kind, pieces};
use super::yearly::{Feast, Season, Yearly};
use crate::text::{Language, fold};

/// What a word, or several together, can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Month(i8),
    Weekday(Weekday),
    Season(Season),
    Feast(Feast),
    Unit(Unit),
    /// A day so many days from the reference.
    Offset(i64),
    /// The last so many days.
    Recent(i64),
    /// The unit so many units from the one of the reference.
    Shift(Unit, i64),
    /// The first year of a decade.
    Decade(i16),
    Number(i64),
    /// A number that is not meant exactly.
    About(i64),
    Ordinal(i8),
    Part(Part),
    DayPart,
    Last,
    LastAfter,
    Past,
    This,
    Next,
    NextAfter,
    Ago,
    BeforeAgo,
    Ahead,
    Onward,
    In,
    On,
    The,
    /// As "the", in a language that puts it before "last week" too.
    Article,
    Of,
    Since,
    After,
    Before,
    Until,
    Between,
    From,
    And,
    To,
    Every,
    Own,
    Future,
    Half,
}

/// A length of time that the calendar knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Hour,
    Day,
    Weekend,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
}

/// A third of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Early,
    Mid,
    Late,
}

/// One meaning of a word, or of the word with those that follow it.
#[derive(Debug)]
pub(super) struct Entry {
    pub meaning: Meaning,
    /// The words that must follow.
    pub rest: Vec<WordId>,
    /// All of them, as the table has them.
    pub spelling: &'static str,
    /// Whether the word is also something else, and needs evidence around it.
    pub doubtful: bool,
    /// The language the question must be in.
    pub only_in: Option<Language>,
}

/// A word of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordId(usize);

/// The longest word of the table in bytes; a longer one cannot be in it.
pub(super) const LONGEST: usize = 24;

/// Returns the word with this folded spelling.
pub(super) fn word(folded: &str) -> Option<WordId> {
    LEXICON.ids.get(folded).copied()
}

/// Returns what can begin with `word`, the longest first.
pub(super) fn entries(word: WordId) -> &'static [Entry] {
    &LEXICON.words[word.0].entries
}

/// Tells whether `word` may be the heart of an expression, rather than an accompaniment.
pub(super) fn is_trigger(word: WordId) -> bool {
    LEXICON.words[word.0].trigger
}

/// Tells whether an expression without spaces may begin with `word`, and `text` with the expression.
pub(super) fn is_unspaced_trigger(word: WordId, text: &str) -> bool {
    entries(word).iter().any(|entry| {
        let single = entry.rest.is_empty() && matches!(entry.meaning, Meaning::Unit(_));
        let heart = is_heart(entry.meaning) || entry.meaning == Meaning::Ago;
        heart && !single && text.starts_with(entry.spelling)
    })
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(include_str!("words.txt")));

#[derive(Default)]
struct Lexicon {
    ids: HashMap<String, WordId>,
    words: Vec<Word>,
}

#[derive(Default)]
struct Word {
    entries: Vec<Entry>,
    trigger: bool,
}

impl Lexicon {
    fn read(table: &'static str) -> Self {
        let mut lexicon = Self::default();
        let mut language = Language::Other;
        for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[') {
                language = named(name.trim_end_matches(']'));
            } else if let Some((meaning, words)) = line.split_once(':') {
                let meaning = meaning_of(meaning).expect("the table is in order");
                for spelling in words.split(',') {
                    lexicon.add(spelling.trim(), meaning, language);
                }
            }
        }
        for word in &mut lexicon.words {
            word.entries.sort_by_key(|entry| usize::MAX - entry.rest.len());
        }
        lexicon
    }

    fn add(&mut self, spelling: &'static str, meaning: Meaning, language: Language) {
        let plain = spelling.trim_end_matches(['?', '!']);
        let words: Vec<WordId> = pieces(plain)
            .filter(|piece| piece.kind != Kind::Space)
            .map(|piece| self.id(&plain[piece.start..piece.end]))
            .collect();
        let Some((first, rest)) = words.split_first() else { return };
        let entry = Entry {
            meaning,
            rest: rest.to_vec(),
            spelling: plain,
            doubtful: spelling.ends_with('?'),
            only_in: spelling.ends_with('!').then_some(language),
        };
        self.words[first.0].entries.push(entry);
        // "an" is a year in French and in every other English sentence.
        if is_heart(meaning) && plain.is_ascii() && plain.len() > 2 {
            self.words[longest(plain, &words).0].trigger = true;
        }
    }

    fn id(&mut self, spelling: &str) -> WordId {
        let folded = fold(spelling);
        debug_assert!(folded.len() <= LONGEST, "{folded:?} is longer than any word looked up");
        if let Some(&id) = self.ids.get(&folded) {
            return id;
        }
        let id = WordId(self.words.len());
        self.words.push(Word::default());
        self.ids.insert(folded, id);
        id
    }
}

/// Returns the longest of several words, which is the rarest.
fn longest(spelling: &str, words: &[WordId]) -> WordId {
    let lengths = spelling.split(' ').map(str::len);
    words.iter().copied().zip(lengths).max_by_key(|(_, length)| *length).map_or(words[0], |it| it.0)
}

fn is_heart(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Month(_)
            | Meaning::Weekday(_)
            | Meaning::Season(_)
            | Meaning::Feast(_)
            | Meaning::Unit(_)
            | Meaning::Offset(_)
            | Meaning::Recent(_)
            | Meaning::Shift(..)
            | Meaning::Decade(_)
            | Meaning::BeforeAgo
    )
}

fn named(language: &str) -> Language {
    match language {
        "english" => Language::English,
        "german" => Language::German,
        "french" => Language::French,
        "spanish" => Language::Spanish,
        "italian" => Language::Italian,
        "portuguese" => Language::Portuguese,
        "dutch" => Language::Dutch,
        _ => Language::Other,
    }
}

/// Reads the left side of a line, or nothing if it is out of order.
fn meaning_of(text: &str) -> Option<Meaning> {
    let mut words = text.split(' ');
    let name = words.next()?;
    let arguments: Vec<&str> = words.collect();
    let number = |index: usize| arguments.get(index)?.parse::<i64>().ok();
    let small = |index: usize| i8::try_from(number(index)?).ok();
    let unit = || unit_named(arguments.first()?);
    Some(match name {
        "month" => Meaning::Month(small(0)?),
        "weekday" => Meaning::Weekday(Weekday::from_monday_one_offset(small(0)?).ok()?),
        "season" => Meaning::Season(Season::from_number(small(0)?)?),
        "feast" => Meaning::Feast(feast(&arguments)?),
        "unit" => Meaning::Unit(unit()?),
        "offset" => Meaning::Offset(number(0)?),
        "recent" => Meaning::Recent(number(0)?),
        "shift" => Meaning::Shift(unit()?, number(1)?),
        "decade" => Meaning::Decade(i16::try_from(number(0)?).ok()?),
        "number" => Meaning::Number(number(0)?),
        "about" => Meaning::About(number(0)?),
        "ordinal" => Meaning::Ordinal(small(0)?),
        "part" => Meaning::Part(part_named(arguments.first()?)?),
        _ => return plain_meaning(name),
    })
}

fn plain_meaning(name: &str) -> Option<Meaning> {
    Some(match name {
        "daypart" => Meaning::DayPart,
        "last" => Meaning::Last,
        "last_after" => Meaning::LastAfter,
        "past" => Meaning::Past,
        "this" => Meaning::This,
        "next" => Meaning::Next,
        "next_after" => Meaning::NextAfter,
        "ago" => Meaning::Ago,
        "before_ago" => Meaning::BeforeAgo,
        "ahead" => Meaning::Ahead,
        "onward" => Meaning::Onward,
        "in" => Meaning::In,
        "on" => Meaning::On,
        "the" => Meaning::The,
        "article" => Meaning::Article,
        "of" => Meaning::Of,
        "since" => Meaning::Since,
        "after" => Meaning::After,
        "before" => Meaning::Before,
        "until" => Meaning::Until,
        "between" => Meaning::Between,
        "from" => Meaning::From,
        "and" => Meaning::And,
        "to" => Meaning::To,
        "every" => Meaning::Every,
        "own" => Meaning::Own,
        "future" => Meaning::Future,
        "half" => Meaning::Half,
        _ => return None,
    })
}

fn unit_named(name: &str) -> Option<Unit> {
    Some(match name {
        "hour" => Unit::Hour,
        "day" => Unit::Day,
        "weekend" => Unit::Weekend,
        "week" => Unit::Week,
        "month" => Unit::Month,
        "quarter" => Unit::Quarter,
        "year" => Unit::Year,
        "decade" => Unit::Decade,
        _ => return None,
    })
}

fn part_named(name: &str) -> Option<Part> {
    Some(match name {
        "early" => Part::Early,
        "mid" => Part::Mid,
        "late" => Part::Late,
        _ => return None,
    })
}

/// Reads "12-24 12-26", "easter -2 1" (days from Easter Sunday) or "nth 11 4 4 0" (month, weekday,
/// which one, days after it).
fn feast(arguments: &[&str]) -> Option<Feast> {
    let number = |index: usize| arguments.get(index)?.parse::<i8>().ok();
    let day = |text: &str| {
        let (month, day) = text.split_once('-')?;
        Some((month.parse().ok()?, day.parse().ok()?))
    };
    match *arguments.first()? {
        "easter" => Some(Feast::Easter { first: number(1)?, last: number(2)? }),
        "nth" => Some(Feast::Nth {
            month: number(1)?,
            weekday: Weekday::from_monday_one_offset(number(2)?).ok()?,
            nth: number(3)?,
            after: number(4)?,
        }),
        first => {
            let last = arguments.get(1).copied().unwrap_or(first);
            Some(Feast::Fixed { first: day(first)?, last: day(last)? })
        }
    }
}

impl Meaning {
    /// Returns the period of every year that is meant.
    pub(super) fn yearly(self) -> Option<Yearly> {
        match self {
            Self::Month(month) => Some(Yearly::Month(month)),
            Self::Season(season) => Some(Yearly::Season(season)),
            Self::Feast(feast) => Some(Yearly::Feast(feast)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_has_a_meaning() {
        for line in include_str!("words.txt").lines() {
            let heading = line.is_empty() || line.starts_with(['#', '[']);
            let meaning = line.split(':').next().and_then(meaning_of);
            assert!(heading || meaning.is_some(), "{line:?}");
        }
    }

    #[test]
    fn every_word_of_the_table_is_folded_and_can_be_looked_up() {
        for word in LEXICON.ids.keys() {
            assert!(*word == fold(word) && word.len() <= LONGEST, "{word:?}");
        }
    }
}
