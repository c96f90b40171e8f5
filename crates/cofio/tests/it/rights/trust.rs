//! Whoever is trusted less writes nothing that is trusted more, through no door.

use cofio::engine::{ConflictMode, Importing, ListRequest};
use cofio::model::{
    Caller, Channel, Confirmation, Correction, Criteria, Doubt, Draft, Edit, Kind, Layer, Memory,
    MetadataPatch, Patch, Scope, Source, State, Trust,
};
use cofio::{Engine, ErrorKind, Result, Selection};
use pollster::block_on;

use super::engine;
use crate::fixture::{fact, identifiers, keeper, local, named, scope};

/// What somebody sees who may be trusted.
const KNOWN: &str = "the ferry sails at nine";

/// What nobody has confirmed.
const WAITING: &str = "the ferry sails at ten";

fn doubted(trust: Trust) -> Caller {
    local("alice").trusted_at_most(trust)
}

fn said() -> Source {
    Source::through(Channel::ExplicitSave)
}

fn alice() -> Scope {
    Scope::user(named("alice"))
}

/// Returns an engine that knows something, and something that waits.
fn world() -> (Engine, Memory, Memory) {
    let engine = engine();
    let remember = |draft| block_on(engine.remember(&keeper(), draft)).unwrap().memory;
    let known = remember(fact("alice", KNOWN));
    let web = Source::through(Channel::WebFetch);
    let waiting = remember(Draft { source: web, ..fact("alice", WAITING) });
    (engine, known, waiting)
}

fn everything(engine: &Engine) -> Vec<Memory> {
    let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
    let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
    block_on(engine.list(&keeper(), &ListRequest::new(selection))).unwrap().memories
}

/// Lets callers who are trusted less do something, and checks why they are refused and that nothing
/// is trusted further than before.
fn refused<T>(expected: ErrorKind, verb: impl Fn(&Engine, &Caller, &Memory, &Memory) -> Result<T>) {
    for trust in [Trust::Low, Trust::Medium] {
        let (engine, known, waiting) = world();
        let before = everything(&engine);
        let result = verb(&engine, &doubted(trust), &known, &waiting);
        assert_eq!(result.err().map(|error| error.kind()), Some(expected), "{trust}");
        assert_eq!(everything(&engine), before, "{trust}");
        // Somebody who is trusted does the same.
        assert!(verb(&engine, &local("alice"), &known, &waiting).is_ok());
    }
}

#[test]
fn what_is_remembered_is_trusted_no_further_than_who_says_it() {
    for trust in [Trust::Low, Trust::Medium, Trust::High] {
        let (engine, ..) = world();
        let draft = fact("alice", "Alice has a boat");
        let kept = block_on(engine.remember(&doubted(trust), draft)).unwrap().memory;
        let expected = if trust == Trust::High { State::Active } else { State::Pending };
        assert_eq!((kept.source.trust(), kept.state), (trust, expected));
    }
}

#[test]
fn what_is_trusted_more_is_not_changed() {
    let another = || Some("the ferry sails at dawn".to_owned());
    refused(ErrorKind::Refused, |engine, caller, known, _| {
        let patch = Patch { content: another(), ..Patch::default() };
        block_on(engine.update(caller, &known.id, patch))
    });
    refused(ErrorKind::Refused, |engine, caller, known, _| {
        let patch = Patch { content: another(), source: Some(said()), ..Patch::default() };
        block_on(engine.update(caller, &known.id, patch))
    });
    refused(ErrorKind::Refused, |engine, caller, known, _| {
        let title = Edit::Set("never mind".to_owned());
        let metadata = MetadataPatch { title, ..MetadataPatch::default() };
        block_on(engine.update(caller, &known.id, Patch { metadata, ..Patch::default() }))
    });
    refused(ErrorKind::Refused, |engine, caller, known, _| {
        block_on(engine.correct(caller, &known.id, Correction::new("it is a train", said())))
    });
    refused(ErrorKind::Refused, |engine, caller, known, _| {
        block_on(engine.confirm(caller, &known.id, &Confirmation::new(said())))
    });
    refused(ErrorKind::Refused, |engine, caller, known, _| {
        block_on(engine.archive(caller, &known.id))
    });
}

#[test]
fn what_waits_is_confirmed_by_its_owner_alone() {
    refused(ErrorKind::ConfirmationRequired, |engine, caller, _, waiting| {
        block_on(engine.approve(caller, &waiting.id, WAITING))
    });
    refused(ErrorKind::ConfirmationRequired, |engine, caller, _, waiting| {
        let read = Confirmation { text: Some(WAITING.to_owned()), ..Confirmation::new(said()) };
        block_on(engine.confirm(caller, &waiting.id, &read))
    });
}

#[test]
fn repeating_what_waits_confirms_nothing() {
    for trust in [Trust::Low, Trust::Medium] {
        let (engine, ..) = world();
        let again = block_on(engine.remember(&doubted(trust), fact("alice", WAITING))).unwrap();
        assert!(again.existing);
        assert_eq!(again.memory.state, State::Pending);
    }
}

#[test]
fn a_model_that_concludes_what_waits_confirms_nothing() {
    let engine = engine();
    let reflect = |channel| {
        let source = Source::through(channel);
        let kind = Kind::Reflection;
        let draft = Draft { source, kind, ..fact("alice", "Alice likes boats best") };
        block_on(engine.remember(&local("alice"), draft)).unwrap().memory
    };
    assert_eq!(reflect(Channel::WebFetch).state, State::Pending);
    let again = reflect(Channel::Inference);
    assert_eq!((again.state, again.source.trust()), (State::Pending, Trust::Low));
}

#[test]
fn values_by_key_are_not_replaced_by_those_trusted_less() {
    let set = |engine: &Engine, caller: &Caller, value: &str| {
        block_on(engine.set_context(caller, alice(), "task", value, said()))
    };
    for trust in [Trust::Low, Trust::Medium] {
        let engine = engine();
        set(&engine, &local("alice"), "tidy up").unwrap();
        let error = set(&engine, &doubted(trust), "rest").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        let talk = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
        let turns = block_on(engine.push_turn(&doubted(trust), &talk, "user", "hello", said()));
        assert_eq!(turns.unwrap().len(), 1);
    }
}

#[test]
fn what_was_rejected_is_permitted_by_its_owner_alone() {
    for trust in [Trust::Low, Trust::Medium] {
        let (engine, _, waiting) = world();
        block_on(engine.reject(&local("alice"), &waiting.id)).unwrap();
        let permit = |caller: &Caller| block_on(engine.permit(caller, &alice(), WAITING));
        assert_eq!(permit(&doubted(trust)).unwrap_err().kind(), ErrorKind::Refused);
        assert!(permit(&local("alice")).unwrap());
    }
}

#[test]
fn a_bundle_is_trusted_no_further_than_who_brings_it() {
    let importing = Importing {
        on_conflict: ConflictMode::Replace,
        trusted_at_most: Trust::High,
        doubt: Doubt::Keep,
        dry_run: false,
    };
    for trust in [Trust::Low, Trust::Medium] {
        let (from, known, _) = world();
        let patch = Patch { content: Some("it sails at dawn".to_owned()), ..Patch::default() };
        block_on(from.update(&keeper(), &known.id, patch)).unwrap();
        let mut bundle = Vec::new();
        block_on(from.export(&keeper(), &mut bundle, |_| {})).unwrap();
        let elsewhere = engine();
        let import = |engine: &Engine, caller: &Caller| {
            block_on(engine.import(caller, &bundle[..], importing, |_| {})).unwrap()
        };
        assert_eq!(import(&elsewhere, &doubted(trust)).created, 2);
        for memory in everything(&elsewhere) {
            assert!(memory.source.trust() <= trust, "{memory:?}");
            assert_eq!(memory.state, State::Pending);
            for earlier in block_on(elsewhere.history(&keeper(), &memory.id)).unwrap().earlier {
                assert!(earlier.source.trust() <= trust, "{earlier:?}");
            }
        }
        // What is there and trusted more stays as it is.
        let here = engine();
        import(&here, &keeper());
        block_on(here.update(
            &keeper(),
            &known.id,
            Patch { content: Some(KNOWN.to_owned()), ..Patch::default() },
        ))
        .unwrap();
        assert_eq!(import(&here, &doubted(trust)).refused, 1);
        assert!(everything(&here).iter().any(|memory| memory.content.as_str() == KNOWN));
    }
}
