//! Loading what commits have to know, in as few questions as possible.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cofio::Result;
use cofio::model::{Change, Commit, MemoryId, Outcome, Reading, Scope};
use cofio::store::kit::{Ready, decode_outcomes, key_digest};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::audit::Head;
use super::connections::Connections;
use super::pending;
use super::rows::{count, damaged, get, parsed};
use super::session::Session;
use super::slot::{Identity, Queue, Slot, Stages, Stored};
use super::world::World;

/// The columns that [`slot`] reads.
pub(super) const SLOT: &str =
    "m.id, m.memory, m.scope, m.version, m.expires_at, m.identity, m.assistant,
                    m.author, m.passages";

/// The value of a query that has one.
type Values<'a> = [&'a (dyn ToSql + Sync); 1];

/// What is to be written together.
#[derive(Default)]
pub(super) struct Asked<'a> {
    pub(super) commits: Vec<Arc<Ready>>,
    pub(super) readings: Vec<&'a Reading>,
    /// Scopes that are to be known.
    pub(super) scopes: Vec<&'a Scope>,
}

/// Loads everything that has to be known of what is to be written.
pub(super) async fn load(session: &mut Session, head: Head, asked: &Asked<'_>) -> Result<World> {
    let wanted = Wanted::of(asked);
    let (ids, texts): (Values<'_>, Values<'_>) = ([&wanted.ids], [&wanted.scopes]);
    let keys: [&(dyn ToSql + Sync); 2] = [&wanted.actors, &wanted.keys];
    let (located, scopes, requests, model) = tokio::try_join!(
        session.query("SELECT id, memory, scope FROM locate($1)", &ids),
        session.query("SELECT text, scope FROM scopes WHERE text = ANY ($1)", &texts),
        session.query(
            "SELECT i.actor, i.key, i.request, i.outcomes
             FROM unnest($1::text[], $2::text[]) AS w (actor, key)
             JOIN idempotency AS i ON i.actor = w.actor COLLATE \"C\" AND i.key = w.key",
            &keys,
        ),
        pending::adopted(session),
    )?;
    let mut world = World::new(head, model);
    for row in &scopes {
        world.scopes.insert(get(row, 0)?, get(row, 1)?);
    }
    for row in &requests {
        let outcomes = decode_outcomes(get(row, 3)?)?;
        world.requests.insert((get(row, 0)?, get(row, 1)?), (get(row, 2)?, outcomes));
    }
    let mut numbers: BTreeSet<i64> = world.scopes.values().copied().collect();
    for row in &located {
        let (id, scope): (MemoryId, i64) = (parsed(row, 0)?, get(row, 2)?);
        if get::<Option<i64>>(row, 1)?.is_none() {
            world.forgotten.insert(id);
            continue;
        }
        if wanted.opened.contains(id.as_str()) {
            numbers.insert(scope);
        }
        world.elsewhere.insert(id, scope);
    }
    session.open_numbers(numbers.into_iter().collect()).await?;
    load_slots(session, &wanted, &mut world).await?;
    Ok(world)
}

async fn load_slots(session: &Session, wanted: &Wanted, world: &mut World) -> Result<()> {
    let (mut scopes, mut identities) = (Vec::new(), Vec::new());
    for (scope, identity) in &wanted.identities {
        if let Some(number) = world.scopes.get(scope) {
            scopes.push(*number);
            identities.push(&identity[..]);
        }
    }
    let by_id = format!(
        "SELECT {SLOT}, CASE WHEN w.replaced THEN m.document END
         FROM unnest($1::text[], $2::boolean[]) AS w (id, replaced)
         JOIN memories AS m ON m.id = w.id COLLATE \"C\""
    );
    let by_identity = format!(
        "SELECT {SLOT}, NULL::text FROM unnest($1::bigint[], $2::bytea[]) AS w (scope, identity)
         JOIN memories AS m ON m.scope = w.scope AND m.identity = w.identity"
    );
    let (changed, replaced): (Vec<&str>, Vec<bool>) =
        wanted.changed.iter().map(|(id, replaced)| (id.as_str(), *replaced)).unzip();
    let changed: [&(dyn ToSql + Sync); 2] = [&changed, &replaced];
    let identities: [&(dyn ToSql + Sync); 2] = [&scopes, &identities];
    let (by_id, by_identity) = tokio::try_join!(
        session.query(&by_id, &changed),
        session.query(&by_identity, &identities),
    )?;
    // What was loaded with its document comes last, so that it stays.
    for row in by_identity.iter().chain(&by_id) {
        let (id, slot) = slot(row)?;
        if let Some(identity) = slot.identity {
            world.holders.insert((slot.scope, identity), id.clone());
        }
        world.slots.insert(id, slot);
    }
    Ok(())
}

/// Reads the columns of [`SLOT`], and the document after them.
pub(super) fn slot(row: &Row) -> Result<(MemoryId, Slot)> {
    let identity: Option<&[u8]> = get(row, 5)?;
    let identity: Option<Identity> = identity
        .map(|identity| identity.try_into().map_err(|_| damaged("an identity")))
        .transpose()?;
    let stored = Stored { author: get(row, 7)?, passages: get(row, 8)?, document: get(row, 9)? };
    let slot = Slot {
        number: get(row, 1)?,
        scope: get(row, 2)?,
        version: count(row, 3)?,
        expires_at: get(row, 4)?,
        identity,
        assistant: get(row, 6)?,
        stored: Some(Arc::new(stored)),
        content: None,
        created: None,
        earlier: Vec::new(),
        gone: None,
        outdated: false,
        embedded: None,
        queue: Queue::Same,
        stages: Stages::None,
    };
    Ok((parsed(row, 0)?, slot))
}

/// What commits and readings are about.
#[derive(Default)]
struct Wanted {
    ids: Vec<String>,
    scopes: Vec<String>,
    actors: Vec<String>,
    keys: Vec<String>,
    identities: Vec<(String, Identity)>,
    /// What is changed, and whether what it said has to be kept.
    changed: BTreeMap<String, bool>,
    /// What is in scopes that nobody has named.
    opened: BTreeSet<String>,
}

impl Wanted {
    fn of(asked: &Asked<'_>) -> Self {
        let Asked { commits, readings, scopes } = asked;
        let mut wanted = Self::default();
        let mut ids = BTreeSet::new();
        let mut scopes: BTreeSet<String> = scopes.iter().map(ToString::to_string).collect();
        for ready in commits {
            wanted.add(&ready.commit, &mut ids, &mut scopes);
        }
        for id in readings.iter().flat_map(|reading| &reading.ids) {
            wanted.opened.insert(id.to_string());
        }
        ids.extend(wanted.opened.iter().cloned());
        wanted.ids = ids.into_iter().collect();
        wanted.scopes = scopes.into_iter().collect();
        wanted
    }

    fn add(&mut self, commit: &Commit, ids: &mut BTreeSet<String>, scopes: &mut BTreeSet<String>) {
        if let Some((key, _)) = &commit.idempotency {
            self.actors.push(commit.actor.to_string());
            self.keys.push(key_digest(key));
        }
        for change in &commit.changes {
            let (id, scope, identity, kept) = parts(change);
            let id = id.to_string();
            ids.insert(id.clone());
            match kept {
                Kept::New => {}
                Kept::Replaced => drop(self.changed.insert(id.clone(), true)),
                Kept::Otherwise => drop(self.changed.entry(id.clone()).or_insert(false)),
            }
            match scope {
                Some(scope) => {
                    let scope = scope.to_string();
                    self.identities.extend(identity.map(|identity| (scope.clone(), *identity)));
                    scopes.insert(scope);
                }
                None => drop(self.opened.insert(id)),
            }
        }
        let through = commit.work.iter().flat_map(|work| &work.through);
        self.opened.extend(through.map(|(id, _)| id.to_string()));
    }
}

/// What a change does to what a memory said.
enum Kept {
    New,
    Replaced,
    Otherwise,
}

fn parts(change: &Change) -> (&MemoryId, Option<&Scope>, Option<&Identity>, Kept) {
    match change {
        Change::Create { memory, identity, .. } => {
            (&memory.id, Some(&memory.scope), identity.as_ref(), Kept::New)
        }
        Change::Update { memory, identity } => {
            (&memory.id, Some(&memory.scope), identity.as_ref(), Kept::Replaced)
        }
        Change::Forget { id, scope, .. } | Change::Reject { id, scope, .. } => {
            (id, Some(scope), None, Kept::Otherwise)
        }
        Change::Embed { id, .. } => (id, None, None, Kept::Otherwise),
    }
}

/// Returns what a commit would return at this moment.
pub(super) async fn rehearse(
    connections: &Connections,
    ready: &Arc<Ready>,
) -> Result<Vec<Outcome>> {
    let mut session = Session::read(connections).await?;
    let loaded = seen(&mut session, ready).await;
    session.end(loaded.and_then(|mut world| world.commit(ready)))
}

/// Returns what came of an earlier commit with the same key.
pub(super) async fn earlier(
    connections: &Connections,
    ready: &Arc<Ready>,
) -> Result<Option<Vec<Outcome>>> {
    let mut session = Session::read(connections).await?;
    let loaded = seen(&mut session, ready).await;
    session.end(loaded.and_then(|world| world.earlier(&ready.commit)))
}

async fn seen(session: &mut Session, ready: &Arc<Ready>) -> Result<World> {
    let head = Head::read(session).await?;
    let asked = Asked { commits: vec![Arc::clone(ready)], ..Asked::default() };
    load(session, head, &asked).await
}
