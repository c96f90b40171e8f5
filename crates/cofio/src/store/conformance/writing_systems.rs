//! Every text and every name comes back as it was written, in whatever script.

use std::slice::from_ref;

use serde_json::json;

use super::fixtures::{
    all_of, commit, content, create, id, keeper, layered, memory, mention, moment, named, next,
    update, user, whole, words,
};
use super::subject::Subject;
use crate::model::{
    AccessPolicy, Accesses, AuditAction, AuditEvent, Channel, Commit, EntityType, Fraction, Kind,
    KnowledgePointer, KnowledgeType, Layer, Memory, Mention, Metadata, Provenance, Source, State,
    Triple,
};
use crate::store::Order;

/// Texts that something on the way might cut, fold, normalise or take for its own.
pub(crate) const TEXTS: [&str; 16] = [
    "plain words",
    "",
    " \t\n leading and trailing \r\n ",
    "👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 👍🏽 thumb",
    "مرحبا بالعالم",
    "שלום עולם with English",
    "東京タワーは高い",
    "ภาษาไทยไม่มีช่องว่าง",
    "नमस्ते दुनिया",
    "cafe\u{301} and caf\u{e9} stay apart",
    "z\u{351}\u{36b}\u{343}algo",
    "\u{202e}override\u{202c} \u{200b}zero\u{feff}width",
    "before\0after",
    "'quotes' \"double\" `tick` \\back %s {} $1 ;--",
    "\u{10ffff}\u{e000}\u{fffd}",
    "[SECRET_REDACTED]",
];

pub(super) async fn every_field_comes_back_as_it_was(store: Subject) {
    let full = full();
    store.keep(from_ref(&full)).await;
    assert_eq!(store.find(&full.id).await.as_ref(), Some(&full));
    let listing = store.page(&all_of(&full.scope), &whole(Order::Newest)).await;
    assert_eq!(listing.memories, from_ref(&full));
    let found = store.candidates(&all_of(&full.scope), &words("remembered")).await;
    assert_eq!(found.memories, from_ref(&full));
    store.commit(vec![update(&next(&full, "changed"))]).await;
    let version = Memory { accesses: Accesses::default(), ..full };
    assert_eq!(store.history(&keeper(), &version.id).await, [version]);
}

/// Returns a memory in which nothing is left out.
fn full() -> Memory {
    Memory {
        kind: Kind::Procedure,
        metadata: full_metadata(),
        source: full_source(),
        access_policy: AccessPolicy::Organization,
        event_at: moment(-6_000_000_000),
        updated_at: moment(40),
        expires_at: Some(moment(250_000_000_000)),
        valid_until: Some(moment(90_000_000)),
        decay_rate: 0.012_345_678_9,
        accesses: Accesses { count: 12, last_at: Some(moment(39)) },
        provenance: Provenance {
            derived_from: vec![id(5), id(3), id(4)],
            supersedes: Some(id(6)),
            superseded_by: Some(id(7)),
        },
        triple: Some(Triple {
            fact_type: "uses".to_owned(),
            subject: "Alice".to_owned(),
            predicate: "drinks from".to_owned(),
            object: "the blue cup".to_owned(),
        }),
        key: Some("cup.blue/1".to_owned()),
        entities: vec![
            mention("Zoë", "zoe"),
            Mention { entity_type: EntityType::Url, ..mention("https://a.example/?q=1", "here") },
            mention("Alice", "alice"),
        ],
        version: 3,
        ..memory(&layered(Layer::Agent, "alice"), 1, "remembered in full")
    }
}

fn full_metadata() -> Metadata {
    let custom = json!({
        "text": "value", "number": 1.5, "whole": -7, "large": u64::MAX, "small": 1e-9, "truth": false,
        "nothing": null, "list": [1, [2, { "three": 3 }]], "object": { "b": 1, "a": { "": "empty" } },
    });
    Metadata {
        title: Some("A title".to_owned()),
        description: Some(String::new()),
        tags: vec!["b".to_owned(), "a".to_owned(), "b".to_owned(), "ünï".to_owned()],
        language: Some("en-GB".to_owned()),
        author: Some("Alice".to_owned()),
        confidence: Fraction::new(0.123_456_789).ok(),
        importance: Fraction::new(0.0).ok(),
        relevance: Some(Fraction::ONE),
        knowledge: Some(KnowledgePointer {
            source_type: KnowledgeType::Spec,
            source_id: "docs/spec.md".to_owned(),
            content_hash: "ab".repeat(32),
            synced_at: moment(8),
        }),
        custom: custom.as_object().cloned().unwrap_or_default(),
    }
}

fn full_source() -> Source {
    let mut source = Source::through(Channel::WebFetch);
    source.session = Some(named("session 1"));
    source.message = Some("m-1".to_owned());
    source.tool = Some("fetch".to_owned());
    source.reference = Some("https://a.example/page".to_owned());
    source.role = Some("tool".to_owned());
    source.from_external_content = true;
    source
}

pub(super) async fn every_text_comes_back_as_it_was(store: Subject) {
    let alice = user("alice");
    let memories = (1..).zip(TEXTS).map(|(number, text)| {
        let mut memory = memory(&alice, number, text);
        memory.metadata.title = Some(text.to_owned());
        memory.metadata.tags = vec![text.to_owned()];
        memory.metadata.custom.insert(text.to_owned(), json!(text));
        memory.source.role = Some(text.to_owned());
        memory.key = Some(text.to_owned());
        memory.entities = vec![mention(text, text)];
        memory
    });
    let memories: Vec<Memory> = memories.collect();
    store.keep(&memories).await;
    for memory in &memories {
        assert_eq!(store.find(&memory.id).await.as_ref(), Some(memory));
        assert_eq!(
            store.find(&memory.id).await.map(|found| found.content.as_str().to_owned()),
            Some(memory.content.as_str().to_owned())
        );
    }
    let changed: Vec<Memory> = memories.iter().map(|memory| next(memory, "plain")).collect();
    store.commit(changed.iter().map(update).collect()).await;
    for memory in memories {
        assert_eq!(store.history(&keeper(), &memory.id).await, [memory]);
    }
}

pub(super) async fn every_script_is_found_by_its_own_words(store: Subject) {
    let spoken = TEXTS.iter().filter(|text| !words(text).words.is_empty());
    let scripts: Vec<_> = (1..).zip(spoken).collect();
    assert!(scripts.len() > 8, "most texts have words");
    for (number, text) in &scripts {
        store.keep(&[memory(&user("alice"), *number, text)]).await;
    }
    for (number, text) in scripts {
        let found = store.candidates(&all_of(&user("alice")), &words(text)).await;
        assert_eq!(found.lexical.first(), Some(&id(number)), "{text}");
    }
}

pub(super) async fn names_that_look_alike_are_different_scopes(store: Subject) {
    let names = [
        "e",
        "é",
        "E",
        "É",
        "ß",
        "ss",
        "I",
        "ı",
        "İ",
        "i",
        "Ａ",
        "A",
        "а",
        "a",
        "🦊",
        "🦊🦊",
        "東京",
        "مرحبا",
        "שלום",
        "a b",
        "a  b",
        "a'b",
        "a\"b",
        "%",
        "_",
        "*",
        "?",
        "\\",
        "..",
        "NULL",
        "0",
    ];
    let memories = (1..).zip(names).map(|(number, name)| memory(&user(name), number, "mine"));
    let memories: Vec<Memory> = memories.collect();
    store.keep(&memories).await;
    for memory in &memories {
        assert_eq!(
            store.list(&all_of(&memory.scope)).await,
            from_ref(&memory.id),
            "{}",
            memory.scope
        );
    }
    assert_eq!(store.scopes(&keeper()).await.len(), names.len());
    let composed = user("caf\u{e9}");
    store.keep(&[memory(&composed, 100, "mine")]).await;
    assert_eq!(store.list(&all_of(&user("cafe\u{301}"))).await, [id(100)], "one name in two forms");
}

pub(super) async fn actors_and_details_of_any_script_are_audited(store: Subject) {
    let event = AuditEvent::new(AuditAction::Write).with("grund", "größer — 大きい 🦊 \0 \"\\");
    let commit = Commit {
        actor: named("🦊 مرحبا"),
        audit: vec![event.clone()],
        ..commit(vec![create(&memory(&user("東京"), 1, "mine"))])
    };
    store.attempt(commit).await.expect("the commit is accepted");
    let entry = store.audit().await.pop().expect("the event is entered");
    assert_eq!((entry.record.actor, entry.record.details), (named("🦊 مرحبا"), event.details));
    assert_eq!(store.0.verify_audit().await.expect("the audit is whole"), 1);
}

pub(super) async fn a_large_text_comes_back_whole(store: Subject) {
    let large = "0123456789 word länge 東京 ".repeat(10_000);
    let memory = Memory { content: content(&large), ..memory(&user("alice"), 1, "") };
    store.keep(from_ref(&memory)).await;
    assert_eq!(store.find(&id(1)).await, Some(Memory { state: State::Active, ..memory }));
    let summary = &store.scopes(&keeper()).await[0];
    assert_eq!(summary.content_bytes, large.len() as u64);
}
