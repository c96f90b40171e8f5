//! Keeping several things each for itself.

use cofio::ErrorKind;
use cofio::engine::{Each, Remembered};
use cofio::model::{AuditAction, Channel, Draft, IdempotencyKey, Source};
use cofio::store::Entries;
use pollster::block_on;

use crate::fixture::{Fixture, fact, keeper, local};

const CREDENTIAL: &str = "my password is hunter2Zebra!9";

fn drafts(texts: &[&str]) -> Vec<Draft> {
    texts.iter().map(|text| fact("alice", text)).collect()
}

/// What one became: its text and whether it was there already, or why it was not kept.
type Told = Result<(String, bool), ErrorKind>;

fn told(each: cofio::Result<Each>) -> Vec<Told> {
    let one = |one: cofio::Result<Remembered>| {
        let one = one.map_err(|error| error.kind())?;
        Ok((one.memory.content.as_str().to_owned(), one.existing))
    };
    each.unwrap().into_iter().map(one).collect()
}

fn new(text: &str) -> Told {
    Ok((text.to_owned(), false))
}

fn known(text: &str) -> Told {
    Ok((text.to_owned(), true))
}

#[test]
fn what_is_refused_keeps_nothing_else_out_and_is_on_record() {
    let fixture = Fixture::new();
    let texts = ["Alice rows", CREDENTIAL, "", "Alice swims", "Alice rows"];
    let each = || drafts(&texts);
    let refused = [Err(ErrorKind::Refused), Err(ErrorKind::Invalid)];
    let expected = |rows, swims| {
        let [credential, empty] = refused.clone();
        vec![rows, credential, empty, swims, known("Alice rows")]
    };
    let first = expected(new("Alice rows"), new("Alice swims"));
    let rehearsed = block_on(fixture.engine.rehearse_each(&keeper(), each()));
    assert_eq!(told(rehearsed), first);
    assert!(fixture.found("alice", "rows").is_empty());
    assert_eq!(told(block_on(fixture.engine.remember_each(&keeper(), each()))), first);
    let again = expected(known("Alice rows"), known("Alice swims"));
    assert_eq!(told(block_on(fixture.engine.rehearse_each(&keeper(), each()))), again);
    assert_eq!(told(block_on(fixture.engine.remember_each(&keeper(), each()))), again);
    assert_eq!(fixture.found("alice", "rows"), ["Alice rows"]);
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::Latest, 100)).unwrap();
    let blocked = |action| action == AuditAction::PoisoningAttemptBlocked;
    assert_eq!(entries.iter().filter(|entry| blocked(entry.record.action)).count(), 2);
}

#[test]
fn what_somebody_rejected_is_left_out_and_the_rest_is_kept() {
    let fixture = Fixture::new();
    let source = Source::through(Channel::WebFetch);
    let waiting = Draft { source, ..fact("alice", "The ferry sails at nine") };
    let waiting = fixture.remember(waiting).unwrap().memory;
    block_on(fixture.engine.reject(&keeper(), &waiting.id)).unwrap();
    let each = drafts(&["the ferry sails at NINE", "Alice rows"]);
    let each = block_on(fixture.engine.remember_each(&keeper(), each));
    assert_eq!(told(each), [Err(ErrorKind::Refused), new("Alice rows")]);
}

#[test]
fn what_concerns_everything_keeps_nothing() {
    let fixture = Fixture::new();
    let foreign = vec![fact("bob", "Bob rows"), fact("alice", "Alice rows")];
    let error = block_on(fixture.engine.remember_each(&local("bob"), foreign)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
    assert!(fixture.found("bob", "rows").is_empty());
    let key = Some(IdempotencyKey::new("k".to_owned()).unwrap());
    let keyed = vec![Draft { idempotency_key: key, ..fact("bob", "Bob rows") }];
    let error = block_on(fixture.engine.remember_each(&local("bob"), keyed)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(told(block_on(fixture.engine.remember_each(&local("bob"), Vec::new()))), []);
}
