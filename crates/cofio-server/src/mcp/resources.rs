//! What is kept, as resources that people attach to a conversation.

use std::sync::LazyLock;

use cofio::engine::{ContextRequest, ListRequest, Listed};
use cofio::model::{Criteria, Memory, State};
use cofio::wire::MemoryEntry;
use cofio::{Error, ErrorKind};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, PaginatedRequestParams, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};

use super::page::{self, PAGE};
use super::view::{self, MemoryView, StatsView};
use crate::Desk;

/// What the addresses of all resources begin with.
const SCHEME: &str = "memory://";

/// How many characters of a memory stand for it in a list.
const TITLE: usize = 60;

/// What can always be read.
static ALWAYS: LazyLock<[Resource; 4]> = LazyLock::new(|| {
    let resource = |name: &str, title: &str, about: &str, mime_type: &str| {
        Resource::new(format!("{SCHEME}{name}"), name)
            .with_title(title)
            .with_description(about)
            .with_mime_type(mime_type)
    };
    let (markdown, json) = ("text/markdown", "application/json");
    [
        resource(
            "context",
            "What is known of the user",
            "The user's profile and the latest reflection, for the start of a conversation",
            markdown,
        ),
        resource("recent", "Recent memories", "What was learnt last, newest first", markdown),
        resource(
            "waiting",
            "Waiting for review",
            "What is not recalled before the user approves it",
            markdown,
        ),
        resource("stats", "Statistics", "How much is remembered, by kind and layer", json),
    ]
});

/// Returns what any memory can be read by.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let about = "One memory with its source, by its id";
    let template = ResourceTemplate::new(format!("{SCHEME}{{id}}"), "memory");
    vec![template.with_title("Memory").with_description(about).with_mime_type("application/json")]
}

/// Lists what can always be read, and then every memory, the latest first.
pub(super) async fn list(
    desk: &Desk,
    request: Option<&PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let cursor = request.and_then(|request| request.cursor.clone());
    let mut resources = if cursor.is_none() { ALWAYS.to_vec() } else { Vec::new() };
    let listed = recent(desk, State::Active, cursor).await.map_err(|error| match error.kind() {
        ErrorKind::Invalid => page::unknown(),
        _ => failed(&error),
    })?;
    resources.extend(listed.memories.iter().map(resource));
    let next_cursor = listed.next_cursor;
    Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
}

/// Reads one.
pub(super) async fn read(desk: &Desk, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let name = uri.strip_prefix(SCHEME).ok_or_else(|| not_found(uri))?;
    let (text, mime_type) = match name {
        "context" => (context(desk).await, "text/markdown"),
        "recent" => (lines(desk, State::Active).await, "text/markdown"),
        "waiting" => (lines(desk, State::Pending).await, "text/markdown"),
        "stats" => (stats(desk).await, "application/json"),
        id => (memory(desk, id).await, "application/json"),
    };
    let text = text.map_err(|error| match error.kind() {
        ErrorKind::NotFound => not_found(uri),
        _ => failed(&error),
    })?;
    let contents = ResourceContents::text(text, uri).with_mime_type(mime_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn recent(desk: &Desk, state: State, cursor: Option<String>) -> cofio::Result<Listed> {
    let mut selection = desk.place().selection(None, None)?;
    selection.criteria = Criteria { states: vec![state], ..Criteria::default() };
    let request = ListRequest { limit: PAGE, cursor, ..ListRequest::new(selection) };
    desk.engine().await?.list(desk.place().caller(), &request).await
}

async fn lines(desk: &Desk, state: State) -> cofio::Result<String> {
    let memories = recent(desk, state, None).await?.memories;
    let views: Vec<MemoryView> = memories.iter().map(MemoryView::from).collect();
    Ok(if views.is_empty() { "Nothing is there.".to_owned() } else { view::lines(&views) })
}

async fn context(desk: &Desk) -> cofio::Result<String> {
    let selection = desk.place().selection(None, None)?;
    // Without a prompt nothing is relevant, and everything lasting is.
    let request = ContextRequest { facts: 0, ..ContextRequest::new(selection, "") };
    let block = desk.engine().await?.context(desk.place().caller(), &request).await?;
    if block.memories.is_empty() {
        return Ok("Nothing is known of the user yet.".to_owned());
    }
    Ok(block.markdown())
}

async fn stats(desk: &Desk) -> cofio::Result<String> {
    let scopes = desk.place().scopes(None, None)?;
    let stats = desk.engine().await?.stats(desk.place().caller(), Some(&scopes)).await?;
    Ok(view::json(&StatsView::from(&stats)))
}

async fn memory(desk: &Desk, id: &str) -> cofio::Result<String> {
    let memory = desk.engine().await?.get(desk.place().caller(), &id.parse()?).await?;
    Ok(view::json(&MemoryEntry::from(&memory)))
}

fn resource(memory: &Memory) -> Resource {
    let content = memory.content.as_str();
    let mut title: String = content.chars().take(TITLE).collect();
    if title.len() < content.len() {
        title.push('…');
    }
    Resource::new(format!("{SCHEME}{}", memory.id), memory.id.as_str())
        .with_title(view::on_one_line(&title))
        .with_mime_type("application/json")
}

fn not_found(uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(80).collect();
    let data = serde_json::json!({ "uri": shown });
    ErrorData::resource_not_found(format!("no resource {shown:?}"), Some(data))
}

/// Returns the error of a request that is no tool's.
pub(super) fn failed(error: &Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
