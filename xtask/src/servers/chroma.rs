//! Chroma, from PyPI.

use std::process::Command;

use super::{Purpose, Running, empty_data, free_port, listening};
use crate::{Result, python};

const PACKAGES: &[&str] = &["chromadb==1.5.9"];

/// Starts a server without any data.
pub fn start(purpose: Purpose) -> Result<Running> {
    let program = python::environment("chroma", PACKAGES)?.join("chroma");
    let data = empty_data("chroma", purpose)?;
    let port = free_port()?;
    let mut command = Command::new(&program);
    command.args(["run", "--host", "127.0.0.1", "--port", &port.to_string(), "--path"]).arg(&data);
    let pid = listening(command, port, &data)?;
    let also = vec![("COFIO_TEST_CHROMA_PROGRAM", program)];
    Ok(Running { url: format!("http://127.0.0.1:{port}"), pid, also })
}

/// Returns the version of the package; the server itself says another.
pub fn version() -> String {
    PACKAGES[0].replace("==", " ")
}
