//! People who write without pause, what they were told, and whether it is so.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cofio::model::{
    Caller, Channel, Draft, Identifier, Identifiers, Layer, MemoryId, Patch, Source,
};
use cofio::store::Store as _;
use cofio::{Engine, Error, ErrorKind, Query, Selection};
use pollster::block_on;

use super::house::{House, Part, alice};
use crate::shelves::faults::wait_until;

const WRITERS: usize = 3;

/// How many writes have to be acknowledged before somebody is said to write.
const ENOUGH: usize = 4;

/// What a memory may say; nothing if it may be gone.
type Allowed = Vec<Option<String>>;

/// What writers were told.
#[derive(Default)]
pub struct Ledger {
    known: Mutex<HashMap<MemoryId, Allowed>>,
    /// Texts that were refused, and must be nowhere.
    refused: Mutex<HashSet<String>>,
    acknowledged: Mutex<HashMap<Part, usize>>,
    failed: Mutex<HashMap<Part, usize>>,
}

impl Ledger {
    fn count(&self, part: Part) -> usize {
        self.acknowledged.lock().unwrap().get(&part).copied().unwrap_or_default()
    }

    fn failures(&self, part: Part) -> usize {
        self.failed.lock().unwrap().get(&part).copied().unwrap_or_default()
    }

    fn acknowledge(&self, part: Part, id: MemoryId, now: Option<String>) {
        self.known.lock().unwrap().insert(id, vec![now]);
        *self.acknowledged.lock().unwrap().entry(part).or_default() += 1;
    }

    /// Takes note that somebody was refused something.
    fn refuse(&self, part: Part, error: &Error, id: Option<&MemoryId>, text: Option<String>) {
        let shown = format!("{error:?}");
        let named = ["PostgreSQL", "redis", "qdrant", "chroma"];
        assert!(named.iter().any(|name| error.to_string().contains(name)), "{shown}");
        assert!(!shown.contains("zebra") && !shown.contains("right-secret"), "{shown}");
        assert_eq!(error.kind(), ErrorKind::Provider, "{shown}");
        if !error.is_undecided() {
            self.refused.lock().unwrap().extend(text);
        } else if let Some(id) = id {
            self.known.lock().unwrap().entry(id.clone()).or_default().push(text);
        }
        *self.failed.lock().unwrap().entry(part).or_default() += 1;
    }
}

/// Writers at work.
pub struct Crowd {
    ledger: Arc<Ledger>,
    engine: Engine,
    parts: Vec<Part>,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Crowd {
    pub fn begin(house: &House) -> Self {
        let (ledger, over) = (Arc::<Ledger>::default(), Arc::<AtomicBool>::default());
        let mut threads: Vec<_> = (0..WRITERS)
            .flat_map(|writer| house.parts.iter().map(move |part| (writer, *part)))
            .map(|(writer, part)| {
                let (engine, ledger, over) =
                    (house.engine.clone(), Arc::clone(&ledger), Arc::clone(&over));
                thread::spawn(move || write(&engine, &ledger, &over, writer, part))
            })
            .collect();
        let (engine, done) = (house.engine.clone(), Arc::clone(&over));
        threads.push(thread::spawn(move || embed(&engine, &done)));
        let (engine, parts) = (house.engine.clone(), house.parts.clone());
        Self { ledger, engine, parts, over, threads }
    }

    /// Waits until somebody was acknowledged something, wherever it stands.
    pub fn writes_everywhere(&self) {
        let before: Vec<usize> = self.parts.iter().map(|part| self.ledger.count(*part)).collect();
        for (part, before) in self.parts.iter().zip(before) {
            let what = format!("{} takes writes", part.name());
            wait_until(&what, || self.ledger.count(*part) > before + ENOUGH);
        }
    }

    /// Waits until somebody was acknowledged something, wherever it stands, and looks whether nobody
    /// was refused anything and no answer lacks anything.
    pub fn misses_nothing(&self) {
        let failures = || self.parts.iter().map(|part| self.ledger.failures(*part)).sum::<usize>();
        let before = failures();
        self.writes_everywhere();
        for part in &self.parts {
            let answer = block_on(self.engine.search(&keeper(), &query(part.name()))).unwrap();
            assert!(answer.unavailable.is_empty(), "{answer:?}");
        }
        assert_eq!(failures(), before);
    }

    /// Waits until somebody was told something.
    pub fn goes_on(&self) {
        let told = || -> usize {
            let of = |part: &Part| self.ledger.count(*part) + self.ledger.failures(*part);
            self.parts.iter().map(of).sum()
        };
        let before = told();
        wait_until("somebody is told something", || told() > before + 2);
    }

    /// Waits until writes to a part fail, and looks whether the rest goes on and says so.
    pub fn misses(&self, part: Part) {
        let before = self.ledger.failures(part);
        let what = format!("writes to {} fail", part.name());
        wait_until(&what, || self.ledger.failures(part) > before + 2);
        if part == Part::Home {
            return;
        }
        for other in self.parts.iter().filter(|other| **other != part) {
            let before = self.ledger.count(*other);
            let what = format!("{} goes on without {}", other.name(), part.name());
            wait_until(&what, || self.ledger.count(*other) > before + 2);
        }
        wait_until("an answer says who is missing", || {
            let answer = block_on(self.engine.search(&keeper(), &query(part.name())));
            answer.is_ok_and(|answer| {
                answer.unavailable.iter().any(|name| name.as_str() == part.name())
            })
        });
    }

    pub fn end(self) -> Arc<Ledger> {
        self.over.store(true, Ordering::SeqCst);
        for thread in self.threads {
            thread.join().unwrap();
        }
        self.ledger
    }
}

fn keeper() -> Caller {
    Caller::keeper(Identifier::new("keeper").unwrap())
}

fn query(question: &str) -> Query {
    let user = Identifiers::default().with(Layer::User, Identifier::new("alice").unwrap());
    Query::new(Selection::new(user), question)
}

/// Keeps, changes and forgets.
fn write(engine: &Engine, ledger: &Ledger, over: &AtomicBool, writer: usize, part: Part) {
    let mut own: Vec<(MemoryId, u64)> = Vec::new();
    for number in 0.. {
        if over.load(Ordering::SeqCst) {
            return;
        }
        let name = part.name().to_lowercase();
        let text = format!("the zebra {name}w{writer}n{number} runs to {name}");
        match (number % 6, own.last_mut()) {
            (3, Some(last)) => change(engine, ledger, part, last, text),
            (5, Some(_)) => forget(engine, ledger, part, own.remove(0).0),
            _ => own.extend(keep(engine, ledger, part, text)),
        }
        thread::sleep(Duration::from_millis(80));
    }
}

fn keep(engine: &Engine, ledger: &Ledger, part: Part, text: String) -> Option<(MemoryId, u64)> {
    let source = Source::through(Channel::ExplicitSave);
    let draft = Draft::new(alice(), part.kind(), text.clone(), source);
    match block_on(engine.remember(&keeper(), draft)) {
        Ok(told) => {
            assert!(!told.existing, "{text} was there before it was told");
            ledger.acknowledge(part, told.memory.id.clone(), Some(text));
            Some((told.memory.id, told.memory.version))
        }
        Err(error) => {
            ledger.refuse(part, &error, None, Some(text));
            None
        }
    }
}

fn change(engine: &Engine, ledger: &Ledger, part: Part, own: &mut (MemoryId, u64), text: String) {
    let (id, version) = own;
    let expected_version = Some(*version);
    let patch = Patch { content: Some(text.clone()), expected_version, ..Patch::default() };
    match block_on(engine.update(&keeper(), id, patch)) {
        Ok(told) => {
            *version = told.memory.version;
            ledger.acknowledge(part, id.clone(), Some(text));
        }
        // It was changed by a commit of which nobody knew.
        Err(error) if error.kind() == ErrorKind::Conflict => {
            let undecided = ledger.known.lock().unwrap().get(id).is_some_and(|all| all.len() > 1);
            assert!(undecided, "{error:?}");
        }
        Err(error) => ledger.refuse(part, &error, Some(id), Some(text)),
    }
}

fn forget(engine: &Engine, ledger: &Ledger, part: Part, id: MemoryId) {
    match block_on(engine.forget(&keeper(), std::slice::from_ref(&id))) {
        Ok(_) => ledger.acknowledge(part, id, None),
        Err(error) => ledger.refuse(part, &error, Some(&id), None),
    }
}

/// Makes vectors as far as that is possible.
fn embed(engine: &Engine, over: &AtomicBool) {
    while !over.load(Ordering::SeqCst) {
        let _ = block_on(engine.embed_pending(20));
        thread::sleep(Duration::from_millis(50));
    }
}

impl Ledger {
    /// Looks whether everything is as writers were told.
    pub fn check(&self, house: &House) {
        for part in &house.parts {
            assert!(self.count(*part) > 4 * ENOUGH, "{part:?} was hardly written to");
        }
        house.wait_for_leases();
        wait_until("everything has its vectors", || {
            let done = block_on(house.engine.embed_pending(200));
            done.is_ok()
                && block_on(house.engine.embedding_state()).is_ok_and(|state| state.pending == 0)
        });
        for (place, (id, allowed)) in self.known.lock().unwrap().iter().enumerate() {
            let text = check_text(house, id, allowed);
            // Searching takes longer than reading.
            if place % 4 == 0 || allowed.len() > 1 {
                check_found(house, allowed, text.as_deref());
            }
        }
        self.check_shelves(house);
        block_on(house.shelved.verify_audit()).unwrap();
    }

    /// Looks whether only texts stand on shelves that memories have or had.
    fn check_shelves(&self, house: &House) {
        block_on(house.shelved.tidy()).unwrap();
        let now = house.engine.now();
        for moment in [now, now + Duration::from_secs(1_000)] {
            block_on(house.shelved.sweep(&[alice()], moment)).unwrap();
        }
        let refused = self.refused.lock().unwrap();
        for shelf in house.shelves.values() {
            let slots = block_on(shelf.slots(&alice(), None, 10_000)).unwrap();
            let texts = block_on(shelf.get(&slots)).unwrap();
            assert!(!texts.is_empty());
            for text in texts.into_iter().flatten() {
                assert!(!refused.contains(&text), "{text} was refused and stands there");
            }
        }
    }
}

/// Looks whether a memory says what it may say, and returns that.
fn check_text(house: &House, id: &MemoryId, allowed: &Allowed) -> Option<String> {
    let text = match block_on(house.engine.get(&keeper(), id)) {
        Ok(memory) => Some(memory.content.as_str().to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => panic!("{error:?}"),
    };
    assert!(allowed.contains(&text), "{id} says {text:?}, and not one of {allowed:?}");
    text
}

/// Looks whether what a memory says is found, and nothing that it might have said.
fn check_found(house: &House, allowed: &Allowed, text: Option<&str>) {
    for word in allowed.iter().flatten().filter_map(|text| text.split(' ').nth(2)) {
        let answer = block_on(house.engine.search(&keeper(), &query(word))).unwrap();
        assert!(answer.unavailable.is_empty(), "{answer:?}");
        let says = |text: &str| text.split(' ').any(|other| other == word);
        let found = answer.hits.iter().any(|hit| says(hit.memory.content.as_str()));
        assert_eq!(found, text.is_some_and(says), "{word}");
    }
}
