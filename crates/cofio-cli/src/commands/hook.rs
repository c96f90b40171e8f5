//! Answers an agent's hook: within a second, and never with a failure.

use std::io::{self, Read as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, value_parser};
use pollster::block_on;

use crate::arguments::Globals;
use crate::client::Client;
use crate::failure;
use crate::hook::{self, Hook, Payload};
use crate::output;
use crate::settings::{Overrides, Surroundings};

/// The most bytes of a payload.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

const EXAMPLES: &str = "\
Examples:
  cofio install claude-code --hooks
  cofio hook --verbose < payload.json";

/// Answers a hook of an agent: tells it what is remembered, and keeps what was said
///
/// Reads the hook's JSON from standard input. Ends with 0 whatever happens; why it did nothing is
/// in the log that `cofio doctor` names.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Answer {
    /// The client that calls, if it cannot be told from what it says
    #[arg(long, value_name = "CLIENT")]
    client: Option<Client>,
    /// How many milliseconds the client waits at most
    #[arg(long, value_name = "NUMBER", default_value_t = 800, value_parser = value_parser!(u64).range(1..=60_000))]
    within: u64,
    /// Says on standard error why nothing was done
    #[arg(long)]
    verbose: bool,
}

/// What the work tells whoever waits for it.
enum News {
    /// This is to be printed.
    Answer(String),
    /// There is nothing more to wait for.
    Done(Result<()>),
}

impl Answer {
    /// Does the work on a thread of its own, so that nothing that happens there keeps an agent
    /// waiting or reaches it as a failure.
    pub fn run(self, globals: &Globals) {
        let began = Instant::now();
        let end = began + Duration::from_millis(self.within);
        // The last turns that are begun to be kept are to be kept in time.
        let last = began + Duration::from_millis(self.within / 8 * 5);
        // Later than that, words and names answer alone.
        let meant = began + Duration::from_millis(self.within / 4);
        let patience = Duration::from_millis(self.within / 8);
        std::panic::set_hook(Box::new(|_| {}));
        let (news, heard) = mpsc::channel();
        let (client, flags) = (self.client, Overrides::from(globals));
        thread::spawn(move || {
            let done = work(client, flags, Moments { meant, last, patience }, &news);
            let _ = news.send(News::Done(done));
        });
        let failed = loop {
            match heard.recv_timeout(end.saturating_duration_since(Instant::now())) {
                // A client that has gone needs no answer.
                Ok(News::Answer(text)) => drop(output::print(&text)),
                Ok(News::Done(done)) => break done.err().map(|error| failure::message(&error)),
                Err(RecvTimeoutError::Timeout) => break Some("it took too long".to_owned()),
                Err(RecvTimeoutError::Disconnected) => break Some("it panicked".to_owned()),
            }
        };
        if let Some(reason) = failed {
            self.complain(&reason);
        }
    }

    fn complain(&self, reason: &str) {
        if self.verbose {
            let _ = writeln!(io::stderr(), "cofio hook: {}", output::plain(reason));
        }
        let log = Surroundings::of_process().ok().and_then(|around| hook::log(&around));
        // There is nobody left to tell.
        let _ = log.map(|log| log.write(reason));
    }
}

/// How long something is waited for.
#[derive(Clone, Copy)]
struct Moments {
    /// What a prompt means.
    meant: Instant,
    /// Another turn to be kept.
    last: Instant,
    /// How long it may take in the end to put on record what was read.
    patience: Duration,
}

fn work(
    client: Option<Client>,
    flags: Overrides,
    moments: Moments,
    news: &Sender<News>,
) -> Result<()> {
    let payload = Payload::read(&input()?, client)?;
    if payload.event == hook::Event::Other {
        return Ok(());
    }
    let mut hook = Hook::open(payload, Surroundings::of_process()?, flags, moments.meant)?;
    block_on(async {
        let answered = hook.answer().await.map(|answer| {
            let _ = answer.map(|text| news.send(News::Answer(text)));
        });
        // What was told is not told again, even if nothing can be kept for now.
        let noted = hook.note();
        // What was said is kept even if there was no answer.
        let captured = hook.capture(moments.last).await;
        let closed = hook.close(moments.patience);
        answered.and(noted).and(captured).and(closed)
    })
}

fn input() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.context("cannot read standard input")?;
    ensure!(bytes.len() as u64 <= MOST_BYTES, "the payload has more than {MOST_BYTES} bytes");
    Ok(bytes)
}
