//! Qdrant's own engine, behind a program of ours that speaks its gRPC.

use std::path::Path;
use std::process::Command;

use super::{Purpose, Running, empty_data, free_port, listening};
use crate::provision::run;
use crate::{Result, python, terminal};

/// The engine, and the messages of its clients.
const PACKAGES: &[&str] = &["qdrant-edge-py==0.9.0", "qdrant-client==1.20.0"];

/// The variable that names a server of somebody, which is tested in place of ours.
const REAL: &str = "QDRANT_URL";

/// Where the program is, below the root.
const PROGRAM: &str = "crates/cofio-adapters/tests/qdrant/server.py";

/// Starts a server without any data.
pub fn start(purpose: Purpose) -> Result<Running> {
    let interpreter = python::environment("qdrant", PACKAGES)?.join("python");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is below the root");
    let data = empty_data("qdrant", purpose)?;
    let port = free_port()?;
    let mut command = Command::new(&interpreter);
    command.arg(root.join(PROGRAM)).arg(port.to_string()).arg(&data);
    let pid = listening(command, port, &data)?;
    let also = vec![("COFIO_TEST_QDRANT_PYTHON", interpreter)];
    Ok(Running { url: format!("http://127.0.0.1:{port}"), pid, also })
}

/// Asks the server of somebody for its version.
const ASK: &str = "\
import os
from urllib.parse import urlsplit
from qdrant_client import QdrantClient
url = urlsplit(os.environ['QDRANT_URL'])
client = QdrantClient(host=url.hostname, grpc_port=url.port or 6334, prefer_grpc=True,
                      https=url.scheme == 'https', api_key=os.environ.get('QDRANT_API_KEY'),
                      check_compatibility=False)
print(client.info().version)
";

/// Returns the version of the engine, or of the server that the tests are to ask in its place.
pub fn version() -> String {
    if std::env::var_os(REAL).is_none() {
        return PACKAGES[0].replace("==", " ");
    }
    let interpreter = python::environment("qdrant", PACKAGES).map(|folder| folder.join("python"));
    let said = interpreter.and_then(|python| run(&python.display().to_string(), ["-c", ASK]));
    match said {
        Ok(version) => format!("Qdrant {}", version.trim()),
        Err(reason) => {
            terminal::warning(&format!("{REAL} does not say its version: {reason}"));
            "Qdrant of unknown version".to_owned()
        }
    }
}
