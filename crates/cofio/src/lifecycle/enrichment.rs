//! Finding afterwards what memories name: those that were kept with few names are read again by
//! recognisers that take longer, and spellings of one thing come under one name.
//!
//! Only what memories name is changed; a version of each before that has the names it had.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Plan, Step};
use crate::model::{EntityType, Kind, Memory, Mention, State, Timestamp, Trust};
use crate::processors::share;
use crate::recognise::{Pipeline, Register};
use crate::text::fold;

/// Which memories are read again, and what in them names nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How many entities a memory names at most that is read again.
    pub most_entities: usize,
    /// What stands where a secret stood.
    pub secret_replacement: String,
}

impl Policy {
    /// Reads memories again that name at most two entities.
    pub fn new(secret_replacement: &str) -> Self {
        Self { most_entities: 2, secret_replacement: secret_replacement.to_owned() }
    }

    /// Returns whether a memory is to be read again: a fact or an episode in use, with few names.
    pub fn reads(&self, memory: &Memory) -> bool {
        let entities: BTreeSet<_> = memory.entities.iter().map(entity).collect();
        matches!(memory.kind, Kind::Fact | Kind::Episode)
            && memory.state == State::Active
            && entities.len() <= self.most_entities
    }
}

/// What memories of one scope turned out to name.
#[derive(Debug)]
pub struct Findings {
    /// What was found in each memory, as it is written there.
    found: Vec<Vec<Mention>>,
    /// What was known before.
    known: Vec<Mention>,
    /// What was found, in the names that each text alone tells.
    new: Vec<Mention>,
    /// How far the most trusted memory is to be trusted in which something was found.
    found_by: BTreeMap<Entity, Trust>,
    /// How far names are to be trusted, as far as that matters.
    trust: BTreeMap<Entity, Trust>,
    /// Why a memory with more names than before has them.
    why: &'static str,
}

/// What makes two mentions name one entity.
type Entity = (EntityType, String);

/// Why a memory names more, if recognisers judged by context.
const FOUND: &str = "it names more than was known";

/// Why a memory names more, if nobody judged by context.
const GUESSED: &str = "it names more than was known, as capitals tell";

/// Why a memory names the same, called otherwise.
const RENAMED: &str = "what it names has another name";

/// Reads the memories that the policy means, all of one scope, where `known` is named already.
///
/// Takes all processors.
pub fn read(
    memories: &[Memory],
    recognisers: &Pipeline,
    known: Vec<Mention>,
    policy: &Policy,
) -> Findings {
    let found = share(memories, |memory| {
        if policy.reads(memory) { names(memory, recognisers, policy) } else { Vec::new() }
    });
    let mut findings = Findings {
        found: Vec::new(),
        known,
        new: Vec::new(),
        found_by: BTreeMap::new(),
        trust: BTreeMap::new(),
        why: if recognisers.is_accurate() { FOUND } else { GUESSED },
    };
    for (memory, found) in memories.iter().zip(found) {
        let told = Register::default().unite(&found);
        for mention in &told {
            raise(&mut findings.found_by, entity(mention), memory.source.trust());
        }
        findings.new.extend(told);
        findings.found.push(found);
    }
    findings.trust = findings.found_by.clone();
    for mention in &findings.known {
        findings.trust.remove(&entity(mention));
    }
    findings
}

fn names(memory: &Memory, recognisers: &Pipeline, policy: &Policy) -> Vec<Mention> {
    let mut found = recognisers.found(memory.content.as_str());
    found.retain(|mention| !policy.secret_replacement.contains(&mention.alias));
    found
}

impl Findings {
    /// Notes how far the most trusted memory is to be trusted that had a name before.
    pub fn trust(&mut self, mention: &Mention, trust: Trust) {
        let entity = entity(mention);
        let found_by = self.found_by.get(&entity).copied();
        raise(&mut self.trust, entity, found_by.map_or(trust, |found_by| found_by.max(trust)));
    }

    /// Returns the known names that are only spellings of others, in the light of what was found.
    ///
    /// Memories that have one of them are to be part of the plan.
    pub fn outdated(&self) -> Vec<Mention> {
        let registers = self.registers();
        let is_outdated = |mention: &Mention| {
            registers.values().any(|register| is_called_otherwise(register, mention))
        };
        let known = self.known_alone().into_iter();
        known.filter(is_outdated).collect()
    }

    /// Returns the names by which others may be replaced.
    ///
    /// How far each is to be trusted has to be noted: a name that only memories of less trust have
    /// replaces none in a memory of more.
    pub fn candidates(&self) -> Vec<Mention> {
        let register = self.register(Trust::Low);
        let all = self.known_alone().into_iter().chain(self.new.iter().cloned());
        let all = all.chain(self.found.iter().flatten().cloned());
        let candidates: BTreeSet<Mention> =
            all.flat_map(|mention| register.candidates(&mention)).collect();
        candidates.into_iter().collect()
    }

    /// Returns each known name as it is written by itself.
    fn known_alone(&self) -> Vec<Mention> {
        let mut seen = BTreeSet::new();
        let entities = self.known.iter().filter(|mention| seen.insert(entity(mention)));
        let alone = |mention: &Mention| Mention { alias: mention.name.clone(), ..mention.clone() };
        entities.map(alone).collect()
    }

    /// Returns the names that count for memories of each trust.
    fn registers(&self) -> BTreeMap<Trust, Register> {
        let trusts = [Trust::Low, Trust::Medium, Trust::High];
        BTreeMap::from(trusts.map(|trust| (trust, self.register(trust))))
    }

    /// Returns the names that are trusted so far at least; of two spellings of one name the one that
    /// is trusted more is used, then the one that was known.
    fn register(&self, trust: Trust) -> Register {
        let noted =
            |mention: &Mention| self.trust.get(&entity(mention)).copied().unwrap_or(Trust::High);
        let mut names: Vec<(Trust, &Mention)> = self
            .known
            .iter()
            .chain(&self.new)
            .map(|mention| (noted(mention), mention))
            .filter(|(noted, _)| *noted >= trust)
            .collect();
        names.sort_by_key(|(noted, _)| Reverse(*noted));
        let mut register = Register::default();
        for (_, mention) in names {
            register.learn(mention);
        }
        register
    }

    /// Plans what the memories that were read name from now on, and others of their scope.
    ///
    /// A memory whose names stay as they are is left alone; `identity` tells what makes two memories
    /// the same one. Made again after it was carried out, the plan is empty.
    pub fn plan(
        &self,
        memories: &[Memory],
        others: &[Memory],
        identity: impl Fn(&Memory) -> Option<[u8; 32]>,
        now: Timestamp,
    ) -> Plan {
        let registers = self.registers();
        let read = memories.iter().zip(self.found.iter().map(Vec::as_slice));
        let others = others.iter().zip(std::iter::repeat(&[][..]));
        let mut plan = Plan::default();
        for (memory, found) in read.chain(others) {
            plan.looked_at += 1;
            let entities = entities(memory, found, &registers[&memory.source.trust()]);
            if entities != memory.entities {
                let grown = entities.len() > memory.entities.len();
                let why = if grown { self.why } else { RENAMED };
                let version = memory.version + 1;
                let after = Memory { entities, version, updated_at: now, ..memory.clone() };
                let identity = identity(&after);
                plan.steps.push(Step::update(memory.clone(), after, identity, why));
            }
        }
        plan
    }
}

fn raise(trusts: &mut BTreeMap<Entity, Trust>, entity: Entity, trust: Trust) {
    let noted = trusts.entry(entity).or_insert(trust);
    *noted = trust.max(*noted);
}

/// Returns what a memory names: what it named before, and what was found besides.
fn entities(memory: &Memory, found: &[Mention], register: &Register) -> Vec<Mention> {
    let own = memory.entities.iter().map(|own| told(own, found));
    let is_new =
        |mention: &&Mention| !memory.entities.iter().any(|own| is_written_alike(own, mention));
    let all: Vec<Mention> = own.chain(found.iter().filter(is_new).cloned()).collect();
    let united = register.unite(&all);
    united.into_iter().map(|mention| as_before(mention, &memory.entities)).collect()
}

/// Returns whether a register has another name for what a mention names.
fn is_called_otherwise(register: &Register, mention: &Mention) -> bool {
    let alone = |names: &Register| names.unite(std::slice::from_ref(mention)).pop();
    let (own, united) = (alone(&Register::default()), alone(register));
    own.as_ref().map(entity) != united.as_ref().map(entity)
}

/// Returns a mention that nothing told the type of, with the type that was found.
fn told(own: &Mention, found: &[Mention]) -> Mention {
    let untold = own.entity_type == EntityType::Other && !own.alias.starts_with('#');
    let alike = found.iter().find(|mention| is_written_alike(own, mention)).filter(|_| untold);
    alike.map_or_else(|| own.clone(), Mention::clone)
}

/// Returns a mention as the memory has it, if only letters of its name are written otherwise.
fn as_before(mention: Mention, own: &[Mention]) -> Mention {
    let same = |own: &&Mention| own.alias == mention.alias && entity(own) == entity(&mention);
    own.iter().find(same).cloned().unwrap_or(mention)
}

fn is_written_alike(one: &Mention, other: &Mention) -> bool {
    let written = |mention: &Mention| fold(mention.alias.trim_start_matches(['@', '#']));
    written(one) == written(other)
}

fn entity(mention: &Mention) -> Entity {
    (mention.entity_type, fold(&mention.name))
}
