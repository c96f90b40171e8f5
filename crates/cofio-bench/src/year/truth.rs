//! What is true of a user, since when, and how one could know.

/// Where something was said in the conversations of a user: day, session and turn, each from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub day: usize,
    pub session: usize,
    pub turn: usize,
}

/// Something that a user has told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Whom it is about: `user`, or the name of a friend.
    pub subject: String,
    /// What it says of the subject.
    pub attribute: &'static str,
    /// The value, in words that were said.
    pub value: String,
    /// What was said with it: the species of a pet, what a decision is about.
    pub extra: String,
    /// The turn that told it.
    pub told: Place,
    /// Turns that spoke of it later as something that holds.
    pub mentioned: Vec<Place>,
    /// What ended it, if it has ended.
    pub ending: Option<Ending>,
}

/// What ended something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A turn told so, or told what holds in its place.
    Told(Place),
    /// A day for which it was planned.
    Passed(usize),
}

impl Statement {
    /// Returns whether it was told by the end of a day, and holds then.
    pub fn holds_on(&self, day: usize) -> bool {
        self.told.day <= day && !self.over_on(day)
    }

    /// Returns whether it was told, and is over by the end of a day.
    pub fn over_on(&self, day: usize) -> bool {
        match self.ending {
            None => false,
            Some(Ending::Told(place)) => place.day <= day,
            Some(Ending::Passed(passed)) => passed <= day,
        }
    }
}

/// Something that was said and is not true of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoy {
    /// The turn that says it.
    pub place: Place,
    /// How it got there.
    pub kind: DecoyKind,
    /// What it seems to say of the user.
    pub attribute: &'static str,
    /// The value, which is true of nobody.
    pub value: String,
}

/// How something gets into a conversation that is not true of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecoyKind {
    /// A page from outside claims it.
    Page,
    /// The user quotes, supposes or asks it.
    Quotation,
    /// The assistant is mistaken.
    Mistake,
}
