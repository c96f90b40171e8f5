//! Moving everything to another store.

mod place;

use std::process;

use anyhow::Result;
use clap::Args;
use cofio::model::Timestamp;
use cofio::store::{Moved, Mover, Part, Step};
use serde::Serialize;

use crate::app;
use crate::arguments::Globals;
use crate::failure::Refusal;
use crate::output::{Form, Output, Page};
use crate::present;
use crate::progress::Progress;
use place::{Named, Place};

const EXAMPLES: &str = "\
Examples:
  cofio migrate --to postgres --dry-run
  cofio migrate --from embedded --to postgres
  cofio migrate --from postgres --to ~/cofio.db
  cofio migrate --from embedded --to postgres://cofio@db.example.com/cofio
  cofio migrate --from postgres --to tiered --to-schema tiered

A store is embedded, postgres, tiered or chroma, with the addresses of the settings; a file; or an
address of PostgreSQL, which is better given as COFIO_POSTGRES_URL if it has a password.";

/// Moves everything to another store: memories, history, audit, keys, jobs and vectors
///
/// The store it comes from stays as it is and may be used meanwhile. What differs is copied until
/// nothing does, so a move that was stopped goes on where it was, and a second one moves what is
/// new. The store it goes to has to be empty, or an earlier copy that nobody has written to.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Migrate {
    /// Where everything is; what the settings say if it is left out
    #[arg(long, value_name = "STORE")]
    from: Option<Named>,
    /// Where everything goes
    #[arg(long, value_name = "STORE")]
    to: Named,
    /// The schema in PostgreSQL that it comes from
    #[arg(long, value_name = "SCHEMA")]
    from_schema: Option<String>,
    /// The schema in PostgreSQL that it goes to
    #[arg(long, value_name = "SCHEMA")]
    to_schema: Option<String>,
    /// Counts what there is, and moves nothing
    #[arg(long)]
    dry_run: bool,
}

/// What was moved.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MigrateOutput {
    from: String,
    to: String,
    dry_run: bool,
    verified: bool,
    passes: u32,
    parts: Vec<PartOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<String>,
}

/// What was moved of a part.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PartOutput {
    part: &'static str,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    already_there: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

impl Migrate {
    pub async fn run(self, globals: &Globals) -> Result<()> {
        let settings = app::settings(globals)?;
        let from = Place::of("from", self.from.as_ref(), self.from_schema.as_deref(), globals)?;
        let to = Place::of("to", Some(&self.to), self.to_schema.as_deref(), globals)?;
        from.refuse_same(&to)?;
        let source = from.open()?;
        let destination = to.open_to_fill(self.dry_run)?;
        let holder = format!("{}-{}", process::id(), Timestamp::now().as_nanosecond());
        let clock = Timestamp::now;
        let mover = Mover { from: &*source, to: &*destination, holder: &holder, clock: &clock };
        let counts = mover.compare_counts().await?;
        if counts.iter().all(|(part, count, _)| *part == Part::Settings || *count == 0) {
            return Err(Refusal::Usage(format!("there is nothing in {from}")).into());
        }
        let output = if self.dry_run {
            planned(&from, &to, &counts)
        } else {
            let progress = Progress::of(0, "moving");
            // Programs expect nothing there but errors.
            let progress = match globals.form() {
                Form::Text => progress.told_in_lines(),
                Form::Json => progress,
            };
            let moved = mover.run(&mut |step| show(&progress, step)).await?;
            drop(progress);
            told(&from, &to, &moved)
        };
        let page = Output::new(globals.form(), settings.color());
        page.answer(|| &output, |page| output.show(page))
    }
}

fn show(progress: &Progress, step: Step) {
    progress.doing(if step.pass == 1 { "moving" } else { "comparing once more" });
    progress.reached(step.done, step.total.max(step.done));
}

fn planned(from: &Place, to: &Place, counts: &[(Part, u64, u64)]) -> MigrateOutput {
    let part = |&(part, count, there): &(Part, u64, u64)| PartOutput {
        part: part.as_str(),
        count,
        already_there: Some(there),
        changed: None,
        digest: None,
    };
    MigrateOutput {
        from: from.to_string(),
        to: to.to_string(),
        dry_run: true,
        verified: false,
        passes: 0,
        parts: counts.iter().map(part).collect(),
        set: None,
    }
}

fn told(from: &Place, to: &Place, moved: &Moved) -> MigrateOutput {
    let part = |moved: &cofio::store::MovedPart| PartOutput {
        part: moved.part.as_str(),
        count: moved.count,
        already_there: None,
        changed: Some(moved.changed),
        digest: Some(moved.digest.clone()),
    };
    MigrateOutput {
        from: from.to_string(),
        to: to.to_string(),
        dry_run: false,
        verified: true,
        passes: moved.passes,
        parts: moved.parts.iter().map(part).collect(),
        set: Some(to.setting()),
    }
}

impl MigrateOutput {
    fn show(&self, page: &mut Page) {
        let Self { from, to, .. } = self;
        let memories = self.count(Part::Memories);
        let memories = present::count(memories, "memory", "memories");
        if self.dry_run {
            page.line(format!("would move {memories} from {from} to {to}"));
        } else if self.is_unchanged() {
            page.line(format!("nothing differs: {to} has the same {memories} as {from}"));
        } else {
            page.line(format!("moved {memories} from {from} to {to}"));
        }
        for part in self.parts.iter().filter(|part| part.count > 0) {
            let beside = match (part.already_there, part.changed) {
                _ if self.is_unchanged() => String::new(),
                (Some(there), _) if there > 0 => format!(" ({there} there already)"),
                (_, Some(changed)) if changed < part.count => format!(" ({changed} written)"),
                _ => String::new(),
            };
            page.indented(format!("{}: {}{beside}", part.part, part.count));
        }
        let Some(set) = &self.set else { return };
        let entries = present::count(self.count(Part::Audit), "entry", "entries");
        page.line(format!(
            "verified: every record is the same in both, and the audit of {entries} is whole"
        ));
        page.aside(format!("{from} is as it was; to use the new one, set {set}"));
    }

    /// Returns whether everything was there already.
    fn is_unchanged(&self) -> bool {
        !self.dry_run && self.parts.iter().all(|part| part.changed == Some(0))
    }

    fn count(&self, part: Part) -> u64 {
        self.parts.iter().find(|one| one.part == part.as_str()).map_or(0, |one| one.count)
    }
}
