//! What happens to something said before it is kept: checks, redaction, entities, identity.
//!
//! Pure: values in, values out. Every write passes here, whatever its door.

mod entities;
mod identity;
mod limits;
mod prepare;
mod redact;

pub use entities::mentions;
pub use identity::{identity, request_hash};
pub use limits::check_key;
pub use prepare::{Prepared, Revised, prepare, readmit, revise};
pub use redact::{Finding, Level, Redacted, Redaction, findings, findings_across, redact};
