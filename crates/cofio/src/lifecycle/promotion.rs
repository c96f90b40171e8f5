//! What becomes of a conversation's own memories when it is over.

use std::collections::HashMap;

use jiff::SignedDuration;

use super::plan::Step;
use crate::config::Sessions;
use crate::model::{
    Draft, Fraction, Identifier, Kind, Layer, Lifetime, Memory, Scope, State, Timestamp, Waiting,
};

/// How important facts are that were read out of a conversation, if nobody said so.
const IMPORTANCE: &[(&str, f64)] = &[
    ("identity", 0.9),
    ("preference", 0.8),
    ("relation", 0.8),
    ("decision", 0.8),
    ("possession", 0.7),
    ("habit", 0.7),
    ("plan", 0.5),
    ("event", 0.5),
];

/// Returns the scope of the user whose conversation it is, if it is one.
pub fn user_of(scope: &Scope) -> Option<Scope> {
    let user = scope.identifiers().get(Layer::User)?;
    (scope.layer() == Layer::Session).then(|| Scope::user(user.clone()))
}

/// Returns the conversation that a scope belongs to, if it does.
pub fn conversation_of(scope: &Scope) -> Option<&Identifier> {
    let of_session = scope.layer() == Layer::Session;
    scope.identifiers().get(Layer::Session).filter(|_| of_session)
}

/// Leaves out the conversation that goes on with each user: the latest one, until it has rested.
pub fn over(waiting: Vec<Waiting>, now: Timestamp, idle: SignedDuration) -> Vec<Waiting> {
    let place =
        |one: &Waiting| user_of(&one.scope).unwrap_or_else(|| one.scope.clone()).to_string();
    let mut latest: HashMap<String, Timestamp> = HashMap::new();
    for one in &waiting {
        let last = latest.entry(place(one)).or_insert(one.latest_at);
        *last = (*last).max(one.latest_at);
    }
    let rested = now.checked_sub(idle).unwrap_or(now);
    let is_over = |one: &Waiting| one.latest_at <= rested || one.latest_at < latest[&place(one)];
    waiting.into_iter().filter(is_over).collect()
}

/// Returns how important a memory is, from 0 to 1.
///
/// What is not said counts as little: a conversation is full of facts about itself.
pub fn importance(memory: &Memory) -> f64 {
    let said = memory.metadata.importance.map(Fraction::get);
    let fact_type = memory.triple.as_ref().map(|triple| triple.fact_type.as_str());
    let by_type = || IMPORTANCE.iter().find(|(name, _)| Some(*name) == fact_type);
    said.or_else(|| by_type().map(|(_, importance)| *importance)).unwrap_or(0.0)
}

/// Returns what of a conversation's own memories is to be the user's as well.
pub fn promoted<'a>(
    memories: &'a [Memory],
    user: &'a Scope,
    policy: &Sessions,
) -> impl Iterator<Item = Draft> + 'a {
    let threshold = policy.promotion.unwrap_or(f64::INFINITY);
    let lasting = |memory: &&Memory| {
        matches!(memory.kind, Kind::Fact | Kind::Procedure) && memory.state == State::Active
    };
    let meant = move |memory: &&Memory| importance(memory) >= threshold;
    memories.iter().filter(lasting).filter(meant).map(|memory| as_users(memory, user))
}

/// Returns a memory of a conversation as one of its user's, concluded from it.
fn as_users(memory: &Memory, user: &Scope) -> Draft {
    Draft {
        metadata: memory.metadata.clone(),
        event_at: Some(memory.event_at),
        lifetime: Lifetime::ByKind,
        derived_from: vec![memory.id.clone()],
        triple: memory.triple.clone(),
        ..Draft::new(user.clone(), memory.kind, memory.content.as_str(), memory.source.clone())
    }
}

/// Plans when a conversation's own memories end: so long after it was over.
pub fn retired(
    memories: &[Memory],
    over_at: Timestamp,
    policy: &Sessions,
    now: Timestamp,
    identity: impl Fn(&Memory) -> Option<[u8; 32]>,
) -> Vec<Step> {
    let Some(retention) = policy.retention else { return Vec::new() };
    let Ok(end) = over_at.checked_add(retention) else { return Vec::new() };
    let stays = |memory: &&Memory| memory.expires_at.is_none_or(|ends| ends > end);
    let step = |memory: &Memory| {
        let version = memory.version + 1;
        let after = Memory { expires_at: Some(end), version, updated_at: now, ..memory.clone() };
        let identity = identity(&after);
        Step::update(memory.clone(), after, identity, "its conversation is over")
    };
    memories.iter().filter(stays).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{after, fact, memory};
    use super::*;
    use crate::model::{Identifiers, Triple};

    fn of_type(fact_type: &str) -> Memory {
        let part = |text: &str| text.to_owned();
        let (subject, predicate, object) = (part("user"), part("home"), part("Cardiff"));
        let triple = Triple { fact_type: part(fact_type), subject, predicate, object };
        Memory { triple: Some(triple), ..fact(1, "I live in Cardiff") }
    }

    fn check(memory: &Memory, threshold: Option<f64>, expected: bool) {
        let policy = Sessions { promotion: threshold, ..Sessions::default() };
        let user = super::super::fixtures::user("alice");
        let drafts: Vec<Draft> = promoted(std::slice::from_ref(memory), &user, &policy).collect();
        assert_eq!(!drafts.is_empty(), expected, "{memory:?}");
        for draft in drafts {
            assert_eq!(draft.derived_from, std::slice::from_ref(&memory.id));
            assert_eq!(draft.source.trust(), memory.source.trust());
        }
    }

    #[test]
    fn what_matters_is_taken_to_the_user() {
        check(&of_type("identity"), Some(0.7), true);
        check(&of_type("event"), Some(0.7), false);
        check(&fact(1, "tea"), Some(0.7), false);
        check(&of_type("identity"), None, false);
        let mut said = fact(1, "tea");
        said.metadata.importance = Fraction::new(0.7).ok();
        check(&said, Some(0.7), true);
        check(&Memory { state: State::Pending, ..said.clone() }, Some(0.7), false);
        check(&Memory { kind: Kind::Working, ..said }, Some(0.7), false);
    }

    #[test]
    fn a_conversation_has_a_user_and_nothing_else_does() {
        let names = [(Layer::User, "alice"), (Layer::Session, "s1")];
        let names = names.iter().fold(Identifiers::default(), |all, (layer, name)| {
            all.with(*layer, Identifier::new(name).unwrap())
        });
        let session = Scope::new(Layer::Session, &names).unwrap();
        assert_eq!(user_of(&session), Some(Scope::user(Identifier::new("alice").unwrap())));
        assert_eq!(user_of(&Scope::user(Identifier::new("alice").unwrap())), None);
    }

    #[test]
    fn the_latest_conversation_goes_on_until_it_has_rested() {
        let waiting = |user: &str, session: &str, seconds: i64| Waiting {
            scope: super::super::fixtures::user(user),
            conversation: Some(Identifier::new(session).unwrap()),
            count: 1,
            latest_at: after(0) + SignedDuration::from_secs(seconds),
        };
        let check = |seconds: i64, expected: &[&str]| {
            let all =
                vec![waiting("alice", "a", 1), waiting("alice", "b", 9), waiting("bob", "c", 5)];
            let now = after(0) + SignedDuration::from_secs(seconds);
            let over = over(all, now, SignedDuration::from_secs(60));
            let names: Vec<&str> =
                over.iter().filter_map(|one| Some(one.conversation.as_ref()?.as_str())).collect();
            assert_eq!(names, expected, "{seconds}");
        };
        check(10, &["a"]);
        check(65, &["a", "c"]);
        check(69, &["a", "b", "c"]);
    }

    #[test]
    fn what_is_left_ends_a_while_after_the_conversation() {
        let week = Some(SignedDuration::from_hours(24 * 7));
        let ends = |memory: Memory, retention| {
            let policy = Sessions { retention, ..Sessions::default() };
            let steps = retired(&[memory], after(1), &policy, after(2), |_| None);
            steps.first().map(|step| step.after().unwrap().expires_at.unwrap())
        };
        assert_eq!(ends(memory(Kind::Working, 1, "hi"), week), Some(after(8)));
        assert_eq!(ends(memory(Kind::Working, 1, "hi"), None), None);
        let sooner = Memory { expires_at: Some(after(5)), ..memory(Kind::Episode, 1, "hi") };
        assert_eq!(ends(sooner, week), None);
        let later = Memory { expires_at: Some(after(90)), ..memory(Kind::Episode, 1, "hi") };
        assert_eq!(ends(later, week), Some(after(8)));
    }
}
