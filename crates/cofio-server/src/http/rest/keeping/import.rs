use axum::http::{Method, StatusCode};
use bytes::Bytes;
use cofio::engine::{ConflictMode, Imported, Importing};
use cofio::model::{Caller, Right, Trust};
use cofio::{Engine, ErrorKind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::task;

use crate::http::body::Lines;
use crate::http::endpoint::{Asked, Endpoint, Group, Header, Nothing, Size};
use crate::http::eventually::Eventually;
use crate::http::failure::{Failure, Outcome};
use crate::http::rest::{OnPossibleSecret, doubt};
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Import;

/// How a bundle is taken in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImportQuery {
    /// What to do with a memory that is here already and differs: skip (the default), replace,
    /// newer or fail.
    on_conflict: Option<ConflictName>,
    /// The most that anything in the bundle is trusted: low, medium or high (the default).
    trust: Option<String>,
    /// What becomes of what may be a secret: ask (the default: nothing is taken in), keep or redact.
    on_possible_secret: Option<OnPossibleSecret>,
    /// Whether to say only what would happen.
    #[serde(default)]
    dry_run: bool,
}

/// What to do with a memory that is here already.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ConflictName {
    /// Leave it as it is.
    Skip,
    /// Make the bundle's its next version.
    Replace,
    /// Do so if the bundle's was changed later.
    Newer,
    /// Change nothing at all.
    Fail,
}

/// What became of a bundle.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImportOutput {
    /// Memories that were added.
    created: u64,
    /// Memories that got a next version.
    replaced: u64,
    /// Memories that were there already and stay as they are.
    skipped: u64,
    /// Memories that another one in the same scope says the same as.
    duplicates: u64,
    /// Memories that were forgotten here, and stay so.
    forgotten: u64,
    /// Memories that say what was rejected here, and stay out.
    rejected: u64,
    /// Memories that the rules of every write refuse.
    refused: u64,
    /// Secrets that were taken out.
    redacted: u64,
    /// Whether nothing was changed, and this only says what would be.
    dry_run: bool,
}

impl Endpoint for Import {
    type Path = Nothing;
    type Query = ImportQuery;
    type Body = Lines;
    type Answer = Eventually<ImportOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/import";
    const NAME: &'static str = "importMemories";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Take in a bundle that an export wrote";
    const ABOUT: &'static str = "All of it is checked and rehearsed first, and nothing is changed if any of it is wrong. If somebody else changes the store meanwhile, it may stop part-way; repeated then, it takes in what is missing. Every memory passes the same rules as if it were said today.";
    const NEEDS: Right = Right::Write;
    const SIZE: Size = Size::Bulk;
    const HEADERS: &'static [Header] = &[Header::Prefer];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Lines(bundle) = asked.body;
        let importing = asked.query.importing()?;
        if !importing.dry_run {
            visit.notes().begins(Act::Create);
        }
        let (engine, caller) = (visit.engine.clone(), visit.caller().clone());
        let work = async move {
            let runtime = Handle::current();
            // Reading a bundle keeps a processor busy for a while.
            let imported = task::spawn_blocking(move || {
                runtime.block_on(import(&engine, &caller, &bundle, importing))
            });
            let imported = imported.await.map_err(|_| broke_down())??;
            Ok(ImportOutput::new(&imported, importing.dry_run))
        };
        Eventually::of(visit, Self::NAME, work).await
    }
}

/// Takes a bundle in, after rehearsing it: that finds whatever would stop halfway.
async fn import(
    engine: &Engine,
    caller: &Caller,
    bundle: &Bytes,
    importing: Importing,
) -> Result<Imported> {
    let rehearsal = Importing { dry_run: true, ..importing };
    let planned = engine.import(caller, &bundle[..], rehearsal, |_| {}).await?;
    if importing.dry_run {
        return Ok(planned);
    }
    engine.import(caller, &bundle[..], importing, |_| {}).await
}

fn broke_down() -> Failure {
    let message = "the import broke down, and may be done in part";
    let code = ErrorKind::Provider.code();
    Failure::new(StatusCode::INTERNAL_SERVER_ERROR, code, message)
}

impl ImportQuery {
    fn importing(self) -> Result<Importing> {
        Ok(Importing {
            on_conflict: self.on_conflict.map_or(ConflictMode::Skip, ConflictMode::from),
            trusted_at_most: self.trust.map_or(Ok(Trust::High), |name| name.parse())?,
            doubt: doubt(self.on_possible_secret),
            dry_run: self.dry_run,
        })
    }
}

impl ImportOutput {
    fn new(imported: &Imported, dry_run: bool) -> Self {
        Self {
            created: imported.created,
            replaced: imported.replaced,
            skipped: imported.skipped,
            duplicates: imported.duplicates,
            forgotten: imported.forgotten,
            rejected: imported.rejected,
            refused: imported.refused,
            redacted: imported.redacted,
            dry_run,
        }
    }
}

impl From<ConflictName> for ConflictMode {
    fn from(name: ConflictName) -> Self {
        match name {
            ConflictName::Skip => Self::Skip,
            ConflictName::Replace => Self::Replace,
            ConflictName::Newer => Self::Newer,
            ConflictName::Fail => Self::Fail,
        }
    }
}
