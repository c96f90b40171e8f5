use std::collections::{BTreeMap, BTreeSet};

use super::aspect::{ASPECTS, About, Holds};
use super::conversation::{Session, Speaker, User, Year};
use super::extracted;
use super::truth::{DecoyKind, Ending, Place, Statement};

const DAYS: usize = 365;

fn year() -> Year {
    Year::new(1, 20, DAYS)
}

fn check_all(year: &Year, check: impl Fn(&User, &Statement)) {
    for user in &year.users {
        for statement in &user.statements {
            check(user, statement);
        }
    }
}

/// Returns what a user says at a place.
fn said(user: &User, place: Place) -> String {
    let turn = user.turn(place).unwrap_or_else(|| panic!("no turn at {place:?}"));
    assert_eq!(turn.speaker, Speaker::User, "{turn:?}");
    turn.text.to_lowercase()
}

#[test]
fn the_same_seed_makes_the_same_year() {
    assert_eq!(Year::new(7, 3, 40), Year::new(7, 3, 40));
    assert_ne!(Year::new(7, 3, 40), Year::new(8, 3, 40));
}

#[test]
fn a_life_does_not_depend_on_how_many_others_there_are() {
    assert_eq!(Year::new(7, 5, 40).users[..2], Year::new(7, 2, 40).users);
}

#[test]
fn every_statement_was_told_by_the_user_in_a_turn_that_has_its_value() {
    check_all(&year(), |user, statement| {
        let text = said(user, statement.told);
        assert!(text.contains(&statement.value.to_lowercase()), "{statement:?} in {text:?}");
        if statement.subject != "user" {
            assert!(text.contains(&statement.subject.to_lowercase()), "{statement:?} in {text:?}");
        }
    });
}

#[test]
fn what_is_mentioned_or_ended_was_told_before() {
    check_all(&year(), |user, statement| {
        for place in &statement.mentioned {
            assert!(*place > statement.told, "{statement:?}");
            assert!(statement.holds_on(place.day) || statement.over_on(place.day));
            said(user, *place);
        }
        if let Some(Ending::Told(place)) = statement.ending {
            assert!(place > statement.told, "{statement:?}");
            said(user, place);
        }
    });
}

#[test]
fn much_that_holds_is_spoken_of_again() {
    let year = year();
    let all = || year.users.iter().flat_map(|user| &user.statements);
    let again = all().filter(|statement| !statement.mentioned.is_empty()).count();
    assert!(again * 2 > all().count(), "{again} of {}", all().count());
}

#[test]
fn nothing_is_mentioned_that_has_ended() {
    check_all(&year(), |_, statement| {
        let ended = match statement.ending {
            Some(Ending::Told(place)) => place,
            Some(Ending::Passed(day)) => Place { day, session: 0, turn: 0 },
            None => return,
        };
        assert!(statement.mentioned.iter().all(|place| *place < ended), "{statement:?}");
    });
}

#[test]
fn nothing_holds_before_it_was_told_nor_after_it_has_ended() {
    check_all(&Year::new(3, 4, DAYS), |_, statement| {
        let held: Vec<usize> = (0..DAYS).filter(|day| statement.holds_on(*day)).collect();
        let end = match statement.ending {
            Some(Ending::Told(place)) => place.day,
            Some(Ending::Passed(day)) => day.min(DAYS),
            None => DAYS,
        };
        assert_eq!(held, (statement.told.day..end).collect::<Vec<_>>(), "{statement:?}");
    });
}

#[test]
fn one_value_holds_at_a_time_where_there_can_be_one_only() {
    let single = |statement: &&Statement| {
        let about_user = statement.subject == "user";
        ASPECTS.iter().any(|aspect| {
            aspect.attribute == statement.attribute
                && aspect.holds == Holds::One
                && (aspect.about == About::User) == about_user
        })
    };
    for user in &year().users {
        for day in (0..DAYS).step_by(7) {
            let mut values = BTreeMap::new();
            for held in user.holding(day).filter(single) {
                let other = values.insert((&held.subject, held.attribute), &held.value);
                assert_eq!(other, None, "{held:?}");
            }
        }
    }
}

#[test]
fn what_is_not_true_is_said_by_whoever_would_say_it_and_holds_of_nobody() {
    let year = year();
    let told: BTreeSet<&String> =
        year.users.iter().flat_map(|user| &user.statements).map(|told| &told.value).collect();
    for user in &year.users {
        for decoy in &user.decoys {
            let turn = user.turn(decoy.place).unwrap();
            let speaker = match decoy.kind {
                DecoyKind::Page => Speaker::Page,
                DecoyKind::Quotation => Speaker::User,
                DecoyKind::Mistake => Speaker::Assistant,
            };
            assert_eq!(turn.speaker, speaker);
            assert!(turn.text.to_lowercase().contains(&decoy.value.to_lowercase()), "{turn:?}");
            assert!(!told.contains(&decoy.value), "{decoy:?}");
        }
    }
}

#[test]
fn a_year_has_about_the_intended_size() {
    let year = year();
    let sessions = || year.users.iter().flat_map(|user| user.days.iter().flatten());
    assert!(year.users.iter().all(|user| user.days.len() == DAYS));
    assert!(year.users.iter().flat_map(|user| &user.days).all(|day| day.len() <= 3));
    assert!(sessions().all(|session: &Session| (4..=20).contains(&session.turns.len())));
    let turns: usize = sessions().map(|session| session.turns.len()).sum();
    assert!((60_000..100_000).contains(&turns), "{turns} turns");
    for user in &year.users {
        let (told, ended) = (user.statements.len(), user.holding(DAYS - 1).count());
        assert!((25..120).contains(&told), "{told} statements of {}", user.name);
        assert!(ended < told, "nothing ended for {}", user.name);
        assert!(user.decoys.iter().any(|decoy| decoy.kind == DecoyKind::Page));
    }
}

#[test]
fn little_is_said_twice_in_the_same_words() {
    let year = year();
    let told = year
        .users
        .iter()
        .flat_map(|user| user.statements.iter().map(move |statement| said(user, statement.told)));
    check_distinct(told, 0.9);
    let turns = year.users.iter().flat_map(|user| user.days.iter().flatten());
    let questions = turns.flat_map(|session| &session.turns).map(|turn| turn.text.clone());
    check_distinct(questions.filter(|text| text.ends_with('?')), 0.2);
}

/// Checks which share of texts differ from all before them.
fn check_distinct(texts: impl Iterator<Item = String>, least: f64) {
    let mut distinct = BTreeSet::new();
    let all = texts.map(|text| distinct.insert(text)).count();
    let share = distinct.len() as f64 / all as f64;
    assert!(share >= least, "{} of {all} differ", distinct.len());
}

#[test]
fn much_of_it_can_be_found_without_a_model_and_much_cannot() {
    let (found, _) = extracted(&year()).unwrap();
    assert!((0.3..0.9).contains(&found.ratio), "{} of {}", found.found, found.of);
}
