//! Tenants whose names are easily taken for each other, and what must stay in their scopes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::model::{
    Caller, Channel, Draft, Identifiers, Kind, Layer, Lifetime, MemoryId, Scope, Source, Timestamp,
    Triple,
};
use cofio::store::Store;
use cofio::{Config, Engine, Result};
use jiff::SignedDuration;
use pollster::block_on;
use regex::Regex;

use super::told::{Told, told};
use crate::fixture::{START, keeper, named};
use crate::recorder::Recorder;

/// Random numbers that are the same for the same seed (`SplitMix64`).
pub struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// Returns true once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// Somebody with names, and what these open.
pub struct Tenant {
    pub caller: Caller,
    pub identifiers: Identifiers,
    pub scopes: Vec<Scope>,
}

pub struct World {
    pub engine: Engine,
    pub chance: Chance,
    pub tenants: Vec<Tenant>,
    /// Every scope; its place is its number.
    pub scopes: Vec<Scope>,
    /// What is or was kept in each scope.
    pub ids: Vec<Vec<MemoryId>>,
    /// The cursors that anybody was given.
    pub cursors: Vec<String>,
    whose: HashMap<String, usize>,
    changes: u64,
    microseconds: Arc<AtomicI64>,
    answers: u64,
    tally: BTreeMap<&'static str, (u64, u64)>,
    signs: Regex,
}

pub const WORDS: [&str; 12] = [
    "kettle", "harbour", "ladder", "winter", "engine", "orchard", "letter", "market", "bridge",
    "lantern", "copper", "meadow",
];

impl World {
    pub fn new(store: Arc<dyn Store>, tenants: usize, seed: u64) -> Self {
        let start: Timestamp = START.parse().unwrap();
        let microseconds = Arc::new(AtomicI64::new(start.as_microsecond()));
        let engine = engine(store, &microseconds);
        let tenants: Vec<Tenant> = (0..tenants).map(tenant).collect();
        let mut scopes: Vec<Scope> = Vec::new();
        for scope in tenants.iter().flat_map(|tenant| &tenant.scopes) {
            if !scopes.contains(scope) {
                scopes.push(scope.clone());
            }
        }
        Self {
            engine,
            chance: Chance(seed),
            tenants,
            ids: vec![Vec::new(); scopes.len()],
            scopes,
            cursors: Vec::new(),
            whose: HashMap::new(),
            changes: 0,
            microseconds,
            answers: 0,
            tally: BTreeMap::new(),
            signs: Regex::new("deep([0-9]{4})x|(?:work|ctx|ep|fact|proc|ref)_[0-9a-f]{32}")
                .unwrap(),
        }
    }

    pub fn answers(&self) -> u64 {
        self.answers
    }

    /// Returns how often each operation was answered and refused.
    pub fn tally(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        self.tally.iter().map(|(what, (answered, refused))| (*what, *answered, *refused))
    }

    pub fn clock(&self) -> Arc<AtomicI64> {
        self.microseconds.clone()
    }

    pub fn wait(&self, duration: SignedDuration) {
        let microseconds = i64::try_from(duration.as_micros()).unwrap();
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    pub fn number(&self, scope: &Scope) -> usize {
        self.scopes.iter().position(|known| known == scope).expect("every scope is known")
    }

    /// Searches an answer for what its reader may not know, and returns it as text.
    ///
    /// `given` are the ids that stand in the request, which may come back.
    pub fn hear<T: Told>(
        &mut self,
        what: &'static str,
        reader: usize,
        given: &[&MemoryId],
        result: &Result<T>,
    ) -> String {
        self.learn_ids();
        self.answers += 1;
        let counts = self.tally.entry(what).or_default();
        let count = if result.is_ok() { &mut counts.0 } else { &mut counts.1 };
        *count += 1;
        let text = told(result);
        for found in self.signs.captures_iter(&text) {
            let whose = match found.get(1) {
                Some(number) => Some(number.as_str().parse::<usize>().unwrap()),
                None if given.iter().any(|id| *id.as_str() == found[0]) => None,
                None => self.whose.get(&found[0]).copied(),
            };
            let Some(scope) = whose.map(|number| &self.scopes[number]) else { continue };
            let caller = &self.tenants[reader].caller;
            assert!(
                caller.access().opens(scope),
                "{what} told {:?} of {scope} by {:?}:\n{text}",
                caller.actor(),
                &found[0]
            );
        }
        text
    }

    /// Asks the same of a foreign id and of an unknown one, which must make no difference.
    pub fn hear_of_id<T: Told>(
        &mut self,
        what: &'static str,
        reader: usize,
        id: &MemoryId,
        ask: impl Fn(&Self, &Caller, &MemoryId) -> Result<T>,
    ) {
        let caller = self.tenants[reader].caller.clone();
        let answer = ask(self, &caller, id);
        let text = self.hear(what, reader, &[id], &answer);
        let foreign = self.whose.get(id.as_str()).map(|number| &self.scopes[*number]);
        if foreign.is_some_and(|scope| !caller.access().opens(scope)) {
            let prefix = id.as_str().split('_').next().unwrap();
            let unknown: MemoryId = format!("{prefix}_{:032x}", 7).parse().unwrap();
            let expected = told(&ask(self, &caller, &unknown));
            let text = text.replace(id.as_str(), unknown.as_str());
            assert_eq!(text, expected, "{what} tells a foreign id from an unknown one");
        }
    }

    /// Takes note of whose every new memory is.
    fn learn_ids(&mut self) {
        let changes = block_on(self.engine.changes(&keeper(), self.changes, 10_000)).unwrap();
        for change in changes {
            self.changes = change.sequence;
            let number = self.number(&change.scope);
            if self.whose.insert(change.id.to_string(), number).is_none() {
                self.ids[number].push(change.id);
            }
        }
    }

    /// Returns something to remember in a scope, with everything that must stay there.
    pub fn draft(&mut self, scope: &Scope, writer: usize) -> Draft {
        let number = self.number(scope);
        let chance = &mut self.chance;
        let words = [chance.one_of(&WORDS), chance.one_of(&WORDS), chance.one_of(&WORDS)];
        let (deep, open) = (format!("deep{number:04}x"), format!("open{number:04}x"));
        let content = match chance.below(8) {
            0 => format!("the {} is the same for everybody", words[0]),
            _ => format!(
                "{} the {} of {} {deep} {open} by{writer:03}w @bob and @{deep} #shared",
                words[0], words[1], words[2]
            ),
        };
        let kinds = [Kind::Fact, Kind::Fact, Kind::Episode, Kind::Reflection, Kind::Procedure];
        let kind = chance.one_of(&kinds);
        let mut source = Source::through(chance.one_of(Channel::ALL));
        source.session = Some(named("s1"));
        source.reference = Some(format!("page-{open}"));
        source.role = chance.once_in(3).then(|| deep.clone());
        let mut draft = Draft::new(scope.clone(), kind, content, source);
        draft.metadata.title = chance.once_in(4).then(|| format!("{deep} {}", words[1]));
        draft.metadata.tags = vec!["shared".to_owned(), open.clone()];
        draft.metadata.custom.insert("room".to_owned(), deep.clone().into());
        if chance.once_in(5) {
            draft.metadata.custom.insert("category".to_owned(), "user_profile".into());
        }
        if chance.once_in(10) {
            draft.lifetime = Lifetime::For(SignedDuration::from_mins(5));
        }
        if kind == Kind::Procedure {
            let [fact_type, subject, predicate] = words.map(str::to_owned);
            draft.triple = Some(Triple { fact_type, subject, predicate, object: deep });
        }
        draft
    }

    /// Checks that whatever stands in a scope was written by somebody who may open it.
    pub fn check_contents(&self) {
        let mut bundle = Vec::new();
        block_on(self.engine.export(&keeper(), &mut bundle, |_| {})).unwrap();
        let mut reader = cofio::bundle::Reader::new(bundle.as_slice()).unwrap();
        let writers = Regex::new("by([0-9]{3})w").unwrap();
        let mut count = 0;
        while let Some(record) = reader.read().unwrap() {
            let (text, scope) = (record.json(), &record.memory.scope);
            for found in self.signs.captures_iter(&text).filter_map(|found| found.get(1)) {
                assert_eq!(&self.scopes[found.as_str().parse::<usize>().unwrap()], scope);
            }
            for found in writers.captures_iter(&text) {
                let writer: usize = found[1].parse().unwrap();
                assert!(self.tenants[writer].caller.access().opens(scope), "{writer} in {scope}");
            }
            count += 1;
        }
        assert!(count > 0, "a store without memories keeps no secret");
    }
}

pub fn engine(store: Arc<dyn Store>, microseconds: &Arc<AtomicI64>) -> Engine {
    let microseconds = microseconds.clone();
    let clock =
        move || Timestamp::from_microsecond(microseconds.fetch_add(1, Ordering::Relaxed)).unwrap();
    Engine::shared(store, clock, Config::default()).with_embedder(Recorder::new())
}

/// Returns a tenant; ten in a row are easily taken for each other.
fn tenant(number: usize) -> Tenant {
    let first = number / 10 * 10;
    let user = match number % 10 {
        1 => format!("U{first}"),
        2 => format!("u{first}%"),
        3 => format!("u{first}/s1"),
        4 => "*".to_owned() + &first.to_string(),
        5 => format!("u{first}_"),
        6 => format!("ú{first}"),
        _ => format!("u{number}"),
    };
    let mut identifiers = Identifiers::default().with(Layer::User, named(&user));
    let mut give = |wanted: bool, layer, name: String| {
        if wanted {
            identifiers = identifiers.clone().with(layer, named(&name));
        }
    };
    give(!number.is_multiple_of(4), Layer::Agent, "helper".to_owned());
    give(!number.is_multiple_of(3), Layer::Session, format!("s{}", number % 2 + 1));
    give(number.is_multiple_of(2), Layer::Project, format!("p{}", number / 4));
    give(
        true,
        Layer::Team,
        if number % 5 == 4 { "%".to_owned() } else { format!("t{}", number / 5) },
    );
    give(number.is_multiple_of(4), Layer::Org, format!("o{}", number / 10));
    give(number.is_multiple_of(5), Layer::Company, ["acme", "Acme"][number % 2].to_owned());
    let caller = Caller::bound(named(&format!("actor{number}")), &identifiers);
    let scope = |layer| Scope::new(layer, &identifiers).unwrap();
    let scopes = identifiers.layers().map(scope).collect();
    Tenant { caller, identifiers, scopes }
}
