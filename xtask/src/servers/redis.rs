//! Redis, as Debian packages it.

use std::path::PathBuf;
use std::process::Command;

use super::{Purpose, Running, empty_data, free_port, listening};
use crate::provision::run;
use crate::{Result, terminal};

/// Every write is on disk before it is acknowledged, as the shelf wants it.
const SETTINGS: &[&str] =
    &["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "always"];

/// Starts a server without any data.
pub fn start(purpose: Purpose) -> Result<Running> {
    let program = installed()?;
    let data = empty_data("redis", purpose)?;
    let port = free_port()?;
    let mut command = Command::new(&program);
    command.args(SETTINGS).args(["--port", &port.to_string()]).arg("--dir").arg(&data);
    let pid = listening(command, port, &data)?;
    let also = vec![("COFIO_TEST_REDIS_SERVER", program)];
    Ok(Running { url: format!("redis://127.0.0.1:{port}"), pid, also })
}

/// Makes sure of the program, and returns where it is.
fn installed() -> Result<PathBuf> {
    let found = || run("sh", ["-c", "command -v redis-server"]).map(PathBuf::from);
    if let Ok(program) = found() {
        return Ok(program);
    }
    terminal::note("installing redis-server with apt-get");
    run("apt-get", ["update", "--quiet"])?;
    run("apt-get", ["install", "--yes", "--quiet", "--no-install-recommends", "redis-server"])?;
    found()
}

/// Returns what the program says of its version.
pub fn version() -> String {
    let said = run("redis-server", ["--version"]).unwrap_or_default();
    said.split_whitespace().find_map(|word| word.strip_prefix("v=")).unwrap_or("?").to_owned()
}
