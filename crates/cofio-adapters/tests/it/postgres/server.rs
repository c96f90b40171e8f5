//! A server of a test's own, which can be stopped and started again.

use std::fs::File;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A server that is stopped when this is dropped.
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
}

impl Server {
    /// Makes a server without any data, and starts it.
    pub fn new() -> Option<Self> {
        let Some(programs) = std::env::var_os("COFIO_TEST_POSTGRES_BIN") else {
            eprintln!(
                "skipped: COFIO_TEST_POSTGRES_BIN names no folder with PostgreSQL's programs"
            );
            return None;
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let server = Self { programs: programs.into(), folder: tempfile::tempdir().unwrap(), port };
        if is_root() {
            let path = server.folder.path();
            assert!(Command::new("chown").arg("nobody").arg(path).status().unwrap().success());
        }
        let data = server.data();
        server.run("initdb", &["-D", &data, "-U", "postgres", "-A", "trust", "--no-sync"]);
        server.start();
        Some(server)
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    pub fn start(&self) {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -p {}",
            self.port
        );
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-o", &options, "start"]);
    }

    /// Stops it as a crash would.
    pub fn crash(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-m", "immediate", "stop"]);
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        // It refuses to run as root.
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let said = self.folder.path().join("said.txt");
        let file = File::options().create(true).append(true).open(&said).unwrap();
        let errors = file.try_clone().unwrap();
        command.args(arguments).stdin(Stdio::null()).stdout(file).stderr(errors);
        let status = command.status().unwrap();
        let said = || std::fs::read_to_string(&said).unwrap_or_default();
        assert!(status.success(), "{command:?} ended with {status}: {}", said());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.crash();
            return;
        }
        // Whatever went wrong is told already.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.crash()));
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0\n")
}
