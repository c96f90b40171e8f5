//! The shelf under test, as cases talk to it.

use std::sync::Arc;

use super::fixtures::{model, question, text};
use crate::model::Scope;
use crate::shelf::{Content, Embedded, Sampled, Shelf, Slot, Within};

/// The shelf under test; an answer that is an error ends the case.
pub(super) struct Subject(pub Arc<dyn Shelf>);

impl Subject {
    pub fn has_vectors(&self) -> bool {
        self.0.abilities().vectors
    }

    pub async fn put(&self, contents: &[Content]) {
        self.0.put(contents).await.expect("contents are put");
    }

    /// Puts a text that says which slot it is of.
    pub async fn put_each(&self, slots: &[Slot]) {
        self.put(&slots.iter().map(|slot| text(slot, &told(slot))).collect::<Vec<_>>()).await;
    }

    pub async fn get(&self, slots: &[Slot]) -> Vec<Option<String>> {
        self.0.get(slots).await.expect("contents are got")
    }

    /// Checks that the slots have the texts that [`Subject::put_each`] put there.
    pub async fn has_each(&self, slots: &[Slot]) {
        let expected: Vec<Option<String>> = slots.iter().map(|slot| Some(told(slot))).collect();
        let found = self.get(slots).await;
        assert_eq!(found.len(), expected.len(), "there is one answer to each slot");
        let differ = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(differ.map(|place| &slots[place]), None, "a slot has another text");
    }

    pub async fn has_none(&self, slots: &[Slot]) {
        assert_eq!(self.get(slots).await, vec![None; slots.len()]);
    }

    pub async fn remove(&self, slots: &[Slot]) {
        self.0.remove(slots).await.expect("slots are removed");
    }

    pub async fn page(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Vec<Slot> {
        self.0.slots(scope, after, limit).await.expect("slots are listed")
    }

    pub async fn slots(&self, scope: &Scope) -> Vec<Slot> {
        self.page(scope, None, 100_000).await
    }

    pub async fn put_vectors(&self, embedded: &[Embedded]) {
        self.0.put_vectors(&model(), embedded).await.expect("vectors are put");
    }

    /// Returns the nearest with their cosines in hundredths.
    pub async fn nearest(&self, within: &Within, limit: usize) -> Vec<(Slot, i64)> {
        let found = self.0.nearest(&question(), within, limit).await;
        let found = found.expect("the nearest are found");
        found.into_iter().map(|(slot, cosine)| (slot, hundredths(cosine))).collect()
    }

    pub async fn nearest_of(&self, scope: &Scope, limit: usize) -> Vec<(Slot, i64)> {
        self.nearest(&Within::scopes(vec![scope.clone()]), limit).await
    }

    pub async fn cosines(&self, slots: &[Slot]) -> Vec<Option<i64>> {
        let found = self.0.cosines(&question(), slots).await.expect("slots are compared");
        found.into_iter().map(|cosine| cosine.map(hundredths)).collect()
    }

    /// Returns cosines in hundredths, with whether an assistant said it, in order.
    pub async fn sample(&self, scopes: &[Scope], limit: usize) -> Vec<(i64, bool)> {
        let found = self.0.sample(&question(), scopes, limit).await.expect("a sample is taken");
        let shown = |sampled: Sampled| (hundredths(sampled.cosine), sampled.assistant);
        let mut found: Vec<(i64, bool)> = found.into_iter().map(shown).collect();
        found.sort_unstable();
        found
    }
}

fn told(slot: &Slot) -> String {
    format!("{} {} {}", slot.scope, slot.id, slot.edition)
}

/// Returns a cosine as precisely as a shelf has to keep vectors.
#[expect(clippy::cast_possible_truncation, reason = "a cosine has hundred hundredths")]
fn hundredths(cosine: f32) -> i64 {
    (f64::from(cosine) * 100.0).round() as i64
}
