//! Whether the servers that texts stand on can be used as the settings say, asked once at the start.

use std::time::Duration;

use cofio::model::{Component, PendingCheckup, Status};
use cofio::{Engine, Error, ErrorKind, Result};
use tokio::time;

/// How long each server may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The parts of a server in which it says what becomes of what it has acknowledged.
const PROMISES: [&str; 2] = ["durability", "memory"];

/// Returns a warning for each server that does not answer, without which everything else goes on.
///
/// Fails if one answers and will not do: it refuses who asks, or promises less than is wanted.
pub async fn require(engine: &Engine) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    // The first is the home, which has answered already.
    for shelf in engine.health().into_iter().skip(1) {
        warnings.extend(ask(shelf).await?);
    }
    Ok(warnings)
}

async fn ask(shelf: PendingCheckup<'_>) -> Result<Option<String>> {
    let PendingCheckup { name, health } = shelf;
    let why = match time::timeout(PATIENCE, health).await {
        Ok(Ok(health)) => {
            let broken = health.components.iter().find(|part| is_broken_promise(part));
            return broken.map_or(Ok(None), |part| Err(too_little(&name, part)));
        }
        Ok(Err(error)) if !error.kind().retryable() => return Err(error),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("{name} did not answer within {} s", PATIENCE.as_secs()),
    };
    Ok(Some(format!("{why}; until it answers, what stands on {name} is missing")))
}

fn is_broken_promise(part: &Component) -> bool {
    part.status == Status::Unhealthy && PROMISES.contains(&part.name)
}

fn too_little(name: &str, part: &Component) -> Error {
    let message = format!("{name} may lose what it has acknowledged: {}", part.message);
    Error::new(ErrorKind::Configuration, message)
}
