//! Qdrant's own engine, behind a program of ours that speaks its gRPC.

use std::path::Path;
use std::process::Command;

use super::{Running, empty_data, free_port, listening};
use crate::{Result, python};

/// The engine, and the messages of its clients.
const PACKAGES: &[&str] = &["qdrant-edge-py==0.9.0", "qdrant-client==1.20.0"];

/// Where the program is, below the root.
const PROGRAM: &str = "crates/cofio-adapters/tests/qdrant/server.py";

/// Starts a server without any data.
pub fn start() -> Result<Running> {
    let interpreter = python::environment("qdrant", PACKAGES)?.join("python");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is below the root");
    let data = empty_data("qdrant")?;
    let port = free_port()?;
    let mut command = Command::new(&interpreter);
    command.arg(root.join(PROGRAM)).arg(port.to_string()).arg(&data);
    let pid = listening(command, port, &data)?;
    let also = vec![("COFIO_TEST_QDRANT_PYTHON", interpreter)];
    Ok(Running { url: format!("http://127.0.0.1:{port}"), pid, also })
}

/// Returns the version of the engine.
pub fn version() -> String {
    PACKAGES[0].replace("==", " ")
}
