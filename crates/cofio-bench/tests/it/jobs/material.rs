//! Files in which a task has something to do for every one of some users.

use std::path::Path;
use std::sync::Arc;

use cofio::model::{
    Caller, Channel, Draft, Fraction, Identifier, Identifiers, Kind, Layer, Lifetime, Scope,
    Source, Task, Timestamp,
};
use cofio::store::SqliteStore;
use cofio::{Config, Engine};
use jiff::SignedDuration;
use pollster::block_on;

/// How many users there are.
pub const PLACES: usize = 30;

/// How many memories end: more than are removed together.
const ENDING: usize = 1_500;

/// Seconds of an hour.
pub const HOUR: i64 = 60 * 60;

/// Seconds of a day.
const DAY: i64 = 24 * HOUR;

/// Returns a moment, in seconds since the first job begins.
pub fn moment(seconds: i64) -> Timestamp {
    let first: Timestamp = "2026-06-01T12:00:00Z".parse().unwrap();
    first + SignedDuration::from_secs(seconds)
}

/// Makes a file where a task has something to do.
pub fn prepare(path: &Path, task: Task) {
    let store = Arc::new(SqliteStore::open(path).unwrap());
    let all = (0..PLACES).flat_map(|number| of_user(task, &format!("user{number}")));
    let mut drafts: Vec<(i64, Draft)> = all.collect();
    if task == Task::Expire {
        drafts.extend((0..ENDING).map(ending));
    }
    let caller = Caller::keeper(named("keeper"));
    let mut times: Vec<i64> = drafts.iter().map(|(at, _)| *at).collect();
    times.sort_unstable();
    times.dedup();
    for time in times {
        let engine = Engine::shared(store.clone(), move || moment(time), Config::default());
        let then = drafts.iter().filter(|(at, _)| *at == time).map(|(_, draft)| draft.clone());
        block_on(engine.remember_all(&caller, then.collect())).unwrap();
    }
}

/// Returns what is known of a user, each with when it was learnt.
fn of_user(task: Task, user: &str) -> Vec<(i64, Draft)> {
    let fact = |text: &str| own(Scope::user(named(user)), Kind::Fact, text);
    match task {
        Task::Consolidate | Task::Undo => {
            let said = ["I moved to Oslo", "I have two cats", "I work at Siemens"];
            let turns = said.map(|text| (-DAY, turn(user, text)));
            [(-3 * DAY, fact("The user lives in Rome"))].into_iter().chain(turns).collect()
        }
        Task::Promote => {
            let names = Identifiers::default()
                .with(Layer::User, named(user))
                .with(Layer::Session, named("s"));
            let scope = Scope::new(Layer::Session, &names).unwrap();
            let texts = ["I live in Oslo", "I have two cats", "I work at Siemens"];
            let mut drafts = texts.map(|text| (-DAY, own(scope.clone(), Kind::Fact, text)));
            for (_, draft) in &mut drafts {
                draft.metadata.importance = Fraction::new(0.9).ok();
            }
            drafts.into_iter().chain([(-DAY, own(scope, Kind::Fact, "It rains"))]).collect()
        }
        Task::Merge => {
            let texts = ["drinks black tea", "plays church organ", "reads old books"];
            let both = |text: &str| [format!("Alice {text}"), format!("Alice {text} mostly")];
            texts.iter().flat_map(|text| both(text)).map(|text| (-DAY, fact(&text))).collect()
        }
        Task::Enrich => {
            let texts = ["Caroline Herschel met Tom Baker", "Rachel works for Acme Ltd"];
            texts.map(|text| (-DAY, fact(text))).to_vec()
        }
        Task::Decay => {
            let texts = ["tea is black", "milk is white", "grass is green", "coal is dark"];
            texts.map(|text| (-40 * DAY, fact(text))).to_vec()
        }
        _ => {
            let texts = ["tea is black", "milk is white", "grass is green", "coal is dark"];
            texts.map(|text| (-DAY, fact(text))).to_vec()
        }
    }
}

fn turn(user: &str, text: &str) -> Draft {
    let mut turn = own(Scope::user(named(user)), Kind::Episode, text);
    turn.source.session = Some(named("s"));
    turn
}

/// Returns something that has ended when the first job begins.
fn ending(number: usize) -> (i64, Draft) {
    let text = format!("the bus leaves from stop {number}");
    let draft = own(Scope::user(named("user0")), Kind::Context, &text);
    let lifetime = Lifetime::For(SignedDuration::from_secs(HOUR));
    (-DAY, Draft { lifetime, ..draft })
}

fn own(scope: Scope, kind: Kind, text: &str) -> Draft {
    Draft::new(scope, kind, text, Source::through(Channel::OwnerMessage))
}

fn named(name: &str) -> Identifier {
    Identifier::new(name).unwrap()
}
