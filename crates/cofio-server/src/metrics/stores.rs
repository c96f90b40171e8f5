//! Whether what memories are kept in answers, how soon, and what came of asking it.

use std::sync::atomic::AtomicU64;

use cofio::model::{Checkup, Status};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use crate::tally::{Circuit, Tally};

/// The name of a store, which is one of a few, and what else there is to name.
type Labels<const N: usize> = [(&'static str, String); N];

/// Tells how each store is.
pub(super) fn register(registry: &mut Registry, checkups: &[Checkup]) {
    let up: Family<Labels<1>, Gauge> = Family::default();
    let parts: Family<Labels<2>, Gauge> = Family::default();
    let latencies: Family<Labels<1>, Gauge<f64, AtomicU64>> = Family::default();
    for checkup in checkups {
        let labels = [("store", checkup.name.clone())];
        up.get_or_create(&labels).set(is_up(checkup.status()));
        let Ok(health) = &checkup.health else { continue };
        latencies.get_or_create(&labels).set(health.latency.as_secs_f64());
        for part in &health.components {
            let labels = [("store", checkup.name.clone()), ("component", part.name.to_owned())];
            parts.get_or_create(&labels).set(is_up(part.status));
        }
    }
    registry.register("cofio_store_up", "Whether a store answers and works", up);
    let about = "Whether a part of a store that answers works and keeps its promise";
    registry.register("cofio_store_component_up", about, parts);
    let about = "How long a store took to say how it is";
    registry.register_with_unit("cofio_store_latency", about, Unit::Seconds, latencies);
}

/// Tells what came of asking the servers that texts stand on.
pub(super) fn register_tallies(registry: &mut Registry, tallies: &[Tally]) {
    type Read = fn(&Tally) -> u64;
    let counted: [(&str, &str, Read); 6] = [
        ("calls", "How often a server was asked for something", |tally| tally.calls),
        ("failures", "How often that failed in the end", |tally| tally.failures),
        ("retries", "How often something was tried again", |tally| tally.retries),
        ("timeouts", "How often there was no answer in time", |tally| tally.timeouts),
        ("refusals", "How often it was left alone and not asked", |tally| tally.refusals),
        ("circuit_opened", "How often it began to be left alone", |tally| tally.opened),
    ];
    for (name, about, read) in counted {
        let counters: Family<Labels<1>, Counter> = Family::default();
        for tally in tallies {
            counters.get_or_create(&[("store", tally.store.clone())]).inc_by(read(tally));
        }
        registry.register(format!("cofio_store_{name}"), about, counters);
    }
    let circuits: Family<Labels<2>, Gauge> = Family::default();
    for tally in tallies {
        for circuit in Circuit::ALL {
            let labels = [("store", tally.store.clone()), ("state", circuit.as_str().to_owned())];
            circuits.get_or_create(&labels).set(i64::from(circuit == tally.circuit));
        }
    }
    let about = "Whether a server is asked as usual (closed), left alone (open) or tried (half_open): 1 or 0";
    registry.register("cofio_store_circuit", about, circuits);
}

fn is_up(status: Status) -> i64 {
    i64::from(status != Status::Unhealthy)
}
