use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use ureq::Agent;

/// How much of an answer is read.
const LONGEST: u64 = 64 * 1024;

/// Sends spans, on the thread that does nothing else.
#[derive(Debug)]
pub(super) struct Client(Agent);

impl Client {
    /// Gives up after a while, and is not sent elsewhere: headers may hold a key.
    pub(super) fn new(timeout: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(timeout));
        Self(config.build().into())
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let mut response = self.0.run(Request::from_parts(head, &body[..]))?;
        let body = response.body_mut().with_config().limit(LONGEST).read_to_vec()?;
        Ok(response.map(|_| body.into()))
    }
}
