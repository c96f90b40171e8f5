//! Keeping several things each for itself.

use cofio::ErrorKind;
use cofio::engine::{Each, Remembered};
use cofio::model::{AuditAction, Channel, Draft, IdempotencyKey, Source};
use cofio::store::Entries;
use pollster::block_on;

use crate::fixture::{Fixture, fact, keeper, local};
use Told::Left;

const CREDENTIAL: &str = "my password is hunter2Zebra!9";

fn drafts(texts: &[&str]) -> Vec<Draft> {
    texts.iter().map(|text| fact("alice", text)).collect()
}

/// What became of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    New,
    Known,
    Left(ErrorKind),
}

fn told(each: cofio::Result<Each>) -> Vec<Told> {
    let one = |one: cofio::Result<Remembered>| match one {
        Ok(one) if one.existing => Told::Known,
        Ok(_) => Told::New,
        Err(error) => Told::Left(error.kind()),
    };
    each.unwrap().into_iter().map(one).collect()
}

#[test]
fn what_is_refused_keeps_nothing_else_out_and_is_on_record() {
    let fixture = Fixture::new();
    let texts = ["Alice rows", CREDENTIAL, "", "Alice swims", "Alice rows"];
    let each = || drafts(&texts);
    let expected = |first| {
        [first, Left(ErrorKind::Refused), Left(ErrorKind::Invalid), first, Told::Known].to_vec()
    };
    let rehearsed = block_on(fixture.engine.rehearse_each(&keeper(), each()));
    assert_eq!(told(rehearsed), expected(Told::New));
    assert!(fixture.found("alice", "rows").is_empty());
    let remembered = block_on(fixture.engine.remember_each(&keeper(), each()));
    assert_eq!(told(remembered), expected(Told::New));
    let rehearsed = block_on(fixture.engine.rehearse_each(&keeper(), each()));
    assert_eq!(told(rehearsed), expected(Told::Known));
    let remembered = block_on(fixture.engine.remember_each(&keeper(), each()));
    assert_eq!(told(remembered), expected(Told::Known));
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
    assert_eq!(told(each), [Left(ErrorKind::Refused), Told::New]);
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
