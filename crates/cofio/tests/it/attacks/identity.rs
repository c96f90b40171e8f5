//! Attacks on whose memories are.

use std::fmt::Debug;

use cofio::engine::{ConflictMode, ContextRequest, Importing, ListRequest, Sweep, Swept};
use cofio::model::{
    Caller, Channel, Criteria, Doubt, Draft, IdempotencyKey, Identifier, Identifiers, Kind, Layer,
    MemoryId, Patch, Scope, Source, State, Trust,
};
use cofio::{ErrorKind, Query, Result, Selection};
use pollster::block_on;
use serde_json::json;

use crate::fixture::{Fixture, fact, identifiers, keeper, local, named, scope};

fn of(user: &str) -> Selection {
    Selection::new(identifiers(&[(Layer::User, user)]))
}

fn listed(fixture: &Fixture, caller: &Caller, selection: Selection) -> Vec<String> {
    let listed = block_on(fixture.engine.list(caller, &ListRequest::new(selection))).unwrap();
    assert_eq!(listed.total, listed.memories.len() as u64);
    listed.memories.iter().map(|memory| memory.content.as_str().to_owned()).collect()
}

fn told<T: Debug>(result: &Result<T>) -> String {
    format!("{result:?}")
}

#[test]
fn identity_a_foreign_id_looks_like_an_unknown_one() {
    let fixture = Fixture::new();
    let web = Source::through(Channel::WebFetch);
    let draft = Draft { source: web, ..fact("alice", "the ferry sails at nine") };
    let waiting = fixture.remember(draft).unwrap().memory.id;
    let unknown: MemoryId = format!("fact_{:032x}", 7).parse().unwrap();
    let engine = &fixture.engine;
    let check = |what: &str, ask: &dyn Fn(&Caller, &MemoryId) -> String| {
        let bob = local("bob");
        let (foreign, absent) = (ask(&bob, &waiting), ask(&bob, &unknown));
        assert_eq!(foreign.replace(waiting.as_str(), unknown.as_str()), absent, "{what}");
        assert_ne!(ask(&local("alice"), &waiting), foreign, "{what}: it is alice's");
    };
    let patch = || Patch { content: Some("mine".to_owned()), ..Patch::default() };
    let query = |caller: &Caller| Query::new(of(caller.actor().as_str()), "ferry");
    check("get", &|caller, id| told(&block_on(engine.get(caller, id))));
    check("history", &|caller, id| told(&block_on(engine.history(caller, id))));
    check("why not", &|caller, id| told(&block_on(engine.why_not(caller, &query(caller), id))));
    check("derive", &|caller, id| {
        let derived_from = vec![id.clone()];
        let text = fact(caller.actor().as_str(), "so it is");
        told(&block_on(engine.remember(caller, Draft { derived_from, ..text })).map(|_| ()))
    });
    check("approve", &|caller, id| told(&block_on(engine.approve(caller, id, "a guess"))));
    check("update", &|caller, id| told(&block_on(engine.update(caller, id, patch()))));
    check("forget", &|caller, id| {
        let forgotten = block_on(engine.forget(caller, std::slice::from_ref(id))).unwrap();
        format!("{:?} {:?}", forgotten.ids, forgotten.missing)
    });
    let again = fixture.remember(Draft {
        source: Source::through(Channel::WebFetch),
        ..fact("alice", "the ferry sails at ten")
    });
    let waiting = again.unwrap().memory.id;
    let reject = |user: &str, id: &MemoryId| told(&block_on(engine.reject(&local(user), id)));
    let (foreign, absent) = (reject("bob", &waiting), reject("bob", &unknown));
    assert_eq!(foreign.replace(waiting.as_str(), unknown.as_str()), absent);
    assert!(reject("alice", &waiting).starts_with("Ok"));
}

#[test]
fn identity_a_name_is_no_pattern_and_no_other_spelling() {
    let fixture = Fixture::new();
    fixture.fact("alicé", "the canary sings");
    for name in ["", " ", "\u{0}", "al\u{200b}ice", "alice\n"] {
        assert!(Identifier::new(name).is_err(), "{name:?}");
    }
    for name in
        ["*", "%", "_____", "alic_", "alice", "ALICÉ", "null", "ａlicé", "alicé%", "a/../alicé"]
    {
        assert!(fixture.found(name, "canary").is_empty(), "{name}");
        assert!(listed(&fixture, &local(name), of(name)).is_empty(), "{name}");
        assert_eq!(block_on(fixture.engine.stats(&local(name), None)).unwrap().total, 0, "{name}");
    }
    assert_eq!(fixture.found("alice\u{301}", "canary").len(), 1, "one name in two Unicode forms");
}

#[test]
fn identity_composed_names_do_not_collide() {
    let fixture = Fixture::new();
    let pairs =
        [("a/b", "c"), ("a", "b/c"), ("a%2Fb", "c"), ("a:b", "c"), ("a", "b:c"), ("a/", "b")];
    let session =
        |(user, name)| scope(Layer::Session, &[(Layer::User, user), (Layer::Session, name)]);
    for pair in pairs {
        let source = Source::through(Channel::OwnerMessage);
        let text = format!("the canary of {pair:?}");
        fixture.remember(Draft::new(session(pair), Kind::Fact, text, source)).unwrap();
    }
    for (user, name) in pairs {
        let names = identifiers(&[(Layer::User, user), (Layer::Session, name)]);
        let caller = Caller::bound(named("key"), &names);
        let selection = Selection { layers: Some(vec![Layer::Session]), ..Selection::new(names) };
        let expected = [format!("the canary of {:?}", (user, name))];
        assert_eq!(listed(&fixture, &caller, selection), expected);
    }
}

#[test]
fn identity_a_cursor_of_another_list_opens_nothing() {
    let fixture = Fixture::new();
    for number in 0..3 {
        fixture.fact("alice", &format!("alice {number}"));
        fixture.fact("bob", &format!("bob {number}"));
    }
    let page = |user: &str, cursor: Option<String>| {
        let request = ListRequest { limit: 1, cursor, ..ListRequest::new(of(user)) };
        block_on(fixture.engine.list(&local(user), &request))
    };
    let alices = page("alice", None).unwrap().next_cursor.unwrap();
    let bobs = page("bob", None).unwrap().next_cursor.unwrap();
    let error = page("bob", Some(alices.clone())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    // A place in a list is no right to what stands there.
    let (seal, place) = (bobs.split('.').next().unwrap(), alices.split_once('.').unwrap().1);
    let forged = page("bob", Some(format!("{seal}.{place}"))).unwrap();
    assert!(forged.memories.iter().all(|memory| memory.content.as_str().starts_with("bob")));
    for cursor in ["", ".", "..", "x.y.z", "9.9223372036854775808.fact_1", "' OR 1=1 --"] {
        assert_eq!(page("bob", Some(cursor.to_owned())).unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!(page("alice", Some(alices)).unwrap().memories[0].content.as_str(), "alice 1");
}

#[test]
fn identity_no_filter_widens_the_scope() {
    let fixture = Fixture::new();
    let mut foreign = fact("bob", "the canary sings");
    foreign.metadata.tags = vec!["shared".to_owned()];
    foreign.metadata.custom =
        json!({"scope": "user:alice", "userId": "alice", "room": 7}).as_object().unwrap().clone();
    foreign.source.reference = Some("page".to_owned());
    fixture.remember(foreign).unwrap();
    let mut own = fact("alice", "the canary is silent");
    own.metadata.tags = vec!["shared".to_owned()];
    own.source.reference = Some("page".to_owned());
    fixture.remember(own).unwrap();
    let custom = |name: &str, value| {
        let mut criteria = Criteria::default();
        criteria.custom.insert(name.to_owned(), value);
        criteria
    };
    for criteria in [
        Criteria { tags: vec!["shared".to_owned()], ..Criteria::default() },
        Criteria { origin: Some("page".to_owned()), ..Criteria::default() },
        Criteria { states: State::ALL.to_vec(), ..Criteria::default() },
        custom("scope", json!("user:bob")),
        custom("userId", json!("alice")),
        custom("room", json!(7)),
    ] {
        let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
        let found = listed(&fixture, &local("alice"), selection.clone());
        assert!(found.iter().all(|text| text == "the canary is silent"), "{found:?}");
        let answer =
            block_on(fixture.engine.search(&local("alice"), &Query::new(selection, "canary")));
        assert!(answer.unwrap().hits.len() <= 1);
    }
    let from = block_on(fixture.engine.from_source(&local("alice"), "page")).unwrap();
    assert_eq!(from.len(), 1);
    assert_eq!(fixture.found("bob", "canary").len(), 1);
}

#[test]
fn identity_a_layer_that_is_not_granted_is_closed_to_every_verb() {
    let fixture = Fixture::new();
    let team = scope(Layer::Team, &[(Layer::Team, "core")]);
    let source = || Source::through(Channel::ExplicitSave);
    let draft = || Draft::new(team.clone(), Kind::Fact, "the canary sings @bob", source());
    fixture.remember(draft()).unwrap();
    let names = identifiers(&[(Layer::User, "alice"), (Layer::Team, "core")]);
    let session = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    let engine = &fixture.engine;
    let ask = |caller: &Caller| -> Vec<Option<ErrorKind>> {
        fn kind<T>(result: Result<T>) -> Option<ErrorKind> {
            result.err().map(|error| error.kind())
        }
        let selection = || Selection::new(names.clone());
        let scopes = [team.clone()];
        vec![
            kind(block_on(engine.search(caller, &Query::new(selection(), "canary")))),
            kind(block_on(engine.list(caller, &ListRequest::new(selection())))),
            kind(block_on(engine.context(caller, &ContextRequest::new(selection(), "canary")))),
            kind(block_on(engine.matching(caller, &selection()))),
            kind(block_on(engine.entities(caller, &scopes, 10))),
            kind(block_on(engine.entity(caller, &scopes, "bob", 50))),
            kind(block_on(engine.set_context(caller, team.clone(), "k", "v", source()))),
            kind(block_on(engine.get_context(caller, selection(), "k"))),
            kind(block_on(engine.permit(caller, &team, "x"))),
            kind(block_on(engine.remember(caller, draft()))),
            kind(block_on(engine.push_turn(caller, &session, "user", "hello", source()))),
            kind(block_on(engine.window(caller, &session))),
            kind(block_on(engine.clear_window(caller, &session))),
            kind(block_on(engine.forget_matching(caller, &selection()))),
        ]
    };
    let closed = ask(&Caller::bound(named("key"), &identifiers(&[(Layer::User, "alice")])));
    assert_eq!(closed, vec![Some(ErrorKind::Unauthorized); closed.len()]);
    assert!(ask(&local("alice")).iter().all(Option::is_none), "they are all possible");
}

#[test]
fn identity_an_idempotency_key_is_its_actors_own() {
    let fixture = Fixture::new();
    let keyed = |user: &str, text: &str| {
        let idempotency_key = Some(IdempotencyKey::new("first").unwrap());
        block_on(
            fixture.engine.remember(&local(user), Draft { idempotency_key, ..fact(user, text) }),
        )
    };
    keyed("alice", "the canary sings").unwrap();
    let bobs = keyed("bob", "something else").unwrap();
    assert!(!bobs.existing && bobs.memory.content.as_str() == "something else");
    assert!(keyed("alice", "something else").is_err(), "alice's key stands for another request");
    // Two callers that are recorded under one name still open their own only.
    let shared = |user: &str| Caller::bound(named("alice"), &identifiers(&[(Layer::User, user)]));
    let idempotency_key = Some(IdempotencyKey::new("first").unwrap());
    let draft = Draft { idempotency_key, ..fact("bob", "the canary sings") };
    let answer = block_on(fixture.engine.remember(&shared("bob"), draft));
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::Conflict);
}

#[test]
fn identity_a_bundle_takes_no_id_that_is_anothers() {
    let fixture = Fixture::new();
    let theirs = fixture.fact("alice", "the canary sings");
    let own = fixture.fact("bob", "something else");
    let mut bundle = Vec::new();
    block_on(fixture.engine.export(&local("bob"), &mut bundle, |_| {})).unwrap();
    let text = String::from_utf8(bundle).unwrap();
    let forged = crate::transfer::reseal(&text.replace(own.id.as_str(), theirs.id.as_str()));
    for on_conflict in [ConflictMode::Skip, ConflictMode::Replace, ConflictMode::Newer] {
        let importing = Importing {
            on_conflict,
            trusted_at_most: Trust::High,
            doubt: Doubt::Keep,
            dry_run: false,
        };
        let caller = local("bob");
        let imported =
            block_on(fixture.engine.import(&caller, forged.as_bytes(), importing, |_| {}));
        assert_eq!(imported.unwrap().created, 0);
    }
    assert_eq!(block_on(fixture.engine.get(&keeper(), &theirs.id)).unwrap(), theirs);
    assert!(block_on(fixture.engine.get(&local("bob"), &theirs.id)).is_err());
    assert_eq!(fixture.found("bob", "something canary"), ["something else"]);
}

#[test]
fn identity_nobody_at_all_opens_nothing() {
    let fixture = Fixture::new();
    fixture.fact("alice", "the canary sings");
    let nobody = Caller::bound(named("nobody"), &Identifiers::default());
    let engine = &fixture.engine;
    let unnamed = Selection::new(Identifiers::default());
    let error = block_on(engine.search(&nobody, &Query::new(unnamed, "canary"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingIdentifier);
    assert_eq!(block_on(engine.stats(&nobody, None)).unwrap().total, 0);
    assert_eq!(block_on(engine.export(&nobody, Vec::new(), |_| {})).unwrap(), 0);
    assert!(block_on(engine.changes(&nobody, 0, 100)).unwrap().is_empty());
    assert_eq!(block_on(engine.sweep(&nobody, &Sweep::default())).unwrap(), Swept::Removed(0));
    assert!(block_on(engine.rejections(&nobody)).unwrap().is_empty());
    let own = [Scope::user(named("alice"))];
    assert!(block_on(engine.entities(&nobody, &own, 10)).is_err());
    assert_eq!(block_on(engine.export(&local("alice"), Vec::new(), |_| {})).unwrap(), 1);
}
