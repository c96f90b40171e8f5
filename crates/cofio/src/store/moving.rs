//! Moving everything that a store holds into another: the contract, and what is moved.
//!
//! What can be derived is not moved, but made by whoever takes a memory in: terms, entities, records
//! for ranking, codes of vectors. Neither are leases, claims, and notes of texts that have to go from
//! shelves, which are matters of one store.

mod digest;
mod mover;

use async_trait::async_trait;

use super::Store;
use super::vectors::{Half, direction};
use crate::error::Result;
use crate::model::{Accesses, Fingerprint, PassageHash};

pub use mover::{Moved, MovedPart, Mover, Step};

/// What a store is made of, in the order in which it is moved.
///
/// Jobs come before what names them; the audit comes last, as whatever is written adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The adopted model: name, value.
    Settings,
    /// Jobs: id, task, actor, start, document.
    Jobs,
    /// Memories, with all that goes when they go.
    Memories,
    /// Forgotten ids: id, scope, moment.
    Tombstones,
    /// Values that must not be learnt again: scope, value, moment.
    Rejections,
    /// Requests with a caller's key: actor, digest of the key, digest of the request, outcomes, moment.
    Requests,
    /// Keys: id, hash, name, rights, bound, trust, and when it was made, ends, was revoked, and by
    /// what it was replaced.
    Keys,
    /// What models cost: ticket, day, job, scope, model, input, output, money, whether it is settled.
    Spending,
    /// The sequence of changes: sequence, id, scope, kind, version, moment, job.
    Changes,
    /// The audit: sequence, moment, actor, action, scope, first and last change, their digest,
    /// details, the hash before, the hash.
    Audit,
}

impl Part {
    /// All parts, in the order in which they are moved.
    pub const ALL: [Self; 10] = [
        Self::Settings,
        Self::Jobs,
        Self::Memories,
        Self::Tombstones,
        Self::Rejections,
        Self::Requests,
        Self::Keys,
        Self::Spending,
        Self::Changes,
        Self::Audit,
    ];

    /// Returns what it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Jobs => "jobs",
            Self::Memories => "memories",
            Self::Tombstones => "tombstones",
            Self::Rejections => "rejections",
            Self::Requests => "requests",
            Self::Keys => "keys",
            Self::Spending => "spending",
            Self::Changes => "changes",
            Self::Audit => "audit",
        }
    }

    /// Returns how many of the first fields tell a record of it from all others.
    pub fn key_fields(self) -> usize {
        if matches!(self, Self::Rejections | Self::Requests) { 2 } else { 1 }
    }
}

/// A value of a record; texts are ordered by their bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Nothing.
    Null,
    /// A number, a moment in microseconds since 1970, or a choice between 0 and 1.
    Number(i64),
    /// A text; of a scope, what it is written as.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Field {
    /// Returns a text, or nothing.
    pub fn text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.into()))
    }

    /// Returns a number, or nothing.
    pub fn number(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Number)
    }
}

/// What tells a record of a part from all others, and says where it stands.
pub type RecordKey = Vec<Field>;

/// One piece of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// A memory.
    Memory(Box<CarriedMemory>),
    /// The fields that [`Part`] names, in their order.
    Row(Vec<Field>),
}

impl Record {
    /// Returns what tells it from all others of its part.
    pub fn key(&self, part: Part) -> RecordKey {
        match self {
            Self::Memory(memory) => vec![Field::Number(memory.number)],
            Self::Row(fields) => fields.iter().take(part.key_fields()).cloned().collect(),
        }
    }
}

/// A memory, with all that goes when it goes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CarriedMemory {
    /// Tells it from all others, those that came before having smaller ones.
    pub number: i64,
    /// What it says, as [`super::encode`] writes it.
    pub document: String,
    /// What makes two memories the same one.
    pub identity: Option<[u8; 32]>,
    /// How often it was read.
    pub accesses: Accesses,
    /// The earlier versions with their numbers, the oldest first.
    pub versions: Vec<(u64, String)>,
    /// What it came through, and in which job, by the names of the stages.
    pub stages: Vec<(String, String)>,
    /// The model that its vectors are of.
    pub embedded_by: Option<Fingerprint>,
    /// The vectors of its passages, in order.
    pub vectors: Vec<CarriedVector>,
    /// How many dimensions its vectors have if they stand on a shelf and are not here.
    pub dimensions_elsewhere: Option<usize>,
    /// How often it could not be embedded.
    pub refusals: u32,
    /// Why at last.
    pub refused_because: Option<String>,
    /// Whether a shelf has lost a text of it, so that its document is not whole.
    ///
    /// Such a memory is not moved, and replaced where it stands in the way.
    pub lost: bool,
}

/// The vector of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedVector {
    /// The hash of the text of the passage.
    pub hash: PassageHash,
    /// Its numbers in half precision, which is how they are kept.
    numbers: Vec<u8>,
}

impl CarriedVector {
    /// Takes a vector; one that is not of length one is made so.
    pub fn new(hash: PassageHash, vector: &[f32]) -> Result<Self> {
        let square: f32 = vector.iter().map(|number| number * number).sum();
        // Rounding changes a length a little, and what was rounded must stay as it is.
        let numbers = if (square - 1.0).abs() < 0.01 {
            Half::all(vector)
        } else {
            Half::all(&direction(vector, vector.len())?)
        };
        Ok(Self { hash, numbers: Half::to_bytes(&numbers) })
    }

    /// Takes numbers that are in half precision already.
    pub(super) fn of_halves(hash: PassageHash, numbers: Vec<u8>) -> Self {
        Self { hash, numbers }
    }

    /// Returns the numbers.
    pub fn vector(&self) -> Vec<f32> {
        self.halves().map(Half::value).collect()
    }

    /// Returns the numbers in half precision.
    pub(super) fn halves(&self) -> impl Iterator<Item = Half> {
        Half::from_bytes(&self.numbers)
    }
}

/// Records that stand after one place and up to another, the second included.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stretch {
    /// The place before the first; from the beginning if there is none.
    pub after: Option<RecordKey>,
    /// The place of the last; to the end if there is none.
    pub until: Option<RecordKey>,
}

/// A store that gives everything it holds to another, and takes everything that another holds.
///
/// Nothing here is recorded: what is read is not audited, and what is taken in brings its audit.
#[async_trait]
pub trait Movable: Send + Sync {
    /// Returns the store itself.
    fn store(&self) -> &dyn Store;

    /// Returns how many records a part has.
    async fn count(&self, part: Part) -> Result<u64>;

    /// Returns the first records of a stretch in the order of their keys, from one moment.
    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>>;

    /// Removes some records, and puts others in the place of those with the same keys, if there are
    /// any; does all of it or nothing.
    ///
    /// A job that a record names and that is not there is left out of it. Whatever else is in the way
    /// of a memory, such as another with its id, is removed or loses what both cannot have.
    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()>;

    /// Returns what an unfinished copy is of, if this store is one.
    ///
    /// Such a store is opened by nobody else.
    async fn unfinished(&self) -> Result<Option<String>>;

    /// Marks this store as an unfinished copy, or as a store like any other.
    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()>;
}
