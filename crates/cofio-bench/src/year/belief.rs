//! What an engine believes, beside what was said.

use std::collections::HashSet;

use cofio::text::{document_terms, query_words};
use serde::Serialize;

use super::conversation::User;
use super::truth::{Place, Statement};
use crate::rate::Rate;

/// A fact that is in use, and the turns it was concluded from.
#[derive(Debug, Clone)]
pub struct Fact {
    pub content: String,
    pub from: Vec<Place>,
}

impl Fact {
    /// Returns whether it was concluded from one of the turns, and has a value in its text.
    fn says(&self, value: &str, places: &[Place]) -> bool {
        self.from.iter().any(|place| places.contains(place)) && tells(&self.content, value)
    }
}

/// Words that a fact need not have, as other forms of them say the same.
const LIGHT: [&str; 4] = ["do", "go", "have", "my"];

/// Returns whether a fact has all words of a value in whatever form, as "visits their dad" has those
/// of "visit my dad".
pub fn tells(content: &str, value: &str) -> bool {
    let terms: HashSet<String> = document_terms(content).into_iter().collect();
    let own: Vec<&str> = value.split(' ').filter(|word| !LIGHT.contains(word)).collect();
    let words = query_words(&own.join(" "));
    !words.is_empty() && words.iter().all(|forms| forms.iter().any(|form| terms.contains(form)))
}

/// How much of what holds is known, and how much is believed that does not hold.
#[derive(Default, Clone, Copy, Serialize)]
pub struct Belief {
    /// Of what was told and holds, what is known.
    pub known: Rate,
    /// Of what was told and is over, what is still believed.
    pub outdated: Rate,
    /// Of what was said and was never true, what is believed.
    pub misled: Rate,
}

impl Belief {
    /// Counts what is believed of a user at the end of a day.
    pub fn count(&mut self, user: &User, day: usize, facts: &[Fact]) {
        let believed =
            |value: &str, places: &[Place]| facts.iter().any(|fact| fact.says(value, places));
        let told = |statement: &Statement| {
            let mut places = statement.mentioned.clone();
            places.push(statement.told);
            believed(&statement.value, &places)
        };
        for statement in user.statements.iter().filter(|statement| statement.told.day <= day) {
            let rate = if statement.over_on(day) { &mut self.outdated } else { &mut self.known };
            rate.count(told(statement));
        }
        for decoy in user.decoys.iter().filter(|decoy| decoy.place.day <= day) {
            self.misled.count(believed(&decoy.value, &[decoy.place]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::truth::{Decoy, DecoyKind, Ending};
    use super::*;

    const TOLD: Place = Place { day: 1, session: 0, turn: 0 };
    const LATER: Place = Place { day: 5, session: 0, turn: 2 };

    /// Somebody who moved from Leeds to York on day 5, and read on day 1 that they live in Minsk.
    fn user() -> User {
        let statement = |value: &str, told, ending| Statement {
            subject: "user".to_owned(),
            attribute: "home",
            value: value.to_owned(),
            extra: String::new(),
            told,
            mentioned: Vec::new(),
            ending,
        };
        let (kind, value) = (DecoyKind::Page, "Minsk".to_owned());
        User {
            name: "user-0".to_owned(),
            days: Vec::new(),
            statements: vec![
                statement("Leeds", TOLD, Some(Ending::Told(LATER))),
                statement("York", LATER, None),
            ],
            decoys: vec![Decoy { place: TOLD, kind, attribute: "home", value }],
        }
    }

    fn check(day: usize, facts: &[(&str, Place)], expected: [(usize, usize); 3]) {
        let fact = |&(content, place): &(&str, Place)| Fact {
            content: content.to_owned(),
            from: vec![place],
        };
        let facts: Vec<Fact> = facts.iter().map(fact).collect();
        let mut belief = Belief::default();
        belief.count(&user(), day, &facts);
        let Belief { known, outdated, misled } = belief;
        assert_eq!([known, outdated, misled].map(|rate| (rate.found, rate.of)), expected);
    }

    #[test]
    fn what_is_believed_counts_by_what_holds_on_the_day() {
        let lives_in_leeds = [("lives in leeds", TOLD)];
        check(0, &[], [(0, 0), (0, 0), (0, 0)]);
        check(1, &lives_in_leeds, [(1, 1), (0, 0), (0, 1)]);
        check(5, &lives_in_leeds, [(0, 1), (1, 1), (0, 1)]);
        check(5, &[("lives in York", LATER)], [(1, 1), (0, 1), (0, 1)]);
        check(5, &[("lives in Minsk", TOLD)], [(0, 1), (0, 1), (1, 1)]);
    }

    #[test]
    fn a_fact_may_tell_a_value_in_other_forms_but_not_in_part() {
        for (content, value, expected) in [
            ("The user goes running every Tuesday", "go running", true),
            ("The user visits their dad on Sundays", "visit my dad", true),
            ("The user smokes", "smoke", true),
            ("The user lives in YORK", "York", true),
            ("The user lives in San Marino", "San Antonio", false),
            ("The user plays the cello", "play badminton", false),
        ] {
            assert_eq!(tells(content, value), expected, "{content}");
        }
    }

    #[test]
    fn a_fact_from_another_turn_is_not_the_one_that_was_told() {
        check(1, &[("lives in Leeds", LATER)], [(0, 1), (0, 0), (0, 1)]);
    }
}
