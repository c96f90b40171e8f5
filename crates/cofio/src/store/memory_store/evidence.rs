//! What speaks for memories: gathered from all memories of the scopes each time it is asked for.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher as _};

use super::contents::Contents;
use super::entities;
use super::kept::Kept;
use crate::model::{
    Author, Cues, Embedding, Evidence, Filter, Groups, Meaning, Memory, Occurrence, Occurrences,
    Place, Scope, Slot, Spread, Survey, Turn, WordUse,
};

/// Returns what is known of the scopes.
pub(super) fn survey(contents: &Contents, scopes: &[Scope], words: &[String]) -> Survey {
    let inside = contents.inside(scopes);
    let mut authors: BTreeMap<&str, u64> = BTreeMap::new();
    for kept in &inside {
        if let Some(name) = kept.memory.author() {
            *authors.entry(name).or_default() += 1;
        }
    }
    let author =
        |(name, memories): (&str, u64)| Author { key: key(name), name: name.to_owned(), memories };
    Survey {
        memories: inside.len() as u64,
        authors: authors.into_iter().map(author).collect(),
        words: words.iter().map(|word| word_use(&inside, word)).collect(),
    }
}

fn word_use(inside: &[&Kept], word: &str) -> WordUse {
    let has = |kept: &&&Kept| {
        kept.analysed.passages.iter().any(|passage| passage.terms.contains_key(word))
    };
    let having: Vec<&&Kept> = inside.iter().filter(has).collect();
    if having.len() * 10 < inside.len().max(1) {
        return WordUse { memories: having.len() as u64, capitalised: 0.0 };
    }
    let capitalised = having.iter().filter(|kept| kept.memory.content.has_capital(word)).count();
    let share = capitalised as f64 / having.len().max(1) as f64;
    WordUse { memories: having.len() as u64, capitalised: share }
}

/// Returns everything that speaks for memories that the filter means.
pub(super) fn evidence(
    contents: &Contents,
    filter: &Filter,
    cues: &Cues,
    limit: usize,
) -> Evidence {
    let inside = contents.inside(&filter.scopes);
    let meant: Vec<&Kept> =
        inside.iter().copied().filter(|kept| kept.meant(filter).is_some()).collect();
    let named = entities::named(&inside, &cues.names);
    let mut cosines = cues.meaning.as_ref().map(|meaning| cosines(&inside, meaning));
    if let Some(cosines) = &mut cosines {
        cosines.extend(near(&inside, &cues.near));
    }
    let touched = touched(&meant, cues, &named, cosines.as_ref(), limit);
    let mut turns: Vec<&Kept> = meant
        .into_iter()
        .filter(|kept| {
            touched.places.contains(&kept.number)
                || session(&kept.memory).is_some_and(|session| touched.sessions.contains(&session))
        })
        .collect();
    turns.sort_by_key(|kept| {
        let memory = &kept.memory;
        (memory.scope.to_string(), session(memory), memory.event_at, kept.number)
    });
    let words = cues.words.iter().map(|terms| occurrences(&inside, &turns, terms)).collect();
    let passages: u64 = inside.iter().map(|kept| kept.analysed.passages.len() as u64).sum();
    let pending = cues.meaning.as_ref().map_or(0, |meaning| {
        inside.iter().filter(|kept| !is_embedded(kept, meaning)).count() as u64
    });
    Evidence {
        turns: turns
            .iter()
            .map(|kept| {
                let cosine = cosines.as_ref().and_then(|cosines| cosines.get(&kept.number));
                turn(kept, filter, cosine.copied(), named.get(&kept.number).copied())
            })
            .collect(),
        words,
        passages,
        cosines: cues.meaning.as_ref().map_or_else(Groups::default, |m| spreads(&inside, m)),
        pending,
    }
}

/// What something speaks for directly.
struct Touched {
    places: HashSet<u64>,
    sessions: HashSet<(String, u64)>,
}

fn touched(
    meant: &[&Kept],
    cues: &Cues,
    named: &HashMap<u64, u32>,
    cosines: Option<&HashMap<u64, f32>>,
    limit: usize,
) -> Touched {
    let terms: BTreeSet<&String> = cues.words.iter().flatten().collect();
    let has_term = |kept: &&&Kept| {
        let passages = &kept.analysed.passages;
        passages.iter().any(|passage| terms.iter().any(|term| passage.terms.contains_key(*term)))
    };
    let mut near: Vec<(f32, u64)> = Vec::new();
    if let Some(cosines) = cosines {
        let known = |kept: &&Kept| Some((*cosines.get(&kept.number)?, kept.number));
        near = meant.iter().filter_map(known).collect();
        near.sort_by(|one, two| two.0.total_cmp(&one.0));
        near.truncate(limit);
    }
    let by_words = meant.iter().filter(has_term).map(|kept| kept.number);
    let by_names = named.keys().copied();
    let by_meaning = near.into_iter().map(|(_, number)| number);
    let by_times = cues.times.iter().flat_map(|span| latest(meant, *span, limit));
    let places: HashSet<u64> = by_words.chain(by_names).chain(by_meaning).chain(by_times).collect();
    let in_sessions = meant.iter().filter(|kept| places.contains(&kept.number));
    let sessions = in_sessions.filter_map(|kept| session(&kept.memory)).collect();
    Touched { places, sessions }
}

/// Returns the latest of what happened in a span of time.
fn latest(meant: &[&Kept], (first, last): (i64, i64), limit: usize) -> Vec<u64> {
    let happened = |kept: &&Kept| (kept.memory.event_at.as_microsecond(), kept.number);
    let mut inside: Vec<(i64, u64)> = meant.iter().map(happened).collect();
    inside.retain(|(at, _)| (first..=last).contains(at));
    inside.sort_unstable_by(|one, two| two.cmp(one));
    inside.into_iter().take(limit).map(|(_, number)| number).collect()
}

fn turn(kept: &Kept, filter: &Filter, cosine: Option<f32>, named: Option<u32>) -> Turn {
    let memory = &kept.memory;
    let scope = filter.scopes.iter().position(|scope| *scope == memory.scope);
    Turn {
        place: Place(kept.number),
        scope: scope.unwrap_or_default(),
        session: session(memory).map(|(_, session)| session),
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

fn occurrences(inside: &[&Kept], turns: &[&Kept], terms: &[String]) -> Occurrences {
    let having = |term: &String| {
        let passages = inside.iter().flat_map(|kept| &kept.analysed.passages);
        passages.filter(|passage| passage.terms.contains_key(term)).count() as u64
    };
    let mut found = Vec::new();
    for (turn, kept) in (0..).zip(turns) {
        for analysed in &kept.analysed.passages {
            if let Some(count) = terms.iter().filter_map(|term| analysed.terms.get(term)).max() {
                found.push(Occurrence { turn, told: count.told, asked: count.asked });
            }
        }
    }
    Occurrences { passages_having: terms.iter().map(having).max().unwrap_or_default(), found }
}

fn is_embedded(kept: &Kept, meaning: &Meaning) -> bool {
    matches!(&kept.memory.embedding, Embedding::Ready(by) if *by == meaning.fingerprint)
}

/// Returns the cosines of a memory's passages, if it has vectors of the model.
fn passage_cosines(kept: &Kept, meaning: &Meaning) -> impl Iterator<Item = f32> {
    let dot = |vector: &[f32]| vector.iter().zip(&meaning.vector).map(|(a, b)| a * b).sum();
    let vectors = if is_embedded(kept, meaning) { &kept.vectors[..] } else { &[] };
    vectors.iter().map(move |known| dot(&known.vector))
}

/// Returns the best cosine of each memory that has vectors of the model.
fn cosines(inside: &[&Kept], meaning: &Meaning) -> HashMap<u64, f32> {
    let best =
        |kept: &&Kept| Some((kept.number, passage_cosines(kept, meaning).max_by(f32::total_cmp)?));
    inside.iter().filter_map(best).collect()
}

/// Returns the cosines of the memories whose texts stand under slots.
fn near(inside: &[&Kept], near: &[(Slot, f32)]) -> HashMap<u64, f32> {
    let near: HashMap<&Slot, f32> = near.iter().map(|(slot, cosine)| (slot, *cosine)).collect();
    let cosine = |kept: &&Kept| Some((kept.number, *near.get(&kept.memory.slot()?)?));
    inside.iter().filter_map(cosine).collect()
}

fn spreads(inside: &[&Kept], meaning: &Meaning) -> Groups<Spread> {
    let of = |assistant: bool| {
        let group = inside.iter().filter(|kept| kept.memory.said_by_assistant() == assistant);
        Spread::of(group.flat_map(|kept| passage_cosines(kept, meaning)).map(f64::from))
    };
    Groups { assistant: of(true), others: of(false) }
}

fn session(memory: &Memory) -> Option<(String, u64)> {
    Some((memory.scope.to_string(), key(memory.conversation()?)))
}

fn key(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
