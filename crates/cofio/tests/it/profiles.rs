//! What is known of one entity.

use cofio::engine::EntityProfile;
use cofio::model::{Channel, Correction, Draft, EntityType, Kind, Scope, Source, State, Triple};
use cofio::{ErrorKind, Result};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, episode, fact, local, named};

fn alice() -> Scope {
    Scope::user(named("alice"))
}

fn profiles(fixture: &Fixture, name: &str, limit: usize) -> Result<Vec<EntityProfile>> {
    block_on(fixture.engine.entity(&local("alice"), &[alice()], name, limit))
}

fn profile(fixture: &Fixture, name: &str) -> EntityProfile {
    let mut profiles = profiles(fixture, name, 50).unwrap();
    assert_eq!(profiles.len(), 1);
    profiles.remove(0)
}

/// Keeps what happened so many days before now.
fn keep(fixture: &Fixture, days: i64, text: &str) {
    let event_at = fixture.engine.now() - SignedDuration::from_hours(24 * days);
    fixture.remember(Draft { event_at: Some(event_at), ..episode("alice", text) }).unwrap();
}

/// Returns the texts of a timeline.
fn shown(profile: &EntityProfile) -> Vec<(&str, Vec<&str>)> {
    profile
        .timeline
        .iter()
        .map(|period| {
            let texts = period.memories.iter().map(|memory| memory.content.as_str());
            (period.name.as_str(), texts.collect())
        })
        .collect()
}

#[test]
fn a_timeline_goes_by_days_and_over_a_long_time_by_months() {
    let fixture = Fixture::new();
    keep(&fixture, 2, "@bob came");
    keep(&fixture, 1, "@bob stayed");
    keep(&fixture, 1, "@bob slept, said @ann");
    let bob = profile(&fixture, "bob");
    assert_eq!(
        shown(&bob),
        [
            ("2026-02-27", vec!["@bob came"]),
            ("2026-02-28", vec!["@bob stayed", "@bob slept, said @ann"])
        ]
    );
    keep(&fixture, 80, "@bob wrote");
    let bob = profile(&fixture, "@Bob");
    let names: Vec<_> = shown(&bob).iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, ["2025-12", "2026-02"]);
    assert_eq!(bob.entity.mention_count, 4);
    assert_eq!(bob.memories.len(), 4);
}

#[test]
fn what_was_replaced_is_in_the_timeline_with_its_end_and_nowhere_else() {
    let fixture = Fixture::new();
    let old = fixture.fact("alice", "@bob lives in Bath");
    fixture.wait(SignedDuration::from_hours(48));
    let correction = Correction::new("@bob lives in Bern", Source::through(Channel::ExplicitSave));
    let corrected = block_on(fixture.engine.correct(&local("alice"), &old.id, correction)).unwrap();
    let bob = profile(&fixture, "bob");
    let dated: Vec<_> = bob.timeline.iter().flat_map(|period| &period.memories).collect();
    assert_eq!(dated.len(), 2);
    let replaced = dated.iter().find(|memory| memory.state == State::Superseded).unwrap();
    assert_eq!(replaced.id, old.id);
    assert_eq!(replaced.valid_until, corrected.replaced.valid_until);
    assert!(replaced.valid_until.is_some());
    let memories: Vec<_> = bob.memories.iter().map(|memory| &memory.id).collect();
    assert_eq!(memories, [&corrected.memory.id]);
    assert_eq!(bob.entity.mention_count, 1);
}

#[test]
fn companions_are_what_memories_in_use_name_besides() {
    let fixture = Fixture::new();
    keep(&fixture, 3, "@bob and @ann and #sailing and @bob");
    keep(&fixture, 2, "@bob saw @Ann");
    keep(&fixture, 1, "@carl alone");
    let companions: Vec<_> = profile(&fixture, "bob")
        .companions
        .into_iter()
        .map(|other| (other.name, other.entity_type, other.memories))
        .collect();
    let ann = ("Ann".to_owned(), EntityType::Person, 2);
    let sailing = ("sailing".to_owned(), EntityType::Other, 1);
    assert_eq!(companions, [ann, sailing]);
}

#[test]
fn statements_about_it_are_told_in_every_spelling() {
    let fixture = Fixture::new();
    keep(&fixture, 1, "@bob came");
    let state = |subject: &str, object: &str| {
        let triple = Triple {
            fact_type: "home".to_owned(),
            subject: subject.to_owned(),
            predicate: "lives in".to_owned(),
            object: object.to_owned(),
        };
        let text = triple.sentence();
        let draft = Draft { kind: Kind::Procedure, triple: Some(triple), ..fact("alice", &text) };
        fixture.remember(draft).unwrap();
    };
    state("Bob", "Bath");
    state("Ann", "Bern");
    let statements = profile(&fixture, "bob").statements;
    let texts: Vec<_> = statements.iter().map(|memory| memory.content.as_str()).collect();
    assert_eq!(texts, ["Bob lives in Bath"]);
}

#[test]
fn a_profile_shows_the_latest_and_no_more_than_is_wanted() {
    let fixture = Fixture::new();
    for day in 1..=5 {
        keep(&fixture, day, &format!("@bob came on day {day}"));
    }
    let bob = profiles(&fixture, "bob", 2).unwrap().remove(0);
    assert_eq!((bob.memories.len(), bob.entity.mention_count), (2, 5));
    assert_eq!(bob.memories[0].content.as_str(), "@bob came on day 1");
    let texts: Vec<_> = shown(&bob).into_iter().flat_map(|(_, texts)| texts).collect();
    assert_eq!(texts, ["@bob came on day 2", "@bob came on day 1"]);
    for limit in [0, 1_001] {
        assert_eq!(profiles(&fixture, "bob", limit).unwrap_err().kind(), ErrorKind::Invalid);
    }
}

#[test]
fn nothing_of_another_scope_is_told() {
    let fixture = Fixture::new();
    keep(&fixture, 1, "@bob came");
    fixture.remember(fact("eve", "@bob owes @eve money")).unwrap();
    let bob = profile(&fixture, "bob");
    assert_eq!((bob.memories.len(), bob.companions.len()), (1, 0));
    assert_eq!(profiles(&fixture, "eve", 50).unwrap_err().kind(), ErrorKind::NotFound);
}
