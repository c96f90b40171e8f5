//! What is persisted in the place of a text that stands elsewhere: where it is, and what it is found
//! by, which cannot be worked out again without it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::unreadable;
use crate::error::Result;
use crate::model::{CleanText, Identifier, Memory, Standing};
use crate::store::kit::{Analysed, Count, Passage};

#[derive(Serialize, Deserialize)]
pub(super) struct StandingDocument {
    shelf: String,
    edition: u64,
    digest: [u8; 16],
    bytes: usize,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    capitals: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    question: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    vectors: bool,
    passages: Vec<PassageDocument>,
}

#[derive(Serialize, Deserialize)]
struct PassageDocument {
    length: u32,
    terms: BTreeMap<String, (u8, u8)>,
}

impl StandingDocument {
    /// Returns what is persisted of a memory's text if it stands elsewhere.
    pub(super) fn of(memory: &Memory) -> Option<Self> {
        let Standing { shelf, edition, digest, bytes, capitals, vectors } =
            memory.content.standing()?;
        let Analysed { passages, question } = Analysed::of(memory);
        let count = |(term, Count { told, asked })| (term, (told, asked));
        let passage = |Passage { terms, length }| PassageDocument {
            length,
            terms: terms.into_iter().map(count).collect(),
        };
        Some(Self {
            shelf: shelf.to_string(),
            edition: *edition,
            digest: *digest,
            bytes: *bytes,
            capitals: capitals.clone(),
            question,
            vectors: *vectors,
            passages: passages.into_iter().map(passage).collect(),
        })
    }

    /// Returns what stands for the text.
    pub(super) fn text(&self) -> Result<CleanText> {
        let shelf = Identifier::new(&self.shelf).map_err(unreadable)?;
        let (edition, digest, bytes) = (self.edition, self.digest, self.bytes);
        let (capitals, vectors) = (self.capitals.clone(), self.vectors);
        Ok(CleanText::elsewhere(Standing { shelf, edition, digest, bytes, capitals, vectors }))
    }

    /// Returns what words find the memory by.
    pub(super) fn analysed(self) -> Analysed {
        let count = |(term, (told, asked))| (term, Count { told, asked });
        let passage = |PassageDocument { length, terms }| Passage {
            terms: terms.into_iter().map(count).collect(),
            length,
        };
        let passages = self.passages.into_iter().map(passage).collect();
        Analysed { passages, question: self.question }
    }
}
