//! Measures the store in PostgreSQL and prints JSON, in milliseconds: the median, and what 95 of 100
//! stay below.
//!
//! `cargo run --release --features postgres --example postgres_speed -- URL [MEMORIES] [USERS]`; each
//! user has as many memories. It uses the schema `cofio_speed_MEMORIES_USERS`, and leaves it behind
//! for the next run.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::engine::ListRequest;
use cofio::model::{
    Caller, Channel, CleanText, Criteria, Draft, Fingerprint, Identifier, Identifiers, Kind, Layer,
    Scope, Source, TimeRange, Timestamp, Triple, TriplePattern,
};
use cofio::store::Store;
use cofio::{Config, Engine, Mode, Query, Result, Selection};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use jiff::SignedDuration;
use pollster::block_on;
use serde_json::{Map, Value, json};

const SINGLE: usize = 200;
const TOGETHER: usize = 500;
const DIMENSIONS: usize = 384;

/// One of so many memories is a procedure.
const PROCEDURES: usize = 10;

/// How many turns a conversation has.
const TURNS: usize = 20;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_default();
    let mut number =
        |otherwise| arguments.next().and_then(|number| number.parse().ok()).unwrap_or(otherwise);
    let place = Place { memories: number(10_000), users: number(1) };
    let schema = format!("cofio_speed_{}_{}", place.memories, place.users);
    let options = PostgresOptions { schema, ..PostgresOptions::new(url) };
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&options)?);
    let embedder = Arc::new(Hashing(Fingerprint::new("hashing")?));
    let engine = Engine::shared(store, Timestamp::now, Config::default()).with_embedder(embedder);
    let mut report = Map::new();
    report.insert("memories".to_owned(), place.memories.into());
    report.insert("users".to_owned(), place.users.into());
    report.insert("filled_seconds".to_owned(), place.fill(&engine)?.into());
    for (name, task) in TASKS {
        report.insert((*name).to_owned(), measure(|number| task(&engine, &place, number))?);
    }
    println!("{}", Value::from(report));
    Ok(())
}

type Task = fn(&Engine, &Place, usize) -> Result<()>;

const TASKS: &[(&str, Task)] = &[
    ("search_by_words", |engine, place, number| search(engine, place, number, Mode::Keyword)),
    ("search_by_meaning", |engine, place, number| search(engine, place, number, Mode::Semantic)),
    ("search_by_both", |engine, place, number| search(engine, place, number, Mode::Hybrid)),
    ("list_of_a_time", list_of_a_time),
    ("procedures_by_subject", procedures_by_subject),
    ("procedures_by_type", procedures_by_type),
    ("add_an_episode", |engine, place, number| add(engine, place, number, Kind::Episode)),
    ("add_a_procedure", |engine, place, number| add(engine, place, number, Kind::Procedure)),
];

fn measure(mut task: impl FnMut(usize) -> Result<()>) -> Result<Value> {
    let mut times = Vec::with_capacity(SINGLE);
    for number in 0..SINGLE {
        let begun = Instant::now();
        task(number)?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(json!({ "median": times[SINGLE / 2], "p95": times[SINGLE * 95 / 100] }))
}

fn search(engine: &Engine, place: &Place, number: usize, mode: Mode) -> Result<()> {
    // Some words of a memory, from its middle.
    let question = text(number * 37);
    let question: Vec<&str> = question.split(' ').skip(3).take(5).collect();
    let selection = Selection::new(place.identifiers(number));
    let query = Query { mode, ..Query::new(selection, question.join(" ")) };
    block_on(engine.search(&keeper(), &query)).map(drop)
}

fn list_of_a_time(engine: &Engine, place: &Place, number: usize) -> Result<()> {
    let first = number * 37 % place.memories;
    let time = TimeRange { from: Some(moment(first)), to: Some(moment(first + 60 * place.users)) };
    list(engine, place, number, Criteria { time, ..Criteria::default() })
}

fn procedures_by_subject(engine: &Engine, place: &Place, number: usize) -> Result<()> {
    let Triple { subject, predicate, .. } = triple(number * 37);
    let (subject, predicate) = (Some(subject), Some(predicate));
    let triple = TriplePattern { subject, predicate, ..TriplePattern::default() };
    list(engine, place, number, Criteria { triple, ..Criteria::default() })
}

fn procedures_by_type(engine: &Engine, place: &Place, number: usize) -> Result<()> {
    let fact_type = Some(triple(number * 37).fact_type);
    let triple = TriplePattern { fact_type, ..TriplePattern::default() };
    list(engine, place, number, Criteria { triple, ..Criteria::default() })
}

fn list(engine: &Engine, place: &Place, number: usize, criteria: Criteria) -> Result<()> {
    let selection = Selection::with(place.identifiers(number), criteria);
    block_on(engine.list(&keeper(), &ListRequest::new(selection))).map(drop)
}

fn add(engine: &Engine, place: &Place, number: usize, kind: Kind) -> Result<()> {
    // Nothing that an earlier run has added.
    let number = usize::try_from(block_on(engine.last_change())?).unwrap_or_default() + number;
    block_on(engine.remember(&keeper(), place.draft(kind, number))).map(drop)
}

/// What is measured on.
struct Place {
    memories: usize,
    users: usize,
}

impl Place {
    /// Remembers what is missing, and returns how many seconds that took.
    fn fill(&self, engine: &Engine) -> Result<f64> {
        let begun = Instant::now();
        let mut kept = usize::try_from(block_on(engine.last_change())?).unwrap_or_default();
        while kept < self.memories {
            let numbers = kept..self.memories.min(kept + TOGETHER);
            let kind = |number| match number % PROCEDURES {
                0 => Kind::Procedure,
                _ => Kind::Episode,
            };
            let drafts = numbers.map(|number| self.draft(kind(number), number)).collect();
            kept += block_on(engine.remember_each(&keeper(), drafts))?.len();
        }
        while block_on(engine.embed_pending(TOGETHER))?.done > 0 {}
        Ok(begun.elapsed().as_secs_f64())
    }

    fn user(&self, number: usize) -> Identifier {
        Identifier::new(&format!("user-{}", number % self.users)).expect("it is a name")
    }

    fn identifiers(&self, number: usize) -> Identifiers {
        Identifiers::default().with(Layer::User, self.user(number))
    }

    /// Returns a turn of a conversation, or a procedure.
    fn draft(&self, kind: Kind, number: usize) -> Draft {
        let mut source = Source::through(Channel::ExplicitSave);
        if kind == Kind::Episode {
            let conversation = format!("conversation-{}", number / self.users / TURNS);
            source.session = Some(Identifier::new(&conversation).expect("it is a name"));
        }
        let draft = Draft::new(Scope::user(self.user(number)), kind, text(number), source);
        let triple = (kind == Kind::Procedure).then(|| triple(number));
        Draft { event_at: Some(moment(number)), triple, ..draft }
    }
}

fn keeper() -> Caller {
    Caller::keeper(Identifier::new("keeper").expect("it is a name"))
}

/// Returns when something happened: one thing a minute.
fn moment(number: usize) -> Timestamp {
    let begin = Timestamp::from_second(1_704_067_200).expect("it is the year 2024");
    begin + SignedDuration::from_mins(i64::try_from(number).unwrap_or(i64::MAX))
}

fn triple(number: usize) -> Triple {
    Triple {
        fact_type: format!("type {}", number % 7),
        subject: format!("subject {}", number % 1_000),
        predicate: format!("predicate {}", number % 11),
        object: format!("object {number}"),
    }
}

/// Returns a text of words, few of them frequent and most of them rare.
fn text(number: usize) -> String {
    let mut chance = Chance(number as u64 + 1);
    let words = (0..25).map(|_| {
        let rank = 1 << chance.below(12);
        word(rank + chance.below(rank))
    });
    words.fold(format!("note {number}"), |text, word| format!("{text} {word}"))
}

/// Returns one of many words, which have nothing in common.
fn word(number: usize) -> String {
    let syllable = |number: usize| {
        let (consonant, vowel) = (number / 5 % 10, number % 5);
        format!("{}{}", &"bdfgklmnpr"[consonant..=consonant], &"aeiou"[vowel..=vowel])
    };
    format!("{}{}{}k", syllable(number), syllable(number / 50), syllable(number / 2_500 + 7))
}

/// Numbers that look like chance and are always the same.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as f32 / (1_u32 << 31) as f32
    }

    fn below(&mut self, end: usize) -> usize {
        self.next();
        usize::try_from(self.0 >> 33).unwrap_or_default() % end
    }
}

/// Makes a vector of the words of a text.
struct Hashing(Fingerprint);

#[async_trait]
impl Embedder for Hashing {
    fn fingerprint(&self) -> &Fingerprint {
        &self.0
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| vector(text.as_str())).collect())
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        Ok(vector(text.as_str()))
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut sum = vec![0.0_f32; DIMENSIONS];
    for word in text.split(' ') {
        let seed = word.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
        let mut chance = Chance(seed);
        for number in &mut sum {
            *number += chance.next() - 0.5;
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    sum.iter().map(|number| number / length).collect()
}
