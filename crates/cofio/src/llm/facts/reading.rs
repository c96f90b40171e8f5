//! Reads what a model found, and keeps what the turns support.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use jiff::tz::TimeZone;
use serde_json::Value;

use super::answer::{Claim, claims};
use super::{Basis, Fact, Fault, Found, Said, Voice};
use crate::ingest::instructs;
use crate::lifecycle::extraction::{Candidate, Evidence, Values, extract, restates};
use crate::llm::quoting;
use crate::model::Fraction;
use crate::retrieval::dates::{Days, mentioned};
use crate::text::{fold, sentences};

/// How likely it is that something was meant that a model found, in the speaker's words or its own.
const OWN_WORDS: f64 = 0.8;
const CONCLUSION: f64 = 0.6;

/// Returns the facts of an answer that the turns support.
pub(super) fn read(said: &[Said<'_>], answer: &Value) -> Found {
    let mut found = Found::default();
    for claim in claims(answer) {
        match support(said, &claim) {
            Ok(support) => found.facts.push(fact(&claim, &support)),
            Err(fault) => found.dropped.push(fault),
        }
    }
    unite(&mut found);
    let place = |fact: &Fact| {
        let first = fact.candidate.evidence.first()?;
        said.iter().position(|said| *said.id == first.turn)
    };
    found.facts.sort_by_key(place);
    found
}

/// What a claim rests on.
struct Support<'a> {
    /// The turn that the words stand in.
    quoted: &'a Said<'a>,
    /// Where it was said, that turn first.
    evidence: Vec<Evidence>,
}

/// Returns what a claim rests on, or what is wrong with it.
fn support<'a>(said: &'a [Said<'a>], claim: &Claim) -> Result<Support<'a>, Fault> {
    let numbers = claim.evidence.iter();
    let turns: Option<Vec<&Said<'_>>> =
        numbers.map(|number| said.get(number.checked_sub(1)?)).collect();
    let turns = turns.filter(|turns| !turns.is_empty()).ok_or(Fault::NoSuchTurn)?;
    if turns.iter().any(|turn| turn.by != Voice::Person) {
        return Err(Fault::NobodySaidIt);
    }
    let texts = [&claim.content, &claim.subject, &claim.attribute];
    if texts.into_iter().chain(&claim.value).any(|text| instructs(text)) {
        return Err(Fault::Instructs);
    }
    let place = |turn: &&&Said<'_>| quoting::places(turn.shown(), &claim.quote).into_iter().next();
    let (quoted, bytes) =
        turns.iter().find_map(|turn| Some((*turn, place(&turn)?))).ok_or(Fault::NotQuoted)?;
    let mut evidence = vec![Evidence { turn: quoted.id.clone(), bytes }];
    for turn in turns {
        let shown = turn.shown();
        if !shown.trim().is_empty() && evidence.iter().all(|known| known.turn != *turn.id) {
            evidence.push(Evidence { turn: turn.id.clone(), bytes: 0..shown.len() });
        }
    }
    Ok(Support { quoted, evidence })
}

/// Makes a fact of a claim that is supported.
fn fact(claim: &Claim, support: &Support<'_>) -> Fact {
    let quoted = support.quoted;
    let candidate = Candidate {
        content: spaced(&claim.content),
        subject: subject(&claim.subject, quoted),
        attribute: fold(&spaced(&claim.attribute.replace(['_', '-'], " "))),
        values: if claim.single { Values::One } else { Values::Many },
        value: claim.value.as_deref().map(spaced).unwrap_or_default(),
        fact_type: claim.fact_type.parse().expect("the shape allows no other"),
        standing: claim.standing.parse().expect("the shape allows no other"),
        corrects: claim.corrects,
        days: days(quoted, &support.evidence[0]),
        confidence: fraction(CONCLUSION),
        evidence: support.evidence.clone(),
    };
    let bytes = &support.evidence[0].bytes;
    if !restates(&quoted.turn(), bytes, &candidate) {
        return Fact { candidate, basis: Basis::Conclusion };
    }
    let candidate = Candidate { confidence: fraction(OWN_WORDS), ..candidate };
    Fact { candidate: under_its_name(candidate, quoted, bytes), basis: Basis::OwnWords }
}

/// Returns a fact under the name that the built-in reading of the same words has for it.
///
/// A model may take one thing or person for another, and what is known of the other would be over.
/// Where the words are not understood, the fact stands beside what is known and takes no place.
fn under_its_name(candidate: Candidate, said: &Said<'_>, bytes: &Range<usize>) -> Candidate {
    let told = extract(&[said.turn()]);
    let touches = |place: &Evidence| place.bytes.start < bytes.end && place.bytes.end > bytes.start;
    let here = || told.iter().filter(|told| told.evidence.iter().any(touches));
    let same = here().find(|told| fold(&told.content) == fold(&candidate.content));
    let alike = |told: &&Candidate| {
        let names =
            |fact: &Candidate| [fold(&fact.subject), fold(&fact.attribute), fold(&fact.value)];
        names(told) == names(&candidate) && told.standing == candidate.standing
    };
    let Some(told) = same.or_else(|| here().find(alike)) else {
        return Candidate { values: Values::Many, corrects: false, ..candidate };
    };
    let Candidate { content, confidence, evidence, .. } = candidate;
    Candidate { content, confidence, evidence, ..told.clone() }
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the name by which facts about a subject are found to be about the same.
fn subject(claimed: &str, said: &Said<'_>) -> String {
    let claimed = spaced(claimed);
    let bare = claimed.strip_prefix("the ").or_else(|| claimed.strip_prefix("The "));
    let bare = bare.unwrap_or(&claimed);
    let owned = bare.get("user".len()..).filter(|rest| rest.is_empty() || rest.starts_with("'s "));
    match owned {
        Some(rest) if bare.to_lowercase().starts_with("user") => {
            format!("{}{rest}", said.speaker.unwrap_or("user"))
        }
        _ => claimed,
    }
}

/// Returns the days that are meant, if they are counted from the day something was said.
fn days(said: &Said<'_>, evidence: &Evidence) -> Option<Days> {
    let day = said.said_at.to_zoned(TimeZone::UTC).date();
    let text = said.shown();
    let mut end = 0;
    let ends_behind = |sentence: &&str| {
        end += text[end..].find(sentence).unwrap_or_default() + sentence.len();
        end > evidence.bytes.start
    };
    let sentence = sentences(text).find(ends_behind)?;
    match mentioned(sentence, day).as_slice() {
        [mention] if mention.relative => Some(mention.days),
        _ => None,
    }
}

/// Makes one fact of those that say the same, and none of those that contradict each other.
fn unite(found: &mut Found) {
    let mut united: Vec<Option<Fact>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for fact in found.facts.drain(..) {
        match places.entry(fold(&fact.candidate.content)) {
            Entry::Vacant(place) => {
                place.insert(united.len());
                united.push(Some(fact));
            }
            Entry::Occupied(place) => {
                let known = &mut united[*place.get()];
                match known {
                    Some(known) if known.candidate.standing == fact.candidate.standing => {
                        merge(known, fact);
                    }
                    _ => {
                        let faults = usize::from(known.take().is_some()) + 1;
                        found.dropped.extend(vec![Fault::Contradicted; faults]);
                    }
                }
            }
        }
    }
    found.facts = united.into_iter().flatten().collect();
}

/// Adds where the same was said; it is in the speaker's words if it was so each time.
fn merge(known: &mut Fact, same: Fact) {
    known.basis = known.basis.max(same.basis);
    for evidence in same.candidate.evidence {
        if !known.candidate.evidence.contains(&evidence) {
            known.candidate.evidence.push(evidence);
        }
    }
    if known.basis == Basis::Conclusion {
        known.candidate.confidence = fraction(CONCLUSION);
    }
}

fn fraction(number: f64) -> Fraction {
    Fraction::new(number).expect("the figures above are fractions")
}
