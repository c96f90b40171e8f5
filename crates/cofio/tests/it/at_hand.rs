//! What is at hand is what the store has, whoever changes it, and is read without asking the store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use async_trait::async_trait;
use cofio::at_hand::{AtHand, Which};
use cofio::engine::ListRequest;
use cofio::model::{
    Access, Caller, Change, Channel, Commit, Draft, Filter, Kind, Layer, Memory, MemoryId, Outcome,
    Patch, Scope, Source,
};
use cofio::store::{
    Found, Inquiry, Listing, MemoryStore, Page, SqliteStore, Store, Surrounding, conformance,
};
use cofio::{Config, Mode, Query, Result, Selection};
use pollster::block_on;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::fixture::{identifiers, keeper, named};
use crate::life::Life;
use crate::recorder::Recorder;

/// Has everything at hand that is ever asked for.
fn everything() -> Which {
    Which { layers: Layer::ALL.to_vec(), kinds: Kind::ALL.to_vec(), ..Which::default() }
}

mod in_memory {
    use super::*;

    fn fresh() -> (Arc<dyn Store>, ()) {
        (Arc::new(AtHand::new(Arc::new(MemoryStore::new()), everything())), ())
    }

    conformance::suite!(fresh, pollster::block_on);
}

mod in_sqlite {
    use super::*;

    fn fresh() -> (Arc<dyn Store>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let home = SqliteStore::open(&folder.path().join("cofio.db")).unwrap();
        (Arc::new(AtHand::new(Arc::new(home), everything())), folder)
    }

    conformance::suite!(fresh, pollster::block_on);
}

/// A store that counts how often it is read.
struct Counting {
    store: Arc<dyn Store>,
    reads: AtomicUsize,
}

impl Counting {
    fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    fn count(&self) {
        self.reads.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Surrounding for Counting {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn commit_inside(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.store.commit(commit).await
    }

    async fn get_inside(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.count();
        self.store.get(access, ids).await
    }

    async fn list_inside(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        self.count();
        self.store.list(filter, page).await
    }

    async fn find_inside(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        self.count();
        self.store.find(filter, limit, inquiry).await
    }
}

/// A file that two processes might have open, one of them with what it reads at hand.
struct Shared {
    here: Life,
    there: Life,
    counting: Arc<Counting>,
    _folder: TempDir,
}

impl Shared {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = || Arc::new(SqliteStore::open(&folder.path().join("cofio.db")).unwrap());
        let counting = Arc::new(Counting { store: open(), reads: AtomicUsize::new(0) });
        let at_hand = Arc::new(AtHand::new(counting.clone(), Which::default()));
        let here = Life::on(at_hand, Config::default());
        let there = Life::on(open(), Config::default());
        Self { here, there, counting, _folder: folder }
    }
}

fn session() -> Scope {
    Scope::new(Layer::Session, &ours()).unwrap()
}

fn ours() -> cofio::model::Identifiers {
    identifiers(&[(Layer::User, "alice"), (Layer::Session, "s1")])
}

fn alice() -> Caller {
    Caller::local(named("alice"))
}

fn step(text: &str) -> Draft {
    Draft::new(session(), Kind::Working, text, Source::through(Channel::ExplicitSave))
}

fn selection() -> Selection {
    let mut selection = Selection::new(ours());
    selection.layers = Some(vec![Layer::Session]);
    selection.criteria.kinds = vec![Kind::Working];
    selection
}

fn listed(life: &Life) -> Vec<(MemoryId, u64, String)> {
    let request = ListRequest { limit: 100, ..ListRequest::new(selection()) };
    let listed = block_on(life.engine.list(&alice(), &request)).unwrap();
    let told = |memory: Memory| (memory.id, memory.version, memory.content.as_str().to_owned());
    listed.memories.into_iter().map(told).collect()
}

fn found(life: &Life, question: &str) -> Vec<String> {
    let answer =
        block_on(life.engine.search(&alice(), &Query::new(selection(), question))).unwrap();
    answer.hits.iter().map(|hit| hit.memory.content.as_str().to_owned()).collect()
}

fn change(life: &Life, id: &MemoryId, text: &str) {
    let patch = Patch { content: Some(text.to_owned()), ..Patch::default() };
    block_on(life.engine.update(&alice(), id, patch)).unwrap();
}

fn forget(life: &Life, id: &MemoryId) {
    block_on(life.engine.forget(&alice(), std::slice::from_ref(id))).unwrap();
}

#[test]
fn what_is_at_hand_is_read_without_the_store() {
    let shared = Shared::new();
    let first = shared.here.keep(step("fetch the ledger"));
    assert_eq!(listed(&shared.here).len(), 1);
    let second = shared.here.keep(step("count the pages"));

    let before = shared.counting.reads();
    let read = block_on(shared.here.engine.get(&alice(), &second.id)).unwrap();
    assert_eq!(read.content.as_str(), "count the pages");
    assert_eq!(listed(&shared.here).len(), 2);
    assert_eq!(found(&shared.here, "where is the ledger?")[0], "fetch the ledger");
    assert_eq!(shared.counting.reads(), before);

    // It would be noticed if the store were read.
    block_on(shared.there.engine.get(&alice(), &first.id)).unwrap();
    change(&shared.there, &first.id, "fetch the atlas");
    assert_eq!(found(&shared.here, "where is the atlas?")[0], "fetch the atlas");
    assert!(shared.counting.reads() > before);
}

#[test]
fn meanings_are_at_hand_once_they_are_known() {
    let shared = Shared::new();
    shared.here.keep(step("fetch the ledger"));
    shared.here.keep(step("count the pages"));
    let engine = shared.here.engine.clone().with_embedder(Recorder::new());
    let nearest = || {
        let query = Query { mode: Mode::Semantic, ..Query::new(selection(), "count pages") };
        let answer = block_on(engine.search(&alice(), &query)).unwrap();
        let hit = answer.hits.into_iter().next()?;
        Some((hit.memory.content.as_str().to_owned(), hit.signals.cosine?.to_bits()))
    };
    assert_eq!(nearest(), None);
    while block_on(engine.embed_pending(10)).unwrap().pending > 0 {}

    // What was embedded is read once more.
    let first = nearest().unwrap();
    let before = shared.counting.reads();
    assert_eq!(nearest().unwrap(), first);
    assert_eq!(shared.counting.reads(), before);
    assert_eq!(first.0, "count the pages");
}

#[test]
fn what_others_forget_is_gone_at_once() {
    let shared = Shared::new();
    let secret = shared.here.keep(step("the door code is on the fridge"));
    assert_eq!(listed(&shared.here).len(), 1);

    forget(&shared.there, &secret.id);
    assert!(block_on(shared.here.engine.get(&alice(), &secret.id)).is_err());
    assert!(listed(&shared.here).is_empty());
    assert!(found(&shared.here, "door code").is_empty());
}

#[test]
fn what_is_anothers_stays_theirs() {
    let shared = Shared::new();
    let kept = shared.here.keep(step("fetch the ledger"));
    listed(&shared.here);
    let stranger = Caller::local(named("mallory"));
    assert!(block_on(shared.here.engine.get(&stranger, &kept.id)).is_err());
    assert!(block_on(shared.here.engine.get(&alice(), &kept.id)).is_ok());
}

#[test]
fn of_many_conversations_the_last_used_are_at_hand() {
    let home =
        Arc::new(Counting { store: Arc::new(MemoryStore::new()), reads: AtomicUsize::new(0) });
    let which = Which { scopes: 1, ..Which::default() };
    let life = Life::on(Arc::new(AtHand::new(home.clone(), which)), Config::default());
    let other = identifiers(&[(Layer::User, "alice"), (Layer::Session, "s2")]);
    let other = Scope::new(Layer::Session, &other).unwrap();
    let first = life.keep(step("fetch the ledger"));
    let second = life.keep(Draft { scope: other, ..step("count the pages") });

    let reads = |id: &MemoryId| {
        let before = home.reads();
        block_on(life.engine.get(&alice(), id)).unwrap();
        home.reads() - before
    };
    assert!(reads(&first.id) > 0);
    assert_eq!(reads(&first.id), 0);
    assert!(reads(&second.id) > 0);
    assert_eq!(reads(&second.id), 0);
    assert!(reads(&first.id) > 0);
}

#[test]
fn what_is_too_large_is_left_where_it_is() {
    let home = Arc::new(MemoryStore::new());
    let which = Which { memories: 3, ..Which::default() };
    let life = Life::on(Arc::new(AtHand::new(home, which)), Config::default());
    for number in 0..5 {
        life.keep(step(&format!("step {number}")));
        assert_eq!(listed(&life).len(), number + 1);
    }
}

#[test]
fn what_becomes_too_large_is_left_to_the_store_until_it_is_smaller() {
    let home =
        Arc::new(Counting { store: Arc::new(MemoryStore::new()), reads: AtomicUsize::new(0) });
    let which = Which { memories: 2, ..Which::default() };
    let life = Life::on(Arc::new(AtHand::new(home.clone(), which)), Config::default());
    let reads = || {
        let before = home.reads();
        listed(&life);
        home.reads() - before
    };
    let first = life.keep(step("fetch the ledger")).id;
    listed(&life);
    life.keep(step("count the pages"));
    assert_eq!(reads(), 0);
    life.keep(step("close the book"));
    assert!(reads() > 0);
    forget(&life, &first);
    // It is not looked at again each time.
    let more = (0..1_000).find(|_| reads() == 0).unwrap();
    assert!(more > 100, "{more}");
    assert_eq!((listed(&life).len(), reads()), (2, 0));
}

/// Something that goes on when a test lets it.
struct Pause {
    begun: mpsc::Sender<()>,
    go: mpsc::Receiver<()>,
}

/// A store whose next answer of a sort is late.
#[derive(Default)]
struct Late {
    reading: Mutex<Option<Pause>>,
    before_commit: Mutex<Option<Pause>>,
    after_commit: Mutex<Option<Pause>>,
}

/// Lets what comes by next wait, and returns what tells that it has come and what lets it go on.
fn hold_up(at: &Mutex<Option<Pause>>) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
    let ((begun, told), (let_go, go)) = (mpsc::channel(), mpsc::channel());
    *at.lock().unwrap() = Some(Pause { begun, go });
    (told, let_go)
}

fn pass(at: &Mutex<Option<Pause>>) {
    let pause = at.lock().unwrap().take();
    if let Some(Pause { begun, go }) = pause {
        begun.send(()).unwrap();
        go.recv().unwrap();
    }
}

struct Delayed {
    store: Arc<dyn Store>,
    late: Arc<Late>,
}

#[async_trait]
impl Surrounding for Delayed {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn commit_inside(&self, commit: Commit) -> Result<Vec<Outcome>> {
        pass(&self.late.before_commit);
        let outcomes = self.store.commit(commit).await;
        pass(&self.late.after_commit);
        outcomes
    }

    async fn get_inside(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let memories = self.store.get(access, ids).await;
        pass(&self.late.reading);
        memories
    }
}

/// A file with what is read at hand in one process, where answers may be late.
struct Overtaken {
    here: Life,
    there: Life,
    at_hand: Arc<AtHand>,
    other: Arc<SqliteStore>,
    late: Arc<Late>,
    _folder: TempDir,
}

impl Overtaken {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = || Arc::new(SqliteStore::open(&folder.path().join("cofio.db")).unwrap());
        let late = Arc::<Late>::default();
        let home = Arc::new(Delayed { store: open(), late: late.clone() });
        let at_hand = Arc::new(AtHand::new(home, Which::default()));
        let here = Life::on(at_hand.clone(), Config::default());
        let other = open();
        let there = Life::on(other.clone(), Config::default());
        here.keep(step("fetch the ledger"));
        assert_eq!(listed(&here).len(), 1);
        Self { here, there, at_hand, other, late, _folder: folder }
    }

    /// Forgets over there, and so much more happens that nobody can tell what has changed.
    fn forget_unheard(&self, id: &MemoryId) {
        forget(&self.there, id);
        let bob = |number| crate::fixture::fact("bob", &format!("Bob has house {number}"));
        for hundred in 0..3 {
            let drafts = (0..100).map(|number| bob(100 * hundred + number)).collect();
            block_on(self.there.engine.remember_all(&keeper(), drafts)).unwrap();
        }
        // What is at hand is let go, and comes back.
        for _ in 0..2 {
            assert_eq!(listed(&self.here).len(), 1);
        }
    }
}

#[test]
fn what_is_read_again_does_not_bring_back_what_is_forgotten_since() {
    let overtaken = Overtaken::new();
    let id = overtaken.here.keep(step("count the pages")).id;
    change(&overtaken.there, &id, "count the words");
    let (reading, go) = hold_up(&overtaken.late.reading);
    thread::scope(|scope| {
        let late = scope.spawn(|| listed(&overtaken.here));
        reading.recv().unwrap();
        overtaken.forget_unheard(&id);
        go.send(()).unwrap();
        late.join().unwrap();
    });
    assert_eq!(listed(&overtaken.here).len(), 1);
}

#[test]
fn what_was_created_does_not_come_back_when_it_is_forgotten_since() {
    let overtaken = Overtaken::new();
    let (created, go) = hold_up(&overtaken.late.after_commit);
    thread::scope(|scope| {
        let late = scope.spawn(|| overtaken.here.keep(step("count the pages")));
        created.recv().unwrap();
        let two = listed(&overtaken.there);
        let (id, ..) = two.iter().find(|(.., text)| text == "count the pages").unwrap();
        overtaken.forget_unheard(id);
        go.send(()).unwrap();
        late.join().unwrap();
    });
    assert_eq!(listed(&overtaken.here).len(), 1);
}

#[test]
fn what_another_process_creates_under_the_same_id_is_at_hand() {
    let overtaken = Overtaken::new();
    let memory = Life::new().keep(step("count the pages"));
    let commit = || Commit {
        actor: named("alice"),
        at: memory.created_at,
        changes: vec![Change::Create {
            memory: Box::new(memory.clone()),
            identity: None,
            history: Vec::new(),
        }],
        audit: Vec::new(),
        idempotency: None,
        work: None,
    };
    let (begun, go) = hold_up(&overtaken.late.before_commit);
    thread::scope(|scope| {
        let late = scope.spawn(|| block_on(overtaken.at_hand.commit(commit())).unwrap());
        begun.recv().unwrap();
        block_on(overtaken.other.commit(commit())).unwrap();
        listed(&overtaken.here);
        go.send(()).unwrap();
        assert_eq!(late.join().unwrap(), [Outcome::Existing(memory.id.clone())]);
    });
    assert_eq!(listed(&overtaken.here).len(), 2);
}

/// Something that happens to one of a few memories, here or there.
#[derive(Debug, Clone)]
enum Happening {
    Kept(bool),
    Changed(bool, usize),
    Forgotten(bool, usize),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        3 => any::<bool>().prop_map(Happening::Kept),
        3 => (any::<bool>(), 0..8_usize).prop_map(|(here, which)| Happening::Changed(here, which)),
        2 => (any::<bool>(), 0..8_usize).prop_map(|(here, which)| Happening::Forgotten(here, which)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_here_and_there_both_read_the_same(
        happenings in prop::collection::vec(happening(), 1..24)
    ) {
        let shared = Shared::new();
        let life = |here: bool| if here { &shared.here } else { &shared.there };
        let mut ids: Vec<MemoryId> = Vec::new();
        for (number, happening) in happenings.into_iter().enumerate() {
            let text = format!("step {number} of the plan");
            match happening {
                Happening::Kept(here) => ids.push(life(here).keep(step(&text)).id),
                Happening::Changed(here, which) if which < ids.len() => {
                    change(life(here), &ids[which], &text);
                }
                Happening::Forgotten(here, which) if which < ids.len() => {
                    forget(life(here), &ids.remove(which));
                }
                Happening::Changed(..) | Happening::Forgotten(..) => {}
            }
            prop_assert_eq!(listed(&shared.here), listed(&shared.there));
            prop_assert_eq!(found(&shared.here, "plan"), found(&shared.there, "plan"));
        }
    }
}
