use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{self, Sleep};

/// How long whoever still sends may take to read an answer that did not wait for all of it.
const LINGERING: Duration = Duration::from_secs(2);

/// A connection that breaks off if the other side takes nothing of what there is to send.
///
/// A side that reads, however slowly, is waited for; so is one that there is nothing to send to.
pub(super) struct Impatient {
    stream: TokioIo<TcpStream>,
    patience: Duration,
    /// Ends when nothing was taken for too long.
    waiting: Option<Pin<Box<Sleep>>>,
    /// Ends when whoever still sends had enough time.
    lingering: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    pub(super) fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream: TokioIo::new(stream), patience, waiting: None, lingering: None }
    }

    /// Passes on how far writing came, unless it has not come further for too long.
    fn wait<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(time::sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Takes what is still sent and throws it away, and returns whether that was anything; nothing,
    /// if no more comes.
    fn discard(&mut self, context: &mut Context<'_>) -> Option<bool> {
        let mut any = false;
        loop {
            let mut bytes = [0; 16 * 1024];
            let mut buffer = ReadBuf::new(&mut bytes);
            match Pin::new(self.stream.inner_mut()).poll_read(context, &mut buffer) {
                Poll::Pending => return Some(any),
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => any = true,
                Poll::Ready(_) => return None,
            }
        }
    }
}

impl Read for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wait(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.wait(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Closes the connection; a side that still sends is given the time to read the answer, which
    /// it would lose if what it sent were refused.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            if self.discard(context) != Some(true) {
                return Poll::Ready(Ok(()));
            }
        }
        let lingering = self.lingering.get_or_insert_with(|| Box::pin(time::sleep(LINGERING)));
        if lingering.as_mut().poll(context).is_ready() || self.discard(context).is_none() {
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }
}
