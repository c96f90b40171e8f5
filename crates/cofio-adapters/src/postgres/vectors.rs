//! The vectors of passages: keeping them, and finding what is near.

use std::collections::HashMap;

use cofio::Result;
use cofio::model::{Cues, Fingerprint, Groups, Meaning, PassageHash, Slot as Shelved, Spread};
use cofio::store::decode;

use super::rows::{bounded, get};
use super::session::{Session, Sql};
use super::slot::Slot;
use super::terms::Vector;
use super::world::World;

/// Up to how many passages of the searched scopes each vector is compared.
const EXACT: u64 = 20_000;

/// Of which share of all vectors the searched scopes must have at least, so that the index, which
/// knows no scopes, leads to them soon enough.
const SHARE: f64 = 0.1;

/// How many vectors are looked at for each memory that is wanted, as one may have several.
const FOR_EACH: usize = 3;

/// In how many places of a large scope the spread of cosines is measured, and on how many passages in
/// each.
const SAMPLES: i64 = 32;
const SAMPLE: i64 = 64;

/// A model that vectors are kept of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model {
    number: i32,
    dimensions: usize,
}

/// Returns a model, if vectors were ever kept of it.
pub(super) async fn model(session: &Session, fingerprint: &Fingerprint) -> Result<Option<Model>> {
    let sql = "SELECT model, dimensions FROM models WHERE fingerprint = $1";
    let rows = session.query(sql, &[&fingerprint.as_str()]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let dimensions: i32 = get(row, 1)?;
    Ok(Some(Model {
        number: get(row, 0)?,
        dimensions: usize::try_from(dimensions).unwrap_or_default(),
    }))
}

/// Returns how many dimensions the vectors have that are kept of a model.
pub(super) async fn dimensions(
    session: &Session,
    fingerprint: &Fingerprint,
) -> Result<Option<usize>> {
    let Some(model) = model(session, fingerprint).await? else { return Ok(None) };
    let sql = "SELECT EXISTS (SELECT 1 FROM vectors WHERE model = $1)
                   OR EXISTS (SELECT 1 FROM memories WHERE fingerprint = $2)";
    let there: bool =
        get(&session.query(sql, &[&model.number, &fingerprint.as_str()]).await?[0], 0)?;
    Ok(there.then_some(model.dimensions))
}

/// Returns the vectors that passages with these hashes have, in the same order.
pub(super) async fn known(
    session: &Session,
    fingerprint: &Fingerprint,
    hashes: &[PassageHash],
) -> Result<Vec<Option<Vec<f32>>>> {
    let Some(model) = model(session, fingerprint).await? else {
        return Ok(vec![None; hashes.len()]);
    };
    let wanted: Vec<&[u8]> = hashes.iter().map(|hash| &hash[..]).collect();
    let sql = "SELECT DISTINCT ON (hash) hash, vector::real[] FROM vectors
               WHERE model = $1 AND hash = ANY ($2)";
    let rows = session.query(sql, &[&model.number, &wanted]).await?;
    let mut known: HashMap<Vec<u8>, Vec<f32>> = HashMap::new();
    for row in &rows {
        known.insert(get(row, 0)?, get(row, 1)?);
    }
    Ok(hashes.iter().map(|hash| known.get(&hash[..]).cloned()).collect())
}

/// Returns what keeps the vectors of memories, and removes those that are no longer of their text.
pub(super) async fn keep(session: &Session, world: &World) -> Result<Vec<Sql>> {
    let alive = || world.slots.values().filter(|slot| slot.gone.is_none());
    let outdated: Vec<i64> = alive()
        .filter(|slot| slot.outdated && slot.stored.is_some())
        .map(|slot| slot.number)
        .collect();
    let mut all: Vec<Sql> = Vec::new();
    if !outdated.is_empty() {
        let values = vec![Box::new(outdated.clone()) as _];
        all.push(Sql::with("DELETE FROM vectors WHERE memory = ANY ($1)", values));
        all.push(Sql::with(
            "UPDATE memories SET fingerprint = NULL WHERE memory = ANY ($1)",
            vec![Box::new(outdated)],
        ));
    }
    let mut by_model: HashMap<&Fingerprint, Vec<&Slot>> = HashMap::new();
    for slot in alive() {
        if let Some(embedded) = &slot.embedded {
            by_model.entry(embedded.model()).or_default().push(slot);
        }
    }
    for (fingerprint, slots) in by_model {
        all.extend(keep_of(session, fingerprint, &slots).await?);
    }
    Ok(all)
}

async fn keep_of(
    session: &Session,
    fingerprint: &Fingerprint,
    slots: &[&Slot],
) -> Result<Vec<Sql>> {
    let numbers: Vec<i64> = slots.iter().map(|slot| slot.number).collect();
    let passages = Passages::of(slots);
    let elsewhere = slots.iter().filter_map(|slot| slot.embedded.as_ref()?.dimensions_elsewhere());
    if let Some(dimensions) = elsewhere.max() {
        made(session, fingerprint, dimensions).await?;
    }
    let mut all = Vec::new();
    if let Some(dimensions) = passages.vectors.first().map(|vector| vector.0.len()) {
        let model = made(session, fingerprint, dimensions).await?;
        let sql = "DELETE FROM vectors WHERE memory = ANY ($1) AND model = $2";
        all.push(Sql::with(sql, vec![Box::new(numbers.clone()), Box::new(model)]));
        all.push(passages.insert(model));
    }
    all.push(Sql::with(
        "UPDATE memories SET fingerprint = $2 WHERE memory = ANY ($1)",
        vec![Box::new(numbers), Box::new(fingerprint.to_string())],
    ));
    Ok(all)
}

/// Vectors of passages, column by column.
#[derive(Default)]
struct Passages {
    memories: Vec<i64>,
    places: Vec<i32>,
    scopes: Vec<i64>,
    assistants: Vec<bool>,
    hashes: Vec<Vec<u8>>,
    vectors: Vec<Vector>,
}

impl Passages {
    fn of(slots: &[&Slot]) -> Self {
        let mut all = Self::default();
        for slot in slots {
            let vectors = slot.embedded.as_ref().map_or(&[][..], |embedded| embedded.vectors());
            for (place, known) in (0..).zip(vectors) {
                all.memories.push(slot.number);
                all.places.push(place);
                all.scopes.push(slot.scope);
                all.assistants.push(slot.assistant);
                all.hashes.push(known.hash.to_vec());
                all.vectors.push(Vector(known.vector.clone()));
            }
        }
        all
    }

    fn insert(self, model: i32) -> Sql {
        Sql::with(
            "INSERT INTO vectors (memory, model, passage, scope, assistant, hash, vector)
             SELECT v.memory, $1, v.passage, v.scope, v.assistant, v.hash, v.vector::halfvec
             FROM unnest($2::bigint[], $3::integer[], $4::bigint[], $5::boolean[], $6::bytea[],
                         $7::vector[]) AS v (memory, passage, scope, assistant, hash, vector)",
            vec![
                Box::new(model),
                Box::new(self.memories),
                Box::new(self.places),
                Box::new(self.scopes),
                Box::new(self.assistants),
                Box::new(self.hashes),
                Box::new(self.vectors),
            ],
        )
    }
}

/// Returns the number of a model, giving it one where it has none.
async fn made(session: &Session, fingerprint: &Fingerprint, dimensions: usize) -> Result<i32> {
    if let Some(model) = model(session, fingerprint).await? {
        return Ok(model.number);
    }
    let dimensions = i32::try_from(dimensions).unwrap_or(i32::MAX);
    let rows =
        session.query("SELECT add_model($1, $2)", &[&fingerprint.as_str(), &dimensions]).await?;
    get(&rows[0], 0)
}

/// What is near a question.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// The best cosine of each memory that was compared.
    pub(super) cosines: HashMap<i64, f32>,
    /// The nearest, best first; more than are wanted, as some may not be meant.
    pub(super) nearest: Vec<i64>,
    pub(super) spread: Groups<Spread>,
    /// Whether everything was compared.
    pub(super) complete: bool,
}

/// Adds what shelves call near, as far as the texts still stand there.
pub(super) async fn add_shelved(
    session: &Session,
    scopes: &[i64],
    shelved: &[(Shelved, f32)],
    near: &mut Near,
) -> Result<()> {
    if shelved.is_empty() {
        return Ok(());
    }
    let cosines: HashMap<&Shelved, f32> = shelved.iter().map(|(slot, c)| (slot, *c)).collect();
    let ids: Vec<&str> = shelved.iter().map(|(slot, _)| slot.id.as_str()).collect();
    let sql = "SELECT m.memory, m.document FROM memories AS m
               WHERE m.id = ANY ($1) AND m.scope = ANY ($2)";
    for row in &session.query(sql, &[&ids, &scopes]).await? {
        let slot = decode(get(row, 1)?)?.slot();
        if let Some(cosine) = slot.and_then(|slot| cosines.get(&slot).copied()) {
            near.compare([(get(row, 0)?, cosine)]);
            near.nearest.push(get(row, 0)?);
        }
    }
    let Near { nearest, cosines, .. } = near;
    let cosine = |memory: &i64| cosines.get(memory).copied().unwrap_or(f32::MIN);
    nearest.sort_by(|one, two| cosine(two).total_cmp(&cosine(one)));
    nearest.dedup();
    Ok(())
}

/// Compares every vector of the scopes with what is asked.
pub(super) async fn near_exactly(session: &Session, scopes: &[i64], cues: &Cues) -> Result<Near> {
    let Some(meaning) = &cues.meaning else { return Ok(Near::nothing()) };
    match model(session, &meaning.fingerprint).await? {
        Some(model) => exactly(session, scopes, model, meaning).await,
        None => Ok(Near::nothing()),
    }
}

/// Returns what is near in the open scopes, which have so many passages.
pub(super) async fn near(
    session: &Session,
    scopes: &[i64],
    passages: u64,
    cues: &Cues,
    limit: usize,
) -> Result<Near> {
    let Some(meaning) = &cues.meaning else { return Ok(Near::nothing()) };
    let known = model(session, &meaning.fingerprint).await?;
    // No vector of another length was ever made by this model.
    let Some(model) = known.filter(|model| model.dimensions == meaning.vector.len()) else {
        return Ok(Near::nothing());
    };
    if passages > EXACT && has_index(model) && has_share(session, passages).await? {
        let mut near = by_index(session, scopes, model, meaning, limit).await?;
        if near.nearest.len() >= limit {
            if !cues.alone {
                near.spread = sampled(session, scopes, model, meaning).await?;
            }
            return Ok(near);
        }
    }
    exactly(session, scopes, model, meaning).await
}

fn has_index(model: Model) -> bool {
    model.dimensions <= 4_000
}

/// Returns whether the searched scopes have a good part of all vectors.
async fn has_share(session: &Session, passages: u64) -> Result<bool> {
    let sql = "SELECT reltuples::double precision FROM pg_class WHERE oid = 'vectors'::regclass";
    let all: f64 = get(&session.query(sql, &[]).await?[0], 0)?;
    Ok(passages as f64 >= SHARE * all)
}

/// Compares every vector of the scopes.
async fn exactly(
    session: &Session,
    scopes: &[i64],
    model: Model,
    meaning: &Meaning,
) -> Result<Near> {
    let rows = session
        .query(
            "SELECT c.assistant, array_agg(c.memory), array_agg(c.cosine) FROM (
                 SELECT v.assistant, v.memory, (1 - (v.vector <=> $3::vector::halfvec))::real AS cosine
                 FROM vectors AS v WHERE v.model = $1 AND v.scope = ANY ($2)
             ) AS c GROUP BY c.assistant",
            &[&model.number, &scopes, &Vector(meaning.vector.clone())],
        )
        .await?;
    let mut near = Near { complete: true, ..Near::default() };
    for row in &rows {
        let (memories, cosines): (Vec<i64>, Vec<f32>) = (get(row, 1)?, get(row, 2)?);
        let spread = Spread::of(cosines.iter().copied().map(f64::from));
        *group(&mut near.spread, get(row, 0)?) = spread;
        near.compare(memories.into_iter().zip(cosines));
    }
    near.nearest = near.cosines.keys().copied().collect();
    let cosine = |memory: &i64| near.cosines.get(memory).copied().unwrap_or(f32::MIN);
    near.nearest.sort_by(|one, two| cosine(two).total_cmp(&cosine(one)));
    Ok(near)
}

/// Follows the index to the nearest vectors.
async fn by_index(
    session: &Session,
    scopes: &[i64],
    model: Model,
    meaning: &Meaning,
    limit: usize,
) -> Result<Near> {
    let Model { number, dimensions } = model;
    let nearest = format!(
        "SELECT v.memory,
                (1 - (v.vector::halfvec({dimensions}) <=> $2::vector::halfvec({dimensions})))::real
         FROM vectors AS v WHERE v.model = {number} AND v.scope = ANY ($1)
         ORDER BY v.vector::halfvec({dimensions}) <=> $2::vector::halfvec({dimensions}) LIMIT $3"
    );
    let question = Vector(meaning.vector.clone());
    let wanted = bounded(limit.saturating_mul(FOR_EACH).saturating_add(1));
    let rows = session.query(&nearest, &[&scopes, &question, &wanted]).await?;
    let mut near = Near::default();
    for row in &rows {
        let (memory, cosine): (i64, f32) = (get(row, 0)?, get(row, 1)?);
        if !near.cosines.contains_key(&memory) {
            near.nearest.push(memory);
        }
        near.compare([(memory, cosine)]);
    }
    Ok(near)
}

/// Returns how cosines are spread, by stretches of passages from all over the scopes.
async fn sampled(
    session: &Session,
    scopes: &[i64],
    model: Model,
    meaning: &Meaning,
) -> Result<Groups<Spread>> {
    let rows = session
        .query(
            "WITH ends AS (
                 SELECT s.scope, min(e.first) AS first, max(e.last) AS last FROM unnest($2::bigint[]) AS s (scope)
                 CROSS JOIN LATERAL (
                     SELECT (SELECT v.memory FROM vectors AS v WHERE v.model = $1 AND v.scope = s.scope
                             ORDER BY v.memory LIMIT 1) AS first,
                            (SELECT v.memory FROM vectors AS v WHERE v.model = $1 AND v.scope = s.scope
                             ORDER BY v.memory DESC LIMIT 1) AS last) AS e
                 GROUP BY s.scope
             )
             SELECT c.assistant, count(*), sum(c.cosine), sum(c.cosine * c.cosine) FROM ends
             CROSS JOIN generate_series(0, $4::bigint - 1) AS n
             CROSS JOIN LATERAL (
                 SELECT v.assistant, 1 - (v.vector <=> $3::vector::halfvec) AS cosine FROM vectors AS v
                 WHERE v.model = $1 AND v.scope = ends.scope
                   AND v.memory >= ends.first + (ends.last - ends.first) * n / $4
                 ORDER BY v.memory LIMIT $5
             ) AS c GROUP BY c.assistant",
            &[&model.number, &scopes, &Vector(meaning.vector.clone()), &SAMPLES, &SAMPLE],
        )
        .await?;
    let mut spread = Groups::default();
    for row in &rows {
        let (count, sum, squares): (i64, f64, f64) = (get(row, 1)?, get(row, 2)?, get(row, 3)?);
        let one = Spread::from_sums(count.unsigned_abs(), sum, squares);
        *group(&mut spread, get(row, 0)?) = one;
    }
    Ok(spread)
}

/// Returns what belongs to what assistants said, or to everything else.
fn group(spread: &mut Groups<Spread>, assistant: bool) -> &mut Spread {
    if assistant { &mut spread.assistant } else { &mut spread.others }
}

/// Returns the best cosines of some memories.
pub(super) async fn cosines(
    session: &Session,
    scopes: &[i64],
    meaning: &Meaning,
    memories: &[i64],
) -> Result<HashMap<i64, f32>> {
    let Some(model) = model(session, &meaning.fingerprint).await? else {
        return Ok(HashMap::new());
    };
    let rows = session
        .query(
            "SELECT v.memory, max(1 - (v.vector <=> $4::vector::halfvec))::real FROM vectors AS v
             WHERE v.memory = ANY ($3) AND v.model = $1 AND v.scope = ANY ($2) GROUP BY v.memory",
            &[&model.number, &scopes, &memories, &Vector(meaning.vector.clone())],
        )
        .await?;
    rows.iter().map(|row| Ok((get(row, 0)?, get(row, 1)?))).collect()
}

impl Near {
    /// Says that there is nothing to compare.
    fn nothing() -> Self {
        Self { complete: true, ..Self::default() }
    }

    /// Takes cosines of passages; of several of a memory, the best counts.
    fn compare(&mut self, passages: impl IntoIterator<Item = (i64, f32)>) {
        for (memory, cosine) in passages {
            let best = self.cosines.entry(memory).or_insert(cosine);
            *best = best.max(cosine);
        }
    }
}
