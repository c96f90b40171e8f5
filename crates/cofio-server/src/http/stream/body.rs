use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc::Receiver;

use super::streams::Seat;

/// The body of a stream: pieces that are taken when the connection has room for them.
#[derive(Debug)]
pub(super) struct Pieces {
    pieces: Receiver<Bytes>,
    /// Counts for as long as the connection lasts.
    _seat: Seat,
}

impl Pieces {
    pub(super) fn new(pieces: Receiver<Bytes>, seat: Seat) -> Self {
        Self { pieces, _seat: seat }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.pieces.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}
