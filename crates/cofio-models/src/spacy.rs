//! spaCy's small English model `en_core_web_sm` 2.2.5, its recogniser of names, computed in this
//! process.
//!
//! [`compact`] makes one file of the files the model is published as; [`EnCoreWebSm`] computes
//! with it, and [`Deferred`] reads it when somebody asks. A text is cut into words, each becomes a vector in its context, and a parser decides
//! word by word what begins, goes on or ends.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use cofio::Result;
use cofio::model::EntityType;
use cofio::recognise::{Cost, Recogniser, Span};

pub use deferred::Deferred;
pub use file::compact;
pub use label::Label;

use features::features;
use network::Network;
use parser::Parser;
use tokenizer::{Tokenizer, is_space};

mod deferred;
mod label;

mod parser;

mod features;
mod hash;
mod network;

mod affixes;
mod tokenizer;

mod file;
mod msgpack;
mod weights;

/// What a certain finding of the model counts: less than what has its form alone, as it is right
/// about 86 times of 100 on the texts it was published with.
const MOST_CONFIDENCE: f32 = 0.86;

/// Finds names with `en_core_web_sm`.
pub struct EnCoreWebSm {
    tokenizer: Tokenizer,
    network: Network,
    parser: Parser,
}

/// Something a text names, in the model's own words.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// What it is.
    pub label: Label,
    /// How probable the least probable decision about it was.
    pub probability: f32,
}

impl EnCoreWebSm {
    /// What it is called among recognisers.
    const NAME: &str = "en-core-web-sm";

    /// Reads a file that [`compact`] wrote.
    pub fn open(path: &Path) -> Result<Self> {
        let (weights, exceptions) = file::open(path)?;
        let (network, parser) =
            weights::build(&weights).map_err(|cause| file::damaged(path).caused_by(cause))?;
        Ok(Self { tokenizer: Tokenizer::new(exceptions), network, parser })
    }

    /// Returns the words that the model cuts a text into; white space beyond one space is a word.
    pub fn words<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        self.tokenizer.tokens(text).into_iter().map(|token| &text[token.range])
    }

    /// Returns everything the model finds in a text, numbers and times too, in order.
    pub fn entities(&self, text: &str) -> Vec<Entity> {
        let tokens = self.tokenizer.tokens(text);
        let words: Vec<_> =
            tokens.iter().map(|token| features(&text[token.range.clone()], token.norm)).collect();
        let is_space = |range: &Range<usize>| text[range.clone()].chars().all(is_space);
        let spaces: Vec<bool> = tokens.iter().map(|token| is_space(&token.range)).collect();
        let found = self.parser.entities(&self.network.vectors(&words), &spaces);
        let entity = |found: parser::Found| Entity {
            range: tokens[found.words.start].range.start..tokens[found.words.end - 1].range.end,
            label: found.label,
            probability: found.probability,
        };
        found.into_iter().map(entity).collect()
    }
}

impl Recogniser for EnCoreWebSm {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn cost(&self) -> Cost {
        Cost::Accurate
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn recognise(&self, text: &str) -> Vec<Span> {
        let span = |entity: Entity| {
            Some(Span {
                range: entity.range,
                entity_type: entity_type(entity.label)?,
                confidence: entity.probability * MOST_CONFIDENCE,
            })
        };
        self.entities(text).into_iter().filter_map(span).collect()
    }
}

/// Returns what an entity with a label is to us; numbers and times name nothing.
fn entity_type(label: Label) -> Option<EntityType> {
    match label {
        Label::Person => Some(EntityType::Person),
        Label::Org => Some(EntityType::Organization),
        Label::Gpe | Label::Loc | Label::Fac => Some(EntityType::Location),
        Label::Norp
        | Label::WorkOfArt
        | Label::Event
        | Label::Product
        | Label::Law
        | Label::Language => Some(EntityType::Other),
        Label::Date
        | Label::Time
        | Label::Money
        | Label::Cardinal
        | Label::Ordinal
        | Label::Percent
        | Label::Quantity => None,
    }
}

impl fmt::Debug for EnCoreWebSm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnCoreWebSm").finish_non_exhaustive()
    }
}
