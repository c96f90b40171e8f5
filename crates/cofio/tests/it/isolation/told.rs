//! What a caller was told, as one text.

use std::fmt::Debug;

use cofio::bundle;
use cofio::engine::{
    EntityProfile, Forgotten, Imported, Listed, Remembered, Stats, Swept, Turn, Updated,
    VersionedHistory, WhyNot,
};
use cofio::model::{AuditEntry, ChangeRecord, Entity, Memory};
use cofio::retrieval::{Answer, ContextBlock};
use cofio::store::Rejection;
use cofio::wire::{
    AddOutput, AuditOutput, ChangeOutput, DeleteOutput, EntityOutput, ErrorOutput, HistoryOutput,
    ListOutput, MemoryEntry, RejectionOutput, SearchOutput, StatsOutput, TurnOutput, UpdateOutput,
    WhyNotOutput,
};
use cofio::{Error, Result};
use serde::Serialize;

/// Something that a caller can be told.
pub trait Told: Debug {
    /// Writes it with everything in it, where `Debug` leaves something out.
    fn json(&self) -> String {
        String::new()
    }
}

/// Writes an answer or an error in every form that it has.
pub fn told<T: Told>(result: &Result<T>) -> String {
    match result {
        Ok(answer) => format!("{answer:?}\n{}", answer.json()),
        Err(error) => refusal(error),
    }
}

fn refusal(error: &Error) -> String {
    format!("{error}\n{error:?}\n{}", written(&ErrorOutput::from(error)))
}

fn written(output: &impl Serialize) -> String {
    serde_json::to_string(output).unwrap()
}

macro_rules! told_as {
    ($($type:ty => $output:ident),+ $(,)?) => {
        $(impl Told for $type {
            fn json(&self) -> String {
                written(&$output::from(self))
            }
        })+
    };
}

told_as! {
    Remembered => AddOutput,
    Updated => UpdateOutput,
    Answer => SearchOutput,
    WhyNot => WhyNotOutput,
    Listed => ListOutput,
    Forgotten => DeleteOutput,
    VersionedHistory => HistoryOutput,
    Stats => StatsOutput,
    Memory => MemoryEntry,
    EntityProfile => EntityOutput,
    Entity => EntityOutput,
    Turn => TurnOutput,
    AuditEntry => AuditOutput,
    ChangeRecord => ChangeOutput,
    Rejection => RejectionOutput,
}

impl Told for ContextBlock {}
impl Told for Imported {}
impl Told for () {}
impl Told for bool {}
impl Told for Swept {}
impl Told for usize {}
impl Told for String {}

impl Told for bundle::Record {
    fn json(&self) -> String {
        let versions = self.history.iter().chain([&self.memory]);
        versions.map(Told::json).collect()
    }
}

impl<T: Told> Told for Vec<T> {
    fn json(&self) -> String {
        self.iter().map(Told::json).collect::<Vec<_>>().join("\n")
    }
}
