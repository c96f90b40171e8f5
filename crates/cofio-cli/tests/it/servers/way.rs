//! A way to a server that can be barred.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A way to a server that can be barred.
pub struct Way {
    pub address: String,
    barred: Arc<Barred>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Passes,
    /// Nothing is passed on, and nobody is told.
    Silent,
    /// Nobody is let through.
    Gone,
}

struct Barred {
    manner: Mutex<Manner>,
    /// How many bytes are still passed on until nothing is.
    left: Mutex<Option<usize>>,
    streams: Mutex<Vec<TcpStream>>,
}

impl Way {
    pub fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let barred = Barred {
            manner: Mutex::new(Manner::Passes),
            left: Mutex::default(),
            streams: Mutex::default(),
        };
        let barred = Arc::new(barred);
        let (shared, server) = (Arc::clone(&barred), server.to_owned());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.manner() == Manner::Gone {
                    continue;
                }
                let Ok(server) = TcpStream::connect(&server) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || shared.pass(from, to));
                }
                shared.streams.lock().unwrap().extend([client, server]);
            }
        });
        Self { address, barred }
    }

    /// Passes on so many bytes more, and then nothing.
    pub fn fall_silent_after(&self, bytes: usize) {
        *self.barred.left.lock().unwrap() = Some(bytes);
    }

    pub fn set(&self, manner: Manner) {
        *self.barred.manner.lock().unwrap() = manner;
        if manner == Manner::Gone {
            for stream in self.barred.streams.lock().unwrap().drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

impl Barred {
    fn manner(&self) -> Manner {
        *self.manner.lock().unwrap()
    }

    fn count(&self, read: usize) {
        let mut left = self.left.lock().unwrap();
        match *left {
            Some(bytes) if bytes <= read => {
                *left = None;
                *self.manner.lock().unwrap() = Manner::Silent;
            }
            Some(bytes) => *left = Some(bytes - read),
            None => {}
        }
    }

    fn pass(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = vec![0; 65_536];
        while let Some(read) = from.read(&mut buffer).ok().filter(|read| *read > 0) {
            self.count(read);
            while self.manner() == Manner::Silent {
                thread::sleep(Duration::from_millis(10));
            }
            if to.write_all(&buffer[..read]).is_err() {
                break;
            }
        }
        let _ = [from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both)];
    }
}
