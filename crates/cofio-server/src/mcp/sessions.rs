//! The sessions of clients that begin with a handshake: whose they are, and how many.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cofio::model::Identifier;
use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};
use tokio::task_local;

/// How many sessions there may be, and how long each may be silent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Sessions that are open at the same time.
    pub(crate) in_all: usize,
    /// Those of one caller; whoever begins another one ends the one that was silent for longest.
    pub(crate) per_caller: usize,
    /// How long a client may be silent until its session ends.
    pub(crate) silence: Duration,
}

/// That too many sessions are open to begin another.
#[derive(Debug)]
pub(crate) struct Full;

task_local! {
    static ASKING: Asking;
}

/// Who makes the request that is being answered.
struct Asking {
    caller: Identifier,
    turned_away: Arc<AtomicBool>,
}

/// Answers a request as one of a caller's: it opens their sessions, and no others.
pub(crate) async fn asked_by<F: Future>(caller: Identifier, answer: F) -> Result<F::Output, Full> {
    let turned_away = Arc::new(AtomicBool::new(false));
    let asking = Asking { caller, turned_away: Arc::clone(&turned_away) };
    let answer = ASKING.scope(asking, answer).await;
    if turned_away.load(Ordering::Relaxed) { Err(Full) } else { Ok(answer) }
}

/// The sessions that are open.
#[derive(Debug)]
pub(crate) struct Sessions {
    bounds: Bounds,
    local: LocalSessionManager,
    open: Mutex<HashMap<SessionId, Open>>,
}

#[derive(Debug)]
struct Open {
    caller: Option<Identifier>,
    used_at: Instant,
}

impl Sessions {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(bounds.silence);
        Self { bounds, local, open: Mutex::default() }
    }

    /// Returns the session of a caller that has to end before they begin another, if one has to.
    fn oldest(&self, caller: Option<&Identifier>) -> Option<SessionId> {
        let open = self.open();
        let own = open.iter().filter(|(_, session)| session.caller.as_ref() == caller);
        if own.clone().count() < self.bounds.per_caller {
            return None;
        }
        own.min_by_key(|(_, session)| session.used_at).map(|(id, _)| id.clone())
    }

    /// Returns whether a session is open to whoever asks, and counts it as used.
    fn use_now(&self, id: &SessionId) -> bool {
        let mut open = self.open();
        let session = open.get_mut(id).filter(|session| is_open_to_caller(session));
        session.map(|session| session.used_at = Instant::now()).is_some()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a session is the caller's; whatever is no request may open any.
fn is_open_to_caller(session: &Open) -> bool {
    ASKING.try_with(|asking| session.caller.as_ref() == Some(&asking.caller)).unwrap_or(true)
}

fn full() -> io::Error {
    let _ = ASKING.try_with(|asking| asking.turned_away.store(true, Ordering::Relaxed));
    io::Error::other("too many sessions are open")
}

impl SessionManager for Sessions {
    type Error = io::Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> io::Result<(SessionId, Self::Transport)> {
        let caller = ASKING.try_with(|asking| asking.caller.clone()).ok();
        if let Some(oldest) = self.oldest(caller.as_ref()) {
            self.close_session(&oldest).await?;
        }
        if self.open().len() >= self.bounds.in_all {
            return Err(full());
        }
        let (id, transport) = self.local.create_session().await.map_err(io::Error::other)?;
        self.open().insert(id.clone(), Open { caller, used_at: Instant::now() });
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> io::Result<ServerJsonRpcMessage> {
        self.local.initialize_session(id, message).await.map_err(io::Error::other)
    }

    async fn has_session(&self, id: &SessionId) -> io::Result<bool> {
        if !self.use_now(id) {
            return Ok(false);
        }
        self.local.has_session(id).await.map_err(io::Error::other)
    }

    async fn close_session(&self, id: &SessionId) -> io::Result<()> {
        if !self.open().get(id).is_some_and(is_open_to_caller) {
            return Ok(());
        }
        self.open().remove(id);
        self.local.close_session(id).await.map_err(io::Error::other)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> io::Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.local.create_stream(id, message).await.map_err(io::Error::other)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> io::Result<()> {
        self.local.accept_message(id, message).await.map_err(io::Error::other)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> io::Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.local.create_standalone_stream(id).await.map_err(io::Error::other)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> io::Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.local.resume(id, last_event_id).await.map_err(io::Error::other)
    }
}
