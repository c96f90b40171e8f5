//! Words and names find what they should, the best first.

use std::collections::BTreeSet;
use std::slice::from_ref;

use super::fixtures::{
    all_of, canary, canary_cues, id, ids, memory, mention, moment, names, next, update, user, words,
};
use super::subject::Subject;
use crate::model::{Cues, EntityType, Memory, MemoryId, Mention, Scope};

fn alice() -> Scope {
    user("alice")
}

async fn found_by_words(store: &Subject, question: &str) -> Vec<MemoryId> {
    store.candidates(&all_of(&alice()), &words(question)).await.lexical
}

async fn found_by_names(store: &Subject, wanted: &[&str]) -> Vec<MemoryId> {
    store.candidates(&all_of(&alice()), &names(wanted)).await.entity
}

fn naming(number: u64, mentions: &[(&str, &str)]) -> Memory {
    let entities = mentions.iter().map(|(name, alias)| mention(name, alias)).collect();
    Memory { entities, ..memory(&alice(), number, "somebody was there") }
}

pub(super) async fn more_of_the_words_is_better(store: Subject) {
    store
        .keep(&[
            memory(&alice(), 1, "zebra stripes window"),
            memory(&alice(), 2, "zebra giraffe window"),
            memory(&alice(), 3, "table stripes window"),
            memory(&alice(), 4, "table chair window"),
        ])
        .await;
    let found = found_by_words(&store, "zebra giraffe").await;
    assert_eq!(found, ids(&[2, 1]));
    assert_eq!(found_by_words(&store, "elephant").await, []);
}

pub(super) async fn a_rare_word_tells_more_than_a_common_one(store: Subject) {
    let common = (2..=21).map(|number| memory(&alice(), number, "zebra window"));
    let mut memories: Vec<Memory> = common.collect();
    memories.push(memory(&alice(), 1, "lizard window"));
    store.keep(&memories).await;
    let found = found_by_words(&store, "zebra lizard").await;
    assert_eq!(found.first(), Some(&id(1)), "though it is the oldest");
    assert_eq!(found.len(), 21);
}

pub(super) async fn title_description_and_tags_are_searched(store: Subject) {
    let mut memory = memory(&alice(), 1, "plain");
    memory.metadata.title = Some("zebra".to_owned());
    memory.metadata.description = Some("giraffe".to_owned());
    memory.metadata.tags = vec!["elephant".to_owned(), "lion".to_owned()];
    store.keep(&[memory]).await;
    for word in ["plain", "zebra", "giraffe", "elephant", "lion"] {
        assert_eq!(found_by_words(&store, word).await, [id(1)], "{word}");
    }
}

pub(super) async fn more_of_the_entities_is_better(store: Subject) {
    store
        .keep(&[
            naming(1, &[("Ada", "Ada"), ("Grace", "Grace")]),
            naming(2, &[("Ada", "Ada"), ("Ada", "Miss Ada"), ("Ada", "ADA")]),
            naming(3, &[("Grace", "Grace")]),
            naming(4, &[("Edsger", "Edsger")]),
        ])
        .await;
    assert_eq!(found_by_names(&store, &["ada", "grace"]).await, ids(&[1, 3, 2]));
    assert_eq!(found_by_names(&store, &["Edsger"]).await, ids(&[4]));
    assert_eq!(found_by_names(&store, &["nobody"]).await, []);
}

pub(super) async fn an_alias_finds_all_that_name_the_entity(store: Subject) {
    store
        .keep(&[
            naming(1, &[("Ada Lovelace", "the countess")]),
            naming(2, &[("ada lovelace", "Ada")]),
            naming(3, &[("Grace Hopper", "Grace")]),
        ])
        .await;
    for name in ["ada lovelace", "The Countess", "ADA"] {
        assert_eq!(found_by_names(&store, &[name]).await, ids(&[2, 1]), "{name}");
    }
}

pub(super) async fn an_update_renews_words_and_names(store: Subject) {
    let first =
        Memory { content: memory(&alice(), 1, "zebra").content, ..naming(1, &[("Ada", "Ada")]) };
    store.keep(from_ref(&first)).await;
    assert_eq!(found_by_words(&store, "zebra").await, [id(1)]);
    assert_eq!(found_by_names(&store, &["Ada"]).await, [id(1)]);
    let entities = vec![mention("Grace", "Grace")];
    store.commit(vec![update(&Memory { entities, ..next(&first, "giraffe") })]).await;
    assert_eq!(found_by_words(&store, "zebra").await, []);
    assert_eq!(found_by_words(&store, "giraffe").await, [id(1)]);
    assert_eq!(found_by_names(&store, &["Ada"]).await, []);
    assert_eq!(found_by_names(&store, &["Grace"]).await, [id(1)]);
}

pub(super) async fn what_is_not_meant_takes_no_place(store: Subject) {
    let better = |scope: &Scope, number| Memory {
        entities: vec![mention("Canary", "canary"), mention("Ada", "Ada")],
        ..memory(scope, number, "canary zebra")
    };
    let foreign = (100..150).map(|number| better(&user("bob"), number));
    let expired =
        (200..250).map(|number| Memory { expires_at: Some(moment(0)), ..better(&alice(), number) });
    let mut memories: Vec<Memory> = foreign.chain(expired).collect();
    memories.push(canary(&alice(), 1));
    store.keep(&memories).await;
    let cues = Cues { names: names(&["canary", "ada"]).names, ..words("canary zebra") };
    let found = store.candidates(&all_of(&alice()), &cues).await;
    assert_eq!((found.lexical, found.entity), (ids(&[1]), ids(&[1])));
}

pub(super) async fn both_lists_come_with_their_memories(store: Subject) {
    let by_word = memory(&alice(), 1, "zebra");
    let by_name = naming(2, &[("Ada", "Ada")]);
    let by_both = Memory { content: by_word.content.clone(), ..naming(3, &[("Ada", "Ada")]) };
    store.keep(&[by_word.clone(), by_name.clone(), by_both.clone(), naming(4, &[])]).await;
    let cues = Cues { names: names(&["Ada"]).names, ..words("zebra") };
    let mut found = store.candidates(&all_of(&alice()), &cues).await;
    assert_eq!(found.lexical.iter().cloned().collect::<BTreeSet<_>>(), [id(1), id(3)].into());
    assert_eq!(found.entity, ids(&[3, 2]));
    found.memories.sort_by_key(|memory| memory.id.clone());
    assert_eq!(found.memories, [by_word, by_name, by_both], "each memory stands there once");
}

pub(super) async fn no_cue_finds_nothing(store: Subject) {
    store.keep(&[canary(&alice(), 1)]).await;
    let found = store.candidates(&all_of(&alice()), &Cues::default()).await;
    assert!(found.lexical.is_empty() && found.entity.is_empty() && found.memories.is_empty());
    assert_eq!(store.candidates(&all_of(&alice()), &canary_cues()).await.lexical, [id(1)]);
}

pub(super) async fn repeated_cues_change_nothing(store: Subject) {
    let busy = naming(1, &[("Canary", "canary"), ("Ada", "Ada")]);
    store.keep(&[busy, canary(&alice(), 2), memory(&alice(), 3, "canary zebra")]).await;
    let once = Cues { names: names(&["canary", "ada"]).names, ..words("canary zebra") };
    let twice = Cues {
        words: [once.words.clone(), once.words.clone()].concat(),
        names: [once.names.clone(), once.names.clone()].concat(),
        ..Cues::default()
    };
    let expected = store.candidates(&all_of(&alice()), &once).await;
    let found = store.candidates(&all_of(&alice()), &twice).await;
    assert_eq!((&found.lexical, &found.entity), (&expected.lexical, &expected.entity));
    assert_eq!(expected.entity, ids(&[1, 2]));
}

pub(super) async fn any_cue_is_taken_as_it_is(store: Subject) {
    let operators = Mention {
        name: "\" OR * --".to_owned(),
        entity_type: EntityType::Other,
        alias: "%".to_owned(),
    };
    let odd = Memory { entities: vec![operators], ..canary(&alice(), 1) };
    store.keep(&[odd, canary(&alice(), 2)]).await;
    let hostile = [
        "",
        " ",
        "*",
        "can*",
        "^canary",
        "\"",
        "\"\"",
        "'",
        "%",
        "_",
        "AND",
        "OR NOT",
        "NEAR(",
        ")",
        "a:b",
        "content:canary",
        "-canary",
        "{}",
        "\\",
        "\0",
        "canary\0",
        "; DROP TABLE memories",
        "🦜",
        "\u{202e}",
        "\u{301}",
        "?1",
        ":name",
    ];
    for text in hostile {
        let cues = Cues {
            words: vec![vec![text.to_owned()]],
            names: vec![text.to_owned()],
            ..Cues::default()
        };
        let found = store.candidates(&all_of(&alice()), &cues).await;
        assert_eq!(found.lexical, [], "{text:?} is a term and not a query");
        assert!(found.entity.is_empty() || text == "%" && found.entity == [id(1)], "{text:?}");
        let mut with_canary = canary_cues();
        with_canary.words.push(vec![text.to_owned()]);
        let found = store.candidates(&all_of(&alice()), &with_canary).await;
        assert_eq!(found.lexical.len(), 2, "{text:?} beside a term that is there");
    }
    assert_eq!(found_by_names(&store, &["%"]).await, [id(1)]);
}
