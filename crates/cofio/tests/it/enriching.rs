//! What memories name on a second reading.

use std::sync::Arc;

use cofio::lifecycle::plan::Plan;
use cofio::model::{
    Change, Channel, Commit, Draft, EntityType, Kind, Layer, Memory, Scope, Source, State,
    Timestamp,
};
use cofio::recognise::{Cost, Pipeline, Recogniser, Span};
use cofio::store::{MemoryStore, SqliteStore, Store};
use cofio::{Config, Engine, Error, ErrorKind, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::fixture::{START, episode, fact, identifiers, keeper, local, named};

/// An engine on some store, whose clock stands still.
struct World {
    engine: Engine,
    store: Arc<dyn Store>,
    _folder: Option<TempDir>,
}

impl World {
    fn on(store: Arc<dyn Store>, folder: Option<TempDir>) -> Self {
        let start = || START.parse::<Timestamp>().unwrap();
        let engine = Engine::shared(store.clone(), start, Config::default());
        Self { engine, store, _folder: folder }
    }

    fn in_memory() -> Self {
        Self::on(Arc::new(MemoryStore::new()), None)
    }

    fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("cofio.db")).unwrap();
        Self::on(Arc::new(store), Some(folder))
    }

    fn keep(&self, draft: Draft) -> Memory {
        block_on(self.engine.remember(&keeper(), draft)).unwrap().memory
    }

    fn all(&self, states: &[State]) -> Vec<Memory> {
        let mut selection = Selection::new(identifiers(&[(Layer::User, "alice")]));
        selection.criteria.states = states.to_vec();
        block_on(self.engine.list_all(&local("alice"), &selection)).unwrap()
    }

    fn plan_of(&self, memories: &[Memory]) -> Plan {
        let now = self.engine.now();
        block_on(self.engine.plan_names(&local("alice"), &alice(), memories, now)).unwrap()
    }

    fn plan(&self) -> Plan {
        self.plan_of(&self.all(&[State::Active]))
    }

    fn commit(&self, changes: Vec<Change>) {
        let (actor, at) = (named("job"), self.engine.now());
        let commit =
            Commit { actor, at, changes, audit: Vec::new(), idempotency: None, work: None };
        let outcomes = block_on(self.store.commit(commit)).unwrap();
        assert!(outcomes.iter().all(cofio::model::Outcome::changed));
    }

    fn carry_out(&self, plan: &Plan) {
        self.commit(plan.steps.iter().map(|step| step.change.clone()).collect());
    }

    /// Puts everything that a plan changed back as it was.
    fn take_back(&self, plan: &Plan) {
        let back = |step: &cofio::lifecycle::plan::Step| {
            let (before, after) = (step.before.clone().unwrap(), step.after().unwrap());
            let memory = Box::new(Memory { version: after.version + 1, ..before });
            let identity = match &step.change {
                Change::Update { identity, .. } => *identity,
                _ => unreachable!("names are updates"),
            };
            Change::Update { memory, identity }
        };
        self.commit(plan.steps.iter().map(back).collect());
    }

    /// Returns what the scope names: name, type, and in how many spellings and memories.
    fn entities(&self) -> Vec<(String, EntityType, Vec<String>, u64)> {
        let entities = block_on(self.engine.entities(&local("alice"), &[alice()], 100)).unwrap();
        let mut entities: Vec<_> = entities
            .into_iter()
            .map(|entity| {
                let mut aliases = entity.aliases;
                aliases.sort();
                (entity.name, entity.entity_type, aliases, entity.mention_count)
            })
            .collect();
        entities.sort();
        entities
    }
}

fn alice() -> Scope {
    Scope::user(named("alice"))
}

fn aliases(memory: &Memory) -> Vec<&str> {
    memory.entities.iter().map(|mention| mention.alias.as_str()).collect()
}

/// Calls every "Berlin" a place, as a model might, or cannot be made ready.
struct Atlas {
    ready: bool,
}

impl Recogniser for Atlas {
    fn name(&self) -> &'static str {
        "atlas"
    }

    fn cost(&self) -> Cost {
        Cost::Accurate
    }

    fn prepare(&self) -> Result<()> {
        if self.ready { Ok(()) } else { Err(Error::new(ErrorKind::Damaged, "the map is torn")) }
    }

    fn recognise(&self, text: &str) -> Vec<Span> {
        let found = text.match_indices("Berlin").map(|(start, word)| Span {
            range: start..start + word.len(),
            entity_type: EntityType::Location,
            confidence: 0.8,
        });
        found.collect()
    }
}

fn with_atlas(world: World, ready: bool) -> World {
    let recognisers = Pipeline::accurate([Arc::new(Atlas { ready }) as Arc<dyn Recogniser>]);
    World { engine: world.engine.clone().with_recognisers(recognisers), ..world }
}

#[test]
fn a_second_reading_adds_names_and_changes_nothing_else() {
    let world = World::on_sqlite();
    let kept = world.keep(fact("alice", "we asked @bob and met Caroline Herschel in Bath"));
    assert_eq!(aliases(&kept), ["@bob"]);
    let plan = world.plan();
    let [step] = plan.steps.as_slice() else { panic!("{plan:?}") };
    let after = step.after().unwrap();
    assert_eq!(aliases(after), ["@bob", "Caroline Herschel", "Bath"]);
    assert_eq!(step.why, "it names more than was known, as capitals tell");
    let (entities, version) = (kept.entities.clone(), kept.version);
    assert_eq!(after.version, version + 1);
    let unchanged = Memory { entities, version, updated_at: kept.updated_at, ..after.clone() };
    assert_eq!(unchanged, Memory { accesses: after.accesses, ..kept.clone() });
    world.carry_out(&plan);
    let found = block_on(world.engine.entity(&local("alice"), &[alice()], "herschel", 10));
    assert!(found.is_err(), "a part of a name is no spelling that was read");
    let found = block_on(world.engine.entity(&local("alice"), &[alice()], "caroline herschel", 10));
    assert_eq!(found.unwrap()[0].memories[0].id, kept.id);
}

#[test]
fn what_names_nothing_more_is_left_alone() {
    let world = World::in_memory();
    world.keep(fact("alice", "tea is better than coffee"));
    world.keep(episode("alice", "ask @bob about it"));
    let plan = world.plan();
    assert_eq!((plan.steps.len(), plan.looked_at), (0, 2));
}

#[test]
fn only_facts_and_episodes_in_use_with_few_names_are_read() {
    let world = World::in_memory();
    let text = |mentions: &str| format!("{mentions} saw us with Caroline Herschel");
    let read = [
        world.keep(fact("alice", &text("somebody"))),
        world.keep(episode("alice", &text("@a and @b"))),
        world.keep(fact("alice", &text("@a and @A and @b and @a"))),
    ];
    let kind = |kind| Draft { kind, ..fact("alice", &text("nobody")) };
    let pending = Source::through(Channel::WebFetch);
    let left = [
        world.keep(fact("alice", &text("@a, @b and @c"))),
        world.keep(kind(Kind::Context)),
        world.keep(Draft { source: pending, ..fact("alice", &text("a page")) }),
        world.keep(fact("bob", &text("bob himself"))),
    ];
    assert_eq!(left[2].state, State::Pending);
    let everything: Vec<Memory> = read.iter().chain(&left).cloned().collect();
    let mut planned: Vec<_> =
        world.plan_of(&everything).steps.iter().map(|step| step.id().clone()).collect();
    planned.sort();
    let mut expected: Vec<_> = read.iter().map(|memory| memory.id.clone()).collect();
    expected.sort();
    assert_eq!(planned, expected);
}

#[test]
fn nobody_plans_for_a_scope_that_is_not_theirs() {
    let world = World::in_memory();
    let kept = world.keep(fact("alice", "we met Caroline Herschel"));
    let now = world.engine.now();
    let refused = block_on(world.engine.plan_names(&local("bob"), &alice(), &[kept], now));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unauthorized);
}

#[test]
fn where_a_secret_stood_there_is_no_name() {
    let world = World::in_memory();
    let kept =
        world.keep(episode("alice", "the token is ghp_16C7e42F292c6912E7710c838347Ae178B4a now"));
    assert!(kept.content.as_str().contains("SECRET_REDACTED"));
    assert_eq!(world.plan().steps, []);
}

fn check_spellings_unite(world: &World) {
    use EntityType::Person;
    let entity = |name: &str, aliases: &[&str], count: u64| {
        let aliases = aliases.iter().map(ToString::to_string).collect();
        (name.to_owned(), Person, aliases, count)
    };
    world.keep(fact("alice", "ask @caroline about comets"));
    let many = "@caroline, @ann, @ben and @cat sail";
    world.keep(episode("alice", many));
    let before = world.entities();
    let new = world.keep(fact("alice", "my friend Caroline Herschel found one"));
    // Only the new one is looked at; the others follow because of what it says.
    let plan = world.plan_of(&[new]);
    assert_eq!(plan.steps.len(), 3);
    world.carry_out(&plan);
    let united = entity("Caroline Herschel", &["@caroline", "Caroline Herschel"], 3);
    assert!(world.entities().contains(&united), "{:?}", world.entities());
    assert_eq!(world.plan().steps, [], "there is nothing more to do");
    world.take_back(&plan);
    assert_eq!(world.entities(), before);
    assert_eq!(world.plan().steps.len(), 3, "it can be done again");
    world.carry_out(&world.plan());
    world.keep(fact("alice", "my friend Caroline Smith did not, said Caroline"));
    world.carry_out(&world.plan());
    assert!(world.entities().contains(&united), "what was found out stays");
    let smith = entity("Caroline Smith", &["Caroline", "Caroline Smith"], 1);
    assert!(world.entities().contains(&smith), "the nearer one is meant");
    let unclear = world.keep(fact("alice", "my friend Caroline knows"));
    let plan = world.plan_of(&[unclear]);
    assert_eq!(plan.steps[0].after().unwrap().entities[0].name, "Caroline", "nobody knows whom");
}

#[test]
fn spellings_of_one_person_become_one_entity_and_apart_again() {
    check_spellings_unite(&World::in_memory());
    check_spellings_unite(&World::on_sqlite());
}

#[test]
fn what_is_trusted_less_gives_no_name_to_what_is_trusted_more() {
    let world = World::in_memory();
    let own = world.keep(fact("alice", "ask @caroline about comets"));
    let page =
        |text: &str| Draft { source: Source::through(Channel::WebFetch), ..episode("alice", text) };
    let read = world.keep(page("my friend Caroline Mallory sells comets"));
    let same = world.keep(page("said @caroline"));
    world.carry_out(&world.plan());
    let name = |memory: &Memory| {
        let found = block_on(world.engine.get(&local("alice"), &memory.id)).unwrap();
        found.entities[0].name.clone()
    };
    assert_eq!(name(&own), "caroline");
    assert_eq!((name(&read), name(&same)), ("Caroline Mallory".into(), "Caroline Mallory".into()));
    assert_eq!(world.plan().steps, [], "nor later, when the name is known");
    world.keep(fact("alice", "my friend Caroline Mallory sells comets, really"));
    world.carry_out(&world.plan());
    assert_eq!(name(&own), "Caroline Mallory");
}

#[test]
fn what_a_model_tells_goes_before_what_was_guessed() {
    let world = World::in_memory();
    world.keep(fact("alice", "she likes Berlin"));
    world.carry_out(&world.plan());
    let entity = |entity_type| ("Berlin".to_owned(), entity_type, vec!["Berlin".to_owned()], 1);
    assert_eq!(world.entities(), [entity(EntityType::Other)]);
    let world = with_atlas(world, true);
    let plan = world.plan();
    world.carry_out(&plan);
    assert_eq!(world.entities(), [entity(EntityType::Location)]);
    assert_eq!(world.plan().steps, []);
    world.keep(fact("alice", "the trains of Berlin are late"));
    assert_eq!(world.plan().steps[0].why, "it names more than was known");
}

#[test]
fn a_recogniser_that_cannot_be_made_ready_is_an_error() {
    let world = with_atlas(World::in_memory(), false);
    let now = world.engine.now();
    let kept = [world.keep(fact("alice", "she likes Berlin"))];
    let plan = |memories: &[Memory]| {
        block_on(world.engine.plan_names(&local("alice"), &alice(), memories, now))
    };
    assert_eq!(plan(&kept).unwrap_err().kind(), ErrorKind::Damaged);
    assert_eq!(plan(&[]).unwrap(), Plan::default(), "nobody is asked for nothing");
}

const SENTENCES: [&str; 14] = [
    "ask @caroline about it",
    "my friend Caroline said so",
    "we met Caroline Herschel in Bath",
    "Dr. Herschel called",
    "she told William Herschel and Caroline",
    "I saw Caroline and Caroline Smith",
    "the Apollo project is late",
    "they talk of Apollo all day",
    "she left Acme Inc. for good",
    "the people of Acme Group like Acme",
    "he works near Bath with #bath",
    "ALICE wrote to @Alice and alice@example.org",
    "it was at the University of Vienna",
    "the repo acme/widgets of Acme GmbH",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_carried_out_is_not_planned_again(
        order in prop::sample::subsequence((0..SENTENCES.len()).collect::<Vec<_>>(), 1..9).prop_shuffle(),
        first in 0..4_usize,
    ) {
        let world = World::in_memory();
        for (place, sentence) in order.iter().enumerate() {
            let event_at = world.engine.now() - SignedDuration::from_hours(i64::try_from(place).unwrap());
            let channel = if (*sentence + first) % 3 == 0 { Channel::WebFetch } else { Channel::ExplicitSave };
            let source = Source::through(channel);
            let draft = Draft { source, ..episode("alice", SENTENCES[*sentence]) };
            world.keep(Draft { event_at: Some(event_at), ..draft });
            if place == first {
                world.carry_out(&world.plan());
            }
        }
        let plan = world.plan();
        let before = world.entities();
        world.carry_out(&plan);
        prop_assert_eq!(world.plan().steps, []);
        world.take_back(&plan);
        prop_assert_eq!(world.entities(), before);
    }
}
