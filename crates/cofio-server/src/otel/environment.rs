//! What the variables of OpenTelemetry say that its libraries do not see to themselves.

use std::env;
use std::time::Duration;

use cofio::{Error, ErrorKind, Result};
use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL, OTEL_EXPORTER_OTLP_TIMEOUT,
    OTEL_EXPORTER_OTLP_TIMEOUT_DEFAULT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, OTEL_EXPORTER_OTLP_TRACES_TIMEOUT,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};

use super::{NAME, VERSION};

/// Returns whether spans are wanted: a collector is named, and nothing is switched off.
pub(super) fn wants_spans() -> Result<bool> {
    let exporter = said(["OTEL_TRACES_EXPORTER"]).unwrap_or_else(|| "otlp".to_owned());
    let disabled =
        said(["OTEL_SDK_DISABLED"]).is_some_and(|said| said.eq_ignore_ascii_case("true"));
    let named = said([OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT]).is_some();
    if disabled || !named || exporter == "none" {
        return Ok(false);
    }
    let protocol = said([OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, OTEL_EXPORTER_OTLP_PROTOCOL]);
    let protocol = protocol.unwrap_or_else(|| "http/protobuf".to_owned());
    if exporter == "otlp" && protocol == "http/protobuf" {
        return Ok(true);
    }
    let message = "spans are sent by otlp and http/protobuf only; OTEL_TRACES_EXPORTER and \
                   OTEL_EXPORTER_OTLP_PROTOCOL ask for something else";
    Err(Error::new(ErrorKind::Configuration, message))
}

/// Returns how long one attempt to send spans may take.
pub(super) fn timeout() -> Duration {
    let said = said([OTEL_EXPORTER_OTLP_TRACES_TIMEOUT, OTEL_EXPORTER_OTLP_TIMEOUT]);
    let milliseconds = said.and_then(|said| said.parse().ok());
    milliseconds.map_or(OTEL_EXPORTER_OTLP_TIMEOUT_DEFAULT, Duration::from_millis)
}

/// Returns what all spans have in common.
pub(super) fn resource() -> Resource {
    let own = [("service.name", NAME), ("service.version", VERSION)];
    let own = own.map(|(name, value)| KeyValue::new(name, value));
    let resource = Resource::builder_empty().with_attributes(own).with_detectors(&[
        Box::new(TelemetryResourceDetector),
        Box::new(EnvResourceDetector::new()),
    ]);
    match said(["OTEL_SERVICE_NAME"]) {
        Some(name) => resource.with_service_name(name).build(),
        None => resource.build(),
    }
}

/// Returns what the first of some variables says that says anything.
fn said<const N: usize>(names: [&str; N]) -> Option<String> {
    names.into_iter().find_map(|name| env::var(name).ok().filter(|said| !said.is_empty()))
}
