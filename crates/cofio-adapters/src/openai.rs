//! Embeddings from a server that speaks OpenAI's dialect: OpenAI, Ollama, vLLM, llama.cpp and others.
//!
//! Requests are made on threads of their own, so nothing here depends on an executor or blocks one.
//! The threads end when the embedder is dropped.

mod answer;
mod batch;
mod client;

use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_channel::{Receiver, Sender};
use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::model::{CleanText, Fingerprint};
use cofio::{Error, ErrorKind, Result};

pub use crate::key::Key;
use crate::retry::Retry;
use client::Client;

/// How many questions are asked at a time.
const QUESTION_THREADS: usize = 4;

/// Which server and model to ask, and with how much patience.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address up to the version, such as `https://api.openai.com/v1`.
    pub url: String,
    /// The name of the model, as the server knows it.
    pub model: String,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// How many dimensions to ask for, of a model that can be shortened; `None` asks for its own.
    pub dimensions: Option<usize>,
    /// How many texts one request has at most.
    pub batch_texts: usize,
    /// How many bytes the texts of one request have at most, unless one text alone has more.
    pub batch_bytes: usize,
    /// How many bytes of one text the model is shown.
    pub text_bytes: usize,
    /// How long one request may take.
    pub timeout: Duration,
    /// When to try again.
    pub retry: Retry,
    /// When to try again for a question, for which somebody waits.
    pub question_retry: Retry,
}

impl Options {
    /// Takes the server's address and the model's name, without a key.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            key: None,
            dimensions: None,
            batch_texts: 96,
            // OpenAI takes 300,000 tokens in a request and 8,191 in a text, and a token has at
            // least one byte.
            batch_bytes: 256 * 1024,
            text_bytes: 8_191,
            timeout: Duration::from_secs(30),
            retry: Retry::default(),
            question_retry: Retry {
                retries: 1,
                first_delay: Duration::from_millis(100),
                // Enough for a server that has to load its model first.
                deadline: Duration::from_secs(10),
                ..Retry::default()
            },
        }
    }
}

/// Makes vectors by asking a server.
#[derive(Debug)]
pub struct OpenAi {
    fingerprint: Fingerprint,
    questions: Sender<Job>,
    batches: Sender<Job>,
}

/// Texts that somebody wants vectors for.
#[derive(Debug)]
struct Job {
    texts: Vec<CleanText>,
    answer: Sender<Result<Vec<Vec<f32>>>>,
}

impl OpenAi {
    /// Checks the options and starts the threads; asks nothing yet.
    pub fn new(options: Options) -> Result<Self> {
        let (patient, hasty) = (options.retry.clone(), options.question_retry.clone());
        let client = Client::new(options)?;
        let fingerprint = client.fingerprint()?;
        let (questions, asked) = async_channel::unbounded();
        let (batches, waiting) = async_channel::unbounded();
        for _ in 0..QUESTION_THREADS {
            serve("cofio-openai-question", &client, &hasty, &asked)?;
        }
        serve("cofio-openai-batch", &client, &patient, &waiting)?;
        Ok(Self { fingerprint, questions, batches })
    }

    async fn ask(queue: &Sender<Job>, texts: Vec<CleanText>) -> Result<Vec<Vec<f32>>> {
        let (answer, answered) = async_channel::bounded(1);
        let gone = || Error::new(ErrorKind::EmbeddingFailed, "the thread that asks has ended");
        queue.try_send(Job { texts, answer }).map_err(|_| gone())?;
        answered.recv().await.map_err(|_| gone())?
    }
}

#[async_trait]
impl Embedder for OpenAi {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        Self::ask(&self.batches, texts.to_vec()).await
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        let mut vectors = Self::ask(&self.questions, vec![text.clone()]).await?;
        Ok(vectors.pop().expect("every text gets a vector"))
    }
}

/// Starts a thread that does one job after the other until there can be no more.
fn serve(
    name: &str,
    client: &Client,
    retry: &Retry,
    jobs: &Receiver<Job>,
) -> Result<JoinHandle<()>> {
    let (client, retry, jobs) = (client.clone(), retry.clone(), jobs.clone());
    let work = move || {
        while let Ok(Job { texts, answer }) = jobs.recv_blocking() {
            // Whoever asked may have gone.
            let abandoned = || answer.is_closed();
            if !abandoned() {
                let _ = answer.try_send(client.embed(&texts, &retry, abandoned));
            }
        }
    };
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    started.map_err(|error| {
        Error::new(ErrorKind::EmbeddingFailed, "cannot start a thread").caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_ends_when_nobody_can_ask_any_more() {
        let client = Client::new(Options::new("http://127.0.0.1:1/v1", "tiny")).unwrap();
        let (questions, asked) = async_channel::unbounded();
        let thread = serve("test", &client, &Retry::default(), &asked).unwrap();
        drop(questions);
        thread.join().unwrap();
    }
}
