//! A year of conversations, and what is true in it.

use fastrand::Rng;
use jiff::civil::{Date, date};

use super::storyteller::Storyteller;
use super::truth::{Decoy, Place, Statement};
use cofio::model::Timestamp;

/// The first day of the year.
pub const FIRST_DAY: Date = date(2026, 1, 1);

/// What some users and their assistant said to each other.
#[derive(Debug, PartialEq, Eq)]
pub struct Year {
    /// The users, each with a life of their own.
    pub users: Vec<User>,
}

/// What one user and the assistant said to each other.
#[derive(Debug, PartialEq, Eq)]
pub struct User {
    /// What the user is called in the store.
    pub name: String,
    /// The sessions of each day.
    pub days: Vec<Vec<Session>>,
    /// What the user told, in the order in which it was told.
    pub statements: Vec<Statement>,
    /// What was said and is not true of the user.
    pub decoys: Vec<Decoy>,
}

/// One conversation.
#[derive(Debug, PartialEq, Eq)]
pub struct Session {
    /// When it began.
    pub began_at: Timestamp,
    /// What was said.
    pub turns: Vec<Turn>,
}

/// Something that was said.
#[derive(Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who said it.
    pub speaker: Speaker,
    /// What was said.
    pub text: String,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The assistant.
    Assistant,
    /// A page that a tool fetched from outside.
    Page,
}

impl Speaker {
    /// Returns the role under which it is remembered.
    pub fn role(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Page => "tool",
        }
    }
}

impl Year {
    /// Makes up the same year for the same seed; a user's life is the same however many there are.
    pub fn new(seed: u64, users: usize, days: usize) -> Self {
        let mut seeds = Rng::with_seed(seed);
        let user = |number| {
            let random = Rng::with_seed(seeds.u64(..));
            Storyteller::new(format!("user-{number}"), random, days).tell_all()
        };
        Self { users: (0..users).map(user).collect() }
    }
}

impl User {
    /// Returns what was said at a place.
    pub fn turn(&self, place: Place) -> Option<&Turn> {
        self.days.get(place.day)?.get(place.session)?.turns.get(place.turn)
    }

    /// Returns all that was told by the end of a day and holds then.
    pub fn holding(&self, day: usize) -> impl Iterator<Item = &Statement> {
        self.statements.iter().filter(move |statement| statement.holds_on(day))
    }
}
