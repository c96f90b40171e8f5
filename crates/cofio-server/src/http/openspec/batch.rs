use axum::http::Method;
use cofio::config::Limits;
use cofio::model::{Memory, MemoryId, Right, State};
use cofio::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::delete::{DeleteOptions, remove};
use super::write::{EntryInput, Governance, Write, WriteOptions, memory_id};
use crate::http::answer::tag;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Header, Nothing, Size};
use crate::http::eventually::Eventually;
use crate::http::failure::{Failure, Outcome, Said};
use crate::http::visit::{Visit, version_of};
use crate::notes::Act;

/// The operations that are known.
pub(super) const OPERATIONS: &[&str] = &["create", "update", "delete", "upsert"];

/// How many entries are taken at most while somebody waits, each being written by itself.
const MOST: usize = 1_000;

pub(super) struct Batch;

/// One operation on several entries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchInput {
    operation: Operation,
    entries: Vec<Item>,
    #[serde(default)]
    options: BatchOptions,
}

/// What to do with each entry.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Operation {
    /// Keep it.
    Create,
    /// Change it.
    Update,
    /// Remove it for good.
    Delete,
    /// Change the one with this id if it is there, and keep a new one otherwise.
    Upsert,
}

/// One entry of a batch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Item {
    /// To keep or change, as in a request of its own; which one is changed, its id says.
    Write(Box<WriteItem>),
    /// To remove.
    Remove(RemoveItem),
}

/// An entry to keep or change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteItem {
    /// Which entry, if the entry itself does not say so.
    id: Option<String>,
    entry: EntryInput,
    #[serde(default)]
    options: WriteOptions,
    #[serde(default)]
    governance: Governance,
}

/// An entry to remove.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RemoveItem {
    id: String,
    /// The `ETag` that it must still have.
    etag: Option<String>,
    #[serde(default)]
    options: DeleteOptions,
}

/// How to go on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct BatchOptions {
    /// Whether the rest is done if one fails.
    continue_on_error: bool,
    /// Makes no difference: the answer is the notice.
    notify_on_completion: Option<bool>,
}

/// What became of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BatchOutput {
    operation_id: String,
    /// `failed` if it ended before the last entry.
    status: BatchStatus,
    results: Results,
    /// What was sent and made no difference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum BatchStatus {
    Completed,
    Failed,
}

/// What became of the entries.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Results {
    succeeded: usize,
    failed: usize,
    errors: Vec<ItemError>,
    /// One for each entry that was come to, in their order.
    items: Vec<ItemOutput>,
}

/// Why an entry failed.
#[derive(Debug, Serialize, JsonSchema)]
struct ItemError {
    /// Its place among the entries, from 0.
    index: usize,
    error: Said,
}

/// What became of an entry.
#[derive(Debug, Serialize, JsonSchema)]
struct ItemOutput {
    /// Its place among the entries, from 0.
    index: usize,
    status: ItemStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_id: Option<String>,
    /// For If-Match.
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ItemStatus {
    Created,
    Updated,
    PendingApproval,
    Deleted,
    Failed,
}

impl Endpoint for Batch {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<BatchInput>;
    type Answer = Eventually<BatchOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/openspec/v1/knowledge/batch";
    const NAME: &'static str = "batchKnowledge";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Keep, change or remove several entries";
    const ABOUT: &'static str = "Entries are done one after the other, and each is answered by itself. What was done before one failed stays done; the rest is done only with continue_on_error.";
    const NEEDS: Right = Right::Write;
    const SIZE: Size = Size::Bulk;
    const HEADERS: &'static [Header] = &[Header::Prefer];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(BatchInput { operation, entries, options }) = asked.body;
        let (count, most) = (entries.len(), most_entries(&visit.engine.config().limits));
        if count > most {
            let message = format!("{count} entries in one batch; at most {most} are taken");
            return Err(Error::invalid(message).with("limit", most).into());
        }
        visit.notes().begins(operation.into()).of(count);
        let own = visit.clone();
        let work = Box::pin(async move { Ok(all(&own, operation, entries, options).await) });
        Eventually::of(visit, Self::NAME, work).await
    }
}

/// Does one entry after the other.
async fn all(
    visit: &Visit,
    operation: Operation,
    entries: Vec<Item>,
    options: BatchOptions,
) -> BatchOutput {
    let (mut results, mut status) = (Results::default(), BatchStatus::Completed);
    for (index, item) in entries.into_iter().enumerate() {
        let done = item.run(visit, operation).await;
        let failed = done.is_err();
        results.add(index, done);
        if failed && !options.continue_on_error {
            status = BatchStatus::Failed;
            break;
        }
    }
    let ignored = options.notify_on_completion.filter(|notify| *notify);
    let ignored = ignored.map(|_| "options.notify_on_completion").into_iter().collect();
    BatchOutput { operation_id: Uuid::now_v7().to_string(), status, results, ignored }
}

/// Returns how many entries a batch may have.
pub(super) fn most_entries(limits: &Limits) -> usize {
    limits.batch.min(MOST)
}

/// What became of one entry: what was done, its id, and its version if it is still there.
type Done = (ItemStatus, MemoryId, Option<u64>);

impl Item {
    async fn run(self, visit: &Visit, operation: Operation) -> Result<Done> {
        match (operation, self) {
            (Operation::Create, Self::Write(item)) => create(visit, item.write().1).await,
            (Operation::Update, Self::Write(item)) => {
                let (id, write) = item.write();
                update(visit, &memory_id(id.as_deref())?, write).await
            }
            (Operation::Upsert, Self::Write(item)) => {
                let (id, write) = item.write();
                upsert(visit, id.as_deref(), write).await
            }
            (Operation::Delete, Self::Remove(item)) => delete(visit, item).await,
            (Operation::Delete, Self::Write(_)) => {
                Err(Error::invalid("an entry to remove is named by its id alone"))
            }
            (_, Self::Remove(_)) => Err(Error::invalid("entry is missing")),
        }
    }
}

impl WriteItem {
    fn write(self) -> (Option<String>, Write) {
        let Self { id, entry, options, governance } = self;
        (id.or_else(|| entry.id.clone()), Write { entry, options, governance })
    }
}

async fn create(visit: &Visit, write: Write) -> Result<Done> {
    let (draft, _) = write.draft(visit)?;
    let memory = visit.engine.remember(visit.caller(), draft).await?.memory;
    let status = ItemStatus::of(&memory, ItemStatus::Created);
    Ok((status, memory.id, Some(memory.version)))
}

async fn update(visit: &Visit, id: &MemoryId, write: Write) -> Result<Done> {
    let (patch, _) = write.patch(None)?;
    let memory = visit.engine.update(visit.caller(), id, patch).await?.memory;
    let status = ItemStatus::of(&memory, ItemStatus::Updated);
    Ok((status, memory.id, Some(memory.version)))
}

/// Changes an entry, or keeps a new one: what somebody else calls by that id is not there.
async fn upsert(visit: &Visit, id: Option<&str>, write: Write) -> Result<Done> {
    let Some(Ok(id)) = id.map(str::parse) else { return create(visit, write).await };
    match update(visit, &id, write.clone()).await {
        Err(error) if error.kind() == ErrorKind::NotFound => create(visit, write).await,
        done => done,
    }
}

async fn delete(visit: &Visit, item: RemoveItem) -> Result<Done> {
    item.options.ignored()?;
    let expected = item.etag.as_deref().map(version_of).transpose()?.flatten();
    let id = memory_id(Some(&item.id))?;
    remove(visit, &id, expected).await?;
    Ok((ItemStatus::Deleted, id, None))
}

impl From<Operation> for Act {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::Create => Self::Create,
            Operation::Update => Self::Update,
            Operation::Delete => Self::Delete,
            Operation::Upsert => Self::Upsert,
        }
    }
}

impl ItemStatus {
    fn of(memory: &Memory, done: Self) -> Self {
        if memory.state == State::Pending { Self::PendingApproval } else { done }
    }
}

impl Results {
    fn add(&mut self, index: usize, done: Result<Done>) {
        match done {
            Ok((status, id, version)) => {
                self.succeeded += 1;
                let (entry_id, etag) = (Some(id.to_string()), version.map(tag));
                self.items.push(ItemOutput { index, status, entry_id, etag });
            }
            Err(error) => {
                self.failed += 1;
                let error = Failure::from(error).said();
                self.errors.push(ItemError { index, error });
                let (status, entry_id, etag) = (ItemStatus::Failed, None, None);
                self.items.push(ItemOutput { index, status, entry_id, etag });
            }
        }
    }
}
