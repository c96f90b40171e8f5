//! What facts mean for what is known, one statement at a time, and what holds of every plan.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use jiff::SignedDuration;
use proptest::prelude::*;

use super::*;
use crate::lifecycle::extraction::{Candidate, Turn, extract};
use crate::model::{
    Accesses, Channel, CleanText, Draft, Embedding, Identifier, Kind, MemoryId, Provenance, Scope,
    Source, State, Timestamp, Trust,
};

/// What is known in the scope of one user, and what is said there.
#[derive(Clone, Default)]
struct World {
    known: Vec<Memory>,
}

fn scope() -> Scope {
    Scope::user(Identifier::new("alice").unwrap())
}

fn hour(hour: i64) -> Timestamp {
    let start: Timestamp = "2026-03-04T10:00:00Z".parse().unwrap();
    start + SignedDuration::from_hours(hour)
}

/// Returns an id that only the same thing said at the same time has.
fn id(kind: Kind, at: Timestamp, text: &str) -> MemoryId {
    let mut hasher = DefaultHasher::new();
    (at, text).hash(&mut hasher);
    let moment = at.as_microsecond().cast_unsigned();
    format!("{}_{moment:016x}{:016x}", kind.prefix(), hasher.finish()).parse().unwrap()
}

/// Keeps a draft without asking anybody.
fn kept(draft: Draft, now: Timestamp) -> Memory {
    let waits = draft.kind == Kind::Fact && draft.source.trust() < Trust::High;
    let unique = format!("{} {:?}", draft.content, draft.derived_from);
    Memory {
        id: id(draft.kind, draft.event_at.unwrap_or(now), &unique),
        scope: draft.scope,
        kind: draft.kind,
        state: if waits { State::Pending } else { State::Active },
        content: CleanText::stored(draft.content),
        metadata: draft.metadata,
        source: draft.source,
        access_policy: draft.access_policy,
        event_at: draft.event_at.unwrap_or(now),
        created_at: now,
        updated_at: now,
        expires_at: None,
        valid_until: None,
        decay_rate: 0.1,
        accesses: Accesses::default(),
        provenance: Provenance { derived_from: draft.derived_from, ..Provenance::default() },
        triple: draft.triple,
        key: None,
        entities: Vec::new(),
        instructs: false,
        version: 1,
        embedding: Embedding::Pending,
    }
}

fn turn(at: i64, channel: Channel, text: &str) -> Memory {
    let draft = Draft::new(scope(), Kind::Episode, text, Source::through(channel));
    kept(Draft { event_at: Some(hour(at)), ..draft }, hour(at))
}

fn own(at: i64, text: &str) -> Memory {
    turn(at, Channel::OwnerMessage, text)
}

fn candidates(turns: &[Memory]) -> Vec<Candidate> {
    let told: Vec<Turn<'_>> = turns.iter().map(told).collect();
    extract(&told)
}

fn told(turn: &Memory) -> Turn<'_> {
    let (assistant, speaker) = (turn.said_by_assistant(), turn.author());
    let (said_at, text) = (turn.event_at, turn.content.as_str());
    Turn { id: &turn.id, assistant, speaker, said_at, text }
}

impl World {
    fn decide(&self, turns: &[Memory], candidates: &[Candidate]) -> Vec<Decision> {
        let owner = Owner::new(&scope(), turns);
        let found = found(&scope(), turns, candidates, &owner);
        let keep = |Found { draft, telling }| Fact { memory: kept(draft, hour(1_000)), telling };
        decide(found.into_iter().map(keep).collect(), &self.known, &owner)
    }

    fn tell(&mut self, turns: &[Memory]) -> Vec<Decision> {
        let decisions = self.decide(turns, &candidates(turns));
        self.apply(&decisions);
        decisions
    }

    fn say(&mut self, at: i64, text: &str) {
        self.tell(&[own(at, text)]);
    }

    fn apply(&mut self, decisions: &[Decision]) {
        for decision in decisions {
            match decision {
                Decision::Support { known, evidence, said_at } => {
                    let memory = self.known_mut(known);
                    *memory = supported(memory, evidence, *said_at);
                }
                Decision::End { known, by, at } => {
                    let memory = self.known_mut(known);
                    memory.state = State::Superseded;
                    memory.valid_until = Some(*at);
                    memory.metadata.confidence = Some(doubted(memory));
                    memory.provenance.superseded_by = Some(by.clone());
                }
                Decision::Learn { memory } => self.known.push((**memory).clone()),
            }
        }
    }

    fn known_mut(&mut self, id: &MemoryId) -> &mut Memory {
        self.known.iter_mut().find(|memory| memory.id == *id).unwrap()
    }

    /// Returns every fact with its state, sorted.
    fn lines(&self) -> Vec<String> {
        let line = |memory: &Memory| format!("{} {}", memory.state, memory.content.as_str());
        let mut lines: Vec<String> = self.known.iter().map(line).collect();
        lines.sort();
        lines
    }

    fn fact(&self, content: &str) -> &Memory {
        self.known.iter().find(|memory| memory.content.as_str() == content).unwrap()
    }
}

/// Checks what is known after sentences were said, one an hour and each in a conversation of its own.
#[track_caller]
fn check(said: &[&str], expected: &[&str]) {
    let mut world = World::default();
    for (at, text) in (0..).zip(said) {
        world.say(at, text);
    }
    assert_eq!(world.lines(), expected, "{said:?} one by one");
    let turns: Vec<Memory> = (0..).zip(said).map(|(at, text)| own(at, text)).collect();
    let mut world = World::default();
    world.tell(&turns);
    assert_eq!(world.lines(), expected, "{said:?} in one conversation");
}

/// Checks that the second of two sentences about different things leaves the first alone.
#[track_caller]
fn check_both(one: &str, other: &str) {
    let mut world = World::default();
    world.say(0, one);
    world.say(1, other);
    let states: Vec<State> = world.known.iter().map(|memory| memory.state).collect();
    assert_eq!(states, [State::Active, State::Active], "{one:?} and {other:?}");
}

#[test]
fn a_later_value_takes_the_place_of_an_earlier_one() {
    check(
        &["I live in Rome", "I moved to Oslo"],
        &["active The user moved to Oslo", "superseded The user lives in Rome"],
    );
    check(
        &["My favourite colour is teal", "My favourite colour is red"],
        &[
            "active The user's favourite colour is red",
            "superseded The user's favourite colour is teal",
        ],
    );
    check(
        &["I live in Rome", "I live in Oslo", "I live in Bergen"],
        &[
            "active The user lives in Bergen",
            "superseded The user lives in Oslo",
            "superseded The user lives in Rome",
        ],
    );
}

#[test]
fn what_is_replaced_says_by_what_and_since_when() {
    let mut world = World::default();
    world.say(0, "I live in Rome");
    world.say(5, "I live in Oslo");
    let (old, new) = (world.fact("The user lives in Rome"), world.fact("The user lives in Oslo"));
    assert_eq!((old.event_at, old.valid_until), (hour(0), Some(hour(5))));
    assert_eq!(old.metadata.confidence, Some(Fraction::new(0.3).unwrap()));
    assert_eq!(old.provenance.superseded_by.as_ref(), Some(&new.id));
    assert_eq!(new.provenance.supersedes.as_ref(), Some(&old.id));
    assert_eq!(new.valid_until, None);
}

#[test]
fn a_change_of_mind_ends_what_was_liked() {
    check(
        &["I like opera", "I don't like opera"],
        &["active The user does not like opera", "superseded The user likes opera"],
    );
    check(
        &["I love opera", "I hate opera"],
        &["active The user hates opera", "superseded The user loves opera"],
    );
    check(
        &["I can't stand opera", "I like opera now"],
        &["active The user likes opera now", "superseded The user can not stand opera"],
    );
    check_both("I don't like opera", "I hate opera");
    check_both("I love opera", "I can't live without opera");
}

#[test]
fn something_can_be_over_without_anything_in_its_place() {
    check(
        &["I smoke", "I no longer smoke"],
        &["active The user no longer smokes", "superseded The user smokes"],
    );
    check(
        &["I work at Siemens", "I quit my job"],
        &["active The user quit their job", "superseded The user works at Siemens"],
    );
    check(
        &["I work at Siemens", "I changed jobs", "I work at Klarna"],
        &[
            "active The user changed jobs",
            "active The user works at Klarna",
            "superseded The user works at Siemens",
        ],
    );
    check(
        &["I no longer smoke", "I smoke"],
        &["active The user smokes", "superseded The user no longer smokes"],
    );
    check_both("I live in Oslo", "I used to live in Rome");
    check_both("I work at Klarna", "I left Siemens");
}

#[test]
fn of_many_values_none_ends_another() {
    check_both("I love opera", "I love jazz");
    check_both("I speak German", "I speak Dutch");
    check_both("I have two cats", "I have three cats");
    check_both("I have two cats", "Actually I have a dog");
    check(
        &["I have two cats", "Actually I have three cats"],
        &["active The user has three cats", "superseded The user has two cats"],
    );
}

#[test]
fn what_is_about_somebody_else_ends_nothing() {
    check_both("I live in Rome", "My sister lives in Oslo");
    check_both("My brother lives in Rome", "My sister lives in Oslo");
}

#[test]
fn what_is_said_again_is_known_by_more_evidence() {
    let mut world = World::default();
    world.say(0, "I love hiking in the Alps with friends");
    world.say(1, "So, I really love hiking in the Alps with friends");
    world.say(2, "I love hiking in the Alps with friends!");
    assert_eq!(world.known.len(), 1);
    let fact = &world.known[0];
    assert_eq!(fact.provenance.derived_from.len(), 3);
    assert_eq!((fact.event_at, reading::said_at(fact)), (hour(0), hour(2)));
    assert_eq!(fact.metadata.confidence, Some(Fraction::new(0.9).unwrap()));
}

#[test]
fn a_fact_names_its_fifty_newest_turns() {
    let mut world = World::default();
    for at in 0..60 {
        world.say(at, "I live in Rome");
    }
    let newest: Vec<MemoryId> = (10..60).map(|at| own(at, "I live in Rome").id).collect();
    assert_eq!(world.known[0].provenance.derived_from, newest);
    assert_eq!(world.tell(&[own(3, "I live in Rome")]), [], "an older turn changes nothing");
}

/// Checks whether two sentences about a taste, each with its value, say the same.
#[track_caller]
fn check_repeats(one: (&str, &str), other: (&str, &str), expected: bool) {
    let stated = |(content, value): (&str, &str)| {
        let told = candidates(&[own(0, "I love opera")]).remove(0);
        let (content, value) = (content.to_owned(), value.to_owned());
        statement::Statement::new(&Candidate { content, value, ..told }, &Owner::default())
    };
    let repeats = stated(one).repeats(&stated(other));
    assert_eq!(repeats.is_some(), expected, "{one:?} and {other:?}: {repeats:?}");
}

#[test]
fn other_numbers_values_and_polarities_are_no_repetition() {
    let walks = "The user loves long walks by the river in Rome with friends on quiet Sundays";
    let here = (walks, "walks by the river in Rome");
    let loves = |place: &str| walks.replace("Rome", place);
    check_repeats(here, (&loves("rome"), here.1), true);
    check_repeats(here, (&walks.replace("quiet ", ""), "long walks by the river in Rome"), true);
    check_repeats(here, (&walks.replace("the river", "two rivers"), here.1), false);
    check_repeats(here, (&loves("Oslo"), "walks by the river in Oslo"), false);
    check_repeats(here, (&walks.replace("loves", "hates"), here.1), false);
    check_repeats(("The user loves tea", "tea"), ("The user loves iced tea", "iced tea"), false);
}

#[test]
fn what_was_said_earlier_does_not_undo_what_was_said_later() {
    let mut world = World::default();
    world.say(9, "I live in Oslo");
    world.say(5, "I live in Rome");
    world.say(1, "I live in Turin");
    assert_eq!(
        world.lines(),
        [
            "active The user lives in Oslo",
            "superseded The user lives in Rome",
            "superseded The user lives in Turin",
        ]
    );
    let (turin, rome) =
        (world.fact("The user lives in Turin"), world.fact("The user lives in Rome"));
    assert_eq!((turin.valid_until, rome.valid_until), (Some(hour(5)), Some(hour(9))));
    assert_eq!(turin.provenance.superseded_by.as_ref(), Some(&rome.id));
}

#[test]
fn a_fact_holds_from_the_day_it_tells_of() {
    let mut world = World::default();
    world.say(-1_000, "I live in Rome");
    world.say(0, "I moved to Oslo last week");
    let rome = world.fact("The user lives in Rome");
    assert_eq!(rome.valid_until, Some("2026-02-23T00:00:00Z".parse().unwrap()));
    world.say(-24, "I live in Bergen");
    let oslo = &world.known[1];
    assert_eq!((oslo.state, reading::said_at(oslo)), (State::Active, hour(0)));
    assert_eq!(world.fact("The user lives in Bergen").state, State::Superseded);
}

#[test]
fn the_last_word_within_a_turn_counts() {
    let mut world = World::default();
    world.say(0, "I live in Rome. Actually I live in Oslo.");
    assert_eq!(world.lines(), ["active The user lives in Oslo"]);
    assert_eq!(world.tell(&[own(0, "I live in Rome. Actually I live in Oslo.")]), []);
}

#[test]
fn less_trust_never_replaces_more_and_says_what_it_contradicts() {
    for channel in [Channel::OtherMessage, Channel::WebFetch, Channel::Inference] {
        let mut world = World::default();
        world.say(0, "I live in Rome");
        world.tell(&[turn(1, channel, "I live in Oslo")]);
        assert_eq!(
            world.lines(),
            ["active The user lives in Rome", "pending The user lives in Oslo"],
            "{channel}"
        );
        let rome = world.fact("The user lives in Rome").id.as_str();
        let contradicts = &world.fact("The user lives in Oslo").metadata.custom[CONTRADICTS];
        assert_eq!(contradicts, &serde_json::json!([rome]));
    }
}

#[test]
fn quotations_orders_and_assistants_make_no_active_fact() {
    let mut quoted = own(0, "I live in Rome");
    quoted.source.from_external_content = true;
    let mut ordered = own(0, "I live in Rome");
    ordered.instructs = true;
    let mut answered = own(0, "I live in Rome");
    answered.source.role = Some("assistant".to_owned());
    for odd in [quoted, ordered, answered] {
        let told = candidates(&[own(0, "I live in Rome")]);
        let mut world = World::default();
        world.apply(&world.decide(std::slice::from_ref(&odd), &told));
        assert_eq!(world.lines(), ["pending The user lives in Rome"]);
        assert_eq!(world.known[0].source.trust(), Trust::Low);
    }
}

#[test]
fn nobody_makes_doubtful_what_the_user_said_by_saying_it_too() {
    let mut world = World::default();
    world.tell(&[own(0, "I live in Rome"), turn(1, Channel::WebFetch, "I live in Rome")]);
    assert_eq!(world.lines(), ["active The user lives in Rome"]);
    assert_eq!(world.known[0].provenance.derived_from, [own(0, "I live in Rome").id]);
    world.tell(&[turn(2, Channel::WebFetch, "I live in Rome")]);
    assert_eq!(world.known[0].provenance.derived_from.len(), 1);
}

#[test]
fn evidence_that_says_it_only_together_is_trusted_as_its_least() {
    let (asked, answered) = (turn(0, Channel::WebFetch, "You live in Rome."), own(1, "Yes."));
    let mut candidate = candidates(&[own(0, "I live in Rome")]).remove(0);
    let place = candidate.evidence.remove(0);
    for turn in [&asked, &answered] {
        candidate.evidence.push(crate::lifecycle::extraction::Evidence {
            turn: turn.id.clone(),
            ..place.clone()
        });
    }
    let mut world = World::default();
    world.apply(&world.decide(&[asked, answered], &[candidate]));
    assert_eq!(world.lines(), ["pending The user lives in Rome"]);
}

#[test]
fn evidence_outside_the_turns_makes_no_fact() {
    let told = candidates(&[own(0, "I live in Rome")]);
    assert_eq!(World::default().decide(&[own(1, "Hello")], &told), []);
    let mut elsewhere = own(0, "I live in Rome");
    elsewhere.scope = Scope::user(Identifier::new("bob").unwrap());
    assert_eq!(World::default().decide(&[elsewhere], &told), []);
}

#[test]
fn the_users_own_word_takes_the_place_of_what_waits() {
    let mut world = World::default();
    world.tell(&[turn(0, Channel::OtherMessage, "I live in Rome")]);
    world.say(1, "I live in Rome");
    assert_eq!(
        world.lines(),
        ["active The user lives in Rome", "superseded The user lives in Rome"]
    );
    world.tell(&[turn(2, Channel::OtherMessage, "I live in Rome")]);
    assert_eq!(world.known.len(), 2);
}

#[test]
fn what_somebody_vouched_for_gives_way_to_its_owner_only() {
    let mut world = World::default();
    world.say(0, "I live in Rome");
    world.known[0].metadata.confidence = Some(Fraction::ONE);
    world.known[0].decay_rate = 0.0;
    world.tell(&[turn(1, Channel::OtherMessage, "I live in Oslo")]);
    assert_eq!(world.known[0].state, State::Active);
    world.say(2, "I live in Bergen");
    assert_eq!(world.known[0].state, State::Superseded);
}

/// Checks what becomes of a fact that somebody wrote by hand when the user says something else.
#[track_caller]
fn check_written(written: &str, said: &str, expected: State) {
    let source = Source::through(Channel::ExplicitSave);
    let mut world = World::default();
    world.known.push(kept(Draft::new(scope(), Kind::Fact, written, source), hour(0)));
    world.say(1, said);
    assert_eq!(world.known[0].state, expected, "{written:?}, then {said:?}");
}

#[test]
fn what_was_written_by_hand_is_understood() {
    check_written("The user lives in Rome", "I moved to Oslo", State::Superseded);
    check_written("I live in Rome", "I moved to Oslo", State::Superseded);
    check_written("Alice lives in Rome", "I moved to Oslo", State::Superseded);
    check_written(
        "Alice's favourite colour is teal",
        "My favourite colour is red",
        State::Superseded,
    );
    check_written("The user uses Terraform", "I no longer use Terraform", State::Superseded);
    check_written("Bob lives in Rome", "I moved to Oslo", State::Active);
    check_written("Alice lives in Rome and works at Siemens", "I moved to Oslo", State::Active);
    check_written("Alice lives in Rome. Ships sail on Mondays.", "I moved to Oslo", State::Active);
    check_written("Rome is old", "I moved to Oslo", State::Active);
}

#[test]
fn what_was_written_by_hand_later_stands() {
    let source = Source::through(Channel::ExplicitSave);
    let draft = Draft::new(scope(), Kind::Fact, "Alice lives in Rome", source);
    let mut world = World::default();
    world.known.push(kept(Draft { event_at: Some(hour(0)), ..draft }, hour(9)));
    world.say(5, "I live in Oslo");
    assert_eq!(world.lines(), ["active Alice lives in Rome", "superseded The user lives in Oslo"]);
}

#[test]
fn who_the_user_is_belongs_to_the_profile() {
    let category = |channel, text: &str| {
        let mut world = World::default();
        world.tell(&[turn(0, channel, text)]);
        world.known[0].metadata.custom[CATEGORY].as_str().unwrap().to_owned()
    };
    assert_eq!(category(Channel::OwnerMessage, "I live in Rome"), "user_profile");
    assert_eq!(category(Channel::OtherMessage, "I live in Rome"), "identity");
    assert_eq!(category(Channel::OwnerMessage, "I love opera"), "preference");
    assert_eq!(category(Channel::OwnerMessage, "My brother lives in Rome"), "identity");
}

#[test]
fn a_speaker_with_a_name_is_the_user_of_the_scope() {
    let mut named = own(0, "I live in Rome");
    named.metadata.author = Some("Alice Smith".to_owned());
    let mut world = World::default();
    world.tell(&[named]);
    assert_eq!(world.known[0].triple.as_ref().unwrap().subject, "user");
    world.say(1, "I live in Oslo");
    assert_eq!(
        world.lines(),
        ["active The user lives in Oslo", "superseded Alice Smith lives in Rome"]
    );
}

const SENTENCES: [&str; 18] = [
    "I live in Rome",
    "I live in Oslo",
    "I moved to Oslo last week",
    "I used to live in Rome",
    "Actually I live in Bergen",
    "I love opera",
    "I hate opera",
    "I don't like opera",
    "I smoke",
    "I no longer smoke",
    "I have two cats",
    "Actually I have three cats",
    "I work at Siemens",
    "I changed jobs",
    "I have a dog and two children",
    "My sister Ana is a nurse",
    "My sister lives in Oslo",
    "I live in Rome. Actually I live in Oslo.",
];

/// When something is said, how it arrives, and what it is.
type Said = (i64, Channel, &'static str);

/// Conversations in which some of the sentences are said.
fn conversations() -> impl Strategy<Value = Vec<Vec<Said>>> {
    let channels = vec![
        Channel::OwnerMessage,
        Channel::OwnerMessage,
        Channel::OwnerMessage,
        Channel::OtherMessage,
        Channel::WebFetch,
    ];
    let said = (0..40_i64, prop::sample::select(channels), prop::sample::select(&SENTENCES[..]));
    prop::collection::vec(prop::collection::vec(said, 1..6), 1..5)
}

fn turns(said: &[Said]) -> Vec<Memory> {
    let mut turns: Vec<Memory> =
        said.iter().map(|&(at, channel, text)| turn(at, channel, text)).collect();
    turns.sort_by(|one, other| one.id.cmp(&other.id));
    turns.dedup_by(|one, other| one.id == other.id);
    turns
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_same_turns_say_nothing_new(conversations in conversations()) {
        let mut world = World::default();
        for turns in conversations.iter().map(|said| turns(said)) {
            let turns = &turns[..];
            world.tell(turns);
            let again = world.decide(turns, &candidates(turns));
            prop_assert!(again.is_empty(), "{again:?}");
        }
    }

    #[test]
    fn no_decision_raises_trust(conversations in conversations()) {
        let mut world = World::default();
        for turns in conversations.iter().map(|said| turns(said)) {
            let turns = &turns[..];
            let before = world.clone();
            let decisions = world.tell(turns);
            for memory in &before.known {
                let after = world.fact_by(&memory.id);
                prop_assert_eq!(after.source.trust(), memory.source.trust());
                prop_assert!(after.metadata.confidence <= memory.metadata.confidence);
            }
            for decision in decisions {
                let Decision::End { known, by, .. } = &decision else { continue };
                let (known, by) = (world.fact_by(known), world.fact_by(by));
                prop_assert!(known.source.trust() <= by.source.trust());
            }
        }
    }

    #[test]
    fn every_fact_has_its_evidence_and_is_trusted_as_that_is(conversations in conversations()) {
        for turns in conversations.iter().map(|said| turns(said)) {
            let turns = &turns[..];
            for decision in World::default().decide(turns, &candidates(turns)) {
                let Decision::Learn { memory } = decision else { continue };
                prop_assert!(!memory.provenance.derived_from.is_empty());
                for id in &memory.provenance.derived_from {
                    let turn = turns.iter().find(|turn| turn.id == *id);
                    prop_assert!(turn.is_some_and(|turn| memory.source.trust() <= turn.source.trust()));
                }
                prop_assert!(memory.state != State::Active || memory.source.trust() == Trust::High);
            }
        }
    }

    #[test]
    fn the_order_of_candidates_makes_no_difference(conversations in conversations()) {
        let mut world = World::default();
        for turns in conversations.iter().map(|said| turns(said)) {
            let turns = &turns[..];
            let mut told = candidates(turns);
            let decisions = world.decide(turns, &told);
            told.reverse();
            prop_assert_eq!(&decisions, &world.decide(turns, &told));
            world.apply(&decisions);
        }
    }

    #[test]
    fn at_most_one_value_is_in_force(conversations in conversations()) {
        let mut world = World::default();
        for turns in conversations.iter().map(|said| turns(said)) {
            let turns = &turns[..];
            world.tell(turns);
        }
        let homes = world.known.iter().filter(|memory| {
            let about = memory.triple.as_ref().unwrap();
            memory.state == State::Active
                && !memory.metadata.custom.contains_key(STANDING)
                && (about.subject.as_str(), about.predicate.as_str()) == ("user", "home")
        });
        let values: Vec<&str> =
            homes.map(|memory| memory.triple.as_ref().unwrap().object.as_str()).collect();
        prop_assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{values:?}");
    }
}

impl World {
    fn fact_by(&self, id: &MemoryId) -> &Memory {
        self.known.iter().find(|memory| memory.id == *id).unwrap()
    }
}
