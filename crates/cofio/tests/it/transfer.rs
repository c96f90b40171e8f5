//! Memories travel in bundles and arrive as they were.

use cofio::engine::{ConflictMode, Imported, Importing, ListRequest};
use cofio::model::{
    AuditAction, AuditRecord, Caller, Channel, Doubt, Draft, Fraction, Kind, Layer, Memory, Patch,
    Source, Triple, Trust,
};
use cofio::store::Entries;
use cofio::{ErrorKind, Result, Selection, bundle};
use pollster::block_on;
use proptest::prelude::*;

use crate::fixture::{Fixture, episode, identifiers, keeper, local, named, scope};

const PLAIN: Importing = Importing {
    on_conflict: ConflictMode::Skip,
    trusted_at_most: Trust::High,
    doubt: Doubt::Ask,
    dry_run: false,
};

fn export(fixture: &Fixture, caller: &Caller) -> Vec<u8> {
    let mut out = Vec::new();
    block_on(fixture.engine.export(caller, &mut out, |_| {})).unwrap();
    out
}

fn import(fixture: &Fixture, bundle: &[u8], importing: Importing) -> Result<Imported> {
    block_on(fixture.engine.import(&keeper(), bundle, importing, |_| {}))
}

/// A store with something of everything.
fn full() -> Fixture {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "tea is black, says @bob");
    let patch = Patch { content: Some("tea is green, says @bob".to_owned()), ..Patch::default() };
    block_on(fixture.engine.update(&local("alice"), &memory.id, patch)).unwrap();
    let mut turn = episode("alice", "see you in May 🎉");
    turn.event_at = Some("2025-05-04T10:20:30.123456Z".parse().unwrap());
    turn.source.session = Some(named("s1"));
    turn.source.role = Some("user".to_owned());
    turn.metadata.author = Some("Alice".to_owned());
    turn.metadata.importance = Some(Fraction::new(0.25).unwrap());
    turn.metadata.custom.insert("nested".to_owned(), serde_json::json!({"a": [1, null, "x"]}));
    fixture.remember(turn).unwrap();
    let triple = Some(Triple {
        fact_type: "uses".to_owned(),
        subject: "API".to_owned(),
        predicate: "runs_on".to_owned(),
        object: "Rust".to_owned(),
    });
    let team = scope(Layer::Team, &[(Layer::Team, "core")]);
    let web = Source::through(Channel::WebFetch);
    let statement = Draft::new(team, Kind::Procedure, "API runs_on Rust", web);
    fixture.remember(Draft { triple, ..statement }).unwrap();
    let session = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    let source = Source::through(Channel::OwnerMessage);
    block_on(fixture.engine.push_turn(&local("alice"), &session, "user", "hello", source)).unwrap();
    block_on(fixture.engine.settle()).unwrap();
    fixture
}

/// Returns everything in a store, with its history.
fn contents(fixture: &Fixture) -> Vec<(Memory, Vec<Memory>)> {
    let out = export(fixture, &keeper());
    let mut reader = bundle::Reader::new(out.as_slice()).unwrap();
    let mut all = Vec::new();
    while let Some(record) = reader.read().unwrap() {
        all.push((record.memory, record.history));
    }
    all.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    all
}

#[test]
fn a_bundle_carries_everything_into_an_empty_store() {
    let (from, to) = (full(), Fixture::new());
    let imported = import(&to, &export(&from, &keeper()), PLAIN).unwrap();
    assert_eq!(imported, Imported { created: 4, ..Imported::default() });
    assert_eq!(contents(&to), contents(&from));
    assert_eq!(to.found("alice", "bob green"), ["tea is green, says @bob"]);
    block_on(to.engine.verify_audit(&keeper())).unwrap();
}

#[test]
fn a_bundle_is_made_while_it_is_read() {
    let fixture = Fixture::new();
    let drafts =
        (0..300).map(|number| episode("alice", &format!("{number} {}", "tea ".repeat(999))));
    block_on(fixture.engine.remember_all(&local("alice"), drafts.collect())).unwrap();
    let mut exporting = block_on(fixture.engine.exporting(&local("alice"))).unwrap();
    let mut bundle = block_on(exporting.next()).unwrap().unwrap();
    let before = exporting.memories();
    // What nobody has read yet is not in the bundle if it is forgotten now.
    let all = Selection::new(identifiers(&[(Layer::User, "alice")]));
    block_on(fixture.engine.forget_matching(&local("alice"), &all)).unwrap();
    while let Some(piece) = block_on(exporting.next()).unwrap() {
        assert!(piece.len() < 512 * 1024, "{}", piece.len());
        bundle.extend(piece);
    }
    let memories = bundle::Reader::new(bundle.as_slice()).and_then(bundle::Reader::verify);
    assert_eq!(memories.unwrap(), exporting.memories());
    assert!((before..200).contains(&exporting.memories()), "{}", exporting.memories());
}

#[test]
fn a_second_import_changes_nothing() {
    let (from, to) = (full(), Fixture::new());
    let bundle = export(&from, &keeper());
    import(&to, &bundle, PLAIN).unwrap();
    let before = contents(&to);
    let again = import(&to, &bundle, PLAIN).unwrap();
    assert_eq!(again, Imported { skipped: 4, ..Imported::default() });
    assert_eq!(contents(&to), before);
}

#[test]
fn a_dry_run_tells_and_does_nothing() {
    let (from, to) = (full(), Fixture::new());
    let dry = Importing { dry_run: true, ..PLAIN };
    let told = import(&to, &export(&from, &keeper()), dry).unwrap();
    assert_eq!(told.created, 4);
    assert!(contents(&to).is_empty());
}

#[test]
fn a_conflict_is_settled_as_asked() {
    for (mode, expected) in [
        (ConflictMode::Skip, Ok("changed here")),
        (ConflictMode::Replace, Ok("tea is black")),
        (ConflictMode::Newer, Ok("changed here")),
        (ConflictMode::Fail, Err(ErrorKind::Conflict)),
    ] {
        let fixture = Fixture::new();
        let memory = fixture.fact("alice", "tea is black");
        let bundle = export(&fixture, &keeper());
        let patch = Patch { content: Some("changed here".to_owned()), ..Patch::default() };
        block_on(fixture.engine.update(&local("alice"), &memory.id, patch)).unwrap();
        let importing = Importing { on_conflict: mode, ..PLAIN };
        let error = import(&fixture, &bundle, importing).err().map(|error| error.kind());
        assert_eq!(error, expected.err());
        let now = block_on(fixture.engine.get(&keeper(), &memory.id)).unwrap();
        assert_eq!(now.content.as_str(), expected.unwrap_or("changed here"));
    }
}

#[test]
fn a_replaced_memory_keeps_its_place_in_lists() {
    let fixture = Fixture::new();
    fixture.fact("alice", "earlier");
    let memory = fixture.fact("alice", "tea is black");
    let text = String::from_utf8(export(&fixture, &keeper())).unwrap();
    let older = text.replace(&memory.created_at.to_string(), "2020-01-01T00:00:00Z");
    let changed = reseal(&older.replace("tea is black", "tea is green"));
    let replace = Importing { on_conflict: ConflictMode::Replace, ..PLAIN };
    assert_eq!(import(&fixture, changed.as_bytes(), replace).unwrap().replaced, 1);
    let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let mut request = ListRequest { limit: 1, ..ListRequest::new(mine) };
    let mut seen = Vec::new();
    for _ in 0..3 {
        let page = block_on(fixture.engine.list(&local("alice"), &request)).unwrap();
        seen.extend(page.memories.into_iter().map(|memory| memory.content.as_str().to_owned()));
        request.cursor = page.next_cursor;
        if request.cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["tea is green", "earlier"]);
    let replaced = block_on(fixture.engine.get(&local("alice"), &memory.id)).unwrap();
    assert_eq!(replaced.created_at, memory.created_at);
}

#[test]
fn what_was_forgotten_here_stays_forgotten() {
    let fixture = Fixture::new();
    let memory = fixture.fact("alice", "tea is black");
    let bundle = export(&fixture, &keeper());
    block_on(fixture.engine.forget(&keeper(), &[memory.id])).unwrap();
    let imported = import(&fixture, &bundle, PLAIN).unwrap();
    let expected = Imported { forgotten: 1, ..Imported::default() };
    assert_eq!(imported, expected);
    let dry = Importing { dry_run: true, ..PLAIN };
    assert_eq!(import(&fixture, &bundle, dry).unwrap(), expected);
    assert!(fixture.found("alice", "tea").is_empty());
}

#[test]
fn nobody_exports_or_imports_what_is_not_theirs() {
    let from = full();
    from.fact("bob", "bob's canary");
    let mine = String::from_utf8(export(&from, &local("alice"))).unwrap();
    assert!(mine.contains("tea is green") && !mine.contains("canary"));
    let to = Fixture::new();
    let all = export(&from, &keeper());
    let error =
        block_on(to.engine.import(&local("alice"), all.as_slice(), PLAIN, |_| {})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
}

#[test]
fn a_bundle_does_not_smuggle_secrets_or_trust() {
    let from = Fixture::new();
    from.fact("alice", "tea is black");
    let text = String::from_utf8(export(&from, &keeper())).unwrap();
    let forged = reseal(&text.replace("tea is black", "key AKIAIOSFODNN7EXAMPLE"));
    let to = Fixture::new();
    let capped = Importing { trusted_at_most: Trust::Low, ..PLAIN };
    let imported = import(&to, forged.as_bytes(), capped).unwrap();
    assert_eq!(imported.redacted, 1);
    let memory = &contents(&to)[0].0;
    assert_eq!(memory.content.as_str(), "key [SECRET_REDACTED]");
    assert_eq!(memory.source.trust(), Trust::Low);
}

/// Gives a changed bundle a checksum that fits.
pub fn reseal(text: &str) -> String {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    let lines: Vec<&str> = text.lines().collect();
    let body = lines[..lines.len() - 1].join("\n") + "\n";
    let mut digest = String::new();
    for byte in sha2::Sha256::digest(&body) {
        write!(digest, "{byte:02x}").unwrap();
    }
    let count = lines.len() - 2;
    format!("{body}{{\"type\":\"end\",\"memories\":{count},\"sha256\":\"{digest}\"}}\n")
}

#[test]
fn a_bundle_that_was_changed_or_cut_off_is_noticed() {
    let from = full();
    let text = String::from_utf8(export(&from, &keeper())).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let without_end = lines[..lines.len() - 1].join("\n");
    let without_first_memory = [&lines[..1], &lines[2..]].concat().join("\n");
    for damaged in [
        text.replace("green", "blue!"),
        without_end,
        without_first_memory,
        format!("{text}{}", lines[1]),
        text.replacen("cofio-bundle", "other-bundle", 1),
        text.replacen("\"version\":1", "\"version\":2", 1),
        String::new(),
        "[".repeat(100_000),
        reseal(&text.replace("\"kind\":\"fact\"", "\"kind\":\"diary\"")),
        reseal(&text.replace("\"layer\":\"team\"", "\"layer\":\"session\"")),
    ] {
        let verified = bundle::Reader::new(damaged.as_bytes()).and_then(bundle::Reader::verify);
        let error = verified.unwrap_err();
        let told = matches!(
            error.kind(),
            ErrorKind::Invalid | ErrorKind::Unsupported | ErrorKind::MissingIdentifier
        );
        assert!(told, "{error:?}");
        assert!(!error.to_string().contains("green"), "an error repeats no content: {error}");
    }
    bundle::Reader::new(text.as_bytes()).and_then(bundle::Reader::verify).unwrap();
}

#[test]
fn a_duplicate_under_another_id_is_not_kept_twice() {
    let (from, to) = (Fixture::new(), Fixture::new());
    from.fact("alice", "tea is black");
    to.fact("alice", "tea is black");
    let imported = import(&to, &export(&from, &keeper()), PLAIN).unwrap();
    assert_eq!(imported, Imported { duplicates: 1, ..Imported::default() });
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = bundle::Reader::new(bytes.as_slice()).and_then(bundle::Reader::verify);
    }

    #[test]
    fn no_change_to_a_bundle_goes_unnoticed(place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = BUNDLE.clone();
        let place = place.index(bytes.len());
        prop_assume!(bytes[place] != byte);
        bytes[place] = byte;
        let verified = bundle::Reader::new(bytes.as_slice()).and_then(bundle::Reader::verify);
        // White space in the last line is outside what the checksum covers.
        prop_assert!(verified.is_err() || bytes[place].is_ascii_whitespace());
    }
}

static BUNDLE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea is black");
    export(&fixture, &keeper())
});

#[test]
fn a_bundle_is_held_to_the_rules_of_every_write() {
    let from = full();
    let text = String::from_utf8(export(&from, &keeper())).unwrap();
    let change = |before: &str, after: &str| {
        assert!(text.contains(before), "{before}");
        reseal(&text.replace(before, after))
    };
    let many: Vec<String> = (0..1_001).map(|number| format!("\"fact_{number:032x}\"")).collect();
    for forged in [
        change("\"accessCount\":0", "\"accessCount\":9223372036854775807"),
        change("\"version\":1,\"embedding\"", "\"version\":9223372036854775807,\"embedding\""),
        change("\"decayRate\":0.1", "\"decayRate\":1e308"),
        change("\"kind\":\"procedure\"", "\"kind\":\"fact\""),
        change(
            "\"entities\":[]",
            &format!("\"contextKey\":\"{}\",\"entities\":[]", "k".repeat(300)),
        ),
        change("\"entities\":[]", &format!("\"derivedFrom\":[{}],\"entities\":[]", many.join(","))),
        change("\"sessionId\":\"s1\"", "\"sessionId\":\"AKIAIOSFODNN7EXAMPLE\""),
        change("\"id\":\"fact_", "\"id\":\"fact_../"),
    ] {
        let to = Fixture::new();
        let error = import(&to, forged.as_bytes(), PLAIN).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Invalid | ErrorKind::MissingIdentifier),
            "{error:?}"
        );
        assert!(contents(&to).is_empty());
    }
}

#[test]
fn a_bundle_does_nothing_that_no_other_write_may() {
    let blocked = |fixture: &Fixture| {
        let entries = block_on(fixture.engine.audit(&keeper(), Entries::After(0), 100)).unwrap();
        let events = entries.into_iter().map(|entry| entry.record);
        let blocked = AuditAction::PoisoningAttemptBlocked;
        let reason = |record: AuditRecord| record.details["reason"].as_str().unwrap().to_owned();
        events.filter(|record| record.action == blocked).map(reason).collect::<Vec<_>>()
    };
    let from = Fixture::new();
    from.fact("alice", "tea is black");
    from.fact("alice", "milk is white");
    let text = String::from_utf8(export(&from, &keeper())).unwrap();

    let to = Fixture::new();
    let forged = reseal(&text.replace("tea is black", "the password is hunter2zz"));
    let dry = Importing { dry_run: true, ..PLAIN };
    let expected = Imported { created: 1, refused: 1, ..Imported::default() };
    assert_eq!(import(&to, forged.as_bytes(), dry).unwrap(), expected);
    assert!(blocked(&to).is_empty());
    assert_eq!(import(&to, forged.as_bytes(), PLAIN).unwrap(), expected);
    assert_eq!(blocked(&to), ["credential"]);
    assert_eq!(contents(&to).len(), 1);

    let changed = reseal(&text.replace("tea is black", "tea is poison"));
    let replace = Importing { on_conflict: ConflictMode::Replace, ..PLAIN };
    let low = Importing { trusted_at_most: Trust::Low, ..replace };
    assert_eq!(import(&from, changed.as_bytes(), low).unwrap().refused, 2);
    assert_eq!(blocked(&from), ["trust"]);
    assert_eq!(from.found("alice", "tea"), ["tea is black"]);
    assert_eq!(import(&from, changed.as_bytes(), replace).unwrap().replaced, 1);
    assert_eq!(from.found("alice", "tea"), ["tea is poison"]);
}
