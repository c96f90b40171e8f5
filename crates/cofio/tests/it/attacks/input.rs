//! Attacks by size, by number and by form.

use std::io::{BufReader, Read as _};

use cofio::engine::{ConflictMode, ContextRequest, Importing, ListRequest};
use cofio::model::{
    Channel, Criteria, Doubt, Draft, Kind, Layer, Lifetime, Scope, Source, TimeRange, Timestamp,
    Trust,
};
use cofio::store::Entries;
use cofio::{Config, ErrorKind, Query, Selection, bundle};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, fact, identifiers, keeper, local, named};
use crate::recorder::Recorder;

fn alice() -> Scope {
    Scope::user(named("alice"))
}

fn mine() -> Selection {
    Selection::new(identifiers(&[(Layer::User, "alice")]))
}

#[test]
fn input_numbers_at_the_end_of_their_range_are_refused_or_harmless() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea with @bob");
    let (engine, caller) = (&fixture.engine, local("alice"));
    let search = |query: Query| block_on(engine.search(&caller, &query));
    let tea = || Query::new(mine(), "tea");
    for limit in [0, 1_001, usize::MAX, usize::MAX / 2 + 1] {
        assert_eq!(search(Query { limit, ..tea() }).unwrap_err().kind(), ErrorKind::Invalid);
        let list = ListRequest { limit, ..ListRequest::new(mine()) };
        let error = block_on(engine.list(&caller, &list)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.1, 1.1] {
        assert!(search(Query { threshold: Some(number), ..tea() }).is_err(), "{number}");
        assert!(search(Query { recency: number, ..tea() }).is_err(), "{number}");
        let request = ContextRequest { recency: number, ..ContextRequest::new(mine(), "tea") };
        assert!(block_on(engine.context(&caller, &request)).is_err(), "{number}");
    }
    for most in [usize::MAX, usize::MAX / 2 + 1] {
        let query = Query { tokens: Some(most), limit_per_layer: Some(most), ..tea() };
        assert_eq!(search(query).unwrap().hits.len(), 1);
        let request = ContextRequest { tokens: most, ..ContextRequest::new(mine(), "tea") };
        assert_eq!(block_on(engine.context(&caller, &request)).unwrap().memories.len(), 1);
        assert_eq!(block_on(engine.entities(&caller, &[alice()], most)).unwrap().len(), 1);
        assert_eq!(block_on(engine.changes(&caller, 0, most)).unwrap().len(), 1);
        assert!(!block_on(engine.audit(&keeper(), Entries::Latest, most)).unwrap().is_empty());
    }
    assert!(block_on(engine.changes(&caller, u64::MAX, 10)).unwrap().is_empty());
    assert!(block_on(engine.audit(&keeper(), Entries::After(u64::MAX), 10)).unwrap().is_empty());
}

#[test]
fn input_moments_at_the_end_of_time_are_refused_or_harmless() {
    let fixture = Fixture::new();
    let remember = |text: &str, change: &dyn Fn(&mut Draft)| {
        let mut draft = fact("alice", text);
        change(&mut draft);
        fixture.remember(draft)
    };
    for (number, moment) in [Timestamp::MIN, Timestamp::MAX].into_iter().enumerate() {
        let text = format!("tea number {number}");
        remember(&text, &|draft| draft.event_at = Some(moment)).unwrap();
        let time = TimeRange { from: Some(moment), to: Some(moment) };
        let criteria = Criteria { time, ..Criteria::default() };
        let selection = Selection { criteria, ..mine() };
        let query = Query {
            reference_time: Some(moment),
            recency: 1.0,
            ..Query::new(selection, "tea last year")
        };
        block_on(fixture.engine.search(&local("alice"), &query)).unwrap();
    }
    for lifetime in [SignedDuration::MIN, SignedDuration::MAX, SignedDuration::ZERO] {
        let kept = remember("brief", &|draft| draft.lifetime = Lifetime::For(lifetime));
        assert_eq!(kept.unwrap_err().kind(), ErrorKind::Invalid, "{lifetime:?}");
    }
    assert!(fixture.found("alice", "brief").is_empty());
    assert!(!fixture.found("alice", "tea").is_empty());
}

#[test]
fn input_a_text_of_no_byte_or_of_one_too_many_is_refused() {
    let mut config = Config::default();
    config.limits.content_bytes = 1_000;
    let fixture = Fixture::with(config);
    for nothing in ["", " \n\t", "\u{200b}\u{feff}", "\u{e0041}\u{e0042}"] {
        let error = fixture.remember(fact("alice", nothing)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{nothing:?}");
    }
    let long = "ä".repeat(500);
    assert_eq!(fixture.fact("alice", &long).content.as_str(), long);
    let error = fixture.remember(fact("alice", &format!("{long}x"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ContentTooLong);
    assert!(!format!("{error:?}").contains("ää"), "an error repeats no content");
}

#[test]
fn input_whoever_asks_for_trust_is_not_flooded_by_stuffed_entries() {
    let fixture = Fixture::new();
    let answer = "The ferry to Cardiff sails at nine in the morning";
    fixture.fact("alice", answer);
    let stuffed = |number: usize| {
        let source = Source::through(Channel::WebFetch);
        let words = "ferry Cardiff sail sails when does the ferry ".repeat(20 + number);
        let text = format!("{words} number {number}");
        fixture.remember(Draft::new(alice(), Kind::Episode, text, source)).unwrap();
    };
    stuffed(0);
    let question = "when does the ferry to Cardiff sail?";
    assert!(fixture.found("alice", question).contains(&answer.to_owned()));
    (1..30).for_each(stuffed);
    let criteria = Criteria { minimum_trust: Trust::Medium, ..Criteria::default() };
    let query = Query::new(Selection { criteria, ..mine() }, question);
    let hits = block_on(fixture.engine.search(&local("alice"), &query)).unwrap().hits;
    let found: Vec<&str> = hits.iter().map(|hit| hit.memory.content.as_str()).collect();
    assert_eq!(found, [answer]);
}

#[test]
fn input_a_vector_that_is_endless_is_refused() {
    let fixture = Fixture::new();
    let embedder = Recorder::answering(vec![f32::INFINITY; 64]);
    let engine = fixture.engine.clone().with_embedder(embedder);
    fixture.fact("alice", "tea is black");
    let error = block_on(engine.embed_pending(10)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    let answer = block_on(engine.search(&local("alice"), &Query::new(mine(), "tea"))).unwrap();
    assert_eq!(answer.hits.len(), 1, "words answer alone");
    let sound = fixture.engine.clone().with_embedder(Recorder::new());
    fixture.wait(SignedDuration::from_hours(24 * 30));
    assert_eq!(block_on(sound.embed_pending(10)).unwrap().done, 1);
}

fn imported(fixture: &Fixture, text: &str) -> cofio::Result<u64> {
    let importing = Importing {
        on_conflict: ConflictMode::Replace,
        trusted_at_most: Trust::High,
        doubt: Doubt::Keep,
        dry_run: false,
    };
    let imported = block_on(fixture.engine.import(&keeper(), text.as_bytes(), importing, |_| {}));
    imported.map(|imported| imported.created)
}

#[test]
fn input_a_bundle_that_claims_or_nests_too_much_is_refused() {
    let from = Fixture::new();
    from.fact("alice", "tea is black");
    let mut bytes = Vec::new();
    block_on(from.engine.export(&keeper(), &mut bytes, |_| {})).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let check = |before: &str, after: &str| {
        assert!(text.contains(before), "{before}");
        let changed = text.replacen(before, after, 1);
        let forged =
            if before.contains("memories") { changed } else { crate::transfer::reseal(&changed) };
        let to = Fixture::new();
        let error = imported(&to, &forged).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error:?}");
        assert!(!error.to_string().contains("tea"), "{error}");
        assert!(to.found("alice", "tea").is_empty());
    };
    let deep = |depth: usize| {
        format!("\"metadata\":{{\"custom\":{{\"a\":{}1{}}},", "[".repeat(depth), "]".repeat(depth))
    };
    check("\"memories\":1", "\"memories\":18446744073709551615");
    check("\"memories\":1", "\"memories\":-1");
    check("\"metadata\":{", &deep(40));
    check("\"metadata\":{", &deep(100_000));
    check("\"content\":\"tea is black\"", "\"content\":\"tea\",\"content\":\"coffee\"");
    check("tea is black", "tea \\ud800 black");
    check("tea is black", "tea \u{0} \\u000 black");
    check("\"version\":1,\"embedding\"", "\"version\":1e400,\"embedding\"");
    check("\"decayRate\":0.1", "\"decayRate\":NaN");
    check("\"accessCount\":0", "\"accessCount\":-1");
    assert_eq!(imported(&Fixture::new(), &text).unwrap(), 1);
}

#[test]
fn input_an_endless_line_is_given_up() {
    let endless = BufReader::new(std::io::repeat(b' ').take(u64::MAX));
    let error = bundle::Reader::new(endless).and_then(bundle::Reader::verify).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}
