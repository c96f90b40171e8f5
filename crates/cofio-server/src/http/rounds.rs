//! Asking everything that memories are kept in how it is, where nobody waits for long.

use std::time::Duration;

use cofio::model::{Checkup, PendingCheckup};
use cofio::{Error, ErrorKind};
use futures_util::future::join_all;
use tokio::time;

/// How long each of them may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Asks all of them side by side; one that is silent keeps nobody from hearing of the others.
pub(super) async fn made(pending: Vec<PendingCheckup<'_>>) -> Vec<Checkup> {
    join_all(pending.into_iter().map(ask)).await
}

async fn ask(pending: PendingCheckup<'_>) -> Checkup {
    let PendingCheckup { name, health } = pending;
    let health = time::timeout(PATIENCE, health).await.unwrap_or_else(|_| {
        let message = format!("{name} did not answer within {} ms", PATIENCE.as_millis());
        Err(Error::new(ErrorKind::Provider, message))
    });
    Checkup { name, health }
}
