//! Spans for a collector of OpenTelemetry, over HTTP.
//!
//! A span is made of what is noted of a request: names that we gave, counts, and ids of memories.
//! What a memory or a question says, who asked, and the path that was asked for are never in one.

mod client;
mod environment;
mod trace;

use std::time::Duration;

use axum::http::HeaderMap;
use cofio::{Error, ErrorKind, Result};
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{SpanKind, TraceContextExt as _, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, InstrumentationScope, KeyValue};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::task;

use client::Client;
pub(crate) use trace::Trace;

/// What this program is called in spans, where nobody gives it another name.
const NAME: &str = "cofio";

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long the last spans may take to be sent when the server ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends spans to a collector; copies share everything.
///
/// A thread of its own sends them, and what it cannot send is dropped: whoever asks something of the
/// server never waits for a collector.
#[derive(Debug, Clone)]
pub struct Telemetry {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Telemetry {
    /// Sends spans as the variables of OpenTelemetry say, if they name a collector.
    ///
    /// Fails with `Configuration` if they ask for something that cannot be done.
    pub fn from_environment() -> Result<Option<Self>> {
        // Without an address of ours, the exporter takes the one that they name.
        if environment::wants_spans()? { Self::to("").map(Some) } else { Ok(None) }
    }

    /// Sends spans to an address, such as `http://127.0.0.1:4318/v1/traces`.
    pub fn to(endpoint: &str) -> Result<Self> {
        let exporter = SpanExporter::builder().with_http().with_endpoint(endpoint);
        let exporter = exporter.with_http_client(Client::new(environment::timeout())).build();
        let exporter = exporter.map_err(|error| {
            Error::new(ErrorKind::Configuration, "spans cannot be sent").caused_by(error)
        })?;
        let provider = SdkTracerProvider::builder()
            .with_resource(environment::resource())
            .with_batch_exporter(exporter)
            .build();
        let scope = InstrumentationScope::builder(NAME).with_version(VERSION).build();
        let tracer = provider.tracer_with_scope(scope);
        Ok(Self { provider, tracer })
    }

    /// Begins the span of a request, below the one that its headers name.
    pub(crate) fn begin(
        &self,
        method: Option<&'static str>,
        route: Option<&str>,
        headers: &HeaderMap,
    ) -> Trace {
        let mut attributes = vec![
            KeyValue::new("http.request.method", method.unwrap_or("_OTHER")),
            KeyValue::new("url.scheme", "http"),
        ];
        attributes.extend(route.map(|route| KeyValue::new("http.route", route.to_owned())));
        let name = method.unwrap_or("HTTP");
        let name = route.map_or_else(|| name.to_owned(), |route| format!("{name} {route}"));
        let headers = HeaderExtractor(headers);
        let caller = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
        let span = self.tracer.span_builder(name);
        let span = span.with_kind(SpanKind::Server).with_attributes(attributes);
        let span = span.start_with_context(&self.tracer, &caller);
        Trace { tracer: self.tracer.clone(), context: caller.with_span(span) }
    }

    /// Sends what waits, unless that takes too long; nothing is sent afterwards.
    pub(crate) async fn end(self) {
        let ended = task::spawn_blocking(move || self.provider.shutdown_with_timeout(PATIENCE));
        // Nobody is left to be told that a collector is gone.
        let _ = ended.await;
    }
}
