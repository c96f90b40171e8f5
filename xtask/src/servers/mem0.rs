//! Mem0's own library, behind a program of ours that speaks as the hosted service does.

use std::path::Path;
use std::process::Command;

use super::{Purpose, Running, empty_data, free_port, listening};
use crate::{Result, python};

/// Where the program is, below the root.
const PROGRAM: &str = "crates/cofio-adapters/tests/mem0/server.py";

/// Starts a server without any data.
pub fn start(purpose: Purpose) -> Result<Running> {
    let interpreter = python::prepare()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is below the root");
    let data = empty_data("mem0", purpose)?;
    let port = free_port()?;
    let mut command = Command::new(&interpreter);
    command.arg(root.join(PROGRAM)).arg(port.to_string()).arg(&data);
    let pid = listening(command, port, &data)?;
    let also = vec![("COFIO_TEST_MEM0_PYTHON", interpreter.into())];
    Ok(Running { url: format!("http://127.0.0.1:{port}"), pid, also })
}

/// Returns the version of the library.
pub fn version() -> String {
    python::version("mem0ai")
}
