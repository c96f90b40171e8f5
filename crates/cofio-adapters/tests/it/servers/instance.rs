//! A server of one test alone, which may be frozen, killed and started again.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::signals;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_mins(1);

/// Makes the command that starts a server, from its port and its folder.
type MakeCommand = dyn Fn(u16, &Path) -> Command + Send;

/// A running server, which is gone when this is dropped.
pub struct Instance {
    pub port: u16,
    command: Box<MakeCommand>,
    child: Child,
    folder: Folder,
}

/// Where a server keeps its data.
enum Folder {
    Own(TempDir),
    Given(PathBuf),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Self::Own(folder) => folder.path(),
            Self::Given(folder) => folder,
        }
    }
}

impl Instance {
    /// Starts a server on a free port, and waits until it listens.
    pub fn start(command: impl Fn(u16, &Path) -> Command + Send + 'static) -> Self {
        Self::begin(Folder::Own(tempfile::tempdir().unwrap()), command)
    }

    /// Starts a server that keeps its data in a folder.
    pub fn start_in(
        folder: &Path,
        command: impl Fn(u16, &Path) -> Command + Send + 'static,
    ) -> Self {
        Self::begin(Folder::Given(folder.to_owned()), command)
    }

    fn begin(folder: Folder, command: impl Fn(u16, &Path) -> Command + Send + 'static) -> Self {
        let port = free_port();
        let child = begin(&mut command(port, folder.path()), port);
        Self { port, command: Box::new(command), child, folder }
    }

    /// Ends the server without letting it do anything more.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    /// Starts the server again, with the data it has.
    pub fn restart(&mut self) {
        self.child = begin(&mut (self.command)(self.port, self.folder.path()), self.port);
    }

    /// Lets the server do nothing, though it is there.
    pub fn freeze(&self) {
        assert!(signals::send("-STOP", self.child.id()));
    }

    pub fn thaw(&self) {
        assert!(signals::send("-CONT", self.child.id()));
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a port on which nobody listens.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
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
