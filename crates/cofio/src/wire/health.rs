//! How what memories are kept in is, as JSON.

use serde::Serialize;

use crate::model::{Checkup, Component};

/// One of the places that memories are kept in, and how it is.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckupOutput {
    /// Which place.
    pub name: String,
    /// How it is: healthy, degraded or unhealthy.
    pub status: &'static str,
    /// How long it took to answer; nothing if it did not.
    pub latency_ms: Option<f64>,
    /// What it says of its version.
    pub version: Option<String>,
    /// Why it does not answer, if it does not.
    pub error: Option<String>,
    /// How its parts are.
    pub components: Vec<ComponentOutput>,
}

/// A part of it, and how that is.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComponentOutput {
    /// Which part.
    pub name: &'static str,
    /// How it is: healthy, degraded or unhealthy.
    pub status: &'static str,
    /// What to know of it.
    pub message: String,
}

impl From<&Checkup> for CheckupOutput {
    fn from(checkup: &Checkup) -> Self {
        let (name, status) = (checkup.name.clone(), checkup.status().as_str());
        match &checkup.health {
            Ok(health) => Self {
                name,
                status,
                latency_ms: Some(health.latency.as_secs_f64() * 1e3),
                version: health.version.clone(),
                error: None,
                components: health.components.iter().map(ComponentOutput::from).collect(),
            },
            Err(error) => Self {
                name,
                status,
                latency_ms: None,
                version: None,
                error: Some(error.to_string()),
                components: Vec::new(),
            },
        }
    }
}

impl From<&Component> for ComponentOutput {
    fn from(component: &Component) -> Self {
        let Component { name, status, message } = component;
        Self { name, status: status.as_str(), message: message.clone() }
    }
}
