//! What a server does for everybody from time to time.

use std::sync::Arc;
use std::time::Duration;

use cofio::engine::Swept;
use cofio::model::{Caller, Identifier};
use tokio::time;
use tokio_util::sync::CancellationToken;

use crate::Desk;

/// How long until what has ended meanwhile is removed.
const PAUSE: Duration = Duration::from_secs(60 * 60);

/// Under which name it is recorded.
const ACTOR: &str = "cofio-serve";

/// Removes what has ended, whosever it is, until the server is to end.
pub(super) async fn run(desk: Arc<Desk>, closing: CancellationToken) {
    let sweeping = async {
        loop {
            sweep(&desk).await;
            time::sleep(PAUSE).await;
        }
    };
    closing.run_until_cancelled(sweeping).await;
}

/// Removes what has ended; what cannot be removed now is hidden all the same.
async fn sweep(desk: &Desk) {
    let Ok(actor) = Identifier::new(ACTOR) else { return };
    let keeper = Caller::keeper(actor);
    let Ok(engine) = desk.engine().await else { return };
    while let Ok(Swept::Removed(1..)) = engine.sweep_some(&keeper).await {}
}
