//! What two stores have in common if they hold the same.

use sha2::{Digest as _, Sha256};

use super::{CarriedMemory, Field, Record};
use crate::text::hex;

/// The digest of records, one after the other.
#[derive(Default)]
pub(super) struct Digest(Sha256);

impl Digest {
    /// Takes a record in.
    pub(super) fn add(&mut self, record: &Record) {
        match record {
            Record::Memory(memory) => self.memory(memory),
            Record::Row(fields) => fields.iter().for_each(|field| self.field(field)),
        }
    }

    /// Returns the digest in hexadecimal.
    pub(super) fn finish(self) -> String {
        hex(&self.0.finalize())
    }

    fn memory(&mut self, memory: &CarriedMemory) {
        let CarriedMemory { number, document, identity, accesses, versions, stages, .. } = memory;
        self.number(*number);
        self.bytes(document.as_bytes());
        self.bytes(identity.as_ref().map_or(&[], |identity| &identity[..]));
        self.bytes(format!("{} {:?}", accesses.count, accesses.last_at).as_bytes());
        self.number(length(versions));
        for (_, document) in versions {
            self.bytes(document.as_bytes());
        }
        self.number(length(stages));
        for (stage, job) in stages {
            self.bytes(format!("{stage} {job}").as_bytes());
        }
        self.bytes(memory.embedded_by.as_ref().map_or("", |model| model.as_str()).as_bytes());
        self.number(length(&memory.vectors));
        for vector in &memory.vectors {
            self.bytes(&vector.hash);
            self.bytes(&vector.numbers);
        }
        self.number(memory.refusals.into());
        self.bytes(memory.refused_because.as_deref().unwrap_or_default().as_bytes());
    }

    fn field(&mut self, field: &Field) {
        match field {
            Field::Null => self.0.update([0]),
            Field::Number(number) => {
                self.0.update([1]);
                self.number(*number);
            }
            Field::Text(text) => {
                self.0.update([2]);
                self.bytes(text.as_bytes());
            }
            Field::Bytes(bytes) => {
                self.0.update([3]);
                self.bytes(bytes);
            }
        }
    }

    fn number(&mut self, number: i64) {
        self.0.update(number.to_le_bytes());
    }

    /// Says how many there are first, so that none can pass for part of what follows.
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(length(bytes));
        self.0.update(bytes);
    }
}

fn length<T>(all: &[T]) -> i64 {
    i64::try_from(all.len()).unwrap_or(i64::MAX)
}
