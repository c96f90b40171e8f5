//! A way to the server that can be cut at the worst moment.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// When the connection that commits next is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Cut {
    Never = 0,
    /// Before the server hears of it.
    Before = 1,
    /// After the server has done it, and before it can say so.
    After = 2,
}

/// Passes on what is said between a store and the server.
pub struct Proxy {
    pub port: u16,
    cut: Arc<AtomicU8>,
}

impl Proxy {
    pub fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, server) = (Arc::<AtomicU8>::default(), server.to_owned());
        let shared = Arc::clone(&cut);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&server) else { continue };
                let cut = Arc::clone(&shared);
                thread::spawn(move || pass_on(client, server, &cut));
            }
        });
        Self { port, cut }
    }

    /// Cuts the next connection that commits.
    pub fn cut(&self, cut: Cut) {
        self.cut.store(cut as u8, Ordering::SeqCst);
    }

    /// Returns whether a connection was cut.
    pub fn has_cut(&self) -> bool {
        self.cut.load(Ordering::SeqCst) == Cut::Never as u8
    }
}

fn pass_on(client: TcpStream, server: TcpStream, cut: &AtomicU8) {
    let (from_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    thread::spawn(move || copy(from_server, to_client));
    let (mut client, mut server) = (client, server);
    let mut buffer = vec![0; 65_536];
    while let Ok(read) = client.read(&mut buffer)
        && read > 0
    {
        let said = &buffer[..read];
        let commits = said.windows(7).any(|part| part == b"COMMIT\0");
        let now = if commits { cut.swap(0, Ordering::SeqCst) } else { 0 };
        if now == Cut::After as u8 {
            // The client is gone before the answer comes.
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.write_all(said);
            thread::sleep(Duration::from_millis(200));
        }
        if now != 0 {
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.shutdown(Shutdown::Both);
            return;
        }
        if server.write_all(said).is_err() {
            return;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
}
