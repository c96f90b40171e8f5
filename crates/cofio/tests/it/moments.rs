//! What was believed at an earlier moment, and what was true at one.

mod replay;
mod world;

use cofio::engine::{Absence, ContextRequest};
use cofio::model::{Criteria, Memory, Objection, State};
use cofio::{ErrorKind, Query};

use pollster::block_on;

use self::world::{World, at, query, selection};
use crate::fixture::{episode, fact, local};

/// Checks what is known of Alice's drinks, listed and found, by both stores.
#[track_caller]
fn check(world: &World, criteria: &Criteria, expected: &[&str]) {
    assert_eq!(world.listed(criteria), expected, "listed by {world:?}");
    assert_eq!(world.found(criteria, "what does Alice drink"), expected, "found by {world:?}");
}

fn as_of(hours: i64) -> Criteria {
    Criteria { as_of: Some(at(hours)), ..Criteria::default() }
}

fn valid_at(hours: i64) -> Criteria {
    Criteria { valid_at: Some(at(hours)), ..Criteria::default() }
}

/// Remembers tea after one hour, and corrects it after three.
fn corrected(world: &World, since: Option<i64>) -> (Memory, Memory) {
    world.go_to(1);
    let tea = world.remember(fact("alice", "Alice drinks tea"));
    world.go_to(3);
    let since = since.map(at);
    let coffee = world.correct(&tea, "Alice drinks coffee", since).unwrap().memory;
    world.go_to(5);
    (tea, coffee)
}

#[test]
fn before_a_correction_what_was_wrong_was_believed() {
    for world in World::each() {
        corrected(&world, None);
        check(&world, &as_of(0), &[]);
        check(&world, &as_of(2), &["Alice drinks tea"]);
        check(&world, &as_of(4), &["Alice drinks coffee"]);
        check(&world, &Criteria::default(), &["Alice drinks coffee"]);
    }
}

#[test]
fn what_was_wrong_was_never_true_and_what_is_right_always_was() {
    for world in World::each() {
        corrected(&world, None);
        check(&world, &valid_at(0), &[]);
        for hours in [2, 4] {
            check(&world, &valid_at(hours), &["Alice drinks coffee"]);
        }
        let believed = Criteria { as_of: Some(at(2)), ..valid_at(2) };
        check(&world, &believed, &["Alice drinks tea"]);
    }
}

#[test]
fn what_the_world_changed_was_true_until_then() {
    for world in World::each() {
        let (tea, _) = corrected(&world, Some(2));
        check(&world, &valid_at(1), &["Alice drinks tea"]);
        check(&world, &valid_at(2), &["Alice drinks coffee"]);
        check(&world, &as_of(2), &["Alice drinks tea"]);
        let replaced = block_on(world.engine.get(&local("alice"), &tea.id)).unwrap();
        assert_eq!(replaced.valid_until, Some(at(2)));
    }
}

#[test]
fn a_change_that_is_still_to_come_replaces_nothing() {
    for world in World::each() {
        let tea = world.remember(fact("alice", "Alice drinks tea"));
        let refused = world.correct(&tea, "Alice drinks coffee", Some(at(9)));
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
        check(&world, &Criteria::default(), &["Alice drinks tea"]);
    }
}

#[test]
fn what_says_it_already_holds_since_what_it_replaces_began() {
    for world in World::each() {
        world.go_to(1);
        let tea = world.remember(fact("alice", "Alice drinks tea"));
        world.go_to(2);
        world.remember(fact("alice", "Alice drinks coffee"));
        world.go_to(3);
        world.correct(&tea, "Alice drinks coffee", None).unwrap();
        check(&world, &valid_at(1), &["Alice drinks coffee"]);
        check(&world, &as_of(1), &["Alice drinks tea"]);
    }
}

#[test]
fn a_text_that_was_changed_is_found_by_its_words_of_now_and_shown_as_of_then() {
    for world in World::each() {
        let tea = world.remember(fact("alice", "Alice drinks tea"));
        world.go_to(2);
        world.rewrite(&tea, "Alice drinks coffee").unwrap();
        check(&world, &as_of(1), &["Alice drinks tea"]);
        assert_eq!(world.found(&as_of(1), "coffee"), ["Alice drinks tea"]);
        assert!(world.found(&as_of(1), "tea").is_empty());
    }
}

#[test]
fn putting_away_says_nothing_about_what_is_true() {
    for world in World::each() {
        let tea = world.remember(fact("alice", "Alice drinks tea"));
        world.go_to(2);
        block_on(world.engine.archive(&local("alice"), &tea.id)).unwrap();
        world.go_to(4);
        check(&world, &as_of(1), &["Alice drinks tea"]);
        check(&world, &as_of(3), &[]);
        check(&world, &valid_at(3), &[]);
        let put_away = Criteria { states: vec![State::Archived], ..valid_at(3) };
        check(&world, &put_away, &["Alice drinks tea"]);
        block_on(world.engine.bring_back(&local("alice"), &tea.id)).unwrap();
        check(&world, &valid_at(3), &["Alice drinks tea"]);
        check(&world, &as_of(3), &[]);
    }
}

#[test]
fn what_was_forgotten_stays_gone_at_every_moment() {
    for world in World::each() {
        let tea = world.remember(fact("alice", "Alice drinks tea"));
        world.remember(fact("alice", "Alice drinks coffee"));
        world.go_to(2);
        check(&world, &as_of(1), &["Alice drinks coffee", "Alice drinks tea"]);
        block_on(world.engine.forget(&local("alice"), &[tea.id])).unwrap();
        check(&world, &as_of(1), &["Alice drinks coffee"]);
        check(&world, &valid_at(1), &["Alice drinks coffee"]);
    }
}

#[test]
fn as_many_hits_as_are_wanted_are_found_whatever_was_learnt_since() {
    for world in World::each() {
        for number in 0..5 {
            world.remember(fact("alice", &format!("Alice drinks tea number {number}")));
        }
        world.go_to(2);
        for number in 0..200 {
            world.remember(fact("alice", &format!("Alice drinks, drinks and drinks {number}")));
        }
        let five = Query { limit: 5, ..query(&as_of(1), "what does Alice drink") };
        let answer = block_on(world.engine.search(&local("alice"), &five)).unwrap();
        assert_eq!((answer.hits.len(), answer.total), (5, 5), "{world:?}");
        assert!(answer.hits.iter().all(|hit| hit.memory.created_at <= at(1)));
    }
}

#[test]
fn yesterday_is_the_day_before_the_moment_whose_knowledge_counts() {
    for world in World::each() {
        world.remember(episode("alice", "Alice went for a swim"));
        world.go_to(24);
        world.remember(episode("alice", "Alice went for a run"));
        world.go_to(24 * 9);
        world.remember(episode("alice", "Alice went for a walk"));
        world.go_to(24 * 10);
        let question = "where did Alice go yesterday";
        assert_eq!(world.found(&Criteria::default(), question)[0], "Alice went for a walk");
        assert_eq!(world.found(&as_of(25), question)[0], "Alice went for a swim");
    }
}

#[test]
fn a_block_for_a_prompt_can_be_that_of_an_earlier_moment() {
    for world in World::each() {
        corrected(&world, None);
        let block = |criteria: &Criteria| {
            let request = ContextRequest::new(selection(criteria), "what does Alice drink");
            block_on(world.engine.context(&local("alice"), &request)).unwrap().markdown()
        };
        assert!(block(&as_of(2)).contains("Alice drinks tea"));
        assert!(!block(&as_of(2)).contains("coffee"));
        assert!(block(&Criteria::default()).contains("Alice drinks coffee"));
    }
}

#[test]
fn it_is_said_why_a_memory_was_not_known_or_not_true() {
    for world in World::each() {
        let (tea, coffee) = corrected(&world, Some(3));
        let why = |criteria: &Criteria, memory: &Memory| {
            let question = query(criteria, "what does Alice drink");
            let why =
                block_on(world.engine.why_not(&local("alice"), &question, &memory.id)).unwrap();
            why.reasons
        };
        let not_meant = |objection| vec![Absence::NotMeant(objection)];
        assert_eq!(why(&as_of(2), &coffee), not_meant(Objection::NotKnown));
        assert_eq!(why(&as_of(2), &tea), []);
        assert_eq!(why(&as_of(4), &tea), not_meant(Objection::State));
        assert_eq!(why(&valid_at(4), &tea), not_meant(Objection::NotTrue));
        assert_eq!(why(&valid_at(2), &tea), []);
    }
}

#[test]
fn nothing_is_forgotten_as_of_an_earlier_moment() {
    for world in World::each() {
        world.remember(fact("alice", "Alice drinks tea"));
        world.go_to(2);
        let earlier = selection(&as_of(1));
        let refused = block_on(world.engine.forget_matching(&local("alice"), &earlier));
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
        check(&world, &Criteria::default(), &["Alice drinks tea"]);
    }
}
