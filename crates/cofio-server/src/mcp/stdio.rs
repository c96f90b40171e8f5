//! A server on standard input and output.

use std::io;

use rmcp::ServiceExt as _;
use rmcp::model::{ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use tokio_util::sync::CancellationToken;

use super::{LONGEST_MESSAGE, Server};

/// Serves until standard input ends or `stop` is over; what was asked by then is answered.
pub async fn serve_stdio(
    server: Server,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let stopped = CancellationToken::new();
    let stopping = stopped.clone();
    tokio::spawn(async move {
        stop.await;
        stopping.cancel();
    });
    let (input, output) = stdio_pipes();
    let lines = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_MESSAGE);
    let transport = Patient { lines, begun: false };
    match server.serve_with_ct(transport, stopped).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // Whoever goes away without a word has asked for nothing.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Messages, one in a line, of which only requests count before one that begins a conversation.
///
/// A notification or an answer that comes too early would otherwise end the server.
struct Patient {
    lines: AsyncRwTransport<RoleServer, StdioReader, StdioWriter>,
    begun: bool,
}

impl Transport<RoleServer> for Patient {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.lines.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await?;
            let JsonRpcMessage::Request(request) = &message else {
                if self.begun {
                    return Some(message);
                }
                continue;
            };
            self.begun |= begins(&request.request);
            return Some(message);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await
    }
}

/// Returns whether a request begins a conversation: a handshake does, and where there is none, the
/// first request that says what it has to, unless it only asks who is there.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(known)
        }
    }
}
