use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, SystemTime};

use axum::http::StatusCode;
use cofio::model::Layer;
use opentelemetry::trace::{Span as _, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Array, Context, KeyValue, Value};
use opentelemetry_sdk::trace::SdkTracer;

use crate::notes::{Act, Noted, Work};

/// What memories are kept in, for collectors that are told of other systems too.
const STORE: &str = "cofio";

/// What is told of one request while it is answered; copies share it.
#[derive(Clone)]
pub(crate) struct Trace {
    pub(super) tracer: SdkTracer,
    /// Where the span of the request is, which goes on.
    pub(super) context: Context,
}

impl Trace {
    /// Tells what was done to memories, and ends the span of the request.
    pub(crate) fn end(&self, status: StatusCode, request_id: &str, noted: &Noted) {
        if let Some(work) = &noted.work {
            self.tell(name(work.act).into(), work.began, memory(work, noted), noted.code);
        }
        let span = self.context.span();
        let request_id = Value::Array(Array::String(vec![request_id.to_owned().into()]));
        span.set_attributes([
            KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
            KeyValue::new("http.response.header.x-request-id", request_id),
        ]);
        // By the conventions, what a client did wrong is no error of a server.
        if status.is_server_error() {
            span.set_attributes(noted.code.map(|code| KeyValue::new("error.type", code)));
            span.set_status(Status::error(""));
        }
        span.end();
    }

    /// Tells what a tool did.
    pub(crate) fn tell_of_tool(&self, tool: &'static str, noted: &Noted, took: Duration) {
        let tool_name = KeyValue::new("gen_ai.tool.name", tool);
        let Some(work) = &noted.work else {
            let operation = KeyValue::new("gen_ai.operation.name", "execute_tool");
            let (name, began) = (format!("execute_tool {tool}"), SystemTime::now() - took);
            return self.tell(name.into(), began, vec![operation, tool_name], noted.code);
        };
        let mut attributes = memory(work, noted);
        attributes.push(tool_name);
        self.tell(name(work.act).into(), work.began, attributes, noted.code);
    }

    /// Tells of something that is over, and was done for the request.
    fn tell(
        &self,
        name: Cow<'static, str>,
        began: SystemTime,
        attributes: Vec<KeyValue>,
        code: Option<&'static str>,
    ) {
        let span = self.tracer.span_builder(name).with_start_time(began);
        let span = span.with_attributes(attributes);
        let mut span = span.start_with_context(&self.tracer, &self.context);
        if let Some(code) = code {
            span.set_attribute(KeyValue::new("error.type", code));
            span.set_status(Status::error(""));
        }
        span.end();
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").finish_non_exhaustive()
    }
}

/// Returns what the conventions for generative AI call something that is done to memories.
fn name(act: Act) -> &'static str {
    match act {
        Act::Create => "create_memory",
        Act::Update => "update_memory",
        Act::Upsert => "upsert_memory",
        Act::Search => "search_memory",
        Act::Delete => "delete_memory",
    }
}

/// Returns what the conventions for generative AI want to know of it.
fn memory(work: &Work, noted: &Noted) -> Vec<KeyValue> {
    let mut attributes = vec![
        KeyValue::new("gen_ai.operation.name", name(work.act)),
        KeyValue::new("gen_ai.memory.store.id", STORE),
    ];
    let count = noted.found.or(work.count).and_then(|count| i64::try_from(count).ok());
    attributes.extend(count.map(|count| KeyValue::new("gen_ai.memory.record.count", count)));
    let record = work.record.as_ref().map(|id| id.as_str().to_owned());
    attributes.extend(record.map(|id| KeyValue::new("gen_ai.memory.record.id", id)));
    let layer = noted.layer().map(Layer::as_str);
    attributes.extend(layer.map(|layer| KeyValue::new("cofio.memory.layer", layer)));
    attributes
}
