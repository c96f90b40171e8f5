//! Writing down what came of commits: a few statements for any number of changes, sent in one go.

mod memories;

use std::collections::{BTreeMap, HashMap};

use cofio::Result;
use cofio::model::{Identifier, Layer, MemoryId, Scope, Stage, Timestamp};
use cofio::store::kit::encode_outcomes;
use tokio_postgres::types::ToSql;

use super::entities::key;
use super::jobs;
use super::listening;
use super::plain::plain;
use super::rows::bounded;
use super::session::{Session, Sql, opening};
use super::slot::{Queue, Slot, Stages};
use super::terms::Terms;
use super::unshelved;
use super::vectors;
use super::world::World;

/// Opens every scope, for what a job did anywhere.
const ALL: &str = "SELECT set_config('cofio.scopes', 'all', true)";

/// Writes everything down that is different.
pub(super) async fn flush(session: &Session, schema: &str, world: &World) -> Result<()> {
    let changed = Changed::of(world);
    let mut all = vec![opening(&scopes_of(world))];
    all.extend(new_scopes(world));
    all.extend(unshelved::note(&changed.gone));
    all.extend(changed.forget());
    all.extend(changed.rows());
    all.extend(changed.derive());
    all.extend(vectors::keep(session, world).await?);
    all.extend(changed.queue());
    all.extend(changed.counts());
    all.extend(journal(world));
    all.extend(readings(world));
    all.extend(world.head.keep(&world.written.entries));
    if !world.written.changes.is_empty() {
        let (channel, last) = (listening::channel(schema), world.head.change.to_string());
        let notify = "SELECT pg_notify($1, $2)";
        all.push(Sql::with(notify, vec![Box::new(channel), Box::new(last)]));
    }
    let work: Vec<_> =
        world.written.work.iter().filter_map(|one| one.commit.work.as_ref()).collect();
    if !work.is_empty() {
        all.push(Sql::new(ALL));
        all.extend(work.into_iter().flat_map(|work| jobs::keep(work)));
    }
    session.pipeline(&all).await
}

/// Returns what takes memories in that come from another store; of a world that knows nothing else.
pub(super) async fn take_in(session: &Session, world: &World) -> Result<Vec<Sql>> {
    let changed = Changed::of(world);
    let mut all: Vec<Sql> = new_scopes(world).into_iter().collect();
    all.extend(changed.rows());
    all.extend(changed.derive());
    all.extend(vectors::keep(session, world).await?);
    all.extend(changed.queue());
    all.extend(changed.counts());
    all.extend(world.head.keep(&[]));
    Ok(all)
}

/// Returns what removes memories as if they had never been.
pub(super) fn let_go(world: &World) -> Vec<Sql> {
    let changed = Changed::of(world);
    changed.delete().into_iter().chain(changed.counts()).collect()
}

/// Returns all scopes that are written to.
fn scopes_of(world: &World) -> Vec<i64> {
    let slots = world.slots.values().map(|slot| slot.scope);
    let read = world.written.readings.iter().flat_map(|reading| &reading.ids);
    let read = read.filter_map(|id| world.elsewhere.get(id).copied());
    let mut all: Vec<i64> = world.scopes.values().copied().chain(slots).chain(read).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns what keeps scopes that were not there before.
pub(super) fn new_scopes(world: &World) -> Option<Sql> {
    let scopes = &world.written.scopes;
    let numbers: Vec<i64> = scopes.iter().map(|(number, _)| *number).collect();
    let texts: Vec<String> = scopes.iter().map(|(_, scope)| scope.to_string()).collect();
    let layers: Vec<&'static str> =
        scopes.iter().map(|(_, scope)| scope.layer().as_str()).collect();
    let names: Vec<String> = scopes.iter().map(|(_, scope)| names(scope)).collect();
    statement(
        !scopes.is_empty(),
        "INSERT INTO scopes (scope, text, layer, names)
         SELECT n.scope, n.text, n.layer, ARRAY(
             SELECT e.name FROM json_array_elements_text(n.names::json) WITH ORDINALITY
             AS e (name, place) ORDER BY e.place)
         FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS n (scope, text, layer, names)",
        || vec![Box::new(numbers), Box::new(texts), Box::new(layers), Box::new(names)],
    )
}

/// Returns the names of a scope in the order of the layers, as JSON.
fn names(scope: &Scope) -> String {
    let name = |layer: &Layer| scope.identifiers().get(*layer).map(Identifier::as_str);
    Layer::ALL.iter().map(name).collect::<serde_json::Value>().to_string()
}

/// What becomes of memories, by kind.
struct Changed<'a> {
    new: Vec<(&'a MemoryId, &'a Slot)>,
    replaced: Vec<(&'a MemoryId, &'a Slot)>,
    gone: Vec<(&'a MemoryId, &'a Slot)>,
    alive: Vec<&'a Slot>,
    all: Vec<&'a Slot>,
}

impl<'a> Changed<'a> {
    fn of(world: &'a World) -> Self {
        let mut slots: Vec<(&MemoryId, &Slot)> = world.slots.iter().collect();
        slots.sort_by_key(|(_, slot)| slot.number);
        let all = slots.iter().map(|(_, slot)| *slot).collect();
        let (gone, alive): (Vec<_>, Vec<_>) =
            slots.into_iter().partition(|(_, slot)| slot.gone.is_some());
        let of = |new: bool| {
            let written = alive.iter().filter(|(_, slot)| slot.content.is_some());
            written.filter(move |(_, slot)| slot.stored.is_none() == new).copied().collect()
        };
        let (new, replaced) = (of(true), of(false));
        Self { new, replaced, gone, alive: alive.iter().map(|(_, slot)| *slot).collect(), all }
    }

    /// Removes memories with everything that hangs on their rows, and marks their ids.
    fn forget(&self) -> Vec<Sql> {
        let ids: Vec<String> = self.gone.iter().map(|(id, _)| id.to_string()).collect();
        let scopes: Vec<i64> = self.gone.iter().map(|(_, slot)| slot.scope).collect();
        let moment = |(_, slot): &(_, &Slot)| slot.gone.map(Timestamp::as_microsecond);
        let times: Vec<Option<i64>> = self.gone.iter().map(moment).collect();
        let mark = statement(
            !ids.is_empty(),
            "INSERT INTO tombstones (id, scope, at)
             SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])",
            || vec![Box::new(ids), Box::new(scopes), Box::new(times)],
        );
        self.delete().into_iter().chain(mark).collect()
    }

    fn delete(&self) -> Option<Sql> {
        let stored = self.gone.iter().filter(|(_, slot)| slot.stored.is_some());
        let numbers: Vec<i64> = stored.map(|(_, slot)| slot.number).collect();
        remove("memories", &numbers)
    }

    /// Writes the rows of memories, and the versions before them.
    fn rows(&self) -> Vec<Sql> {
        let (new, replaced) = (memories::insert(&self.new), memories::update(&self.replaced));
        new.into_iter().chain(replaced).chain(self.versions()).collect()
    }

    fn versions(&self) -> Option<Sql> {
        let (mut memories, mut scopes, mut versions) = (Vec::new(), Vec::new(), Vec::new());
        let (mut times, mut documents) = (Vec::new(), Vec::new());
        for slot in &self.alive {
            for earlier in &slot.earlier {
                memories.push(slot.number);
                scopes.push(slot.scope);
                versions.push(bounded(earlier.number));
                times.push(earlier.written_at.as_microsecond());
                documents.push(earlier.document.to_string());
            }
        }
        statement(
            !memories.is_empty(),
            "INSERT INTO versions (memory, version, scope, written_at, document)
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])",
            || {
                vec![
                    Box::new(memories),
                    Box::new(versions),
                    Box::new(scopes),
                    Box::new(times),
                    Box::new(documents),
                ]
            },
        )
    }

    /// Writes what memories are found through, in the place of what they were found through.
    fn derive(&self) -> Vec<Sql> {
        let before: Vec<i64> = self.replaced.iter().map(|(_, slot)| slot.number).collect();
        let mut all: Vec<Sql> = ["passages", "mentions", "derivations"]
            .into_iter()
            .filter_map(|table| remove(table, &before))
            .collect();
        all.extend(self.passages());
        all.extend(self.mentions());
        all.extend(self.derivations());
        all
    }

    fn written(&self) -> impl Iterator<Item = &'a Slot> {
        self.new.iter().chain(&self.replaced).map(|(_, slot)| *slot)
    }

    fn passages(&self) -> Option<Sql> {
        let (mut memories, mut scopes) = (Vec::new(), Vec::new());
        let (mut places, mut terms) = (Vec::new(), Vec::new());
        for slot in self.written() {
            let Some(content) = &slot.content else { continue };
            for (place, passage) in (0_i32..).zip(&content.derived().analysed.passages) {
                memories.push(slot.number);
                scopes.push(slot.scope);
                places.push(place);
                terms.push(Terms::of(passage, slot.scope));
            }
        }
        statement(
            !memories.is_empty(),
            "INSERT INTO passages (memory, passage, scope, terms)
             SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::tsvector[])",
            || vec![Box::new(memories), Box::new(places), Box::new(scopes), Box::new(terms)],
        )
    }

    fn mentions(&self) -> Option<Sql> {
        let (mut memories, mut scopes, mut types) = (Vec::new(), Vec::new(), Vec::new());
        let (mut called, mut written) = (Vec::new(), Vec::new());
        let (mut names, mut aliases) = (Vec::new(), Vec::new());
        for slot in self.written() {
            let Some(content) = &slot.content else { continue };
            let mentions = content.memory().entities.iter().zip(&content.derived().named);
            for (mention, named) in mentions {
                memories.push(slot.number);
                scopes.push(slot.scope);
                types.push(mention.entity_type.as_str());
                called.push(key(&named.name));
                written.push(key(&named.alias));
                names.push(plain(&mention.name).into_owned());
                aliases.push(plain(&mention.alias).into_owned());
            }
        }
        statement(
            !memories.is_empty(),
            "INSERT INTO mentions (memory, scope, called, written, type, name, alias)
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
                                  $5::text[], $6::text[], $7::text[])",
            || {
                vec![
                    Box::new(memories),
                    Box::new(scopes),
                    Box::new(called),
                    Box::new(written),
                    Box::new(types),
                    Box::new(names),
                    Box::new(aliases),
                ]
            },
        )
    }

    fn derivations(&self) -> Option<Sql> {
        let (mut parents, mut memories, mut scopes) = (Vec::new(), Vec::new(), Vec::new());
        for slot in self.written() {
            let Some(content) = &slot.content else { continue };
            for parent in &content.memory().provenance.derived_from {
                parents.push(parent.to_string());
                memories.push(slot.number);
                scopes.push(slot.scope);
            }
        }
        statement(
            !parents.is_empty(),
            "INSERT INTO derivations (parent, memory, scope)
             SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING",
            || vec![Box::new(parents), Box::new(memories), Box::new(scopes)],
        )
    }

    /// Writes who waits for vectors, and who has to come through stages again.
    fn queue(&self) -> Vec<Sql> {
        let of = |wanted: Queue| self.alive.iter().filter(move |slot| slot.queue == wanted);
        let of_all = |wanted: Queue| -> (Vec<i64>, Vec<i64>) {
            of(wanted).map(|slot| (slot.number, slot.scope)).unzip()
        };
        let ((waiting, their_scopes), (again, scopes)) =
            (of_all(Queue::Waits), of_all(Queue::Again));
        let done: Vec<i64> = of(Queue::Done).map(|slot| slot.number).collect();
        let mut all: Vec<Sql> = Vec::new();
        all.extend(remove("pending", &done));
        all.extend(statement(
            !waiting.is_empty(),
            "INSERT INTO pending (memory, scope) SELECT * FROM unnest($1::bigint[], $2::bigint[])
             ON CONFLICT (memory) DO NOTHING",
            || vec![Box::new(waiting), Box::new(their_scopes)],
        ));
        all.extend(statement(
            !again.is_empty(),
            "INSERT INTO pending (memory, scope) SELECT * FROM unnest($1::bigint[], $2::bigint[])
             ON CONFLICT (memory) DO UPDATE
             SET claimed_until = 0, refusals = 0, refused_because = NULL",
            || vec![Box::new(again), Box::new(scopes)],
        ));
        for wanted in [Stages::NotOfText, Stages::All] {
            let begun = self.alive.iter().filter(|slot| slot.stages == wanted);
            let numbers: Vec<i64> = begun.map(|slot| slot.number).collect();
            let again =
                Stage::ALL.iter().filter(|stage| wanted == Stages::All || !stage.is_of_text());
            let stages: Vec<&'static str> = again.map(|stage| stage.as_str()).collect();
            all.extend(statement(
                !numbers.is_empty(),
                "DELETE FROM stages WHERE memory = ANY ($1) AND stage = ANY ($2)",
                || vec![Box::new(numbers), Box::new(stages)],
            ));
        }
        all
    }

    /// Writes how many memories and passages scopes have, and how many memories are whose.
    fn counts(&self) -> Vec<Sql> {
        let mut scopes: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
        let mut authors: HashMap<(i64, String), i64> = HashMap::new();
        for slot in &self.all {
            let written = slot.content.as_ref();
            if let Some(stored) = &slot.stored
                && (written.is_some() || slot.gone.is_some())
            {
                let sum = scopes.entry(slot.scope).or_default();
                *sum = (sum.0 - 1, sum.1 - i64::from(stored.passages));
                if let Some(author) = &stored.author {
                    *authors.entry((slot.scope, author.clone())).or_default() -= 1;
                }
            }
            if let Some(content) = written.filter(|_| slot.gone.is_none()) {
                let sum = scopes.entry(slot.scope).or_default();
                *sum = (sum.0 + 1, sum.1 + bounded(content.derived().analysed.passages.len()));
                if let Some(author) = content.memory().author() {
                    *authors.entry((slot.scope, plain(author).into_owned())).or_default() += 1;
                }
            }
        }
        scopes.retain(|_, sum| *sum != (0, 0));
        authors.retain(|_, sum| *sum != 0);
        scope_counts(&scopes).into_iter().chain(author_counts(&authors)).collect()
    }
}

fn scope_counts(scopes: &BTreeMap<i64, (i64, i64)>) -> Option<Sql> {
    let numbers: Vec<i64> = scopes.keys().copied().collect();
    let memories: Vec<i64> = scopes.values().map(|(memories, _)| *memories).collect();
    let passages: Vec<i64> = scopes.values().map(|(_, passages)| *passages).collect();
    statement(
        !numbers.is_empty(),
        "UPDATE scopes AS s SET memories = s.memories + c.memories, passages = s.passages + c.passages
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS c (scope, memories, passages)
         WHERE s.scope = c.scope",
        || vec![Box::new(numbers), Box::new(memories), Box::new(passages)],
    )
}

fn author_counts(authors: &HashMap<(i64, String), i64>) -> Vec<Sql> {
    let scopes: Vec<i64> = authors.keys().map(|(scope, _)| *scope).collect();
    let names: Vec<String> = authors.keys().map(|(_, name)| name.clone()).collect();
    let keys: Vec<i64> = names.iter().map(|name| key(name)).collect();
    let sums: Vec<i64> = authors.values().copied().collect();
    let add = statement(
        !scopes.is_empty(),
        "INSERT INTO authors AS a (scope, author, name, memories)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[])
         ON CONFLICT (scope, author) DO UPDATE SET memories = a.memories + excluded.memories",
        || vec![Box::new(scopes.clone()), Box::new(keys), Box::new(names), Box::new(sums)],
    );
    let remove = statement(
        !scopes.is_empty(),
        "DELETE FROM authors WHERE scope = ANY ($1) AND memories <= 0",
        || vec![Box::new(scopes.clone())],
    );
    add.into_iter().chain(remove).collect()
}

/// Writes the sequence of changes, what was rejected and what came of requests with keys.
fn journal(world: &World) -> Vec<Sql> {
    let (changes, requests) = (&world.written.changes, &world.written.requests);
    let rejections = &world.written.rejections;
    let changes = statement(
        !changes.is_empty(),
        "INSERT INTO changes (sequence, id, scope, kind, version, at, job)
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[],
                              $6::bigint[], $7::text[])",
        || {
            vec![
                column(changes, |change| bounded(change.sequence)),
                column(changes, |change| change.id.to_string()),
                column(changes, |change| change.scope),
                column(changes, |change| change.kind.as_str()),
                column(changes, |change| bounded(change.version)),
                column(changes, |change| change.at.as_microsecond()),
                column(changes, |change| change.job.clone()),
            ]
        },
    );
    let rejections = statement(
        !rejections.is_empty(),
        "INSERT INTO rejections (scope, value, at)
         SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) ON CONFLICT DO NOTHING",
        || {
            vec![
                column(rejections, |(scope, ..)| *scope),
                column(rejections, |(_, value, _)| value.to_vec()),
                column(rejections, |(.., at)| at.as_microsecond()),
            ]
        },
    );
    let requests = statement(
        !requests.is_empty(),
        "INSERT INTO idempotency (actor, key, request, outcomes, at)
         SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::bigint[])",
        || {
            vec![
                column(requests, |request| request.actor.clone()),
                column(requests, |request| request.key.clone()),
                column(requests, |request| request.digest.clone()),
                column(requests, |request| encode_outcomes(&request.outcomes)),
                column(requests, |request| request.at.as_microsecond()),
            ]
        },
    );
    changes.into_iter().chain(rejections).chain(requests).collect()
}

/// Counts how often memories were read.
fn readings(world: &World) -> Option<Sql> {
    let mut read: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for reading in &world.written.readings {
        let mut ids: Vec<&MemoryId> = reading.ids.iter().collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let (times, last) = read.entry(id.to_string()).or_insert((0, i64::MIN));
            *times += 1;
            *last = (*last).max(reading.at.as_microsecond());
        }
    }
    let (ids, counted): (Vec<String>, Vec<(i64, i64)>) = read.into_iter().unzip();
    let (times, lasts): (Vec<i64>, Vec<i64>) = counted.into_iter().unzip();
    statement(
        !ids.is_empty(),
        "UPDATE memories AS m SET access_count = least(m.access_count, 1::bigint << 53) + r.times,
                accessed_at = greatest(m.accessed_at, r.last)
         FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS r (id, times, last)
         WHERE m.id = r.id COLLATE \"C\"",
        || vec![Box::new(ids), Box::new(times), Box::new(lasts)],
    )
}

/// Removes what a table has of memories.
fn remove(table: &str, memories: &[i64]) -> Option<Sql> {
    let sql = format!("DELETE FROM {table} WHERE memory = ANY ($1)");
    statement(!memories.is_empty(), &sql, || vec![Box::new(memories.to_vec())])
}

type Value = Box<dyn ToSql + Sync + Send>;

/// Returns a statement, if there is something for it to do.
fn statement(needed: bool, text: &str, values: impl FnOnce() -> Vec<Value>) -> Option<Sql> {
    needed.then(|| Sql::with(text, values()))
}

/// Returns what is written of each of many, for one column.
fn column<T, V>(all: &[T], of: impl FnMut(&T) -> V) -> Value
where
    V: ToSql + Sync + Send + 'static,
{
    Box::new(all.iter().map(of).collect::<Vec<V>>())
}
