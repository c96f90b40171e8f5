//! From candidates to facts that may be learnt.

use std::collections::HashMap;

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::statement::Statement;
use super::{
    CATEGORY, CORRECTS, MOST_EVIDENCE, Owner, PROFILE, SAID_AT, STANDING, VALUES, reading,
};
use crate::lifecycle::extraction::{Candidate, FactType, SPEAKER, Standing, Turn, Values, extract};
use crate::model::{
    Channel, Draft, Kind, Memory, MemoryId, Metadata, Scope, Source, SourceType, State, Timestamp,
    Triple, Trust,
};

/// A fact that was found, before it has passed the rules for everything that is remembered.
#[derive(Debug, Clone)]
pub struct Found {
    /// What is to be remembered.
    pub draft: Draft,
    /// What it states, and when and where that was said.
    pub telling: Telling,
}

impl Found {
    /// Returns the same fact as a conclusion, which is trusted no further than any is.
    #[must_use]
    pub fn as_conclusion(mut self) -> Self {
        let source = self.draft.source.trusted_at_most(Channel::Inference.trust());
        self.draft.source = source;
        self.draft.source.source_type = SourceType::Inference;
        let (custom, stated) = (&mut self.draft.metadata.custom, &self.draft.triple);
        if let (Some(category), Some(stated)) = (custom.get_mut(CATEGORY), stated) {
            // Who the user is, only their own word says.
            *category = stated.fact_type.as_str().into();
        }
        self
    }
}

/// A fact that was found and may be remembered.
#[derive(Debug, Clone)]
pub struct Fact {
    /// The fact as it would be kept.
    pub memory: Memory,
    /// What it states, and when and where that was said.
    pub telling: Telling,
}

/// What was said, when and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Telling {
    pub(super) statement: Statement,
    /// When it was said last.
    pub(super) said_at: Timestamp,
    /// In which turn and where in it that was.
    pub(super) place: (usize, usize),
}

impl Telling {
    /// Returns whom or what it is about, by a name that is always the same.
    pub fn subject(&self) -> &str {
        self.statement.subject()
    }

    /// Returns what it says of its subject.
    pub fn attribute(&self) -> &str {
        self.statement.attribute()
    }
}

/// Returns the facts that candidates make, in the scope of the turns they were found in.
///
/// A candidate whose evidence is not all among the turns of the scope makes none.
pub fn found(
    scope: &Scope,
    turns: &[Memory],
    candidates: &[Candidate],
    owner: &Owner,
) -> Vec<Found> {
    let turns = turns.iter().enumerate().filter(|(_, turn)| turn.scope == *scope);
    let heard: HashMap<&MemoryId, (usize, &Memory)> =
        turns.map(|(index, turn)| (&turn.id, (index, turn))).collect();
    let found = candidates.iter().filter_map(|candidate| {
        let places = candidate.evidence.iter().map(|evidence| {
            let (index, turn) = *heard.get(&evidence.turn)?;
            Some(Place { at: (index, evidence.bytes.start), turn })
        });
        let places = vouching(places.collect::<Option<Vec<Place<'_>>>>()?, candidate);
        let (first, last) = (earliest(&places)?, latest(&places)?);
        let telling = Telling {
            statement: Statement::new(candidate, owner),
            said_at: last.turn.event_at,
            place: last.at,
        };
        Some(Found { draft: draft(scope, candidate, &places, (first, last), owner), telling })
    });
    found.collect()
}

/// Returns a memory that was said again: with more evidence, and in use if it had faded.
///
/// Neither trust nor certainty grows by repetition. What somebody wrote by hand has no evidence and
/// needs none, so that it does not go with a conversation that repeats it.
pub fn supported(memory: &Memory, evidence: &[MemoryId], said_at: Timestamp) -> Memory {
    let mut memory = memory.clone();
    if memory.state == State::Decayed {
        memory.state = State::Active;
    }
    if memory.provenance.derived_from.is_empty() {
        return memory;
    }
    let said_at = said_at.max(reading::said_at(&memory));
    let known = &mut memory.provenance.derived_from;
    known.extend_from_slice(evidence);
    *known = newest(std::mem::take(known));
    note_said(&mut memory.metadata.custom, memory.event_at, said_at);
    memory
}

/// Where something was said.
#[derive(Clone, Copy)]
struct Place<'a> {
    at: (usize, usize),
    turn: &'a Memory,
}

fn earliest<'a>(places: &[Place<'a>]) -> Option<Place<'a>> {
    places.iter().min_by_key(|place| (place.turn.event_at, place.at)).copied()
}

fn latest<'a>(places: &[Place<'a>]) -> Option<Place<'a>> {
    places.iter().max_by_key(|place| (place.turn.event_at, place.at)).copied()
}

/// Leaves out places that are trusted less than others, if those say it without them.
///
/// Otherwise anybody could make doubtful what the user said, by saying it too.
fn vouching<'a>(places: Vec<Place<'a>>, candidate: &Candidate) -> Vec<Place<'a>> {
    let most = places.iter().map(|place| trust(place.turn)).max();
    let (best, others): (Vec<Place<'a>>, Vec<Place<'a>>) =
        places.iter().partition(|place| Some(trust(place.turn)) == most);
    let alone = others.is_empty() || best.iter().all(|place| says(place.turn, candidate));
    if alone { best } else { places }
}

/// Tells whether a turn says by itself what a candidate does.
fn says(turn: &Memory, candidate: &Candidate) -> bool {
    let turn = Turn {
        id: &turn.id,
        assistant: turn.said_by_assistant(),
        speaker: turn.author(),
        said_at: turn.event_at,
        text: turn.content.as_str(),
    };
    let named = extract(&[turn]);
    let unnamed = extract(&[Turn { speaker: None, ..turn }]);
    named.iter().chain(&unnamed).any(|told| {
        (&told.content, &told.attribute, told.standing)
            == (&candidate.content, &candidate.attribute, candidate.standing)
    })
}

/// Returns how far what a turn tells is to be trusted: quotations and models are not its speaker.
fn trust(turn: &Memory) -> Trust {
    let foreign = turn.source.from_external_content || turn.instructs || turn.said_by_assistant();
    if foreign { Trust::Low } else { turn.source.trust() }
}

fn draft(
    scope: &Scope,
    candidate: &Candidate,
    places: &[Place<'_>],
    (first, last): (Place<'_>, Place<'_>),
    owner: &Owner,
) -> Draft {
    let trust = places.iter().map(|place| trust(place.turn)).min().unwrap_or(Trust::Low);
    let event_at = happened(candidate, first.turn.event_at);
    let subject = owner.subject(&candidate.subject);
    let about_owner = subject == SPEAKER && owner.is_known() && trust == Trust::High;
    let mut custom = described(candidate, about_owner);
    note_said(&mut custom, event_at, last.turn.event_at);
    Draft {
        metadata: Metadata {
            confidence: Some(candidate.confidence),
            author: last.turn.metadata.author.clone(),
            custom,
            ..Metadata::default()
        },
        event_at: Some(event_at),
        triple: Some(Triple {
            fact_type: candidate.fact_type.to_string(),
            subject,
            predicate: candidate.attribute.clone(),
            object: candidate.value.clone(),
        }),
        derived_from: newest(places.iter().map(|place| place.turn.id.clone()).collect()),
        ..Draft::new(scope.clone(), Kind::Fact, &candidate.content, source(last.turn, trust))
    }
}

/// Returns where a fact comes from: the conversation, as its last turn did.
fn source(turn: &Memory, trust: Trust) -> Source {
    let mut source = Source::restored(SourceType::Conversation, trust);
    source.session.clone_from(&turn.source.session);
    source.role.clone_from(&turn.source.role);
    source.from_external_content = turn.source.from_external_content;
    source
}

/// Returns when what a candidate tells happened: when it was said, unless it tells of days before.
fn happened(candidate: &Candidate, said_at: Timestamp) -> Timestamp {
    let today = said_at.to_zoned(TimeZone::UTC).date();
    let past = candidate.days.filter(|days| days.last < today);
    let first = past.and_then(|days| days.first.to_zoned(TimeZone::UTC).ok());
    first.map_or(said_at, |first| first.timestamp())
}

/// Returns the custom fields of a fact, from which it is read back.
fn described(candidate: &Candidate, about_owner: bool) -> Map<String, Value> {
    let profile = about_owner && candidate.fact_type == FactType::Identity;
    let category = if profile { PROFILE } else { candidate.fact_type.as_str() };
    let mut custom = Map::new();
    custom.insert(CATEGORY.to_owned(), category.into());
    if candidate.standing != Standing::Holds {
        custom.insert(STANDING.to_owned(), candidate.standing.as_str().into());
    }
    if candidate.values == Values::One {
        custom.insert(VALUES.to_owned(), candidate.values.as_str().into());
    }
    if candidate.corrects {
        custom.insert(CORRECTS.to_owned(), true.into());
    }
    custom
}

/// Notes when a fact was last said, if that is not when it happened.
fn note_said(custom: &mut Map<String, Value>, event_at: Timestamp, said_at: Timestamp) {
    if said_at == event_at {
        custom.remove(SAID_AT);
    } else {
        custom.insert(SAID_AT.to_owned(), said_at.to_string().into());
    }
}

/// Returns the newest memories among some, each once, the oldest of them first.
fn newest(mut ids: Vec<MemoryId>) -> Vec<MemoryId> {
    ids.sort_by(|one, other| age(one).cmp(age(other)).then_with(|| one.cmp(other)));
    ids.dedup();
    ids.split_off(ids.len().saturating_sub(MOST_EVIDENCE))
}

/// Returns the part of an id that later ids have a larger one of.
fn age(id: &MemoryId) -> &str {
    id.as_str().split_once('_').map_or("", |(_, digits)| digits)
}
