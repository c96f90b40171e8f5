//! A store whose texts stand on shelves keeps the contract too, whatever becomes of the shelves.

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use cofio::embed::Embedder as _;
use cofio::engine::{Forgetting, ListRequest, Listed};
use cofio::model::{
    Change, Commit, Draft, Edit, Fingerprint, Identifier, Kind, Layer, Meaning, Memory, MemoryId,
    MetadataPatch, Outcome, Patch, Scope, State, Task, Timestamp,
};
use cofio::shelf::{
    Abilities, Content, Embedded, Health, Labels, MemoryShelf, Sampled, Shelf, Slot, Within,
};
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::{MemoryStore, SqliteStore, Store, Surrounding, conformance};
use cofio::{Config, Engine, Error, ErrorKind, Mode, Query, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;
use tempfile::TempDir;

use crate::fixture::{START, episode, fact, identifiers, local, named, start};
use crate::life::Life;
use crate::recorder::Recorder;

fn shelf() -> Arc<dyn Shelf> {
    // The suite lets memories end in its own time, which is long ago.
    Arc::new(MemoryShelf::new(|| Timestamp::UNIX_EPOCH))
}

fn shelved(home: Arc<dyn Store>, shelf: Arc<dyn Shelf>) -> Shelved {
    shelved_at(home, shelf, start())
}

/// Puts every text of a home on a shelf, at a moment.
fn shelved_at(home: Arc<dyn Store>, shelf: Arc<dyn Shelf>, now: Timestamp) -> Shelved {
    let name: Identifier = named("attic");
    let shelves = HashMap::from([(name.clone(), shelf)]);
    Shelved::new(home, shelves, Rules(vec![Rule::everything(name)]), move || now).unwrap()
}

mod in_memory {
    use super::*;

    fn fresh() -> (Arc<dyn Store>, ()) {
        (Arc::new(shelved(Arc::new(MemoryStore::new()), shelf())), ())
    }

    conformance::suite!(fresh, pollster::block_on);
}

mod in_sqlite {
    use super::*;

    fn fresh() -> (Arc<dyn Store>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let home = SqliteStore::open(&folder.path().join("cofio.db")).unwrap();
        (Arc::new(shelved(Arc::new(home), shelf())), folder)
    }

    conformance::suite!(fresh, pollster::block_on);
}

/// A shelf that can be made to fail.
#[derive(Clone)]
struct Shaky {
    shelf: Arc<dyn Shelf>,
    down: Arc<AtomicBool>,
    /// How often it was asked for something.
    asked: Arc<AtomicUsize>,
    /// What happens before texts are read the next time.
    before_reading: Arc<Mutex<Option<Event>>>,
}

type Event = Box<dyn FnOnce() + Send>;

impl Shaky {
    fn new() -> Self {
        let (down, asked, before_reading) = Default::default();
        Self { shelf: shelf(), down, asked, before_reading }
    }

    fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// Returns how often it was asked for something since the last time.
    fn asked(&self) -> usize {
        self.asked.swap(0, Ordering::SeqCst)
    }

    fn before_reading(&self, event: impl FnOnce() + Send + 'static) {
        *self.before_reading.lock().unwrap() = Some(Box::new(event));
    }

    /// Loses everything that stands there.
    fn lose(&self) {
        let slots = block_on(self.shelf.slots(&alice(), None, 100)).unwrap();
        block_on(self.shelf.remove(&slots)).unwrap();
    }

    fn check(&self) -> Result<()> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let down = self.down.load(Ordering::SeqCst);
        if down { Err(Error::new(ErrorKind::Provider, "the attic is locked")) } else { Ok(()) }
    }

    /// Returns every text that stands there.
    fn texts(&self) -> Vec<String> {
        let slots = block_on(self.shelf.slots(&alice(), None, 100)).unwrap();
        let texts = block_on(self.shelf.get(&slots)).unwrap();
        texts.into_iter().flatten().collect()
    }
}

#[async_trait]
impl Shelf for Shaky {
    fn abilities(&self) -> Abilities {
        self.shelf.abilities()
    }

    async fn put(&self, contents: &[Content]) -> Result<()> {
        self.check()?;
        self.shelf.put(contents).await
    }

    async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>> {
        self.check()?;
        let event = self.before_reading.lock().unwrap().take();
        if let Some(event) = event {
            event();
        }
        self.shelf.get(slots).await
    }

    async fn remove(&self, slots: &[Slot]) -> Result<()> {
        self.check()?;
        self.shelf.remove(slots).await
    }

    async fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>> {
        self.check()?;
        self.shelf.slots(scope, after, limit).await
    }

    async fn put_vectors(&self, model: &Fingerprint, embedded: &[Embedded]) -> Result<()> {
        self.check()?;
        self.shelf.put_vectors(model, embedded).await
    }

    async fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        self.check()?;
        self.shelf.vectors(model, slots).await
    }

    async fn remove_vectors(&self, model: &Fingerprint, slots: &[Slot]) -> Result<()> {
        self.shelf.remove_vectors(model, slots).await
    }

    async fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>> {
        self.check()?;
        self.shelf.nearest(meaning, within, limit).await
    }

    async fn cosines(&self, meaning: &Meaning, slots: &[Slot]) -> Result<Vec<Option<f32>>> {
        self.check()?;
        self.shelf.cosines(meaning, slots).await
    }

    async fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>> {
        self.shelf.sample(meaning, scopes, limit).await
    }

    async fn health(&self) -> Result<Health> {
        self.shelf.health().await
    }
}

fn alice() -> Scope {
    Scope::user(named("alice"))
}

/// A home with an attic, and what Alice tells it.
struct House {
    home: Arc<SqliteStore>,
    attic: Shaky,
    shelved: Arc<Shelved>,
    life: Life,
    folder: TempDir,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Arc::new(SqliteStore::open(&folder.path().join("cofio.db")).unwrap());
        let attic = Shaky::new();
        let shelved = Arc::new(shelved(home.clone(), Arc::new(attic.clone())));
        let life = Life::on(shelved.clone(), Config::default());
        Self { home, attic, shelved, life, folder }
    }

    fn keep(&self, text: &str) -> Memory {
        self.life.keep(fact("alice", text))
    }

    fn remember(&self, text: &str) -> Result<()> {
        let kept = block_on(self.life.engine.remember(&local("alice"), fact("alice", text)));
        kept.map(|_| ())
    }

    fn forget(&self, id: &MemoryId) {
        block_on(self.life.engine.forget(&local("alice"), std::slice::from_ref(id))).unwrap();
    }

    /// Returns whether a text stands in the files of the home, as it is.
    fn has_on_disk(&self, text: &str) -> bool {
        let has = |bytes: Vec<u8>| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        fs::read_dir(self.folder.path())
            .unwrap()
            .any(|file| has(fs::read(file.unwrap().path()).unwrap()))
    }

    fn found(&self, question: &str) -> Vec<String> {
        let query = Query::new(Selection::new(identifiers(&[(Layer::User, "alice")])), question);
        let answer = block_on(self.life.engine.search(&local("alice"), &query)).unwrap();
        answer.hits.iter().map(|hit| hit.memory.content.as_str().to_owned()).collect()
    }
}

#[test]
fn the_text_stands_on_the_shelf_alone_and_is_found_by_its_words() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees in Cardiff");
    assert_eq!(house.attic.texts(), ["Alice keeps bees in Cardiff"]);
    let at_home = block_on(house.home.get(local("alice").access(), &[kept.id])).unwrap();
    assert_eq!(at_home[0].content.as_str(), "");
    assert!(!house.has_on_disk("Alice keeps bees") && house.has_on_disk("user:alice"));
    assert_eq!(house.found("who keeps bees?"), ["Alice keeps bees in Cardiff"]);
}

#[test]
fn every_version_has_a_text_and_forgetting_leaves_none() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    let patch = Patch { content: Some("Alice keeps hens".to_owned()), ..Patch::default() };
    block_on(house.life.engine.update(&local("alice"), &kept.id, patch)).unwrap();
    let history = block_on(house.shelved.history(local("alice").access(), &kept.id)).unwrap();
    assert_eq!(history[0].content.as_str(), "Alice keeps bees");
    assert_eq!(house.attic.texts().len(), 2);
    assert!(house.found("bees").is_empty());
    house.forget(&kept.id);
    assert!(house.attic.texts().is_empty());
    assert!(block_on(house.home.unshelved(&named("attic"), 10)).unwrap().is_empty());
}

#[test]
fn what_is_refused_or_known_leaves_nothing_on_the_shelf() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    house.remember("Alice keeps bees").unwrap();
    assert_eq!(house.attic.texts().len(), 1);
    let stale = Memory { version: 7, ..kept };
    let change = Change::Update { memory: Box::new(stale), identity: None };
    let commit = Commit {
        actor: named("alice"),
        at: START.parse().unwrap(),
        changes: vec![change],
        audit: Vec::new(),
        idempotency: None,
        work: None,
    };
    let refused = block_on(house.shelved.commit(commit)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(house.attic.texts(), ["Alice keeps bees"]);
}

#[test]
fn a_shelf_that_is_down_costs_what_stands_on_it_and_nothing_else() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    house.attic.set_down(true);
    let refused = house.remember("Alice keeps hens").unwrap_err();
    assert_eq!((refused.kind(), refused.kind().retryable()), (ErrorKind::Provider, true));
    assert!(house.found("bees").is_empty());
    let unread =
        block_on(house.shelved.get(local("alice").access(), std::slice::from_ref(&kept.id)));
    assert_eq!(unread.unwrap_err().kind(), ErrorKind::Provider);

    house.forget(&kept.id);
    assert_eq!(block_on(house.home.unshelved(&named("attic"), 10)).unwrap().len(), 1);
    house.attic.set_down(false);
    assert_eq!(house.attic.texts(), ["Alice keeps bees"], "nobody could take it off");
    assert_eq!(block_on(house.shelved.tidy()).unwrap(), 1);
    assert!(house.attic.texts().is_empty());
    house.remember("Alice keeps hens").unwrap();
    assert_eq!(house.found("hens"), ["Alice keeps hens"]);
}

/// A home with one shelf for working memories, which is down, and one for everything else, and the
/// texts that were forgotten meanwhile.
fn with_a_dead_cellar() -> (Arc<MemoryStore>, Shaky, Arc<Shelved>) {
    let (home, cellar, attic) = (Arc::new(MemoryStore::new()), Shaky::new(), Shaky::new());
    let shelved = Arc::new(on_two_shelves(home.clone(), &cellar, &attic));
    let life = Life::on(shelved.clone(), Config::default());
    let mut draft = fact("alice", "She is at the hive");
    draft.kind = Kind::Working;
    let id = life.keep(draft).id;
    cellar.set_down(true);
    cellar.asked();
    block_on(life.engine.forget(&local("alice"), std::slice::from_ref(&id))).unwrap();
    assert_eq!(cellar.asked(), 1, "what was forgotten would be taken off at once");
    (home, cellar, shelved)
}

fn on_two_shelves(home: Arc<dyn Store>, cellar: &Shaky, attic: &Shaky) -> Shelved {
    let shelf = |name: &str, shelf: &Shaky| -> (Identifier, Arc<dyn Shelf>) {
        (named(name), Arc::new(shelf.clone()))
    };
    let shelves = HashMap::from([shelf("cellar", cellar), shelf("attic", attic)]);
    let cellar = Some(named("cellar"));
    let working = Rule { kinds: vec![Kind::Working], shelf: cellar, ..Rule::default() };
    Shelved::new(home, shelves, Rules(vec![working, Rule::everything(named("attic"))]), start)
        .unwrap()
}

#[test]
fn whoever_writes_elsewhere_does_not_wait_for_a_shelf_that_is_down() {
    let (home, cellar, shelved) = with_a_dead_cellar();
    let another_process = on_two_shelves(home.clone(), &cellar, &Shaky::new());
    for shelved in [shelved.clone(), Arc::new(another_process)] {
        let life = Life::on(shelved, Config::default());
        let kept = life.keep(fact("alice", "Alice keeps bees"));
        let patch = Patch { content: Some("Alice keeps hens".to_owned()), ..Patch::default() };
        block_on(life.engine.update(&local("alice"), &kept.id, patch)).unwrap();
        block_on(life.engine.forget(&local("alice"), &[kept.id])).unwrap();
        assert_eq!(cellar.asked(), 0);
    }
    assert_eq!(block_on(home.unshelved(&named("cellar"), 10)).unwrap().len(), 1);
    cellar.set_down(false);
    assert_eq!(block_on(shelved.tidy()).unwrap(), 1, "nothing is lost that was noted");
    assert!(cellar.texts().is_empty());
}

#[test]
fn of_many_who_forget_what_stands_on_a_dead_shelf_the_first_asks_it() {
    let house = House::new();
    let ids: Vec<MemoryId> =
        ["bees", "hens", "cats"].map(|name| house.keep(&format!("Alice keeps {name}")).id).into();
    house.attic.set_down(true);
    house.attic.asked();
    for id in &ids {
        house.forget(id);
    }
    assert_eq!(house.attic.asked(), 1);
    house.attic.set_down(false);
    house.remember("Alice keeps dogs").unwrap();
    assert_eq!(house.attic.texts(), ["Alice keeps dogs"], "it has answered, so the rest goes");
}

#[test]
fn however_many_are_forgotten_at_once_none_of_their_texts_stays() {
    let house = House::new();
    let drafts: Vec<_> =
        (0..1_200).map(|number| fact("alice", &format!("Alice keeps hive {number}"))).collect();
    for some in drafts.chunks(100) {
        block_on(house.life.engine.remember_all(&local("alice"), some.to_vec())).unwrap();
    }
    let everything = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let forgotten =
        block_on(house.life.engine.forget_matching(&local("alice"), &everything)).unwrap();
    assert_eq!(forgotten.ids.len(), 1_200);
    assert_eq!(block_on(house.home.unshelved(&named("attic"), 10)).unwrap(), []);
    assert!(house.attic.texts().is_empty());
}

#[test]
fn what_stands_on_a_shelf_that_is_down_is_shown_and_forgotten_without_it() {
    let house = House::new();
    let id = house.keep("Alice keeps bees").id;
    house.attic.set_down(true);
    let engine = &house.life.engine;
    let everything = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let outlines = block_on(engine.matching_outlines(&local("alice"), &everything)).unwrap();
    assert_eq!(outlines.iter().map(|one| &one.id).collect::<Vec<_>>(), [&id]);
    let matching = Forgetting::Matching(Box::new(everything.clone()));
    let would = block_on(engine.would_forget(&local("alice"), &matching)).unwrap();
    assert_eq!(would.ids, std::slice::from_ref(&id));
    let forgotten = block_on(engine.forget_matching(&local("alice"), &everything)).unwrap();
    assert_eq!(forgotten.ids, [id]);
}

#[test]
fn what_could_not_be_taken_off_goes_with_the_next_write_to_the_shelf() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    house.attic.set_down(true);
    house.forget(&kept.id);
    house.attic.set_down(false);
    house.remember("Alice keeps hens").unwrap();
    assert_eq!(house.attic.texts(), ["Alice keeps hens"]);
}

#[test]
fn what_a_process_could_not_take_off_goes_with_the_first_write_of_another_to_the_shelf() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    house.attic.set_down(true);
    house.forget(&kept.id);
    house.attic.set_down(false);
    let other = shelved(house.home.clone(), Arc::new(house.attic.clone()));
    Life::on(Arc::new(other), Config::default()).keep(fact("alice", "Alice keeps hens"));
    assert_eq!(house.attic.texts(), ["Alice keeps hens"]);
}

#[test]
fn a_text_that_a_shelf_has_lost_is_told() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    house.attic.lose();
    let lost = block_on(house.shelved.get(local("alice").access(), &[kept.id])).unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::Damaged);
}

#[test]
fn a_text_is_lost_until_its_memory_has_ended() {
    let house = House::new();
    let kept = house.life.keep(episode("alice", "Alice met the bee keeper"));
    let end = kept.expires_at.unwrap();
    house.attic.lose();
    let caller = local("alice");
    let read =
        |house: &Shelved| block_on(house.get(caller.access(), std::slice::from_ref(&kept.id)));
    assert_eq!(read(&house.shelved).unwrap_err().kind(), ErrorKind::Damaged);
    assert_eq!(page(&house, 10, None).lost, std::slice::from_ref(&kept.id));
    let tags = Edit::Set(vec!["bees".to_owned()]);
    let metadata = MetadataPatch { tags, ..MetadataPatch::default() };
    let patch = Patch { metadata, ..Patch::default() };
    let refused = block_on(house.life.engine.update(&caller, &kept.id, patch)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Damaged);
    assert!(house.attic.texts().is_empty(), "nothing was put in its place");

    // The clock of a shelf that ends texts by itself may be ahead.
    let until = [(2, false), (0, true)]
        .map(|(minutes, ended)| (end - SignedDuration::from_mins(minutes), ended));
    for (now, ended) in until {
        let later = shelved_at(house.home.clone(), Arc::new(house.attic.clone()), now);
        let texts = read(&later).map(|read| read[0].content.as_str().to_owned());
        assert_eq!(texts.ok(), ended.then(String::new), "{now}");
    }
}

/// Returns a page of what is known of Alice.
fn page(house: &House, limit: usize, cursor: Option<String>) -> Listed {
    let selection = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let request = ListRequest { limit, cursor, ..ListRequest::new(selection) };
    block_on(house.life.engine.list(&local("alice"), &request)).unwrap()
}

fn texts(listed: &Listed) -> Vec<&str> {
    listed.memories.iter().map(|memory| memory.content.as_str()).collect()
}

#[test]
fn what_a_shelf_has_lost_is_missing_from_lists_which_say_so_and_hold_the_rest() {
    let house = House::new();
    house.keep("Alice keeps cats");
    let lost = [house.keep("Alice keeps bees").id, house.keep("Alice keeps hens").id];
    let slots = block_on(house.attic.slots(&alice(), None, 10)).unwrap();
    let gone: Vec<Slot> = slots.into_iter().filter(|slot| lost.contains(&slot.id)).collect();
    block_on(house.attic.shelf.remove(&gone)).unwrap();
    house.keep("Alice keeps dogs");

    let all = page(&house, 10, None);
    assert_eq!(texts(&all), ["Alice keeps dogs", "Alice keeps cats"]);
    let mut told = all.lost.clone();
    told.sort_unstable();
    assert_eq!((told, all.total), (lost.to_vec(), 4));
    let first = page(&house, 1, None);
    assert_eq!(texts(&first), ["Alice keeps dogs"]);
    let second = page(&house, 1, first.next_cursor);
    assert_eq!(
        texts(&second),
        ["Alice keeps cats"],
        "what follows takes the place of what is lost"
    );
    assert_eq!((second.lost.len(), second.next_cursor), (2, None));

    let changes = block_on(house.shelved.changes(local("alice").access(), 0, 10)).unwrap();
    let followed = block_on(house.life.engine.follow(&local("alice"), changes)).unwrap();
    let known = followed.iter().filter(|changed| changed.memory.is_some());
    assert_eq!((followed.len(), known.count()), (4, 2));
    let mut export = block_on(house.life.engine.exporting(&local("alice"))).unwrap();
    let error = block_on(export.next()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "a bundle would not be everything");
}

#[test]
fn a_list_of_lost_texts_comes_to_its_end() {
    let house = House::new();
    for name in ["bees", "hens", "cats"] {
        house.keep(&format!("Alice keeps {name}"));
    }
    house.attic.lose();
    let listed = page(&house, 1, None);
    assert_eq!((texts(&listed).len(), listed.lost.len(), listed.next_cursor), (0, 3, None));
    let selection = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let all = block_on(house.life.engine.list_all(&local("alice"), &selection)).unwrap();
    assert_eq!(all, []);
}

#[test]
fn what_somebody_forgets_while_it_is_read_is_left_out() {
    let house = House::new();
    house.keep("Alice keeps hens");
    let racing = |text: &str| {
        let id = house.keep(text).id;
        let (engine, forgotten) = (house.life.engine.clone(), id.clone());
        house.attic.before_reading(move || {
            block_on(engine.forget(&local("alice"), std::slice::from_ref(&forgotten))).unwrap();
        });
        id
    };
    racing("Alice keeps bees");
    let listed = page(&house, 10, None);
    assert_eq!((texts(&listed), listed.lost.len()), (vec!["Alice keeps hens"], 0));
    let id = racing("Alice keeps cats");
    let access = local("alice");
    assert_eq!(block_on(house.shelved.get(access.access(), &[id])).unwrap(), []);
    let id = racing("Alice keeps dogs");
    assert_eq!(block_on(house.shelved.history(access.access(), &id)).unwrap(), []);
}

#[test]
fn rules_say_which_texts_stand_where() {
    let attic = shelf();
    let name: Identifier = named("attic");
    let rule = Rule { kinds: vec![Kind::Working], shelf: Some(name.clone()), ..Rule::default() };
    let shelves = HashMap::from([(name, attic.clone())]);
    let home = Arc::new(MemoryStore::new());
    let shelved = Shelved::new(home.clone(), shelves, Rules(vec![rule.clone()]), start).unwrap();
    let life = Life::on(Arc::new(shelved), Config::default());
    life.keep(fact("alice", "Alice keeps bees"));
    assert!(block_on(attic.slots(&alice(), None, 10)).unwrap().is_empty());
    let mut draft = fact("alice", "She is at the hive");
    draft.kind = Kind::Working;
    life.keep(draft);
    assert_eq!(block_on(attic.slots(&alice(), None, 10)).unwrap().len(), 1);

    let nowhere = Shelved::new(home, HashMap::new(), Rules(vec![rule]), start);
    assert_eq!(nowhere.unwrap_err().kind(), ErrorKind::Configuration);
}

/// A home whose attic takes what a rule says, and an engine that knows meanings.
struct Routed {
    home: Arc<MemoryStore>,
    attic: Shaky,
    engine: Engine,
    model: Fingerprint,
}

impl Routed {
    fn by(rule: Rule) -> Self {
        let (home, attic, embedder) = (Arc::new(MemoryStore::new()), Shaky::new(), Recorder::new());
        let shelves = HashMap::from([(named("attic"), Arc::new(attic.clone()) as _)]);
        let rules = Rules(vec![Rule { shelf: Some(named("attic")), ..rule }]);
        let shelved = Arc::new(Shelved::new(home.clone(), shelves, rules, start).unwrap());
        let model = embedder.fingerprint().clone();
        let engine = Life::on(shelved, Config::default()).engine.with_embedder(embedder);
        Self { home, attic, engine, model }
    }

    fn keep(&self, scope: Scope, text: &str) -> Memory {
        let draft = Draft { scope, ..fact("alice", text) };
        block_on(self.engine.remember(&local("alice"), draft)).unwrap().memory
    }

    /// Checks where a memory is, and that it is found by words and by meaning.
    fn check(&self, memory: &Memory, on_shelf: bool) {
        let (id, text) = (&memory.id, memory.content.as_str());
        while block_on(self.engine.embed_pending(10)).unwrap().pending > 0 {}
        let access = local("alice");
        let outlines =
            block_on(self.home.get_outlines(access.access(), std::slice::from_ref(id))).unwrap();
        let there = &outlines[0];
        assert_eq!(there.content.as_str(), if on_shelf { "" } else { text });

        let passage = memory.content.passage_hash();
        let at_home = block_on(self.home.known_vectors(&self.model, &[passage])).unwrap();
        assert_eq!(at_home[0].is_some(), !on_shelf);
        let slots = block_on(self.attic.slots(&there.scope, None, 10)).unwrap();
        let slots: Vec<Slot> = slots.into_iter().filter(|slot| slot.id == *id).collect();
        let vectors = block_on(self.attic.vectors(&self.model, &slots)).unwrap();
        let with_vectors = slots.iter().zip(vectors).filter(|(_, vectors)| vectors.is_some());
        let with_vectors: Vec<&Slot> = with_vectors.map(|(slot, _)| slot).collect();
        let expected: Vec<Slot> = there.slot().into_iter().filter(|_| on_shelf).collect();
        assert_eq!(with_vectors, expected.iter().collect::<Vec<_>>());

        for mode in [Mode::Keyword, Mode::Semantic] {
            let mut selection =
                Selection::new(identifiers(&[(Layer::User, "alice"), (Layer::Session, "s1")]));
            selection.criteria.states = vec![there.state];
            let query = Query { mode, ..Query::new(selection, text) };
            let answer = block_on(self.engine.search(&access, &query)).unwrap();
            let first = answer.hits.first().map(|hit| hit.memory.content.as_str());
            assert_eq!((first, answer.unavailable), (Some(text), vec![]), "{mode:?}");
        }
    }
}

#[test]
fn what_is_archived_goes_to_a_shelf_and_comes_home_when_it_is_brought_back() {
    let routed = Routed::by(Rule { states: vec![State::Archived], ..Rule::default() });
    let (kept, caller) = (routed.keep(alice(), "Alice keeps bees in Cardiff"), local("alice"));
    let id = kept.id.clone();
    routed.check(&kept, false);
    block_on(routed.engine.archive(&caller, &id)).unwrap();
    routed.check(&kept, true);
    block_on(routed.engine.bring_back(&caller, &id)).unwrap();
    routed.check(&kept, false);
    block_on(routed.engine.archive(&caller, &id)).unwrap();
    block_on(routed.engine.forget(&caller, &[id])).unwrap();
    assert!(routed.attic.texts().is_empty(), "those of earlier versions go as well");
}

#[test]
fn what_is_of_a_layer_goes_to_its_shelf() {
    let routed = Routed::by(Rule { layers: vec![Layer::Session], ..Rule::default() });
    let session = identifiers(&[(Layer::User, "alice"), (Layer::Session, "s1")]);
    let session = Scope::new(Layer::Session, &session).unwrap();
    let said = routed.keep(session.clone(), "The hive stands under the oak");
    let known = routed.keep(alice(), "Alice keeps bees in Cardiff");
    routed.check(&said, true);
    routed.check(&known, false);
    assert_eq!(block_on(routed.attic.slots(&session, None, 10)).unwrap().len(), 1);
    assert!(routed.attic.texts().is_empty());
}

#[test]
fn what_a_dead_process_left_is_swept_away_and_nothing_else() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    let patch = Patch { content: Some("Alice keeps hens".to_owned()), ..Patch::default() };
    block_on(house.life.engine.update(&local("alice"), &kept.id, patch)).unwrap();
    let named = block_on(house.attic.slots(&alice(), None, 10)).unwrap();
    let left = Slot { edition: 7, ..named[0].clone() };
    let labels = Labels::of(&kept);
    let content = Content { slot: left.clone(), text: kept.content, labels };
    block_on(house.attic.put(&[content])).unwrap();
    let sweep = |at: &str| block_on(house.shelved.sweep(&[alice()], at.parse().unwrap())).unwrap();
    assert_eq!(sweep("2026-05-01T12:00:00Z"), 0, "it may be about to be named");
    assert_eq!(sweep("2026-05-01T12:14:00Z"), 0);
    assert_eq!(sweep("2026-05-01T12:15:00Z"), 1);
    assert_eq!(block_on(house.attic.slots(&alice(), None, 10)).unwrap(), named);
}

/// Checks that what nobody names goes from a shelf, whatever becomes of it in the end.
fn check_cleared(home: &Arc<dyn Store>, attic: &Shaky) {
    let (access, shelved) = (local("alice"), shelved(home.clone(), Arc::new(attic.clone())));
    let clear = |minutes: i64| {
        let now = start() + SignedDuration::from_mins(minutes);
        block_on(shelved.clear_away(access.access(), now)).unwrap()
    };
    assert_eq!((clear(0), attic.texts().len()), (0, 1), "it may be about to be named");
    assert_eq!((clear(15), attic.texts().len()), (1, 0));
}

#[test]
fn what_is_left_of_somebody_of_whom_nothing_was_ever_committed_is_swept_away() {
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(&folder.path().join("cofio.db")).unwrap();
    let homes: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new()), Arc::new(file)];
    for home in homes {
        let attic = Shaky::new();
        let dying = Arc::new(Dying { home: home.clone() });
        let life = Life::on(Arc::new(shelved(dying, Arc::new(attic.clone()))), Config::default());
        let told = block_on(life.engine.remember(&local("alice"), fact("alice", "A first word")));
        assert!(told.unwrap_err().is_undecided());
        assert_eq!(attic.texts(), ["A first word"]);
        check_cleared(&home, &attic);
    }
}

#[test]
fn what_is_left_of_somebody_who_forgets_everything_is_swept_away() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    leave(&house.attic, &kept);
    house.forget(&kept.id);
    let home: Arc<dyn Store> = house.home.clone();
    check_cleared(&home, &house.attic);
}

/// Leaves a text on a shelf that no memory names.
fn leave(attic: &Shaky, like: &Memory) -> Slot {
    let slot = Slot { scope: like.scope.clone(), id: like.id.clone(), edition: 7 };
    let (text, labels) = (like.content.clone(), Labels::of(like));
    block_on(attic.shelf.put(&[Content { slot: slot.clone(), text, labels }])).unwrap();
    slot
}

/// A home whose process ends before it commits anything.
struct Dying {
    home: Arc<dyn Store>,
}

#[async_trait]
impl Surrounding for Dying {
    fn inner(&self) -> &dyn Store {
        &*self.home
    }

    async fn commit_inside(&self, _commit: Commit) -> Result<Vec<Outcome>> {
        Err(Error::new(ErrorKind::Provider, "the process ends here").undecided())
    }
}

#[test]
fn what_cannot_be_swept_keeps_nothing_else_from_it_and_is_on_record() {
    let (home, cellar, attic) = (Arc::new(MemoryStore::new()), Shaky::new(), Shaky::new());
    let shelved = Arc::new(on_two_shelves(home, &cellar, &attic));
    let life = Life::on(shelved, Config::default());
    let kept = life.keep(fact("alice", "Alice keeps bees"));
    for (down, up) in [(&cellar, &attic), (&attic, &cellar)] {
        leave(up, &kept);
        down.set_down(true);
        life.run(Task::Expire);
        life.wait(1);
        let job = life.run(Task::Expire);
        assert!(!block_on(up.slots(&alice(), None, 10)).unwrap().iter().any(|it| it.edition == 7));
        let note = job.note.unwrap();
        assert!(note.ends_with("could be cleared away: the attic is locked"), "{note}");
        down.set_down(false);
    }
    assert_eq!(life.run(Task::Expire).note, None);
}

#[test]
fn a_sweep_goes_through_a_scope_once_however_much_stands_there() {
    let house = House::new();
    let kept = house.keep("Alice keeps bees");
    let left = (0..1_200).map(|edition| Content {
        slot: Slot { scope: alice(), id: kept.id.clone(), edition },
        text: kept.content.clone(),
        labels: Labels::of(&kept),
    });
    block_on(house.attic.shelf.put(&left.collect::<Vec<_>>())).unwrap();
    let sweep = |minutes: i64| {
        let now = start() + SignedDuration::from_mins(minutes);
        house.attic.asked();
        let removed = block_on(house.shelved.sweep(&[alice()], now)).unwrap();
        (removed, house.attic.asked())
    };
    assert_eq!(sweep(0), (0, 1));
    assert_eq!(sweep(15), (1_200, 4), "it is asked once what is there, and thrice to remove it");
    assert_eq!(house.attic.texts(), ["Alice keeps bees"]);
}

#[test]
fn a_shelf_that_is_down_keeps_no_other_from_being_tidied() {
    let (home, down, up) = (Arc::new(MemoryStore::new()), Shaky::new(), Shaky::new());
    let (cellar, attic): (Identifier, Identifier) = (named("cellar"), named("attic"));
    let shelves: HashMap<Identifier, Arc<dyn Shelf>> = HashMap::from([
        (cellar.clone(), Arc::new(down.clone()) as Arc<dyn Shelf>),
        (attic.clone(), Arc::new(up.clone()) as Arc<dyn Shelf>),
    ]);
    let working =
        Rule { kinds: vec![Kind::Working], shelf: Some(attic.clone()), ..Rule::default() };
    let rules = Rules(vec![working, Rule::everything(cellar.clone())]);
    let shelved = Arc::new(Shelved::new(home.clone(), shelves, rules, start).unwrap());
    let life = Life::on(shelved.clone(), Config::default());
    let mut draft = fact("alice", "She is at the hive");
    draft.kind = Kind::Working;
    let ids = [life.keep(draft).id, life.keep(fact("alice", "Alice keeps bees")).id];
    down.set_down(true);
    block_on(life.engine.forget(&local("alice"), &ids)).unwrap();
    assert!(up.texts().is_empty());
    assert_eq!(block_on(home.unshelved(&cellar, 10)).unwrap().len(), 1);
    assert_eq!(block_on(home.unshelved(&attic, 10)).unwrap(), []);
}

#[test]
fn an_answer_says_which_shelf_was_silent() {
    let house = House::new();
    house.keep("Alice keeps bees");
    let query = Query::new(Selection::new(identifiers(&[(Layer::User, "alice")])), "bees");
    let silent = || {
        let answer = block_on(house.life.engine.search(&local("alice"), &query)).unwrap();
        answer.unavailable
    };
    assert_eq!(silent(), []);
    house.attic.set_down(true);
    assert_eq!(silent(), [named("attic")]);
}
