//! What happens to something said before it is kept: checks, redaction, entities, identity.
//!
//! Pure: values in, values out. Every write passes here, whatever its door.

mod cleaner;
mod confirm;
mod identity;
mod instructions;
mod keys;
mod limits;
mod prepare;
mod redact;
mod rejection;
mod replace;
mod sanitise;

pub use confirm::{awaits_owner, confirmed};
pub use identity::{identity, request_hash};
pub use instructions::instructs;
pub use keys::prepare_key;
pub use limits::check_key;
pub use prepare::{
    Prepared, Revised, identity_of, prepare, readmit, readmit_version, refuse_lower_trust, revise,
};
pub use redact::{
    Finding, Level, Redacted, Redaction, findings, findings_across, may_complete_secret, redact,
    without,
};
pub use rejection::value_hash;
pub use replace::{replacement, superseded, taken_over, true_until};
pub use sanitise::sanitise;
