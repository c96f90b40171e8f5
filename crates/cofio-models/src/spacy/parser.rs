//! Decides word by word where an entity begins, goes on and ends.

use std::ops::Range;

use super::Label;
use super::network::{Linear, greatest};

/// How many places around a state it is judged by.
pub(super) const PLACES: usize = 6;

/// How many numbers a state has.
pub(super) const HIDDEN: usize = 64;

/// How many of the numbers that are computed for each of those compete for it.
pub(super) const PIECES: usize = 2;

/// How many moves there are: four for each label, one that is never made, and "outside".
pub(super) const MOVES: usize = 4 * Label::ALL.len() + 2;

/// What may be done with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Begin(Label),
    Inside(Label),
    Last(Label),
    Unit(Label),
    Outside,
}

/// Some words that name something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// Which words.
    pub words: Range<usize>,
    pub label: Label,
    /// How probable the least probable decision was.
    pub probability: f32,
}

/// Makes decisions.
pub(super) struct Parser {
    /// What a word contributes to a state, for each place it may have.
    pub places: Linear,
    /// What is contributed where no word is, for each place.
    pub absent: Vec<f32>,
    pub hidden_bias: Vec<f32>,
    pub moves: Linear,
}

impl Parser {
    /// Returns what some words name; `spaces` says which of them are white space.
    pub fn entities(&self, vectors: &[Vec<f32>], spaces: &[bool]) -> Vec<Found> {
        let contributions: Vec<Vec<f32>> =
            vectors.iter().map(|vector| self.places.apply(&[vector])).collect();
        let mut found: Vec<Found> = Vec::new();
        let mut open = false;
        for (word, is_space) in spaces.iter().enumerate() {
            let state =
                State { word, words: spaces.len(), is_space: *is_space, open, found: &found };
            let scores = self.scores(&contributions, state.places());
            let Some((decision, probability)) = state.best(&scores) else { continue };
            match decision {
                Move::Begin(label) | Move::Unit(label) => {
                    found.push(Found { words: word..word + 1, label, probability });
                    open = matches!(decision, Move::Begin(_));
                }
                Move::Inside(_) | Move::Last(_) => {
                    if let Some(entity) = found.last_mut() {
                        entity.words.end = word + 1;
                        entity.probability = entity.probability.min(probability);
                    }
                    open = matches!(decision, Move::Inside(_));
                }
                Move::Outside => {}
            }
        }
        found
    }

    fn scores(&self, words: &[Vec<f32>], places: [Option<usize>; PLACES]) -> Vec<f32> {
        let mut sums = self.hidden_bias.clone();
        for (place, word) in places.into_iter().enumerate() {
            let all = word.map_or(&self.absent, |word| &words[word]);
            let contribution = &all[place * HIDDEN * PIECES..][..HIDDEN * PIECES];
            sums.iter_mut().zip(contribution).for_each(|(sum, part)| *sum += part);
        }
        self.moves.apply(&[&greatest(&sums, PIECES)])
    }
}

/// Where the parser stands.
struct State<'a> {
    word: usize,
    words: usize,
    is_space: bool,
    open: bool,
    found: &'a [Found],
}

impl State<'_> {
    /// Returns the words that the state is judged by: this one, those beside it, where the last
    /// entity began, and the words beside that.
    fn places(&self) -> [Option<usize>; PLACES] {
        let inside = |word: usize| Some(word).filter(|word| *word < self.words);
        // The library that the model was trained with forgets entities when there are as many as
        // words, and takes the first word for the one behind an entity that is not there.
        let entity = self.found.last().filter(|_| self.found.len() < self.words);
        let entity = entity.map(|entity| entity.words.start);
        [
            Some(self.word),
            self.word.checked_sub(1),
            inside(self.word + 1),
            entity,
            entity.and_then(|start| start.checked_sub(1)),
            inside(entity.map_or(0, |start| start + 1)),
        ]
    }

    /// Returns the best move that is allowed, and how probable it is among those.
    fn best(&self, scores: &[f32]) -> Option<(Move, f32)> {
        let allowed = || {
            let moves =
                scores.iter().enumerate().filter_map(|(class, score)| Some((of(class)?, *score)));
            moves.filter(|(decision, _)| self.allows(*decision))
        };
        let better =
            |best: (Move, f32), next: (Move, f32)| if next.1 > best.1 { next } else { best };
        let (decision, best) = allowed().reduce(better)?;
        let sum: f32 = allowed().map(|(_, score)| (score - best).exp()).sum();
        Some((decision, sum.recip()))
    }

    fn allows(&self, decision: Move) -> bool {
        let is_last = self.word + 1 == self.words;
        let opened = |label| self.open && self.found.last().is_some_and(|open| open.label == label);
        match decision {
            Move::Begin(_) => !self.open && !self.is_space && !is_last,
            Move::Inside(label) => opened(label) && !is_last,
            Move::Last(label) => opened(label),
            Move::Unit(_) => !self.open && !self.is_space,
            Move::Outside => !self.open,
        }
    }
}

/// Returns the move of that number; the one without a label is never made.
fn of(class: usize) -> Option<Move> {
    const LABELS: usize = Label::ALL.len();
    let label = Label::ALL[class % LABELS];
    match class / LABELS {
        0 => Some(Move::Begin(label)),
        1 => Some(Move::Inside(label)),
        2 => Some(Move::Last(label)),
        3 => Some(Move::Unit(label)),
        _ => (class + 1 == MOVES).then_some(Move::Outside),
    }
}
