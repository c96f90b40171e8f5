//! What the engine does of itself: planned, looked at, done together, on record, and taken back.

use std::collections::BTreeSet;
use std::sync::Arc;

use cofio::config::Sessions;
use cofio::engine::{Assignment, Undoing};
use cofio::lifecycle::guard::Verdict;
use cofio::lifecycle::plan::Step;
use cofio::lifecycle::schedule::Timetable;
use cofio::model::{
    AuditAction, Caller, Channel, Commit, Confirmation, Draft, Identifiers, Job, JobId, JobState,
    Kind, Layer, Lifetime, Memory, MemoryId, Scope, Source, Stage, State, Task, Work,
};
use cofio::store::{Entries, SqliteStore, Store as _};
use cofio::{Config, Engine, ErrorKind, Result};
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use pollster::block_on;

use crate::fixture::{Fixture, episode, keeper, local, named, scope};

fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

fn run(fixture: &Fixture, caller: &Caller, assignment: &Assignment) -> Result<Job> {
    block_on(fixture.engine.maintain(caller, assignment, &|_, _| {}))
}

fn decay(fixture: &Fixture) -> Job {
    run(fixture, &keeper(), &Assignment::of(Task::Decay)).unwrap()
}

fn undo(fixture: &Fixture, job: &Job, undoing: Undoing) -> Result<Job> {
    block_on(fixture.engine.undo(&keeper(), &job.id, undoing)).map(|undone| undone.job)
}

fn get(fixture: &Fixture, id: &MemoryId) -> Memory {
    block_on(fixture.engine.get(&keeper(), id)).unwrap()
}

/// Returns everything that is kept of everybody, but for versions and when they were made.
fn state(fixture: &Fixture) -> Vec<Memory> {
    let caller = keeper();
    let changes = block_on(fixture.store.changes(caller.access(), 0, 100_000)).unwrap();
    let ids: BTreeSet<MemoryId> = changes.into_iter().map(|change| change.id).collect();
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let memories = block_on(fixture.store.get(caller.access(), &ids)).unwrap();
    let bare = |memory: Memory| Memory { version: 0, updated_at: memory.created_at, ..memory };
    memories.into_iter().map(bare).collect()
}

/// Enters a job as a store would be left with it.
fn commit(fixture: &Fixture, work: Work) {
    let commit = Commit {
        actor: named("keeper"),
        at: fixture.engine.now(),
        changes: Vec::new(),
        audit: Vec::new(),
        idempotency: None,
        work: Some(Box::new(work)),
    };
    block_on(fixture.store.commit(commit)).unwrap();
}

#[test]
fn what_nobody_reads_falls_out_of_use_and_a_job_says_so() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    let read = fixture.fact("bob", "Bob plays the organ");
    assert_eq!(decay(&fixture).counts.updated, 0, "it is young");
    fixture.wait(days(20));
    assert_eq!(fixture.found("bob", "organ").len(), 1);
    block_on(fixture.engine.settle()).unwrap();
    fixture.wait(days(11));
    let job = decay(&fixture);
    assert_eq!((job.state, job.counts.looked_at, job.counts.updated), (JobState::Completed, 2, 1));
    assert!(job.ended_at.is_some_and(|end| end > job.started_at));
    assert_eq!(get(&fixture, &tea.id).state, State::Decayed);
    assert_eq!(get(&fixture, &read.id).state, State::Active, "reading keeps it");
    assert!(fixture.found("alice", "tea").is_empty());
    fixture.wait(days(31));
    decay(&fixture);
    assert_eq!(get(&fixture, &tea.id).state, State::Archived);
    let confirmation = Confirmation::new(Source::through(Channel::ExplicitSave));
    block_on(fixture.engine.confirm(&local("alice"), &tea.id, &confirmation)).unwrap();
    fixture.wait(days(3_000));
    assert_eq!(decay(&fixture).counts.updated, 1, "only the other one");
    assert_eq!(get(&fixture, &tea.id).state, State::Active, "what is confirmed never fades");
}

#[test]
fn a_rehearsal_shows_everything_and_changes_nothing() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    fixture.wait(days(31));
    let before = state(&fixture);
    let assignment = Assignment::of(Task::Decay);
    let pieces =
        block_on(fixture.engine.would_maintain(&keeper(), &assignment, &|_, _| {})).unwrap();
    let [piece] = &pieces[..] else { panic!("{pieces:?}") };
    assert_eq!((piece.verdict, &piece.scope), (Verdict::Allowed, &tea.scope));
    assert_eq!(piece.plan.steps[0].after().unwrap().state, State::Decayed);
    assert_eq!(state(&fixture), before);
    assert_eq!(block_on(fixture.engine.jobs(&keeper(), None, 9)).unwrap(), []);
}

#[test]
fn taking_much_away_waits_for_somebodys_word() {
    let fixture = Fixture::new();
    for number in 0..30 {
        fixture.fact("alice", &format!("fact number {number}"));
    }
    let other = fixture.fact("bob", "Bob plays the organ");
    fixture.wait(days(31));
    let before = state(&fixture);
    let held = decay(&fixture);
    assert_eq!((held.state, held.counts.held, held.counts.updated), (JobState::Held, 1, 1));
    assert!(held.note.as_ref().unwrap().contains("30 of 30 in user:alice"), "{held:?}");
    assert_eq!(get(&fixture, &other.id).state, State::Decayed, "other places go on");
    assert_ne!(state(&fixture), before);
    let agreed = Assignment { agreed: true, ..Assignment::of(Task::Decay) };
    let job = run(&fixture, &keeper(), &agreed).unwrap();
    assert_eq!((job.state, job.counts.updated), (JobState::Completed, 30));
}

#[test]
fn a_job_that_is_taken_back_leaves_everything_as_it_was() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    fixture.fact("bob", "Bob plays the organ");
    fixture.wait(days(31));
    let before = state(&fixture);
    let job = decay(&fixture);
    assert_ne!(state(&fixture), before);
    let undone = undo(&fixture, &job, Undoing::default()).unwrap();
    assert_eq!(state(&fixture), before);
    assert_eq!((undone.task, undone.undoes.as_ref()), (Task::Undo, Some(&job.id)));
    assert_eq!(undone.counts.updated, 2);
    assert_eq!(fixture.found("alice", "tea"), ["Alice drinks tea"]);
    assert_eq!(get(&fixture, &tea.id).version, 3, "a number never means another state");
    let (job, changes) = block_on(fixture.engine.job(&keeper(), &job.id)).unwrap();
    assert_eq!((job.state, job.undone_by.as_ref()), (JobState::Undone, Some(&undone.id)));
    assert_eq!(changes.len(), 2);
    let again = undo(&fixture, &job, Undoing::default()).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict);
    assert!(again.to_string().contains("already"), "{again}");
    assert!(undo(&fixture, &undone, Undoing::default()).is_err());
    block_on(fixture.engine.verify_audit(&keeper())).unwrap();
}

#[test]
fn what_somebody_changed_since_is_never_overwritten() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    let milk = fixture.fact("alice", "Alice takes milk");
    let gone = fixture.fact("alice", "Alice is eight");
    fixture.wait(days(31));
    let job = decay(&fixture);
    block_on(fixture.engine.bring_back(&local("alice"), &tea.id)).unwrap();
    block_on(fixture.engine.forget(&local("alice"), std::slice::from_ref(&gone.id))).unwrap();
    let before = state(&fixture);
    let refused = undo(&fixture, &job, Undoing::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.details()["id"], tea.id.as_str());
    assert_eq!(state(&fixture), before);
    let skipping = Undoing { skip_changed: true, ..Undoing::default() };
    let undone = block_on(fixture.engine.undo(&keeper(), &job.id, skipping)).unwrap();
    assert_eq!(undone.skipped, std::slice::from_ref(&tea.id));
    assert_eq!(get(&fixture, &milk.id).state, State::Active);
    assert_eq!(get(&fixture, &tea.id).version, 3);
    assert!(block_on(fixture.engine.get(&keeper(), &gone.id)).is_err(), "it stays gone");
}

#[test]
fn jobs_are_taken_back_one_after_the_other_the_latest_first() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks tea");
    let mut done = Vec::new();
    for expected in [State::Decayed, State::Archived] {
        let before = state(&fixture);
        fixture.wait(days(31));
        done.push((decay(&fixture), before));
        assert_eq!(state(&fixture)[0].state, expected);
    }
    let first = undo(&fixture, &done[0].0, Undoing::default()).unwrap_err();
    assert_eq!(first.kind(), ErrorKind::Conflict, "a later job went on from it");
    for (job, before) in done.into_iter().rev() {
        undo(&fixture, &job, Undoing::default()).unwrap();
        assert_eq!(state(&fixture), before);
    }
}

#[test]
fn what_somebody_changed_while_a_job_went_on_is_not_overwritten() {
    let fixture = Fixture::new();
    for session in ["s1", "s2"] {
        let mut said = episode("alice", "I love opera");
        said.source.session = Some(named(session));
        fixture.remember(said).unwrap();
    }
    let confirm_between = |done: usize, _: usize| {
        if done == 1 {
            let fact = state(&fixture).into_iter().find(|memory| memory.kind == Kind::Fact);
            let own = Confirmation::new(Source::through(Channel::ExplicitSave));
            block_on(fixture.engine.confirm(&local("alice"), &fact.unwrap().id, &own)).unwrap();
        }
    };
    let assignment = Assignment::of(Task::Consolidate);
    let job = block_on(fixture.engine.maintain(&keeper(), &assignment, &confirm_between)).unwrap();
    assert_eq!((job.counts.created, job.counts.updated), (1, 1));
    let before = state(&fixture);
    let refused = undo(&fixture, &job, Undoing::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(state(&fixture), before, "somebody vouched for it");
}

/// Lets Alice say something in a conversation.
fn say(fixture: &Fixture, scope: Scope, text: &str) {
    let mut said = Draft { scope, ..episode("alice", text) };
    said.source.session = Some(named("s1"));
    fixture.remember(said).unwrap();
}

#[test]
fn what_took_the_place_of_another_and_stays_keeps_it_ended() {
    let fixture = Fixture::new();
    let old = fixture.fact("alice", "The user lives in Rome");
    fixture.wait(days(1));
    say(&fixture, old.scope.clone(), "I moved to Oslo");
    let job = run(&fixture, &keeper(), &Assignment::of(Task::Consolidate)).unwrap();
    let by = get(&fixture, &old.id).provenance.superseded_by.unwrap();
    let own = Confirmation::new(Source::through(Channel::ExplicitSave));
    block_on(fixture.engine.confirm(&local("alice"), &by, &own)).unwrap();
    let skipping = Undoing { skip_changed: true, ..Undoing::default() };
    let undone = block_on(fixture.engine.undo(&keeper(), &job.id, skipping)).unwrap();
    assert_eq!(undone.skipped, [by.clone(), old.id.clone()]);
    assert_eq!(get(&fixture, &old.id).provenance.superseded_by, Some(by));
}

#[test]
fn what_had_ended_and_made_room_does_not_keep_a_job_from_being_taken_back() {
    let sessions = Sessions { retention: Some(days(1)), ..Sessions::default() };
    let fixture = Fixture::with(Config { sessions, ..Config::default() });
    let names = [(Layer::User, "alice"), (Layer::Session, "s1")];
    let conversation = scope(Layer::Session, &names);
    say(&fixture, conversation.clone(), "I live in Oslo");
    for task in [Task::Consolidate, Task::Promote] {
        run(&fixture, &keeper(), &Assignment::of(task)).unwrap();
    }
    fixture.wait(days(3));
    say(&fixture, conversation, "I live in Oslo");
    let all = || state(&fixture).into_iter();
    let before: Vec<Memory> =
        all().filter(|memory| !memory.expired(fixture.engine.now())).collect();
    let job = run(&fixture, &keeper(), &Assignment::of(Task::Consolidate)).unwrap();
    assert_eq!(job.counts.created, 1, "what has ended is learnt anew");
    undo(&fixture, &job, Undoing::default()).unwrap();
    let after: Vec<Memory> = all().filter(|memory| !memory.expired(fixture.engine.now())).collect();
    assert_eq!(after, before);
}

#[test]
fn what_has_ended_is_removed_by_a_job_that_cannot_be_taken_back() {
    let fixture = Fixture::new();
    let short = Lifetime::For(SignedDuration::from_hours(1));
    let gone = fixture.remember(Draft { lifetime: short, ..episode("alice", "brb") });
    let gone = gone.unwrap().memory;
    fixture.wait(days(1));
    let (caller, expire) = (keeper(), Assignment::of(Task::Expire));
    let pieces = block_on(fixture.engine.would_maintain(&caller, &expire, &|_, _| {})).unwrap();
    let [piece] = &pieces[..] else { panic!("{pieces:?}") };
    assert_eq!((piece.verdict, &piece.scope), (Verdict::Allowed, &gone.scope));
    assert_eq!(piece.plan.steps.iter().map(Step::id).collect::<Vec<_>>(), [&gone.id]);
    assert_eq!(
        block_on(fixture.store.ended(caller.access(), fixture.engine.now(), 9)).unwrap().len(),
        1
    );
    let job = run(&fixture, &keeper(), &Assignment::of(Task::Expire)).unwrap();
    assert_eq!((job.state, job.counts.forgotten), (JobState::Completed, 1));
    assert!(block_on(fixture.store.get(keeper().access(), &[gone.id])).unwrap().is_empty());
    let error = undo(&fixture, &job, Undoing::default()).unwrap_err();
    assert!(error.to_string().contains("which is gone"), "{error}");
}

#[test]
fn one_job_runs_at_a_time_and_one_that_stopped_is_not_called_complete() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks tea");
    let now = fixture.engine.now();
    let until = now + SignedDuration::from_mins(15);
    assert!(block_on(fixture.store.lease("maintain", "somebody", now, until)).unwrap());
    let refused = run(&fixture, &keeper(), &Assignment::of(Task::Decay)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    fixture.wait(SignedDuration::from_mins(16));
    let job = decay(&fixture);
    let stopped = Job { state: JobState::Running, ended_at: None, ..job.clone() };
    commit(&fixture, Work::on(stopped));
    let seen = || block_on(fixture.engine.job(&keeper(), &job.id)).unwrap().0.state;
    assert_eq!(seen(), JobState::Running);
    fixture.wait(SignedDuration::from_mins(16));
    assert_eq!(seen(), JobState::Interrupted);
}

#[test]
fn a_job_whose_place_another_took_stops_and_says_so() {
    let fixture = Fixture::new();
    for session in ["s1", "s2", "s3"] {
        let mut said = episode("alice", "I love opera");
        said.source.session = Some(named(session));
        fixture.remember(said).unwrap();
    }
    let take_over = |done: usize, _: usize| {
        if done == 1 {
            fixture.wait(SignedDuration::from_mins(16));
            let now = fixture.engine.now();
            let until = now + SignedDuration::from_mins(15);
            assert!(block_on(fixture.store.lease("maintain", "another", now, until)).unwrap());
        }
    };
    let assignment = Assignment::of(Task::Consolidate);
    let job = block_on(fixture.engine.maintain(&keeper(), &assignment, &take_over)).unwrap();
    assert_eq!((job.state, job.counts.created, job.counts.failed), (JobState::Failed, 1, 1));
    assert!(job.note.as_ref().unwrap().contains("another job took its place"), "{job:?}");
    let (stage, now) = (Stage::Consolidated, fixture.engine.now());
    let left = block_on(fixture.store.waiting(keeper().access(), stage, now)).unwrap();
    assert_eq!(left.len(), 2, "what it had no right to do is not done");
    let refused = run(&fixture, &keeper(), &Assignment::of(Task::Decay)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "the other one goes on");
}

#[test]
fn nobody_sees_or_takes_back_a_job_of_others() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks tea");
    fixture.wait(days(31));
    let job = decay(&fixture);
    let bob = Identifiers::default().with(Layer::User, named("bob"));
    let bob = Caller::bound(named("bob"), &bob);
    assert_eq!(block_on(fixture.engine.jobs(&bob, None, 9)).unwrap(), []);
    let unknown: JobId = format!("job_{:032x}", 7).parse().unwrap();
    let not_his = block_on(fixture.engine.job(&bob, &job.id)).unwrap_err();
    let not_there = block_on(fixture.engine.job(&bob, &unknown)).unwrap_err();
    assert_eq!(
        not_his.to_string().replace(job.id.as_str(), "X"),
        not_there.to_string().replace(unknown.as_str(), "X")
    );
    assert!(block_on(fixture.engine.undo(&bob, &job.id, Undoing::default())).is_err());
    let own = run(&fixture, &bob, &Assignment::of(Task::Decay)).unwrap();
    assert_eq!(block_on(fixture.engine.jobs(&bob, None, 9)).unwrap(), [own]);
    assert_eq!(block_on(fixture.engine.jobs(&keeper(), None, 9)).unwrap().len(), 2);
}

#[test]
fn a_job_is_taken_back_by_whoever_opens_all_of_it() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks tea");
    fixture.fact("bob", "Bob plays the organ");
    fixture.wait(days(31));
    let job = decay(&fixture);
    let before = state(&fixture);
    let refused = |result: Result<()>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
    };
    let (alice, how) = (local("alice"), Undoing::default());
    refused(block_on(fixture.engine.would_undo(&alice, &job.id, how)).map(drop));
    refused(block_on(fixture.engine.undo(&alice, &job.id, how)).map(drop));
    assert_eq!(state(&fixture), before);
    undo(&fixture, &job, how).unwrap();
}

#[test]
fn work_is_done_only_where_the_caller_may() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    fixture.wait(days(31));
    let within = Some(vec![tea.scope.clone()]);
    let hers = Assignment { within, ..Assignment::of(Task::Decay) };
    let refused = run(&fixture, &local("bob"), &hers).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unauthorized);
    let rehearsed = block_on(fixture.engine.would_maintain(&local("bob"), &hers, &|_, _| {}));
    assert_eq!(rehearsed.unwrap_err().kind(), ErrorKind::Unauthorized);
    let everywhere = run(&fixture, &local("bob"), &Assignment::of(Task::Decay)).unwrap();
    assert_eq!((everywhere.counts.looked_at, get(&fixture, &tea.id).version), (0, 1));
}

#[test]
fn a_job_is_in_the_audit_without_content() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks tea");
    fixture.wait(days(31));
    let job = decay(&fixture);
    undo(&fixture, &job, Undoing::default()).unwrap();
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::After(0), 1_000)).unwrap();
    let of_jobs: Vec<_> = entries
        .iter()
        .filter(|entry| entry.record.action == AuditAction::Maintenance)
        .map(|entry| {
            assert!(entry.record.changes.is_some(), "it vouches for the changes");
            entry.record.details["task"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(of_jobs, ["decay", "undo"]);
    assert!(!format!("{entries:?}").contains("tea"));
}

#[test]
fn a_copy_keeps_jobs_and_what_they_looked_at() {
    let fixture = Fixture::new();
    let mut said = episode("alice", "I live in Cardiff");
    said.source.session = Some(named("s1"));
    let turn = fixture.remember(said).unwrap().memory;
    let job = decay(&fixture);
    let through = vec![(turn.id.clone(), Stage::Consolidated)];
    commit(&fixture, Work { through, ..Work::on(job.clone()) });
    let copy = fixture.folder().join("copy.db");
    block_on(fixture.store.backup(&copy)).unwrap();
    let other = Fixture::new();
    let now = other.engine.now();
    block_on(other.store.restore(&copy, &keeper(), now)).unwrap();
    assert_eq!(block_on(other.store.job(&job.id)).unwrap(), Some(job));
    let waiting = block_on(other.store.waiting(keeper().access(), Stage::Consolidated, now));
    assert_eq!(waiting.unwrap(), []);
}

fn nightly() -> Timetable {
    let lines = [(Task::Decay, "0 4 * * *"), (Task::Expire, "@hourly")];
    Timetable::new(lines, &TimeZone::UTC, "store").unwrap()
}

fn due(fixture: &Fixture) -> Vec<(Task, JobState)> {
    let jobs = block_on(fixture.engine.maintain_due(&keeper(), &nightly())).unwrap();
    jobs.into_iter().map(|job| (job.task, job.state)).collect()
}

#[test]
fn what_was_missed_is_caught_up_once() {
    let fixture = Fixture::new();
    assert_eq!(due(&fixture), [], "nobody has used the store");
    let tea = fixture.fact("alice", "Alice drinks tea");
    assert_eq!(due(&fixture), [], "nothing was due since");
    fixture.wait(days(31));
    let done = [(Task::Decay, JobState::Completed), (Task::Expire, JobState::Completed)];
    assert_eq!(due(&fixture), done);
    assert_eq!(due(&fixture), []);
    assert_eq!(get(&fixture, &tea.id).state, State::Decayed);
    let [latest] = &block_on(fixture.engine.jobs(&keeper(), Some(Task::Decay), 9)).unwrap()[..]
    else {
        panic!("one run for all that were missed")
    };
    let due_at = latest.due_at.unwrap();
    assert_eq!(due_at.to_string(), "2026-04-01T04:00:00Z");
    fixture.wait(SignedDuration::from_hours(2));
    assert_eq!(due(&fixture), [(Task::Expire, JobState::Completed)]);
    fixture.wait(days(-400));
    assert_eq!(due(&fixture), [], "a clock that is behind does nothing");
}

#[test]
fn what_somebody_did_for_themselves_is_not_done_for_everybody() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    fixture.wait(days(31));
    let bob = Caller::bound(named("bob"), &Identifiers::default().with(Layer::User, named("bob")));
    run(&fixture, &bob, &Assignment::of(Task::Decay)).unwrap();
    assert!(due(&fixture).contains(&(Task::Decay, JobState::Completed)));
    assert_eq!(get(&fixture, &tea.id).state, State::Decayed);
}

#[test]
fn of_many_processes_one_does_what_is_due() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks tea");
    fixture.wait(days(2));
    let engines: Vec<Engine> = (0..6)
        .map(|_| {
            let store = Arc::new(SqliteStore::open(&fixture.path()).unwrap());
            let now = fixture.engine.now();
            Engine::shared(store, move || now, Config::default())
        })
        .collect();
    let done: usize = std::thread::scope(|threads| {
        let run = |engine| block_on(Engine::maintain_due(engine, &keeper(), &nightly()));
        let all: Vec<_> = engines
            .iter()
            .map(|engine| threads.spawn(move || run(engine).unwrap().len()))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert!(done <= 2);
    due(&fixture);
    assert_eq!(block_on(fixture.engine.jobs(&keeper(), None, 99)).unwrap().len(), 2);
}

#[test]
fn of_runs_that_did_nothing_in_a_row_the_last_one_is_kept() {
    let fixture = Fixture::new();
    fixture.fact("alice", "Alice drinks tea");
    let runs = || block_on(fixture.engine.jobs(&keeper(), None, 99)).unwrap();
    let first = decay(&fixture);
    fixture.wait(days(1));
    run(&fixture, &keeper(), &Assignment::of(Task::Expire)).unwrap();
    let second = decay(&fixture);
    let bob = Caller::bound(named("bob"), &Identifiers::default().with(Layer::User, named("bob")));
    let bobs = run(&fixture, &bob, &Assignment::of(Task::Decay)).unwrap();
    assert!(runs().iter().all(|job| job.id != first.id), "a later one did nothing either");
    assert!(runs().contains(&second) && runs().contains(&bobs), "another's says something else");
    fixture.wait(days(31));
    let faded = decay(&fixture);
    let idle = decay(&fixture);
    let decays = block_on(fixture.engine.jobs(&keeper(), Some(Task::Decay), 99)).unwrap();
    assert_eq!(decays, [idle, faded, bobs, second]);
    assert_eq!(runs().iter().filter(|job| job.task == Task::Expire).count(), 1);
}

#[test]
fn a_census_says_how_jobs_went() {
    let fixture = Fixture::new();
    let census = || block_on(fixture.engine.census(&keeper())).unwrap().tasks;
    assert!(census().is_empty());
    fixture.fact("alice", "Alice drinks tea");
    fixture.wait(days(31));
    due(&fixture);
    fixture.wait(days(31));
    let job = decay(&fixture);
    undo(&fixture, &job, Undoing::default()).unwrap();
    let tasks = census();
    assert_eq!(tasks.keys().collect::<Vec<_>>(), [&Task::Decay, &Task::Expire, &Task::Undo]);
    let decay = &tasks[&Task::Decay];
    assert_eq!((decay.state, decay.counts.looked_at), (JobState::Undone, 1));
    assert_eq!(decay.started_at, job.started_at);
    assert!(decay.duration.is_some_and(|duration| duration > SignedDuration::ZERO));
    let lag = decay.lag.unwrap();
    assert!(lag > SignedDuration::from_hours(1) && lag < days(1), "of the one before: {lag}");
    let counts: Vec<u64> = decay.states.iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [0, 1, 0, 0, 0, 1]);
}
