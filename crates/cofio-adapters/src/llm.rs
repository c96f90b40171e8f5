//! Answers from language models over HTTP: OpenAI, Ollama, llama.cpp, vLLM, LM Studio, Anthropic.
//!
//! Requests are made on threads of their own, so nothing here depends on an executor or blocks one.
//! The threads end when the model is dropped.

mod chat;
mod client;
mod messages;
mod reading;

use std::thread;
use std::time::Duration;

use async_channel::{Receiver, Sender};
use async_trait::async_trait;
use cofio::llm::{Charge, Failure, Llm, Prompt, Reply};
use cofio::{Error, ErrorKind, Result};

pub use crate::key::Key;
use crate::retry::Retry;
use client::Client;

/// Which server and model to ask, and with how much patience.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address up to the version, such as `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// The name of the model, as the server knows it.
    pub model: String,
    /// What the server speaks.
    pub dialect: Dialect,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// When to try again what was refused for the moment.
    pub retry: Retry,
    /// How many answers are waited for at once.
    pub at_once: usize,
}

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

impl Options {
    /// Takes the server's address, the model's name and the dialect, without a key.
    pub fn new(url: impl Into<String>, model: impl Into<String>, dialect: Dialect) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            dialect,
            key: None,
            timeout: Duration::from_secs(120),
            retry: Retry { deadline: Duration::from_secs(180), ..Retry::default() },
            at_once: 2,
        }
    }
}

/// A language model behind a server.
#[derive(Debug)]
pub struct Remote {
    model: String,
    jobs: Sender<Job>,
}

/// A prompt that somebody wants an answer to.
#[derive(Debug)]
struct Job {
    prompt: Prompt,
    answer: Sender<std::result::Result<Reply, Failure>>,
}

impl Remote {
    /// Checks the options and starts the threads; asks nothing yet.
    pub fn new(options: Options) -> Result<Self> {
        let (model, at_once) = (options.model.clone(), options.at_once.max(1));
        let client = Client::new(options)?;
        let (jobs, waiting) = async_channel::unbounded();
        for _ in 0..at_once {
            serve(client.clone(), waiting.clone())?;
        }
        Ok(Self { model, jobs })
    }
}

#[async_trait]
impl Llm for Remote {
    fn model(&self) -> &str {
        &self.model
    }

    async fn reply(&self, prompt: &Prompt) -> std::result::Result<Reply, Failure> {
        let (answer, answered) = async_channel::bounded(1);
        let gone = |charge| {
            let error = Error::new(ErrorKind::Provider, "the thread that asks has ended");
            Failure { error, charge }
        };
        let job = Job { prompt: prompt.clone(), answer };
        self.jobs.try_send(job).map_err(|_| gone(Charge::Nothing))?;
        answered.recv().await.map_err(|_| gone(Charge::Unknown))?
    }
}

/// Starts a thread that does one job after the other until there can be no more.
fn serve(client: Client, jobs: Receiver<Job>) -> Result<()> {
    let work = move || {
        while let Ok(Job { prompt, answer }) = jobs.recv_blocking() {
            // Whoever asked may have gone.
            let abandoned = || answer.is_closed();
            if !abandoned() {
                let _ = answer.try_send(client.reply(&prompt, abandoned));
            }
        }
    };
    let started = thread::Builder::new().name("cofio-llm".to_owned()).spawn(work);
    started.map_err(|error| {
        Error::new(ErrorKind::Provider, "cannot start a thread").caused_by(error)
    })?;
    Ok(())
}
