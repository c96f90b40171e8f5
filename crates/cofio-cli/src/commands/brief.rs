//! What a while has brought, for somebody who looks at it.

use anyhow::Result;
use clap::Args;
use cofio::engine::ForgetReason;
use cofio::lifecycle::brief::Brief as News;
use cofio::model::{Channel, Confirmation, Memory, MemoryId, Scope, Source, State};
use cofio::wire::BriefOutput;

use crate::app::App;
use crate::output::Page;
use crate::{input, present, when};

const EXAMPLES: &str = "\
Examples:
  cofio brief
  cofio brief --since monday
  cofio brief --since 2026-03-01 --json
  cofio brief --accept fact_0198c0de0000700080000000000000aa --reject fact_0198c0de0000700080000000000000ab";

/// How many memories of each sort are shown.
const MOST: usize = 20;

/// Shows what was learnt, changed and forgotten lately, and lets you accept or reject it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Brief {
    /// Since when: a day, a moment, a time such as 7d, a weekday, today or yesterday
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    since: when::Since,
    /// Accepts a memory: it is certain and never fades
    #[arg(long, value_name = "ID")]
    accept: Vec<String>,
    /// Rejects a memory: it is forgotten, and not learnt again if it waits for review
    #[arg(long, value_name = "ID")]
    reject: Vec<String>,
}

impl Brief {
    pub async fn run(self, app: &App) -> Result<()> {
        let ids = |raw: &[String]| raw.iter().map(|id| input::id(id)).collect::<Result<Vec<_>>>();
        let (accepted, rejected) = (ids(&self.accept)?, ids(&self.reject)?);
        for id in &accepted {
            accept(app, id).await?;
        }
        for id in &rejected {
            reject(app, id).await?;
        }
        let since = self.since.moment(app.engine.now(), app.zone())?;
        let scopes = scopes(app).await?;
        let news = app.engine.brief(&app.caller, &scopes, since).await?;
        app.output.answer(|| BriefOutput::new(since, &news), |page| show(page, &news, app))?;
        app.output.note_scopes(&scopes);
        Ok(())
    }
}

/// Returns the scopes that are looked at: those that the command line names, or all.
async fn scopes(app: &App) -> Result<Vec<Scope>> {
    let mut scopes = app.engine.scopes(&app.caller).await?;
    app.retain_named(&mut scopes)?;
    Ok(scopes)
}

/// Vouches for a memory, whether it waits for review or not.
async fn accept(app: &App, id: &MemoryId) -> Result<()> {
    let memory = app.engine.get(&app.caller, id).await?;
    let text = Some(memory.content.as_str().to_owned());
    let confirmation =
        Confirmation { text, ..Confirmation::new(Source::through(Channel::ExplicitSave)) };
    app.engine.confirm(&app.caller, id, &confirmation).await?;
    Ok(())
}

/// Forgets a memory; what waits for review is not learnt again.
async fn reject(app: &App, id: &MemoryId) -> Result<()> {
    let memory = app.engine.get(&app.caller, id).await?;
    if memory.state == State::Pending {
        return Ok(app.engine.reject(&app.caller, id).await?);
    }
    app.consent.ask(&format!("Forget {id}?"))?;
    let ids = std::slice::from_ref(id);
    app.engine.forget_chosen(&app.caller, ids, ForgetReason::Id).await?;
    Ok(())
}

fn show(page: &mut Page, news: &News, app: &App) {
    if news.is_empty() {
        page.line("nothing was learnt, changed or forgotten");
    }
    section(page, "Learnt", &news.learnt, app);
    if !news.changed.is_empty() {
        page.strong("Changed");
    }
    for (before, after) in news.changed.iter().take(MOST) {
        let now = after.as_ref().map(|after| present::beginning(after.content.as_str()));
        page.line(now.unwrap_or_else(|| "no longer so".to_owned()));
        let before_that = present::beginning(before.content.as_str());
        page.aside(format!("{} · before: {before_that}", before.id));
    }
    tell_rest(page, news.changed.len());
    section(page, "No longer in use", &news.faded, app);
    section(page, "Waits for your word", &news.waiting, app);
    if news.forgotten > 0 {
        page.line(format!("{} forgotten", present::memories(news.forgotten)));
    }
    if let Some(reflection) = &news.reflection {
        page.strong("Looking back");
        page.line(reflection.content.as_str());
        page.aside(reflection.id.to_string());
    }
}

fn section(page: &mut Page, title: &str, memories: &[Memory], app: &App) {
    if memories.is_empty() {
        return;
    }
    page.strong(title);
    for memory in memories.iter().take(MOST) {
        present::brief(page, memory, app.zone());
    }
    tell_rest(page, memories.len());
}

/// Says how many of a section are not shown.
fn tell_rest(page: &mut Page, count: usize) {
    if count > MOST {
        page.aside(format!("and {} more, which --json shows", count - MOST));
    }
}
