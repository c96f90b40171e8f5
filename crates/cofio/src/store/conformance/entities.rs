//! Entities are counted from the memories that name them.

use std::collections::BTreeSet;
use std::slice::from_ref;

use super::fixtures::{id, ids, memory, mention, moment, next, now, update, user};
use super::subject::Subject;
use crate::model::{Entity, EntityType, Memory, Mention, Scope, State};

fn alice() -> Scope {
    user("alice")
}

fn naming(number: u64, mentions: &[(&str, &str)]) -> Memory {
    let entities = mentions.iter().map(|(name, alias)| mention(name, alias)).collect();
    Memory { entities, ..memory(&alice(), number, "somebody was there") }
}

async fn all(store: &Subject) -> Vec<Entity> {
    store.entities(&[alice()], None).await
}

async fn called(store: &Subject, name: &str) -> Vec<Entity> {
    store.entities(&[alice()], Some(name)).await
}

pub(super) async fn an_entity_gathers_what_names_it(store: Subject) {
    let late_arrival =
        Memory { event_at: moment(-50), ..naming(3, &[("Ada Lovelace", "the countess")]) };
    store
        .keep(&[
            naming(1, &[("Ada Lovelace", "Ada"), ("Ada Lovelace", "Ada Lovelace")]),
            naming(2, &[("Ada Lovelace", "Ada")]),
            late_arrival,
            naming(4, &[]),
        ])
        .await;
    let [ada] = all(&store).await.try_into().expect("there is one entity");
    assert_eq!((ada.name.as_str(), ada.entity_type), ("Ada Lovelace", EntityType::Person));
    assert_eq!(ada.aliases.len(), 3, "each spelling stands there once");
    let aliases: BTreeSet<_> = ada.aliases.iter().map(String::as_str).collect();
    assert_eq!(aliases, ["Ada", "Ada Lovelace", "the countess"].into());
    assert_eq!(ada.mention_count, 3, "a memory counts once");
    assert_eq!((ada.first_at, ada.last_at), (moment(-50), moment(2)));
    assert_eq!(ada.memories, ids(&[2, 1, 3]));
}

pub(super) async fn case_and_accents_make_no_other_entity(store: Subject) {
    store.keep(&[naming(1, &[("Zoë", "Zoë")]), naming(2, &[("ZOE", "zoe")])]).await;
    let [zoe] = all(&store).await.try_into().expect("there is one entity");
    assert_eq!(zoe.mention_count, 2);
    assert!(["Zoë", "ZOE"].contains(&zoe.name.as_str()));
    for name in ["zoe", "Zoë", "ZOË", "Zoe\u{308}"] {
        assert_eq!(called(&store, name).await, from_ref(&zoe), "{name}");
    }
}

pub(super) async fn the_type_tells_entities_apart(store: Subject) {
    let place = Mention { entity_type: EntityType::Location, ..mention("Paris", "Paris") };
    let entities = vec![place, mention("Paris", "Paris")];
    store.keep(&[Memory { entities, ..naming(1, &[]) }]).await;
    let types: Vec<_> = all(&store).await.into_iter().map(|entity| entity.entity_type).collect();
    assert_eq!(types.len(), 2);
    assert!(types.contains(&EntityType::Person) && types.contains(&EntityType::Location));
    assert_eq!(called(&store, "paris").await.len(), 2);
}

pub(super) async fn those_that_most_memories_name_come_first(store: Subject) {
    store
        .keep(&[
            naming(1, &[("Rare", "Rare"), ("Common", "Common"), ("Middle", "Middle")]),
            naming(2, &[("Common", "Common"), ("Middle", "Middle")]),
            naming(3, &[("Common", "Common"), ("Rare", "R"), ("Rare", "Ra"), ("Rare", "r")]),
            naming(4, &[("Common", "Common"), ("Middle", "Middle")]),
        ])
        .await;
    let entities = all(&store).await;
    let counted: Vec<_> =
        entities.iter().map(|entity| (entity.name.as_str(), entity.mention_count)).collect();
    assert_eq!(counted, [("Common", 4), ("Middle", 3), ("Rare", 2)]);
    let first = store.0.entities(&[alice()], now(), None, 1).await.expect("entities are read");
    assert_eq!(first, entities[..1]);
}

pub(super) async fn a_name_or_an_alias_finds_the_entity(store: Subject) {
    store
        .keep(&[
            naming(1, &[("Ada Lovelace", "the countess")]),
            naming(2, &[("Ada Lovelace", "Ada")]),
            naming(3, &[("Grace", "Grace")]),
        ])
        .await;
    for name in ["Ada Lovelace", "THE COUNTESS", "ada"] {
        let [ada] = called(&store, name).await.try_into().expect("there is one such entity");
        assert_eq!((ada.name.as_str(), ada.mention_count), ("Ada Lovelace", 2), "{name}");
        assert_eq!(ada.aliases.len(), 2, "{name}");
    }
    for name in ["", "%", "Ada%", "lovelace", "*", "\" OR 1"] {
        assert_eq!(called(&store, name).await, [], "{name:?}");
    }
}

pub(super) async fn counts_follow_updates(store: Subject) {
    let first = naming(1, &[("Ada", "Ada"), ("Grace", "Grace")]);
    store.keep(&[first.clone(), naming(2, &[("Grace", "Grace")])]).await;
    assert_eq!(called(&store, "ada").await.len(), 1);
    let entities = vec![mention("Edsger", "Edsger")];
    store.commit(vec![update(&Memory { entities, ..next(&first, "he was there") })]).await;
    assert_eq!(called(&store, "ada").await, []);
    assert_eq!(called(&store, "grace").await[0].memories, [id(2)]);
    assert_eq!(called(&store, "edsger").await[0].mention_count, 1);
}

pub(super) async fn an_entity_of_two_scopes_is_returned_once(store: Subject) {
    let elsewhere = Memory { scope: user("bob"), ..naming(2, &[("ada", "Miss Ada")]) };
    store.keep(&[naming(1, &[("Ada", "Ada")]), elsewhere]).await;
    let both = [alice(), user("bob")];
    let [ada] = store.entities(&both, None).await.try_into().expect("there is one entity");
    assert_eq!((ada.mention_count, ada.memories), (2, ids(&[2, 1])));
    let aliases: BTreeSet<_> = ada.aliases.iter().map(String::as_str).collect();
    assert_eq!(aliases, ["Ada", "Miss Ada"].into());
    assert_eq!((ada.first_at, ada.last_at), (moment(1), moment(2)));
    assert_eq!(all(&store).await[0].mention_count, 1);
}

pub(super) async fn what_is_not_active_names_nothing(store: Subject) {
    let inactive: Vec<Memory> = (1..)
        .zip(State::ALL.iter().filter(|state| **state != State::Active))
        .map(|(number, &state)| Memory { state, ..naming(number, &[("Ada", "Ada")]) })
        .collect();
    store.keep(&inactive).await;
    store.keep(&[naming(9, &[("Bob", "Bob")])]).await;
    let names: Vec<_> = all(&store).await.into_iter().map(|entity| entity.name).collect();
    assert_eq!(names, ["Bob"]);
    assert_eq!(called(&store, "Ada").await, []);
}

pub(super) async fn what_has_ended_names_nothing(store: Subject) {
    let ended = Memory { expires_at: Some(now()), ..naming(1, &[("Ada", "Ada")]) };
    store.keep(&[ended, naming(2, &[("Bob", "Bob")])]).await;
    let names: Vec<_> = all(&store).await.into_iter().map(|entity| entity.name).collect();
    assert_eq!(names, ["Bob"]);
    assert_eq!(called(&store, "Ada").await, []);
}
