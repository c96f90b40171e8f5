//! What speaks for memories, from one snapshot.

use std::sync::Arc;

use rusqlite::Connection;

use super::codes::{self, Cache};
use super::field::{Field, Fields, Sample};
use super::gathering::{Compared, Gathering, Scoped, Word};
use super::{entities, pending, read};
use crate::error::Result;
use crate::model::{Cues, Evidence, Filter, Groups, Memory, Place, Scope, Spread, Survey, WordUse};
use crate::store::{Cued, Foreseen, Inquiry};

/// About how many places of terms are weighed at most, over all scopes of a search.
const WORK: u64 = 60_000;

/// In how many memories the spelling of a frequent word is looked at.
const SAMPLE: usize = 32;

/// How many memories the names of a question lead to at most.
const NAMED: usize = 20_000;

/// What a process keeps in memory between searches.
#[derive(Debug, Default)]
pub(super) struct Kept {
    fields: Fields,
    codes: Cache,
}

/// Follows an inquiry within the snapshot at hand.
pub(super) fn find(
    connection: &Connection,
    kept: &Kept,
    filter: &Filter,
    limit: usize,
    mut inquiry: Box<dyn Inquiry>,
) -> Result<Vec<(Place, Memory)>> {
    let searched = searched(connection, &kept.fields, &filter.scopes)?;
    let survey = match inquiry.words() {
        Some(words) => survey(connection, &searched, words)?,
        None => Survey::default(),
    };
    let cues = match inquiry.cues(&survey) {
        Cued::By(cues) => cues,
        Cued::Later(foreseen) => {
            make_ready(connection, kept, &searched, &foreseen)?;
            return Ok(Vec::new());
        }
    };
    let evidence = evidence(connection, &kept.codes, filter, &searched, &cues, limit)?;
    read::at(connection, filter, &inquiry.choose(&evidence))
}

/// A scope that has ever held something, and what is known of it at the moment of the snapshot.
struct Searched {
    /// Its place among the scopes of the filter.
    position: usize,
    number: i64,
    field: Arc<Field>,
}

fn searched(connection: &Connection, fields: &Fields, scopes: &[Scope]) -> Result<Vec<Searched>> {
    let mut searched = Vec::with_capacity(scopes.len());
    for (position, scope) in scopes.iter().enumerate() {
        for number in read::scope_numbers(connection, std::slice::from_ref(scope))? {
            let field = fields.of(connection, number)?;
            searched.push(Searched { position, number, field });
        }
    }
    Ok(searched)
}

/// Returns what is known of the scopes by which a question is to be read.
fn survey(connection: &Connection, searched: &[Searched], words: &[String]) -> Result<Survey> {
    let mut survey = Survey { words: vec![WordUse::default(); words.len()], ..Survey::default() };
    for Searched { field, .. } in searched {
        survey.memories += field.records.len() as u64;
        survey.authors.extend(field.authors.iter().cloned());
    }
    for (word, word_use) in words.iter().zip(&mut survey.words) {
        *word_use = use_of(connection, searched, word, survey.memories)?;
    }
    Ok(survey)
}

fn use_of(connection: &Connection, searched: &[Searched], word: &str, all: u64) -> Result<WordUse> {
    let mut memories = 0;
    let mut having = Vec::new();
    let mut passages = 0;
    for Searched { number, field, .. } in searched {
        passages += field.passages_having(connection, *number, word)?;
    }
    // Of a rare word nothing else is asked, and its places need not be read.
    if passages * 10 < all {
        return Ok(WordUse { memories: passages, capitalised: 0.0 });
    }
    for Searched { number, field, .. } in searched {
        let postings = field.postings(connection, *number, word)?;
        let count = postings.memories().count();
        memories += count as u64;
        having.push((field, postings, count));
    }
    if memories * 10 < all || memories == 0 {
        return Ok(WordUse { memories, capitalised: 0.0 });
    }
    let mut capitalised = 0.0;
    for (field, postings, count) in having {
        let sample = Sample::of(count, SAMPLE);
        let share = field.capitalised(word, sample, || {
            let looked_at = postings.memories().step_by(sample.step);
            capitalised_share(connection, field, word, looked_at)
        })?;
        capitalised += share * count as f64 / memories as f64;
    }
    Ok(WordUse { memories, capitalised })
}

/// Looks at some of the memories that have a word.
fn capitalised_share(
    connection: &Connection,
    field: &Field,
    word: &str,
    places: impl Iterator<Item = u32>,
) -> Result<f64> {
    let (mut capitalised, mut looked_at) = (0.0, 0.0);
    for place in places {
        let number = field.records[place as usize].memory;
        if let Some(memory) = read::by_number(connection, number)? {
            looked_at += 1.0;
            capitalised += f64::from(u8::from(memory.content.has_capital(word)));
        }
    }
    Ok(capitalised / f64::max(looked_at, 1.0))
}

/// Reads into memory what the next inquiry will need: what a question means may take as long to be
/// found out, and not on this thread.
fn make_ready(
    connection: &Connection,
    kept: &Kept,
    searched: &[Searched],
    foreseen: &Foreseen,
) -> Result<()> {
    let words = weighable(connection, searched, &foreseen.words)?;
    let model = match &foreseen.model {
        Some(fingerprint) => codes::find_model(connection, fingerprint)?,
        None => None,
    };
    for Searched { number, field, .. } in searched {
        for term in words.iter().filter(|word| word.weighed).flat_map(|word| &word.terms) {
            field.postings(connection, *number, term)?;
        }
        if let Some(model) = model {
            codes::make_ready(connection, &kept.codes, (*number, model))?;
        }
    }
    Ok(())
}

/// Returns everything that speaks for memories that the filter means.
fn evidence(
    connection: &Connection,
    codes: &Cache,
    filter: &Filter,
    searched: &[Searched],
    cues: &Cues,
    limit: usize,
) -> Result<Evidence> {
    let mut scopes = Vec::with_capacity(searched.len());
    for Searched { position, number, field } in searched {
        scopes.push(Scoped::new(connection, filter, *position, *number, Arc::clone(field))?);
    }
    let words = weighable(connection, searched, &cues.words)?;
    let fields = searched.iter().map(|searched| (searched.number, &*searched.field));
    let named = entities::named(connection, fields, &cues.names, NAMED)?;
    let mut evidence =
        Evidence { words: words.iter().map(Word::nowhere).collect(), ..Evidence::default() };
    let mut spreads = Vec::new();
    let compared = if cues.every_cosine { Compared::All } else { Compared::Few };
    for scoped in &scopes {
        let mut gathering = Gathering::new(scoped, evidence.turns.len(), cues.alone);
        gathering.add_words(connection, &words, &mut evidence.words, limit)?;
        gathering.add_named(&named);
        gathering.add_times(&cues.times, limit);
        if let Some(meaning) = &cues.meaning {
            gathering.add_near(connection, &cues.near)?;
            let found = gathering.add_meaning(connection, codes, meaning, compared, limit)?;
            spreads.extend(found);
            evidence.pending += pending::lacking(connection, scoped.number, &meaning.fingerprint)?;
        }
        evidence.passages += scoped.field.passages;
        evidence.turns.append(&mut gathering.turns);
    }
    evidence.cosines = Groups {
        assistant: Spread::joined(spreads.iter().map(|spread| spread.assistant)),
        others: Spread::joined(spreads.iter().map(|spread| spread.others)),
    };
    Ok(evidence)
}

/// Returns the words with how many passages have their terms; of very frequent ones no more.
///
/// Every place of a term is weighed, so words are taken from the rarest on until that is too much,
/// and the rarest always.
fn weighable(
    connection: &Connection,
    searched: &[Searched],
    words: &[Vec<String>],
) -> Result<Vec<Word>> {
    let mut counted = Vec::with_capacity(words.len());
    for terms in words {
        let mut frequencies = vec![0; terms.len()];
        for Searched { number, field, .. } in searched {
            for (term, frequency) in terms.iter().zip(&mut frequencies) {
                *frequency += field.passages_having(connection, *number, term)?;
            }
        }
        counted.push(Word { terms: terms.clone(), frequencies, weighed: false });
    }
    let mut rarest_first: Vec<&mut Word> =
        counted.iter_mut().filter(|word| word.frequency() > 0).collect();
    rarest_first.sort_by_key(|word| word.frequency());
    let mut work = 0;
    for (position, word) in rarest_first.into_iter().enumerate() {
        work += word.frequency();
        word.weighed = position == 0 || work <= WORK;
    }
    Ok(counted)
}
