//! Being told by the server that somebody has changed something, be it another process.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use cofio::Result;
use cofio::store::kit::Bell;
use tokio::time::sleep;
use tokio_postgres::AsyncMessage;

use super::connections::Connections;
use super::failure::failed;
use super::read::last_change;
use super::session::Session;

/// How long to wait before a connection that was lost is made anew: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// Returns the channel on which commits say how far the sequence of changes is.
pub(super) fn channel(schema: &str) -> String {
    format!("cofio_{schema}")
}

/// Rings for every commit that went on in the sequence of changes, for as long as it is polled.
pub(super) async fn listen(connections: Connections, bell: Arc<Bell>) {
    let mut pause = PAUSES.0;
    loop {
        // Whatever ended it, the next one may do better.
        if listen_once(&connections, &bell).await.is_ok() {
            pause = PAUSES.0;
        }
        sleep(pause).await;
        pause = PAUSES.1.min(pause * 2);
    }
}

/// Listens until the connection is lost, and fails if there is none to begin with.
async fn listen_once(connections: &Connections, bell: &Arc<Bell>) -> Result<()> {
    let (client, mut connection) = connections.alone().await?;
    let ringing = Arc::clone(bell);
    let hearing = tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(said) = message
                && let Ok(last) = said.payload().parse()
            {
                ringing.ring(last);
            }
        }
    });
    let begin = format!("{} LISTEN {};", connections.settings(), channel(connections.schema()));
    client.batch_execute(&begin).await.map_err(failed)?;
    // Nobody was told of what was changed before.
    let session = Session::single(connections).await?;
    let last = last_change(&session).await;
    bell.ring(session.end(last)?);
    // It ends with the connection, and only the store's end ends it before.
    let _ = hearing.await;
    Ok(())
}
