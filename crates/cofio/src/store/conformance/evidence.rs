//! What a store tells about memories that something speaks for, and about those around them.

use std::collections::BTreeSet;
use std::slice::from_ref;
use std::sync::Arc;

use super::fixtures::{
    all_of, content, create, forget, id, ids, memory, mention, moment, named, names, next, now,
    scope, update, user, words,
};
use super::subject::Subject;
use crate::model::{
    Change, Channel, Criteria, Cues, Evidence, Filter, Kind, Layer, Memory, MemoryId, Occurrence,
    Place, Scope, Source, State, TimeRange, Timestamp, Trust, Turn, WordUse,
};
use crate::store::MemoryStore;
use crate::text;

fn alice() -> Scope {
    user("alice")
}

fn bob() -> Scope {
    user("bob")
}

/// Returns a turn of a conversation.
fn said(scope: &Scope, number: u64, session: &str, text: &str) -> Memory {
    let mut memory = memory(scope, number, text);
    memory.source.session = Some(named(session));
    memory
}

fn by(role: &str, mut memory: Memory) -> Memory {
    memory.source.role = Some(role.to_owned());
    memory
}

/// Returns the ids of the turns, in their order.
async fn turns(store: &Subject, filter: &Filter, cues: &Cues) -> Vec<MemoryId> {
    let evidence = store.evidence(filter, cues).await;
    let ids = loaded(store, filter, &places(&evidence)).await;
    assert_eq!(ids.len(), evidence.turns.len(), "every turn is meant");
    ids
}

fn places(evidence: &Evidence) -> Vec<Place> {
    evidence.turns.iter().map(|turn| turn.place).collect()
}

async fn loaded(store: &Subject, filter: &Filter, places: &[Place]) -> Vec<MemoryId> {
    let memories = store.at(filter, places).await;
    memories.into_iter().map(|(_, memory)| memory.id).collect()
}

pub(super) async fn turns_stand_in_order_of_event_and_then_of_arrival(store: Subject) {
    let at = |number, seconds, session, text| Memory {
        event_at: moment(seconds),
        ..said(&alice(), number, session, text)
    };
    store
        .keep(&[
            at(9, 30, "s1", "zebra"),
            at(8, 10, "s1", "lion"),
            at(7, 30, "s2", "zebra"),
            at(6, 20, "s1", "tiger"),
            at(5, 30, "s1", "bear"),
            at(4, 5, "s2", "wolf"),
            at(3, 20, "s3", "nothing of that kind"),
            memory(&alice(), 2, "a zebra without a conversation"),
            at(1, 20, "s1", "fox"),
        ])
        .await;
    let found = turns(&store, &all_of(&alice()), &words("zebra")).await;
    let position = |number| found.iter().position(|found| *found == id(number));
    let first = position(8).expect("the conversation is there");
    assert_eq!(found[first..first + 5], ids(&[8, 6, 1, 9, 5]));
    let second = position(4).expect("the other conversation is there");
    assert_eq!(found[second..second + 2], ids(&[4, 7]));
    assert!(position(2).is_some());
    assert_eq!((found.len(), position(3)), (8, None), "nothing speaks for the third conversation");
}

pub(super) async fn conversations_of_two_scopes_are_never_joined(store: Subject) {
    store
        .keep(&[
            said(&alice(), 1, "s1", "zebra"),
            said(&bob(), 2, "s1", "lion"),
            said(&alice(), 3, "s1", "tiger"),
            said(&bob(), 4, "s1", "zebra"),
        ])
        .await;
    assert_eq!(turns(&store, &all_of(&alice()), &words("zebra")).await, ids(&[1, 3]));
    assert_eq!(turns(&store, &all_of(&bob()), &words("lion")).await, ids(&[2, 4]));
    assert_eq!(turns(&store, &all_of(&alice()), &words("lion")).await, []);
    let both = Filter::new(vec![bob(), alice()], now());
    let evidence = store.evidence(&both, &words("zebra")).await;
    let of = |scope| evidence.turns.iter().filter(move |turn| turn.scope == scope);
    let place = |turn: &Turn| turn.place;
    let bobs: Vec<Place> = of(0).map(place).collect();
    let alices: Vec<Place> = of(1).map(place).collect();
    assert_eq!(loaded(&store, &both, &bobs).await, ids(&[2, 4]));
    assert_eq!(loaded(&store, &both, &alices).await, ids(&[1, 3]));
    let changes = evidence.turns.windows(2).filter(|pair| pair[0].scope != pair[1].scope);
    assert_eq!(changes.count(), 1, "each conversation stands together");
}

pub(super) async fn a_scope_of_a_session_is_a_conversation(store: Subject) {
    let session = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    store.keep(&[memory(&session, 1, "zebra"), memory(&session, 2, "lion")]).await;
    let evidence = store.evidence(&all_of(&session), &words("zebra")).await;
    assert_eq!(evidence.turns.len(), 2);
    assert!(evidence.turns[0].session.is_some());
    assert_eq!(evidence.turns[0].session, evidence.turns[1].session);
    store.keep(&[memory(&alice(), 3, "zebra"), memory(&alice(), 4, "lion")]).await;
    let evidence = store.evidence(&all_of(&alice()), &words("zebra")).await;
    let sessions: Vec<_> = evidence.turns.iter().map(|turn| turn.session).collect();
    assert_eq!(sessions, [None], "a note stands alone");
}

pub(super) async fn what_is_weighed_by_itself_comes_without_its_conversation(store: Subject) {
    store
        .keep(&[
            said(&alice(), 1, "s1", "lion"),
            said(&alice(), 2, "s1", "zebra"),
            said(&alice(), 3, "s1", "tiger"),
            said(&alice(), 4, "s2", "a zebra and a zebra"),
            memory(&alice(), 5, "a zebra without a conversation"),
            memory(&alice(), 6, "wolf"),
        ])
        .await;
    let cues = words("zebra");
    let whole = store.evidence(&all_of(&alice()), &cues).await;
    let alone = store.evidence(&all_of(&alice()), &Cues { alone: true, ..cues }).await;
    let found = loaded(&store, &all_of(&alice()), &places(&alone)).await;
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), ids(&[2, 4, 5]).into_iter().collect());
    assert_eq!(whole.turns.len(), 5);
    let told = |evidence: &Evidence| -> BTreeSet<_> {
        let place = |occurrence: &Occurrence| evidence.turns[occurrence.turn as usize].place;
        let found = evidence.words[0].found.iter();
        found.map(|one| (place(one), one.told, one.asked)).collect()
    };
    assert_eq!(told(&alone), told(&whole), "the word stands where it stands");
}

pub(super) async fn what_is_not_meant_is_not_among_the_turns(store: Subject) {
    let turn = |number, text| said(&alice(), number, "s1", text);
    let mut tagged = turn(6, "zebra");
    tagged.metadata.tags.push("animal".to_owned());
    let mut outside = turn(5, "zebra");
    outside.source = Source::through(Channel::WebFetch);
    outside.source.session = Some(named("s1"));
    store
        .keep(&[
            turn(1, "zebra"),
            Memory { expires_at: Some(now()), ..turn(2, "zebra lion") },
            Memory { state: State::Archived, ..turn(3, "zebra lion") },
            Memory { kind: Kind::Episode, ..turn(4, "lion") },
            outside,
            tagged,
            said(&alice(), 7, "s2", "zebra"),
        ])
        .await;
    let check = async |criteria: Criteria, expected: &[u64]| {
        let filter = Filter { criteria: criteria.clone(), ..all_of(&alice()) };
        let found: BTreeSet<_> =
            turns(&store, &filter, &words("zebra")).await.into_iter().collect();
        assert_eq!(found, ids(expected).into_iter().collect(), "{criteria:?}");
        let evidence = store.evidence(&filter, &words("zebra")).await;
        let places = 0..evidence.turns.len();
        assert!(
            evidence.words[0].found.iter().all(|place| places.contains(&(place.turn as usize)))
        );
    };
    let any = Criteria::default;
    check(any(), &[1, 4, 5, 6, 7]).await;
    check(Criteria { kinds: vec![Kind::Fact], ..any() }, &[1, 5, 6, 7]).await;
    check(Criteria { states: vec![State::Archived], ..any() }, &[3]).await;
    check(Criteria { minimum_trust: Trust::Medium, ..any() }, &[1, 4, 6, 7]).await;
    check(Criteria { tags: vec!["animal".to_owned()], ..any() }, &[6]).await;
    check(Criteria { excluded_session: Some(named("s1")), ..any() }, &[7]).await;
    let time = TimeRange { from: Some(moment(4)), to: Some(moment(6)) };
    check(Criteria { time, ..any() }, &[4, 5, 6]).await;
}

pub(super) async fn words_told_and_words_asked_are_counted_apart(store: Subject) {
    let texts = [
        "The zebra met a zebra.",
        "Is it a zebra? I like the zebra. Why a zebra? Which zebra?",
        "Zebra?",
        "I like lions.",
    ];
    let memories: Vec<Memory> =
        (1..).zip(texts).map(|(number, text)| memory(&alice(), number, text)).collect();
    store.keep(&memories).await;
    let filter = all_of(&alice());
    let evidence = store.evidence(&filter, &words("zebra")).await;
    let turns = turns(&store, &filter, &words("zebra")).await;
    let mut counted: Vec<_> = evidence.words[0]
        .found
        .iter()
        .map(|found| (turns[found.turn as usize].clone(), found.told, found.asked))
        .collect();
    counted.sort();
    assert_eq!(counted, [(id(1), 2, 0), (id(2), 1, 3), (id(3), 0, 1)]);
    let mut questions: Vec<_> =
        evidence.turns.iter().zip(&turns).map(|(turn, id)| (id.clone(), turn.question)).collect();
    questions.sort();
    assert_eq!(questions, [(id(1), false), (id(2), true), (id(3), true)]);
}

pub(super) async fn words_are_counted_in_each_passage(store: Subject) {
    let filler = "There is much to be said about other things. ".repeat(12);
    let long = memory(&alice(), 1, &format!("A zebra. {filler} A zebra and a zebra. {filler}"));
    let short = memory(&alice(), 2, "zebra");
    let passages = |memory: &Memory| text::passages(&memory.searchable()).len() as u64;
    assert!(passages(&long) >= 3, "the text is long enough to be cut");
    store.keep(&[long.clone(), short.clone()]).await;
    let evidence = store.evidence(&all_of(&alice()), &words("zebra")).await;
    assert_eq!(evidence.passages, passages(&long) + passages(&short));
    assert_eq!(evidence.words[0].passages_having, 3);
    let mut told: Vec<u8> = evidence.words[0].found.iter().map(|found| found.told).collect();
    told.sort_unstable();
    assert_eq!(told, [1, 1, 2]);
}

pub(super) async fn counts_are_of_the_filters_scopes_alone(store: Subject) {
    let mut memories: Vec<Memory> =
        (10..60).map(|number| memory(&bob(), number, "zebra lion")).collect();
    memories.push(memory(&alice(), 1, "zebra"));
    memories.push(memory(&alice(), 2, "lion"));
    memories.push(Memory { expires_at: Some(now()), ..memory(&alice(), 3, "zebra") });
    store.keep(&memories).await;
    let check = async |scopes: &[Scope], passages: u64, having: [u64; 3]| {
        let filter = Filter::new(scopes.to_vec(), now());
        let evidence = store.evidence(&filter, &words("zebra lion elephant")).await;
        let counted: Vec<u64> = evidence.words.iter().map(|word| word.passages_having).collect();
        assert_eq!((evidence.passages, counted), (passages, having.to_vec()), "{scopes:?}");
    };
    check(&[alice()], 3, [2, 1, 0]).await;
    check(&[bob()], 50, [50, 50, 0]).await;
    check(&[alice(), bob()], 53, [52, 51, 0]).await;
    check(&[user("carol")], 0, [0, 0, 0]).await;
    check(&[], 0, [0, 0, 0]).await;
}

pub(super) async fn of_the_forms_of_a_word_the_most_frequent_counts(store: Subject) {
    let texts = ["zebra", "zebra", "lion", "bear", "zebra lion"];
    let memories: Vec<Memory> =
        (1..).zip(texts).map(|(number, text)| memory(&alice(), number, text)).collect();
    store.keep(&memories).await;
    let either = vec!["zebra".to_owned(), "lion".to_owned()];
    let cues = Cues { words: vec![either], ..Cues::default() };
    let evidence = store.evidence(&all_of(&alice()), &cues).await;
    assert_eq!(evidence.words[0].passages_having, 3);
    let having: BTreeSet<u32> = evidence.words[0].found.iter().map(|found| found.turn).collect();
    assert_eq!((evidence.turns.len(), having.len()), (4, 4));
}

pub(super) async fn turns_say_how_many_of_the_names_they_have(store: Subject) {
    let naming = |number, text: &str, entities: &[&str]| Memory {
        entities: entities.iter().map(|name| mention(name, name)).collect(),
        ..said(&alice(), number, "s1", text)
    };
    store
        .keep(&[
            naming(1, "both", &["Ada", "Grace", "Edsger"]),
            naming(2, "one", &["ADA"]),
            naming(3, "none", &["Edsger"]),
        ])
        .await;
    let evidence = store.evidence(&all_of(&alice()), &names(&["ada", "grace"])).await;
    let named: Vec<u32> = evidence.turns.iter().map(|turn| turn.named).collect();
    assert_eq!(named, [2, 1, 0], "the third is there because of its conversation");
}

pub(super) async fn places_lead_to_what_is_still_meant_in_their_order(store: Subject) {
    let memories = [1, 2, 3, 4].map(|number| memory(&alice(), number, "zebra"));
    store.keep(&memories).await;
    store.keep(&[memory(&bob(), 5, "zebra")]).await;
    let filter = all_of(&alice());
    let mut found = places(&store.evidence(&filter, &words("zebra")).await);
    let bobs = places(&store.evidence(&all_of(&bob()), &words("zebra")).await);
    let before = loaded(&store, &filter, &found).await;
    found.reverse();
    let backwards: Vec<MemoryId> = before.into_iter().rev().collect();
    assert_eq!(loaded(&store, &filter, &found).await, backwards);
    found.extend(&bobs);
    found.push(Place(u64::MAX));
    assert_eq!(loaded(&store, &filter, &found).await, backwards);
    let returned: Vec<Place> =
        store.at(&filter, &found).await.into_iter().map(|(place, _)| place).collect();
    assert_eq!(returned, found[..4]);
    store.forget(&memories[..1]).await;
    let archived = Memory { state: State::Archived, ..next(&memories[1], "zebra") };
    let expired = Memory { expires_at: Some(now()), ..next(&memories[2], "zebra") };
    store.commit(vec![update(&archived), update(&expired)]).await;
    store.keep(&[memory(&alice(), 6, "zebra")]).await;
    assert_eq!(loaded(&store, &filter, &found).await, [id(4)], "no place is given away again");
}

pub(super) async fn a_survey_counts_memories_and_authors(store: Subject) {
    let mut written = memory(&alice(), 6, "a note");
    written.metadata.author = Some("Melanie".to_owned());
    let mut memories = vec![
        by("Caroline", said(&alice(), 1, "s1", "hello")),
        by("Melanie", said(&alice(), 2, "s1", "hello")),
        by("Caroline", said(&alice(), 3, "s2", "hello")),
        by("assistant", said(&alice(), 4, "s1", "hello")),
        memory(&alice(), 5, "a note"),
        written,
    ];
    let roles = ["user", "User", "system", "tool", "human", "AI", " "];
    memories.extend(
        (20..).zip(roles).map(|(number, role)| by(role, said(&alice(), number, "s3", "hello"))),
    );
    memories.push(by("Eve", said(&bob(), 50, "s1", "hello")));
    store.keep(&memories).await;
    let survey = store.survey(&[alice()], &[]).await;
    assert_eq!(survey.memories, 13);
    let mut authors: Vec<_> =
        survey.authors.iter().map(|author| (author.name.as_str(), author.memories)).collect();
    authors.sort_unstable();
    assert_eq!(authors, [("Caroline", 2), ("Melanie", 2)]);
    let caroline = survey.authors.iter().find(|author| author.name == "Caroline");
    let evidence = store.evidence(&all_of(&alice()), &words("hello")).await;
    let theirs: Vec<Place> = evidence
        .turns
        .iter()
        .filter(|turn| turn.author == caroline.map(|author| author.key))
        .map(|turn| turn.place)
        .collect();
    let found: BTreeSet<_> = loaded(&store, &all_of(&alice()), &theirs).await.into_iter().collect();
    assert_eq!(found, ids(&[1, 3]).into_iter().collect());
    let assistants = evidence.turns.iter().filter(|turn| turn.assistant).count();
    assert_eq!(assistants, 1);
    store.forget(&[memories[0].clone(), memories[2].clone()]).await;
    let survey = store.survey(&[alice()], &[]).await;
    let left: Vec<&str> = survey.authors.iter().map(|author| author.name.as_str()).collect();
    assert_eq!((survey.memories, left), (11, vec!["Melanie"]), "who said nothing is no author");
}

pub(super) async fn a_survey_tells_how_frequent_words_are_written(store: Subject) {
    let texts = [
        "Caroline went out",
        "Caroline stayed in",
        "I met Caroline",
        "caroline laughed",
        "We went to Rhyl",
        "A walk",
        "The walk",
        "Another walk",
        "No walk",
        "Rain",
    ];
    let memories: Vec<Memory> =
        (1..).zip(texts).map(|(number, text)| memory(&alice(), number, text)).collect();
    store.keep(&memories).await;
    store.keep(&[memory(&bob(), 50, "caroline and rhyl")]).await;
    let asked = ["caroline", "walk", "rhyl", "elephant"].map(str::to_owned);
    let survey = store.survey(&[alice()], &asked).await;
    let expected = [(4, 0.75), (4, 0.0), (1, 1.0), (0, 0.0)];
    assert_eq!(
        survey.words,
        expected.map(|(memories, capitalised)| WordUse { memories, capitalised })
    );
    let nothing = store.survey(&[], &asked).await;
    assert_eq!((nothing.memories, nothing.words), (0, vec![WordUse::default(); 4]));
}

/// Makes changes of all kinds one after the other, and compares after each with a store that never
/// held anything else.
pub(super) async fn what_changed_is_told_as_if_it_had_never_been_otherwise(store: Subject) {
    let texts = ["zebra", "The lion? No, the zebra.", "Is the zebra a lion?", "bear", "LION lion"];
    let mut kept: Vec<Memory> = Vec::new();
    let mut chance = Chance(7);
    for number in 1..=60 {
        let text = texts[chance.below(texts.len())];
        let change = match chance.below(4) {
            0 if !kept.is_empty() => {
                let gone = kept.remove(chance.below(kept.len()));
                vec![forget(&gone)]
            }
            1 if !kept.is_empty() => {
                let place = chance.below(kept.len());
                kept[place] = changed(&kept[place], text, &mut chance);
                vec![update(&kept[place])]
            }
            _ => {
                let new = dressed(number, text, &mut chance);
                kept.push(new.clone());
                vec![create(&new)]
            }
        };
        store.commit(change).await;
        let expected = seen(&fresh(&kept).await).await;
        assert_eq!(seen(&store).await, expected, "after change {number}");
    }
}

/// Numbers that look like chance and are always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % end
    }

    /// Returns one of a few moments, so that some things happen at once.
    fn moment(&mut self) -> Timestamp {
        moment([3, 14, 15, 9, 26][self.below(5)])
    }
}

fn dressed(number: u64, text: &str, chance: &mut Chance) -> Memory {
    let scope = [alice(), bob()][chance.below(2)].clone();
    let mut memory = memory(&scope, number, text);
    memory.source.session = [None, Some("s1"), Some("s2")][chance.below(3)].map(named);
    memory.source.role =
        ["user", "assistant", "Caroline"].get(chance.below(4)).map(|r| (*r).into());
    memory.entities = vec![mention(["Ada", "Grace"][chance.below(2)], "somebody")];
    memory.event_at = chance.moment();
    memory
}

fn changed(memory: &Memory, text: &str, chance: &mut Chance) -> Memory {
    let mut changed = next(memory, text);
    changed.state = [State::Active, State::Archived][chance.below(2)];
    changed.metadata.tags = vec![["elephant", "wolf"][chance.below(2)].to_owned()];
    changed.content = content(&format!("{text} {}", ["", "wolf", "tiger"][chance.below(3)]));
    changed.event_at = chance.moment();
    changed
}

/// Returns a store that only ever held these memories as they are.
async fn fresh(memories: &[Memory]) -> Subject {
    let store = Subject(Arc::new(MemoryStore::new()));
    for memory in memories {
        store
            .commit(vec![Change::Create {
                memory: Box::new(memory.clone()),
                identity: None,
                history: Vec::new(),
            }])
            .await;
    }
    store
}

/// Returns all that evidence and survey say, without what only the store itself understands.
async fn seen(store: &Subject) -> String {
    let scopes = [alice(), bob()];
    let filter = Filter::new(scopes.to_vec(), now());
    let cues = Cues { names: names(&["ada"]).names, ..words("zebra lion wolf") };
    let evidence = store.evidence(&filter, &cues).await;
    let turns = turns(store, &filter, &cues).await;
    let told = evidence.turns.iter().zip(&turns).map(|(turn, id)| {
        let scope = &scopes[turn.scope];
        let known = (turn.session.is_some(), turn.author.is_some(), turn.assistant, turn.question);
        (scope.to_string(), id.clone(), known, turn.length, turn.event_at, turn.named)
    });
    let mut told: Vec<_> = told.collect();
    told.sort();
    let words: Vec<_> = evidence
        .words
        .iter()
        .map(|word| {
            let found =
                word.found.iter().map(|one| (&turns[one.turn as usize], one.told, one.asked));
            (word.passages_having, found.collect::<BTreeSet<_>>())
        })
        .collect();
    let orders = conversations(&evidence, &turns);
    let surveys = [surveyed(store, &alice()).await, surveyed(store, &bob()).await];
    format!("{told:?}\n{words:?}\n{orders:?}\n{}\n{surveys:?}", evidence.passages)
}

/// Returns all that a survey says of one scope; of words, that of the frequent ones.
async fn surveyed(store: &Subject, scope: &Scope) -> String {
    let survey = store.survey(from_ref(scope), &["zebra".to_owned(), "lion".to_owned()]).await;
    let mut authors: Vec<_> =
        survey.authors.iter().map(|author| (&author.name, author.memories)).collect();
    authors.sort();
    let frequent = |word: &&WordUse| word.memories * 10 >= survey.memories;
    let words: Vec<_> = survey.words.iter().filter(frequent).collect();
    format!("{} {authors:?} {words:?}", survey.memories)
}

/// Returns the turns of each conversation in their order.
fn conversations(evidence: &Evidence, turns: &[MemoryId]) -> BTreeSet<Vec<MemoryId>> {
    let pairs: Vec<(&Turn, &MemoryId)> = evidence.turns.iter().zip(turns).collect();
    let together = |(one, _): &(&Turn, &MemoryId), (two, _): &(&Turn, &MemoryId)| {
        one.session.is_some() && (one.scope, one.session) == (two.scope, two.session)
    };
    let ids = |pairs: &[(&Turn, &MemoryId)]| pairs.iter().map(|(_, id)| (*id).clone()).collect();
    pairs.chunk_by(together).map(ids).collect()
}

pub(super) async fn a_turn_that_is_rewritten_stays_where_it_was(store: Subject) {
    let turns_before = [1, 2, 3].map(|number| said(&alice(), number, "s1", "zebra"));
    store.keep(&turns_before).await;
    let check = async |expected: &[u64]| {
        assert_eq!(turns(&store, &all_of(&alice()), &words("zebra")).await, ids(expected));
    };
    check(&[1, 2, 3]).await;
    let rewritten = next(&turns_before[1], "lion");
    store.commit(vec![update(&rewritten)]).await;
    check(&[1, 2, 3]).await;
    let moved = Memory { event_at: moment(9), ..next(&rewritten, "bear") };
    store.commit(vec![update(&moved)]).await;
    check(&[1, 3, 2]).await;
    store.forget(from_ref(&turns_before[0])).await;
    check(&[3, 2]).await;
    let mut elsewhere = next(&moved, "wolf");
    elsewhere.source.session = Some(named("s2"));
    store.commit(vec![update(&elsewhere)]).await;
    check(&[3]).await;
}

pub(super) async fn a_survey_counts_rare_words_too(store: Subject) {
    let mut memories: Vec<Memory> =
        (1..=40).map(|number| memory(&alice(), number, "a walk")).collect();
    memories.push(memory(&alice(), 50, "Rhyl"));
    memories.push(memory(&alice(), 51, "Rhyl"));
    store.keep(&memories).await;
    let survey = store.survey(&[alice()], &["rhyl".to_owned()]).await;
    assert_eq!(survey.words, [WordUse { memories: 2, capitalised: 0.0 }]);
}

pub(super) async fn a_session_that_is_left_out_is_left_out_of_evidence_as_of_lists(store: Subject) {
    let session = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    store.keep(&[memory(&session, 1, "zebra"), said(&session, 2, "s2", "zebra")]).await;
    for excluded in ["s1", "s2", "s3"] {
        let criteria = Criteria { excluded_session: Some(named(excluded)), ..Criteria::default() };
        let filter = Filter { criteria, ..all_of(&session) };
        let mut listed = store.list(&filter).await;
        let mut found = turns(&store, &filter, &words("zebra")).await;
        listed.sort();
        found.sort();
        assert_eq!(found, listed, "without {excluded}");
    }
}

pub(super) async fn a_long_conversation_leaves_room_for_every_other_word(store: Subject) {
    let mut memories: Vec<Memory> =
        (1..=1_100).map(|number| said(&alice(), number, "s1", "a walk")).collect();
    memories[500].content = content("zebra");
    memories.push(memory(&alice(), 2_000, "lion"));
    store.keep(&memories).await;
    let found = turns(&store, &all_of(&alice()), &words("zebra lion")).await;
    assert_eq!(found.len(), 1_101);
    assert!(found.contains(&id(2_000)));
}

pub(super) async fn times_point_to_what_happened_then(store: Subject) {
    let memories: Vec<Memory> = (1..=9).zip(1..).map(|(number, at)| note_at(number, at)).collect();
    store.keep(&memories).await;
    store.keep(&[memory(&bob(), 10, "a walk")]).await;
    let check = async |limit: usize, expected: &[u64]| {
        let (first, last) = (moment(3).as_microsecond(), moment(6).as_microsecond());
        let cues = Cues { times: vec![(first, last)], ..Cues::default() };
        let filter = all_of(&alice());
        let evidence = store.evidence_of(&filter, &cues, limit).await;
        let places: Vec<Place> = evidence.turns.iter().map(|turn| turn.place).collect();
        let found = store.at(&filter, &places).await;
        let mut found: Vec<MemoryId> = found.into_iter().map(|(_, memory)| memory.id).collect();
        found.sort();
        assert_eq!(found, ids(expected));
    };
    check(9, &[3, 4, 5, 6]).await;
    check(2, &[5, 6]).await;
}

fn note_at(number: u64, at: i64) -> Memory {
    Memory { event_at: moment(at), ..memory(&alice(), number, "a walk") }
}
