//! What becomes of secrets: those that are sure, those that are likely, those that may be something
//! else, and those that are told in parts.

use cofio::model::{AuditAction, Channel, Doubt, Draft, Kind, Patch, Scope, Source};
use cofio::store::Entries;
use cofio::{Config, ErrorKind};
use pollster::block_on;

use crate::fixture::{Fixture, episode, fact, keeper, local, named};

const KEY: &str = "AKIAQ4WXZ7TJ3M5NPL2V";

/// So little of it is not yet a key.
const HALF: usize = 5;

/// Something that may be a secret, and may be the hash of a file.
fn doubtful() -> String {
    "q7".repeat(8) + &"Zk3vB9xWm2".repeat(6)
}

/// Returns whether some bytes stand in a file of the store.
fn is_stored(fixture: &Fixture, text: &str) -> bool {
    block_on(fixture.engine.settle()).unwrap();
    let files = std::fs::read_dir(fixture.folder()).unwrap();
    files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).any(|bytes| {
        bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
    })
}

#[test]
fn what_may_be_a_secret_is_not_kept_before_somebody_was_asked() {
    let fixture = Fixture::new();
    let text = format!("the thing is {}", doubtful());
    let draft = |doubt| Draft { doubt, ..fact("alice", &text) };
    let error = fixture.remember(draft(Doubt::Ask)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConfirmationRequired);
    assert!(!error.to_string().contains(&doubtful()) && !is_stored(&fixture, &doubtful()));
    let redacted = fixture.remember(draft(Doubt::Redact)).unwrap();
    assert_eq!(redacted.memory.content.as_str(), "the thing is [SECRET_REDACTED]");
    assert!(!is_stored(&fixture, &doubtful()));
    let kept = fixture.remember(draft(Doubt::Keep)).unwrap().memory;
    assert_eq!(kept.content.as_str(), text);
    let patch = Patch { content: Some(format!("now {}", doubtful())), ..Patch::default() };
    let error = block_on(fixture.engine.update(&local("alice"), &kept.id, patch)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConfirmationRequired);
}

#[test]
fn no_answer_keeps_what_is_surely_a_secret() {
    let fixture = Fixture::new();
    let draft = Draft { doubt: Doubt::Keep, ..episode("alice", &format!("use {KEY} there")) };
    let remembered = fixture.remember(draft).unwrap();
    assert_eq!(remembered.memory.content.as_str(), "use [SECRET_REDACTED] there");
    assert_eq!((remembered.redactions[0].field, remembered.redactions.len()), ("content", 1));
    assert!(!is_stored(&fixture, KEY));
}

#[test]
fn secrets_can_be_refused_and_their_replacement_chosen() {
    let config = Config { fail_on_secret: true, ..Config::default() };
    let fixture = Fixture::with(config);
    let error = fixture.remember(fact("alice", &format!("use {KEY} there"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(!error.to_string().contains(KEY));
    fixture.fact("alice", "nothing of the sort");
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::After(0), 50)).unwrap();
    let blocked = |action| entries.iter().any(|entry| entry.record.action == action);
    assert!(blocked(AuditAction::PoisoningAttemptBlocked));
    let config = Config { secret_replacement: "***".to_owned(), ..Config::default() };
    let fixture = Fixture::with(config);
    let memory = fixture.fact("alice", &format!("use {KEY} there"));
    assert_eq!(memory.content.as_str(), "use *** there");
}

fn turn(text: &str) -> Draft {
    let mut source = Source::through(Channel::OwnerMessage);
    source.session = Some(named("s1"));
    Draft::new(Scope::user(named("alice")), Kind::Episode, text, source)
}

fn halves() -> [String; 2] {
    let (first, second) = KEY.split_at(HALF);
    [format!("take this {first}"), format!("{second} is the rest")]
}

#[test]
fn a_secret_told_in_two_turns_is_taken_out_of_both() {
    let fixture = Fixture::new();
    let [first, second] = halves();
    fixture.remember(turn(&first)).unwrap();
    fixture.remember(turn("wait a moment")).unwrap();
    let remembered = fixture.remember(turn(&second)).unwrap();
    assert_eq!(remembered.memory.content.as_str(), "[SECRET_REDACTED] is the rest");
    let mut found = fixture.found("alice", "take this rest moment");
    found.sort();
    let expected =
        ["[SECRET_REDACTED] is the rest", "take this [SECRET_REDACTED]", "wait a moment"];
    assert_eq!(found, expected);
    assert!(!is_stored(&fixture, &KEY[HALF..]));
}

#[test]
fn a_secret_told_in_two_turns_of_one_request_is_taken_out_of_both() {
    let fixture = Fixture::new();
    let drafts = halves().iter().map(|text| turn(text)).collect();
    let remembered = block_on(fixture.engine.remember_all(&keeper(), drafts)).unwrap();
    let texts: Vec<_> = remembered.iter().map(|one| one.memory.content.as_str()).collect();
    assert_eq!(texts, ["take this [SECRET_REDACTED]", "[SECRET_REDACTED] is the rest"]);
}

#[test]
fn parts_of_different_conversations_are_not_put_together() {
    let fixture = Fixture::new();
    let [first, second] = halves();
    fixture.remember(turn(&first)).unwrap();
    let mut other = turn(&second);
    other.source.session = Some(named("s2"));
    assert_eq!(fixture.remember(other).unwrap().memory.content.as_str(), second);
}
