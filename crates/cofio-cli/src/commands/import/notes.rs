//! Taking in other programs' folders of markdown.

mod gathered;

use std::path::Path;

use anyhow::{Context as _, Result};
use cofio::engine::{Each, Remembered};
use cofio::files::foreign::{self, Format, Note, detect};
use cofio::model::{Channel, Doubt, Draft, Scope, Source, State, Trust};
use cofio::{Error, ErrorKind, ingest};
use serde::Serialize;

use crate::app::App;
use crate::output::{self, Page};
use crate::present;
use crate::progress::Progress;
use gathered::Gathered;

/// How many memories are written together.
const PIECE: usize = 1_000;

/// How many things that were left out are shown to people.
const SHOWN: usize = 20;

/// What is taken in, and how.
pub struct Taking<'a> {
    /// A file or a folder.
    pub path: &'a Path,
    /// What wrote it, unless that is to be found out.
    pub from: Option<Format>,
    /// The most that anything is trusted.
    pub trust: Trust,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// What became of a folder.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NotesOutput {
    path: String,
    from: &'static str,
    /// What speaks for that, if nobody said so.
    detected: Option<&'static str>,
    scope: String,
    dry_run: bool,
    files: usize,
    created: u64,
    existing: u64,
    repeated: usize,
    pending: u64,
    refused: u64,
    redacted: u64,
    problems: Vec<Problem>,
}

/// Something that was not taken in.
#[derive(Debug, Serialize)]
struct Problem {
    path: String,
    line: Option<usize>,
    why: String,
}

/// Takes in a file or a folder; whoever does so vouches for it, up to a trust.
pub async fn run(app: &App, taking: Taking<'_>) -> Result<()> {
    let scope = app.scope_to_write()?;
    let gathered = gathered::gather(taking.path)?;
    let hidden: Vec<&str> = gathered.hidden.iter().map(String::as_str).collect();
    let detected = taking.from.is_none().then(|| detect(&gathered.files, &hidden));
    let format = taking.from.or(detected.map(|found| found.format)).unwrap_or(Format::Markdown);
    let notes = foreign::read(format, &gathered.files, app.zone());
    let mut output = NotesOutput {
        path: output::shown(taking.path),
        from: format.as_str(),
        detected: detected.map(|found| found.why),
        scope: scope.to_string(),
        dry_run: taking.dry_run,
        files: gathered.files.len(),
        created: 0,
        existing: 0,
        repeated: notes.repeated,
        pending: 0,
        refused: 0,
        redacted: 0,
        problems: Vec::new(),
    };
    write(app, &taking, &gathered, &scope, &notes.notes, &mut output).await?;
    output.problems.extend(gathered.problems);
    app.output.answer(|| &output, |page| output.show(page))
}

/// Writes notes piece by piece, and adds up what becomes of them.
async fn write(
    app: &App,
    taking: &Taking<'_>,
    gathered: &Gathered,
    scope: &Scope,
    notes: &[Note],
    output: &mut NotesOutput,
) -> Result<()> {
    let progress = Progress::of(notes.len(), if taking.dry_run { "checking" } else { "importing" });
    for (number, piece) in notes.chunks(PIECE).enumerate() {
        let drafts = piece.iter().map(|note| draft(app, taking, gathered, scope, note)).collect();
        let each: cofio::Result<Each> = if taking.dry_run {
            app.engine.rehearse_each(&app.caller, drafts).await
        } else {
            app.engine.remember_each(&app.caller, drafts).await
        };
        let kept = output.created;
        let each = each.map_err(|error| error.with("kept", kept)).with_context(|| {
            format!("{} kept, then", present::count(kept, "memory", "memories"))
        })?;
        for (note, one) in piece.iter().zip(each) {
            output.add(note, one)?;
        }
        progress.at((number * PIECE + piece.len()) as u64);
    }
    Ok(())
}

/// Returns the draft of a note; what may be a secret is taken out, as nobody can be asked.
fn draft(app: &App, taking: &Taking<'_>, gathered: &Gathered, scope: &Scope, note: &Note) -> Draft {
    let mut source = Source::through(Channel::ExplicitSave).trusted_at_most(taking.trust);
    if ingest::instructs(&note.text) {
        // Nobody can tell who wrote orders to an assistant into a file.
        source = source.trusted_at_most(Trust::Low);
    }
    source.reference = Some(gathered.reference(&note.path));
    let doubt = if app.doubt() == Doubt::Keep { Doubt::Keep } else { Doubt::Redact };
    Draft { doubt, ..note.draft(scope.clone(), source) }
}

impl NotesOutput {
    /// Counts what became of a note; what concerns everything is passed on.
    fn add(&mut self, note: &Note, one: cofio::Result<Remembered>) -> Result<()> {
        match one {
            Ok(remembered) if remembered.existing => self.existing += 1,
            Ok(remembered) => {
                self.created += 1;
                self.pending += u64::from(remembered.memory.state == State::Pending);
                self.redacted += remembered.redactions.len() as u64;
            }
            Err(error) => {
                self.refused += 1;
                let (path, line) = (note.path.clone(), Some(note.line));
                self.problems.push(Problem { path, line, why: told(error)? });
            }
        }
        Ok(())
    }

    fn show(&self, page: &mut Page) {
        if let Some(why) = self.detected {
            page.line(format!("{} looks like {}: {why}", self.path, self.from));
        }
        let verb = if self.dry_run { "would import" } else { "imported" };
        let new = present::count(self.created, "new memory", "new memories");
        let files = present::count(self.files as u64, "file", "files");
        page.line(format!("{verb} {new} from {files} into {}", self.scope));
        let others = [
            (self.existing, "here already", ""),
            (self.repeated as u64, "said more than once", ""),
            (self.pending, "waiting for review", " (cofio review)"),
            (self.redacted, "secrets taken out", ""),
        ];
        for (count, what, why) in others.into_iter().filter(|(count, ..)| *count > 0) {
            page.aside(format!("{what}: {count}{why}"));
        }
        for Problem { path, line, why } in self.problems.iter().take(SHOWN) {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            page.line(format!("left out {path}{line}: {why}"));
        }
        if let Some(more) = self.problems.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            page.line(format!("left out {more} more (--json names all)"));
        }
    }
}

/// Returns why one note was not taken in; other failures concern everything.
fn told(error: Error) -> Result<String> {
    match error.kind() {
        ErrorKind::Refused
        | ErrorKind::Invalid
        | ErrorKind::ContentTooLong
        | ErrorKind::ConfirmationRequired => Ok(error.to_string()),
        _ => Err(error.into()),
    }
}
