//! Ranking: how much speaks for each turn, and what.

use std::cmp::Ordering;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::dates::{Mention, Precision};
use super::flood::fair;
use super::flow::Flow;
use super::fuse::fuse;
use super::lexical::{Lexical, lexical};
use super::meaning::meaning;
use super::query::{Fusion, Mode};
use super::weights::WEIGHTS;
use crate::model::names::names;
use crate::model::{Evidence, Place, Timestamp, Trust, Turn};

/// What is asked, as far as ranking cares.
#[derive(Debug, Clone)]
pub struct Aim {
    /// By which evidence.
    pub mode: Mode,
    /// How pieces of evidence are put together.
    pub fusion: Fusion,
    /// The keys of the one author whom the question names.
    pub speakers: Vec<u64>,
    /// Whether the question is about what the assistant said.
    pub to_assistant: bool,
    /// The times that the question names.
    pub dates: Vec<Mention>,
    /// The least cosine, where it is known.
    pub threshold: Option<f64>,
    /// How much recency counts, from 0 to 1.
    pub recency: f64,
    /// Where the days begin and end on which turns happened.
    pub time_zone: TimeZone,
    /// The moment by which recency is judged, in microseconds since 1970.
    pub now: i64,
}

impl Aim {
    /// Returns whether what is said around a memory speaks for it too.
    pub fn weighs_surroundings(&self) -> bool {
        self.mode == Mode::Hybrid && self.fusion == Fusion::Weighted
    }
}

/// A memory with everything that speaks for and against it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Where it is kept.
    pub place: Place,
    /// Which of the searched scopes it is in.
    pub scope: usize,
    /// How much speaks for it; only the order means anything.
    pub sum: f64,
    /// From 0 to 1, in the same order.
    pub score: f64,
    /// What the sum is made of; in a mode without a sum, nothing.
    pub parts: Vec<Part>,
    /// The cosine of its best passage and the question.
    pub cosine: Option<f64>,
    /// Which words of the question it has itself, one bit each.
    pub matched: u64,
    /// How many of the question's names it has.
    pub named: u32,
    /// When it happened, where the question names a time.
    pub dated: Option<Dated>,
}

/// When something happened, beside the time that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dated {
    /// The day on which it happened.
    pub day: Date,
    /// How many days that is from what the question says, 0 inside.
    pub away: i64,
}

/// One piece of evidence and how much it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// What it is.
    pub signal: Signal,
    /// What it adds to the sum.
    pub value: f64,
}

/// What speaks for or against a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Its own words.
    Words,
    /// The words of what was said around it.
    Surroundings,
    /// Its meaning.
    Meaning,
    /// A name.
    Name,
    /// Who said it.
    Speaker,
    /// When it happened.
    Date,
    /// How recent it is.
    Recency,
    /// That an assistant said it.
    Assistant,
    /// That it is long.
    Length,
    /// That it is hardly a word.
    Brevity,
    /// That it is a question.
    Question,
    /// That it is to be trusted little.
    Trust,
    /// That it tells an assistant what to do.
    Instruction,
}

names!(Signal, "signal", Invalid, {
    Words => "words",
    Surroundings => "surroundings",
    Meaning => "meaning",
    Name => "name",
    Speaker => "speaker",
    Date => "date",
    Recency => "recency",
    Assistant => "assistant",
    Length => "length",
    Brevity => "brevity",
    Question => "question",
    Trust => "trust",
    Instruction => "instruction",
});

/// Returns the best of what evidence speaks for, best first, and for how many it speaks in all.
pub fn rank(evidence: &Evidence, aim: &Aim, limit: usize) -> (Vec<Scored>, usize) {
    let weighted = aim.weighs_surroundings();
    let flow = if weighted { Flow::between(&evidence.turns) } else { Flow::none() };
    let lexical = lexical(evidence, &flow);
    let meaning = if weighted { meaning(evidence, &flow) } else { Vec::new() };
    let field = Field { evidence, lexical, meaning, aim };
    let sums = match (aim.mode, aim.fusion) {
        (Mode::Keyword, _) => field.by_words(),
        (Mode::Semantic, _) => field.by_meaning(),
        (Mode::Hybrid, Fusion::Rrf) => field.by_ranks(),
        (Mode::Hybrid, Fusion::Weighted) => field.by_sum(),
    };
    let total = sums.len();
    let best = if weighted { field.best_fairly(sums, limit) } else { field.best(sums, limit) };
    (best.into_iter().map(|(turn, sum)| field.scored(turn, sum)).collect(), total)
}

/// Everything that is known when the turns are weighed.
struct Field<'a> {
    evidence: &'a Evidence,
    lexical: Lexical,
    /// By how many deviations each turn stands out in meaning, where that is weighed.
    meaning: Vec<Option<f64>>,
    aim: &'a Aim,
}

/// A turn, by its place in the evidence, and how much speaks for it.
type Sum = (usize, f64);

impl Field<'_> {
    fn order(&self, a: &Sum, b: &Sum) -> Ordering {
        b.1.total_cmp(&a.1).then_with(|| self.later_first(a.0, b.0))
    }

    /// Returns the best, best first.
    fn best(&self, mut sums: Vec<Sum>, limit: usize) -> Vec<Sum> {
        if limit < sums.len() {
            sums.select_nth_unstable_by(limit, |a, b| self.order(a, b));
            sums.truncate(limit);
        }
        sums.sort_unstable_by(|a, b| self.order(a, b));
        sums
    }

    /// Returns the best, of what is trusted little no more than its share.
    fn best_fairly(&self, sums: Vec<Sum>, limit: usize) -> Vec<Sum> {
        let is_doubtful = |sum: &Sum| self.evidence.turns[sum.0].trust == Trust::Low;
        let (doubtful, trusted): (Vec<Sum>, Vec<Sum>) = sums.into_iter().partition(is_doubtful);
        let (trusted, doubtful) = (self.best(trusted, limit), self.best(doubtful, limit));
        let before = |one: &Sum, other: &Sum| self.order(one, other).is_lt();
        fair(&trusted, &doubtful, limit, before, |sum| sum.1)
    }

    fn by_words(&self) -> Vec<Sum> {
        let own = self.lexical.own.iter().copied().enumerate();
        own.filter(|(turn, value)| *value > 0.0 && self.is_near_enough(*turn)).collect()
    }

    fn by_meaning(&self) -> Vec<Sum> {
        let cosine = |(turn, one): (usize, &Turn)| Some((turn, f64::from(one.cosine?)));
        let known = self.evidence.turns.iter().enumerate().filter_map(cosine);
        known.filter(|(turn, _)| self.is_near_enough(*turn)).collect()
    }

    fn by_ranks(&self) -> Vec<Sum> {
        let ordered = |mut sums: Vec<Sum>| {
            sums.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.later_first(a.0, b.0)));
            sums.into_iter().map(|(turn, _)| turn).collect::<Vec<usize>>()
        };
        let named = self.evidence.turns.iter().enumerate();
        let named = named.filter(|(_, turn)| turn.named > 0);
        let lists = [
            ordered(self.by_words()),
            ordered(self.by_meaning()),
            ordered(named.map(|(turn, one)| (turn, f64::from(one.named))).collect()),
        ];
        // A list that is empty for everyone must not lower every score.
        let lists: Vec<&[usize]> =
            lists.iter().map(Vec::as_slice).filter(|list| !list.is_empty()).collect();
        let fused = fuse(&lists).into_iter().map(|ranked| (ranked.item, ranked.score));
        fused.filter(|(turn, _)| self.is_near_enough(*turn)).collect()
    }

    fn by_sum(&self) -> Vec<Sum> {
        let speaks = |turn: &usize| {
            let one = &self.evidence.turns[*turn];
            self.lexical.flowing[*turn] > 0.0
                || one.named > 0
                || one.cosine.is_some_and(|cosine| f64::from(cosine) >= WEIGHTS.floor)
                || self.is_when(one)
        };
        let turns = (0..self.evidence.turns.len()).filter(speaks);
        let turns = turns.filter(|turn| self.is_near_enough(*turn));
        turns.map(|turn| (turn, self.parts(turn).map(|part| part.value).sum())).collect()
    }

    /// Returns what speaks for and against a turn.
    fn parts(&self, turn: usize) -> impl Iterator<Item = Part> {
        let one = &self.evidence.turns[turn];
        let (own, flowing) = (self.lexical.own[turn], self.lexical.flowing[turn]);
        let words = WEIGHTS.words * flowing;
        let own_share = if flowing > 0.0 { own / flowing } else { 1.0 };
        let meaning = WEIGHTS.meaning * self.meaning[turn].unwrap_or_default();
        let spoken = one.is_spoken();
        let answered = spoken && one.assistant && !self.aim.to_assistant;
        let short_question = spoken && one.question && one.length < WEIGHTS.question_below;
        let given = |holds: bool, weight: f64| if holds { weight } else { 0.0 };
        let said = one.author.is_some_and(|author| self.aim.speakers.contains(&author));
        [
            (Signal::Words, words * own_share),
            (Signal::Surroundings, words * (1.0 - own_share)),
            (Signal::Meaning, meaning),
            (Signal::Name, given(one.named > 0, WEIGHTS.name)),
            (Signal::Speaker, given(said, WEIGHTS.speaker)),
            (Signal::Date, self.date(one).map_or(0.0, |(value, _)| value)),
            (Signal::Recency, self.recency(one)),
            (Signal::Assistant, given(answered, WEIGHTS.assistant)),
            (Signal::Length, length(one)),
            (Signal::Brevity, brevity(one)),
            (Signal::Question, given(short_question, WEIGHTS.question)),
            (Signal::Trust, given(one.trust == Trust::Low, WEIGHTS.low_trust)),
            (Signal::Instruction, given(one.instructs, WEIGHTS.instructs)),
        ]
        .into_iter()
        .map(|(signal, value)| Part { signal, value })
    }

    /// Tells whether a turn happened at a time that the question certainly names.
    fn is_when(&self, turn: &Turn) -> bool {
        let names = |mention: &&Mention| mention.certain && mention.precision() < Precision::Longer;
        let mut named = self.aim.dates.iter().filter(names).peekable();
        named.peek().is_some()
            && self.day(turn).is_some_and(|day| named.any(|mention| mention.away(day) == 0))
    }

    /// Returns the day on which a turn happened where the question is asked.
    fn day(&self, turn: &Turn) -> Option<Date> {
        let at = Timestamp::from_microsecond(turn.event_at).ok()?;
        Some(self.aim.time_zone.to_datetime(at).date())
    }

    /// Returns how well a turn fits the time that the question names, where it names one.
    fn date(&self, turn: &Turn) -> Option<(f64, Dated)> {
        if self.aim.dates.is_empty() {
            return None;
        }
        let day = self.day(turn)?;
        let fit = |mention: &Mention| {
            let weight = match mention.precision() {
                Precision::Day => WEIGHTS.day,
                Precision::Week | Precision::Month | Precision::Season | Precision::Year => {
                    WEIGHTS.period
                }
                // Nearly everything happened before 2030.
                Precision::Longer => 0.0,
            };
            let certainty = if mention.certain { 1.0 } else { WEIGHTS.uncertain };
            let value = certainty * weight * mention.closeness(day);
            (value, Dated { day, away: mention.away(day) })
        };
        let better = |one: &(f64, Dated), two: &(f64, Dated)| {
            one.0.total_cmp(&two.0).then(two.1.away.cmp(&one.1.away))
        };
        self.aim.dates.iter().map(fit).max_by(better)
    }

    fn recency(&self, turn: &Turn) -> f64 {
        if self.aim.recency <= 0.0 {
            return 0.0;
        }
        let days = (self.aim.now.saturating_sub(turn.event_at)) as f64 / 86_400e6;
        self.aim.recency * WEIGHTS.recency * (-days.max(0.0) / WEIGHTS.recency_days).exp()
    }

    /// Returns whether the cosine of a turn, if it is known, is not below the threshold.
    fn is_near_enough(&self, turn: usize) -> bool {
        let Some(threshold) = self.aim.threshold else { return true };
        self.evidence.turns[turn].cosine.is_none_or(|cosine| f64::from(cosine) >= threshold)
    }

    /// Orders two turns for which as much speaks.
    fn later_first(&self, one: usize, two: usize) -> Ordering {
        let key = |turn: usize| {
            let turn = &self.evidence.turns[turn];
            (turn.event_at, turn.place)
        };
        key(two).cmp(&key(one))
    }

    fn scored(&self, turn: usize, sum: f64) -> Scored {
        let one = &self.evidence.turns[turn];
        let weighted = self.aim.weighs_surroundings();
        let score = match (self.aim.mode, self.aim.fusion) {
            (Mode::Hybrid, Fusion::Rrf) => sum,
            (Mode::Semantic, _) => sum.clamp(0.0, 1.0),
            // What speaks for a memory has no upper end; a score has one.
            (Mode::Keyword, _) => sum / (sum + 1.0),
            (Mode::Hybrid, Fusion::Weighted) => weighted_score(sum),
        };
        Scored {
            place: one.place,
            scope: one.scope,
            sum,
            score,
            parts: if weighted {
                self.parts(turn).filter(|part| part.value != 0.0).collect()
            } else {
                Vec::new()
            },
            cosine: one.cosine.map(f64::from),
            matched: self.lexical.matched[turn],
            named: one.named,
            dated: self.date(one).map(|(_, dated)| dated),
        }
    }
}

/// Returns a score from 0 to 1 for what speaks for a memory.
pub fn weighted_score(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum / WEIGHTS.slope).exp())
}

fn length(turn: &Turn) -> f64 {
    let length = f64::from(turn.length + 1);
    if length > WEIGHTS.long_from { WEIGHTS.long * (length / WEIGHTS.long_from).ln() } else { 0.0 }
}

fn brevity(turn: &Turn) -> f64 {
    let length = f64::from(turn.length + 1);
    if turn.session.is_none() || length > WEIGHTS.brief_below {
        return 0.0;
    }
    WEIGHTS.brief * (1.0 - length.ln() / (WEIGHTS.brief_below + 1.0).ln())
}
