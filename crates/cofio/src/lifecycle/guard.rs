//! What no plan may do, and what takes a person's word.

use std::collections::HashMap;

use super::plan::{Plan, Step};
use crate::config::Guard;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Change, Identifiers, Layer, Memory, MemoryId, Scope, State, Trust};

/// What is known of memories that others are concluded from: whose they are and how far they are
/// trusted.
pub type Sources = HashMap<MemoryId, (Scope, Trust)>;

/// What a plan may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that it wants.
    Allowed,
    /// Nothing until somebody agrees: it takes away so many of all that are there.
    Held {
        /// How many would be out of use afterwards.
        taken: u64,
        /// How many there are.
        among: u64,
    },
}

/// Looks at everything that a plan wants in one place, where there are `among` memories.
///
/// Fails if it would break a promise, whoever agrees: every fact has evidence that is there, nothing
/// is trusted further than what it was concluded from or than it was, and nothing leaves the place
/// that its evidence is in.
pub fn check(plan: &Plan, among: u64, sources: &Sources, policy: &Guard) -> Result<Verdict> {
    plan.steps.iter().try_for_each(|step| check_step(step, sources))?;
    let taken = taken(plan);
    #[expect(clippy::cast_precision_loss, reason = "a share of very many needs no last digit")]
    let large = taken as f64 > policy.share * among as f64;
    let taken_too_much = taken > policy.count && large;
    let taken = taken as u64;
    Ok(if taken_too_much { Verdict::Held { taken, among } } else { Verdict::Allowed })
}

/// Returns how many memories a plan takes away.
pub fn taken(plan: &Plan) -> usize {
    plan.steps.iter().filter(|step| takes_away(step)).count()
}

/// Returns whether a memory is in use before a step and not afterwards.
///
/// One that another takes the place of is not lost.
fn takes_away(step: &Step) -> bool {
    let used = step.before.as_ref().is_none_or(|before| before.state == State::Active);
    match &step.change {
        Change::Update { memory, .. } => {
            used && !matches!(memory.state, State::Active | State::Superseded)
        }
        Change::Forget { .. } | Change::Reject { .. } => true,
        Change::Create { .. } | Change::Embed { .. } => false,
    }
}

fn check_step(step: &Step, sources: &Sources) -> Result<()> {
    match (&step.change, &step.before) {
        (Change::Create { memory, .. }, _) => check_new(memory, sources),
        (Change::Update { memory, .. }, Some(before)) => check_next(memory, before, sources),
        (Change::Update { memory, .. }, None) => Err(broken(memory, "was not looked at")),
        _ => Ok(()),
    }
}

fn check_new(memory: &Memory, sources: &Sources) -> Result<()> {
    if memory.provenance.derived_from.is_empty() {
        return Err(broken(memory, "would have no evidence"));
    }
    check_sources(memory, &memory.provenance.derived_from, sources)
}

fn check_next(memory: &Memory, before: &Memory, sources: &Sources) -> Result<()> {
    if memory.id != before.id || memory.scope != before.scope || memory.kind != before.kind {
        return Err(broken(memory, "would become another"));
    }
    if memory.content != before.content {
        return Err(broken(memory, "would say something else"));
    }
    if memory.source.trust() > before.source.trust() {
        return Err(broken(memory, "would be trusted further than before"));
    }
    let known = &before.provenance.derived_from;
    let new = memory.provenance.derived_from.iter().filter(|id| !known.contains(id));
    check_sources(memory, new, sources)
}

fn check_sources<'a>(
    memory: &Memory,
    evidence: impl IntoIterator<Item = &'a MemoryId>,
    sources: &Sources,
) -> Result<()> {
    for id in evidence {
        let Some((scope, trust)) = sources.get(id) else {
            return Err(broken(memory, "would have evidence that is not there"));
        };
        if memory.source.trust() > *trust {
            return Err(broken(memory, "would be trusted further than its evidence"));
        }
        if !may_flow(scope, &memory.scope) {
            return Err(broken(memory, "would leave the place of its evidence"));
        }
    }
    Ok(())
}

/// Returns whether what is known in one place may be concluded in another: a conversation's own may
/// become its user's, and nothing else goes anywhere.
pub fn may_flow(from: &Scope, to: &Scope) -> bool {
    let user = |identifiers: &Identifiers| identifiers.get(Layer::User).cloned();
    let to_user = from.layer() == Layer::Session
        && to.layer() == Layer::User
        && user(from.identifiers()) == user(to.identifiers());
    from == to || to_user
}

fn broken(memory: &Memory, how: &str) -> Error {
    let message = format!("the plan is not carried out: {} {how}", memory.id);
    Error::new(ErrorKind::Refused, message).with("reason", "guard")
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{fact, memory, user};
    use super::*;
    use crate::model::{Channel, Identifier, Kind, Source};

    fn sources(memories: &[Memory]) -> Sources {
        let known =
            |memory: &Memory| (memory.id.clone(), (memory.scope.clone(), memory.source.trust()));
        memories.iter().map(known).collect()
    }

    fn learnt(from: &[&Memory]) -> Memory {
        let mut fact = fact(9, "Alice lives in Cardiff");
        fact.provenance.derived_from = from.iter().map(|memory| memory.id.clone()).collect();
        fact
    }

    fn check(steps: Vec<Step>, among: u64, known: &[Memory]) -> Result<Verdict> {
        let plan = Plan { steps, ..Plan::default() };
        super::check(&plan, among, &sources(known), &Guard::default())
    }

    fn refused(step: Step, known: &[Memory], expected: &str) {
        let error = check(vec![step], 1_000, known).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.kind(), ErrorKind::Refused);
    }

    #[test]
    fn a_new_fact_has_evidence_that_is_there_and_as_trusted() {
        let turn = memory(Kind::Episode, 1, "I live in Cardiff");
        let create = |memory| Step::create(memory, None, "said so");
        let known = [turn.clone()];
        let allowed = check(vec![create(learnt(&[&turn]))], 0, &known).unwrap();
        assert_eq!(allowed, Verdict::Allowed);
        refused(create(learnt(&[])), &known, "no evidence");
        refused(create(learnt(&[&turn])), &[], "not there");
        let low = Memory { source: Source::through(Channel::WebFetch), ..turn.clone() };
        refused(create(learnt(&[&turn])), &[low], "further than its evidence");
        let bobs = Memory { scope: user("bob"), ..turn.clone() };
        refused(create(learnt(&[&turn])), &[bobs], "leave the place");
    }

    #[test]
    fn what_a_conversation_has_of_its_own_may_become_its_users_and_nobody_elses() {
        let session = |user: &str| {
            let identifiers = Identifiers::default()
                .with(Layer::User, Identifier::new(user).unwrap())
                .with(Layer::Session, Identifier::new("s").unwrap());
            Scope::new(Layer::Session, &identifiers).unwrap()
        };
        assert!(may_flow(&session("alice"), &user("alice")));
        assert!(!may_flow(&session("bob"), &user("alice")));
        assert!(!may_flow(&user("alice"), &session("alice")));
        assert!(!may_flow(&user("bob"), &user("alice")));
        assert!(may_flow(&user("bob"), &user("bob")));
    }

    #[test]
    fn a_change_keeps_the_text_the_place_and_the_trust() {
        let old = Memory { source: Source::through(Channel::OtherMessage), ..fact(1, "tea") };
        let update = |after: Memory| Step::update(old.clone(), after, None, "why");
        let archived = Memory { state: State::Archived, ..old.clone() };
        assert!(check(vec![update(archived)], 1, &[]).is_ok());
        refused(update(fact(1, "tea")), &[], "trusted further than before");
        refused(
            update(Memory { content: fact(1, "no").content, ..old.clone() }),
            &[],
            "say something",
        );
        refused(update(Memory { scope: user("bob"), ..old.clone() }), &[], "become another");
        let mut more = old.clone();
        more.provenance.derived_from = learnt(&[&fact(7, "x")]).provenance.derived_from;
        refused(update(more), &[], "not there");
    }

    #[test]
    fn taking_much_away_takes_somebodys_word() {
        let step = |number: u64, state: State| {
            let before = fact(number, "tea");
            Step::update(before.clone(), Memory { state, ..before }, None, "why")
        };
        let steps = |count: u64, state| (0..count).map(|number| step(number, state)).collect();
        let held = Verdict::Held { taken: 21, among: 60 };
        assert_eq!(check(steps(20, State::Decayed), 20, &[]).unwrap(), Verdict::Allowed);
        assert_eq!(check(steps(21, State::Decayed), 60, &[]).unwrap(), held);
        assert_eq!(check(steps(21, State::Decayed), 70, &[]).unwrap(), Verdict::Allowed);
        assert_eq!(check(steps(99, State::Superseded), 100, &[]).unwrap(), Verdict::Allowed);
    }
}
