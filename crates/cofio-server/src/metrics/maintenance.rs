//! What is told of the jobs that the engine does of itself, as the ledger has them.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use cofio::engine::TaskCensus;
use cofio::model::{Counts, JobState, Task};
use jiff::SignedDuration;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::{Labels, signed};

/// Seconds of each task.
type Seconds = Family<Labels<1>, Gauge<f64, AtomicU64>>;

/// Adds what is known of the latest jobs.
pub(super) fn register(registry: &mut Registry, tasks: &BTreeMap<Task, TaskCensus>) {
    register_states(registry, tasks);
    register_times(registry, tasks);
    let last: Family<Labels<2>, Gauge> = Family::default();
    for (task, census) in tasks {
        for (what, count) in counted(&census.counts) {
            let labels = [("task", task.as_str()), ("what", what)];
            last.get_or_create(&labels).set(signed(count));
        }
    }
    let about = "Memories that the last job of a task looked at, added, changed or removed, and parts of it that are held or failed";
    registry.register("cofio_maintenance_last_count", about, last);
}

fn register_states(registry: &mut Registry, tasks: &BTreeMap<Task, TaskCensus>) {
    let (last, jobs): (Family<Labels<2>, Gauge>, Family<Labels<2>, Gauge>) = Default::default();
    for (task, census) in tasks {
        let labels = |state: JobState| [("task", task.as_str()), ("state", state.as_str())];
        for &(state, count) in &census.states {
            last.get_or_create(&labels(state)).set(i64::from(state == census.state));
            jobs.get_or_create(&labels(state)).set(signed(count));
        }
    }
    let about = "Whether the last job of a task is in a state: 1 or 0";
    registry.register("cofio_maintenance_last_state", about, last);
    let about = "The latest hundred jobs of a task by state";
    registry.register("cofio_maintenance_jobs", about, jobs);
}

fn register_times(registry: &mut Registry, tasks: &BTreeMap<Task, TaskCensus>) {
    let (started, durations, lags) = (Seconds::default(), Seconds::default(), Seconds::default());
    for (task, census) in tasks {
        let labels = [("task", task.as_str())];
        let tell = |seconds: &Seconds, duration: SignedDuration| {
            seconds.get_or_create(&labels).set(duration.as_secs_f64());
        };
        tell(&started, census.started_at.as_duration());
        census.duration.into_iter().for_each(|duration| tell(&durations, duration));
        census.lag.into_iter().for_each(|lag| tell(&lags, lag));
    }
    for (name, about, seconds) in [
        ("last_start_timestamp", "When the last job of a task began", started),
        ("last_duration", "How long the last job of a task took", durations),
        ("last_lag", "How late the last job of a task began that there was a time for", lags),
    ] {
        let name = format!("cofio_maintenance_{name}");
        registry.register_with_unit(name, about, Unit::Seconds, seconds);
    }
}

/// Names what a job counts.
fn counted(counts: &Counts) -> [(&'static str, u64); 6] {
    let &Counts { looked_at, created, updated, forgotten, held, failed } = counts;
    [
        ("looked_at", looked_at),
        ("created", created),
        ("updated", updated),
        ("forgotten", forgotten),
        ("held", held),
        ("failed", failed),
    ]
}
