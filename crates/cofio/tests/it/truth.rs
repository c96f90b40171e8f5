//! Vouching for memories, and replacing those that are wrong.

use cofio::engine::Corrected;
use cofio::model::{
    Channel, Confirmation, Correction, Draft, Fraction, Kind, Memory, Scope, Source, State, Triple,
    Trust,
};
use cofio::store::Entries;
use cofio::{ErrorKind, Result};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, fact, keeper, local, named};

fn through(channel: Channel, text: &str) -> Draft {
    let source = Source::through(channel);
    Draft::new(Scope::user(named("alice")), Kind::Fact, text, source)
}

fn confirm(fixture: &Fixture, memory: &Memory, channel: Channel, text: &str) -> Result<Memory> {
    let text = Some(text.to_owned()).filter(|text| !text.is_empty());
    let confirmation = Confirmation { text, ..Confirmation::new(Source::through(channel)) };
    block_on(fixture.engine.confirm(&local("alice"), &memory.id, &confirmation))
}

fn correct(fixture: &Fixture, memory: &Memory, channel: Channel, text: &str) -> Result<Corrected> {
    let correction = Correction::new(text, Source::through(channel));
    block_on(fixture.engine.correct(&local("alice"), &memory.id, correction))
}

fn get(fixture: &Fixture, memory: &Memory) -> Memory {
    block_on(fixture.engine.get(&local("alice"), &memory.id)).unwrap()
}

#[track_caller]
fn kind<T: std::fmt::Debug>(result: Result<T>) -> ErrorKind {
    result.unwrap_err().kind()
}

/// Returns why memories were written, the latest last.
fn reasons(fixture: &Fixture) -> Vec<String> {
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::After(0), 1_000)).unwrap();
    let reasons = entries.iter().filter_map(|entry| entry.record.details.get("reason"));
    reasons.filter_map(|reason| reason.as_str()).map(str::to_owned).collect()
}

#[test]
fn what_is_confirmed_is_certain_and_never_fades() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    assert!(tea.decay_rate > 0.0);
    let confirmed = confirm(&fixture, &tea, Channel::ExplicitSave, "").unwrap();
    assert_eq!(confirmed.metadata.confidence, Some(Fraction::ONE));
    assert_eq!((confirmed.decay_rate, confirmed.version), (0.0, 2));
    assert_eq!(get(&fixture, &tea).version, 2);
    let again = confirm(&fixture, &tea, Channel::ExplicitSave, "").unwrap();
    assert_eq!(again.version, 2, "there is nothing to change");
    assert_eq!(reasons(&fixture), ["confirm"]);
}

#[test]
fn what_was_put_away_is_in_use_again_once_confirmed() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    block_on(fixture.engine.archive(&local("alice"), &tea.id)).unwrap();
    assert!(fixture.found("alice", "tea").is_empty());
    let confirmed = confirm(&fixture, &tea, Channel::OwnerMessage, "").unwrap();
    assert_eq!((confirmed.state, confirmed.valid_until), (State::Active, None));
    assert_eq!(fixture.found("alice", "tea"), ["Alice drinks tea"]);
}

#[test]
fn what_waits_is_confirmed_by_its_owner_who_has_read_it() {
    let fixture = Fixture::new();
    let text = "the ferry sails at nine";
    let ferry = fixture.remember(through(Channel::WebFetch, text)).unwrap().memory;
    for (channel, read) in
        [(Channel::ExplicitSave, ""), (Channel::Inference, text), (Channel::ToolRead, text)]
    {
        let refused = confirm(&fixture, &ferry, channel, read);
        assert_eq!(kind(refused), ErrorKind::ConfirmationRequired, "{channel}");
    }
    let other = confirm(&fixture, &ferry, Channel::ExplicitSave, "the ferry sails at ten");
    assert_eq!(kind(other), ErrorKind::Conflict);
    assert_eq!(get(&fixture, &ferry).state, State::Pending);
    let confirmed = confirm(&fixture, &ferry, Channel::ExplicitSave, text).unwrap();
    assert_eq!((confirmed.state, confirmed.source.trust()), (State::Active, Trust::High));
    assert_eq!((confirmed.decay_rate, confirmed.version), (0.0, 2));
    assert_eq!(fixture.found("alice", "ferry"), [text]);
}

#[test]
fn nobody_vouches_for_what_is_trusted_more() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    assert_eq!(kind(confirm(&fixture, &tea, Channel::Inference, "")), ErrorKind::Refused);
    assert_eq!(get(&fixture, &tea).version, 1);
    assert_eq!(reasons(&fixture), ["trust"], "the attempt is on record");
}

#[test]
fn a_correction_keeps_the_old_memory_in_the_history() {
    let fixture = Fixture::new();
    let mut draft = fact("alice", "Alice drinks tea");
    draft.metadata.tags = vec!["drinks".to_owned()];
    draft.metadata.confidence = Some(Fraction::new(0.4).unwrap());
    let tea = fixture.remember(draft).unwrap().memory;
    fixture.wait(SignedDuration::from_hours(1));
    let corrected = correct(&fixture, &tea, Channel::ExplicitSave, "Alice drinks coffee").unwrap();
    let (old, new) = (get(&fixture, &tea), get(&fixture, &corrected.memory));
    assert_eq!((&old, &new.content), (&corrected.replaced, &corrected.memory.content));
    assert_eq!((old.state, old.content.as_str()), (State::Superseded, "Alice drinks tea"));
    assert_eq!(old.valid_until, Some(tea.event_at), "it was never true");
    assert_eq!(new.event_at, tea.event_at, "it is true in the place of the old one");
    assert_eq!(old.provenance.superseded_by.as_ref(), Some(&new.id));
    assert_eq!(new.provenance.supersedes.as_ref(), Some(&old.id));
    assert_eq!((new.state, new.kind, new.version), (State::Active, Kind::Fact, 1));
    assert_eq!(new.metadata.tags, ["drinks"]);
    assert_eq!(new.metadata.confidence, None, "how certain the old text was says nothing");
    assert_eq!(fixture.found("alice", "what does Alice drink"), ["Alice drinks coffee"]);
    let history = block_on(fixture.engine.history(&local("alice"), &tea.id)).unwrap();
    assert_eq!(history.earlier.len(), 1);
    assert_eq!(reasons(&fixture), ["correct"]);
}

#[test]
fn what_was_replaced_is_neither_corrected_nor_confirmed_and_can_be_learnt_again() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    let coffee =
        correct(&fixture, &tea, Channel::ExplicitSave, "Alice drinks coffee").unwrap().memory;
    let again = correct(&fixture, &tea, Channel::ExplicitSave, "Alice drinks water");
    assert_eq!(again.unwrap_err().details()["supersededBy"], coffee.id.as_str());
    let confirmed = confirm(&fixture, &tea, Channel::ExplicitSave, "");
    assert_eq!(kind(confirmed), ErrorKind::Conflict);
    let back = correct(&fixture, &coffee, Channel::ExplicitSave, "Alice drinks tea").unwrap();
    assert_ne!(back.memory.id, tea.id);
    assert_eq!(fixture.found("alice", "what does Alice drink"), ["Alice drinks tea"]);
    let same = correct(&fixture, &back.memory, Channel::ExplicitSave, "Alice drinks tea");
    assert_eq!(kind(same), ErrorKind::Invalid);
}

#[test]
fn a_correction_that_is_known_already_hands_over_to_what_says_it() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    let coffee =
        fixture.remember(through(Channel::WebFetch, "Alice drinks coffee")).unwrap().memory;
    assert_eq!(coffee.state, State::Pending);
    let corrected = correct(&fixture, &tea, Channel::ExplicitSave, "Alice drinks coffee").unwrap();
    assert_eq!(corrected.memory.id, coffee.id);
    let (old, new) = (get(&fixture, &tea), get(&fixture, &coffee));
    assert_eq!(old.provenance.superseded_by.as_ref(), Some(&new.id));
    assert_eq!(new.provenance.supersedes.as_ref(), Some(&old.id));
    assert_eq!((new.state, new.source.trust()), (State::Active, Trust::High));
    assert_eq!(fixture.found("alice", "what does Alice drink"), ["Alice drinks coffee"]);
}

#[test]
fn less_trust_never_replaces_more() {
    let fixture = Fixture::new();
    let bank = fixture.fact("alice", "the bank is Other Bank");
    for &channel in Channel::ALL.iter().filter(|channel| channel.trust() < Trust::High) {
        let refused = correct(&fixture, &bank, channel, "the bank is Acme Bank");
        assert_eq!(kind(refused), ErrorKind::Refused, "{channel}");
    }
    assert_eq!(fixture.found("alice", "bank"), ["the bank is Other Bank"]);
    let guess = fixture.remember(through(Channel::Inference, "the bank is near")).unwrap().memory;
    let better = correct(&fixture, &guess, Channel::Inference, "the bank is far").unwrap();
    assert_eq!(better.memory.state, State::Pending, "a better guess still waits");
}

#[test]
fn a_correction_passes_the_same_rules_as_everything_that_is_remembered() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice drinks tea");
    let secret = "the key is AKIAIOSFODNN7EXAMPLE";
    let corrected = correct(&fixture, &tea, Channel::ExplicitSave, secret).unwrap();
    assert!(!corrected.memory.content.as_str().contains("AKIA"));
    assert_eq!(corrected.redactions.len(), 1);
    let password = "the user's password is hunter2!";
    let refused = correct(&fixture, &corrected.memory, Channel::ExplicitSave, password);
    assert_eq!(kind(refused), ErrorKind::Refused);
    let poison =
        fixture.remember(through(Channel::WebFetch, "The bank is Acme Bank")).unwrap().memory;
    block_on(fixture.engine.reject(&local("alice"), &poison.id)).unwrap();
    let rejected =
        correct(&fixture, &corrected.memory, Channel::ExplicitSave, "the bank is ACME bank");
    assert_eq!(kind(rejected), ErrorKind::Refused);
    assert_eq!(get(&fixture, &corrected.memory).state, State::Active);
}

#[test]
fn a_statement_is_replaced_by_a_statement() {
    let fixture = Fixture::new();
    let triple = |object: &str| Triple {
        fact_type: "uses".to_owned(),
        subject: "cofio".to_owned(),
        predicate: "is written in".to_owned(),
        object: object.to_owned(),
    };
    let go = Draft { kind: Kind::Procedure, triple: Some(triple("Go")), ..fact("alice", "Go") };
    let go = fixture.remember(go).unwrap().memory;
    let source = Source::through(Channel::ExplicitSave);
    let rust = Correction { triple: Some(triple("Rust")), ..Correction::new("Rust", source) };
    let corrected = block_on(fixture.engine.correct(&local("alice"), &go.id, rust)).unwrap();
    assert_eq!(get(&fixture, &corrected.memory).triple, Some(triple("Rust")));
}

#[test]
fn a_strangers_memory_is_not_there_to_be_confirmed_or_corrected() {
    let fixture = Fixture::new();
    let tea = fixture.fact("bob", "Bob drinks tea");
    let confirmed = confirm(&fixture, &tea, Channel::ExplicitSave, "");
    assert_eq!(kind(confirmed), ErrorKind::NotFound);
    let corrected = correct(&fixture, &tea, Channel::ExplicitSave, "Bob drinks coffee");
    assert_eq!(kind(corrected), ErrorKind::NotFound);
    assert_eq!(fixture.found("bob", "tea"), ["Bob drinks tea"]);
}
