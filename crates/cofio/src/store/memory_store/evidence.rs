//! What speaks for memories: gathered from what is known of their scopes.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher as _};

use super::contents::Contents;
use super::entities;
use super::inside::Inside;
use super::kept::Kept;
use crate::model::{
    Author, Cues, Embedding, Evidence, Filter, Groups, Meaning, Memory, Occurrence, Occurrences,
    Place, Scope, Slot, Spread, Survey, Turn, WordUse,
};

/// Returns what is known of the scopes.
pub(super) fn survey(contents: &Contents, scopes: &[Scope], words: &[String]) -> Survey {
    let scopes = contents.each(scopes);
    let mut authors: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, memories) in scopes.iter().flat_map(|inside| inside.authors()) {
        *authors.entry(name).or_default() += memories;
    }
    let author =
        |(name, memories): (&str, u64)| Author { key: key(name), name: name.to_owned(), memories };
    Survey {
        memories: scopes.iter().map(|inside| inside.len()).sum(),
        authors: authors.into_iter().map(author).collect(),
        words: words.iter().map(|word| word_use(&scopes, word)).collect(),
    }
}

fn word_use(scopes: &[&Inside], word: &str) -> WordUse {
    let all: u64 = scopes.iter().map(|inside| inside.len()).sum();
    let having = || scopes.iter().filter_map(|inside| inside.having(word));
    let memories: u64 = having().map(|having| having.len() as u64).sum();
    if memories * 10 < all.max(1) {
        return WordUse { memories, capitalised: 0.0 };
    }
    let capitalised = having().flat_map(BTreeMap::values).filter(|has| has.capital).count();
    WordUse { memories, capitalised: capitalised as f64 / memories.max(1) as f64 }
}

/// Returns everything that speaks for memories that the filter means.
pub(super) fn evidence(
    contents: &Contents,
    filter: &Filter,
    cues: &Cues,
    limit: usize,
) -> Evidence {
    let scopes = contents.each(&filter.scopes);
    let field = Field { near: Near::to(&scopes, cues), scopes, filter, cues, limit };
    let named = field.named();
    let turns = field.turns(&field.touched(&named));
    let words = cues.words.iter().map(|terms| field.occurrences(&turns, terms)).collect();
    let turn = |kept: &&Kept| {
        let cosine = field.near.cosines.get(&kept.number).copied();
        turn(kept, filter, cosine, named.get(&kept.number).copied())
    };
    Evidence {
        turns: turns.iter().map(turn).collect(),
        words,
        passages: field.scopes.iter().map(|inside| inside.passages).sum(),
        cosines: field.near.spreads,
        pending: field.near.pending,
    }
}

/// What is asked, and of which scopes.
struct Field<'a> {
    scopes: Vec<&'a Inside>,
    filter: &'a Filter,
    cues: &'a Cues,
    limit: usize,
    near: Near,
}

/// A scope, by its place among those that are asked, and a conversation in it.
type Session = (usize, u64);

impl<'a> Field<'a> {
    fn members(&self) -> impl Iterator<Item = &'a Kept> {
        self.scopes.iter().flat_map(|inside| inside.members())
    }

    fn get(&self, number: u64) -> Option<&'a Kept> {
        self.scopes.iter().find_map(|inside| inside.get(number)).map(|kept| &**kept)
    }

    fn is_meant(&self, kept: &Kept) -> bool {
        kept.meant(self.filter).is_some()
    }

    /// Returns how many of the question's names each memory has, by its number.
    fn named(&self) -> HashMap<u64, u32> {
        if self.cues.names.is_empty() {
            return HashMap::new();
        }
        entities::named(&self.members().collect::<Vec<_>>(), &self.cues.names)
    }

    /// Returns the numbers of what something speaks for directly, of what is meant.
    fn touched(&self, named: &HashMap<u64, u32>) -> BTreeSet<u64> {
        let terms: BTreeSet<&String> = self.cues.words.iter().flatten().collect();
        let having = |term: &&String| {
            let having = self.scopes.iter().filter_map(|inside| inside.having(term));
            having.flat_map(BTreeMap::keys).copied().collect::<Vec<u64>>()
        };
        let by_words = terms.iter().flat_map(having);
        let by_times = self.cues.times.iter().flat_map(|span| self.latest(*span));
        let mut touched: BTreeSet<u64> =
            by_words.chain(named.keys().copied()).chain(by_times).collect();
        touched.retain(|number| self.get(*number).is_some_and(|kept| self.is_meant(kept)));
        touched.extend(self.nearest());
        touched
    }

    /// Returns the nearest of what is meant.
    fn nearest(&self) -> Vec<u64> {
        let mut near: Vec<(f32, u64)> =
            self.near.cosines.iter().map(|(number, cosine)| (*cosine, *number)).collect();
        near.sort_unstable_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
        let meant = |number: &u64| self.get(*number).is_some_and(|kept| self.is_meant(kept));
        near.into_iter().map(|(_, number)| number).filter(meant).take(self.limit).collect()
    }

    /// Returns the latest of what is meant and happened in a span of time.
    fn latest(&self, (first, last): (i64, i64)) -> Vec<u64> {
        let happened = |kept: &Kept| (kept.memory.event_at.as_microsecond(), kept.number);
        let meant = self.members().filter(|kept| self.is_meant(kept));
        let mut inside: Vec<(i64, u64)> = meant.map(happened).collect();
        inside.retain(|(at, _)| (first..=last).contains(at));
        inside.sort_unstable_by(|one, two| two.cmp(one));
        inside.into_iter().take(self.limit).map(|(_, number)| number).collect()
    }

    /// Returns what is touched and what was said around it, scope by scope and in order.
    fn turns(&self, touched: &BTreeSet<u64>) -> Vec<&'a Kept> {
        let mut turns: Vec<(usize, Option<u64>, &Kept)> = Vec::new();
        for (scope, inside) in self.scopes.iter().enumerate() {
            let there = touched.iter().filter_map(|number| inside.get(*number));
            turns.extend(there.map(|kept| (scope, session(&kept.memory), &**kept)));
        }
        let sessions: HashSet<Session> =
            turns.iter().filter_map(|(scope, session, _)| Some((*scope, (*session)?))).collect();
        if !sessions.is_empty() {
            turns.extend(self.around(touched, &sessions));
        }
        turns.sort_by_key(|(scope, session, kept)| {
            (*scope, *session, kept.memory.event_at, kept.number)
        });
        turns.into_iter().map(|(_, _, kept)| kept).collect()
    }

    /// Returns the rest of conversations.
    fn around(
        &self,
        touched: &BTreeSet<u64>,
        sessions: &HashSet<Session>,
    ) -> Vec<(usize, Option<u64>, &'a Kept)> {
        let mut around = Vec::new();
        for (scope, inside) in self.scopes.iter().enumerate() {
            for kept in inside.members().filter(|kept| !touched.contains(&kept.number)) {
                let session = session(&kept.memory);
                if session.is_some_and(|session| sessions.contains(&(scope, session)))
                    && self.is_meant(kept)
                {
                    around.push((scope, session, kept));
                }
            }
        }
        around
    }

    fn occurrences(&self, turns: &[&Kept], terms: &[String]) -> Occurrences {
        let places: HashMap<u64, u32> = turns.iter().map(|kept| kept.number).zip(0_u32..).collect();
        let (mut found, mut passages_having) = (Vec::new(), 0);
        for term in terms {
            let mut passages = 0;
            let having = self.scopes.iter().filter_map(|inside| inside.having(term));
            for (number, has) in having.flatten() {
                passages += has.counts.len() as u64;
                if let Some(&turn) = places.get(number) {
                    let told = has.counts.iter();
                    found.extend(told.map(|it| Occurrence {
                        turn,
                        told: it.told,
                        asked: it.asked,
                    }));
                }
            }
            passages_having = passages_having.max(passages);
        }
        found.sort_by_key(|occurrence| occurrence.turn);
        Occurrences { passages_having, found }
    }
}

/// How near memories are to what a question means.
#[derive(Default)]
struct Near {
    /// The best cosine of each memory that has vectors of the model, by its number.
    cosines: HashMap<u64, f32>,
    spreads: Groups<Spread>,
    /// How many have no vectors of the model.
    pending: u64,
}

impl Near {
    fn to(scopes: &[&Inside], cues: &Cues) -> Self {
        let Some(meaning) = &cues.meaning else { return Self::default() };
        let mut near = Self::default();
        let (mut assistant, mut others) = (Vec::new(), Vec::new());
        for kept in scopes.iter().flat_map(|inside| inside.members()) {
            if !is_embedded(kept, meaning) {
                near.pending += 1;
                continue;
            }
            let group = if kept.memory.said_by_assistant() { &mut assistant } else { &mut others };
            let before = group.len();
            let cosines = kept.vectors.iter().map(|known| dot(&known.vector, &meaning.vector));
            group.extend(cosines.map(f64::from));
            let best = group[before..].iter().copied().max_by(f64::total_cmp);
            #[expect(clippy::cast_possible_truncation, reason = "it was one before")]
            near.cosines.extend(best.map(|best| (kept.number, best as f32)));
        }
        near.spreads = Groups { assistant: Spread::of(assistant), others: Spread::of(others) };
        near.cosines.extend(standing_near(scopes, &cues.near));
        near
    }
}

/// Returns the cosines of the memories whose texts stand under slots.
fn standing_near(scopes: &[&Inside], near: &[(Slot, f32)]) -> HashMap<u64, f32> {
    if near.is_empty() {
        return HashMap::new();
    }
    let near: HashMap<&Slot, f32> = near.iter().map(|(slot, cosine)| (slot, *cosine)).collect();
    let cosine = |kept: &Kept| Some((kept.number, *near.get(&kept.memory.slot()?)?));
    scopes.iter().flat_map(|inside| inside.members()).filter_map(cosine).collect()
}

fn is_embedded(kept: &Kept, meaning: &Meaning) -> bool {
    matches!(&kept.memory.embedding, Embedding::Ready(by) if *by == meaning.fingerprint)
}

/// Returns the product of two vectors, several numbers at a time.
fn dot(one: &[f32], two: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (ones, twos) = (one.chunks_exact(LANES), two.chunks_exact(LANES));
    let rest: f32 = ones.remainder().iter().zip(twos.remainder()).map(|(a, b)| a * b).sum();
    for (one, two) in ones.zip(twos) {
        for (sum, (a, b)) in sums.iter_mut().zip(one.iter().zip(two)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

fn turn(kept: &Kept, filter: &Filter, cosine: Option<f32>, named: Option<u32>) -> Turn {
    let memory = &kept.memory;
    let scope = filter.scopes.iter().position(|scope| *scope == memory.scope);
    Turn {
        place: Place(kept.number),
        scope: scope.unwrap_or_default(),
        session: session(memory),
        author: memory.author().map(key),
        kind: memory.kind,
        trust: memory.source.trust(),
        assistant: memory.said_by_assistant(),
        question: kept.analysed.question,
        instructs: memory.instructs,
        length: kept.analysed.length(),
        event_at: memory.event_at.as_microsecond(),
        cosine,
        named: named.unwrap_or_default(),
    }
}

fn session(memory: &Memory) -> Option<u64> {
    memory.conversation().map(key)
}

fn key(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
