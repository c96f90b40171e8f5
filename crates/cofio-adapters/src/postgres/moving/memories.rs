//! Memories, with all that goes when they go.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use cofio::Result;
use cofio::model::{
    Accesses, AuditEvent, Change, Commit, Fingerprint, Identifier, Memory, MemoryId, PassageVector,
    Timestamp, Vectors,
};
use cofio::store::kit::{Derived, Ready, moment};
use cofio::store::{CarriedMemory, CarriedVector, Field, Record, RecordKey, Stretch, decode};
use tokio_postgres::Row;

use super::super::audit::Head;
use super::super::flush::{let_go, take_in};
use super::super::load::{SLOT, slot};
use super::super::pending;
use super::super::plain::{original, plain};
use super::super::rows::{bounded, count, damaged, get};
use super::super::session::{Session, Sql};
use super::super::slot::{Content, Queue, Slot, Stages, Version};
use super::super::world::World;

fn numbers(keys: &[RecordKey]) -> Vec<i64> {
    let number =
        |key: &RecordKey| if let [Field::Number(number)] = key[..] { Some(number) } else { None };
    keys.iter().filter_map(number).collect()
}

/// Returns the first memories of a stretch.
pub(super) async fn read(
    session: &Session,
    stretch: &Stretch,
    limit: usize,
) -> Result<Vec<Record>> {
    let end = |place: &Option<RecordKey>, otherwise: i64| {
        place.as_ref().and_then(|key| numbers(std::slice::from_ref(key)).pop()).unwrap_or(otherwise)
    };
    let (after, until) = (end(&stretch.after, 0), end(&stretch.until, i64::MAX));
    let sql =
        "SELECT m.memory, m.document, m.identity, m.access_count, m.accessed_at, m.fingerprint,
                      p.refusals, p.refused_because
               FROM memories AS m LEFT JOIN pending AS p USING (memory)
               WHERE m.memory > $1 AND m.memory <= $2 ORDER BY m.memory LIMIT $3";
    let rows = session.query(sql, &[&after, &until, &bounded(limit)]).await?;
    let mut memories: Vec<CarriedMemory> = rows.iter().map(memory).collect::<Result<_>>()?;
    let (Some(first), Some(last)) = (memories.first(), memories.last()) else {
        return Ok(Vec::new());
    };
    let mut beside = Beside::read(session, first.number, last.number).await?;
    for memory in &mut memories {
        beside.give(memory);
    }
    Ok(memories.into_iter().map(|memory| Record::Memory(Box::new(memory))).collect())
}

fn memory(row: &Row) -> Result<CarriedMemory> {
    let identity: Option<&[u8]> = get(row, 2)?;
    let identity = identity.map(|identity| identity.try_into().map_err(|_| damaged("an identity")));
    let accessed_at: Option<i64> = get(row, 4)?;
    let fingerprint: Option<&str> = get(row, 5)?;
    let refusals: Option<i32> = get(row, 6)?;
    Ok(CarriedMemory {
        number: get(row, 0)?,
        document: get(row, 1)?,
        identity: identity.transpose()?,
        accesses: Accesses { count: count(row, 3)?, last_at: accessed_at.map(moment).transpose()? },
        embedded_by: fingerprint.map(Fingerprint::new).transpose()?,
        refusals: refusals.unwrap_or_default().unsigned_abs(),
        refused_because: get::<Option<String>>(row, 7)?.map(original),
        ..CarriedMemory::default()
    })
}

/// What is kept beside memories, by their numbers.
struct Beside {
    versions: HashMap<i64, Vec<(u64, String)>>,
    stages: HashMap<i64, Vec<(String, String)>>,
    vectors: HashMap<(i64, String), Vec<CarriedVector>>,
}

impl Beside {
    async fn read(session: &Session, first: i64, last: i64) -> Result<Self> {
        let sql = "SELECT memory, version, document FROM versions
                   WHERE memory BETWEEN $1 AND $2 ORDER BY memory, version";
        let rows = session.query(sql, &[&first, &last]).await?;
        let versions = grouped(&rows, |row| Ok((get(row, 0)?, (count(row, 1)?, get(row, 2)?))))?;
        let sql = "SELECT memory, stage, job FROM stages
                   WHERE memory BETWEEN $1 AND $2 ORDER BY memory, stage COLLATE \"C\"";
        let rows = session.query(sql, &[&first, &last]).await?;
        let stages = grouped(&rows, |row| Ok((get(row, 0)?, (get(row, 1)?, get(row, 2)?))))?;
        let sql = "SELECT v.memory, n.fingerprint, v.hash, v.vector::real[]
                   FROM vectors AS v JOIN models AS n USING (model)
                   WHERE v.memory BETWEEN $1 AND $2 ORDER BY v.memory, v.passage";
        let rows = session.query(sql, &[&first, &last]).await?;
        let vectors = grouped(&rows, |row| {
            let hash: &[u8] = get(row, 2)?;
            let hash = hash.try_into().map_err(|_| damaged("the hash of a passage"))?;
            let vector = CarriedVector::new(hash, &get::<Vec<f32>>(row, 3)?)?;
            Ok(((get(row, 0)?, get(row, 1)?), vector))
        })?;
        Ok(Self { versions, stages, vectors })
    }

    /// Gives a memory what is its own; vectors of another model than it is found by are left.
    fn give(&mut self, memory: &mut CarriedMemory) {
        memory.versions = self.versions.remove(&memory.number).unwrap_or_default();
        memory.stages = self.stages.remove(&memory.number).unwrap_or_default();
        if let Some(model) = &memory.embedded_by {
            let key = (memory.number, model.to_string());
            memory.vectors = self.vectors.remove(&key).unwrap_or_default();
        }
    }
}

fn grouped<K: Hash + Eq, V>(
    rows: &[Row],
    read: impl Fn(&Row) -> Result<(K, V)>,
) -> Result<HashMap<K, Vec<V>>> {
    let mut groups: HashMap<K, Vec<V>> = HashMap::new();
    for row in rows {
        let (key, value) = read(row)?;
        groups.entry(key).or_default().push(value);
    }
    Ok(groups)
}

/// Removes memories, and puts others in the place of those with the same numbers.
pub(super) async fn replace(
    session: &Session,
    gone: &[RecordKey],
    carried: Vec<CarriedMemory>,
) -> Result<()> {
    let (head, _) = Head::lock(session).await?;
    let adopted = pending::adopted(session).await?;
    let incoming = Incoming::of(carried)?;
    let numbers = numbers(gone).into_iter().chain(incoming.carried.iter().map(|one| one.number));
    clear(session, &head, numbers.collect(), incoming.ids()).await?;
    let mut world = World::new(head, adopted);
    let scopes: Vec<String> = incoming.memories().map(|memory| memory.scope.to_string()).collect();
    let known =
        session.query("SELECT text, scope FROM scopes WHERE text = ANY ($1)", &[&scopes]).await?;
    for row in &known {
        world.scopes.insert(get(row, 0)?, get(row, 1)?);
    }
    incoming.fill(&mut world)?;
    let mut all: Vec<Sql> = give_up_identities(&world).into_iter().collect();
    all.extend(take_in(session, &world).await?);
    all.extend(incoming.beside());
    session.pipeline(&all).await
}

/// Removes whatever has one of these numbers or ids.
async fn clear(session: &Session, head: &Head, numbers: Vec<i64>, ids: Vec<String>) -> Result<()> {
    let sql = format!(
        "SELECT {SLOT}, NULL::text FROM memories AS m WHERE m.memory = ANY ($1) OR m.id = ANY ($2)"
    );
    let rows = session.query(&sql, &[&numbers, &ids]).await?;
    let mut world = World::new(head.clone(), None);
    for row in &rows {
        let (id, slot) = slot(row)?;
        world.slots.insert(id, Slot { gone: Some(Timestamp::UNIX_EPOCH), ..slot });
    }
    session.pipeline(&let_go(&world)).await
}

/// Takes identities from memories that had them before; those are compared later.
fn give_up_identities(world: &World) -> Option<Sql> {
    let with = world.slots.values().filter_map(|slot| Some((slot.scope, slot.identity?.to_vec())));
    let (scopes, identities): (Vec<i64>, Vec<Vec<u8>>) = with.unzip();
    (!scopes.is_empty()).then(|| {
        Sql::with(
            "UPDATE memories AS m SET identity = NULL
             FROM unnest($1::bigint[], $2::bytea[]) AS w (scope, identity)
             WHERE m.scope = w.scope AND m.identity = w.identity",
            vec![Box::new(scopes), Box::new(identities)],
        )
    })
}

/// Memories that are to be taken in, as changes that keep them and their vectors.
struct Incoming {
    carried: Vec<CarriedMemory>,
    ready: Arc<Ready>,
}

impl Incoming {
    /// Works out what needs no database; each memory makes two changes.
    fn of(carried: Vec<CarriedMemory>) -> Result<Self> {
        let (mut changes, mut derived) = (Vec::new(), Vec::new());
        for one in &carried {
            let (mut memory, kept) = Derived::read(one.document.clone())?;
            memory.accesses = one.accesses;
            changes.push(create(memory));
            derived.push(kept);
            changes.push(embed(one)?);
            derived.push(Derived::default());
        }
        let commit = Commit {
            actor: Identifier::new("migrate")?,
            at: Timestamp::UNIX_EPOCH,
            changes,
            audit: Vec::<AuditEvent>::new(),
            idempotency: None,
            work: None,
        };
        Ok(Self { carried, ready: Arc::new(Ready { commit, derived }) })
    }

    fn memories(&self) -> impl Iterator<Item = &Memory> {
        self.ready.commit.changes.iter().filter_map(|change| match change {
            Change::Create { memory, .. } => Some(&**memory),
            _ => None,
        })
    }

    fn ids(&self) -> Vec<String> {
        self.memories().map(|memory| memory.id.to_string()).collect()
    }

    /// Puts everything into a world as if it were new there.
    fn fill(&self, world: &mut World) -> Result<()> {
        for (place, (carried, memory)) in self.carried.iter().zip(self.memories()).enumerate() {
            let content = Content::new(&self.ready, 2 * place);
            let embedded = Content::new(&self.ready, 2 * place + 1);
            let scope = world.scope_number(&memory.scope);
            world.head.memory = world.head.memory.max(carried.number);
            let waits = waits(carried, memory, world.model.as_ref());
            let slot = Slot {
                number: carried.number,
                scope,
                version: memory.version,
                expires_at: memory.expires_at.map(Timestamp::as_microsecond),
                identity: carried.identity,
                assistant: memory.said_by_assistant(),
                stored: None,
                content: Some(content.clone()),
                created: Some(content),
                earlier: carried.versions.iter().map(version).collect::<Result<_>>()?,
                gone: None,
                outdated: false,
                embedded: carried.embedded_by.is_some().then_some(embedded),
                queue: if waits { Queue::Again } else { Queue::Same },
                stages: Stages::None,
            };
            world.slots.insert(memory.id.clone(), slot);
        }
        Ok(())
    }

    /// Returns what keeps stages, and why memories could not be embedded.
    fn beside(&self) -> Vec<Sql> {
        let stages = self.carried.iter().flat_map(|one| {
            one.stages.iter().map(|(stage, job)| (one.number, stage.clone(), job.clone()))
        });
        let (mut memories, mut names, mut jobs) = (Vec::new(), Vec::new(), Vec::new());
        for (memory, stage, job) in stages {
            memories.push(memory);
            names.push(stage);
            jobs.push(job);
        }
        let stages = Sql::with(
            "INSERT INTO stages (memory, stage, scope, job)
             SELECT m.memory, t.stage, m.scope, t.job
             FROM unnest($1::bigint[], $2::text[], $3::text[]) AS t (memory, stage, job)
             JOIN memories AS m USING (memory)",
            vec![Box::new(memories), Box::new(names), Box::new(jobs)],
        );
        let refused = self.carried.iter().filter(|one| one.refusals > 0);
        let refused: Vec<&CarriedMemory> = refused.collect();
        let memories: Vec<i64> = refused.iter().map(|one| one.number).collect();
        let refusals: Vec<i32> =
            refused.iter().map(|one| i32::try_from(one.refusals).unwrap_or(i32::MAX)).collect();
        let because = refused.iter().map(|one| one.refused_because.as_deref().map(plain));
        let because: Vec<Option<String>> =
            because.map(|why| why.map(std::borrow::Cow::into_owned)).collect();
        let refused = Sql::with(
            "UPDATE pending AS p SET refusals = r.refusals, refused_because = r.because
             FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS r (memory, refusals, because)
             WHERE p.memory = r.memory",
            vec![Box::new(memories), Box::new(refusals), Box::new(because)],
        );
        vec![stages, refused]
    }
}

fn create(memory: Memory) -> Change {
    Change::Create { memory: Box::new(memory), identity: None, history: Vec::new() }
}

/// Returns the change that keeps the vectors of a memory; one that has none is not made.
fn embed(carried: &CarriedMemory) -> Result<Change> {
    let memory = decode(&carried.document)?;
    let vectors = if memory.content.has_vectors_elsewhere() {
        Vectors::Elsewhere { dimensions: carried.dimensions_elsewhere }
    } else {
        let vector = |one: &CarriedVector| PassageVector { hash: one.hash, vector: one.vector() };
        Vectors::Here(carried.vectors.iter().map(vector).collect())
    };
    let nobody = || Fingerprint::new("nobody");
    let fingerprint = carried.embedded_by.clone().map_or_else(nobody, Ok)?;
    let id: MemoryId = memory.id;
    Ok(Change::Embed { id, version: memory.version, fingerprint, vectors })
}

/// Returns whether a memory has no vectors of the adopted model.
fn waits(carried: &CarriedMemory, memory: &Memory, adopted: Option<&Fingerprint>) -> bool {
    let has_vectors = !carried.vectors.is_empty() || memory.content.has_vectors_elsewhere();
    let found_by = carried.embedded_by.as_ref();
    !has_vectors || !found_by.is_some_and(|by| adopted.is_none_or(|model| model == by))
}

fn version((number, document): &(u64, String)) -> Result<Version> {
    let written_at = decode(document)?.written_at();
    Ok(Version { number: *number, written_at, document: document.as_str().into() })
}
