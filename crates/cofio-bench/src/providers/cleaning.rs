//! Removing what a measurement has left on servers.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use cofio::shelf::Shelf;
use pollster::block_on;
use qdrant_client::Qdrant;
use serde_json::json;

use super::tier::{People, TIERS};
use crate::database::{Database, runtime};

/// How many texts are taken off a shelf at a time.
const PIECE: usize = 500;

/// Where Chroma keeps the databases of whoever is not anybody in particular.
const DATABASES: &str = "api/v2/tenants/default_tenant/databases";

/// What has to be removed.
#[derive(Default)]
pub struct Cleaning {
    schema: Option<(String, String)>,
    collections: Option<(String, String)>,
    database: Option<String>,
}

impl Cleaning {
    /// Removes a schema of PostgreSQL in the end.
    pub fn schema(&mut self, url: &str, schema: &str) {
        self.schema = Some((url.to_owned(), schema.to_owned()));
    }

    /// Returns the server and the schema that are to be removed.
    pub fn kept_in(&self) -> Option<(&str, &str)> {
        self.schema.as_ref().map(|(url, schema)| (url.as_str(), schema.as_str()))
    }

    /// Removes the collections of Qdrant in the end that begin with a word.
    pub fn collections(&mut self, url: &str, prefix: &str) {
        self.collections = Some((url.to_owned(), prefix.to_owned()));
    }

    /// Makes a database of Chroma, and removes it in the end.
    pub fn database(&mut self, url: &str, name: &str) -> Result<()> {
        let all = format!("{}/{DATABASES}", url.trim_end_matches('/'));
        ureq::post(&all)
            .header("content-type", "application/json")
            .send(json!({ "name": name }).to_string())
            .context("cannot make a database in Chroma")?;
        self.database = Some(format!("{all}/{name}"));
        Ok(())
    }

    /// Removes everything.
    pub fn run(self, shelves: &[Arc<dyn Shelf>]) -> Result<()> {
        if let Some((url, schema)) = &self.schema {
            Database::open(url)?.drop_schema(schema)?;
        }
        if let Some((url, prefix)) = &self.collections {
            runtime()?.block_on(drop_collections(url, prefix))?;
        }
        if let Some(database) = &self.database {
            ureq::delete(database).call().context("cannot remove a database of Chroma")?;
        }
        // Qdrant and Chroma are rid of it by now.
        let others = shelves.iter().filter(|shelf| !shelf.abilities().vectors);
        others.into_iter().try_for_each(|shelf| block_on(empty(&**shelf)))
    }
}

async fn drop_collections(url: &str, prefix: &str) -> Result<()> {
    let server = Qdrant::from_url(url).skip_compatibility_check().build()?;
    for collection in server.list_collections().await?.collections {
        if collection.name.starts_with(prefix) {
            server.delete_collection(collection.name).await?;
        }
    }
    Ok(())
}

/// Takes everything off a shelf.
async fn empty(shelf: &dyn Shelf) -> Result<()> {
    for people in People::ALL {
        for tier in TIERS {
            let slots = shelf.slots(&tier.scope(people)?, None, usize::MAX).await?;
            for piece in slots.chunks(PIECE) {
                shelf.remove(piece).await?;
            }
        }
    }
    Ok(())
}
