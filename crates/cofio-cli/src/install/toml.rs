//! Edits of Codex's settings that leave everything else as it stands.

use anyhow::{Context as _, Result, bail};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::edit::runs_cofio;

const SERVERS: &str = "mcp_servers";
const NAME: &str = "cofio";

/// Adds the server, or brings the path of its program up to date.
pub fn add(text: &str, program: &str) -> Result<String> {
    let mut document = parse(text)?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        // Only the tables in it are written.
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers.as_table_like_mut().context("mcp_servers is no table")?;
    match servers.get_mut(NAME) {
        None => {
            let mut server = Table::new();
            server.insert("command", value(program));
            server.insert("args", value(Array::from_iter(["mcp"])));
            servers.insert(NAME, Item::Table(server));
        }
        Some(known) => {
            let known = known.as_table_like_mut().filter(|server| is_ours(*server));
            let Some(known) = known else { bail!("{SERVERS}.{NAME} is another server") };
            if known.get("command").and_then(Item::as_str) != Some(program) {
                known.insert("command", value(program));
            }
        }
    }
    Ok(document.to_string())
}

/// Takes the server out, and the table if nothing else is in it.
pub fn remove(text: &str) -> Result<String> {
    let mut document = parse(text)?;
    let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let ours = servers.get(NAME).and_then(Item::as_table_like).is_some_and(is_ours);
    if !ours {
        return Ok(text.to_owned());
    }
    servers.remove(NAME);
    if servers.is_empty() {
        document.remove(SERVERS);
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let start = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(start).filter(|&byte| byte == b'\n').count();
        anyhow::anyhow!("line {line} is no TOML: {}", error.message())
    })
}

fn is_ours(server: &(impl TableLike + ?Sized)) -> bool {
    let program = server.get("command").and_then(Item::as_str).unwrap_or_default();
    let arguments = server.get("args").and_then(Item::as_array);
    let first = arguments.and_then(|arguments| arguments.get(0)?.as_str());
    runs_cofio(program, first, "mcp")
}
