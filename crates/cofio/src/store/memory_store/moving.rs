//! Giving everything to another store, and taking everything in.

mod memories;
mod rows;

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use super::contents::Contents;
use crate::error::Result;
use crate::store::Store;
use crate::store::moving::{Movable, Part, Record, RecordKey, Stretch};

#[async_trait]
impl Movable for MemoryStore {
    fn store(&self) -> &dyn Store {
        self
    }

    async fn count(&self, part: Part) -> Result<u64> {
        Ok(all(&self.contents(), part)?.len() as u64)
    }

    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>> {
        let all = all(&self.contents(), part)?;
        let after = |key: &RecordKey| stretch.after.as_ref().is_none_or(|after| key > after);
        let until = |key: &RecordKey| stretch.until.as_ref().is_none_or(|until| key <= until);
        let meant = all.into_iter().filter(|(key, _)| after(key) && until(key));
        Ok(meant.take(limit).map(|(_, record)| record).collect())
    }

    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        let mut contents = self.contents();
        if part == Part::Memories {
            return contents.replace_memories(&gone, records);
        }
        let mut all = all(&contents, part)?;
        for key in &gone {
            all.remove(key);
        }
        all.extend(records.into_iter().map(|record| (record.key(part), record)));
        rows::put(&mut contents, part, all.into_values())
    }

    async fn unfinished(&self) -> Result<Option<String>> {
        Ok(self.contents().unfinished.clone())
    }

    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()> {
        self.contents().unfinished = unfinished_copy_of.map(str::to_owned);
        Ok(())
    }
}

/// Returns all records of a part by their keys.
fn all(contents: &Contents, part: Part) -> Result<BTreeMap<RecordKey, Record>> {
    let records = match part {
        Part::Memories => contents.carried_memories()?,
        part => rows::all(contents, part),
    };
    Ok(records.into_iter().map(|record| (record.key(part), record)).collect())
}
