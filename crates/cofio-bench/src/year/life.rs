//! What happens in a life and on which days, before anybody tells of it.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::aspect::{ASPECTS, Aspect, Holds};
use super::vocabulary::entries;

/// In how many days a user tells how things are.
const FIRST_WEEKS: usize = 56;

/// From which day on something changes.
const FIRST_CHANGE: usize = 30;

/// How many days a year has, for which changes are counted.
const YEAR: usize = 365;

/// What happens on each day, from 0.
pub type Agenda = BTreeMap<usize, Vec<Happening>>;

/// Something to tell of.
#[derive(Debug, Clone, Copy)]
pub struct Happening {
    /// Which side of the life it concerns.
    pub aspect: &'static Aspect,
    /// What happens.
    pub act: Act,
}

/// What happens to a side of a life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Something holds.
    Begin,
    /// Something holds in place of something else.
    Change,
    /// Something holds no longer.
    End,
    /// The day has passed for which the statement of this number was made.
    LookBack(usize),
}

/// Makes up what happens in a life of so many days.
pub fn agenda(random: &mut Rng, days: usize) -> Agenda {
    let mut agenda = Agenda::new();
    for aspect in &ASPECTS {
        let mut add =
            |day: usize, act| agenda.entry(day).or_default().push(Happening { aspect, act });
        for number in 0..random.u8(aspect.at_first.clone()) {
            let first = usize::from(number > 0 || aspect.attribute != "name");
            add(first * random.usize(..FIRST_WEEKS.min(days)), Act::Begin);
        }
        for _ in 0..random.u8(aspect.changes.clone()) {
            let day = random.usize(FIRST_CHANGE..YEAR);
            let act = change(random, aspect);
            add(day, act);
            if act == Act::End && aspect.holds == Holds::One {
                add(day + random.usize(3..=20), Act::Begin);
            }
        }
    }
    agenda.split_off(&days);
    agenda
}

fn change(random: &mut Rng, aspect: &Aspect) -> Act {
    let (otherwise, ends) = match aspect.holds {
        Holds::One => (Act::Change, 0.3),
        Holds::Many => (Act::Begin, 0.5),
        Holds::UntilADay => (Act::Begin, 0.15),
    };
    let can_end = !entries(&format!("{} end", aspect.sayings)).is_empty();
    if can_end && random.f64() < ends { Act::End } else { otherwise }
}
