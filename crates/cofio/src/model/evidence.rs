//! What speaks for memories as the answer to a question: facts from a store, for ranking to weigh.

use super::{Fingerprint, Kind, Slot, Trust};

/// What a search knows about the memories it wants.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cues {
    /// The words of the question, each with the terms that may stand for it, as
    /// [`crate::text::query_words`] makes them.
    pub words: Vec<Vec<String>>,
    /// Names of entities, as [`crate::text::fold`] makes them.
    pub names: Vec<String>,
    /// Spans of time, in microseconds since 1970, first and last included.
    pub times: Vec<(i64, i64)>,
    /// What the question means.
    pub meaning: Option<Meaning>,
    /// What is near by vectors that stand on shelves, with the cosines: a memory whose text stands
    /// under another slot by now is not meant.
    pub near: Vec<(Slot, f32)>,
    /// Whether the cosine of every turn is wanted, however many there are.
    pub every_cosine: bool,
    /// Whether each memory is weighed by itself: then those around it in its conversation need not be
    /// gathered.
    pub alone: bool,
}

/// What a question means, to one model.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The model.
    pub fingerprint: Fingerprint,
    /// The vector, of length one.
    pub vector: Vec<f32>,
}

/// What is known of scopes by which a question is to be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Survey {
    /// How many memories there are.
    pub memories: u64,
    /// Who wrote or said them; of very many, those who said most.
    pub authors: Vec<Author>,
    /// How each of the words asked about is used, in the same order.
    pub words: Vec<WordUse>,
}

/// Who wrote or said memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Tells one author from the others, here and in [`Turn::author`].
    pub key: u64,
    /// The name.
    pub name: String,
    /// How many memories are theirs.
    pub memories: u64,
}

/// How a word is used in some scopes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WordUse {
    /// How many memories have it; of a word that less than a tenth of them have, at most so many.
    pub memories: u64,
    /// In which share of them it is capitalised; measured on a few, and only of a word that at
    /// least a tenth of the memories have.
    pub capitalised: f64,
}

/// Where a store keeps a memory; means nothing to another store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u64);

/// A memory as ranking sees it, without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Where it is kept.
    pub place: Place,
    /// Which of the filter's scopes it is in.
    pub scope: usize,
    /// Tells its conversation from the others of its scope.
    pub session: Option<u64>,
    /// Who wrote or said it.
    pub author: Option<u64>,
    /// What it is.
    pub kind: Kind,
    /// How far it is to be trusted.
    pub trust: Trust,
    /// Whether an assistant said it.
    pub assistant: bool,
    /// Whether it ends in a question mark.
    pub question: bool,
    /// Whether it tells an assistant what to do, though nobody who may do so said it.
    pub instructs: bool,
    /// How many words with content it has.
    pub length: u32,
    /// When it happened, in microseconds since 1970.
    pub event_at: i64,
    /// The cosine of its best passage and the question, if it is known.
    pub cosine: Option<f32>,
    /// How many of the names it has.
    pub named: u32,
}

impl Turn {
    /// Returns whether it was said in a conversation, rather than noted down.
    pub fn is_spoken(&self) -> bool {
        self.session.is_some() && matches!(self.kind, Kind::Episode | Kind::Working)
    }
}

/// Everything a store knows that speaks for memories.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// The memories that something speaks for.
    ///
    /// Unless each is weighed by itself, those around them in the same conversations are there too,
    /// and those of one conversation stand together, in the order in which they happened.
    pub turns: Vec<Turn>,
    /// Where each word of the cues stands, in the same order.
    pub words: Vec<Occurrences>,
    /// How many passages there are in the scopes.
    pub passages: u64,
    /// How the cosines of all passages are spread, those of assistants apart.
    pub cosines: Groups<Spread>,
    /// How many memories have no vector of the model yet.
    pub pending: u64,
}

/// Something known apart of what assistants said and of everything else.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Groups<T> {
    /// Of what assistants said.
    pub assistant: T,
    /// Of everything else.
    pub others: T,
}

impl<T> Groups<T> {
    /// Returns what belongs to a turn.
    pub fn of(&self, turn: &Turn) -> &T {
        if turn.assistant { &self.assistant } else { &self.others }
    }
}

/// How numbers are spread.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spread {
    /// How many there are.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// Measures numbers.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let (mut count, mut sum, mut squares) = (0_u64, 0.0, 0.0);
        for number in numbers {
            count += 1;
            sum += number;
            squares += number * number;
        }
        Self::from_sums(count, sum, squares)
    }

    /// Measures numbers of which the sum and the sum of squares are known.
    pub fn from_sums(count: u64, sum: f64, squares: f64) -> Self {
        let all = count.max(1) as f64;
        let mean = sum / all;
        Self { count, mean, deviation: (squares / all - mean * mean).max(0.0).sqrt() }
    }

    /// Measures numbers that were measured in parts.
    pub fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let (mut count, mut sum, mut squares) = (0, 0.0, 0.0);
        for part in parts {
            let all = part.count as f64;
            count += part.count;
            sum += all * part.mean;
            squares += all * (part.deviation * part.deviation + part.mean * part.mean);
        }
        Self::from_sums(count, sum, squares)
    }

    /// Returns how far a number is from the mean, in deviations; nothing if all are the same.
    pub fn standard(&self, number: f64) -> f64 {
        if self.deviation > 1e-9 { (number - self.mean) / self.deviation } else { 0.0 }
    }
}

/// Where a word stands, in whichever of its forms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Occurrences {
    /// How many passages have it; of its forms, the most frequent one counts.
    pub passages_having: u64,
    /// The passages that have it; one that has several forms may be there several times.
    pub found: Vec<Occurrence>,
}

/// That a word stands in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The turn, by its place in [`Evidence::turns`].
    pub turn: u32,
    /// How often it is told there.
    pub told: u8,
    /// How often it stands there in a question.
    pub asked: u8,
}
