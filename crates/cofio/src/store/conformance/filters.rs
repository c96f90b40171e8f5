//! Each part of a filter means what it says, for lists, words and names alike.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::fixtures::{all_of, canary, canary_cues, ids, moment, named, now, user};
use super::subject::Subject;
use crate::model::{
    AccessPolicy, Channel, Criteria, Filter, Kind, KnowledgePointer, KnowledgeType, Memory, Scope,
    Source, SourceType, State, TimeRange, Triple, TriplePattern, Trust,
};

fn alice() -> Scope {
    user("alice")
}

fn everything() -> Filter {
    all_of(&alice())
}

/// Means every memory of everything that meets the criteria.
fn meeting(criteria: Criteria) -> Filter {
    Filter { criteria, ..everything() }
}

/// Keeps one canary for each value, numbered from 1, with the value put into it.
async fn keep<T>(store: &Subject, values: impl IntoIterator<Item = T>, put: fn(&mut Memory, T)) {
    let numbered = (1..).zip(values).map(|(number, value)| {
        let mut memory = canary(&alice(), number);
        put(&mut memory, value);
        memory
    });
    store.keep(&numbered.collect::<Vec<_>>()).await;
}

/// Checks that a filter means exactly the canaries with these numbers, in every way of asking.
async fn check(store: &Subject, filter: Filter, expected: &[u64]) {
    let expected: BTreeSet<_> = ids(expected).into_iter().collect();
    let listed: BTreeSet<_> = store.list(&filter).await.into_iter().collect();
    assert_eq!(listed, expected, "listed for {filter:?}");
    let found = store.candidates(&filter, &canary_cues()).await;
    let lexical: BTreeSet<_> = found.lexical.into_iter().collect();
    assert_eq!(lexical, expected, "found by words for {filter:?}");
    let entity: BTreeSet<_> = found.entity.into_iter().collect();
    assert_eq!(entity, expected, "found by name for {filter:?}");
    let memories: BTreeSet<_> = found.memories.into_iter().map(|memory| memory.id).collect();
    assert_eq!(memories, expected, "returned for {filter:?}");
}

pub(super) async fn by_kind(store: Subject) {
    keep(&store, Kind::ALL.iter().copied(), |memory, kind| memory.kind = kind).await;
    check(&store, everything(), &[1, 2, 3, 4, 5, 6]).await;
    for (number, &kind) in (1..).zip(Kind::ALL) {
        check(&store, meeting(Criteria { kinds: vec![kind], ..Criteria::default() }), &[number])
            .await;
    }
    let two = vec![Kind::Working, Kind::Reflection];
    check(&store, meeting(Criteria { kinds: two, ..Criteria::default() }), &[1, 6]).await;
}

pub(super) async fn by_state(store: Subject) {
    keep(&store, State::ALL.iter().copied(), |memory, state| memory.state = state).await;
    check(&store, everything(), &[1]).await;
    for (number, &state) in (1..).zip(State::ALL) {
        check(&store, meeting(Criteria { states: vec![state], ..Criteria::default() }), &[number])
            .await;
    }
    check(
        &store,
        meeting(Criteria { states: State::ALL.to_vec(), ..Criteria::default() }),
        &[1, 2, 3, 4, 5],
    )
    .await;
    check(&store, meeting(Criteria { states: Vec::new(), ..Criteria::default() }), &[]).await;
}

pub(super) async fn by_expiry(store: Subject) {
    let moment_before = now() - SignedDuration::from_micros(1);
    let moment_after = now() + SignedDuration::from_micros(1);
    let ends = [None, Some(moment_before), Some(now()), Some(moment_after)];
    keep(&store, ends, |memory, end| memory.expires_at = end).await;
    check(&store, everything(), &[1, 4]).await;
    check(&store, Filter { now: moment_before, ..everything() }, &[1, 3, 4]).await;
    check(&store, Filter { now: moment(0), ..everything() }, &[1, 2, 3, 4]).await;
}

pub(super) async fn by_tags(store: Subject) {
    let tags =
        [vec![], vec!["work"], vec!["Work"], vec!["home", "work"], vec!["wor"], vec!["wörk"]];
    keep(&store, tags, |memory, tags| {
        memory.metadata.tags = tags.into_iter().map(str::to_owned).collect();
    })
    .await;
    let tagged = |tags: &[&str]| {
        meeting(Criteria {
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            ..Criteria::default()
        })
    };
    check(&store, tagged(&[]), &[1, 2, 3, 4, 5, 6]).await;
    check(&store, tagged(&["work"]), &[2, 4]).await;
    check(&store, tagged(&["home", "Work"]), &[3, 4]).await;
    check(&store, tagged(&["wörk"]), &[6]).await;
    for tag in ["%", "w_rk", "*", "", "work\" OR \"1", "home\",\"work", "w.rk"] {
        check(&store, tagged(&[tag]), &[]).await;
    }
}

pub(super) async fn by_source_type(store: Subject) {
    let channels = [
        Channel::OwnerMessage,
        Channel::ToolRead,
        Channel::Inference,
        Channel::ExplicitSave,
        Channel::KnowledgeSync,
        Channel::Import,
    ];
    keep(&store, channels, |memory, channel| memory.source = Source::through(channel)).await;
    check(&store, everything(), &[1, 2, 3, 4, 5, 6]).await;
    for (number, &source_type) in (1..).zip(SourceType::ALL) {
        let filter = meeting(Criteria { source_type: Some(source_type), ..Criteria::default() });
        check(&store, filter, &[number]).await;
    }
}

pub(super) async fn by_knowledge_pointer(store: Subject) {
    let pointer = KnowledgePointer {
        source_type: KnowledgeType::Adr,
        source_id: "adr-1".to_owned(),
        content_hash: "00".to_owned(),
        synced_at: moment(1),
    };
    keep(&store, [None, Some(pointer)], |memory, pointer| memory.metadata.knowledge = pointer)
        .await;
    check(&store, everything(), &[1, 2]).await;
    for (wanted, expected) in [(false, 1), (true, 2)] {
        let filter =
            meeting(Criteria { has_knowledge_pointer: Some(wanted), ..Criteria::default() });
        check(&store, filter, &[expected]).await;
    }
}

/// Names of custom fields that a careless store would take for a path or a piece of a query.
const FIELDS: [&str; 8] = ["plain", "a.b", "a b", "$", "[0]", "\"quoted\"", "it's; --", "ключ"];

pub(super) async fn by_custom_fields(store: Subject) {
    let values = custom_values();
    keep(&store, values.clone(), |memory, value| {
        for field in FIELDS {
            memory.metadata.custom.insert(field.to_owned(), value.clone());
        }
    })
    .await;
    for field in FIELDS {
        for (number, value) in (1..).zip(&values) {
            check(&store, having(&[(field, value.clone())]), &[number]).await;
        }
        check(&store, having(&[(field, json!("elsewhere"))]), &[]).await;
    }
    check(&store, having(&[("absent", Value::Null)]), &[]).await;
    check(&store, having(&[("a", json!({ "b": "red" }))]), &[]).await;
    check(&store, having(&[("plain", json!("red")), ("a.b", json!("red"))]), &[1]).await;
    check(&store, having(&[("plain", json!("red")), ("a.b", json!("Red"))]), &[]).await;
}

fn custom_values() -> Vec<Value> {
    vec![
        json!("red"),
        json!("Red"),
        json!(1),
        json!("1"),
        json!(true),
        json!("true"),
        json!(null),
        json!("null"),
        json!(0.5),
        json!(["red"]),
        json!({ "colour": "red" }),
        json!(""),
        json!(false),
        json!(0),
    ]
}

fn having(fields: &[(&str, Value)]) -> Filter {
    let custom = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    meeting(Criteria { custom, ..Criteria::default() })
}

pub(super) async fn by_time(store: Subject) {
    keep(&store, [-5, 10, 20, 30], |memory, at| memory.event_at = moment(at)).await;
    let within = |from: Option<i64>, to: Option<i64>| {
        meeting(Criteria {
            time: TimeRange { from: from.map(moment), to: to.map(moment) },
            ..Criteria::default()
        })
    };
    check(&store, within(None, None), &[1, 2, 3, 4]).await;
    check(&store, within(Some(10), Some(20)), &[2, 3]).await;
    check(&store, within(Some(11), Some(19)), &[]).await;
    check(&store, within(Some(20), None), &[3, 4]).await;
    check(&store, within(None, Some(10)), &[1, 2]).await;
    check(&store, within(Some(20), Some(20)), &[3]).await;
    check(&store, within(Some(30), Some(10)), &[]).await;
    check(&store, within(Some(-300_000_000_000), Some(-6)), &[]).await;
}

pub(super) async fn by_when_it_was_learnt(store: Subject) {
    keep(&store, [-5, 10, 20], |memory, at| memory.created_at = moment(at)).await;
    let by = |at| meeting(Criteria { learnt_by: Some(moment(at)), ..Criteria::default() });
    check(&store, everything(), &[1, 2, 3]).await;
    check(&store, by(20), &[1, 2, 3]).await;
    check(&store, by(19), &[1, 2]).await;
    check(&store, by(-5), &[1]).await;
    check(&store, by(-6), &[]).await;
    let from = |at| meeting(Criteria { learnt_from: Some(moment(at)), ..Criteria::default() });
    check(&store, from(-5), &[1, 2, 3]).await;
    check(&store, from(10), &[2, 3]).await;
    check(&store, from(21), &[]).await;
}

pub(super) async fn by_author(store: Subject) {
    let authors = [None, Some("Caroline"), Some("caroline")];
    keep(&store, authors, |memory, author| {
        memory.metadata.author = author.map(ToOwned::to_owned);
    })
    .await;
    let by =
        |name: &str| meeting(Criteria { author: Some(name.to_owned()), ..Criteria::default() });
    check(&store, by("Caroline"), &[2]).await;
    check(&store, by("Melanie"), &[]).await;
}

pub(super) async fn by_access_policy(store: Subject) {
    let policies = [AccessPolicy::Private, AccessPolicy::Public, AccessPolicy::Shared];
    keep(&store, policies, |memory, policy| memory.access_policy = policy).await;
    let meant = |policy| meeting(Criteria { access_policy: Some(policy), ..Criteria::default() });
    check(&store, meant(AccessPolicy::Public), &[2]).await;
    check(&store, meant(AccessPolicy::Organization), &[]).await;
}

pub(super) async fn by_trust(store: Subject) {
    let channels = [Channel::WebFetch, Channel::OtherMessage, Channel::OwnerMessage];
    keep(&store, channels, |memory, channel| memory.source = Source::through(channel)).await;
    let at_least = |minimum_trust| meeting(Criteria { minimum_trust, ..Criteria::default() });
    check(&store, at_least(Trust::Low), &[1, 2, 3]).await;
    check(&store, at_least(Trust::Medium), &[2, 3]).await;
    check(&store, at_least(Trust::High), &[3]).await;
}

pub(super) async fn by_excluded_session(store: Subject) {
    let sessions = [None, Some("s1"), Some("s2"), Some("S1")];
    keep(&store, sessions, |memory, session| memory.source.session = session.map(named)).await;
    check(&store, everything(), &[1, 2, 3, 4]).await;
    let without = |session| {
        meeting(Criteria { excluded_session: Some(named(session)), ..Criteria::default() })
    };
    check(&store, without("s1"), &[1, 3, 4]).await;
    check(&store, without("s9"), &[1, 2, 3, 4]).await;
}

pub(super) async fn by_parts_of_a_statement(store: Subject) {
    let statements = [
        None,
        Some(["uses", "Alice", "prefers", "Café"]),
        Some(["uses", "alice", "avoids", "tea"]),
        Some(["owns", "Bob", "prefers", "café"]),
    ];
    keep(&store, statements, |memory, statement| {
        memory.triple = statement.map(|parts| {
            let [fact_type, subject, predicate, object] = parts.map(str::to_owned);
            Triple { fact_type, subject, predicate, object }
        });
    })
    .await;
    let stating = |parts: [&str; 4]| {
        let known = |part: &str| (!part.is_empty()).then(|| part.to_owned());
        let [fact_type, subject, predicate, object] = parts.map(known);
        meeting(Criteria {
            triple: TriplePattern { fact_type, subject, predicate, object },
            ..Criteria::default()
        })
    };
    check(&store, stating(["", "", "", ""]), &[1, 2, 3, 4]).await;
    check(&store, stating(["uses", "", "", ""]), &[2, 3]).await;
    check(&store, stating(["", "ALICE", "", ""]), &[2, 3]).await;
    check(&store, stating(["", "", "Prefers", ""]), &[2, 4]).await;
    check(&store, stating(["", "", "", "CAFÉ"]), &[2, 4]).await;
    check(&store, stating(["uses", "alice", "prefers", ""]), &[2]).await;
    check(&store, stating(["", "al%", "", ""]), &[]).await;
    check(&store, stating(["", "prefers", "", ""]), &[]).await;
}

pub(super) async fn by_key(store: Subject) {
    let keys = [None, Some("theme"), Some("Theme"), Some("theme.dark"), Some("")];
    keep(&store, keys, |memory, key| memory.key = key.map(str::to_owned)).await;
    let kept_under =
        |key: &str| meeting(Criteria { key: Some(key.to_owned()), ..Criteria::default() });
    check(&store, everything(), &[1, 2, 3, 4, 5]).await;
    check(&store, kept_under("theme"), &[2]).await;
    check(&store, kept_under("Theme"), &[3]).await;
    check(&store, kept_under(""), &[5]).await;
    for key in ["them", "%", "theme%", "th_me", "*", "' OR 1=1 --"] {
        check(&store, kept_under(key), &[]).await;
    }
}

pub(super) async fn by_the_beginning_of_a_key(store: Subject) {
    let keys = [
        None,
        Some("a"),
        Some("a/b"),
        Some("a/"),
        Some("a0"),
        Some("A/b"),
        Some("a/\u{10ffff}"),
        Some("\u{10ffff}\u{10ffff}/"),
        Some("b"),
    ];
    keep(&store, keys, |memory, key| memory.key = key.map(str::to_owned)).await;
    let beginning = |prefix: &str| {
        meeting(Criteria { key_prefix: Some(prefix.to_owned()), ..Criteria::default() })
    };
    check(&store, beginning("a/"), &[3, 4, 7]).await;
    check(&store, beginning("a"), &[2, 3, 4, 5, 7]).await;
    check(&store, beginning("a/\u{10ffff}"), &[7]).await;
    check(&store, beginning("\u{10ffff}"), &[8]).await;
    check(&store, beginning(""), &[2, 3, 4, 5, 6, 7, 8, 9]).await;
    for prefix in ["a//", "%", "a_", "a*", "' OR 1=1 --"] {
        check(&store, beginning(prefix), &[]).await;
    }
}

pub(super) async fn every_part_has_to_hold(store: Subject) {
    keep(&store, 0..8_u8, |memory, bits| {
        memory.kind = if bits & 1 == 0 { Kind::Fact } else { Kind::Episode };
        memory.metadata.tags = vec![if bits & 2 == 0 { "red" } else { "blue" }.to_owned()];
        memory.key = (bits & 4 == 0).then(|| "k".to_owned());
    })
    .await;
    let filter = meeting(Criteria {
        kinds: vec![Kind::Episode],
        tags: vec!["blue".to_owned()],
        key: Some("k".to_owned()),
        ..Criteria::default()
    });
    check(&store, filter, &[4]).await;
}
