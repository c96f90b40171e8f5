//! What was read for facts is read once, whoever does it.

use cofio::ErrorKind;
use cofio::engine::{Assignment, Undoing};
use cofio::model::{Caller, Identifiers, Layer, Memory, Scope, Task};
use pollster::block_on;

use crate::fixture::{Fixture, episode, keeper, named};

/// Keeps a turn of one of alice's conversations.
fn said(fixture: &Fixture, conversation: &str, text: &str) -> Memory {
    let mut draft = episode("alice", text);
    draft.source.session = Some(named(conversation));
    fixture.remember(draft).unwrap().memory
}

fn alice() -> Scope {
    Scope::user(named("alice"))
}

fn unread(fixture: &Fixture, conversation: &str, limit: usize) -> Vec<String> {
    let (scopes, conversation) = ([alice()], named(conversation));
    let turns =
        block_on(fixture.engine.unread_turns(&keeper(), &scopes, &conversation, limit)).unwrap();
    turns.iter().map(|turn| turn.content.as_str().to_owned()).collect()
}

#[test]
fn turns_are_unread_until_somebody_says_that_they_are_read() {
    let fixture = Fixture::new();
    for text in ["I live in Cardiff", "I have a cat", "I drink tea"] {
        said(&fixture, "s1", text);
    }
    said(&fixture, "s2", "I live in Swansea");
    assert_eq!(unread(&fixture, "s1", 2), ["I live in Cardiff", "I have a cat"]);
    assert_eq!(unread(&fixture, "s3", 9), [""; 0]);
    let mark = || block_on(fixture.engine.mark_consolidated(&keeper(), &[alice()], &named("s1")));
    let job = mark().unwrap().unwrap();
    assert_eq!((job.task, job.counts.looked_at, job.counts.created), (Task::Consolidate, 3, 0));
    assert_eq!((unread(&fixture, "s1", 9).len(), unread(&fixture, "s2", 9).len()), (0, 1));
    assert_eq!(mark().unwrap(), None, "nothing is left");
    said(&fixture, "s1", "I moved to Bangor");
    assert_eq!(unread(&fixture, "s1", 9), ["I moved to Bangor"]);
    let again = Undoing { again: true, ..Undoing::default() };
    block_on(fixture.engine.undo(&keeper(), &job.id, again)).unwrap();
    assert_eq!(unread(&fixture, "s1", 9).len(), 4);
}

#[test]
fn a_job_and_somebody_else_leave_each_other_nothing_to_read() {
    let fixture = Fixture::new();
    said(&fixture, "s1", "I live in Cardiff");
    let work = || {
        let assignment = Assignment::of(Task::Consolidate);
        block_on(fixture.engine.maintain(&keeper(), &assignment, &|_, _| {})).unwrap()
    };
    assert_eq!(work().counts.created, 1);
    assert_eq!(unread(&fixture, "s1", 9), [""; 0]);
    said(&fixture, "s2", "I have a dog");
    block_on(fixture.engine.mark_consolidated(&keeper(), &[alice()], &named("s2"))).unwrap();
    assert_eq!(work().counts.looked_at, 0);
}

#[test]
fn nobody_reads_or_marks_what_is_not_open_to_them() {
    let fixture = Fixture::new();
    said(&fixture, "s1", "I live in Cardiff");
    let bob = Identifiers::default().with(Layer::User, named("bob"));
    let bob = Caller::bound(named("bob"), &bob);
    let (scopes, conversation) = ([alice()], named("s1"));
    let read = block_on(fixture.engine.unread_turns(&bob, &scopes, &conversation, 9));
    assert_eq!(read.unwrap_err().kind(), ErrorKind::Unauthorized);
    let marked = block_on(fixture.engine.mark_consolidated(&bob, &scopes, &conversation));
    assert_eq!(marked.unwrap_err().kind(), ErrorKind::Unauthorized);
    assert_eq!(unread(&fixture, "s1", 9).len(), 1);
}
