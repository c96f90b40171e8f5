//! The memories that name an entity, in whatever state they are.

use std::cmp::Reverse;
use std::mem;

use super::Engine;
use crate::error::Result;
use crate::model::{Cues, EntityType, Evidence, Filter, Memory, Place, Survey};
use crate::store::{Cued, Inquiry};
use crate::text::fold;

impl Engine {
    /// Returns the memories that `filter` means and that name an entity, the latest first, at most
    /// about `limit`.
    pub(super) async fn naming(
        &self,
        filter: &Filter,
        (name, entity_type): (&str, EntityType),
        limit: usize,
    ) -> Result<Vec<Memory>> {
        let folded = fold(name);
        let inquiry = Naming { names: vec![folded.clone()], limit };
        let found = self.store.find(filter, limit, Box::new(inquiry)).await?;
        let mut memories: Vec<Memory> =
            found.memories.into_iter().map(|(_, memory)| memory).collect();
        // Something else may be written the same.
        memories.retain(|memory| {
            let mut named = memory.entities.iter();
            named.any(|named| named.entity_type == entity_type && fold(&named.name) == folded)
        });
        Ok(memories)
    }
}

/// Looks for what has a name.
struct Naming {
    names: Vec<String>,
    limit: usize,
}

impl Inquiry for Naming {
    fn words(&self) -> Option<&[String]> {
        None
    }

    fn cues(&mut self, _survey: &Survey) -> Cued {
        Cued::By(Cues { names: mem::take(&mut self.names), ..Cues::default() })
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<Place> {
        let mut named: Vec<_> = evidence.turns.iter().filter(|turn| turn.named > 0).collect();
        named.sort_by_key(|turn| Reverse((turn.event_at, turn.place)));
        named.into_iter().take(self.limit).map(|turn| turn.place).collect()
    }
}
