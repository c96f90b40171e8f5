//! What Prometheus is told: counts and times under names from closed sets, never who or what.

mod maintenance;
mod stores;

use std::sync::Arc;
use std::time::Duration;

use cofio::engine::Census;
use cofio::model::{Checkup, Layer};
use cofio::store::Backlog;
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::notes::Noted;
use crate::tally::Tally;

/// The media type of what is told.
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The layer of a request that names none, or several.
const ANY: &str = "any";

/// Seconds that an operation may take: from a search by words in a small store to a large import.
const SECONDS: [f64; 13] =
    [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// How much a search may find.
const RESULTS: [f64; 8] = [0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// Counts what is done; copies share everything.
#[derive(Debug, Clone)]
pub(crate) struct Metrics(Arc<Inner>);

/// Names with values, all of them ours.
type Labels<const N: usize> = [(&'static str, &'static str); N];

#[derive(Debug)]
struct Inner {
    registry: Registry,
    operations: Family<Labels<2>, Counter>,
    errors: Family<Labels<1>, Counter>,
    durations: Family<Labels<1>, Histogram, fn() -> Histogram>,
    results: Histogram,
    requests: Family<Labels<1>, Counter>,
    under_way: Gauge,
}

/// What there is at one moment, to be told once.
#[derive(Debug)]
pub(crate) struct Present {
    /// What the store holds, if it says so.
    pub(crate) census: Option<Census>,
    /// How everything is that memories are kept in.
    pub(crate) checkups: Arc<[Checkup]>,
    /// What came of asking the servers that texts stand on.
    pub(crate) tallies: Vec<Tally>,
    /// What waits in front of the store.
    pub(crate) backlog: Backlog,
    /// How many jobs run.
    pub(crate) jobs: usize,
    /// How many streams are open.
    pub(crate) streams: usize,
}

/// Writes down how everything is that memories are kept in, and nothing else.
pub(crate) fn written(checkups: &[Checkup]) -> Result<String, std::fmt::Error> {
    let (mut page, mut registry) = (String::new(), Registry::default());
    stores::register(&mut registry, checkups);
    text::encode_registry(&mut page, &registry)?;
    text::encode_eof(&mut page)?;
    Ok(page)
}

/// A request that is being answered, for as long as this is kept.
#[derive(Debug)]
pub(crate) struct UnderWay(Gauge);

impl Metrics {
    /// Begins to count.
    pub(crate) fn new() -> Self {
        let mut registry = Registry::default();
        let operations = Family::default();
        registry.register("memory_operations", "Operations by type and layer", operations.clone());
        let errors = Family::default();
        let about = "Operations and requests that failed, by error code";
        registry.register("memory_operation_errors", about, errors.clone());
        let durations =
            Family::new_with_constructor((|| Histogram::new(SECONDS)) as fn() -> Histogram);
        let (name, about) = ("memory_operation_duration", "How long operations take");
        registry.register_with_unit(name, about, Unit::Seconds, durations.clone());
        let results = Histogram::new(RESULTS);
        registry.register("memory_search_results", "How much searches find", results.clone());
        let requests = Family::default();
        let about = "Requests by the class of the status of their answer";
        registry.register("cofio_http_requests", about, requests.clone());
        let under_way = Gauge::default();
        let about = "Requests whose answer has not begun";
        registry.register("cofio_http_requests_in_flight", about, under_way.clone());
        let inner = Inner { registry, operations, errors, durations, results, requests, under_way };
        Self(Arc::new(inner))
    }

    /// Counts a request as under way.
    pub(crate) fn begin(&self) -> UnderWay {
        self.0.under_way.inc();
        UnderWay(self.0.under_way.clone())
    }

    /// Counts an answer with a status.
    pub(crate) fn count_answer(&self, status: u16) {
        let class = match status {
            100..=199 => "1xx",
            200..=299 => "2xx",
            300..=399 => "3xx",
            400..=499 => "4xx",
            _ => "5xx",
        };
        self.0.requests.get_or_create(&[("class", class)]).inc();
    }

    /// Counts why something failed.
    pub(crate) fn count_failure(&self, noted: &Noted) {
        if let Some(code) = noted.code {
            self.0.errors.get_or_create(&[("code", code)]).inc();
        }
    }

    /// Counts an operation, and what is noted of it.
    pub(crate) fn count_operation(&self, name: &'static str, noted: &Noted, took: Duration) {
        let layer = noted.layer().map_or(ANY, Layer::as_str);
        self.0.operations.get_or_create(&[("operation", name), ("layer", layer)]).inc();
        let durations = self.0.durations.get_or_create(&[("operation", name)]);
        durations.observe(took.as_secs_f64());
        if let Some(found) = noted.found {
            self.0.results.observe(found as f64);
        }
    }

    /// Writes everything down, with what there is at this moment.
    pub(crate) fn written(&self, present: &Present) -> Result<String, std::fmt::Error> {
        let mut page = String::new();
        text::encode_registry(&mut page, &self.0.registry)?;
        text::encode_registry(&mut page, &present.registry())?;
        text::encode_eof(&mut page)?;
        Ok(page)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Present {
    fn registry(&self) -> Registry {
        let mut registry = Registry::default();
        if let Some(census) = &self.census {
            register(&mut registry, census);
        }
        let (writes, reads) = (self.backlog.writes as u64, self.backlog.reads as u64);
        let (jobs, streams) = (self.jobs as u64, self.streams as u64);
        for (name, about, count) in [
            ("cofio_store_writes_waiting", "Writes that the store has not begun", writes),
            ("cofio_store_reads_waiting", "Reads that the store has not begun", reads),
            ("cofio_jobs_running", "Work that goes on after its request was answered", jobs),
            ("cofio_streams_open", "Streams of changes that are open", streams),
        ] {
            registry.register(name, about, ConstGauge::new(signed(count)));
        }
        stores::register(&mut registry, &self.checkups);
        stores::register_tallies(&mut registry, &self.tallies);
        registry
    }
}

/// Tells what the store holds.
fn register(registry: &mut Registry, census: &Census) {
    let entries: Family<Labels<2>, Gauge> = Family::default();
    for (&(layer, kind), &count) in &census.entries {
        let labels = [("layer", layer.as_str()), ("kind", kind.as_str())];
        entries.get_or_create(&labels).set(signed(count));
    }
    registry.register("memory_entries", "Memories by layer and kind", entries);
    let pending = ConstGauge::new(signed(census.pending_embeddings));
    registry.register("cofio_pending_embeddings", "Memories that have no vector yet", pending);
    maintenance::register(registry, &census.tasks);
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
