//! What may happen in a world.

use cofio::model::{Channel, Task};
use proptest::prelude::*;

/// What people say and write; a place may know any of it.
pub const SENTENCES: [&str; 24] = [
    "I live in Rome",
    "I live in Oslo",
    "I moved to Oslo last week",
    "I used to live in Rome",
    "Actually I live in Bergen",
    "I love opera",
    "I hate opera",
    "I don't like opera",
    "I smoke",
    "I no longer smoke",
    "I have two cats",
    "Actually I have three cats",
    "I work at Siemens",
    "I changed jobs",
    "My sister Ana is a nurse",
    "My sister lives in Oslo",
    "I live in Rome. Actually I live in Oslo.",
    "The user lives in Rome",
    "The user loves opera",
    "The user drinks strong black tea every morning",
    "The user drinks strong black tea nearly every morning",
    "The user reads old books",
    "The user reads old books mostly",
    "Ships sail on Mondays",
];

/// The ways in which it arrives.
const CHANNELS: [Channel; 7] = [
    Channel::OwnerMessage,
    Channel::OwnerMessage,
    Channel::ExplicitSave,
    Channel::ExplicitSave,
    Channel::OtherMessage,
    Channel::WebFetch,
    Channel::Import,
];

/// What the engine may do of itself and take back.
pub const REVERSIBLE: [Task; 5] =
    [Task::Consolidate, Task::Promote, Task::Merge, Task::Decay, Task::Reflect];

/// One thing that happens.
#[derive(Debug, Clone)]
pub enum Deed {
    /// Somebody says something in a conversation.
    Tell { place: usize, session: usize, said: Said },
    /// Somebody writes a fact down.
    Write { place: usize, said: Said, importance: Option<u8> },
    /// Somebody changes a memory, one of all that are there.
    Alter { which: usize, how: Alteration },
    /// Time passes.
    Wait { hours: i64 },
    /// The engine does something of itself, that is, one task after the other.
    Work(Work),
}

/// What is said, how it arrives, and how long ago it happened.
#[derive(Debug, Clone)]
pub struct Said {
    pub text: &'static str,
    pub channel: Channel,
    pub hours_ago: i64,
}

/// How somebody changes a memory.
#[derive(Debug, Clone)]
pub enum Alteration {
    Edit(&'static str),
    Correct(&'static str),
    Confirm,
    Approve,
    Reject,
    Archive,
    BringBack,
    Forget,
}

/// Tasks, each with the days that pass before it.
#[derive(Debug, Clone)]
pub struct Work {
    pub tasks: Vec<(Task, i64)>,
    /// The only place where it is done.
    pub place: Option<usize>,
    /// Whether somebody agreed.
    pub agreed: bool,
    /// What becomes of it.
    pub after: After,
}

/// What becomes of work that is done.
#[derive(Debug, Clone, Copy)]
pub enum After {
    /// It stays.
    Kept,
    /// It is taken back.
    TakenBack,
    /// It is taken back, and what it looked at is looked at again.
    TakenBackToBeDoneAgain,
}

/// Everything that happens in a world, in order.
pub fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    prop::collection::vec(deed(), 1..50)
}

fn deed() -> impl Strategy<Value = Deed> {
    let index = 0..1_000_usize;
    prop_oneof![
        6 => (index.clone(), index.clone(), said())
            .prop_map(|(place, session, said)| Deed::Tell { place, session, said }),
        4 => (index.clone(), said(), prop::option::of(0..=10_u8))
            .prop_map(|(place, said, importance)| Deed::Write { place, said, importance }),
        3 => (index, alteration()).prop_map(|(which, how)| Deed::Alter { which, how }),
        1 => prop_oneof![0..50_i64, 0..2_000_i64].prop_map(|hours| Deed::Wait { hours }),
        4 => work().prop_map(Deed::Work),
    ]
}

fn text() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&SENTENCES[..])
}

fn said() -> impl Strategy<Value = Said> {
    (text(), prop::sample::select(&CHANNELS[..]), 0..300_i64)
        .prop_map(|(text, channel, hours_ago)| Said { text, channel, hours_ago })
}

fn alteration() -> impl Strategy<Value = Alteration> {
    prop_oneof![
        text().prop_map(Alteration::Edit),
        text().prop_map(Alteration::Correct),
        Just(Alteration::Confirm),
        Just(Alteration::Approve),
        Just(Alteration::Reject),
        Just(Alteration::Archive),
        Just(Alteration::BringBack),
        Just(Alteration::Forget),
    ]
}

fn work() -> impl Strategy<Value = Work> {
    let kept = prop_oneof![
        4 => prop::sample::select(&REVERSIBLE[..]),
        1 => Just(Task::Expire),
    ];
    let days = || prop_oneof![3 => Just(0_i64), 2 => 1..40_i64];
    let all = prop::collection::vec((kept, days()), 1..4);
    let reversible = (prop::sample::select(&REVERSIBLE[..]), days());
    let reversible = prop::collection::vec(reversible, 1..5);
    let back = prop_oneof![Just(After::TakenBack), Just(After::TakenBackToBeDoneAgain)];
    let tasks = prop_oneof![(all, Just(After::Kept)), (reversible, back)];
    (tasks, prop::option::of(0..1_000_usize), any::<bool>())
        .prop_map(|((tasks, after), place, agreed)| Work { tasks, place, agreed, after })
}
