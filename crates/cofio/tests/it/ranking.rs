//! The order of hits: by words, by what was said around them, by who, when and how sure.

use std::collections::HashSet;

use cofio::engine::Absence;
use cofio::model::{
    Channel, Criteria, Draft, Kind, Layer, Lifetime, Memory, Objection, Patch, Scope, Source, Trust,
};
use cofio::retrieval::{Answer, Fusion, Hit, MeaningUsed, Merge, Signal, explain};
use cofio::store::SqliteStore;
use cofio::{Config, Engine, Mode, Query, Selection};
use jiff::SignedDuration;
use jiff::tz::{Offset, TimeZone};
use pollster::block_on;
use proptest::prelude::*;

use crate::fixture::{Fixture, START, fact, identifiers, keeper, local, named, scope};

fn mine() -> Selection {
    Selection::new(identifiers(&[(Layer::User, "alice")]))
}

fn query(question: &str) -> Query {
    Query::new(mine(), question)
}

fn search(fixture: &Fixture, query: &Query) -> Answer {
    block_on(fixture.engine.search(&local("alice"), query)).unwrap()
}

fn texts(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.memory.content.as_str()).collect()
}

/// Checks which texts are found, best first.
#[track_caller]
fn check(fixture: &Fixture, query: &Query, expected: &[&str]) {
    assert_eq!(texts(&search(fixture, query).hits), expected);
}

/// Checks which text is found first.
#[track_caller]
fn check_first(fixture: &Fixture, query: &Query, expected: &str) {
    assert_eq!(texts(&search(fixture, query).hits).first(), Some(&expected));
}

fn turn(session: &str, role: &str, minute: i64, text: &str) -> Draft {
    let mut source = Source::through(Channel::OwnerMessage);
    source.session = Some(named(session));
    source.role = Some(role.to_owned());
    let start: jiff::Timestamp = "2026-02-01T10:00:00Z".parse().unwrap();
    let event_at = Some(start + SignedDuration::from_mins(minute));
    let mut draft = Draft::new(Scope::user(named("alice")), Kind::Episode, text, source);
    draft.event_at = event_at;
    draft
}

/// Keeps a conversation, one minute for each turn.
fn talk(fixture: &Fixture, session: &str, turns: &[(&str, &str)]) {
    for (minute, (role, text)) in (0..).zip(turns) {
        fixture.remember(turn(session, role, minute, text)).unwrap();
    }
}

fn happened(fixture: &Fixture, at: &str, text: &str) -> Memory {
    let draft = Draft { event_at: Some(at.parse().unwrap()), ..fact("alice", text) };
    fixture.remember(draft).unwrap().memory
}

#[test]
fn an_answer_is_found_through_its_question() {
    let fixture = Fixture::new();
    talk(
        &fixture,
        "s1",
        &[
            ("user", "Let us talk about the trip then, there is much to decide and to plan."),
            ("Bob", "Which hotel did you book in Lisbon?"),
            ("Carol", "The blue one near the river, with the roof garden and the old lift."),
            ("Bob", "Good, then we only need the train."),
        ],
    );
    let answer = search(&fixture, &query("hotel Lisbon"));
    let found = texts(&answer.hits);
    assert!(found.iter().any(|text| text.starts_with("The blue one")), "{found:?}");
    let place = |start: &str| found.iter().position(|text| text.starts_with(start));
    assert!(place("The blue one") < place("Good, then"), "an answer is nearer than what follows");
    let hit = answer.hits.iter().find(|hit| hit.memory.content.as_str().starts_with("The blue"));
    let signals = &hit.unwrap().signals;
    assert!(signals.matched_terms.is_empty());
    assert!(signals.parts.iter().any(|part| part.signal == Signal::Surroundings));
}

/// Checks that nothing was found through what was said around it.
#[track_caller]
fn check_alone(hits: &[Hit], count: usize) {
    assert_eq!(hits.len(), count);
    let flows =
        |hit: &Hit| hit.signals.parts.iter().any(|part| part.signal == Signal::Surroundings);
    assert!(!hits.iter().any(flows));
}

#[test]
fn evidence_does_not_flow_into_another_conversation() {
    let fixture = Fixture::new();
    talk(&fixture, "s1", &[("user", "Which hotel did you book?")]);
    talk(&fixture, "s2", &[("user", "Lisbon was beautiful in spring")]);
    talk(&fixture, "s3", &[("user", "The blue one near the river")]);
    fixture.fact("alice", "A note on Lisbon");
    check_alone(&search(&fixture, &query("hotel Lisbon")).hits, 3);
}

#[test]
fn evidence_does_not_flow_into_the_same_conversation_of_another_scope() {
    let fixture = Fixture::new();
    talk(&fixture, "s1", &[("user", "Which hotel did you book?")]);
    let names = [(Layer::User, "alice"), (Layer::Project, "p")];
    let elsewhere = scope(Layer::Project, &names);
    let lisbon = turn("s1", "user", 1, "Lisbon was beautiful in spring");
    fixture.remember(Draft { scope: elsewhere, ..lisbon }).unwrap();
    let both = Query::new(Selection::new(identifiers(&names)), "hotel Lisbon");
    let answer = block_on(fixture.engine.search(&keeper(), &both)).unwrap();
    assert_eq!(answer.searched.len(), 2);
    check_alone(&answer.hits, 2);
}

#[test]
fn whom_the_question_names_comes_first() {
    let fixture = Fixture::new();
    for (session, (role, text)) in [
        ("s1", ("Caroline", "I went hiking in the mountains")),
        ("s2", ("Melanie", "I went hiking in the mountains!")),
        ("s3", ("Edgar", "I stayed at home all day")),
    ] {
        talk(&fixture, session, &[(role, text)]);
    }
    let first = |question: &str| {
        let answer = search(&fixture, &query(question));
        answer.hits[0].memory.author().map(str::to_owned)
    };
    assert_eq!(first("When did Caroline go hiking?").as_deref(), Some("Caroline"));
    assert_eq!(first("When did Melanie go hiking?").as_deref(), Some("Melanie"));
    assert_eq!(first("What is Caroline's hiking like").as_deref(), Some("Caroline"));
    let answer = search(&fixture, &query("Did Caroline and Melanie go hiking?"));
    let speaks = |hit: &Hit| hit.signals.parts.iter().any(|part| part.signal == Signal::Speaker);
    assert!(!answer.hits.iter().any(speaks), "two who are named say nothing about either");
}

#[test]
fn what_happened_when_the_question_says_comes_first() {
    let fixture = Fixture::new();
    happened(&fixture, "2023-05-12T10:00:00Z", "dinner with the team in town");
    happened(&fixture, "2024-02-23T10:00:00Z", "dinner with the team at home");
    happened(&fixture, "2025-08-01T10:00:00Z", "dinner with the team outside");
    let at = |reference: &str| Some(reference.parse().unwrap());
    let check = |question: &str, reference: &str, expected: &str| {
        let dated = Query { reference_time: at(reference), ..query(question) };
        check_first(&fixture, &dated, expected);
    };
    let now = "2026-03-01T12:00:00Z";
    check("Where was the team dinner in May 2023?", now, "dinner with the team in town");
    check("Where was the team dinner in 2024?", now, "dinner with the team at home");
    check("Where was the team dinner on 1 August 2025?", now, "dinner with the team outside");
    // 28 February 2024 is a Wednesday.
    check(
        "Where was the team dinner last Friday?",
        "2024-02-28T12:00:00Z",
        "dinner with the team at home",
    );
    check(
        "Where was the team dinner last week?",
        "2025-08-06T12:00:00Z",
        "dinner with the team outside",
    );
    check("Where was the team dinner?", now, "dinner with the team outside");
}

#[test]
fn without_a_reference_a_date_counts_from_now() {
    let fixture = Fixture::new();
    happened(&fixture, "2026-02-28T10:00:00Z", "lunch with the team in town");
    happened(&fixture, "2026-02-10T10:00:00Z", "lunch with the team at home");
    check_first(&fixture, &query("team lunch yesterday"), "lunch with the team in town");
    check_first(&fixture, &query("team lunch on 10 February"), "lunch with the team at home");
}

#[test]
fn a_date_alone_is_enough_to_find_what_happened_then() {
    let fixture = Fixture::new();
    happened(&fixture, "2026-02-28T10:00:00Z", "lunch with the team in town");
    happened(&fixture, "2026-02-10T10:00:00Z", "a walk by the sea");
    happened(&fixture, "2025-02-10T10:00:00Z", "a visit to the zoo");
    check(&fixture, &query("what did I do yesterday?"), &["lunch with the team in town"]);
    check(&fixture, &query("what happened on 10 February 2026?"), &["a walk by the sea"]);
    check(&fixture, &query("what happened in 2019?"), &[]);
    let keyword = Query { mode: Mode::Keyword, ..query("what did I do yesterday?") };
    check(&fixture, &keyword, &[]);
}

#[test]
fn a_day_is_one_where_the_person_lives() {
    let mut config = Config::default();
    config.expiry.time_zone = TimeZone::fixed(Offset::constant(9));
    let fixture = Fixture::with(config);
    // It is nine in the evening of 1 March there.
    happened(&fixture, "2026-02-27T20:00:00Z", "lunch with the team in town");
    happened(&fixture, "2026-02-28T20:00:00Z", "lunch with the team at home");
    let yesterday = query("team lunch yesterday");
    check_first(&fixture, &yesterday, "lunch with the team in town");
    let late = Some("2026-03-01T20:00:00Z".parse().unwrap());
    let tomorrow = Query { reference_time: late, ..yesterday.clone() };
    check_first(&fixture, &tomorrow, "lunch with the team at home");
    let reasons = explain(&search(&fixture, &tomorrow).hits[0]);
    assert!(reasons.iter().any(|reason| reason.contains("(2026-03-01)")), "{reasons:?}");
    let utc = Query { time_zone: Some(TimeZone::UTC), ..yesterday };
    check_first(&fixture, &utc, "lunch with the team at home");
}

#[test]
fn what_the_user_told_comes_before_what_an_assistant_answered() {
    let fixture = Fixture::new();
    let statement = "My marathon training plan is four runs a week.";
    let answer = "A good marathon training plan begins slowly. In the first month there are three \
        easy runs and a long one at the weekend, none of them fast. Tempo runs come in the second \
        month, when the legs are used to the distance, and hills after that. Sleep and food matter \
        as much as shoes. In the last two weeks of the training plan everything becomes shorter, \
        and the marathon itself is run on rested legs, with water at every station and a steady \
        pace from the beginning.";
    talk(&fixture, "s1", &[("user", statement)]);
    talk(&fixture, "s2", &[("assistant", answer)]);
    check_first(&fixture, &query("What is my marathon training plan?"), statement);
    check_first(&fixture, &query("Can you tell me my marathon training plan?"), statement);
    let asked = "Which tempo runs did you suggest for the marathon training plan?";
    check_first(&fixture, &query(asked), answer);
}

#[test]
fn what_is_trusted_little_comes_after_what_is_trusted() {
    let fixture = Fixture::new();
    fixture.fact("alice", "the gate code is on the fridge");
    let source = Source::through(Channel::Inference);
    let kind = Kind::Reflection;
    let doubtful = Draft { source, kind, ..fact("alice", "the gate code is on the internet") };
    fixture.remember(doubtful).unwrap();
    let expected = ["the gate code is on the fridge", "the gate code is on the internet"];
    check(&fixture, &query("where is the gate code"), &expected);
}

#[test]
fn recency_counts_as_much_as_is_asked() {
    let fixture = Fixture::new();
    happened(&fixture, "2025-01-01T00:00:00Z", "the kettle is a silver kettle");
    happened(&fixture, "2026-02-27T00:00:00Z", "the kettle is broken");
    let question = "kettle";
    check_first(&fixture, &query(question), "the kettle is a silver kettle");
    let recent = Query { recency: 1.0, ..query(question) };
    check_first(&fixture, &recent, "the kettle is broken");
    let recency = |hit: &Hit| {
        let part = hit.signals.parts.iter().find(|part| part.signal == Signal::Recency);
        part.map_or(0.0, |part| part.value)
    };
    let half = Query { recency: 0.5, ..query(question) };
    let most = |query: &Query| search(&fixture, query).hits.iter().map(recency).fold(0.0, f64::max);
    assert!((most(&recent) - 2.0 * most(&half)).abs() < 1e-6);
    assert!(most(&query(question)).abs() < f64::EPSILON);
    let then = Query { reference_time: Some("2025-01-02T00:00:00Z".parse().unwrap()), ..recent };
    let values: Vec<f64> = search(&fixture, &then).hits.iter().map(recency).collect();
    assert!(values.iter().all(|value| (0.0..=2.0).contains(value)), "{values:?}");
}

#[test]
fn plain_notes_are_ranked_by_words_alone() {
    let fixture = Fixture::new();
    fixture.fact("alice", "the green kettle leaks and the red one too");
    fixture.fact("alice", "the green door");
    fixture.fact("alice", "something else entirely");
    let answer = search(&fixture, &query("green kettle"));
    let expected = ["the green kettle leaks and the red one too", "the green door"];
    assert_eq!(texts(&answer.hits), expected);
    assert_eq!((answer.total, answer.meaning), (2, MeaningUsed::NoEmbedder));
    let signals = answer.hits.iter().flat_map(|hit| &hit.signals.parts).map(|part| part.signal);
    assert_eq!(signals.collect::<HashSet<_>>(), HashSet::from([Signal::Words]));
    assert_eq!(answer.hits[0].signals.matched_terms.len(), 2);
}

#[test]
fn a_word_in_a_question_says_less_than_one_that_is_told() {
    let fixture = Fixture::new();
    talk(&fixture, "s1", &[("user", "Where do I keep the old passport?")]);
    talk(&fixture, "s2", &[("user", "I keep the passport in a drawer")]);
    check_first(&fixture, &query("passport"), "I keep the passport in a drawer");
}

/// Returns how much a signal counts for the best hit.
fn part(fixture: &Fixture, question: &str, signal: Signal) -> f64 {
    let answer = search(fixture, &query(question));
    let mut parts = answer.hits[0].signals.parts.iter();
    parts.find(|part| part.signal == signal).map_or(0.0, |part| part.value)
}

#[test]
fn what_is_no_turn_of_a_conversation_is_not_judged_as_one() {
    let asks = "Where do I keep the passport?";
    let notes = Fixture::new();
    notes.fact("alice", asks);
    let told = Fixture::new();
    told.fact("alice", "Where do I keep the passport!");
    let words = |fixture: &Fixture| part(fixture, "passport drawer", Signal::Words);
    assert!((words(&notes) - words(&told)).abs() < 1e-9, "a note that asks is a note");
    assert!(part(&notes, "passport", Signal::Question).abs() < 1e-9);
    for kind in [Kind::Fact, Kind::Episode] {
        let fixture = Fixture::new();
        let session = if kind == Kind::Fact { Some(named("s1")) } else { None };
        let mut draft = Draft { kind, ..turn("s1", "assistant", 0, "The passport is in a drawer") };
        draft.source.session = session;
        fixture.remember(draft).unwrap();
        assert!(part(&fixture, "passport", Signal::Assistant).abs() < 1e-9, "{kind}");
    }
    let spoken = Fixture::new();
    talk(&spoken, "s1", &[("assistant", asks)]);
    for signal in [Signal::Assistant, Signal::Question] {
        assert!(part(&spoken, "passport", signal) < 0.0, "{signal:?}");
    }
    assert!(words(&spoken) < words(&notes));
}

#[test]
fn ranks_alone_can_be_fused() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea with @bob");
    fixture.fact("alice", "tea and more tea and tea again");
    fixture.fact("alice", "coffee with @bob");
    let fused = Query { fusion: Fusion::Rrf, ..query("tea with bob") };
    let answer = search(&fixture, &fused);
    assert_eq!(answer.hits.len(), 3);
    assert_eq!(answer.hits[0].memory.content.as_str(), "tea with @bob");
    assert!(answer.hits.iter().all(|hit| hit.signals.parts.is_empty()), "nothing is added up");
    assert!(answer.hits.is_sorted_by(|one, two| one.score >= two.score));
    assert!(!explain(&answer.hits[0]).is_empty());
    let keyword = Query { mode: Mode::Keyword, ..query("tea with bob") };
    assert!(search(&fixture, &keyword).hits.iter().all(|hit| hit.signals.matched_names.is_empty()));
}

#[test]
fn a_secret_in_a_question_is_not_looked_for_in_any_mode() {
    let fixture = Fixture::new();
    fixture.fact("alice", "hunter22 rides again");
    for mode in [Mode::Hybrid, Mode::Keyword] {
        check(&fixture, &Query { mode, ..query("the password is hunter22") }, &[]);
    }
}

#[test]
fn precedence_puts_the_most_specific_layer_first() {
    let fixture = Fixture::new();
    let names = [(Layer::User, "alice"), (Layer::Company, "c")];
    let company = scope(Layer::Company, &names);
    let rule = "expense reports are due on Friday, expense reports need receipts";
    fixture.remember(Draft { scope: company, ..fact("alice", rule) }).unwrap();
    fixture.fact("alice", "I hate expense forms");
    let order = |merge| {
        let query =
            Query { merge, ..Query::new(Selection::new(identifiers(&names)), "expense reports") };
        let hits = block_on(fixture.engine.search(&keeper(), &query)).unwrap().hits;
        hits.iter().map(|hit| hit.memory.scope.layer()).collect::<Vec<_>>()
    };
    assert_eq!(order(Merge::Fused), [Layer::Company, Layer::User]);
    assert_eq!(order(Merge::Precedence), [Layer::User, Layer::Company]);
}

#[test]
fn a_layer_is_not_crowded_out_by_another() {
    let fixture = Fixture::new();
    let names = [(Layer::User, "alice"), (Layer::Company, "c")];
    let company = scope(Layer::Company, &names);
    for number in 0..40 {
        let rule = format!("expense reports {number}: expense reports need receipts");
        fixture.remember(Draft { scope: company.clone(), ..fact("alice", &rule) }).unwrap();
    }
    fixture.fact("alice", "I hate all the forms that an expense takes in this town");
    let layers = |merge, limit_per_layer| {
        let selection = Selection::new(identifiers(&names));
        let query =
            Query { merge, limit_per_layer, limit: 10, ..Query::new(selection, "expense reports") };
        let hits = block_on(fixture.engine.search(&keeper(), &query)).unwrap().hits;
        hits.iter().map(|hit| hit.memory.scope.layer()).collect::<Vec<_>>()
    };
    assert!(!layers(Merge::Fused, None).contains(&Layer::User), "far more speaks for the others");
    let precedence = layers(Merge::Precedence, None);
    assert_eq!((precedence.len(), precedence[0]), (10, Layer::User));
    let few_of_each = layers(Merge::Fused, Some(5));
    assert_eq!((few_of_each.len(), few_of_each[5]), (6, Layer::User));
}

#[test]
fn what_does_not_fit_into_the_tokens_is_left_out() {
    let fixture = Fixture::new();
    let long = format!("tea ceremony {}", "and so on ".repeat(30));
    fixture.fact("alice", long.trim());
    fixture.fact("alice", "tea, briefly");
    fixture.fact("alice", "more tea");
    let within = |tokens| search(&fixture, &Query { tokens, ..query("tea ceremony") });
    assert_eq!((within(None).hits.len(), within(None).left_out), (3, 0));
    assert_eq!((within(Some(1_000)).hits.len(), within(Some(1_000)).left_out), (3, 0));
    let answer = within(Some(5));
    assert_eq!((answer.hits.len(), answer.left_out, answer.total), (2, 1, 3));
    assert!(answer.hits.iter().all(|hit| hit.memory.content.as_str() != long.trim()));
    assert_eq!((within(Some(0)).hits.len(), within(Some(0)).left_out), (0, 3));
}

#[test]
fn every_hit_can_be_explained() {
    let fixture = Fixture::new();
    let mut draft = turn("s1", "Caroline", 0, "I went hiking in the mountains near the lake");
    draft.event_at = Some("2023-05-12T10:00:00Z".parse().unwrap());
    fixture.remember(draft).unwrap();
    talk(&fixture, "s2", &[("Melanie", "a walk"), ("assistant", "mountains are high")]);
    let answer = search(&fixture, &query("Where was Caroline hiking in May 2023, in mountains?"));
    let reasons = explain(&answer.hits[0]);
    for part in [
        "has hiking, mountains",
        "Caroline said it",
        "it happened when the question says (2023-05-12)",
    ] {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part} in {reasons:?}");
    }
    let assistant = answer.hits.iter().find(|hit| hit.memory.said_by_assistant()).unwrap();
    let reasons = explain(assistant);
    assert!(reasons.last().unwrap().starts_with("-3.00 an assistant said it"), "{reasons:?}");
}

#[test]
fn a_day_beside_the_one_asked_for_is_not_said_to_be_it() {
    let fixture = Fixture::new();
    let reasons = |at: &str, question: &str| {
        let memory = happened(&fixture, at, &format!("lunch at {at}"));
        // A Monday.
        let reference_time = Some("2026-11-16T12:00:00Z".parse().unwrap());
        let answer = search(&fixture, &Query { reference_time, ..query(question) });
        let hit = answer.hits.iter().find(|hit| hit.memory.id == memory.id).unwrap();
        explain(hit).join("; ")
    };
    let check = |at: &str, question: &str, expected: &str| {
        let reasons = reasons(at, question);
        assert!(reasons.contains(expected), "{expected} in {reasons}");
    };
    let friday = "lunch last Friday";
    check("2026-11-13T10:00:00Z", friday, "it happened when the question says (2026-11-13)");
    check(
        "2026-11-14T10:00:00Z",
        friday,
        "it happened 1 day from what the question says (2026-11-14)",
    );
    check(
        "2026-11-15T10:00:00Z",
        friday,
        "it happened 2 days from what the question says (2026-11-15)",
    );
    check(
        "2026-11-05T10:00:00Z",
        "lunch in early November or on 9 November 2026",
        "it happened when",
    );
}

/// Returns why a memory is not part of an answer.
fn reasons(fixture: &Fixture, query: &Query, memory: &Memory) -> Vec<Absence> {
    block_on(fixture.engine.why_not(&keeper(), query, &memory.id)).unwrap().reasons
}

#[test]
fn what_is_not_meant_is_absent_for_that() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "tea");
    let bobs = fixture.fact("bob", "tea");
    let lifetime = Lifetime::For(SignedDuration::from_mins(5));
    let brief = fixture.remember(Draft { lifetime, ..fact("alice", "brief tea") }).unwrap().memory;
    let source = Source::through(Channel::Inference);
    let kind = Kind::Reflection;
    let web = fixture.remember(Draft { source, kind, ..fact("alice", "web tea") }).unwrap().memory;
    fixture.wait(SignedDuration::from_mins(6));
    let meeting = |criteria: Criteria| {
        let mine = identifiers(&[(Layer::User, "alice")]);
        Query::new(Selection::with(mine, criteria), "tea")
    };
    let check = |query: &Query, memory: &Memory, expected: &[Objection]| {
        let expected: Vec<Absence> = expected.iter().copied().map(Absence::NotMeant).collect();
        assert_eq!(reasons(&fixture, query, memory), expected);
    };
    check(&query("tea"), &tea, &[]);
    check(&query("tea"), &bobs, &[Objection::Scope]);
    check(&query("tea"), &brief, &[Objection::Expiry]);
    let episodes = meeting(Criteria { kinds: vec![Kind::Episode], ..Criteria::default() });
    check(&episodes, &tea, &[Objection::Kind]);
    check(&episodes, &brief, &[Objection::Expiry, Objection::Kind]);
    let trusted = meeting(Criteria { minimum_trust: Trust::Medium, ..Criteria::default() });
    check(&trusted, &web, &[Objection::Trust]);
    check(&trusted, &tea, &[]);
}

#[test]
fn what_was_not_good_enough_is_absent_for_that() {
    let fixture = Fixture::new();
    let best = fixture.fact("alice", "green tea from the mountains");
    let second = fixture.fact("alice", "tea is mostly green, they say");
    let third = fixture.fact("alice", "tea");
    let unrelated = fixture.fact("alice", "bicycles");
    let question = query("green tea mountains");
    assert_eq!(reasons(&fixture, &question, &best), []);
    assert_eq!(reasons(&fixture, &question, &unrelated), [Absence::NothingSpeaksForIt]);
    let two = Query { limit: 2, ..question.clone() };
    let rank = Some(3);
    assert_eq!(reasons(&fixture, &two, &third), [Absence::BeyondLimit { rank, limit: 2 }]);
    let why = block_on(fixture.engine.why_not(&keeper(), &two, &second.id)).unwrap();
    assert_eq!((why.reasons, why.rank, why.found), (Vec::new(), Some(2), 3));
    let one = Query { limit_per_layer: Some(1), ..question.clone() };
    assert_eq!(reasons(&fixture, &one, &second), [Absence::BeyondLayerLimit { limit: 1 }]);
    let budget = Query { tokens: Some(8), ..question };
    let expected = [Absence::BeyondTokens { tokens: 8, budget: 8 }];
    assert_eq!(reasons(&fixture, &budget, &second), expected);
    assert_eq!(reasons(&fixture, &budget, &best), []);
    let error = block_on(fixture.engine.why_not(&local("bob"), &two, &best.id)).unwrap_err();
    assert_eq!(error.kind(), cofio::ErrorKind::NotFound);
}

#[test]
fn what_another_layer_says_too_is_absent_for_that() {
    let fixture = Fixture::new();
    let names = [(Layer::User, "alice"), (Layer::Company, "c")];
    let company = scope(Layer::Company, &names);
    let general =
        fixture.remember(Draft { scope: company, ..fact("alice", "Use tabs!") }).unwrap().memory;
    let own = fixture.fact("alice", "use tabs");
    let query = Query::new(Selection::new(identifiers(&names)), "tabs");
    let expected = [Absence::Overridden { by: own.id.clone() }];
    assert_eq!(reasons(&fixture, &query, &general), expected);
}

#[test]
fn equal_hits_stand_in_the_same_order_every_time() {
    let fixture = Fixture::new();
    for number in 0..30 {
        happened(&fixture, "2026-01-01T00:00:00Z", &format!("note{number} about tea"));
    }
    happened(&fixture, "2026-01-02T00:00:00Z", "latest about tea");
    let all = Query { limit: 31, ..query("tea") };
    let order = |fixture: &Fixture, query: &Query| {
        let hits = search(fixture, query).hits;
        texts(&hits).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let first = order(&fixture, &all);
    assert_eq!((first.len(), first[0].as_str()), (31, "latest about tea"));
    for mode in [Mode::Hybrid, Mode::Keyword] {
        for limit in [1, 5, 20] {
            let some = Query { limit, mode, ..query("tea") };
            assert_eq!(order(&fixture, &some), first[..limit]);
        }
    }
    let store = SqliteStore::open(&fixture.path()).unwrap();
    let engine = Engine::new(store, || START.parse().unwrap());
    let again = block_on(engine.search(&local("alice"), &all)).unwrap();
    assert_eq!(texts(&again.hits), first);
}

/// Writes through two engines in turns, and compares both after every change with one that has
/// just been opened.
#[test]
fn two_handles_on_one_file_see_each_others_changes_at_once() {
    let fixture = Fixture::new();
    let open =
        || Engine::new(SqliteStore::open(&fixture.path()).unwrap(), || START.parse().unwrap());
    let engines = [fixture.engine.clone(), open()];
    let questions = ["zebra", "lion bear", "what did Caroline say of the wolf"];
    let answers = |engine: &Engine| {
        questions.map(|question| {
            let all = Query { limit: 50, ..query(question) };
            let hits = block_on(engine.search(&local("alice"), &all)).unwrap().hits;
            let key =
                |hit: &Hit| (hit.memory.content.as_str().to_owned(), format!("{:.9}", hit.score));
            hits.iter().map(key).collect::<Vec<_>>()
        })
    };
    let words = ["zebra", "lion", "bear", "wolf"];
    let mut kept: Vec<Memory> = Vec::new();
    for (round, minute) in (0..40_usize).zip((0..40).rev()) {
        let engine = &engines[round % 3 % 2];
        let text =
            format!("round {round} has a {} and a {}", words[round % 4], words[round * 7 % 3]);
        match round % 5 {
            3 => {
                let memory = kept.remove(round * 5 % kept.len());
                block_on(engine.forget(&local("alice"), &[memory.id])).unwrap();
            }
            4 => {
                let memory = &kept[round * 3 % kept.len()];
                let patch = Patch { content: Some(text), ..Patch::default() };
                block_on(engine.update(&local("alice"), &memory.id, patch)).unwrap();
            }
            _ => {
                let role = ["user", "Caroline"][round % 2];
                let draft = turn(["s1", "s2"][round / 2 % 2], role, minute, &text);
                kept.push(block_on(engine.remember(&local("alice"), draft)).unwrap().memory);
            }
        }
        let expected = answers(&open());
        for engine in &engines {
            assert_eq!(answers(engine), expected, "after round {round}");
        }
    }
}

#[test]
fn searches_beside_writes_find_what_is_there() {
    let fixture = Fixture::new();
    let kept = fixture.fact("alice", "the zebra that stays");
    let other = Engine::new(SqliteStore::open(&fixture.path()).unwrap(), || START.parse().unwrap());
    std::thread::scope(|threads| {
        for engine in [&fixture.engine, &other, &fixture.engine] {
            threads.spawn(move || {
                for _ in 0..60 {
                    let all = Query { limit: 50, ..query("zebra") };
                    let hits = block_on(engine.search(&local("alice"), &all)).unwrap().hits;
                    assert!(texts(&hits).contains(&"the zebra that stays"));
                }
            });
        }
        for number in 0..40 {
            let memory = fixture.fact("alice", &format!("zebra number {number}"));
            if number % 3 == 0 {
                block_on(other.forget(&local("alice"), &[memory.id])).unwrap();
            } else if number % 3 == 1 {
                let patch = Patch { content: Some(format!("lion {number}")), ..Patch::default() };
                block_on(other.update(&local("alice"), &memory.id, patch)).unwrap();
            }
        }
    });
    let all = Query { limit: 50, ..query("zebra stays") };
    let found = search(&fixture, &all).hits;
    assert_eq!((found.len(), &found[0].memory.id), (14, &kept.id));
}

/// Adds memory after memory, and compares one engine that follows with one just opened.
#[test]
fn what_is_added_is_weighed_as_if_everything_were_read_anew() {
    let fixture = Fixture::new();
    let questions =
        ["zebra", "the old Zebra of Lisbon", "who saw Caroline Herschel", "wolf bear Lisbon"];
    let answers = |engine: &Engine| {
        questions.map(|question| {
            let all = Query { limit: 100, ..query(question) };
            let hits = block_on(engine.search(&local("alice"), &all)).unwrap().hits;
            hits.iter().map(|hit| (hit.memory.id.clone(), hit.score)).collect::<Vec<_>>()
        })
    };
    answers(&fixture.engine);
    let animals = ["zebra", "Zebra", "wolf", "bear"];
    for number in 0..45 {
        let place = ["Lisbon", "the garden"][number % 2];
        let who = ["somebody", "Caroline Herschel", "an old man"][number % 3];
        let text = format!("{who} saw a {} in {place} {number}", animals[number * 7 % 4]);
        let minute = i64::try_from(number * 13 % 45).unwrap();
        fixture.remember(turn(["s1", "s2"][number / 4 % 2], who, minute, &text)).unwrap();
        if number % 3 == 0 {
            let store = SqliteStore::open(&fixture.path()).unwrap();
            let opened = Engine::new(store, || START.parse().unwrap());
            assert_eq!(answers(&fixture.engine), answers(&opened), "after {number}");
        }
    }
}

#[test]
fn a_search_beside_additions_sees_the_first_of_them_and_no_others() {
    let fixture = Fixture::new();
    fixture.fact("alice", "zebra 0");
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..60 {
                    let all = Query { limit: 100, ..query("zebra") };
                    let hits = search(&fixture, &all).hits;
                    let number = |text: &&str| text.split(' ').nth(1).unwrap().parse().unwrap();
                    let mut seen: Vec<usize> = texts(&hits).iter().map(number).collect();
                    seen.sort_unstable();
                    assert!(seen.iter().copied().eq(0..seen.len()), "{seen:?}");
                }
            });
        }
        for number in 1..60 {
            fixture.fact("alice", &format!("zebra {number}"));
        }
    });
    assert_eq!(search(&fixture, &Query { limit: 100, ..query("zebra") }).hits.len(), 60);
}

#[test]
fn a_long_question_names_only_words_that_a_memory_has() {
    let fixture = Fixture::new();
    let letters = ["b", "d", "f", "g", "k", "m", "p", "r", "t"];
    let words = letters.iter().flat_map(|one| letters.map(|two| format!("zo{one}o{two}")));
    let words: Vec<String> = words.collect();
    fixture.fact("alice", &format!("here is only {}", words[63]));
    let answer = search(&fixture, &query(&words.join(" ")));
    assert_eq!(answer.hits[0].signals.matched_terms, [words[63].as_str()]);
}

/// Returns a message: in which conversation, by whom, when and what.
fn message() -> impl Strategy<Value = (usize, usize, i64, String)> {
    let words =
        "(tea|Tea|hotel|Lisbon|why|you|Caroline|May 2023|AKIA|[a-z]{1,8}|[^\\x00]{0,3}|\\?|\\.)";
    let text = proptest::collection::vec(words, 1..30).prop_map(|words| words.join(" "));
    (0..4_usize, 0..4_usize, -1_000_000..1_000_000_i64, text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_messages_are_ranked_for_any_question(
        messages in proptest::collection::vec(message(), 0..12),
        (_, mode, recency, question) in message(),
    ) {
        let fixture = Fixture::new();
        for (session, role, minute, text) in messages {
            let mut draft = turn("s", "user", minute, &text);
            draft.source.session = ["s1", "s2", "s3"].get(session).map(|name| named(name));
            draft.source.role = Some(["user", "assistant", "Caroline", ""][role].to_owned());
            // A text may be nothing but space, which is refused.
            let _ = fixture.remember(draft);
        }
        let recency = (recency % 100).abs() as f64 / 100.0;
        let query = Query {
            mode: if mode == 0 { Mode::Keyword } else { Mode::Hybrid },
            fusion: if mode == 1 { Fusion::Rrf } else { Fusion::Weighted },
            recency,
            ..query(&question)
        };
        let answer = search(&fixture, &query);
        for hit in &answer.hits {
            prop_assert!((0.0..=1.0).contains(&hit.score), "{}", hit.score);
            explain(hit);
        }
        prop_assert!(answer.hits.is_sorted_by(|one, two| one.score >= two.score));
        let again = search(&fixture, &query);
        prop_assert_eq!(texts(&again.hits), texts(&answer.hits));
    }
}
