use std::sync::Arc;
use std::time::Instant;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool as Definition,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call::Call;
use super::page::page;
use super::profile::Profile;
use super::source::SourceName;
use super::tool::Entry;
use super::{ask, prompts, resources};
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::{Desk, Place};

/// For how many milliseconds lists that never change need not be asked for again.
const FRESH: u64 = 3_600_000;

/// A server of one profile; copies of it share everything.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    desk: Arc<Desk>,
    profile: Profile,
    at_best: SourceName,
    tools: Vec<Entry>,
    definitions: Vec<Definition>,
}

impl Server {
    /// Makes a server at a desk; a call counts as `at_best` at best.
    pub fn new(desk: Arc<Desk>, profile: Profile, at_best: SourceName) -> Self {
        let tools = profile.tools();
        let definitions = tools.iter().map(Entry::definition).collect();
        Self(Arc::new(Inner { desk, profile, at_best, tools, definitions }))
    }

    /// Returns the desk.
    pub fn desk(&self) -> &Arc<Desk> {
        &self.0.desk
    }

    /// Returns the desk at which whoever makes a request asks: over HTTP it was found out who.
    fn desk_of(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Desk>, ErrorData> {
        if context.extensions.get::<Parts>().is_none() {
            return Ok(Arc::clone(&self.0.desk));
        }
        let place = extension::<Place>(context).cloned();
        let place =
            place.ok_or_else(|| ErrorData::internal_error("nobody knows who asks", None))?;
        Ok(Arc::new(self.0.desk.at(place)))
    }
}

/// Returns what came along with a request over HTTP.
fn extension<T: Send + Sync + 'static>(context: &RequestContext<RoleServer>) -> Option<&T> {
    context.extensions.get::<Parts>()?.extensions.get()
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("profile", &self.0.profile).finish_non_exhaustive()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info =
            Implementation::new("cofio", env!("CARGO_PKG_VERSION")).with_title("Cofio memory");
        config.with_instructions(self.0.profile.instructions())
    }

    fn get_tool(&self, name: &str) -> Option<Definition> {
        self.0.definitions.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (tools, next_cursor) = page(&self.0.definitions, request.as_ref())?;
        let all = ListToolsResult::with_all_items(tools).with_ttl_ms(FRESH);
        Ok(ListToolsResult { next_cursor, ..all })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.0.tools.iter().find(|tool| tool.name == request.name) else {
            let shown: String = request.name.chars().take(40).collect();
            return Err(ErrorData::invalid_params(format!("unknown tool {shown:?}"), None));
        };
        let (start, notes) = (Instant::now(), Notes::default());
        let metrics = extension::<Metrics>(&context).cloned();
        #[cfg(feature = "otel")]
        let trace = extension::<crate::otel::Trace>(&context).cloned();
        let cancelled = context.ct.clone();
        let call = Call {
            desk: self.desk_of(&context)?,
            at_best: self.0.at_best,
            context,
            answers: request.input_responses.unwrap_or_default(),
            agreed: ask::agreed(request.request_state.as_deref()),
            notes: notes.clone(),
        };
        let running = tool.call(call, request.arguments.unwrap_or_default());
        let Some(answer) = cancelled.run_until_cancelled(running).await else {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        };
        let (noted, took) = (notes.noted(), start.elapsed());
        if let Some(metrics) = metrics {
            metrics.count_failure(&noted);
            metrics.count_operation(tool.name, &noted, took);
        }
        #[cfg(feature = "otel")]
        if let Some(trace) = trace {
            trace.tell_of_tool(tool.name, &noted, took);
        }
        answer
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&*self.desk_of(&context)?, request.as_ref()).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (templates, next_cursor) = page(&resources::templates(), request.as_ref())?;
        let all = ListResourceTemplatesResult::with_all_items(templates).with_ttl_ms(FRESH);
        Ok(ListResourceTemplatesResult { next_cursor, ..all })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&*self.desk_of(&context)?, &request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (prompts, next_cursor) = page(&prompts::all(), request.as_ref())?;
        let all = ListPromptsResult::with_all_items(prompts).with_ttl_ms(FRESH);
        Ok(ListPromptsResult { next_cursor, ..all })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&*self.desk_of(&context)?, &request).await?.into())
    }
}
