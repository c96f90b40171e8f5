//! Gathering the turns of one scope that something speaks for, with those around them.

mod votes;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::Value as Sql;

use super::codes::{self, Cache};
use super::field::{Field, Placed, Postings};
use super::read::collect;
use super::turns::{Record, session_key};
use super::unexpected;
use super::{earlier, filter, rows};
use crate::error::Result;
use crate::model::{
    Criteria, Filter, Groups, Identifier, Meaning, Occurrence, Occurrences, Place, Slot, Spread,
    Turn,
};
use crate::store::document;
use crate::store::kit::Count;
use crate::text::bm25;
use votes::{Enough, Votes};

/// Up to how many memories of a scope all turns are compared with the question.
const SMALL: usize = 2_048;

/// Of how many turns of a larger scope the cosine is looked up, besides those that are nearest;
/// those that rare words point to come first.
const COMPARED: usize = 256;

/// How many turns are weighed at most for which words speak, unless more are wanted: those for which
/// they speak most.
const ENOUGH: usize = 500;

/// Of which turns the cosine is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    /// Of those for which most speaks, if there are many.
    Few,
    /// Of all.
    All,
}

/// Marks a record that is not among the turns.
const ABSENT: u32 = u32::MAX;

/// A word of the question, and how frequent it is.
pub(super) struct Word {
    pub(super) terms: Vec<String>,
    /// How many passages have each term.
    pub(super) frequencies: Vec<u64>,
    /// Whether the places where it stands are looked at.
    pub(super) weighed: bool,
}

impl Word {
    /// Returns in how many places the word stands at most.
    pub(super) fn frequency(&self) -> u64 {
        self.frequencies.iter().sum()
    }

    /// Returns the occurrences of the word before any was looked for.
    pub(super) fn nowhere(&self) -> Occurrences {
        let passages_having = self.frequencies.iter().copied().max().unwrap_or_default();
        Occurrences { passages_having, found: Vec::new() }
    }
}

/// A scope and which of its memories are meant.
pub(super) struct Scoped<'a> {
    pub(super) number: i64,
    pub(super) field: Arc<Field>,
    position: usize,
    filter: &'a Filter,
    excluded_session: Option<u64>,
    /// The memories that are meant, if there are criteria which a record cannot tell.
    chosen: Option<HashSet<i64>>,
}

impl<'a> Scoped<'a> {
    pub(super) fn new(
        connection: &Connection,
        filter: &'a Filter,
        position: usize,
        number: i64,
        field: Arc<Field>,
    ) -> Result<Self> {
        let chosen = if is_told_by_records(&filter.criteria) {
            None
        } else {
            Some(chosen(connection, filter, number)?)
        };
        let excluded = filter.criteria.excluded_session.as_ref();
        let excluded_session = excluded.map(Identifier::as_str).map(session_key);
        Ok(Self { number, field, position, filter, excluded_session, chosen })
    }

    fn admits(&self, record: &Record) -> bool {
        if let Some(chosen) = &self.chosen {
            return chosen.contains(&record.memory);
        }
        let criteria = &self.filter.criteria;
        let time = &criteria.time;
        record.expires_at > self.filter.now.as_microsecond()
            && criteria.states.contains(&record.state)
            && (criteria.kinds.is_empty() || criteria.kinds.contains(&record.kind))
            && record.trust >= criteria.minimum_trust
            && time.from.is_none_or(|from| from.as_microsecond() <= record.event_at)
            && time.to.is_none_or(|to| record.event_at <= to.as_microsecond())
            && self.excluded_session.is_none_or(|session| session != record.session)
    }
}

/// Tells whether records alone say which memories meet the criteria.
fn is_told_by_records(criteria: &Criteria) -> bool {
    let Criteria { kinds, states, time, minimum_trust, excluded_session, .. } = criteria.clone();
    let told =
        Criteria { kinds, states, time, minimum_trust, excluded_session, ..Criteria::default() };
    *criteria == told
}

fn chosen(connection: &Connection, filter: &Filter, scope: i64) -> Result<HashSet<i64>> {
    let condition = filter::condition(filter);
    let sql = format!("SELECT m.memory FROM memories AS m WHERE m.scope = ? AND {}", condition.sql);
    let values = [Sql::from(scope)].into_iter().chain(condition.values);
    let numbers = collect(connection, &sql, values, |row| row.get(0).map_err(unexpected))?;
    let changed = earlier::changed(connection, filter, scope)?;
    Ok(numbers.into_iter().chain(changed.into_iter().map(|(number, _)| number)).collect())
}

/// Turns of one scope, as they are found.
pub(super) struct Gathering<'a> {
    scoped: &'a Scoped<'a>,
    pub(super) turns: Vec<Turn>,
    /// The place of each record among the turns.
    places: Vec<u32>,
    /// The turns that something speaks for directly, and not just for one of their conversation.
    pointed_to: Vec<u32>,
    /// How many turns of other scopes come before.
    offset: usize,
    /// Whether each comes without its conversation.
    alone: bool,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(scoped: &'a Scoped<'a>, offset: usize, alone: bool) -> Self {
        let places = vec![ABSENT; scoped.field.records.len()];
        Self { scoped, turns: Vec::new(), places, pointed_to: Vec::new(), offset, alone }
    }

    /// Adds the memories for which words speak most, at least `wanted` of them if there are as many.
    pub(super) fn add_words(
        &mut self,
        connection: &Connection,
        words: &[Word],
        occurrences: &mut [Occurrences],
        wanted: usize,
    ) -> Result<()> {
        let Scoped { field, number: scope, .. } = self.scoped;
        let mut votes = Votes::new(field.records.len());
        let mut found: Vec<(usize, Postings)> = Vec::new();
        for (number, word) in words.iter().enumerate().filter(|(_, word)| word.weighed) {
            let rarity = bm25::rarity(word.frequency(), field.passages);
            for term in &word.terms {
                let postings = field.postings(connection, *scope, term)?;
                votes.hear(number, rarity, postings.slices());
                found.push((number, postings));
            }
        }
        let enough = wanted.max(ENOUGH);
        votes.each(enough, |place| {
            self.point_to(place as usize);
            if self.pointed_to.len() < enough { Enough::NotYet } else { Enough::Yes }
        });
        let offset = u32::try_from(self.offset).unwrap_or(u32::MAX);
        for (number, postings) in found {
            for slice in postings.slices() {
                for Placed { place, count: Count { told, asked } } in slice.iter().copied() {
                    if let Some(turn) = self.known(place as usize) {
                        let turn = turn.saturating_add(offset);
                        occurrences[number].found.push(Occurrence { turn, told, asked });
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the memories that have one of the names.
    pub(super) fn add_named(&mut self, named: &HashMap<i64, u32>) {
        for (&memory, &count) in named {
            if let Some(turn) = self.touch(memory) {
                self.turns[turn as usize].named = count;
            }
        }
    }

    /// Adds the latest memories of each span of time.
    pub(super) fn add_times(&mut self, times: &[(i64, i64)], limit: usize) {
        for &(first, last) in times {
            let field = Arc::clone(&self.scoped.field);
            let records = field.records.iter().enumerate();
            let mut inside: Vec<(i64, usize)> = records
                .filter(|(_, record)| (first..=last).contains(&record.event_at))
                .filter(|(_, record)| self.scoped.admits(record))
                .map(|(place, record)| (record.event_at, place))
                .collect();
            inside.sort_unstable_by(|one, two| two.cmp(one));
            for (_, place) in inside.into_iter().take(limit) {
                self.point_to(place);
            }
        }
    }

    /// Adds the memories that shelves call near, as far as their texts still stand there.
    pub(super) fn add_near(&mut self, connection: &Connection, near: &[(Slot, f32)]) -> Result<()> {
        for (slot, cosine) in near {
            let Some(row) = rows::find(connection, &slot.id)? else { continue };
            let is_here = row.scope == self.scoped.number;
            if !is_here || document::decode(&row.document)?.slot().as_ref() != Some(slot) {
                continue;
            }
            if let Some(turn) = self.touch(row.number) {
                self.turns[turn as usize].cosine = Some(*cosine);
            }
        }
        Ok(())
    }

    /// Adds the memories nearest in meaning, and compares the others that were found.
    pub(super) fn add_meaning(
        &mut self,
        connection: &Connection,
        codes: &Cache,
        meaning: &Meaning,
        compared: Compared,
        limit: usize,
    ) -> Result<Option<Groups<Spread>>> {
        let Some(model) = codes::find_model(connection, &meaning.fingerprint)? else {
            return Ok(None);
        };
        let (place, vector) = ((self.scoped.number, model), &meaning.vector);
        let (scoped, field) = (self.scoped, Arc::clone(&self.scoped.field));
        let admits = |memory: i64| {
            field.place(memory).is_some_and(|place| scoped.admits(&field.records[place]))
        };
        let found = codes::nearest(connection, codes, place, vector, &admits, limit)?;
        for near in &found.nearest {
            if let Some(turn) = self.touch(near.memory) {
                self.turns[turn as usize].cosine = Some(near.cosine);
            }
        }
        let most = match compared {
            Compared::Few if field.records.len() > SMALL => COMPARED,
            Compared::Few | Compared::All => usize::MAX,
        };
        let pointed_to = self.pointed_to.iter().map(|turn| &self.turns[*turn as usize]);
        let unknown = pointed_to.chain(&self.turns).filter(|turn| turn.cosine.is_none());
        let others: Vec<i64> = unknown.take(most).map(|turn| turn.place.0.cast_signed()).collect();
        for known in codes::cosines(connection, codes, place, vector, &others)? {
            if let Some(turn) = self.touch(known.memory) {
                self.turns[turn as usize].cosine = Some(known.cosine);
            }
        }
        Ok(Some(found.spread))
    }

    /// Returns the place of a memory among the turns, after adding it with its conversation.
    fn touch(&mut self, memory: i64) -> Option<u32> {
        self.point_to(self.scoped.field.place(memory)?)
    }

    fn point_to(&mut self, place: usize) -> Option<u32> {
        if self.places[place] == ABSENT {
            self.add(place);
        }
        let turn = self.known(place)?;
        self.pointed_to.push(turn);
        Some(turn)
    }

    fn known(&self, place: usize) -> Option<u32> {
        Some(self.places[place]).filter(|turn| *turn != ABSENT)
    }

    fn add(&mut self, place: usize) {
        let field = Arc::clone(&self.scoped.field);
        let record = &field.records[place];
        if !self.scoped.admits(record) {
            return;
        }
        let conversation = if self.alone { &[] } else { field.conversation(record) };
        match conversation {
            [] => self.push(place, record),
            conversation => {
                for &place in conversation {
                    let record = &field.records[place as usize];
                    if self.scoped.admits(record) {
                        self.push(place as usize, record);
                    }
                }
            }
        }
    }

    fn push(&mut self, place: usize, record: &Record) {
        self.places[place] = u32::try_from(self.turns.len()).unwrap_or(ABSENT);
        self.turns.push(Turn {
            place: Place(record.memory.cast_unsigned()),
            scope: self.scoped.position,
            session: (record.session != 0).then_some(record.session),
            author: (record.author != 0).then_some(record.author.into()),
            kind: record.kind,
            trust: record.trust,
            assistant: record.assistant,
            question: record.question,
            instructs: record.instructs,
            length: record.length,
            event_at: record.event_at,
            cosine: None,
            named: 0,
        });
    }
}
