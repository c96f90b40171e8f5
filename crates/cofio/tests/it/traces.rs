//! Looking for what is left of the forgotten.

use cofio::model::{Bound, Channel, Draft, KeyDraft, Kind, Layer, MemoryId, Source, Triple};
use cofio::store::{Trace, Verdict, Wanted};
use pollster::block_on;
use rusqlite::Connection;
use serde_json::json;

use crate::fixture::{Fixture, START, fact, keeper, local, named};

fn traces(fixture: &Fixture, wanted: Wanted) -> Vec<Trace> {
    block_on(fixture.engine.settle()).unwrap();
    block_on(fixture.store.traces(wanted, |_| {})).unwrap()
}

/// Returns the places where something is left or alive.
fn suspects(traces: &[Trace]) -> Vec<&str> {
    let bad = |trace: &&Trace| matches!(trace.verdict, Verdict::Left | Verdict::Alive);
    traces.iter().filter(bad).map(|trace| trace.place.as_str()).collect()
}

fn wanted(ids: &[MemoryId], texts: &[&str]) -> Wanted {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    Wanted { ids: ids.to_vec(), texts, ..Wanted::default() }
}

fn forget(fixture: &Fixture, ids: &[MemoryId]) {
    block_on(fixture.engine.forget(&local("alice"), ids)).unwrap();
}

/// Returns a word of fourteen letters that no other number has.
fn canary(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    let mut letter = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    (0..14).map(|_| letter()).collect()
}

/// Returns a memory that has a word of its own in every field, and the words.
fn draft(number: u64) -> (Draft, Vec<String>) {
    let words: Vec<String> = (0..7).map(|field| canary(number * 7 + field)).collect();
    let text = format!("{} met @{}", words[0], words[1]);
    let mut draft = Draft { kind: Kind::Procedure, ..fact("alice", &text) };
    draft.metadata.title = Some(words[2].clone());
    draft.metadata.tags = vec![words[3].clone()];
    draft.metadata.custom.insert("note".to_owned(), json!(words[4]));
    draft.triple = Some(Triple {
        fact_type: "meets".to_owned(),
        subject: words[5].clone(),
        predicate: "met".to_owned(),
        object: words[6].clone(),
    });
    (draft, words)
}

#[test]
fn what_keys_are_called_is_no_trace_of_what_was_said() {
    let fixture = Fixture::new();
    let said = fixture.fact("alice", "Margarethe keeps the gramophone");
    let bound = Bound::default().with(Layer::Team, named("gramophones"));
    let draft = KeyDraft::new("Margarethe's laptop", bound);
    block_on(fixture.engine.create_key(&keeper(), draft, [7; 32])).unwrap();
    forget(&fixture, std::slice::from_ref(&said.id));
    let found = traces(&fixture, wanted(&[said.id], &["Margarethe", "gramophone"]));
    assert_eq!(suspects(&found), Vec::<&str>::new());
}

#[test]
fn a_thousand_canaries_are_seen_while_they_live_and_nowhere_afterwards() {
    let fixture = Fixture::new();
    let (drafts, words): (Vec<Draft>, Vec<Vec<String>>) = (0..1_000).map(draft).unzip();
    let remembered = block_on(fixture.engine.remember_all(&keeper(), drafts)).unwrap();
    let ids: Vec<MemoryId> = remembered.into_iter().map(|one| one.memory.id).collect();
    let sibling = fixture.fact("alice", &format!("{} stays", canary(9_999_999)));
    let words = words.concat();
    let every_word = || Wanted { ids: ids.clone(), texts: words.clone(), also: Vec::new() };
    let alive = traces(&fixture, every_word());
    let found = |place: &str, traces: &[Trace]| {
        traces.iter().find(|trace| trace.place.contains(place)).unwrap().found
    };
    assert_eq!(found("memories and context", &alive), 1_000);
    assert_eq!(found("words that others use", &alive), 7_000, "each canary is seen");

    forget(&fixture, &ids);
    block_on(fixture.store.purge()).unwrap();
    let gone = traces(&fixture, every_word());
    assert_eq!(suspects(&gone), [""; 0]);
    assert_eq!(found("marks of the forgotten", &gone), 1_000);
    assert!(gone.iter().any(|trace| trace.place.ends_with("cofio.db")), "bytes were looked at");
    let kept = block_on(fixture.engine.get(&local("alice"), &sibling.id)).unwrap();
    assert_eq!(kept.content, sibling.content);
}

#[test]
fn a_memory_that_is_there_and_an_id_that_never_was_are_told_apart() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "quokka");
    let found = traces(&fixture, wanted(&[memory.id], &[]));
    assert_eq!(
        suspects(&found),
        ["memories and context windows", "ids without a mark that they were forgotten"]
    );
    let unknown: MemoryId = format!("fact_{:032x}", 7).parse().unwrap();
    let found = traces(&fixture, wanted(&[unknown], &[]));
    assert_eq!(suspects(&found), ["ids without a mark that they were forgotten"]);
}

#[test]
fn what_somebody_left_in_a_table_or_a_free_page_is_found_and_purged() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "flamingoquokka sings");
    let other = Connection::open(fixture.path()).unwrap();
    let careless = "PRAGMA secure_delete = OFF; CREATE TABLE strange (x);
                    INSERT INTO strange VALUES ('flamingoquokka ' || hex(randomblob(20000)));
                    DROP TABLE strange;";
    other.execute_batch(careless).unwrap();
    other.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(other);
    forget(&fixture, std::slice::from_ref(&memory.id));
    let text = wanted(std::slice::from_ref(&memory.id), &["flamingoquokka sings"]);
    let found = traces(&fixture, text.clone());
    let [place] = suspects(&found)[..] else { panic!("{found:?}") };
    assert!(place.starts_with("bytes of") && place.ends_with("cofio.db"), "{place}");
    let purged = block_on(fixture.store.purge()).unwrap();
    assert!(purged.free_pages > 0 && purged.log_emptied, "{purged:?}");
    assert_eq!(suspects(&traces(&fixture, text)), [""; 0]);

    let number = "(SELECT memory FROM changes LIMIT 1)";
    let orphan = format!("INSERT INTO turns VALUES (1, {number}, x'00')");
    Connection::open(fixture.path()).unwrap().execute_batch(&orphan).unwrap();
    let found = traces(&fixture, wanted(&[memory.id], &[]));
    assert_eq!(suspects(&found), ["records for ranking and authors"]);
}

#[test]
fn copies_beside_the_store_and_files_that_are_named_are_looked_into() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "flamingoquokka sings");
    let backup = fixture.folder().join("cofio.db.v1.backup");
    block_on(fixture.store.backup(&backup)).unwrap();
    let export = fixture.folder().join("export.jsonl");
    let file = std::fs::File::create(&export).unwrap();
    block_on(fixture.engine.export(&local("alice"), file, |_| {})).unwrap();
    forget(&fixture, std::slice::from_ref(&memory.id));
    let id = std::slice::from_ref(&memory.id);
    let places = |wanted: Wanted| -> Vec<String> {
        let traces = traces(&fixture, wanted);
        suspects(&traces).iter().map(|place| (*place).to_owned()).collect()
    };
    assert_eq!(places(wanted(id, &[])), [format!("memories in {}", backup.display())]);
    let also = Wanted { also: vec![export.clone()], ..wanted(id, &["flamingoquokka sings"]) };
    assert_eq!(places(also).len(), 4);
    assert_eq!(fixture.store.migration_backups(), std::slice::from_ref(&backup));
    std::fs::remove_file(backup).unwrap();
    assert_eq!(places(wanted(id, &["flamingoquokka sings"])), [""; 0]);
}

#[test]
fn what_others_say_too_is_no_trace() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "flamingoquokka drinks");
    fixture.fact("bob", "flamingoquokka sleeps");
    forget(&fixture, std::slice::from_ref(&memory.id));
    let found = traces(&fixture, wanted(&[memory.id], &["flamingoquokka drinks"]));
    assert_eq!(suspects(&found), [""; 0]);
}

#[test]
fn a_conclusion_that_outlived_its_source_is_a_trace() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "tea is black");
    let conclusion =
        Draft { derived_from: vec![memory.id.clone()], ..fact("bob", "her tea is black") };
    fixture.remember(conclusion).unwrap();
    forget(&fixture, std::slice::from_ref(&memory.id));
    let found = traces(&fixture, wanted(std::slice::from_ref(&memory.id), &[]));
    assert_eq!(suspects(&found), ["conclusions drawn from them"], "it is another user's");
}

#[test]
fn what_was_forgotten_or_rejected_after_a_backup_stays_so_when_it_is_restored() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "flamingoquokka sings");
    let poison = Draft {
        source: Source::through(Channel::WebFetch),
        ..fact("alice", "the bank is pelicanheron")
    };
    let poison = fixture.remember(poison).unwrap().memory;
    let copy = fixture.folder().join("copy.db");
    block_on(fixture.store.backup(&copy)).unwrap();
    forget(&fixture, std::slice::from_ref(&memory.id));
    block_on(fixture.engine.reject(&local("alice"), &poison.id)).unwrap();
    let now = START.parse().unwrap();
    let restored = block_on(fixture.store.restore(&copy, &keeper(), now)).unwrap();
    assert_eq!(restored.still_forgotten, 2);
    std::fs::remove_file(copy).unwrap();
    let texts = ["flamingoquokka sings", "the bank is pelicanheron"];
    let found = traces(&fixture, wanted(&[memory.id, poison.id], &texts));
    assert_eq!(suspects(&found), [""; 0]);
    let audit = found.iter().find(|trace| trace.place == "audit").unwrap();
    assert_eq!((audit.found, audit.verdict), (1, Verdict::Reference), "the audit knows");
    let again = fixture.remember(fact("alice", "The bank is PelicanHeron!"));
    assert!(again.is_err(), "what was rejected is not learnt again");
    block_on(fixture.engine.verify_audit(&keeper())).unwrap();
}
