//! What a process that stays does for everybody from time to time.

use std::sync::Arc;
use std::time::Duration;

use cofio::Engine;
use cofio::engine::Swept;
use cofio::lifecycle::schedule::Timetable;
use cofio::model::{Caller, Identifier, Task};
use tokio::time;

use crate::Desk;

/// How long until it is looked again whether something is due.
const PAUSE: Duration = Duration::from_secs(30);

/// How often it is looked between two times that what has ended is removed.
const LOOKS: u32 = 120;

/// Under which name it is recorded, whichever process does it: what one did is not due for another.
const ACTOR: &str = "cofio-upkeep";

/// Keeps everybody's memories in order by a timetable, until nobody polls it.
///
/// Any number of processes may do so at once.
pub async fn keep_in_order(desk: Arc<Desk>, timetable: Timetable) {
    for look in 0_u32.. {
        if let Ok(engine) = desk.engine().await {
            keep(engine, &timetable, look).await;
        }
        time::sleep(PAUSE).await;
    }
}

/// Does what is due; what cannot be done now is due the next time too, and the ledger has why.
async fn keep(engine: &Engine, timetable: &Timetable, look: u32) {
    let Ok(actor) = Identifier::new(ACTOR) else { return };
    let keeper = Caller::keeper(actor);
    // What has ended and cannot be removed now is hidden all the same.
    if look.is_multiple_of(LOOKS) {
        while let Ok(Swept::Removed(1..)) = engine.sweep_some(&keeper).await {}
    }
    let _ = engine.maintain_due(&keeper, timetable).await;
    if timetable.has(Task::Consolidate) {
        let _ = engine.maintain_conversations(&keeper).await;
    }
}
