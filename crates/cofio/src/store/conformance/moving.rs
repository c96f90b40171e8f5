//! A world of everything that a store can hold, made at random, and whether two stores hold the same.

use super::fixtures::{commit, content, mention, moment, named, scope, user};
use crate::model::{
    Amount, AuditAction, AuditEvent, Bound, Change, Commit, Counts, Fingerprint, IdempotencyKey,
    Job, JobState, Key, KeyChange, KeyCommit, KeyHash, Kind, Layer, Memory, MemoryId,
    PassageVector, Reading, Right, Rights, Scope, Spending, Stage, Task, Trigger, Triple, Trust,
    Vectors, Work,
};
use crate::store::{Movable, Part, Store, Stretch};

/// How many dimensions the vectors have.
const DIMENSIONS: usize = 64;

/// What texts are made of.
const WORDS: [&str; 16] = [
    "tea",
    "Rome",
    "opera",
    "canary",
    "ship",
    "Oslo",
    "nurse",
    "black",
    "old",
    "book",
    "sister",
    "sings",
    "größer",
    "大きい",
    "Monday",
    "cat",
];

/// A world, and what is alive in it.
#[derive(Debug)]
pub struct World {
    seed: u64,
    /// Numbers from here on are given to what is new.
    next: u64,
    alive: Vec<Memory>,
}

impl World {
    /// Begins a world; the same seed makes the same one.
    pub fn new(seed: u64) -> Self {
        Self { seed, next: 1, alive: Vec::new() }
    }

    /// Lets so many things happen in a store.
    pub async fn happen(&mut self, store: &dyn Store, deeds: usize) {
        store.adopt(&model()).await.expect("a model is adopted");
        for _ in 0..deeds {
            match self.random(12) {
                0..=4 => self.create(store).await,
                5 | 6 => self.update(store).await,
                7 if self.random(3) == 0 => self.reject(store).await,
                7 => self.forget(store).await,
                8 | 9 => self.embed(store).await,
                10 => self.work(store).await,
                _ => self.read(store).await,
            }
        }
        if deeds > 0 {
            self.create(store).await;
            self.work(store).await;
            self.embed(store).await;
            self.reject(store).await;
            self.forget(store).await;
            self.read(store).await;
        }
        self.issue_key(store).await;
        self.spend(store).await;
        self.refuse(store).await;
        store.settle().await.expect("it settles");
    }

    /// Returns a number below another.
    fn random(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % below as u64).expect("it is small")
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn text(&mut self, number: u64) -> String {
        let words: Vec<&str> =
            (0..3 + self.random(9)).map(|_| WORDS[self.random(WORDS.len())]).collect();
        format!("{} number {number}", words.join(" "))
    }

    fn scope(&mut self) -> Scope {
        match self.random(5) {
            0 | 1 => user("alice"),
            2 => user("b/o:b%"),
            3 => scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]),
            _ => scope(Layer::Project, &[(Layer::Project, "cofio")]),
        }
    }

    async fn make(&mut self, store: &dyn Store, changes: Vec<Change>, work: Option<Work>) {
        let number = self.number();
        let idempotency = number.is_multiple_of(4).then(|| {
            let key = IdempotencyKey::new(format!("request {number}").replace(' ', "-"));
            (key.expect("it is visible"), [7; 32])
        });
        let at = moment(i64::try_from(number).expect("it is small"));
        let work = work.map(Box::new);
        let commit = Commit { at, idempotency, work, ..commit(changes) };
        store.commit(commit).await.expect("the commit is accepted");
    }

    async fn create(&mut self, store: &dyn Store) {
        let mut changes = Vec::new();
        for _ in 0..=self.random(3) {
            let (number, scope) = (self.number(), self.scope());
            let mut memory = super::fixtures::memory(&scope, number, &self.text(number));
            match self.random(4) {
                0 => memory.entities = vec![mention("Canary", "canary"), mention("Ana", "Ana")],
                1 => {
                    memory.kind = Kind::Episode;
                    memory.id = format!("ep_{number:032x}").parse().expect("it is an id");
                    memory.source.session = Some(named("s1"));
                    memory.source.role = Some("assistant".to_owned());
                }
                2 => {
                    let [fact_type, subject, predicate, object] =
                        ["preference", "alice", "drinks", "tea"].map(str::to_owned);
                    memory.triple = Some(Triple { fact_type, subject, predicate, object });
                    memory.key = Some("drink".to_owned());
                }
                _ => {
                    let parents = self.alive.iter().take(1).map(|one| one.id.clone());
                    memory.provenance.derived_from = parents.collect();
                    memory.metadata.tags = vec!["tag".to_owned()];
                }
            }
            let identity = number.is_multiple_of(2).then(|| {
                let mut identity = [0; 32];
                identity[..8].copy_from_slice(&number.to_le_bytes());
                identity
            });
            self.alive.push(memory.clone());
            changes.push(Change::Create {
                memory: Box::new(memory),
                identity,
                history: Vec::new(),
            });
        }
        self.make(store, changes, None).await;
    }

    async fn update(&mut self, store: &dyn Store) {
        if self.alive.is_empty() {
            return;
        }
        let which = self.random(self.alive.len());
        let mut memory = self.alive[which].clone();
        memory.version += 1;
        if self.random(3) > 0 {
            memory.content = content(&self.text(memory.version));
        } else {
            memory.metadata.title = Some("a title".to_owned());
        }
        self.alive[which] = memory.clone();
        let change = Change::Update { memory: Box::new(memory), identity: None };
        self.make(store, vec![change], None).await;
    }

    /// Takes a memory out of the world.
    fn take(&mut self) -> Option<(MemoryId, Scope)> {
        let which = self.random(self.alive.len().max(1));
        let memory = (which < self.alive.len()).then(|| self.alive.swap_remove(which))?;
        Some((memory.id, memory.scope))
    }

    async fn forget(&mut self, store: &dyn Store) {
        let Some((id, scope)) = self.take() else { return };
        self.make(store, vec![Change::Forget { id, scope, version: None }], None).await;
    }

    async fn reject(&mut self, store: &dyn Store) {
        let Some((id, scope)) = self.take() else { return };
        let value = [self.random(250).to_le_bytes()[0]; 32];
        self.make(store, vec![Change::Reject { id, scope, value }], None).await;
    }

    async fn embed(&mut self, store: &dyn Store) {
        if self.alive.is_empty() {
            return;
        }
        let which = self.random(self.alive.len());
        let memory = self.alive[which].clone();
        let passages = memory.passages();
        let vectors = passages.iter().map(|passage| PassageVector {
            hash: passage.passage_hash(),
            vector: self.direction(),
        });
        let change = Change::Embed {
            id: memory.id.clone(),
            version: memory.version,
            fingerprint: model(),
            vectors: Vectors::Here(vectors.collect()),
        };
        self.make(store, vec![change], None).await;
    }

    fn direction(&mut self) -> Vec<f32> {
        #[expect(clippy::cast_precision_loss, reason = "it is small")]
        let numbers: Vec<f32> =
            (0..DIMENSIONS).map(|_| self.random(2_001) as f32 / 1_000.0 - 1.0).collect();
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        numbers.into_iter().map(|number| number / length).collect()
    }

    async fn work(&mut self, store: &dyn Store) {
        let number = self.number();
        let started_at = moment(i64::try_from(number).expect("it is small"));
        let job = Job {
            id: format!("job_{number:032x}").parse().expect("it is an id"),
            task: Task::Consolidate,
            state: JobState::Completed,
            actor: named("tester"),
            trigger: Trigger::Hand,
            due_at: None,
            started_at,
            alive_until: started_at,
            ended_at: Some(started_at),
            counts: Counts::default(),
            note: None,
            undoes: None,
            undone_by: None,
        };
        let some = self.alive.iter().skip(self.alive.len() / 2);
        let through = some.map(|memory| (memory.id.clone(), Stage::Enriched)).collect();
        let memory = super::fixtures::memory(&self.scope(), number, "a job learnt it");
        self.alive.push(memory.clone());
        let create = Change::Create { memory: Box::new(memory), identity: None, history: vec![] };
        self.make(store, vec![create], Some(Work { through, ..Work::on(job) })).await;
    }

    async fn read(&mut self, store: &dyn Store) {
        let ids = self.alive.iter().step_by(3).map(|memory| memory.id.clone()).collect();
        let at = moment(i64::try_from(self.number()).expect("it is small"));
        let audit = AuditEvent::new(AuditAction::Read).with("reason", "größer\0");
        store.observe(Reading { actor: named("alice"), at, ids, audit });
        store.settle().await.expect("it settles");
    }

    async fn issue_key(&mut self, store: &dyn Store) {
        let number = self.number();
        let at = moment(i64::try_from(number).expect("it is small"));
        let key = Key {
            id: format!("key_{number:032x}").parse().expect("it is an id"),
            name: format!("key\0 number {number}"),
            rights: Rights::of(&[Right::Read, Right::Write]),
            bound: Bound::default().with(Layer::User, named("alice")),
            trust: Trust::Medium,
            created_at: at,
            expires_at: None,
            revoked_at: Some(at),
            replaced_by: None,
        };
        let hash = KeyHash::of(&number.to_string());
        let changes = vec![KeyChange::Create { key: Box::new(key), hash }];
        let audit = vec![AuditEvent::new(AuditAction::KeyCreated)];
        let commit = KeyCommit { actor: named("tester"), at, changes, audit };
        store.commit_keys(commit).await.expect("a key is made");
    }

    async fn spend(&mut self, store: &dyn Store) {
        let spending = Spending {
            day: jiff::civil::date(2026, 3, 1),
            job: "job".to_owned(),
            scope: "user:alice".to_owned(),
            model: "größer/8b".to_owned(),
            amount: Amount { input: 1, output: 2, money: 3 },
            settled: false,
        };
        let reserve = || store.reserve(spending.clone(), Box::new(|_| Ok(())));
        let [first, second] = [reserve().await, reserve().await].map(|one| one.expect("permitted"));
        let settled = store.settle_spending(first, Some(Amount::default())).await;
        settled.expect("it is settled");
        store.settle_spending(second, None).await.expect("it is given back");
        reserve().await.expect("it is permitted");
    }

    async fn refuse(&mut self, store: &dyn Store) {
        let (now, until) = (moment(900_000), moment(900_100));
        let claimed = store.claim(now, until, 1).await.expect("something may be claimed");
        for one in claimed {
            let refused = store.refuse(&one.memory.id, until, moment(0), "it is too long").await;
            refused.expect("it is put aside");
        }
    }
}

/// Returns the model that makes vectors in a world.
pub fn model() -> Fingerprint {
    Fingerprint::new("world/64").expect("it is a fingerprint")
}

/// Checks that two stores hold the same, part by part, and that each has something.
pub async fn assert_same(one: &dyn Movable, two: &dyn Movable) {
    for part in Part::ALL {
        let all = Stretch::default();
        let records = one.records(part, &all, usize::MAX).await.expect("it is read");
        let others = two.records(part, &all, usize::MAX).await.expect("it is read");
        let name = part.as_str();
        assert!(!records.is_empty(), "there are no {name}");
        assert_eq!(records.len(), others.len(), "as many {name}");
        for (record, other) in records.iter().zip(&others) {
            assert_eq!(record, other, "{name}");
        }
        assert_eq!(one.count(part).await.expect("it is counted"), records.len() as u64);
        assert_eq!(two.count(part).await.expect("it is counted"), records.len() as u64);
    }
    let count = one.store().verify_audit().await.expect("the audit is whole");
    assert_eq!(two.store().verify_audit().await.expect("the audit is whole"), count);
}
