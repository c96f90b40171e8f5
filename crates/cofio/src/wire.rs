//! The form in which answers leave and requests enter the program: camelCase JSON.
//!
//! Written out by hand, so that renaming a field elsewhere changes no interface.

mod brief;
mod health;
mod jobs;
mod keys;
mod output;
mod patch;
mod receipt;

pub use crate::entry::{EntryMetadata, EntrySource, MemoryEntry, moment};
pub use brief::{BriefOutput, ReplacementOutput};
pub use health::{CheckupOutput, ComponentOutput};
pub use jobs::{
    CallOutput, DifferenceOutput, EstimateOutput, JobDetailOutput, JobRunOutput, JobRunsOutput,
    MaintainOutput, PieceOutput, SpendingOutput, StepOutput, UndoOutput,
};
pub use keys::{GrantOutput, KeyOutput};
pub use output::{
    AbsenceOutput, AddOutput, AuditOutput, ChangeOutput, CompanionOutput, CorrectOutput,
    DatedOutput, DeleteOutput, EntityOutput, ErrorOutput, HistoryOutput, ListOutput, PeriodOutput,
    RedactionOutput, RejectionOutput, ScopeOutput, SearchOutput, SearchResult, SessionOutput,
    SessionsOutput, StatsOutput, TurnOutput, UpdateOutput, WhyNotOutput,
};
pub use patch::{metadata, metadata_patch};
pub use receipt::{AuditPlaceOutput, ForgottenOutput, ReceiptOutput};
