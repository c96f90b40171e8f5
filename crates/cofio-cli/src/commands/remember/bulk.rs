use std::io::{self, BufRead, Read as _};

use anyhow::{Context as _, Result};
use cofio::engine::Remembered;
use cofio::model::{Draft, MemoryId, Scope, Timestamp};
use cofio::wire::{AddOutput, RedactionOutput, ScopeOutput};
use cofio::{Error, ErrorKind, ingest};
use serde::Serialize;

use super::fields::Fields;
use crate::app::App;
use crate::input;
use crate::output::Page;
use crate::present;
use crate::progress::Progress;

/// How many memories are written together.
const PIECE: usize = 1_000;

/// The most bytes that are held before the first is written.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// What became of all lines.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BulkOutput {
    added: usize,
    existing: usize,
    ids: Vec<String>,
    redactions: Vec<RedactionOutput>,
    #[serde(flatten)]
    scope: ScopeOutput,
}

/// Remembers what every line of standard input says, or nothing if one is wrong.
pub async fn run(app: &App, scope: Scope, defaults: &Fields) -> Result<()> {
    let mut drafts = read(app, &scope, defaults).await?;
    let progress = Progress::of(drafts.len(), "remembering");
    let mut output = BulkOutput {
        added: 0,
        existing: 0,
        ids: Vec::new(),
        redactions: Vec::new(),
        scope: ScopeOutput::from(&scope),
    };
    while !drafts.is_empty() {
        let piece = drafts.drain(..PIECE.min(drafts.len())).collect();
        let remembered = app.engine.remember_all(&app.caller, piece).await;
        let done = output.ids.len();
        let remembered = remembered
            .map_err(|error| error.with("kept", done))
            .with_context(|| format!("{} kept, then", present::memories(done)))?;
        for one in &remembered {
            output.add(one);
        }
        progress.at(output.ids.len() as u64);
    }
    drop(progress);
    app.output.answer(|| &output, |page| output.show(page))?;
    Ok(())
}

impl BulkOutput {
    fn add(&mut self, remembered: &Remembered) {
        if remembered.existing {
            self.existing += 1;
        } else {
            self.added += 1;
        }
        self.ids.push(remembered.memory.id.to_string());
        self.redactions.extend(AddOutput::from(remembered).redactions);
    }

    fn show(&self, page: &mut Page) {
        let added = present::memories(self.added);
        page.line(format!(
            "remembered {added} in {}, {} known already",
            self.scope.scope, self.existing
        ));
        if !self.redactions.is_empty() {
            let secrets = present::count(self.redactions.len() as u64, "secret", "secrets");
            let mut classes: Vec<&str> = self.redactions.iter().map(|one| one.class).collect();
            classes.sort_unstable();
            classes.dedup();
            page.line(format!("took out {secrets}: {}", classes.join(", ")));
        }
    }
}

/// Reads and checks every line; an error names the line.
async fn read(app: &App, scope: &Scope, defaults: &Fields) -> Result<Vec<Draft>> {
    let mut input = io::stdin().lock();
    let mut drafts = Vec::new();
    let mut bytes = 0;
    for number in 1.. {
        let at_line = |error: anyhow::Error| numbered(&error, number);
        let Some(line) = next_line(&mut input, longest_line(app)).map_err(at_line)? else { break };
        bytes += line.len();
        if bytes > MOST_BYTES {
            let message = format!("more than {MOST_BYTES} bytes at once; split the file");
            return Err(at_line(Error::new(ErrorKind::ContentTooLong, message).into()));
        }
        if !line.trim().is_empty() {
            drafts.push(draft(app, scope, defaults, &line).await.map_err(at_line)?);
        }
    }
    Ok(drafts)
}

async fn draft(app: &App, scope: &Scope, defaults: &Fields, line: &str) -> Result<Draft> {
    let (content, fields) = Fields::of_line(input::object("this line", line)?)?;
    let draft = fields.or(defaults).draft(content, scope.clone(), app)?;
    check(app, draft.clone()).await?;
    Ok(draft)
}

/// Refuses now what would be refused later, when others are written already.
async fn check(app: &App, draft: Draft) -> Result<()> {
    let any_id: MemoryId = format!("{}_{:032}", draft.kind.prefix(), 0).parse()?;
    let prepared = ingest::prepare(draft.clone(), any_id, app.engine.config(), Timestamp::now());
    match prepared {
        // The engine refuses it as well, and puts that on record.
        Err(error) if error.kind() == ErrorKind::Refused => {
            app.engine.remember(&app.caller, draft).await?;
            Err(error.into())
        }
        prepared => Ok(prepared.map(drop)?),
    }
}

/// Returns how long a line may be: JSON writes a character with six bytes at most.
fn longest_line(app: &App) -> usize {
    let limits = &app.engine.config().limits;
    6 * (limits.content_bytes + limits.metadata_bytes)
}

fn next_line(input: &mut impl BufRead, longest: usize) -> Result<Option<String>> {
    let mut line = Vec::new();
    let most = longest as u64 + 1;
    let read =
        input.take(most).read_until(b'\n', &mut line).context("cannot read standard input")?;
    if read > longest {
        let message = format!("it has more than {longest} bytes; split it");
        return Err(Error::new(ErrorKind::ContentTooLong, message).into());
    }
    let line = String::from_utf8(line).map_err(|_| Error::invalid("it is not UTF-8"))?;
    Ok((read > 0).then_some(line))
}

/// Returns an error that names its line and keeps its kind.
fn numbered(error: &anyhow::Error, line: u64) -> anyhow::Error {
    let kind = error.downcast_ref::<Error>().map_or(ErrorKind::Invalid, Error::kind);
    Error::new(kind, format!("line {line}: {error:#}")).with("line", line).into()
}
