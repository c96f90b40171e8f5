//! What the verbs promise, on a real store.

use cofio::engine::{ListRequest, Sweep, Swept};
use cofio::model::{
    Channel, Criteria, Draft, Edit, Fraction, IdempotencyKey, Kind, Layer, Lifetime, MetadataPatch,
    Patch, Source, TimeRange, Triple, TriplePattern,
};
use cofio::retrieval::Merge;
use cofio::store::{Entries, Order};
use cofio::{ErrorKind, Mode, Query, Selection};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, episode, fact, identifiers, keeper, local, named, scope};

fn meeting(criteria: Criteria) -> Selection {
    Selection::with(identifiers(&[(Layer::User, "alice")]), criteria)
}

fn mine() -> Selection {
    Selection::new(identifiers(&[(Layer::User, "alice")]))
}

#[test]
fn what_is_remembered_is_found_by_its_words_and_by_what_it_names() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks her tea black");
    fixture.fact("alice", "Deploy with `make ship`, see src/main.rs");
    fixture.fact("alice", "Ask @bob about #infra");
    assert_eq!(fixture.found("alice", "how does she drink tea?"), ["Alice drinks her tea black"]);
    assert_eq!(fixture.found("alice", "main.rs"), ["Deploy with `make ship`, see src/main.rs"]);
    let hit = &fixture.search("alice", "what was it with Bob?").hits[0];
    assert_eq!(hit.signals.matched_names.len(), 1);
    assert_eq!(hit.signals.matched_names, ["bob"]);
    assert!((0.0..=1.0).contains(&hit.score), "{}", hit.score);
}

#[test]
fn nothing_in_a_question_is_syntax() {
    let fixture = Fixture::new();
    fixture.fact("alice", "the AND of NEAR things OR others NOT these");
    for question in [
        "\"",
        "''",
        "*",
        "%",
        "(",
        "NEAR(",
        "a AND",
        "-x",
        "col:val",
        "^",
        "\u{0}",
        "🎉",
        "NOT",
        "\"unbalanced",
        "a*",
        "{a b}: c",
        "日本",
        "",
        "   ",
        "\\",
        "';DROP TABLE memories;--",
    ] {
        fixture.search("alice", question);
    }
    assert_eq!(fixture.found("alice", "\"near\" AND (things)").len(), 1);
}

#[test]
fn the_same_thing_is_remembered_once_in_each_scope() {
    let fixture = Fixture::new();
    let first = fixture.fact("alice", "tea is black");
    let again = fixture.remember(fact("alice", "tea is black")).unwrap();
    assert!(again.existing);
    assert_eq!(again.memory.id, first.id);
    assert!(!fixture.remember(fact("bob", "tea is black")).unwrap().existing);
    assert!(!fixture.remember(episode("alice", "tea is black")).unwrap().existing);
}

#[test]
fn an_episode_is_the_same_only_from_the_same_person_at_the_same_time() {
    let fixture = Fixture::new();
    let said = |time: &str, role: &str| {
        let mut draft = episode("alice", "yes");
        draft.event_at = Some(time.parse().unwrap());
        draft.source.role = Some(role.to_owned());
        fixture.remember(draft).unwrap().existing
    };
    assert!(!said("2026-01-01T10:00:00Z", "user"));
    assert!(!said("2026-01-01T10:05:00Z", "user"));
    assert!(!said("2026-01-01T10:00:00Z", "assistant"));
    assert!(said("2026-01-01T10:00:00Z", "user"));
}

#[test]
fn a_key_makes_a_repeated_request_one_request() {
    let fixture = Fixture::new();
    let request = |text: &str| {
        let key = Some(IdempotencyKey::new("k1").unwrap());
        let draft = Draft { kind: Kind::Working, idempotency_key: key, ..fact("alice", text) };
        fixture.remember(draft)
    };
    let first = request("one").unwrap();
    let second = request("one").unwrap();
    assert_eq!(first.memory.id, second.memory.id);
    assert_eq!(request("another").unwrap_err().kind(), ErrorKind::Conflict);
}

#[test]
fn a_bulk_with_one_bad_draft_keeps_nothing() {
    let fixture = Fixture::new();
    let drafts = vec![fact("alice", "good"), fact("alice", "  ")];
    let error = block_on(fixture.engine.remember_all(&keeper(), drafts)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(error.details()["index"], 1);
    assert!(fixture.found("alice", "good").is_empty());
}

#[test]
fn an_update_merges_metadata_and_keeps_the_history() {
    let fixture = Fixture::new();
    let mut draft = fact("alice", "tea is black");
    draft.metadata.tags = vec!["drinks".to_owned()];
    draft.metadata.title = Some("Tea".to_owned());
    let first = fixture.remember(draft).unwrap().memory;
    let metadata =
        MetadataPatch { title: Edit::Set("Tea!".to_owned()), ..MetadataPatch::default() };
    let patch = Patch { content: Some("tea is green".to_owned()), metadata, ..Patch::default() };
    let updated = block_on(fixture.engine.update(&local("alice"), &first.id, patch)).unwrap();
    assert!(updated.content_changed);
    assert_eq!(
        (updated.memory.version, updated.memory.metadata.tags),
        (2, vec!["drinks".to_owned()])
    );
    assert_eq!(fixture.found("alice", "green"), ["tea is green"]);
    assert!(fixture.found("alice", "black").is_empty());
    let history = block_on(fixture.engine.history(&local("alice"), &first.id)).unwrap();
    assert_eq!(history.earlier, [first]);
}

#[test]
fn an_update_of_an_older_version_is_a_conflict() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "one");
    let update = |text: &str, expected_version| {
        let patch = Patch { content: Some(text.to_owned()), expected_version, ..Patch::default() };
        block_on(fixture.engine.update(&local("alice"), &memory.id, patch))
    };
    update("two", Some(1)).unwrap();
    let error = update("three", Some(1)).unwrap_err();
    assert_eq!((error.kind(), error.operation()), (ErrorKind::Conflict, Some("update")));
    assert_eq!(error.details()["found"], 2);
    update("three", None).unwrap();
}

#[test]
fn updates_at_the_same_time_are_all_made() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "counter");
    std::thread::scope(|threads| {
        for number in 0..4 {
            let (engine, id) = (&fixture.engine, &memory.id);
            threads.spawn(move || {
                let custom = serde_json::Map::from_iter([(format!("field{number}"), true.into())]);
                let metadata = MetadataPatch { custom, ..MetadataPatch::default() };
                let patch = Patch { metadata, ..Patch::default() };
                block_on(engine.update(&local("alice"), id, patch)).unwrap();
            });
        }
    });
    let memory = block_on(fixture.engine.get(&local("alice"), &memory.id)).unwrap();
    assert_eq!((memory.version, memory.metadata.custom.len()), (5, 4));
}

#[test]
fn a_list_is_paged_and_its_cursor_belongs_to_it() {
    let fixture = Fixture::new();
    for number in 0..5 {
        fixture.fact("alice", &format!("note {number}"));
    }
    let page =
        |request: &ListRequest| block_on(fixture.engine.list(&local("alice"), request)).unwrap();
    let first = page(&ListRequest { limit: 2, ..ListRequest::new(mine()) });
    assert_eq!((first.memories[0].content.as_str(), first.total), ("note 4", 5));
    fixture.fact("alice", "note 5");
    let next =
        ListRequest { limit: 2, cursor: first.next_cursor.clone(), ..ListRequest::new(mine()) };
    let second = page(&next);
    assert_eq!(second.memories[0].content.as_str(), "note 2");
    let cursor = first.next_cursor;
    let other = meeting(Criteria { kinds: vec![Kind::Fact], ..Criteria::default() });
    for (caller, selection, cursor) in [
        (local("alice"), other, cursor.clone()),
        (keeper(), mine(), cursor),
        (local("alice"), mine(), Some("garbage".to_owned())),
    ] {
        let request = ListRequest { cursor, ..ListRequest::new(selection) };
        let error = block_on(fixture.engine.list(&caller, &request)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}

#[test]
fn a_more_specific_layer_overrides_a_less_specific_one() {
    let fixture = Fixture::new();
    let keep = |layer, names: &[(Layer, &str)], text: &str| {
        let source = Source::through(Channel::ExplicitSave);
        fixture.remember(Draft::new(scope(layer, names), Kind::Fact, text, source)).unwrap().memory
    };
    let all = [(Layer::User, "alice"), (Layer::Project, "p"), (Layer::Company, "c")];
    let general = keep(Layer::Company, &all, "Indentation: use spaces, indentation matters");
    keep(Layer::Project, &all, "Use tabs for indentation");
    let repeated = keep(Layer::Company, &all, "use TABS for indentation!");
    let search = |merge| {
        let query = Query { merge, ..Query::new(Selection::new(identifiers(&all)), "indentation") };
        block_on(fixture.engine.search(&keeper(), &query)).unwrap().hits
    };
    let hits = search(Merge::Precedence);
    let order: Vec<Layer> = hits.iter().map(|hit| hit.memory.scope.layer()).collect();
    assert_eq!(order, [Layer::Project, Layer::Company]);
    assert_eq!(hits[0].signals.overrides, std::slice::from_ref(&repeated.id));
    assert_eq!(hits[1].memory.id, general.id);
    let fused = search(Merge::Fused);
    assert!(fused.iter().all(|hit| hit.memory.id != repeated.id));
    assert_eq!(fused.len(), 2);
}

#[test]
fn context_by_key_has_one_value_until_the_day_ends() {
    let fixture = Fixture::new();
    let alice = scope(Layer::User, &[(Layer::User, "alice")]);
    let set = |value: &str| {
        let source = Source::through(Channel::ExplicitSave);
        block_on(fixture.engine.set_context(&local("alice"), alice.clone(), "task", value, source))
            .unwrap()
    };
    let get = || block_on(fixture.engine.get_context(&local("alice"), mine(), "task"));
    let first = set("write tests");
    assert_eq!(set("fix bugs").memory.id, first.memory.id);
    assert_eq!(get().unwrap().content.as_str(), "fix bugs");
    fixture.wait(SignedDuration::from_hours(12));
    assert_eq!(get().unwrap_err().kind(), ErrorKind::NotFound);
    set("rest");
    assert_eq!(get().unwrap().content.as_str(), "rest");
}

#[test]
fn a_window_holds_the_last_turns_and_repeats_itself() {
    let fixture = Fixture::new();
    let session = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    let source = || Source::through(Channel::OwnerMessage);
    for number in 0..8 {
        for (role, text) in
            [("user", format!("question {number}")), ("assistant", "yes".to_owned())]
        {
            block_on(fixture.engine.push_turn(&local("alice"), &session, role, &text, source()))
                .unwrap();
        }
    }
    let turns = block_on(fixture.engine.window(&local("alice"), &session)).unwrap();
    assert_eq!(turns.len(), 10);
    assert_eq!((turns[0].content.as_str(), turns[9].content.as_str()), ("question 3", "yes"));
    assert_eq!(block_on(fixture.engine.clear_window(&local("alice"), &session)).unwrap(), 10);
    assert!(block_on(fixture.engine.window(&local("alice"), &session)).unwrap().is_empty());
}

#[test]
fn what_has_ended_is_seen_by_nobody_even_before_it_is_swept() {
    let fixture = Fixture::new();
    let lifetime = Lifetime::For(SignedDuration::from_mins(5));
    let brief =
        fixture.remember(Draft { lifetime, ..fact("alice", "brief canary @eve") }).unwrap().memory;
    assert_eq!(fixture.found("alice", "canary").len(), 1);
    fixture.wait(SignedDuration::from_mins(6));
    assert!(fixture.found("alice", "canary").is_empty());
    assert!(block_on(fixture.engine.get(&local("alice"), &brief.id)).is_err());
    let list = ListRequest::new(mine());
    assert_eq!(block_on(fixture.engine.list(&local("alice"), &list)).unwrap().total, 0);
    let own = [scope(Layer::User, &[(Layer::User, "alice")])];
    assert!(block_on(fixture.engine.entities(&local("alice"), &own, 10)).unwrap().is_empty());
    assert_eq!(block_on(fixture.engine.stats(&local("alice"), None)).unwrap().total, 0);
    let again = fixture.remember(fact("alice", "brief canary @eve")).unwrap();
    assert!(!again.existing, "what has ended can be learnt anew");
}

#[test]
fn sweeping_removes_what_has_ended_and_says_so() {
    let fixture = Fixture::new();
    let lifetime = Lifetime::For(SignedDuration::from_mins(5));
    for text in ["one", "two"] {
        fixture.remember(Draft { lifetime, ..fact("alice", text) }).unwrap();
    }
    fixture.fact("alice", "three");
    fixture.wait(SignedDuration::from_mins(6));
    let swept = |user| block_on(fixture.engine.sweep(&local(user), &Sweep::default())).unwrap();
    assert_eq!(swept("bob"), Swept::Removed(0));
    assert_eq!(swept("alice"), Swept::Removed(2));
    assert_eq!(swept("alice"), Swept::Removed(0));
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::Latest, 1)).unwrap();
    assert_eq!(entries[0].record.action.as_str(), "memory_ttl_cleanup");
    assert_eq!(entries[0].record.details["count"], 2);
    assert_eq!(entries[0].record.details["kinds"]["fact"], 2);
}

#[test]
fn statements_are_found_by_their_parts_the_most_certain_first() {
    let fixture = Fixture::new();
    for (object, confidence) in [("v15", 0.4), ("v16", 0.9)] {
        let triple = Some(Triple {
            fact_type: "uses".to_owned(),
            subject: "Database".to_owned(),
            predicate: "has_version".to_owned(),
            object: object.to_owned(),
        });
        let text = format!("Database has_version {object}");
        let mut draft = Draft { kind: Kind::Procedure, triple, ..fact("alice", &text) };
        draft.metadata.confidence = Some(Fraction::new(confidence).unwrap());
        fixture.remember(draft).unwrap();
    }
    let triple = TriplePattern { subject: Some("database".to_owned()), ..TriplePattern::default() };
    let selection = meeting(Criteria { triple, ..Criteria::default() });
    let request = ListRequest { order: Order::Confidence, ..ListRequest::new(selection) };
    let listed = block_on(fixture.engine.list(&local("alice"), &request)).unwrap();
    let objects: Vec<_> = listed
        .memories
        .iter()
        .map(|memory| memory.triple.as_ref().unwrap().object.as_str())
        .collect();
    assert_eq!(objects, ["v16", "v15"]);
}

#[test]
fn a_time_range_is_about_when_it_happened() {
    let fixture = Fixture::new();
    for day in 1..=3 {
        let event_at = Some(format!("2025-05-0{day}T08:00:00Z").parse().unwrap());
        fixture.remember(Draft { event_at, ..episode("alice", &format!("day {day}")) }).unwrap();
    }
    let time = TimeRange {
        from: Some("2025-05-02T00:00:00Z".parse().unwrap()),
        to: Some("2025-05-03T08:00:00Z".parse().unwrap()),
    };
    let selection = meeting(Criteria { time, ..Criteria::default() });
    let request = ListRequest { order: Order::EarliestEvent, ..ListRequest::new(selection) };
    let listed = block_on(fixture.engine.list(&local("alice"), &request)).unwrap();
    let days: Vec<_> = listed.memories.iter().map(|memory| memory.content.as_str()).collect();
    assert_eq!(days, ["day 2", "day 3"]);
}

#[test]
fn what_is_asked_for_must_make_sense() {
    let fixture = Fixture::new();
    let search =
        |query: &Query| block_on(fixture.engine.search(&local("alice"), query)).unwrap_err().kind();
    assert_eq!(search(&Query { limit: 0, ..Query::new(mine(), "x") }), ErrorKind::Invalid);
    assert_eq!(search(&Query { limit: usize::MAX, ..Query::new(mine(), "x") }), ErrorKind::Invalid);
    assert_eq!(search(&Query::new(mine(), "x".repeat(20_000))), ErrorKind::QueryTooLong);
    assert_eq!(
        search(&Query { mode: Mode::Semantic, ..Query::new(mine(), "x") }),
        ErrorKind::Unsupported
    );
    let nobody = Selection::new(identifiers(&[]));
    assert_eq!(search(&Query::new(nobody, "x")), ErrorKind::MissingIdentifier);
    let session = Selection { layers: Some(vec![Layer::Session]), ..mine() };
    assert_eq!(search(&Query::new(session, "x")), ErrorKind::MissingIdentifier);
    let long = fixture.remember(fact("alice", &"x".repeat(300_000))).unwrap_err();
    assert_eq!((long.kind(), long.operation()), (ErrorKind::ContentTooLong, Some("add")));
}

#[test]
fn an_episode_stays_the_same_after_its_metadata_changed() {
    let fixture = Fixture::new();
    let first = fixture.remember(episode("alice", "we met")).unwrap().memory;
    let metadata = MetadataPatch { title: Edit::Set("Met".to_owned()), ..MetadataPatch::default() };
    let patch = Patch { metadata, ..Patch::default() };
    block_on(fixture.engine.update(&local("alice"), &first.id, patch)).unwrap();
    assert!(fixture.remember(episode("alice", "we met")).unwrap().existing);
}

#[test]
fn a_change_may_give_a_memory_another_end() {
    let fixture = Fixture::new();
    let hours = |count: i64| Lifetime::For(SignedDuration::from_hours(count));
    let short = Draft { lifetime: hours(1), ..fact("alice", "the kettle is on") };
    let first = fixture.remember(short).unwrap().memory;
    let change = |lifetime: Option<Lifetime>| {
        let patch = Patch { lifetime, ..Patch::default() };
        block_on(fixture.engine.update(&local("alice"), &first.id, patch))
    };
    assert_eq!(change(None).unwrap().memory.expires_at, first.expires_at);
    assert!(change(Some(hours(2))).unwrap().memory.expires_at > first.expires_at);
    assert_eq!(change(Some(hours(-1))).unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(change(Some(Lifetime::ByKind)).unwrap().memory.expires_at, None);
    let kept = block_on(fixture.engine.get(&local("alice"), &first.id)).unwrap();
    assert_eq!((kept.expires_at, kept.content), (None, first.content));
}

#[test]
fn a_conversation_needs_no_reminding_of_itself() {
    let fixture = Fixture::new();
    let names = [(Layer::User, "alice"), (Layer::Session, "now")];
    let source = Source::through(Channel::OwnerMessage);
    let own = Draft::new(scope(Layer::Session, &names), Kind::Fact, "tea, said just now", source);
    fixture.remember(own).unwrap();
    fixture.fact("alice", "tea, said long ago");
    let excluded_session = Some(named("now"));
    let criteria = Criteria { excluded_session, ..Criteria::default() };
    let query = Query::new(Selection::with(identifiers(&names), criteria), "tea");
    let hits = block_on(fixture.engine.search(&local("alice"), &query)).unwrap().hits;
    let found: Vec<_> = hits.iter().map(|hit| hit.memory.content.as_str()).collect();
    assert_eq!(found, ["tea, said long ago"]);
}

#[test]
fn a_word_with_an_apostrophe_is_found() {
    let fixture = Fixture::new();
    fixture.fact("alice", "rock'n'roll o'clock");
    for question in ["rock'n'roll", "o'clock", "ROCK'N'ROLL!"] {
        assert_eq!(fixture.found("alice", question).len(), 1, "{question}");
    }
}

#[test]
fn memories_move_to_other_keys_together_or_not_at_all() {
    let fixture = Fixture::new();
    let under = |key: &str| {
        let draft =
            Draft { key: Some(key.to_owned()), ..fact("alice", &format!("kept under {key}")) };
        fixture.remember(draft).unwrap().memory
    };
    let (one, two, taken) = (under("a/one"), under("a/two"), under("b/two"));
    let rename = |keys: [&str; 2]| {
        let patch = |key: &str| Patch { key: Some(key.to_owned()), ..Patch::default() };
        let patches = vec![(one.id.clone(), patch(keys[0])), (two.id.clone(), patch(keys[1]))];
        block_on(fixture.engine.update_all(&local("alice"), patches))
    };
    let keys = || {
        let listed = block_on(fixture.engine.list(&local("alice"), &ListRequest::new(mine())));
        let mut keys: Vec<_> =
            listed.unwrap().memories.into_iter().filter_map(|memory| memory.key).collect();
        keys.sort();
        keys
    };
    assert_eq!(rename(["b/one", "b/two"]).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(rename(["b/one", "b\n"]).unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(keys(), ["a/one", "a/two", "b/two"]);
    block_on(fixture.engine.forget(&local("alice"), &[taken.id])).unwrap();
    assert_eq!(rename(["b/one", "b/two"]).unwrap().len(), 2);
    assert_eq!(keys(), ["b/one", "b/two"]);
}
