//! A client of a stream of events, which reads the wire as it comes.

use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::served::Served;

/// How long to wait for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one look takes.
const LOOK: Duration = Duration::from_millis(200);

/// An event that was told.
#[derive(Debug)]
pub struct Told {
    pub id: u64,
    pub event: String,
    pub data: Value,
}

/// Somebody who listens.
pub struct Listener {
    stream: TcpStream,
    headers: BTreeMap<String, String>,
    raw: Vec<u8>,
    text: String,
    told: VecDeque<Told>,
    /// Whether the end was announced.
    pub ended_in_order: bool,
    /// Everything that was said, comments included.
    pub everything: String,
}

impl Listener {
    pub fn open(served: &Served, path: &str, headers: &[(&str, &str)]) -> Self {
        Self::try_open(served, path, headers).expect("the stream begins")
    }

    /// Opens a stream, unless it is refused.
    pub fn try_open(served: &Served, path: &str, headers: &[(&str, &str)]) -> Option<Self> {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(served.written("GET", path, headers, "").as_bytes()).unwrap();
        let mut raw = Vec::new();
        while !raw.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            raw.extend(byte);
        }
        let head = String::from_utf8(raw).unwrap();
        if !head.starts_with("HTTP/1.1 200") {
            return None;
        }
        let headers = head.lines().filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        stream.set_read_timeout(Some(LOOK)).unwrap();
        Some(Self {
            stream,
            headers,
            raw: Vec::new(),
            text: String::new(),
            told: VecDeque::new(),
            ended_in_order: false,
            everything: String::new(),
        })
    }

    pub fn header(&self, name: &str) -> &str {
        &self.headers[name]
    }

    /// Waits for the next event.
    pub fn next_event(&mut self) -> Told {
        self.next_or_end().expect("the stream goes on")
    }

    /// Returns the next event, if it comes at once.
    pub fn next_soon(&mut self) -> Option<Told> {
        if self.told.is_empty() {
            self.read_some();
        }
        self.told.pop_front()
    }

    /// Waits for the next event, or for the end.
    pub fn next_or_end(&mut self) -> Option<Told> {
        let looks = PATIENCE.as_millis() / LOOK.as_millis();
        for _ in 0..looks {
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            if !self.read_some() {
                return None;
            }
        }
        panic!("nothing was told in {PATIENCE:?}; so far: {:?}", self.everything);
    }

    /// Reads what is there, and returns whether more may come.
    pub fn read_some(&mut self) -> bool {
        let mut bytes = vec![0; 64 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(0) => return false,
            Ok(count) => self.raw.extend(&bytes[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return false,
        }
        while let Some(piece) = self.piece() {
            self.ended_in_order |= piece.is_empty();
            self.everything.push_str(&piece);
            self.text.push_str(&piece);
        }
        while let Some((block, rest)) = self.text.split_once("\n\n") {
            self.told.extend(told(block));
            self.text = rest.to_owned();
        }
        !self.ended_in_order
    }

    /// Takes one piece off the wire, if it is there whole; the last one is empty.
    fn piece(&mut self) -> Option<String> {
        let end = self.raw.windows(2).position(|pair| pair == b"\r\n")?;
        let size = std::str::from_utf8(&self.raw[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        let begin = end + 2;
        if self.raw.len() < begin + size + 2 {
            return None;
        }
        let piece = String::from_utf8(self.raw[begin..begin + size].to_vec()).unwrap();
        self.raw.drain(..begin + size + 2);
        Some(piece)
    }
}

/// Reads one event; comments and the beginning are none.
fn told(block: &str) -> Option<Told> {
    let field =
        |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Some(Told {
        event: field("event")?.to_owned(),
        id: field("id")?.parse().unwrap(),
        data: serde_json::from_str(field("data")?).unwrap(),
    })
}
