//! Being told by the server that somebody has changed something, be it another process.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use cofio::model::ChangeRecord;
use cofio::store::kit::Bell;
use cofio::{Error, ErrorKind, Result};
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Client};

use super::connections::Connections;
use super::failure::{failed, silent, within};
use super::heard::{BELIEVED, Heard};
use super::read::{changes, last_change};
use super::session::Session;
use crate::retry::Retry;

/// How soon a connection that was lost is made anew, again and again.
const RETRY: Retry = Retry {
    retries: u32::MAX,
    first_delay: Duration::from_millis(100),
    factor: 2.0,
    longest_delay: Duration::from_secs(10),
    deadline: Duration::MAX,
};

/// How often a server is asked whether it is there.
const PULSE: Duration = Duration::from_secs(1);

/// How many changes are read at a time.
const PIECE: usize = 1_000;

/// Returns the channel on which commits say how far the sequence of changes is.
pub(super) fn channel(schema: &str) -> String {
    format!("cofio_{schema}")
}

/// Rings for every commit that went on in the sequence of changes, and keeps what was changed in
/// mind, for as long as it is polled.
pub(super) async fn listen(connections: Connections, bell: Arc<Bell>, heard: Arc<Heard>) {
    let mut failures = 0_u32;
    loop {
        // Whatever ended it, the next one may do better.
        let _ = listen_once(&connections, &bell, &heard).await;
        failures = if heard.end() { 0 } else { failures.saturating_add(1) };
        sleep(RETRY.pause(failures)).await;
    }
}

/// Listens until the connection is lost, and fails if there is none to begin with.
async fn listen_once(connections: &Connections, bell: &Arc<Bell>, heard: &Heard) -> Result<()> {
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
    let begin = format!("LISTEN {}", channel(connections.schema()));
    let settings = connections.settings();
    let first = format!("{settings} {begin};");
    let told = async { client.batch_execute(&first).await.map_err(failed) };
    within(connections.patience(), told).await?;
    // Nobody was told of what was changed before.
    let session = Session::single(connections).await?;
    let last = last_change(&session).await;
    let last = session.end(last)?;
    bell.ring(last);
    heard.begin(last);
    // It ends with one of the connections, and only the store's end ends it before.
    tokio::select! {
        _ = hearing => Ok(()),
        kept = keep(connections, bell, heard, last) => kept.map(|never| match never {}),
        lost = confirm(&client, &begin, heard) => lost.map(|never| match never {}),
    }
}

/// Reads what was changed whenever the bell has rung, until that fails or takes too long: whoever
/// answers from what is known must not believe for longer that there is nothing else.
async fn keep(
    connections: &Connections,
    bell: &Bell,
    heard: &Heard,
    mut place: u64,
) -> Result<Infallible> {
    loop {
        bell.beyond(place).await;
        let changes = within(BELIEVED, changed(connections, place)).await?;
        let last = changes.last().ok_or_else(untold)?;
        place = last.sequence;
        heard.hear(changes);
    }
}

async fn changed(connections: &Connections, place: u64) -> Result<Vec<ChangeRecord>> {
    let mut session = Session::read(connections).await?;
    session.open_all().await?;
    let changes = changes(&session, place, PIECE).await;
    session.end(changes)
}

/// Asks again and again to be told, as the answer shows that the server is there.
async fn confirm(client: &Client, begin: &str, heard: &Heard) -> Result<Infallible> {
    loop {
        sleep(PULSE).await;
        let answer = timeout(PULSE * 2, client.batch_execute(begin)).await;
        answer.map_err(|_| silent(PULSE * 2))?.map_err(failed)?;
        heard.confirm();
    }
}

fn untold() -> Error {
    Error::new(ErrorKind::Provider, "the server told of a change that is not there")
}
