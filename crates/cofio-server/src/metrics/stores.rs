//! Whether what memories are kept in answers, and how soon.

use std::sync::atomic::AtomicU64;

use cofio::model::{Checkup, Status};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

/// The name of a store, which is one of a few.
type Labels = [(&'static str, String); 1];

/// Tells how each store is.
pub(super) fn register(registry: &mut Registry, checkups: &[Checkup]) {
    let up: Family<Labels, Gauge> = Family::default();
    let latencies: Family<Labels, Gauge<f64, AtomicU64>> = Family::default();
    for checkup in checkups {
        let labels = [("store", checkup.name.clone())];
        up.get_or_create(&labels).set(i64::from(checkup.status() != Status::Unhealthy));
        if let Ok(health) = &checkup.health {
            latencies.get_or_create(&labels).set(health.latency.as_secs_f64());
        }
    }
    registry.register("cofio_store_up", "Whether a store answers and works", up);
    let about = "How long a store took to say how it is";
    registry.register_with_unit("cofio_store_latency", about, Unit::Seconds, latencies);
}
