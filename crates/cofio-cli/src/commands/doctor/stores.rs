use cofio::model::{Checkup, Status};
use cofio::shelf::Shelf as _;
use cofio::wire::{CheckupOutput, ComponentOutput};

use super::checks::Check;
use crate::home::shelves;
use crate::progress::Progress;
use crate::settings::{Settings, Surroundings};

/// Asks the servers that texts stand on how they are, and what a home has there.
pub async fn look(
    home: Option<&str>,
    settings: &Settings,
    around: &Surroundings,
) -> Vec<CheckupOutput> {
    let _progress = Progress::spinning("asking servers");
    let mut all = Vec::new();
    for (name, at) in &settings.stores().shelves {
        // A home that could not be opened was told of already.
        let opened = shelves::open_one(*name, at, home.unwrap_or_default(), settings, around);
        let health = match opened {
            Ok(shelf) => shelf.health().await,
            Err(error) => Err(error),
        };
        all.push(CheckupOutput::from(&Checkup { name: name.as_str().to_owned(), health }));
    }
    all
}

/// Says of a server whether it is as it should be.
pub fn check(store: &CheckupOutput) -> Check {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(store.version.as_ref().map(|version| format!("version {version}")));
    parts.extend(store.latency_ms.map(|latency| format!("answers in {latency:.1} ms")));
    parts.extend(store.error.clone());
    let said = |part: &ComponentOutput| format!("{}: {}", part.name, part.message);
    parts.extend(store.components.iter().map(said));
    Check {
        name: store.name.clone(),
        ok: store.status != Status::Unhealthy.as_str(),
        warning: store.status == Status::Degraded.as_str(),
        detail: parts.join("; "),
    }
}
