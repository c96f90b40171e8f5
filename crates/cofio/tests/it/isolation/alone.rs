//! Whether a tenant in a crowd is answered as it is when it is alone.

use std::sync::Arc;

use cofio::engine::{ConflictMode, Importing, ListRequest, Sweep};
use cofio::model::{Criteria, Doubt, State, Trust};
use cofio::store::Store;
use cofio::{Engine, Mode, Query, Selection};
use pollster::block_on;

use super::world::{Tenant, WORDS, World, engine};
use crate::fixture::keeper;

/// Compares every tenant with itself alone, and returns how many answers were compared.
pub fn check_all(world: &World, fresh: &dyn Fn() -> Arc<dyn Store>) -> usize {
    block_on(world.engine.sweep(&keeper(), &Sweep::default())).unwrap();
    embed(&world.engine);
    world.tenants.iter().map(|tenant| check(world, tenant, fresh())).sum()
}

fn check(world: &World, tenant: &Tenant, fresh: Arc<dyn Store>) -> usize {
    let mut bundle = Vec::new();
    block_on(world.engine.export(&tenant.caller, &mut bundle, |_| {})).unwrap();
    let alone = engine(fresh, &world.clock());
    let importing = Importing {
        on_conflict: ConflictMode::Fail,
        trusted_at_most: Trust::High,
        doubt: Doubt::Keep,
        dry_run: false,
    };
    block_on(alone.import(&keeper(), bundle.as_slice(), importing, |_| {})).unwrap();
    embed(&alone);
    let (crowd, alone) = (answers(&world.engine, tenant), answers(&alone, tenant));
    let whose = tenant.caller.actor();
    assert_eq!(crowd.counts, alone.counts, "{whose} is answered otherwise when alone");
    // Numbers that are added in another order make another sum, by very little.
    let same = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-4;
    assert!(
        crowd.scores.len() == alone.scores.len()
            && crowd.scores.iter().zip(&alone.scores).all(same),
        "{whose} is scored otherwise when alone: {:?} {:?}",
        crowd.scores,
        alone.scores
    );
    crowd.counts.len()
}

fn embed(engine: &Engine) {
    while block_on(engine.embed_pending(1_000)).unwrap().done > 0 {}
}

/// What is counted and weighed for a tenant.
#[derive(Default)]
struct Answers {
    counts: Vec<String>,
    scores: Vec<f64>,
}

fn answers(engine: &Engine, tenant: &Tenant) -> Answers {
    let caller = &tenant.caller;
    let mut answers = Answers::default();
    let stats = block_on(engine.stats(caller, None)).unwrap();
    answers.counts.push(format!("{stats:?}"));
    let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
    let selection = Selection::with(tenant.identifiers.clone(), criteria);
    let listed = block_on(engine.list(caller, &ListRequest::new(selection))).unwrap();
    let first = listed.memories.first().map(|memory| &memory.id);
    answers.counts.push(format!("{} {first:?}", listed.total));
    let mut entities = block_on(engine.entities(caller, &tenant.scopes, 1_000)).unwrap();
    entities.sort_by(|a, b| a.name.cmp(&b.name));
    let counts = entities.iter().map(|entity| (&entity.name, entity.mention_count));
    answers.counts.push(format!("{:?}", counts.collect::<Vec<_>>()));
    for mode in [Mode::Hybrid, Mode::Keyword, Mode::Semantic] {
        let text = format!("what of the {} and bob's {}?", WORDS[0], WORDS[5]);
        let selection = Selection::new(tenant.identifiers.clone());
        let threshold = (mode == Mode::Semantic).then_some(0.1);
        let query = Query { mode, threshold, ..Query::new(selection, text) };
        let answer = block_on(engine.search(caller, &query)).unwrap();
        answers.counts.push(format!("{} {:?}", answer.total, answer.meaning));
        answers.scores.extend(answer.hits.iter().map(|hit| hit.score));
    }
    answers
}
