//! Attacks on what must not be told: secrets, and what has ended.

use std::fmt::Debug;

use cofio::engine::{ContextRequest, ListRequest};
use cofio::model::{
    Channel, Criteria, Draft, Edit, Kind, KnowledgePointer, KnowledgeType, Layer, Lifetime,
    MetadataPatch, Patch, Scope, Source, State, Timestamp, Triple,
};
use cofio::store::Entries;
use cofio::wire::MemoryEntry;
use cofio::{Mode, Query, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;
use serde_json::json;

use crate::fixture::{Fixture, START, fact, identifiers, keeper, local, named, scope};
use crate::recorder::Recorder;

const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

fn alice() -> Scope {
    Scope::user(named("alice"))
}

fn mine() -> Selection {
    Selection::new(identifiers(&[(Layer::User, "alice")]))
}

/// Returns a draft with the secret in every field that takes a text.
fn full(kind: Kind) -> Draft {
    let key = || KEY.to_owned();
    let mut draft =
        Draft::new(alice(), kind, format!("tea {KEY}"), Source::through(Channel::ToolRead));
    draft.source.message = Some(key());
    draft.source.tool = Some(key());
    draft.source.reference = Some(format!("https://x.example/?k={KEY}"));
    draft.source.role = Some(key());
    draft.metadata.title = Some(key());
    draft.metadata.description = Some(key());
    draft.metadata.tags = vec![key()];
    draft.metadata.language = Some(key());
    draft.metadata.author = Some(key());
    draft.metadata.knowledge = Some(KnowledgePointer {
        source_type: KnowledgeType::Adr,
        source_id: key(),
        content_hash: key(),
        synced_at: START.parse().unwrap(),
    });
    draft.metadata.custom = json!({KEY: [{ KEY: KEY }]}).as_object().unwrap().clone();
    draft.triple = (kind == Kind::Procedure).then(|| Triple {
        fact_type: key(),
        subject: key(),
        predicate: key(),
        object: key(),
    });
    draft.key = (kind == Kind::Context).then(key);
    draft
}

fn hear<T: Debug>(told: &mut Vec<String>, result: &Result<T>) {
    told.push(match result {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error} {error:?}"),
    });
}

#[test]
fn privacy_a_secret_leaves_no_trace_anywhere() {
    let fixture = Fixture::new();
    let embedder = Recorder::new();
    let engine = fixture.engine.clone().with_embedder(embedder.clone());
    let caller = local("alice");
    let mut told: Vec<String> = Vec::new();
    for &kind in Kind::ALL {
        told.push(format!("{:?}", full(kind)));
        let remembered = block_on(engine.remember(&caller, full(kind)));
        hear(&mut told, &remembered);
        let memory = remembered.unwrap().memory;
        told.push(serde_json::to_string(&MemoryEntry::from(&memory)).unwrap());
        let metadata =
            MetadataPatch { author: Edit::Set(KEY.to_owned()), ..MetadataPatch::default() };
        let content = Some(format!("coffee {KEY} of the {kind}"));
        let patch = Patch { content, metadata, ..Patch::default() };
        told.push(format!("{patch:?}"));
        hear(&mut told, &block_on(engine.update(&caller, &memory.id, patch)));
        hear(&mut told, &block_on(engine.history(&caller, &memory.id)));
        let query = Query { limit: 50, ..Query::new(mine(), format!("tea {KEY}")) };
        told.push(format!("{query:?}"));
        hear(&mut told, &block_on(engine.why_not(&caller, &query, &memory.id)));
        hear(&mut told, &block_on(engine.approve(&caller, &memory.id, KEY)));
    }
    let session = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    let source = || Source::through(Channel::OwnerMessage);
    hear(&mut told, &block_on(engine.push_turn(&caller, &session, "user", KEY, source())));
    hear(&mut told, &block_on(engine.push_turn(&caller, &session, KEY, "hello", source())));
    hear(&mut told, &block_on(engine.set_context(&caller, alice(), KEY, KEY, source())));
    hear(&mut told, &block_on(engine.get_context(&caller, mine(), KEY)));
    hear(&mut told, &block_on(engine.entity(&caller, &[alice()], KEY, 50)));
    hear(&mut told, &block_on(engine.permit(&caller, &alice(), KEY)));
    hear(&mut told, &block_on(engine.forget_source(&caller, KEY)));
    let request = ContextRequest { episodes: 5, ..ContextRequest::new(mine(), KEY) };
    told.push(format!("{request:?}"));
    hear(&mut told, &block_on(engine.context(&caller, &request)));
    for mode in [Mode::Hybrid, Mode::Keyword, Mode::Semantic] {
        let query = Query { mode, ..Query::new(mine(), format!("where is {KEY}")) };
        hear(&mut told, &block_on(engine.search(&caller, &query)));
    }
    while block_on(engine.embed_pending(100)).unwrap().done > 0 {}
    block_on(engine.settle()).unwrap();
    hear(&mut told, &block_on(engine.audit(&keeper(), Entries::After(0), 1_000)));
    let mut bundle = Vec::new();
    block_on(engine.export(&keeper(), &mut bundle, |_| {})).unwrap();
    told.push(String::from_utf8(bundle).unwrap());
    told.extend(embedder.heard());
    for file in std::fs::read_dir(fixture.folder()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        told.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    for text in &told {
        let place = text.to_lowercase().find(&KEY.to_lowercase());
        let around = place.map(|place| &text[place.saturating_sub(200)..place]);
        assert!(place.is_none(), "a secret was told after {around:?}");
    }
    let all = told.concat();
    assert!(all.contains("coffee [SECRET_REDACTED]") && embedder.heard().len() > 5);
}

#[test]
fn privacy_what_has_ended_is_told_by_no_verb() {
    let fixture = Fixture::new();
    let engine = fixture.engine.clone().with_embedder(Recorder::new());
    let caller = local("alice");
    let until: Timestamp = START.parse::<Timestamp>().unwrap() + SignedDuration::from_mins(5);
    let brief = |kind, text: &str| {
        let mut draft = Draft { kind, lifetime: Lifetime::Until(until), ..fact("alice", text) };
        draft.metadata.custom.insert("category".to_owned(), "user_profile".into());
        draft.key = (kind == Kind::Context).then(|| "task".to_owned());
        fixture.remember(draft).unwrap().memory.id
    };
    let id = brief(Kind::Fact, "the canary sings to @eve");
    brief(Kind::Episode, "the canary sang to @eve");
    brief(Kind::Reflection, "the canary likes to sing");
    brief(Kind::Context, "canary");
    fixture.fact("alice", "the sparrow stays");
    block_on(engine.embed_pending(100)).unwrap();
    let told = || {
        let mut told = Vec::new();
        for mode in [Mode::Hybrid, Mode::Keyword, Mode::Semantic] {
            let threshold = (mode == Mode::Semantic).then_some(0.1);
            let query =
                Query { mode, threshold, ..Query::new(mine(), "the canary and the sparrow") };
            let answer = block_on(engine.search(&caller, &query)).unwrap();
            told.push(answer.total);
            told.push(answer.hits.len());
        }
        let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
        let list = ListRequest::new(Selection { criteria, ..mine() });
        told.push(usize::try_from(block_on(engine.list(&caller, &list)).unwrap().total).unwrap());
        let stats = block_on(engine.stats(&caller, None)).unwrap();
        told.push(usize::try_from(stats.total).unwrap());
        let exported = block_on(engine.export(&caller, Vec::new(), |_| {})).unwrap();
        told.push(usize::try_from(exported).unwrap());
        let ended = [
            block_on(engine.get(&caller, &id)).is_ok(),
            block_on(engine.history(&caller, &id)).is_ok(),
            block_on(engine.get_context(&caller, mine(), "task")).is_ok(),
            block_on(engine.entity(&caller, &[alice()], "eve", 50)).is_ok(),
            !block_on(engine.entities(&caller, &[alice()], 10)).unwrap().is_empty(),
            block_on(engine.update(&caller, &id, Patch::default())).is_ok(),
        ];
        let request = ContextRequest { episodes: 5, ..ContextRequest::new(mine(), "canary") };
        let block = block_on(engine.context(&caller, &request)).unwrap().markdown();
        (told, ended, block.matches("canary").count())
    };
    let before = told();
    assert_eq!((before.0[6], before.1), (5, [true; 6]));
    assert!(before.2 > 0);
    fixture.wait(SignedDuration::from_mins(6));
    let after = told();
    assert_eq!(after, (vec![1; 9], [false; 6], 0));
}

#[test]
fn privacy_what_was_not_cleaned_yet_has_no_debug_form() {
    let hidden = "the canary sings";
    let mut draft = fact("alice", hidden);
    draft.metadata.title = Some(hidden.to_owned());
    let patch = Patch { content: Some(hidden.to_owned()), ..Patch::default() };
    let (query, request) = (Query::new(mine(), hidden), ContextRequest::new(mine(), hidden));
    for shown in
        [format!("{draft:?}"), format!("{patch:?}"), format!("{query:?}"), format!("{request:?}")]
    {
        assert!(shown.contains("16") && !shown.contains("canary"), "{shown}");
    }
    let memory = Fixture::new().fact("alice", hidden);
    assert!(!format!("{memory:?}").contains("canary"));
    assert!(format!("{memory:?}").contains("16 bytes"));
}
