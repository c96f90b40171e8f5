//! Jobs are kept as they are, know what they changed, and take turns.

use super::fixtures::{
    access_to, commit, create, create_as, digest, forget, keeper, memory, moment, named, next, now,
    scope, update, user,
};
use super::subject::{Subject, together};
use crate::error::{Error, ErrorKind};
use crate::model::{
    Amount, Change, ChangeKind, Commit, Counts, Identifier, Job, JobId, JobState, Kind, Layer,
    Memory, MemoryId, Portion, Scope, Spending, Spent, Stage, State, Task, Trigger, Waiting, Work,
};
use crate::store::{LONGEST_LEASE, Permit};

fn job_id(number: u64) -> JobId {
    format!("job_{number:032x}").parse().expect("cases use valid ids")
}

/// Returns a job that began so many seconds into 2060 as its number says.
fn job(number: u64, task: Task) -> Job {
    let started_at = moment(i64::try_from(number).expect("cases use small numbers"));
    Job {
        id: job_id(number),
        task,
        state: JobState::Running,
        actor: named("tester"),
        trigger: Trigger::Hand,
        due_at: None,
        started_at,
        alive_until: started_at,
        ended_at: None,
        counts: Counts::default(),
        note: None,
        undoes: None,
        undone_by: None,
    }
}

fn working(work: Work, changes: Vec<Change>) -> Commit {
    Commit { work: Some(Box::new(work)), ..commit(changes) }
}

async fn work(store: &Subject, work: Work, changes: Vec<Change>) {
    store.attempt(working(work, changes)).await.expect("the commit is accepted");
}

async fn find(store: &Subject, number: u64) -> Option<Job> {
    store.0.job(&job_id(number)).await.expect("jobs are read")
}

/// Returns a turn of a conversation.
fn turn(scope: &Scope, number: u64, conversation: &str) -> Memory {
    let mut turn = Memory { kind: Kind::Episode, ..memory(scope, number, "the canary sings") };
    turn.id = format!("ep_{number:032x}").parse().expect("cases use valid ids");
    turn.source.session = Some(named(conversation));
    turn
}

/// Returns where memories wait, with how many and when the last was learnt.
async fn waiting(store: &Subject, stage: Stage) -> Vec<(Scope, Option<Identifier>, u64, i64)> {
    let waiting = store.0.waiting(&keeper(), stage, now()).await.expect("what waits is counted");
    let seconds = |waiting: &Waiting| waiting.latest_at.duration_since(moment(0)).as_secs();
    let short = |one: Waiting| {
        let seconds = seconds(&one);
        (one.scope, one.conversation, one.count, seconds)
    };
    waiting.into_iter().map(short).collect()
}

async fn first(
    store: &Subject,
    scope: &Scope,
    conversation: Option<&str>,
    stage: Stage,
    limit: usize,
) -> Vec<MemoryId> {
    let (scope, conversation) = (scope.clone(), conversation.map(named));
    let portion = Portion { stage, scope, conversation, now: now(), limit };
    let found = store.0.first_waiting(&portion).await;
    found.expect("what waits is read").into_iter().map(|memory| memory.id).collect()
}

pub(super) async fn a_job_is_as_the_last_commit_left_it(store: Subject) {
    assert_eq!(find(&store, 1).await, None);
    work(&store, Work::on(job(1, Task::Decay)), Vec::new()).await;
    assert_eq!(find(&store, 1).await, Some(job(1, Task::Decay)));
    let counts = Counts { looked_at: 1, created: 2, updated: 3, forgotten: 4, held: 5, failed: 6 };
    let ended = Job {
        state: JobState::Failed,
        trigger: Trigger::Schedule,
        due_at: Some(moment(0)),
        alive_until: moment(9),
        ended_at: Some(moment(8)),
        counts,
        note: Some("größer — \"大きい\"".to_owned()),
        undoes: Some(job_id(7)),
        undone_by: Some(job_id(8)),
        ..job(1, Task::Decay)
    };
    let other = Work { other: Some(job(2, Task::Undo)), ..Work::on(ended.clone()) };
    work(&store, other, Vec::new()).await;
    assert_eq!(find(&store, 1).await, Some(ended));
    assert_eq!(find(&store, 2).await, Some(job(2, Task::Undo)));
}

pub(super) async fn a_job_that_did_nothing_may_be_dismissed_and_no_other(store: Subject) {
    let tea = memory(&user("alice"), 1, "tea");
    work(&store, Work::on(job(1, Task::Decay)), vec![create(&tea)]).await;
    let through = vec![(tea.id.clone(), Stage::Enriched)];
    work(&store, Work { through, ..Work::on(job(2, Task::Enrich)) }, Vec::new()).await;
    work(&store, Work::on(job(3, Task::Reflect)), Vec::new()).await;
    reserve(&store, spending(1, job_id(3).as_str(), "user:alice", 5)).await;
    work(&store, Work::on(job(4, Task::Expire)), Vec::new()).await;
    for number in 1..=5 {
        let dismissed = Some(job_id(number));
        let next = Work { dismissed, ..Work::on(job(6, Task::Expire)) };
        work(&store, next, Vec::new()).await;
    }
    let mut left = Vec::new();
    for number in 1..=6 {
        left.extend(find(&store, number).await.map(|_| number));
    }
    assert_eq!(left, [1, 2, 3, 6]);
}

pub(super) async fn jobs_are_listed_latest_first(store: Subject) {
    let bobs = Job { actor: named("bob"), ..job(2, Task::Decay) };
    for job in [job(3, Task::Reflect), job(1, Task::Decay), bobs] {
        work(&store, Work::on(job), Vec::new()).await;
    }
    let check = async |actor: Option<&str>, task: Option<Task>, limit: usize, expected: &[u64]| {
        let actor = actor.map(named);
        let jobs = store.0.jobs(actor.as_ref(), task, limit).await.expect("jobs are listed");
        let found: Vec<JobId> = jobs.into_iter().map(|job| job.id).collect();
        assert_eq!(found, expected.iter().copied().map(job_id).collect::<Vec<_>>());
    };
    check(None, None, 9, &[3, 2, 1]).await;
    check(None, None, 2, &[3, 2]).await;
    check(Some("tester"), None, 9, &[3, 1]).await;
    check(None, Some(Task::Decay), 9, &[2, 1]).await;
    check(Some("bob"), Some(Task::Reflect), 9, &[]).await;
}

pub(super) async fn changes_are_known_by_their_job(store: Subject) {
    let (alices, bobs) = (memory(&user("alice"), 1, "tea"), memory(&user("bob"), 2, "tea"));
    store.keep(std::slice::from_ref(&alices)).await;
    let changes = vec![update(&next(&alices, "coffee")), create(&bobs)];
    work(&store, Work::on(job(1, Task::Decay)), changes).await;
    work(&store, Work::on(job(2, Task::Decay)), vec![forget(&bobs)]).await;
    let made = async |number: u64, access| {
        let changes = store.0.changes_of(&access, &job_id(number)).await;
        let changes = changes.expect("changes are read").into_iter();
        changes.map(|change| (change.id, change.kind, change.version)).collect::<Vec<_>>()
    };
    let updated = (alices.id.clone(), ChangeKind::Updated, 2);
    let created = (bobs.id.clone(), ChangeKind::Created, 1);
    assert_eq!(made(1, keeper()).await, [updated.clone(), created]);
    assert_eq!(made(1, access_to(&user("alice"))).await, [updated]);
    assert_eq!(made(2, keeper()).await, [(bobs.id, ChangeKind::Deleted, 1)]);
    assert_eq!(made(3, keeper()).await, []);
}

pub(super) async fn a_job_makes_every_change_or_none(store: Subject) {
    let (known, new) = (memory(&user("alice"), 1, "tea"), memory(&user("alice"), 2, "coffee"));
    store.commit(vec![create_as(&known, digest(1))]).await;
    let gone = memory(&user("alice"), 9, "gone");
    for stale in [create_as(&memory(&user("alice"), 3, "tea"), digest(1)), forget(&gone)] {
        store.conflicts(working(Work::on(job(1, Task::Decay)), vec![create(&new), stale])).await;
        assert_eq!(store.find(&new.id).await, None, "what fails changes nothing");
        assert_eq!(find(&store, 1).await, None, "not even the ledger");
    }
    work(&store, Work::on(job(1, Task::Decay)), vec![create(&new)]).await;
    assert_eq!(store.find(&new.id).await, Some(new));
    assert_eq!(store.0.verify_audit().await.expect("the audit is whole"), 2);
}

pub(super) async fn turns_wait_by_conversation_and_facts_with_them_by_scope(store: Subject) {
    let (alice, bob) = (user("alice"), user("bob"));
    let own = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "own")]);
    let mut of_session = turn(&own, 6, "x");
    of_session.source.session = None;
    let alone =
        Memory { source: memory(&alice, 7, "").source, ..turn(&alice, 7, "nobody hears this") };
    let ended = Memory { expires_at: Some(moment(20)), ..turn(&alice, 8, "a") };
    let put_away = Memory { state: State::Archived, ..turn(&alice, 9, "a") };
    store
        .keep(&[
            turn(&alice, 3, "a"),
            turn(&alice, 1, "a"),
            turn(&alice, 2, "b"),
            turn(&bob, 4, "a"),
            memory(&alice, 5, "a fact"),
            of_session,
            alone,
            ended,
            put_away,
        ])
        .await;
    let place =
        |scope: &Scope, name: &str, count, at| (scope.clone(), Some(named(name)), count, at);
    assert_eq!(
        waiting(&store, Stage::Consolidated).await,
        [
            place(&alice, "b", 1, 2),
            place(&alice, "a", 2, 3),
            place(&bob, "a", 1, 4),
            place(&own, "own", 1, 6)
        ]
    );
    assert_eq!(
        waiting(&store, Stage::Enriched).await,
        [(bob.clone(), None, 1, 4), (own, None, 1, 6), (alice.clone(), None, 5, 7)]
    );
    let seen = store.0.waiting(&access_to(&bob), Stage::Consolidated, now()).await;
    assert_eq!(seen.expect("what waits is counted").len(), 1, "nobody sees others'");
    let turns = |numbers: &[u64]| -> Vec<MemoryId> {
        numbers.iter().map(|number| turn(&alice, *number, "a").id).collect()
    };
    let stage = Stage::Consolidated;
    assert_eq!(first(&store, &alice, Some("a"), stage, 9).await, turns(&[1, 3]));
    assert_eq!(first(&store, &alice, Some("a"), stage, 1).await, turns(&[1]));
    assert_eq!(first(&store, &alice, None, stage, 9).await, turns(&[1, 2, 3]));
    assert_eq!(first(&store, &user("carol"), Some("a"), stage, 9).await, []);
    let all = first(&store, &alice, None, Stage::Enriched, 9).await;
    assert_eq!(all.len(), 5);
    assert_eq!(all[3], memory(&alice, 5, "").id);
}

pub(super) async fn what_came_through_a_stage_waits_no_more(store: Subject) {
    let alice = user("alice");
    let turns = [turn(&alice, 1, "a"), turn(&alice, 2, "a"), turn(&alice, 3, "a")];
    store.keep(&turns).await;
    let through = |number: usize| vec![(turns[number].id.clone(), Stage::Consolidated)];
    let one = Work { through: through(0), ..Work::on(job(1, Task::Consolidate)) };
    work(&store, one, Vec::new()).await;
    let two = Work { through: through(1), ..Work::on(job(2, Task::Consolidate)) };
    work(&store, two, vec![create(&memory(&alice, 9, "a fact"))]).await;
    let left = async |expected: &[usize]| {
        let left = first(&store, &alice, Some("a"), Stage::Consolidated, 9).await;
        assert_eq!(left, expected.iter().map(|n| turns[*n].id.clone()).collect::<Vec<_>>());
    };
    left(&[2]).await;
    assert_eq!(first(&store, &alice, None, Stage::Enriched, 9).await.len(), 4, "another stage");
    let archived = Memory { version: 2, ..turns[0].clone() };
    store.commit(vec![update(&archived)]).await;
    left(&[2]).await;
    store.commit(vec![update(&next(&archived, "another text"))]).await;
    left(&[0, 2]).await;
    let again = Work { again: Some(job_id(2)), ..Work::on(job(3, Task::Undo)) };
    work(&store, again, Vec::new()).await;
    left(&[0, 1, 2]).await;
    store.forget(&turns[1..2]).await;
    left(&[0, 2]).await;
}

pub(super) async fn what_came_through_a_stage_is_known_until_it_changes(store: Subject) {
    let (alice, bob) = (user("alice"), user("bob"));
    let facts = [memory(&alice, 1, "tea"), memory(&alice, 2, "milk"), memory(&bob, 3, "beer")];
    store.keep(&facts).await;
    let all = facts.iter().flat_map(|fact| {
        Stage::ALL.iter().map(|stage| (fact.id.clone(), *stage)).collect::<Vec<_>>()
    });
    work(&store, Work { through: all.collect(), ..Work::on(job(1, Task::Decay)) }, Vec::new())
        .await;
    let through = async |scope: &Scope, stage: Stage| {
        let mut ids = store.0.came_through(scope, stage).await.expect("stages are read");
        ids.sort();
        ids
    };
    let (tea, milk, beer) = (&facts[0].id, &facts[1].id, &facts[2].id);
    let relabelled = Memory { version: 2, ..facts[0].clone() };
    store.commit(vec![update(&relabelled), update(&next(&facts[1], "cream"))]).await;
    for stage in Stage::ALL.iter().copied() {
        let kept = if stage.is_of_text() { vec![tea.clone()] } else { Vec::new() };
        assert_eq!(through(&alice, stage).await, kept, "{stage}");
        assert_eq!(through(&bob, stage).await, std::slice::from_ref(beer), "{stage}");
        assert_eq!(through(&user("carol"), stage).await, []);
    }
    let once_more = Memory { version: 3, ..relabelled };
    let both = vec![(tea.clone(), Stage::Faded), (milk.clone(), Stage::Faded)];
    let second = Work { through: both, ..Work::on(job(2, Task::Undo)) };
    work(&store, second, vec![update(&once_more)]).await;
    let both = [tea.clone(), milk.clone()];
    assert_eq!(through(&alice, Stage::Faded).await, both, "the change is part of the same work");
    assert_eq!(waiting(&store, Stage::Faded).await, [], "nothing waits for it");
    let again = Work { again: Some(job_id(2)), ..Work::on(job(3, Task::Undo)) };
    work(&store, again, Vec::new()).await;
    assert_eq!(through(&alice, Stage::Faded).await, []);
}

fn spending(day: i8, job: &str, scope: &str, money: u64) -> Spending {
    Spending {
        day: jiff::civil::date(2026, 3, day),
        job: job.to_owned(),
        scope: scope.to_owned(),
        model: "größer/8b".to_owned(),
        amount: Amount { input: 10 * money, output: 1, money },
        settled: false,
    }
}

/// Asks for something to be spent, and returns its ticket and the money that was spent before on its
/// day, by its job and for its scope.
async fn reserve(store: &Subject, spending: Spending) -> (u64, [u64; 3]) {
    let (tell, told) = async_channel::bounded(1);
    let permit = move |spent: &Spent| {
        let amounts = [spent.day, spent.job, spent.scope].map(|amount| amount.money);
        tell.try_send(amounts).expect("it is asked once");
        Ok(())
    };
    let ticket = store.0.reserve(spending, Box::new(permit)).await.expect("it is permitted");
    (ticket, told.recv().await.expect("it is asked"))
}

pub(super) async fn what_is_spent_is_counted_by_day_job_and_scope(store: Subject) {
    let (first, before) = reserve(&store, spending(1, "a", "user:alice", 5)).await;
    assert_eq!(before, [0, 0, 0]);
    assert_eq!(reserve(&store, spending(1, "a", "user:bob", 7)).await.1, [5, 5, 0]);
    let (third, before) = reserve(&store, spending(2, "a", "user:alice", 11)).await;
    assert_eq!(before, [0, 12, 0], "another day, the same job");
    let amount = Amount { input: 3, output: 4, money: 2 };
    store.0.settle_spending(first, Some(amount)).await.expect("it is settled");
    store.0.settle_spending(third, None).await.expect("it is given back");
    assert_eq!(reserve(&store, spending(1, "b", "user:alice", 1)).await.1, [9, 0, 2]);
    let all = store.0.spending(9).await.expect("what was spent is listed");
    let settled = Spending { amount, settled: true, ..spending(1, "a", "user:alice", 5) };
    assert_eq!(all, [spending(1, "b", "user:alice", 1), spending(1, "a", "user:bob", 7), settled]);
    assert_eq!(store.0.spending(1).await.expect("what was spent is listed").len(), 1);
}

pub(super) async fn what_is_not_permitted_is_not_spent(store: Subject) {
    let refuse: Permit = Box::new(|_| Err(Error::new(ErrorKind::RateLimited, "too much")));
    let refused = store.0.reserve(spending(1, "a", "user:alice", 5), refuse).await;
    assert_eq!(refused.expect_err("it is refused").kind(), ErrorKind::RateLimited);
    assert_eq!(store.0.spending(9).await.expect("what was spent is listed"), []);
    let attempts = (0..8).map(|_| {
        let permit: Permit = Box::new(|spent| match spent.day.money {
            0..3 => Ok(()),
            _ => Err(Error::new(ErrorKind::RateLimited, "too much")),
        });
        store.0.reserve(spending(1, "a", "user:alice", 1), permit)
    });
    let results = together(attempts.collect()).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3, "{results:?}");
}

pub(super) async fn one_at_a_time_holds_a_lease(store: Subject) {
    let take = async |name: &str, holder: &str, at: i64, until: i64| {
        let taken = store.0.lease(name, holder, moment(at), moment(until)).await;
        taken.expect("a lease is asked for")
    };
    assert!(take("work", "one", 0, 10).await);
    assert!(!take("work", "two", 5, 20).await, "it is another's");
    assert!(take("play", "two", 5, 20).await, "it is another lease");
    assert!(take("work", "one", 5, 15).await, "its holder makes it longer");
    assert!(!take("work", "two", 12, 20).await);
    assert!(take("work", "two", 15, 20).await, "its time is over");
    assert!(take("work", "two", 16, 16).await, "its holder gives it back");
    assert!(take("work", "one", 16, 17).await);
    let far = 17 + LONGEST_LEASE.as_secs() + 100;
    assert!(take("work", "three", 17, far).await);
    assert!(take("work", "one", 20, 30).await, "a clock was wrong");
    let holders: Vec<String> = (0..8).map(|number| format!("holder {number}")).collect();
    let (now, until) = (moment(40), moment(50));
    let all = holders.iter().map(|holder| store.0.lease("work", holder, now, until));
    let taken = together(all.collect()).await;
    assert_eq!(taken.into_iter().filter(|taken| matches!(taken, Ok(true))).count(), 1);
}
