//! What speaks for memories: gathered from what is known of their scopes.

mod near;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use self::near::Near;
use super::contents::Contents;
use super::entities;
use super::glance::{Sieve, key};
use super::inside::{Has, Having, Inside, Member};
use crate::model::{
    Author, Cues, Evidence, Filter, Occurrence, Occurrences, Scope, Survey, Turn, WordUse,
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
    let memories: u64 = having().map(|having| having.memories.len() as u64).sum();
    if memories * 10 < all.max(1) {
        return WordUse { memories, capitalised: 0.0 };
    }
    let capitalised: u64 = having().map(|having| having.capitalised).sum();
    WordUse { memories, capitalised: capitalised as f64 / memories.max(1) as f64 }
}

/// Returns everything that speaks for memories that the filter means.
pub(super) fn evidence(
    contents: &Contents,
    filter: &Filter,
    cues: &Cues,
    limit: usize,
) -> Evidence {
    let field = Field::of(contents.each(&filter.scopes), filter, cues, limit);
    let near = Near::to(&field.parts, field.members.len(), cues);
    let named = field.named();
    let seats = field.in_order(field.touched(&near, &named));
    let turn = |seat: &usize| Turn {
        scope: field.position(*seat),
        cosine: near.cosine(*seat),
        named: named.get(*seat).copied().unwrap_or_default(),
        ..field.members[*seat].glance.turn.clone()
    };
    let mut places = vec![None; field.members.len()];
    for (place, seat) in (0_u32..).zip(&seats) {
        places[*seat] = Some(place);
    }
    Evidence {
        turns: seats.iter().map(turn).collect(),
        words: cues.words.iter().map(|terms| field.occurrences(&places, terms)).collect(),
        passages: field.parts.iter().map(|part| part.inside.passages).sum(),
        cosines: near.spreads,
        pending: near.pending,
    }
}

/// What is asked, and of which memories; each has a seat, scope by scope and by their numbers.
struct Field<'a> {
    parts: Vec<Part<'a>>,
    members: Vec<&'a Member>,
    numbers: Vec<u64>,
    sieve: Sieve<'a>,
    cues: &'a Cues,
    limit: usize,
}

/// A scope that is asked.
struct Part<'a> {
    inside: &'a Inside,
    /// Its place among the scopes of the filter.
    position: usize,
    /// The seats of its memories.
    seats: Range<usize>,
}

impl<'a> Field<'a> {
    fn of(scopes: Vec<&'a Inside>, filter: &'a Filter, cues: &'a Cues, limit: usize) -> Self {
        let (mut parts, mut members, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for inside in scopes {
            let first = members.len();
            members.extend(inside.members());
            numbers.extend(inside.numbers());
            let scope = members[first..].first().map(|member| &member.kept.memory.scope);
            let position = filter.scopes.iter().position(|wanted| Some(wanted) == scope);
            let seats = first..members.len();
            parts.push(Part { inside, position: position.unwrap_or_default(), seats });
        }
        Self { parts, members, numbers, sieve: Sieve::of(filter), cues, limit }
    }

    fn position(&self, seat: usize) -> usize {
        let part = self.parts.iter().find(|part| part.seats.contains(&seat));
        part.map_or(0, |part| part.position)
    }

    fn is_meant(&self, seat: usize) -> bool {
        let Member { kept, glance } = self.members[seat];
        self.sieve.lets_pass(kept, glance)
    }

    /// Returns how many of the question's names each memory has, if it asks for any.
    fn named(&self) -> Vec<u32> {
        if self.cues.names.is_empty() {
            return Vec::new();
        }
        let all: Vec<_> = self.members.iter().map(|member| &*member.kept).collect();
        let named = entities::named(&all, &self.cues.names);
        let count = |member: &&Member| named.get(&member.kept.number).copied().unwrap_or_default();
        self.members.iter().map(count).collect()
    }

    /// Returns for which memories something speaks directly, of those that are meant.
    fn touched(&self, near: &Near, named: &[u32]) -> Vec<bool> {
        let mut touched = vec![false; self.members.len()];
        let terms: BTreeSet<&String> = self.cues.words.iter().flatten().collect();
        for (part, having) in terms.into_iter().flat_map(|term| self.having(term)) {
            part.seat(&self.numbers, having, |seat, _| touched[seat] = true);
        }
        for (seat, count) in named.iter().enumerate() {
            touched[seat] |= *count > 0;
        }
        for seat in self.cues.times.iter().flat_map(|span| self.latest(*span)) {
            touched[seat] = true;
        }
        for (seat, touched) in touched.iter_mut().enumerate() {
            *touched = *touched && self.is_meant(seat);
        }
        for seat in near.nearest(self.limit, |seat| self.is_meant(seat)) {
            touched[seat] = true;
        }
        touched
    }

    fn having(&self, term: &str) -> impl Iterator<Item = (&Part<'a>, &'a Having)> {
        self.parts.iter().filter_map(move |part| Some((part, part.inside.having(term)?)))
    }

    /// Returns the latest of what is meant and happened in a span of time.
    fn latest(&self, (first, last): (i64, i64)) -> Vec<usize> {
        let happened = |seat: usize| {
            let turn = &self.members[seat].glance.turn;
            (turn.event_at, turn.place, seat)
        };
        let mut inside: Vec<_> = (0..self.members.len())
            .map(happened)
            .filter(|(at, _, seat)| (first..=last).contains(at) && self.is_meant(*seat))
            .collect();
        inside.sort_unstable_by(|one, two| two.cmp(one));
        inside.into_iter().take(self.limit).map(|(_, _, seat)| seat).collect()
    }

    /// Returns what is touched and what was said around it, scope by scope and in order.
    fn in_order(&self, mut touched: Vec<bool>) -> Vec<usize> {
        let mut seats = Vec::new();
        for part in &self.parts {
            if !self.cues.alone {
                self.touch_around(part, &mut touched);
            }
            let first = seats.len();
            seats.extend(part.seats.clone().filter(|seat| touched[*seat]));
            seats[first..].sort_by_key(|seat| {
                let turn = &self.members[*seat].glance.turn;
                (turn.session, turn.event_at, turn.place)
            });
        }
        seats
    }

    /// Touches what is meant in the conversations of a scope of which something is touched.
    fn touch_around(&self, part: &Part<'_>, touched: &mut [bool]) {
        let session = |seat: usize| self.members[seat].glance.turn.session;
        let said = part.seats.clone().filter(|seat| touched[*seat]);
        let sessions: HashSet<u64> = said.filter_map(session).collect();
        for seat in part.seats.clone() {
            let is_around = || session(seat).is_some_and(|session| sessions.contains(&session));
            touched[seat] = touched[seat] || is_around() && self.is_meant(seat);
        }
    }

    /// Returns where a word stands, which is any of some terms, in the turns that have places.
    fn occurrences(&self, places: &[Option<u32>], terms: &[String]) -> Occurrences {
        let (mut found, mut passages_having) = (Vec::new(), 0);
        for term in terms {
            let mut passages = 0;
            for (part, having) in self.having(term) {
                part.seat(&self.numbers, having, |seat, has| {
                    passages += has.counts.len() as u64;
                    if let Some(turn) = places[seat] {
                        let told = has.counts.iter();
                        found.extend(told.map(|it| Occurrence {
                            turn,
                            told: it.told,
                            asked: it.asked,
                        }));
                    }
                });
            }
            passages_having = passages_having.max(passages);
        }
        found.sort_by_key(|occurrence| occurrence.turn);
        Occurrences { passages_having, found }
    }
}

impl Part<'_> {
    /// Tells the seats of the memories that have a term.
    fn seat<'a>(&self, numbers: &[u64], having: &'a Having, mut tell: impl FnMut(usize, &'a Has)) {
        let mut seat = self.seats.start;
        for (number, has) in &having.memories {
            seat += lower(&numbers[seat..self.seats.end], *number);
            tell(seat, has);
        }
    }
}

/// Returns how many of some numbers in order are lower than one, which is not far.
fn lower(numbers: &[u64], than: u64) -> usize {
    let mut reach = 1;
    while numbers.get(reach - 1).is_some_and(|number| *number < than) {
        reach *= 2;
    }
    let (first, last) = (reach / 2, reach.min(numbers.len()));
    first + numbers[first..last].partition_point(|number| *number < than)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::lower;

    proptest! {
        #[test]
        fn lower_numbers_are_counted(
            numbers in prop::collection::btree_set(0_u64..200, 0..100),
            than in 0_u64..220,
        ) {
            let numbers: Vec<u64> = numbers.into_iter().collect();
            let expected = numbers.iter().filter(|number| **number < than).count();
            prop_assert_eq!(lower(&numbers, than), expected);
        }
    }
}
