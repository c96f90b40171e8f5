//! A server of one test alone, which may be frozen, killed and started again.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_mins(1);

/// Makes the command that starts a server, from its port and its folder.
type MakeCommand = dyn Fn(u16, &Path) -> Command;

/// A running server, with its data; both are gone when this is dropped.
pub struct Instance {
    pub port: u16,
    pub folder: TempDir,
    command: Box<MakeCommand>,
    child: Child,
}

impl Instance {
    /// Starts a server on a free port, and waits until it listens.
    pub fn start(command: impl Fn(u16, &Path) -> Command + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = begin(&mut command(port, folder.path()), port);
        Self { port, folder, command: Box::new(command), child }
    }

    /// Ends the server without letting it do anything more.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts the server again, with the data it has.
    pub fn restart(&mut self) {
        self.child = begin(&mut (self.command)(self.port, self.folder.path()), self.port);
    }

    /// Lets the server do nothing, though it is there.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn begin(command: &mut Command, port: u16) -> Child {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert_eq!(child.try_wait().unwrap(), None, "the server ends at once");
        assert!(start.elapsed() < PATIENCE, "the server does not listen");
        thread::sleep(Duration::from_millis(20));
    }
    child
}
