//! Following an inquiry: what is usual in the scopes, what speaks for memories, and what was chosen.

use std::collections::{HashMap, HashSet};

use cofio::Result;
use cofio::model::{
    Author, Cues, Evidence, Filter, Memory, Occurrence, Occurrences, Place, Survey, Turn, WordUse,
};
use cofio::store::kit::Count;
use cofio::store::{Cued, Inquiry, decode};
use tokio_postgres::Row;

use super::connections::Connections;
use super::entities::{self, key};
use super::failure::is_lost;
use super::plain::original;
use super::rows::{ONE_BY_ONE, bounded, count, damaged, get, parsed};
use super::session::{Opened, Session, Sql};
use super::terms::{Written, lexeme, query};
use super::vectors::{self, Near};
use super::votes::Votes;
use super::words::{self, Form, place_of};
use super::{earlier, filter, pending, read};

/// How many authors are told of at most.
const AUTHORS: i64 = 1_000;

/// In how many memories the spelling of a frequent word is looked at, and among how many.
const SAMPLE: u64 = 32;
const LOOKED_AT: u64 = 2_000;

/// How many memories the names of a question lead to at most.
const NAMED: usize = 20_000;

/// How many turns are weighed at most for which words speak, unless more are wanted: those for which
/// they speak most.
const ENOUGH: usize = 500;

/// How many times as many are looked at as are wanted, since some may not be meant.
const SPARE: usize = 4;

/// Of how many turns of a larger scope the cosine is looked up, besides those that are nearest.
const COMPARED: usize = 256;

/// The columns that [`turn`] reads.
const TURN: &str = "m.memory, m.scope, m.session, m.author, m.kind, m.trust, m.assistant, \
                    m.question, m.instructs, m.length, m.event_at";

/// Follows an inquiry at one moment.
pub(super) async fn find(
    connections: &Connections,
    filter: &Filter,
    limit: usize,
    mut inquiry: Box<dyn Inquiry>,
) -> Result<Vec<(Place, Memory)>> {
    let (session, scopes, survey) = begin(connections, filter, inquiry.words()).await?;
    let found = async {
        let Cued::By(cues) = inquiry.cues(&survey) else { return Ok(Vec::new()) };
        let evidence = Gathering::new(&session, filter, &scopes, &cues, limit).evidence().await?;
        read::at(&session, filter, &inquiry.choose(&evidence)).await
    };
    let found = found.await;
    session.end(found)
}

/// Begins a moment with the survey; as long as the inquiry was told nothing, another connection may
/// take over.
async fn begin(
    connections: &Connections,
    filter: &Filter,
    words: Option<&[String]>,
) -> Result<(Session, Vec<Opened>, Survey)> {
    match try_begin(connections, filter, words).await {
        Err(error) if is_lost(&error) => {
            connections.renew();
            try_begin(connections, filter, words).await
        }
        begun => begun,
    }
}

async fn try_begin(
    connections: &Connections,
    filter: &Filter,
    words: Option<&[String]>,
) -> Result<(Session, Vec<Opened>, Survey)> {
    let mut session = Session::read(connections).await?;
    let surveyed = async {
        let scopes = session.open_scopes(&filter.scopes).await?;
        let survey = match words {
            Some(words) => survey(&session, &scopes, words).await?,
            None => Survey::default(),
        };
        Ok((scopes, survey))
    };
    match surveyed.await {
        Ok((scopes, survey)) => Ok((session, scopes, survey)),
        Err(error) => session.end(Err(error)),
    }
}

fn numbers(scopes: &[Opened]) -> Vec<i64> {
    scopes.iter().map(|scope| scope.number).collect()
}

async fn survey(session: &Session, scopes: &[Opened], words: &[String]) -> Result<Survey> {
    let memories = scopes.iter().map(|scope| scope.memories).sum();
    let passages = scopes.iter().map(|scope| scope.passages).sum();
    let numbers = numbers(scopes);
    let (authors, words) = tokio::try_join!(
        authors(session, &numbers),
        word_uses(session, &numbers, words, (memories, passages))
    )?;
    Ok(Survey { memories, authors, words })
}

async fn authors(session: &Session, scopes: &[i64]) -> Result<Vec<Author>> {
    let sql = "SELECT name, sum(memories)::bigint FROM authors WHERE scope = ANY ($1)
               GROUP BY name ORDER BY 2 DESC LIMIT $2";
    let author = |row: &Row| {
        let written: String = get(row, 0)?;
        let key = key(&written).cast_unsigned();
        Ok(Author { key, name: original(written), memories: count(row, 1)? })
    };
    session.query(sql, &[&scopes, &AUTHORS]).await?.iter().map(author).collect()
}

async fn word_uses(
    session: &Session,
    scopes: &[i64],
    words: &[String],
    (all, passages): (u64, u64),
) -> Result<Vec<WordUse>> {
    let mut uses = vec![WordUse::default(); words.len()];
    let asked: Vec<(usize, String)> = words
        .iter()
        .enumerate()
        .filter_map(|(place, word)| Some((place, query(scopes, word)?)))
        .collect();
    if asked.is_empty() {
        return Ok(uses);
    }
    let queries: Vec<&str> = asked.iter().map(|(_, query)| query.as_str()).collect();
    let frequencies = words::frequencies(session, scopes, passages, &queries).await?;
    let mut frequent: Vec<Frequent> = Vec::new();
    for ((word, query), (passages, memories)) in asked.iter().zip(frequencies) {
        uses[*word].memories = memories.min(all);
        // Of a rare word nothing else is asked.
        if memories > 0 && memories * 10 >= all {
            let step = passages.min(LOOKED_AT).div_ceil(SAMPLE).max(1);
            frequent.push(Frequent { word: *word, query: query.clone(), step });
        }
    }
    for (word, share) in capitalised(session, scopes, words, &frequent).await? {
        uses[word].capitalised = share;
    }
    Ok(uses)
}

/// A word that many memories have.
struct Frequent {
    /// Its place among the words.
    word: usize,
    query: String,
    /// One of so many memories that have it is looked at.
    step: u64,
}

/// Returns in which share of the memories that have a word it is capitalised, by a few of them.
async fn capitalised(
    session: &Session,
    scopes: &[i64],
    words: &[String],
    frequent: &[Frequent],
) -> Result<Vec<(usize, f64)>> {
    if frequent.is_empty() {
        return Ok(Vec::new());
    }
    let queries: Vec<&str> = frequent.iter().map(|one| one.query.as_str()).collect();
    let steps: Vec<i64> = frequent.iter().map(|one| bounded(one.step)).collect();
    let sql = format!(
        "SELECT p.query, m.document FROM places($1, $2, $4) AS p
         CROSS JOIN LATERAL unnest(p.memories) WITH ORDINALITY AS f (memory, place)
         CROSS JOIN LATERAL (
             SELECT m.document FROM memories AS m
             WHERE m.memory = f.memory AND m.scope = ANY ($1) {ONE_BY_ONE}
         ) AS m WHERE f.place % ($3::bigint[])[p.query] = 0"
    );
    let rows = session.query(&sql, &[&scopes, &queries, &steps, &bounded(LOOKED_AT)]).await?;
    let mut looked_at = vec![(0.0, 0.0); frequent.len()];
    for row in &rows {
        let place = place_of(row)?;
        let memory = decode(get(row, 1)?)?;
        let (capitalised, all) = &mut looked_at[place];
        *capitalised +=
            f64::from(u8::from(memory.content.has_capital(&words[frequent[place].word])));
        *all += 1.0;
    }
    let share = |(one, (capitalised, all)): (&Frequent, (f64, f64))| {
        (one.word, capitalised / f64::max(all, 1.0))
    };
    Ok(frequent.iter().zip(looked_at).map(share).collect())
}

/// Everything by which evidence is gathered.
struct Gathering<'a> {
    session: &'a Session,
    filter: &'a Filter,
    scopes: &'a [Opened],
    numbers: Vec<i64>,
    passages: u64,
    cues: &'a Cues,
    limit: usize,
}

/// What points to memories.
struct Pointers {
    /// By words, those for which most speaks first.
    voted: Vec<i64>,
    named: HashMap<i64, u32>,
    near: Near,
}

/// The first of those, best first.
struct Best<'a> {
    voted: &'a [i64],
    near: &'a [i64],
}

fn first(all: &[i64], most: usize) -> &[i64] {
    &all[..most.min(all.len())]
}

impl<'a> Gathering<'a> {
    fn new(
        session: &'a Session,
        filter: &'a Filter,
        scopes: &'a [Opened],
        cues: &'a Cues,
        limit: usize,
    ) -> Self {
        let passages = scopes.iter().map(|scope| scope.passages).sum();
        Self { session, filter, scopes, numbers: numbers(scopes), passages, cues, limit }
    }

    /// Returns everything that speaks for memories that the filter means.
    async fn evidence(&self) -> Result<Evidence> {
        let (words, named, near, pending) = tokio::try_join!(
            self.words(),
            entities::named(self.session, &self.cues.names, NAMED),
            self.near(),
            self.pending(),
        )?;
        let (mut words, forms) = words;
        let named = named.into_iter().collect();
        let voted = Votes::of(&forms, self.passages).best_first();
        let mut pointers = Pointers { voted, named, near };
        let mut turns = self.enough_turns(&pointers).await?;
        if self.lacks_near(&turns, &pointers.near) {
            pointers.near = self.near_exactly().await?;
            turns = self.enough_turns(&pointers).await?;
        }
        let (found, cosines) =
            tokio::try_join!(self.occurrences(&turns, &forms), self.cosines(&turns, &pointers))?;
        for (word, found) in words.iter_mut().zip(found) {
            word.found = found;
        }
        for turn in &mut turns {
            let cosine = cosines.get(&turn.place.0.cast_signed()).copied();
            turn.cosine = turn.cosine.or(cosine);
            turn.scope = self.scopes[turn.scope].position;
        }
        let cosines = pointers.near.spread;
        Ok(Evidence { turns, words, passages: self.passages, cosines, pending })
    }

    /// Returns how frequent words are, and memories that have them.
    async fn words(&self) -> Result<(Vec<Occurrences>, Vec<Form>)> {
        let words = &self.cues.words;
        let forms = words::forms(self.session, &self.numbers, self.passages, words).await?;
        let mut found = vec![Occurrences::default(); words.len()];
        for form in &forms {
            let having = &mut found[form.word].passages_having;
            *having = (*having).max(form.passages);
        }
        Ok((found, forms))
    }

    async fn near(&self) -> Result<Near> {
        let near = vectors::near(self.session, &self.numbers, self.passages, self.cues, self.limit);
        self.with_shelved(near.await?).await
    }

    async fn near_exactly(&self) -> Result<Near> {
        let near = vectors::near_exactly(self.session, &self.numbers, self.cues);
        self.with_shelved(near.await?).await
    }

    async fn with_shelved(&self, mut near: Near) -> Result<Near> {
        vectors::add_shelved(self.session, &self.numbers, &self.cues.near, &mut near).await?;
        Ok(near)
    }

    /// Returns whether an index was followed to what is near, and too little of that is meant.
    fn lacks_near(&self, turns: &[Turn], near: &Near) -> bool {
        if near.complete {
            return false;
        }
        let near: HashSet<i64> = near.nearest.iter().copied().collect();
        let meant = turns.iter().filter(|turn| near.contains(&turn.place.0.cast_signed()));
        meant.count() < self.limit
    }

    async fn pending(&self) -> Result<u64> {
        match &self.cues.meaning {
            Some(meaning) => pending::lacking(self.session, &meaning.fingerprint).await,
            None => Ok(0),
        }
    }

    /// Returns turns by the best of what points to them; by all of it, if too few of those are meant.
    async fn enough_turns(&self, pointers: &Pointers) -> Result<Vec<Turn>> {
        let some = Best {
            voted: first(&pointers.voted, self.limit.max(ENOUGH).saturating_mul(SPARE)),
            near: first(&pointers.near.nearest, self.limit.saturating_mul(SPARE)),
        };
        let found = self.turns(pointers, &some).await?;
        let places: HashSet<i64> = found.iter().map(|turn| turn.place.0.cast_signed()).collect();
        let lacks = |some: &[i64], all: &[i64]| {
            let meant = some.iter().filter(|memory| places.contains(memory)).count();
            some.len() < all.len() && meant < self.limit
        };
        let all = Best { voted: &pointers.voted, near: &pointers.near.nearest };
        if lacks(some.voted, all.voted) || lacks(some.near, all.near) {
            return self.turns(pointers, &all).await;
        }
        Ok(found)
    }

    /// Returns the turns that something points to with those around them.
    async fn turns(&self, pointers: &Pointers, best: &Best<'_>) -> Result<Vec<Turn>> {
        let changed = earlier::changed(self.session, self.filter).await?;
        let changed: Vec<i64> = changed.into_iter().map(|(number, _)| number).collect();
        let mut sql = Sql::default();
        let meant = self.meant(&mut sql, changed);
        let scopes = sql.bind(self.numbers.clone());
        let (voted, enough) =
            (sql.bind(best.voted.to_vec()), sql.bind(bounded(self.limit.max(ENOUGH))));
        let named: Vec<i64> = pointers.named.keys().copied().collect();
        let (near, limit) = (sql.bind(best.near.to_vec()), sql.bind(bounded(self.limit)));
        let named = sql.bind(named);
        let times = |of: fn(&(i64, i64)) -> i64| self.cues.times.iter().map(of).collect::<Vec<_>>();
        let (firsts, lasts) = (sql.bind(times(|time| time.0)), sql.bind(times(|time| time.1)));
        let ranked = |list: &str, most: &str| {
            format!(
                "SELECT r.memory, r.scope, r.session FROM (
                     SELECT m.memory, m.scope, m.session,
                            row_number() OVER (PARTITION BY m.scope ORDER BY v.place) AS rank
                     FROM unnest({list}::bigint[]) WITH ORDINALITY AS v (memory, place)
                     CROSS JOIN LATERAL (
                         SELECT m.memory, m.scope, m.session FROM memories AS m
                         WHERE m.memory = v.memory AND m.scope = ANY ({scopes}) AND {meant}
                         {ONE_BY_ONE}
                     ) AS m
                 ) AS r WHERE r.rank <= {most}"
            )
        };
        let (voted, near) = (ranked(&voted, &enough), ranked(&near, &limit));
        let mut turns = format!(
            "SELECT m.* FROM pointed AS p CROSS JOIN LATERAL (
                 SELECT {TURN} FROM memories AS m WHERE m.memory = p.memory {ONE_BY_ONE}
             ) AS m"
        );
        if !self.cues.alone {
            turns = format!(
                "{turns} WHERE p.session IS NULL
                 UNION ALL
                 SELECT m.* FROM (
                     SELECT DISTINCT p.scope, p.session FROM pointed AS p WHERE p.session IS NOT NULL
                 ) AS c CROSS JOIN LATERAL (
                     SELECT {TURN} FROM memories AS m
                     WHERE m.scope = c.scope AND m.session = c.session AND {meant} {ONE_BY_ONE}
                 ) AS m"
            );
        }
        sql.push(&format!(
            "WITH pointed AS MATERIALIZED (
                 {voted} UNION {near}
                 UNION SELECT m.memory, m.scope, m.session FROM memories AS m
                 WHERE m.memory = ANY ({named}) AND m.scope = ANY ({scopes}) AND {meant}
                 UNION SELECT t.memory, t.scope, t.session
                 FROM unnest({firsts}::bigint[], {lasts}::bigint[]) AS s (first, last)
                 CROSS JOIN unnest({scopes}::bigint[]) AS o (scope)
                 CROSS JOIN LATERAL (
                     SELECT m.memory, m.scope, m.session FROM memories AS m
                     WHERE m.scope = o.scope AND m.event_at BETWEEN s.first AND s.last AND {meant}
                     ORDER BY m.event_at DESC, m.memory DESC LIMIT {limit}
                 ) AS t
             ), turns AS ({turns})
             SELECT m.* FROM turns AS m
             ORDER BY array_position({scopes}::bigint[], m.scope), m.session, m.event_at, m.memory"
        ));
        self.session.run(&sql).await?.iter().map(|row| self.turn(row, pointers)).collect()
    }

    /// Returns the condition on a memory `m` that it is meant.
    fn meant(&self, sql: &mut Sql, changed: Vec<i64>) -> String {
        let text = std::mem::take(&mut sql.text);
        filter::condition(self.filter, sql);
        let condition = std::mem::replace(&mut sql.text, text);
        let condition = format!("(true{condition})");
        if changed.is_empty() {
            return condition;
        }
        format!("({condition} OR m.memory = ANY ({}))", sql.bind(changed))
    }

    /// Returns where each word stands in turns, of which the forms say which have any.
    async fn occurrences(&self, turns: &[Turn], forms: &[Form]) -> Result<Vec<Vec<Occurrence>>> {
        let mut found = vec![Vec::new(); self.cues.words.len()];
        let places: HashMap<i64, u32> =
            turns.iter().map(|turn| turn.place.0.cast_signed()).zip(0..).collect();
        let having = having(&places, forms);
        if having.is_empty() {
            return Ok(found);
        }
        let wanted = self.lexemes();
        let sql = "SELECT p.memory, p.terms FROM passages AS p
                   WHERE p.memory = ANY ($1) AND p.scope = ANY ($2) ORDER BY p.memory, p.passage";
        for row in self.session.query(sql, &[&having, &self.numbers]).await? {
            let (memory, written): (i64, Written<'_>) = (get(&row, 0)?, get(&row, 1)?);
            let Some(&turn) = places.get(&memory) else { continue };
            let mut counts: Vec<Option<Count>> = vec![None; found.len()];
            let read = written.each(|term, count| {
                for word in wanted.get(term).into_iter().flatten() {
                    counts[*word] = counts[*word].max(Some(count));
                }
            });
            read.ok_or_else(|| damaged("what words a memory has"))?;
            for (found, count) in found.iter_mut().zip(counts) {
                found.extend(count.map(|Count { told, asked }| Occurrence { turn, told, asked }));
            }
        }
        for found in &mut found {
            found.sort_by_key(|occurrence| occurrence.turn);
        }
        Ok(found)
    }

    /// Returns the terms by which words stand in the index, with the words.
    fn lexemes(&self) -> HashMap<Vec<u8>, Vec<usize>> {
        let mut wanted: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (word, forms) in self.cues.words.iter().enumerate() {
            for (form, scope) in
                forms.iter().flat_map(|form| self.numbers.iter().map(move |scope| (form, *scope)))
            {
                wanted.entry(lexeme(scope, form).into_bytes()).or_default().push(word);
            }
        }
        wanted
    }

    /// Reads the columns of [`TURN`]; its scope is the place among those that are open.
    fn turn(&self, row: &Row, pointers: &Pointers) -> Result<Turn> {
        let number: i64 = get(row, 0)?;
        let scope: i64 = get(row, 1)?;
        let session: Option<&str> = get(row, 2)?;
        let author: Option<&str> = get(row, 3)?;
        let trust: i16 = get(row, 5)?;
        let trust = cofio::model::Trust::ALL.iter().find(|one| **one as i16 == trust);
        Ok(Turn {
            place: Place(number.cast_unsigned()),
            scope: self.numbers.iter().position(|one| *one == scope).unwrap_or_default(),
            session: session.map(|session| key(session).cast_unsigned()),
            author: author.map(|author| key(author).cast_unsigned()),
            kind: parsed(row, 4)?,
            trust: trust.copied().ok_or_else(|| damaged("how far a memory is trusted"))?,
            assistant: get(row, 6)?,
            question: get(row, 7)?,
            instructs: get(row, 8)?,
            length: u32::try_from(count(row, 9)?).unwrap_or(u32::MAX),
            event_at: get(row, 10)?,
            cosine: pointers.near.cosines.get(&number).copied(),
            named: pointers.named.get(&number).copied().unwrap_or_default(),
        })
    }

    /// Looks up cosines of turns that were found otherwise.
    async fn cosines(&self, turns: &[Turn], pointers: &Pointers) -> Result<HashMap<i64, f32>> {
        let Some(meaning) = self.cues.meaning.as_ref().filter(|_| !pointers.near.complete) else {
            return Ok(HashMap::new());
        };
        let most = if self.cues.every_cosine { usize::MAX } else { COMPARED };
        let mut unknown: Vec<i64> = turns
            .iter()
            .filter(|turn| turn.cosine.is_none())
            .map(|turn| turn.place.0.cast_signed())
            .collect();
        // Those that words point to come first.
        let ranks: HashMap<i64, usize> =
            pointers.voted.iter().enumerate().map(|(rank, memory)| (*memory, rank)).collect();
        unknown.sort_by_key(|memory| ranks.get(memory).copied().unwrap_or(usize::MAX));
        unknown.truncate(most);
        vectors::cosines(self.session, &self.numbers, meaning, &unknown).await
    }
}

/// Returns those of some memories that have any of the forms.
fn having(places: &HashMap<i64, u32>, forms: &[Form]) -> Vec<i64> {
    // Nobody knows what else has a word that too many have.
    if forms.iter().any(|form| !form.complete) {
        return places.keys().copied().collect();
    }
    let listed = forms.iter().flat_map(|form| &form.memories);
    let having: HashSet<i64> =
        listed.filter(|memory| places.contains_key(memory)).copied().collect();
    having.into_iter().collect()
}
