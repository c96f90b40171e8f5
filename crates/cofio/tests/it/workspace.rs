//! A folder of markdown that is what counts, with a store as its index.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofio::engine::{Synced, Syncing};
use cofio::files::Mirror;
use cofio::files::mirror::{self, Layout, Workspace};
use cofio::mirrored::{Mirrored, Role};
use cofio::model::{
    Channel, Criteria, Draft, Identifiers, Kind, Layer, Memory, MemoryId, Patch, Scope, Source,
    State, Trust,
};
use cofio::store::SqliteStore;
use cofio::{Config, Engine, Query, Selection};
use jiff::tz::TimeZone;
use pollster::block_on;
use tempfile::TempDir;

use crate::fixture::{START, identifiers, keeper, named};

/// A workspace that an agent of Alice's works in.
struct Place {
    folder: TempDir,
    engine: Engine,
}

impl Place {
    /// Makes a workspace in which there are files already.
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("memory").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let place = Self { engine: engine(folder.path()), folder };
        place.take_in();
        place
    }

    /// Loses everything but the files, and begins anew.
    fn rebuilt(self) -> Self {
        let Self { folder, engine } = self;
        drop(engine);
        fs::remove_dir_all(folder.path().join("index")).unwrap();
        let place = Self { engine: self::engine(folder.path()), folder };
        place.take_in();
        place
    }

    fn mirror(&self) -> Mirror {
        let world = Scope::new(Layer::Project, &names()).unwrap();
        let layout = Layout::Workspace(Workspace::new(world, named("alice")));
        let [files, notes] = ["memory", "index/notes"].map(|name| self.folder.path().join(name));
        Mirror::open(&files, &notes, layout).unwrap()
    }

    fn take_in(&self) -> Synced {
        let syncing = Syncing { agreed: true, ..Syncing::default() };
        block_on(self.engine.sync_files(&keeper(), &self.mirror(), syncing)).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("memory").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn remember(&self, draft: Draft) -> Memory {
        block_on(self.engine.remember(&keeper(), draft)).unwrap().memory
    }

    /// Returns everything that is known, by its text.
    fn known(&self) -> BTreeMap<String, Memory> {
        let criteria = Criteria { states: vec![State::Active], ..Criteria::default() };
        let selection = Selection::with(names(), criteria);
        let listed = block_on(self.engine.list_all(&keeper(), &selection)).unwrap();
        listed.into_iter().map(|one| (one.content.as_str().to_owned(), one)).collect()
    }

    fn texts(&self) -> Vec<String> {
        self.known().into_keys().collect()
    }

    fn history(&self, id: &MemoryId) -> Vec<String> {
        let history = block_on(self.engine.history(&keeper(), id)).unwrap();
        let all = history.earlier.iter().chain([&history.current]);
        all.map(|one| one.content.as_str().to_owned()).collect()
    }

    /// Nothing is left to be done, on either side.
    fn assert_settled(&self) {
        let before = files(&self.path(""));
        let synced = self.take_in();
        assert!(synced.job.is_none() && synced.problems.is_empty(), "{synced:?}");
        assert_eq!(before, files(&self.path("")));
    }
}

fn engine(folder: &Path) -> Engine {
    fs::create_dir_all(folder.join("index")).unwrap();
    let store = Arc::new(SqliteStore::open(&folder.join("index/index.db")).unwrap());
    let notes = folder.join("index/notes");
    let mirrored = Mirrored::new(store, notes, TimeZone::UTC, Role::Truth);
    Engine::shared(Arc::new(mirrored), || START.parse().unwrap(), Config::default())
}

fn names() -> Identifiers {
    let names = [(Layer::User, "alice"), (Layer::Agent, "coder"), (Layer::Project, "website")];
    identifiers(&names)
}

fn draft(layer: Layer, kind: Kind, text: &str) -> Draft {
    let source = Source::through(Channel::ExplicitSave);
    Draft::new(Scope::new(layer, &names()).unwrap(), kind, text, source)
}

fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with(".cofio") {
            found.extend(files(&path));
        } else if path.is_file() {
            let text = fs::read_to_string(&path).unwrap();
            found.insert(path, text);
        }
    }
    found
}

const PEOPLE: &str = "# People\n\n- Alice: CTO\n- Bob: on call\n";
const MEMORY: &str = "The build needs protoc.\n";
const DAY: &str =
    "# 2026-02-28\n\n## 10:00\n\nDeployed to staging.\n\n## 11:30\n\nFound a flaky test.\n";

fn of_agnx() -> Place {
    Place::with(&[
        ("world/people.md", PEOPLE),
        ("agents/coder/MEMORY.md", MEMORY),
        ("agents/coder/daily/2026-02-28.md", DAY),
        ("agents/readme.md", "Nobody's."),
    ])
}

#[test]
fn a_folder_that_another_program_wrote_is_taken_in_and_stays_as_it_is() {
    let place = of_agnx();
    let known = place.known();
    let check = |text: &str, kind: Kind, layer: Layer, key: Option<&str>| {
        let memory = &known[text];
        assert_eq!((memory.kind, memory.scope.layer(), memory.key.as_deref()), (kind, layer, key));
        assert_eq!(memory.source.trust(), Trust::High);
    };
    check(PEOPLE.trim_end(), Kind::Fact, Layer::Project, Some("world/people.md"));
    check(MEMORY.trim_end(), Kind::Reflection, Layer::Agent, Some("MEMORY.md"));
    check("Deployed to staging.", Kind::Episode, Layer::Agent, None);
    assert_eq!(known["Found a flaky test."].event_at, "2026-02-28T11:30:00Z".parse().unwrap());
    assert_eq!(known.len(), 4);
    assert_eq!(place.read("world/people.md"), PEOPLE);
    assert_eq!(place.read("agents/coder/daily/2026-02-28.md"), DAY);
    place.assert_settled();
}

#[test]
fn what_is_kept_stands_in_the_files_at_once_and_what_is_forgotten_does_not() {
    let place = of_agnx();
    let tea = place.remember(draft(Layer::Project, Kind::Fact, "Tea is at four"));
    let said = place.remember(draft(Layer::Agent, Kind::Episode, "Wrote the parser"));
    assert_eq!(
        place.read("facts.md"),
        format!("# Facts\n\n- Tea is at four <!-- cofio:{} -->\n", tea.id)
    );
    let day = place.read("agents/coder/daily/2026-03-01.md");
    assert_eq!(
        day,
        format!("# 2026-03-01\n\n## 12:00\n\nWrote the parser\n<!-- cofio:{} -->\n", said.id)
    );
    let patch = Patch { content: Some("Tea is at five".to_owned()), ..Patch::default() };
    block_on(place.engine.update(&keeper(), &tea.id, patch)).unwrap();
    assert!(place.read("facts.md").contains("- Tea is at five <!--"));
    block_on(place.engine.forget(&keeper(), &[tea.id.clone(), said.id])).unwrap();
    for (path, text) in files(&place.path("")) {
        assert!(!text.contains("Tea is") && !text.contains("parser"), "{}", path.display());
    }
    let notes = fs::read_dir(place.folder.path().join("index/notes")).unwrap();
    for found in notes.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap()) {
        let bytes = fs::read(found.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|bytes| bytes == b"Tea is"));
    }
    place.assert_settled();
}

#[test]
fn a_page_is_one_memory_with_its_history() {
    let place = of_agnx();
    let people = place.known()[PEOPLE.trim_end()].id.clone();
    place.write("world/people.md", "# People\n\n- Carol: CEO\n");
    place.take_in();
    assert_eq!(place.history(&people), [PEOPLE.trim_end(), "# People\n\n- Carol: CEO"]);
    let patch =
        Patch { content: Some("# Nobody\n\n---\n\n<!-- x -->".to_owned()), ..Patch::default() };
    block_on(place.engine.update(&keeper(), &people, patch)).unwrap();
    assert_eq!(place.read("world/people.md"), "# Nobody\n\n---\n\n<!-- x -->\n");
    place.assert_settled();
    fs::remove_file(place.path("world/people.md")).unwrap();
    place.take_in();
    let gone = block_on(place.engine.get(&keeper(), &people)).unwrap();
    assert_eq!(gone.state, State::Archived);
    place.write("world/people.md", "# Somebody");
    place.take_in();
    assert!(place.texts().contains(&"# Somebody".to_owned()));
    place.assert_settled();
}

#[test]
fn a_page_that_both_sides_changed_says_both() {
    let place = of_agnx();
    let people = place.known()[PEOPLE.trim_end()].id.clone();
    place.write("world/people.md", "# People\n\n- Alice: CEO\n- Bob: on call\n");
    let patch = Patch {
        content: Some("# People\n\n- Alice: CFO\n- Bob: on call".to_owned()),
        ..Patch::default()
    };
    block_on(place.engine.update(&keeper(), &people, patch)).unwrap();
    assert!(place.read("world/people.md").contains("CEO"), "what a person wrote is not replaced");
    assert_eq!(place.take_in().conflicts.len(), 1);
    let both = place.read("world/people.md");
    assert!(both.contains("CEO") && both.contains("CFO"), "{both}");
    assert!(place.texts().contains(&both.trim_end().to_owned()));
    place.assert_settled();
}

#[test]
fn lines_of_people_are_known_again_without_a_marker() {
    let place = of_agnx();
    let known = place.known();
    let (deployed, flaky) = (&known["Deployed to staging."].id, &known["Found a flaky test."].id);
    let day = DAY.replace("Found a flaky test.", "Found a very flaky test.");
    place.write("agents/coder/daily/2026-02-28.md", &day);
    place.take_in();
    assert_eq!(place.history(flaky).len(), 2);
    assert_eq!(place.read("agents/coder/daily/2026-02-28.md"), day);
    // What moves to another file is still the same.
    place.write(
        "agents/coder/daily/2026-02-28.md",
        "# 2026-02-28\n\n## 11:30\n\nFound a very flaky test.\n",
    );
    place.write("agents/coder/facts.md", "Deployed to staging.\n");
    place.take_in();
    assert_eq!(place.known()["Found a very flaky test."].id, *flaky);
    assert!(place.known().contains_key("Deployed to staging."), "{deployed}");
    place.assert_settled();
}

#[test]
fn the_store_changes_a_line_that_a_person_wrote() {
    let place = Place::with(&[("facts.md", "Mine:\n\n- Tea is at four\n- Cake is at five\n")]);
    let tea = place.known()["Tea is at four"].id.clone();
    let patch = Patch { content: Some("Tea is at three".to_owned()), ..Patch::default() };
    block_on(place.engine.update(&keeper(), &tea, patch)).unwrap();
    assert_eq!(
        place.read("facts.md"),
        format!("Mine:\n\n- Tea is at three <!-- cofio:{tea} -->\n- Cake is at five\n")
    );
    let cake = place.known()["Cake is at five"].id.clone();
    block_on(place.engine.forget(&keeper(), &[cake])).unwrap();
    assert_eq!(
        place.read("facts.md"),
        format!("Mine:\n\n- Tea is at three <!-- cofio:{tea} -->\n")
    );
    place.assert_settled();
}

#[test]
fn the_index_is_made_anew_from_the_files() {
    let place = of_agnx();
    let tea =
        place.remember(draft(Layer::Project, Kind::Fact, "Tea is at four\n\n# Not a heading"));
    let mut guess = draft(Layer::User, Kind::Episode, "A tool said so");
    guess.source = Source::through(Channel::ToolRead);
    let guess = place.remember(guess);
    let (before, texts) = (files(&place.path("")), place.texts());
    let place = place.rebuilt();
    assert_eq!((files(&place.path("")), place.texts()), (before, texts));
    let known = place.known();
    assert_eq!(known[tea.content.as_str()].id, tea.id, "it keeps its name");
    let again = &known["A tool said so"];
    assert_eq!((&again.id, again.source.trust()), (&guess.id, Trust::Medium), "and its trust");
    assert_eq!(again.event_at, guess.event_at);
    place.assert_settled();
    let query = Query::new(Selection::new(names()), "who is on call");
    let answer = block_on(place.engine.search(&keeper(), &query)).unwrap();
    assert_eq!(answer.hits[0].memory.key.as_deref(), Some("world/people.md"));
}

#[test]
fn what_was_forgotten_does_not_come_back_with_its_marker() {
    let place = of_agnx();
    let tea = place.remember(draft(Layer::Project, Kind::Fact, "Tea is at four"));
    let line = place.read("facts.md");
    block_on(place.engine.forget(&keeper(), std::slice::from_ref(&tea.id))).unwrap();
    place.write("facts.md", &line);
    place.take_in();
    assert_ne!(place.known()["Tea is at four"].id, tea.id, "a person may say it again, as another");
    place.assert_settled();
}

#[test]
fn what_was_forgotten_and_is_written_again_twice_is_one() {
    let place = of_agnx();
    let tea = place.remember(draft(Layer::Project, Kind::Fact, "Tea is at four"));
    let line = place.read("facts.md");
    block_on(place.engine.forget(&keeper(), &[tea.id])).unwrap();
    place.write("facts.md", &format!("{line}- Tea is at four\n"));
    assert_eq!(place.take_in().problems.len(), 1, "the second says the same already");
    assert!(place.known().contains_key("Tea is at four"));
}

#[test]
fn folders_are_found_again_by_their_notes() {
    let place = of_agnx();
    let notes = place.folder.path().join("index/notes");
    let found = mirror::registered(&notes).unwrap();
    let known: Vec<_> = found.iter().map(|mirror| (mirror.path(), mirror.layout())).collect();
    let own = place.mirror();
    assert_eq!(known, [(own.path(), own.layout())]);
}
