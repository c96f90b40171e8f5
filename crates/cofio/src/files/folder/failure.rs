//! What an error of the operating system means.

use std::io;

use crate::error::{Error, ErrorKind};

/// Returns the error for something that cannot be done with a file.
pub(super) fn failed(attempt: &str, path: &str, cause: io::Error) -> Error {
    use io::ErrorKind as Cause;
    let (kind, advice) = match cause.kind() {
        super::directory::LINK => (ErrorKind::Refused, ": symbolic links are not followed"),
        Cause::NotADirectory => (ErrorKind::Refused, ": something on the way to it is no folder"),
        Cause::IsADirectory => (ErrorKind::Refused, ": it is a folder"),
        Cause::PermissionDenied => (ErrorKind::Configuration, ": it may not be opened"),
        Cause::ReadOnlyFilesystem => (ErrorKind::Configuration, ": it cannot be written to"),
        Cause::StorageFull | Cause::QuotaExceeded => (ErrorKind::Provider, ": the disk is full"),
        _ => (ErrorKind::Provider, ""),
    };
    Error::new(kind, format!("cannot {attempt} {path:?}{advice}")).caused_by(cause)
}

/// Returns the error for something that is not done with a file, whoever asks.
pub(super) fn refused(path: &str, why: &str) -> Error {
    Error::new(ErrorKind::Refused, format!("{path:?} {why}"))
}
