//! Moving everything from one store to another, whoever is interrupted and whoever writes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use cofio::model::{Change, Commit, Scope, Timestamp};
use cofio::shelf::{MemoryShelf, Shelf};
use cofio::shelved::{MovableShelved, Rule, Rules, Shelved};
use cofio::store::conformance::moving::{World, assert_same};
use cofio::store::{
    MemoryStore, Movable, Moved, Mover, Part, Record, RecordKey, SqliteStore, Store, Stretch,
};
use cofio::{Engine, Error, ErrorKind, Query, Result, Selection};
use pollster::block_on;
use tempfile::TempDir;

use crate::fixture::{episode, fact, identifiers, keeper, local, named, start};

fn run(from: &dyn Movable, to: &dyn Movable) -> Result<Moved> {
    run_as("tester", from, to)
}

fn run_as(holder: &str, from: &dyn Movable, to: &dyn Movable) -> Result<Moved> {
    let clock = || "2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap();
    let mover = Mover { from, to, holder, clock: &clock };
    block_on(mover.run(&mut |_| {}))
}

fn file(folder: &TempDir, name: &str) -> SqliteStore {
    SqliteStore::open_to_fill(&folder.path().join(name)).unwrap()
}

/// Checks a move from a world to an empty store, and then of what is new.
fn check(from: &dyn Movable, to: &dyn Movable, seed: u64) {
    let mut world = World::new(seed);
    block_on(world.happen(from.store(), 120));
    let moved = run(from, to).unwrap();
    block_on(assert_same(from, to));
    assert_eq!(moved.passes, 2);
    assert!(moved.parts.iter().all(|part| part.count == part.changed), "{moved:?}");
    let again = run(from, to).unwrap();
    assert_eq!((again.passes, again.parts.iter().map(|part| part.changed).sum::<u64>()), (1, 0));
    let digests =
        |moved: &Moved| moved.parts.iter().map(|part| part.digest.clone()).collect::<Vec<String>>();
    assert_eq!(digests(&moved), digests(&again));
    block_on(world.happen(from.store(), 60));
    let more = run(from, to).unwrap();
    block_on(assert_same(from, to));
    let moved = |part: Part| more.parts.iter().find(|moved| moved.part == part).unwrap().clone();
    assert!(moved(Part::Audit).changed < moved(Part::Audit).count, "only what is new");
}

#[test]
fn everything_moves_between_stores_of_every_kind() {
    for seed in 1..=2 {
        let folder = tempfile::tempdir().unwrap();
        check(&file(&folder, "a.db"), &file(&folder, "b.db"), seed);
        check(&file(&folder, "c.db"), &MemoryStore::new(), seed);
        check(&MemoryStore::new(), &file(&folder, "d.db"), seed);
        check(&MemoryStore::new(), &MemoryStore::new(), seed);
    }
}

/// Puts every text of a home on a shelf.
fn shelved<T: Movable + Store + 'static>(home: Arc<T>, shelf: Arc<dyn Shelf>) -> MovableShelved {
    let shelves = HashMap::from([(named("attic"), shelf)]);
    let rules = Rules(vec![Rule::everything(named("attic"))]);
    MovableShelved::new(Shelved::new(home.clone(), shelves, rules, start).unwrap(), home)
}

#[test]
fn texts_and_vectors_move_to_shelves_and_away_from_them() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = || -> Arc<dyn Shelf> { Arc::new(MemoryShelf::new(|| Timestamp::UNIX_EPOCH)) };
    let attic = shelf();
    let home = Arc::new(file(&folder, "a.db"));
    check(&file(&folder, "b.db"), &shelved(home.clone(), attic.clone()), 1);
    // Nothing is left on the shelf but what the home names.
    let alice = Scope::user(named("alice"));
    let records = block_on(home.records(Part::Memories, &Stretch::default(), 9_999)).unwrap();
    let texts = records.iter().map(|record| match record {
        Record::Memory(memory) if memory.document.contains(r#""layer":"user""#) => {
            usize::from(memory.document.contains(r#""user":"alice""#)) * (1 + memory.versions.len())
        }
        _ => 0,
    });
    let slots = block_on(attic.slots(&alice, None, 9_999)).unwrap();
    assert_eq!(slots.len(), texts.sum::<usize>());
    check(&shelved(Arc::new(MemoryStore::new()), shelf()), &file(&folder, "c.db"), 2);
    let error = run(&*home, &MemoryStore::new()).unwrap_err();
    assert!(error.to_string().contains("stand on attic"), "{error}");
}

#[test]
fn what_was_moved_into_a_file_is_sound_and_goes_on_like_any_store() {
    let folder = tempfile::tempdir().unwrap();
    let (from, path) = (MemoryStore::new(), folder.path().join("b.db"));
    let mut world = World::new(9);
    block_on(world.happen(&from, 200));
    run(&from, &file(&folder, "b.db")).unwrap();
    let to = SqliteStore::open(&path).unwrap();
    let integrity = block_on(to.check()).unwrap();
    assert_eq!(integrity.problems, Vec::<String>::new());
    block_on(world.happen(&to, 100));
    block_on(to.verify_audit()).unwrap();
    drop(to);
    let to = SqliteStore::open(&path).unwrap();
    assert_eq!(block_on(to.check()).unwrap().problems, Vec::<String>::new());
}

#[test]
fn the_copy_answers_as_the_original_does() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (file(&folder, "a.db"), file(&folder, "b.db"));
    block_on(World::new(4).happen(&from, 200));
    run(&from, &to).unwrap();
    let answers = |store: SqliteStore| {
        let engine = Engine::new(store, || "2026-03-01T12:00:00Z".parse().unwrap());
        ["black tea", "the canary sings", "Ana in Oslo", "old book on Monday"].map(|question| {
            let mine = identifiers(&[(cofio::model::Layer::User, "alice")]);
            let query = Query::new(Selection::new(mine), question);
            let answer = block_on(engine.search(&local("alice"), &query)).unwrap();
            assert!(!answer.hits.is_empty(), "{question}");
            answer.hits.into_iter().map(|hit| (hit.memory.id, hit.score)).collect::<Vec<_>>()
        })
    };
    assert_eq!(answers(from), answers(to));
}

#[test]
fn what_was_forgotten_stays_so_and_a_request_is_not_done_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (file(&folder, "a.db"), file(&folder, "b.db"));
    let at: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let engine = Engine::new(file(&folder, "a.db"), move || at);
    let tea = block_on(engine.remember(&local("alice"), fact("alice", "Tea is black"))).unwrap();
    let tea = tea.memory;
    block_on(engine.forget(&local("alice"), std::slice::from_ref(&tea.id))).unwrap();
    let key = cofio::model::IdempotencyKey::new("once").unwrap();
    let commit = Commit {
        actor: named("alice"),
        at,
        changes: Vec::new(),
        audit: vec![cofio::model::AuditEvent::new(cofio::model::AuditAction::Write)],
        idempotency: Some((key, [1; 32])),
        work: None,
    };
    block_on(from.commit(commit.clone())).unwrap();
    run(&from, &to).unwrap();
    assert_eq!(block_on(to.earlier(&commit)).unwrap(), Some(Vec::new()));
    let create = Change::Create { memory: Box::new(tea.clone()), identity: None, history: vec![] };
    let again = Commit { changes: vec![create], idempotency: None, ..commit };
    let outcomes = block_on(to.commit(again)).unwrap();
    assert_eq!(outcomes, [cofio::model::Outcome::Missing(tea.id)]);
    assert_eq!(block_on(to.tombstones(keeper().access())).unwrap().len(), 1);
}

/// A store that fails after so many batches.
struct Interrupted<'a> {
    store: &'a dyn Movable,
    left: AtomicUsize,
}

#[async_trait]
impl Movable for Interrupted<'_> {
    fn store(&self) -> &dyn Store {
        self.store.store()
    }

    async fn count(&self, part: Part) -> Result<u64> {
        self.store.count(part).await
    }

    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>> {
        self.store.records(part, stretch, limit).await
    }

    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return Err(Error::new(ErrorKind::Provider, "interrupted"));
        }
        self.left.store(left - 1, Ordering::Relaxed);
        self.store.replace(part, gone, records).await
    }

    async fn unfinished(&self) -> Result<Option<String>> {
        self.store.unfinished().await
    }

    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()> {
        self.store.mark(unfinished_copy_of).await
    }
}

#[test]
fn a_move_that_was_interrupted_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let from = MemoryStore::new();
    block_on(World::new(5).happen(&from, 300));
    let batches = 1
        + (0..1_000)
            .find(|&batches| {
                let path = folder.path().join(format!("{batches}.db"));
                let to = SqliteStore::open_to_fill(&path).unwrap();
                let left = AtomicUsize::new(batches);
                if run(&from, &Interrupted { store: &to, left }).is_ok() {
                    return true;
                }
                drop(to);
                let error = SqliteStore::open(&path).unwrap_err();
                assert!(error.to_string().contains("unfinished copy"), "{error}");
                let to = SqliteStore::open_to_fill(&path).unwrap();
                run(&from, &to).unwrap();
                block_on(assert_same(&from, &to));
                drop(to);
                SqliteStore::open(&path).unwrap();
                false
            })
            .unwrap();
    assert!(batches > Part::ALL.len(), "{batches}");
}

/// A home that does what it is told to, and whose first answer to that is lost.
struct Unheard {
    home: Arc<SqliteStore>,
    is_heard: AtomicBool,
}

#[async_trait]
impl Movable for Unheard {
    fn store(&self) -> &dyn Store {
        self.home.store()
    }

    async fn count(&self, part: Part) -> Result<u64> {
        self.home.count(part).await
    }

    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>> {
        self.home.records(part, stretch, limit).await
    }

    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        self.home.replace(part, gone, records).await?;
        if part == Part::Memories && !self.is_heard.swap(true, Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Provider, "nobody knows").undecided());
        }
        Ok(())
    }

    async fn unfinished(&self) -> Result<Option<String>> {
        self.home.unfinished().await
    }

    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()> {
        self.home.mark(unfinished_copy_of).await
    }
}

/// Returns a home in a file whose texts stand on a shelf, and the shelf.
fn on_a_shelf(
    folder: &TempDir,
    home: impl Fn(Arc<SqliteStore>) -> Arc<dyn Movable>,
) -> (MovableShelved, Arc<dyn Shelf>) {
    let attic: Arc<dyn Shelf> = Arc::new(MemoryShelf::new(|| Timestamp::UNIX_EPOCH));
    let file = Arc::new(file(folder, "shelved.db"));
    let shelves = HashMap::from([(named("attic"), attic.clone())]);
    let rules = Rules(vec![Rule::everything(named("attic"))]);
    let around = Shelved::new(file.clone(), shelves, rules, start).unwrap();
    (MovableShelved::new(around, home(file)), attic)
}

#[test]
fn a_move_whose_answer_was_lost_destroys_nothing_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let from = file(&folder, "a.db");
    block_on(World::new(10).happen(&from, 200));
    let (to, _) =
        on_a_shelf(&folder, |home| Arc::new(Unheard { home, is_heard: AtomicBool::new(false) }));
    let error = run(&from, &to).unwrap_err();
    assert!(error.is_undecided(), "{error}");
    let records = block_on(to.records(Part::Memories, &Stretch::default(), 9_999)).unwrap();
    let is_whole = |record: &Record| matches!(record, Record::Memory(memory) if !memory.lost);
    assert!(!records.is_empty() && records.iter().all(is_whole), "what it names is there");
    run(&from, &to).unwrap();
    block_on(assert_same(&from, &to));
}

#[test]
fn a_text_that_the_copy_has_lost_is_moved_again_and_one_that_the_source_has_lost_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let from = file(&folder, "a.db");
    block_on(World::new(10).happen(&from, 200));
    let (to, attic) = on_a_shelf(&folder, |home| home);
    run(&from, &to).unwrap();
    let lose = || {
        let alice = Scope::user(named("alice"));
        let slots = block_on(attic.slots(&alice, None, 9_999)).unwrap();
        assert!(!slots.is_empty());
        block_on(attic.remove(&slots)).unwrap();
    };
    lose();
    run(&from, &to).unwrap();
    block_on(assert_same(&from, &to));
    lose();
    let error = run(&to, &MemoryStore::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
    assert!(error.to_string().contains("has lost the text of"), "{error}");
}

#[test]
fn a_lost_text_of_what_has_not_ended_is_not_moved_as_an_empty_one() {
    let (home, attic) = (Arc::new(MemoryStore::new()), MemoryShelf::new(|| Timestamp::UNIX_EPOCH));
    let attic: Arc<dyn Shelf> = Arc::new(attic);
    let alone = HashMap::from([(named("attic"), attic.clone())]);
    let rules = || Rules(vec![Rule::everything(named("attic"))]);
    let shelved =
        |now: Timestamp| Shelved::new(home.clone(), alone.clone(), rules(), move || now).unwrap();
    let engine = Engine::new(shelved(start()), start);
    let said = block_on(engine.remember(&local("alice"), episode("alice", "Alice met Bo")));
    let end = said.unwrap().memory.expires_at.unwrap();
    let slots = block_on(attic.slots(&Scope::user(named("alice")), None, 10)).unwrap();
    block_on(attic.remove(&slots)).unwrap();
    let moved = |now: Timestamp| {
        let (from, to) = (MovableShelved::new(shelved(now), home.clone()), MemoryStore::new());
        let clock = move || now;
        let mover = Mover { from: &from, to: &to, holder: "tester", clock: &clock };
        block_on(mover.run(&mut |_| {}))
    };
    let error = moved(start()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
    moved(end).unwrap();
}

#[test]
fn the_name_of_a_store_is_not_moved() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (file(&folder, "a.db"), file(&folder, "b.db"));
    let names = [from.unique_name().to_owned(), to.unique_name().to_owned()];
    block_on(World::new(1).happen(&from, 30));
    run(&from, &to).unwrap();
    drop((from, to));
    let (from, to) = (file(&folder, "a.db"), file(&folder, "b.db"));
    assert_eq!([from.unique_name(), to.unique_name()], names);
    assert_ne!(names[0], names[1]);
}

/// A store that somebody writes to whenever it is read.
struct Busy<'a> {
    store: &'a MemoryStore,
    world: std::sync::Mutex<World>,
    left: AtomicUsize,
}

#[async_trait]
impl Movable for Busy<'_> {
    fn store(&self) -> &dyn Store {
        self.store
    }

    async fn count(&self, part: Part) -> Result<u64> {
        self.store.count(part).await
    }

    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>> {
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
            let mut world = self.world.lock().unwrap();
            block_on(world.happen(self.store, 10));
        }
        self.store.records(part, stretch, limit).await
    }

    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        self.store.replace(part, gone, records).await
    }

    async fn unfinished(&self) -> Result<Option<String>> {
        self.store.unfinished().await
    }

    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()> {
        self.store.mark(unfinished_copy_of).await
    }
}

#[test]
fn what_is_written_during_a_move_is_found_by_the_next_pass() {
    let folder = tempfile::tempdir().unwrap();
    let (store, to) = (MemoryStore::new(), file(&folder, "b.db"));
    let busy =
        |left| Busy { store: &store, world: World::new(6).into(), left: AtomicUsize::new(left) };
    let moved = run(&busy(25), &to).unwrap();
    assert!(moved.passes > 3, "{moved:?}");
    block_on(assert_same(&store, &to));
}

#[test]
fn a_source_that_never_rests_is_said_to_be_one() {
    let (store, to) = (MemoryStore::new(), MemoryStore::new());
    let world = World::new(7).into();
    let busy = Busy { store: &store, world, left: AtomicUsize::new(usize::MAX) };
    let error = run(&busy, &to).unwrap_err();
    assert!(error.to_string().contains("stop whoever writes"), "{error}");
    assert!(block_on(to.unfinished()).unwrap().is_some());
    run(&store, &to).unwrap();
    block_on(assert_same(&store, &to));
}

#[test]
fn nothing_is_overwritten() {
    let refused = |from: &MemoryStore, to: &MemoryStore| {
        let before = block_on(to.verify_audit()).unwrap();
        let error = run(from, to).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert_eq!(block_on(to.verify_audit()).unwrap(), before);
        assert_eq!(block_on(to.unfinished()).unwrap(), None);
        error.to_string()
    };
    let (from, other) = (MemoryStore::new(), MemoryStore::new());
    block_on(World::new(1).happen(&from, 30));
    block_on(World::new(2).happen(&other, 30));
    assert!(refused(&from, &other).contains("not in the source"));
    let copy = MemoryStore::new();
    run(&from, &copy).unwrap();
    block_on(World::new(3).happen(&copy, 0));
    assert!(refused(&from, &copy).contains("written to"));
    assert!(refused(&MemoryStore::new(), &from).contains("not in the source"));
    let unfinished = MemoryStore::new();
    let left = AtomicUsize::new(3);
    run(&from, &Interrupted { store: &unfinished, left }).unwrap_err();
    let error = run(&other, &unfinished).unwrap_err();
    assert!(error.to_string().contains("unfinished copy of another"), "{error}");
}

#[test]
fn a_copy_that_was_written_to_is_moved_back() {
    let (from, to) = (MemoryStore::new(), MemoryStore::new());
    block_on(World::new(1).happen(&from, 50));
    run(&from, &to).unwrap();
    block_on(World::new(11).happen(&to, 0));
    run(&to, &from).unwrap();
    block_on(assert_same(&from, &to));
}

#[test]
fn of_two_moves_to_one_store_the_second_is_refused() {
    let (from, to) = (MemoryStore::new(), MemoryStore::new());
    block_on(World::new(1).happen(&from, 30));
    let (now, until) = ("2026-03-01T12:00:00Z", "2026-03-01T12:00:05Z");
    let taken = to.lease("migrate", "another", now.parse().unwrap(), until.parse().unwrap());
    assert!(block_on(taken).unwrap());
    let error = run(&from, &to).unwrap_err();
    assert!(error.to_string().contains("another move"), "{error}");
    assert_eq!(block_on(to.count(Part::Memories)).unwrap(), 0);
    run_as("another", &from, &to).unwrap();
    run(&from, &to).unwrap();
}

#[test]
fn the_source_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    block_on(World::new(8).happen(&SqliteStore::open(&path).unwrap(), 100));
    let before = files(folder.path());
    let from = SqliteStore::open_current(&path).unwrap();
    run(&from, &MemoryStore::new()).unwrap();
    drop(from);
    assert_eq!(files(folder.path()), before);
}

/// Returns the names of all files, with what they hold.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| (path.file_name().unwrap().display().to_string(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}
