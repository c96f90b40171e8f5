//! Finding by meaning: what is embedded, how often, and what happens when it cannot be.

use std::collections::HashMap;
use std::future::{self, Future as _};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::engine::{Absence, ContextRequest, Embedded};
use cofio::model::{CleanText, Fingerprint, Layer, Patch, Timestamp};
use cofio::retrieval::{self, Answer, Hit, MeaningUsed};
use cofio::store::{SqliteStore, Store as _};
use cofio::{Config, Engine, Error, ErrorKind, Mode, Query, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, START, fact, identifiers, keeper, local};

/// How often a busy machine is asked, 2 ms apart, for what takes a few seconds.
const PATIENCE: u32 = 60_000;

const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

/// Words that mean the same to the embedder.
const SYNONYMS: &[(&str, &str)] =
    &[("beverage", "tea"), ("beverages", "tea"), ("automobile", "car")];

/// Gives each word a direction of its own, and synonyms the same.
///
/// It refuses every text with the word `refused`, and the vector of a text with `directionless`,
/// `numberless` or `misshapen` is just that.
pub struct Words {
    fingerprint: Fingerprint,
    dimensions: usize,
    embedded: Mutex<Vec<String>>,
    failing: AtomicBool,
    refusing: AtomicBool,
}

impl Words {
    pub fn new() -> Arc<Self> {
        Self::called("words/1", 256)
    }

    fn called(fingerprint: &str, dimensions: usize) -> Arc<Self> {
        let fingerprint = Fingerprint::new(fingerprint).unwrap();
        Arc::new(Self {
            fingerprint,
            dimensions,
            embedded: Mutex::default(),
            failing: AtomicBool::new(false),
            refusing: AtomicBool::new(false),
        })
    }

    fn fail(&self, failing: bool) {
        self.failing.store(failing, Ordering::Relaxed);
    }

    /// Makes every text one that is refused.
    fn refuse_all(&self, refusing: bool) {
        self.refusing.store(refusing, Ordering::Relaxed);
    }

    /// Returns the texts that were embedded, each with how often.
    fn counts(&self) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for text in self.embedded.lock().unwrap().iter() {
            *counts.entry(text.clone()).or_default() += 1;
        }
        counts
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let flaws: [(&str, &[f32]); 3] = [
            ("directionless", &[0.0; 256]),
            ("numberless", &[f32::NAN; 256]),
            ("misshapen", &[1.0]),
        ];
        if let Some((_, flawed)) = flaws.iter().find(|(word, _)| text.contains(word)) {
            return flawed.to_vec();
        }
        let mut vector = vec![0.0; self.dimensions];
        // No text is without a direction.
        vector[0] = 0.001;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            let synonym = SYNONYMS.iter().find(|(from, _)| *from == word);
            let word = synonym.map_or(word.as_str(), |(_, to)| to);
            vector[1 + hash(word) % (self.dimensions - 1)] += 1.0;
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter().map(|number| number / length).collect()
    }
}

fn hash(word: &str) -> usize {
    // FNV-1a.
    word.bytes().fold(0xcbf2_9ce4_8422_2325_usize, |hash, byte| {
        (hash ^ usize::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }) >> 7
}

#[async_trait]
impl Embedder for Words {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        if self.failing.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::EmbeddingFailed, "the embedder is out of order"));
        }
        let all = self.refusing.load(Ordering::Relaxed);
        if all || texts.iter().any(|text| text.as_str().contains("refused")) {
            return Err(Error::new(ErrorKind::Configuration, "the embedder refuses a text"));
        }
        self.embedded.lock().unwrap().extend(texts.iter().map(|text| text.as_str().to_owned()));
        Ok(texts.iter().map(|text| self.vector(text.as_str())).collect())
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        Ok(self.embed(std::slice::from_ref(text)).await?.remove(0))
    }
}

fn meaning(fixture: &Fixture, embedder: &Arc<Words>) -> Engine {
    fixture.engine.clone().with_embedder(embedder.clone())
}

fn query(question: &str) -> Query {
    Query::new(Selection::new(identifiers(&[(Layer::User, "alice")])), question)
}

fn semantic(question: &str) -> Query {
    Query { mode: Mode::Semantic, ..query(question) }
}

fn search(engine: &Engine, query: &Query) -> Answer {
    block_on(engine.search(&local("alice"), query)).unwrap()
}

fn found(engine: &Engine, query: &Query) -> Vec<String> {
    let text = |hit: &Hit| hit.memory.content.as_str().to_owned();
    search(engine, query).hits.iter().map(text).collect()
}

fn embed(engine: &Engine, limit: usize) -> Embedded {
    block_on(engine.embed_pending(limit)).unwrap()
}

#[test]
fn a_synonym_is_found_only_by_its_meaning() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice takes tea");
    fixture.fact("alice", "Bob repairs bicycles");
    let engine = meaning(&fixture, &Words::new());
    let question = query("which beverage");
    assert!(found(&fixture.engine, &question).is_empty());
    assert_eq!(search(&fixture.engine, &question).meaning, MeaningUsed::NoEmbedder);
    assert!(found(&engine, &question).is_empty(), "it has no vector yet");
    assert_eq!(embed(&engine, 10), Embedded { done: 2, refused: 0, pending: 0 });
    let answer = search(&engine, &question);
    assert_eq!(answer.hits[0].memory.content.as_str(), "Alice takes tea");
    assert!(answer.hits[0].signals.cosine.is_some_and(|cosine| cosine > 0.3));
    assert_eq!(answer.meaning, MeaningUsed::Compared { pending: 0 });
    let keyword = Query { mode: Mode::Keyword, ..question };
    let answer = search(&engine, &keyword);
    assert_eq!((answer.hits.len(), answer.meaning), (0, MeaningUsed::NotAsked));
}

#[test]
fn every_text_is_embedded_once_though_many_embed_at_once() {
    let fixture = Fixture::new();
    let drafts = (0..120).map(|number| fact("alice", &format!("note number {number}")));
    block_on(fixture.engine.remember_all(&keeper(), drafts.collect())).unwrap();
    let embedder = Words::new();
    assert_eq!(
        embed(&meaning(&fixture, &embedder), 25),
        Embedded { done: 25, refused: 0, pending: 95 }
    );
    let engines = [0, 1].map(|_| {
        let store = SqliteStore::open(&fixture.path()).unwrap();
        Engine::new(store, || START.parse().unwrap()).with_embedder(embedder.clone())
    });
    let done: usize = std::thread::scope(|threads| {
        let work = |engine: Engine| {
            move || {
                let mut sum = 0;
                loop {
                    match embed(&engine, 7).done {
                        0 => return sum,
                        done => sum += done,
                    }
                }
            }
        };
        let threads: Vec<_> =
            (0..4).map(|number| threads.spawn(work(engines[number % 2].clone()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(done, 95);
    let counts = embedder.counts();
    assert_eq!((counts.len(), counts.values().max()), (120, Some(&1)));
    let state = block_on(engines[0].embedding_state()).unwrap();
    assert_eq!((state.embedded, state.pending), (120, 0));
}

#[test]
fn the_same_text_is_embedded_once() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    fixture.fact("alice", "tea is black");
    fixture.fact("bob", "tea is black");
    assert_eq!(embed(&engine, 10).done, 2);
    fixture.fact("carol", "tea is black");
    assert_eq!(embed(&engine, 10).done, 1);
    assert_eq!(embedder.counts(), HashMap::from([("tea is black".to_owned(), 1)]));
    assert_eq!(found(&engine, &semantic("tea is black")), ["tea is black"]);
}

#[test]
fn a_question_that_is_asked_again_is_embedded_once() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    for _ in 0..3 {
        search(&engine, &query("which beverage"));
    }
    assert_eq!(embedder.counts(), HashMap::from([("which beverage".to_owned(), 1)]));
}

#[test]
fn an_embedder_that_fails_stops_neither_writing_nor_words() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    embedder.fail(true);
    block_on(engine.remember(&local("alice"), fact("alice", "tea is black"))).unwrap();
    let answer = search(&engine, &query("black tea"));
    assert_eq!((answer.hits.len(), answer.meaning), (1, MeaningUsed::Failed));
    let error = block_on(engine.search(&local("alice"), &semantic("tea"))).unwrap_err();
    assert_eq!((error.kind(), error.operation()), (ErrorKind::EmbeddingFailed, Some("search")));
    let error = block_on(engine.embed_pending(10)).unwrap_err();
    assert_eq!((error.kind(), error.operation()), (ErrorKind::EmbeddingFailed, Some("embed")));
    embedder.fail(false);
    assert_eq!(
        embed(&engine, 10),
        Embedded { done: 1, refused: 0, pending: 0 },
        "it was given back"
    );
    assert_eq!(search(&engine, &query("beverage")).hits.len(), 1);
}

#[test]
fn a_block_says_that_words_alone_found_what_is_in_it() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    fixture.fact("alice", "tea is black");
    embed(&engine, 10);
    let block = |prompt: &str| {
        let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
        let request = ContextRequest::new(mine, prompt);
        block_on(engine.context(&local("alice"), &request)).unwrap().markdown()
    };
    let only = "## Relevant memory, found by words and names only\n- tea is black\n";
    assert!(block("black tea").contains("## Relevant memory\n- tea is black\n"));
    embedder.fail(true);
    let told = block("is tea black");
    assert!(told.contains(only), "{told}");
    assert_eq!(retrieval::without_blocks(&told), "", "it is part of the frame");
}

#[test]
fn a_question_that_cannot_be_compared_is_answered_by_words() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    fixture.fact("alice", "tea is black");
    embed(&engine, 10);
    for word in ["directionless", "numberless", "misshapen", "refused"] {
        let answer = search(&engine, &query(&format!("{word} tea")));
        assert_eq!((answer.hits.len(), answer.meaning), (1, MeaningUsed::Failed), "{word}");
        let alone = semantic(&format!("{word} tea"));
        let error = block_on(engine.search(&local("alice"), &alone)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{word}");
    }
}

#[test]
fn a_text_that_cannot_be_embedded_keeps_no_other_waiting() {
    for word in ["refused", "directionless", "numberless", "misshapen"] {
        let fixture = Fixture::new();
        let engine = meaning(&fixture, &Words::new());
        for number in 0..6 {
            let text = if number == 2 { word.to_owned() } else { format!("note {number}") };
            fixture.fact("alice", &text);
        }
        assert_eq!(embed(&engine, 10), Embedded { done: 5, refused: 1, pending: 1 }, "{word}");
        assert_eq!(embed(&engine, 10), Embedded { done: 0, refused: 0, pending: 1 }, "{word}");
        let state = block_on(engine.embedding_state()).unwrap();
        assert_eq!((state.waiting(), state.refused.len(), state.refused[0].1), (0, 1, 1));
        fixture.fact("alice", "a new note");
        assert_eq!(embed(&engine, 10), Embedded { done: 1, refused: 0, pending: 1 }, "{word}");
    }
}

#[test]
fn what_cannot_be_embedded_is_tried_again_ever_later() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    let memory = fixture.fact("alice", "refused");
    assert_eq!(embed(&engine, 10).refused, 1);
    for minutes in [10, 20, 40] {
        fixture.wait(SignedDuration::from_mins(minutes - 1));
        assert_eq!(embed(&engine, 10).refused, 0, "{minutes}");
        fixture.wait(SignedDuration::from_mins(2));
        assert_eq!(embed(&engine, 10).refused, 1, "{minutes}");
    }
    let patch = Patch { content: Some("harmless".to_owned()), ..Patch::default() };
    block_on(engine.update(&local("alice"), &memory.id, patch)).unwrap();
    assert_eq!(embed(&engine, 10), Embedded { done: 1, refused: 0, pending: 0 });
}

#[test]
fn no_text_is_blamed_for_an_embedder_that_refuses_everything() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    fixture.fact("alice", "tea");
    embed(&engine, 10);
    fixture.fact("alice", "refused");
    fixture.fact("alice", "car");
    embedder.refuse_all(true);
    let error = block_on(engine.embed_pending(10)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert_eq!(block_on(engine.embedding_state()).unwrap().refused, []);
    embedder.refuse_all(false);
    assert_eq!(embed(&engine, 10), Embedded { done: 1, refused: 1, pending: 1 });
}

#[test]
fn a_memory_that_cannot_be_read_keeps_no_other_waiting() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    let damaged = fixture.fact("alice", "tea");
    fixture.fact("alice", "car");
    let other = rusqlite::Connection::open(fixture.path()).unwrap();
    other
        .execute("UPDATE memories SET document = '{' WHERE id = ?", [damaged.id.as_str()])
        .unwrap();
    drop(other);
    assert_eq!(embed(&engine, 1), Embedded { done: 1, refused: 0, pending: 1 });
    let state = block_on(engine.embedding_state()).unwrap();
    assert_eq!((state.waiting(), state.refused.len()), (0, 1));
}

#[test]
fn a_claim_outlasts_what_is_embedded_in_many_portions() {
    let fixture = Fixture::new();
    let sentence = |number| format!("Sentence {number} is {}.", "as long as a passage ".repeat(17));
    let text: Vec<String> = (0..200).map(sentence).collect();
    fixture.fact("alice", &text.join(" "));
    fixture.fact("alice", "tea");
    let store = fixture.store.clone();
    let now = Arc::new(AtomicI64::new(START.parse::<Timestamp>().unwrap().as_second()));
    let clock = now.clone();
    let moment = move || Timestamp::from_second(clock.load(Ordering::Relaxed)).unwrap();
    let slow = Arc::new(Slow {
        words: Words::new(),
        seconds: now.clone(),
        // Nobody else is handed what this one is at.
        meanwhile: Box::new(move |now| {
            let later = Timestamp::from_second(now + 1).unwrap();
            let now = Timestamp::from_second(now).unwrap();
            assert_eq!(block_on(store.claim(now, later, 10)).unwrap(), []);
        }),
    });
    let engine = Engine::shared(fixture.store.clone(), moment, Config::default());
    let engine = engine.with_embedder(slow);
    assert_eq!(embed(&engine, 10), Embedded { done: 2, refused: 0, pending: 0 });
    assert!(now.load(Ordering::Relaxed) > START.parse::<Timestamp>().unwrap().as_second() + 300);
}

/// Takes nearly two minutes for everything.
struct Slow {
    words: Arc<Words>,
    seconds: Arc<AtomicI64>,
    meanwhile: Box<dyn Fn(i64) + Send + Sync>,
}

#[async_trait]
impl Embedder for Slow {
    fn fingerprint(&self) -> &Fingerprint {
        self.words.fingerprint()
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        let now = self.seconds.fetch_add(119, Ordering::Relaxed) + 119;
        (self.meanwhile)(now);
        self.words.embed(texts).await
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        self.words.embed_question(text).await
    }
}

#[test]
fn a_rebuild_takes_nothing_from_those_who_embed() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea");
    let [now, until] = [0, 60].map(|second| Timestamp::from_second(second).unwrap());
    assert_eq!(block_on(fixture.store.claim(now, until, 10)).unwrap().len(), 1);
    block_on(fixture.store.rebuild()).unwrap();
    assert_eq!(block_on(fixture.store.claim(now, until, 10)).unwrap(), []);
}

#[test]
fn the_worker_looks_again_after_a_pause() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    fixture.fact("alice", "tea");
    embedder.fail(true);
    let mut working = Box::pin(engine.keep_embedding(10, || future::ready(())));
    let mut poll = || {
        let _ = working.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        std::thread::sleep(Duration::from_millis(2));
        block_on(engine.embedding_state()).unwrap().pending
    };
    for _ in 0..20 {
        poll();
    }
    embedder.fail(false);
    assert!((0..PATIENCE).any(|_| poll() == 0), "the embedder has recovered");
    // Another engine on the same store announces nothing here.
    fixture.fact("alice", "car");
    assert!((0..PATIENCE).any(|_| poll() == 0), "somebody else has remembered something");
}

#[test]
fn vectors_alone_need_an_embedder() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea");
    let error = block_on(fixture.engine.search(&local("alice"), &semantic("tea"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let error = block_on(fixture.engine.embed_pending(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn a_search_says_how_many_wait_for_their_vectors() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    for text in ["black tea", "green tea", "a car"] {
        fixture.fact("alice", text);
    }
    fixture.fact("bob", "not meant");
    let check = |pending| {
        assert_eq!(search(&engine, &query("tea")).meaning, MeaningUsed::Compared { pending });
    };
    check(3);
    assert_eq!(embed(&engine, 2), Embedded { done: 2, refused: 0, pending: 2 });
    check(1);
    embed(&engine, 10);
    check(0);
}

#[test]
fn a_changed_text_is_found_by_its_new_meaning_alone() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    let memory = fixture.fact("alice", "tea");
    embed(&engine, 10);
    assert_eq!(found(&engine, &semantic("beverage")), ["tea"]);
    let change = |text: &str| {
        let patch = Patch { content: Some(text.to_owned()), ..Patch::default() };
        block_on(engine.update(&local("alice"), &memory.id, patch)).unwrap();
    };
    change("car");
    assert!(found(&engine, &semantic("beverage")).is_empty());
    assert!(found(&engine, &semantic("automobile")).is_empty());
    assert_eq!(embed(&engine, 10).done, 1);
    assert_eq!(found(&engine, &semantic("automobile")), ["car"]);
    block_on(engine.forget(&local("alice"), &[memory.id])).unwrap();
    assert!(found(&engine, &semantic("automobile")).is_empty());
}

#[test]
fn another_model_takes_over_without_a_gap() {
    let fixture = Fixture::new();
    let first = meaning(&fixture, &Words::called("words/1", 256));
    let second = meaning(&fixture, &Words::called("words/2", 128));
    for text in ["tea", "green tea", "old car"] {
        fixture.fact("alice", text);
    }
    embed(&first, 10);
    let near = |engine: &Engine| {
        let known = |hit: &Hit| hit.signals.cosine.is_some();
        search(engine, &query("green car tea")).hits.iter().filter(|hit| known(hit)).count()
    };
    assert_eq!((near(&first), near(&second)), (3, 0));
    assert_eq!(search(&second, &query("tea")).hits.len(), 2, "words answer meanwhile");
    for done in 1..=2 {
        assert_eq!(embed(&second, 1), Embedded { done: 1, refused: 0, pending: 3 - done });
        assert_eq!(near(&second) as u64, done);
        assert_eq!(near(&first), 3, "the first answers as before");
        assert_eq!(
            search(&second, &query("tea")).meaning,
            MeaningUsed::Compared { pending: 3 - done }
        );
    }
    let state = block_on(second.embedding_state()).unwrap();
    let retiring = vec![(Fingerprint::new("words/1").unwrap(), 3)];
    assert_eq!((state.embedded, state.pending, state.retiring), (2, 1, retiring));
    embed(&second, 1);
    assert_eq!((near(&first), near(&second)), (0, 3));
    let state = block_on(second.embedding_state()).unwrap();
    assert_eq!(state.model, Some(Fingerprint::new("words/2").unwrap()));
    assert_eq!((state.embedded, state.pending, state.retiring), (3, 0, Vec::new()));
}

#[test]
fn a_model_that_nothing_was_embedded_with_leaves_everything_waiting() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea");
    embed(&meaning(&fixture, &Words::called("words/1", 256)), 10);
    let second = meaning(&fixture, &Words::called("words/2", 256));
    let answer = search(&second, &query("beverage"));
    assert_eq!(answer.meaning, MeaningUsed::Compared { pending: 1 });
}

#[test]
fn vectors_of_an_earlier_model_go_piece_by_piece() {
    let fixture = Fixture::new();
    let drafts = (0..300).map(|number| fact("alice", &format!("note number {number}")));
    block_on(fixture.engine.remember_all(&keeper(), drafts.collect())).unwrap();
    embed(&meaning(&fixture, &Words::called("words/1", 256)), 1_000);
    block_on(fixture.store.adopt(&Fingerprint::new("words/2").unwrap())).unwrap();
    let mut left = vec![300];
    while left.last().is_some_and(|left| *left > 0) && left.len() < 400 {
        left.push(block_on(fixture.store.retire(20)).unwrap());
    }
    assert!(left.is_sorted_by(|before, after| before > after), "{left:?}");
    assert!(left.len() > 2, "not all at once: {left:?}");
    assert_eq!(left.last(), Some(&0));
}

#[test]
fn secrets_never_reach_the_embedder() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    fixture.fact("alice", &format!("the key is {KEY}"));
    embed(&engine, 10);
    search(&engine, &query(&format!("where is {KEY} used?")));
    search(&engine, &semantic(KEY));
    let texts = embedder.counts();
    assert_eq!(texts.len(), 3);
    assert!(texts.keys().all(|text| !text.contains("AKIA")), "{texts:?}");
}

#[test]
fn vectors_alone_have_to_reach_a_threshold() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    for text in ["tea", "tea milk", "tea milk sugar", "tea milk sugar lemon", "car"] {
        fixture.fact("alice", text);
    }
    embed(&engine, 10);
    let check = |threshold, expected: &[&str]| {
        assert_eq!(found(&engine, &Query { threshold, ..semantic("beverage") }), expected);
    };
    check(None, &["tea", "tea milk"]);
    check(Some(0.9), &["tea"]);
    check(Some(0.55), &["tea", "tea milk", "tea milk sugar"]);
    check(Some(0.1), &["tea", "tea milk", "tea milk sugar", "tea milk sugar lemon"]);
    let answer = search(&engine, &semantic("beverage"));
    assert!((answer.hits[1].score - 0.5_f64.sqrt()).abs() < 1e-3, "the score is the cosine");
    let hybrid = Query { threshold: Some(0.9), ..query("beverage milk") };
    assert!(found(&engine, &hybrid).iter().all(|text| text == "tea milk"));
    for threshold in [Some(1.5), Some(f64::NAN)] {
        let wrong = Query { threshold, ..semantic("tea") };
        let error = block_on(engine.search(&local("alice"), &wrong)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}

#[test]
fn a_threshold_holds_for_every_hit_of_a_large_scope() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::called("words/small", 16));
    let texts = (0..2_100).map(|number| match number % 3 {
        0 => format!("report {number} about apples"),
        _ => format!("note {number} about pears"),
    });
    let drafts = texts.map(|text| fact("alice", &text)).collect();
    block_on(engine.remember_all(&keeper(), drafts)).unwrap();
    while embed(&engine, 1_000).pending > 0 {}
    let reports = query("report");
    assert_eq!(search(&engine, &reports).hits.len(), 10);
    let near = Query { threshold: Some(0.99), ..reports };
    assert_eq!(search(&engine, &near).total, 0, "no text has but one word");
}

#[test]
fn two_handles_on_one_file_see_each_others_vectors_at_once() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let here = meaning(&fixture, &embedder);
    let store = SqliteStore::open(&fixture.path()).unwrap();
    let there = Engine::new(store, || START.parse().unwrap()).with_embedder(embedder.clone());
    for round in 0..12 {
        let (writer, reader) = if round % 2 == 0 { (&here, &there) } else { (&there, &here) };
        let question = semantic(&format!("word{round}"));
        assert!(found(reader, &question).is_empty());
        let text = format!("word{round}");
        let memory =
            block_on(writer.remember(&local("alice"), fact("alice", &text))).unwrap().memory;
        assert!(found(reader, &question).is_empty());
        assert_eq!(embed(reader, 10).done, 1);
        for engine in [writer, reader] {
            assert_eq!(found(engine, &question), [text.as_str()]);
        }
        if round % 3 == 0 {
            block_on(writer.forget(&local("alice"), &[memory.id])).unwrap();
            assert!(found(reader, &question).is_empty());
            assert!(found(writer, &question).is_empty());
        }
    }
}

#[test]
fn what_was_made_anew_or_restored_is_seen_by_every_handle() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let here = meaning(&fixture, &embedder);
    let open = || {
        let store = SqliteStore::open(&fixture.path()).unwrap();
        Engine::new(store, || START.parse().unwrap()).with_embedder(embedder.clone())
    };
    let there = open();
    let answers = |engine: &Engine| {
        let scored = |query: Query| {
            let hits = search(engine, &query).hits;
            let key = |hit: &Hit| (hit.memory.content.as_str().to_owned(), hit.signals.cosine);
            hits.iter().map(key).collect::<Vec<_>>()
        };
        [scored(query("beverage car")), scored(semantic("tea")), scored(semantic("car"))]
    };
    let check = |engine: &Engine| {
        let expected = answers(&open());
        assert_eq!(answers(engine), expected);
        expected
    };
    let changed = fixture.fact("alice", "tea");
    fixture.fact("alice", "old car");
    embed(&here, 10);
    check(&there);
    let copy = fixture.folder().join("copy.db");
    block_on(fixture.store.backup(&copy)).unwrap();
    let patch = Patch { content: Some("car".to_owned()), ..Patch::default() };
    block_on(there.update(&local("alice"), &changed.id, patch)).unwrap();
    fixture.fact("alice", "green tea");
    embed(&there, 10);
    let before = [check(&here), check(&there)];
    block_on(fixture.store.rebuild()).unwrap();
    assert_eq!([check(&here), check(&there)], before);
    block_on(fixture.store.restore(&copy, &keeper(), START.parse().unwrap())).unwrap();
    let after = [check(&here), check(&there)];
    assert_ne!(after, before);
    assert_eq!(after[0][1].len(), 1, "only what the copy had");
    assert_eq!(after[0][2].len(), 1, "only what the copy had");
}

#[test]
fn what_is_not_near_enough_is_absent_for_that() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    let near = fixture.fact("alice", "tea");
    let far = fixture.fact("alice", "tea milk sugar lemon");
    embed(&engine, 10);
    let new = fixture.fact("alice", "green tea");
    let reasons =
        |query: &Query, id| block_on(engine.why_not(&local("alice"), query, id)).unwrap().reasons;
    assert_eq!(reasons(&semantic("beverage"), &near.id), []);
    let [Absence::BelowThreshold { cosine, threshold }] =
        reasons(&semantic("beverage"), &far.id)[..]
    else {
        panic!("it is below the threshold");
    };
    assert!((cosine - 0.5).abs() < 1e-2 && (threshold - 0.7).abs() < 1e-9, "{cosine} {threshold}");
    assert_eq!(reasons(&semantic("beverage"), &new.id), [Absence::NotEmbedded]);
    let hybrid = Query { threshold: Some(0.9), ..query("tea") };
    assert!(matches!(reasons(&hybrid, &far.id)[..], [Absence::BelowThreshold { .. }]));
    assert_eq!(reasons(&hybrid, &new.id), [], "its meaning is not known");
}

#[test]
fn what_is_far_behind_is_absent_for_that_whatever_waits() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    let far = fixture.fact("alice", "car");
    let drafts = (0..1_005).map(|number| fact("alice", &format!("tea {number}")));
    block_on(engine.remember_all(&keeper(), drafts.collect())).unwrap();
    embed(&engine, 2_000);
    let question = Query { threshold: Some(0.1), ..semantic("tea") };
    let reasons = |id| block_on(engine.why_not(&local("alice"), &question, id)).unwrap().reasons;
    let beyond = [Absence::BeyondLimit { rank: None, limit: question.limit }];
    assert_eq!(reasons(&far.id), beyond);
    let new = fixture.fact("alice", "old car");
    assert_eq!(reasons(&far.id), beyond, "only the other one waits");
    assert_eq!(reasons(&new.id), [Absence::NotEmbedded]);
}

#[test]
fn what_only_a_deeper_look_finds_comes_after_what_the_search_ranks() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    let far = fixture.fact("alice", "car");
    let drafts = (0..100).map(|number| fact("alice", &format!("tea {number}")));
    block_on(engine.remember_all(&keeper(), drafts.collect())).unwrap();
    embed(&engine, 2_000);
    let question = Query { threshold: Some(-1.0), limit: 3, ..semantic("tea") };
    let why = block_on(engine.why_not(&local("alice"), &question, &far.id)).unwrap();
    assert_eq!(why.reasons, [Absence::BeyondLimit { rank: Some(101), limit: 3 }]);
}

#[test]
fn a_secret_is_taken_out_before_the_question_loses_its_usual_words() {
    let fixture = Fixture::new();
    let embedder = Words::new();
    let engine = meaning(&fixture, &embedder);
    for text in ["The Password of the router", "My Password is old", "Which Password does Bob have"]
    {
        fixture.fact("alice", text);
    }
    search(&engine, &query("does the router take Password = hunter22222 still"));
    let texts = embedder.counts();
    assert!(texts.keys().all(|text| !text.contains("hunter22222")), "{texts:?}");
}

#[test]
fn the_worker_leaves_nothing_of_an_earlier_model() {
    let fixture = Fixture::new();
    let sentence = |number| format!("Sentence {number} is {}.", "as long as a passage ".repeat(17));
    for memory in 0..20 {
        let text: Vec<String> = (0..80).map(|number| sentence(memory * 100 + number)).collect();
        fixture.fact("alice", &text.join(" "));
    }
    embed(&meaning(&fixture, &Words::called("words/1", 256)), 100);
    let second = meaning(&fixture, &Words::called("words/2", 256));
    let mut working = Box::pin(second.keep_embedding(100, future::pending));
    let adopted = Some(Fingerprint::new("words/2").unwrap());
    let mut state = block_on(second.embedding_state()).unwrap();
    for _ in 0..PATIENCE {
        let _ = working.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        state = block_on(second.embedding_state()).unwrap();
        if state.model == adopted && state.pending == 0 && state.retiring.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!((state.embedded, state.retiring), (20, Vec::new()));
}

#[test]
fn a_damaged_vector_is_made_anew_after_a_rebuild() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::new());
    fixture.fact("alice", "tea");
    embed(&engine, 10);
    let other = rusqlite::Connection::open(fixture.path()).unwrap();
    other.execute_batch("UPDATE vectors SET numbers = zeroblob(length(numbers))").unwrap();
    drop(other);
    block_on(fixture.store.rebuild()).unwrap();
    assert_eq!(block_on(engine.embedding_state()).unwrap().pending, 1);
}

#[test]
fn what_only_stands_out_among_the_unrelated_is_not_told_to_a_prompt() {
    let fixture = Fixture::new();
    let engine = meaning(&fixture, &Words::called("words/wide", 8_192));
    for number in 0..60 {
        fixture.fact("alice", &format!("plain{number} note{number} of{number} nothing{number}"));
    }
    let words: Vec<String> = (0..30).map(|number| format!("word{number}")).collect();
    fixture.fact("alice", &format!("car {}", words[..14].join(" ")));
    fixture.fact("alice", &format!("tell {}", words[14..].join(" ")));
    while embed(&engine, 100).done > 0 {}
    let told = |prompt: &str| {
        let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
        let request = ContextRequest::new(mine, prompt);
        block_on(engine.context(&local("alice"), &request)).unwrap().memories.len()
    };
    let cosine = search(&engine, &query("odd automobile")).hits[0].signals.cosine.unwrap();
    assert!((0.15..0.3).contains(&cosine), "{cosine}");
    assert_eq!(told("odd automobile"), 0);
    assert_eq!(told("tell me a joke"), 0);
    assert_eq!(told("tell word20 word21"), 1);
    fixture.fact("alice", "odd car");
    while embed(&engine, 100).done > 0 {}
    assert_eq!(told("automobile"), 1);
}
