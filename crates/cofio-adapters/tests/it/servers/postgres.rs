//! A PostgreSQL server of its own, which can be stopped and started again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::disk::Disk;
use super::instance::free_port;
use super::signals;

/// A server that is stopped when this is dropped.
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    data: PathBuf,
    settings: String,
    pub port: u16,
}

impl Server {
    /// Makes a server without any data, and starts it.
    pub fn new() -> Option<Self> {
        Self::with("")
    }

    /// Makes a server with settings, as in `-c max_connections=10`, and starts it.
    pub fn with(settings: &str) -> Option<Self> {
        let server = Self::prepared(settings, None)?;
        server.start();
        Some(server)
    }

    /// Makes a server whose tables are on a disk; what it writes ahead is not.
    pub fn on(disk: &Disk) -> Option<Self> {
        let server = Self::prepared("", Some(disk))?;
        server.start();
        Some(server)
    }

    /// Makes the data of a server.
    pub fn prepared(settings: &str, disk: Option<&Disk>) -> Option<Self> {
        let Some(programs) = std::env::var_os("COFIO_TEST_POSTGRES_BIN") else {
            eprintln!(
                "skipped: COFIO_TEST_POSTGRES_BIN names no folder with PostgreSQL's programs"
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let data = disk.map_or(folder.path(), Disk::path).join("data");
        let server = Self {
            programs: programs.into(),
            folder,
            data,
            settings: settings.to_owned(),
            port: free_port(),
        };
        give_away(server.folder.path());
        let (data, ahead) = (server.data(), server.file("ahead").display().to_string());
        let mut arguments = vec!["-D", &data, "-U", "postgres", "-A", "trust", "--no-sync"];
        if disk.is_some() {
            arguments.extend(["-X", &ahead]);
        }
        server.run("initdb", &arguments);
        Some(server)
    }

    pub fn url(&self) -> String {
        Self::url_by(self.port)
    }

    /// Returns its address for those who come by another port.
    pub fn url_by(port: u16) -> String {
        format!("postgres://postgres@127.0.0.1:{port}/postgres")
    }

    /// Returns where a file of this server alone can be.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn start(&self) {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -p {} {}",
            self.port, self.settings
        );
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-o", &options, "start"]);
    }

    /// Stops it as a crash would.
    pub fn crash(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-m", "immediate", "stop"]);
    }

    /// Ends all of its processes without letting them do anything more.
    pub fn kill(&self) {
        let processes = self.processes();
        self.signal("-KILL");
        let start = Instant::now();
        while processes.iter().any(|process| signals::send("-0", *process)) {
            assert!(start.elapsed() < Duration::from_secs(30), "it does not end");
            thread::sleep(Duration::from_millis(10));
        }
        // It names a process that may be another one by the next time.
        let _ = std::fs::remove_file(self.data.join("postmaster.pid"));
    }

    /// Lets it do nothing, though it is there.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Sends a signal to the first process, which starts no others then, and to all others.
    fn signal(&self, signal: &str) {
        let processes = self.processes();
        for process in &processes {
            signals::send(signal, *process);
        }
        for late in self.processes() {
            if !processes.contains(&late) {
                signals::send(signal, late);
            }
        }
    }

    fn processes(&self) -> Vec<u32> {
        let note = std::fs::read_to_string(self.data.join("postmaster.pid")).unwrap_or_default();
        let first: Option<u32> = note.lines().next().and_then(|pid| pid.trim().parse().ok());
        first
            .into_iter()
            .flat_map(|first| [vec![first], signals::children(first)].concat())
            .collect()
    }

    fn data(&self) -> String {
        self.data.display().to_string()
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
        let said = self.file("said.txt");
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
        self.kill();
    }
}

/// Lets a file belong to whoever the server runs as.
fn give_away(path: &Path) {
    if is_root() {
        assert!(Command::new("chown").arg("nobody").arg(path).status().unwrap().success());
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0\n")
}
