//! Measures the store in PostgreSQL and prints JSON, in milliseconds: the median, and what 95 of 100
//! stay below.
//!
//! `cargo run --release --features postgres --example postgres_speed -- URL [MEMORIES]`; it uses the
//! schema `cofio_speed`, and leaves it behind.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::model::{
    Caller, Channel, CleanText, Draft, Fingerprint, Identifier, Identifiers, Kind, Layer, Scope,
    Source, Timestamp,
};
use cofio::store::Store;
use cofio::{Config, Engine, Query, Result, Selection};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;
use serde_json::{Value, json};

const SINGLE: usize = 200;
const TOGETHER: usize = 500;
const DIMENSIONS: usize = 384;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_default();
    let memories = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let options = PostgresOptions { schema: "cofio_speed".to_owned(), ..PostgresOptions::new(url) };
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&options)?);
    let engine = Engine::shared(Arc::clone(&store), Timestamp::now, Config::default());
    let begun = Instant::now();
    let mut kept = usize::try_from(block_on(store.last_change())?).unwrap_or_default();
    while kept < memories {
        let drafts = (kept..memories.min(kept + TOGETHER)).map(draft).collect();
        kept += block_on(engine.remember_each(&keeper(), drafts))?.len();
    }
    let filled = begun.elapsed().as_secs_f64();
    let add =
        measure(|number| block_on(engine.remember(&keeper(), draft(kept + number))).map(drop))?;
    let words = measure(|number| search(&engine, number))?;
    let engine = engine.with_embedder(Arc::new(Hashing(Fingerprint::new("hashing")?)));
    let begun = Instant::now();
    while block_on(engine.embed_pending(TOGETHER))?.done > 0 {}
    let embedded = begun.elapsed().as_secs_f64();
    let meaning = measure(|number| search(&engine, number))?;
    let report = json!({
        "memories": kept, "filled_seconds": filled, "embedded_seconds": embedded,
        "add": add, "search_by_words": words, "search_by_meaning_too": meaning,
    });
    println!("{report}");
    Ok(())
}

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

fn search(engine: &Engine, number: usize) -> Result<()> {
    let alice = Identifiers::default().with(Layer::User, Identifier::new("alice")?);
    let question = text(number * 37);
    let question: Vec<&str> = question.split(' ').skip(3).take(5).collect();
    let query = Query::new(Selection::new(alice), question.join(" "));
    block_on(engine.search(&keeper(), &query)).map(drop)
}

fn keeper() -> Caller {
    Caller::keeper(Identifier::new("keeper").expect("it is a name"))
}

fn draft(number: usize) -> Draft {
    let scope = Scope::user(Identifier::new("alice").expect("it is a name"));
    Draft::new(scope, Kind::Fact, text(number), Source::through(Channel::ExplicitSave))
}

/// Returns a text of words, few of them frequent and most of them rare.
fn text(number: usize) -> String {
    let mut chance = Chance(number as u64 + 1);
    let word =
        |chance: &mut Chance| format!("word{:.0}x", 4_000.0_f64.powf(f64::from(chance.next())));
    let words: Vec<String> = (0..25).map(|_| word(&mut chance)).collect();
    format!("note {number} {}", words.join(" "))
}

/// Numbers that look like chance and are always the same.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as f32 / (1_u32 << 31) as f32
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
