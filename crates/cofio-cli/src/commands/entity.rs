//! What memories name.

use anyhow::Result;
use clap::Args;
use cofio::engine::EntityProfile;
use cofio::model::{self, Memory, State};
use cofio::retrieval::Companion;
use cofio::wire::{EntityOutput, ScopeOutput};
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::app::App;
use crate::output::Page;
use crate::{present, when};

const EXAMPLES: &str = "\
Examples:
  cofio entity
  cofio entity @nora";

/// Shows the people, topics, addresses and dates that memories name
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Entity {
    /// The one to show with its timeline; without it, all are listed
    name: Option<String>,
    /// How many entities are listed, or memories shown, at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50, allow_negative_numbers = true)]
    limit: u16,
}

/// Entities, and where they are named.
#[derive(Debug, Serialize)]
struct EntitiesOutput {
    entities: Vec<EntityOutput>,
    scopes: Vec<ScopeOutput>,
}

impl Entity {
    pub async fn run(self, app: &App) -> Result<()> {
        let identifiers = app.identifiers()?;
        let scopes = cofio::retrieval::reach(&app.caller, &identifiers, app.layers().as_deref())?;
        let output = |entities| EntitiesOutput {
            entities,
            scopes: scopes.iter().map(ScopeOutput::from).collect(),
        };
        let limit = usize::from(self.limit);
        if let Some(name) = &self.name {
            let profiles = app.engine.entity(&app.caller, &scopes, name, limit).await?;
            app.output.answer(
                || output(profiles.iter().map(EntityOutput::from).collect()),
                |page| profiles.iter().for_each(|profile| show(page, profile, app.zone())),
            )?;
        } else {
            let entities = app.engine.entities(&app.caller, &scopes, limit).await?;
            app.output.answer(
                || output(entities.iter().map(EntityOutput::from).collect()),
                |page| entities.iter().for_each(|entity| page.line(headline(entity))),
            )?;
        }
        app.output.note_scopes(&scopes);
        Ok(())
    }
}

fn headline(entity: &model::Entity) -> String {
    let named = present::count(entity.mention_count, "memory", "memories");
    format!("{} ({}), in {named}", entity.name, entity.entity_type)
}

fn show(page: &mut Page, profile: &EntityProfile, zone: &TimeZone) {
    let entity = &profile.entity;
    page.strong(headline(entity));
    page.aside(format!("written {}", entity.aliases.join(", ")));
    page.aside(format!(
        "named from {} to {}",
        when::shown(entity.first_at, zone),
        when::shown(entity.last_at, zone)
    ));
    let companion = |other: &Companion| format!("{} ({})", other.name, other.memories);
    let companions: Vec<String> = profile.companions.iter().map(companion).collect();
    if !companions.is_empty() {
        page.aside(format!("together with {}", companions.join(", ")));
    }
    for triple in profile.statements.iter().filter_map(|memory| memory.triple.as_ref()) {
        page.aside(format!("it is stated: {}", present::statement(triple)));
    }
    for period in &profile.timeline {
        page.strong(&period.name);
        for memory in &period.memories {
            moment(page, memory, zone);
        }
    }
}

/// Shows what happened, and until when it held if it was replaced.
fn moment(page: &mut Page, memory: &Memory, zone: &TimeZone) {
    present::brief(page, memory, zone);
    if memory.state == State::Superseded {
        let until = memory.valid_until.map(|until| format!(" until {}", when::shown(until, zone)));
        let by = memory.provenance.superseded_by.as_ref().map(|by| format!(", now {by}"));
        page.aside(format!("held{}{}", until.unwrap_or_default(), by.unwrap_or_default()));
    }
}
