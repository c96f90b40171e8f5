//! A way to a server that can be cut, and on which answers can be held up or spoilt.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// When the connection that commits next is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Before the server hears of it.
    Before,
    /// After the server has done it, and before it can say so.
    After,
}

/// What becomes of what the server says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// It is passed on.
    Passes,
    /// It is passed on after a while, as is what is said to the server.
    Slow(Duration),
    /// Nothing is passed on, in neither direction, and nobody is told.
    Silent,
    /// Half of it is passed on, and then the connection is cut.
    Halves,
    /// Something else is passed on.
    Spoils,
    /// Nobody is let through, and whoever was is cut off with the next word.
    Refuses,
    /// Whoever comes is let in and never hears anything, even later; whoever was there goes on.
    Deaf,
}

/// What happens at the worst moment.
type Moment = Box<dyn FnOnce() + Send>;

/// Passes on what is said between a client and a server.
#[derive(Clone)]
pub struct Proxy {
    pub port: u16,
    way: Arc<Way>,
}

struct Way {
    manner: Mutex<Manner>,
    cut: Mutex<Option<(Cut, Option<Moment>)>>,
    /// How often something was not passed on as it was said.
    harmed: AtomicUsize,
    /// How often whoever was there was left without an answer.
    stranded: AtomicUsize,
    streams: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let way = Arc::new(Way {
            manner: Mutex::new(Manner::Passes),
            cut: Mutex::default(),
            harmed: AtomicUsize::new(0),
            stranded: AtomicUsize::new(0),
            streams: Mutex::default(),
        });
        let (shared, server) = (Arc::clone(&way), server.to_owned());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&server) else { continue };
                Way::lead(&shared, client, server);
            }
        });
        Self { port, way }
    }

    /// Cuts the next connection that commits.
    pub fn cut(&self, cut: Cut) {
        *self.way.cut.lock().unwrap() = Some((cut, None));
    }

    /// Cuts the next connection that commits, and lets something else happen first.
    pub fn cut_then(&self, cut: Cut, moment: impl FnOnce(&Self) + Send + 'static) {
        let proxy = self.clone();
        *self.way.cut.lock().unwrap() = Some((cut, Some(Box::new(move || moment(&proxy)))));
    }

    /// Returns whether a connection was cut.
    pub fn has_cut(&self) -> bool {
        self.way.cut.lock().unwrap().is_none()
    }

    /// From now on does this with what is said.
    pub fn set(&self, manner: Manner) {
        *self.way.manner.lock().unwrap() = manner;
    }

    /// Cuts every connection that there is.
    pub fn cut_all(&self) {
        for stream in self.way.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Passes on nothing more of the connections that there are, and tells nobody; those that are
    /// made from now on are led to the server.
    pub fn strand_all(&self) {
        self.way.stranded.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns how often something was held up or spoilt.
    pub fn harmed(&self) -> usize {
        self.way.harmed.load(Ordering::SeqCst)
    }
}

impl Way {
    fn manner(&self) -> Manner {
        *self.manner.lock().unwrap()
    }

    fn lead(self: &Arc<Self>, client: TcpStream, server: TcpStream) {
        if self.manner() == Manner::Refuses {
            self.harmed.fetch_add(1, Ordering::SeqCst);
            return;
        }
        if self.manner() == Manner::Deaf {
            self.harmed.fetch_add(1, Ordering::SeqCst);
            self.streams.lock().unwrap().push(client);
            return;
        }
        let born = self.stranded.load(Ordering::SeqCst);
        let ends = [&client, &server].map(|stream| stream.try_clone().unwrap());
        self.streams.lock().unwrap().extend(ends);
        let (from_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let way = Arc::clone(self);
        thread::spawn(move || way.answer(born, from_server, to_client));
        let way = Arc::clone(self);
        thread::spawn(move || way.ask(born, client, server));
    }

    /// Passes on what is said to the server.
    fn ask(&self, born: usize, mut client: TcpStream, mut server: TcpStream) {
        let mut buffer = vec![0; 65_536];
        while let Some(said) = heard(&mut client, &mut buffer) {
            let commits = said.windows(7).any(|part| part == b"COMMIT\0");
            let cut = if commits { self.cut.lock().unwrap().take() } else { None };
            if let Some((cut, moment)) = cut {
                cut_here(cut, moment, said, &client, &mut server);
                break;
            }
            self.hold_up(born);
            if self.manner() == Manner::Refuses || server.write_all(said).is_err() {
                break;
            }
        }
        close(&client, &server);
    }

    /// Passes on what the server says.
    fn answer(&self, born: usize, mut server: TcpStream, mut client: TcpStream) {
        let mut buffer = vec![0; 65_536];
        while let Some(said) = heard(&mut server, &mut buffer) {
            self.hold_up(born);
            let (passed, goes_on) = match self.manner() {
                Manner::Halves => (said[..said.len() / 2].to_vec(), false),
                Manner::Spoils => (said.iter().map(|byte| byte ^ 0x15).collect(), true),
                _ => (said.to_vec(), true),
            };
            if passed != said {
                self.harmed.fetch_add(1, Ordering::SeqCst);
            }
            if client.write_all(&passed).is_err() || !goes_on {
                break;
            }
        }
        close(&client, &server);
    }

    /// Waits as long as it takes here, on a connection that was made after so many were stranded.
    fn hold_up(&self, born: usize) {
        while self.stranded.load(Ordering::SeqCst) > born {
            thread::sleep(Duration::from_millis(50));
        }
        match self.manner() {
            Manner::Slow(delay) => {
                self.harmed.fetch_add(1, Ordering::SeqCst);
                thread::sleep(delay);
            }
            Manner::Silent => {
                self.harmed.fetch_add(1, Ordering::SeqCst);
                while self.manner() == Manner::Silent {
                    thread::sleep(Duration::from_millis(10));
                }
            }
            _ => {}
        }
    }
}

fn heard<'a>(stream: &mut TcpStream, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let read = stream.read(buffer).ok().filter(|read| *read > 0)?;
    Some(&buffer[..read])
}

fn cut_here(
    cut: Cut,
    moment: Option<Moment>,
    said: &[u8],
    client: &TcpStream,
    server: &mut TcpStream,
) {
    if let Some(moment) = moment {
        moment();
    }
    if cut == Cut::After {
        // The client is gone before the answer comes.
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.write_all(said);
        thread::sleep(Duration::from_millis(200));
    }
}

fn close(client: &TcpStream, server: &TcpStream) {
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}
