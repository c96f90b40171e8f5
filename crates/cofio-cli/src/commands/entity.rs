//! What memories name.

use anyhow::Result;
use clap::Args;
use cofio::engine::EntityProfile;
use cofio::model;
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
    /// The one to show with its memories; without it, all are listed
    name: Option<String>,
    /// How many at most
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
        if let Some(name) = &self.name {
            let profiles = app.engine.entity(&app.caller, &scopes, name).await?;
            app.output.answer(
                || output(profiles.iter().map(EntityOutput::from).collect()),
                |page| profiles.iter().for_each(|profile| show(page, profile, app.zone())),
            )?;
        } else {
            let limit = usize::from(self.limit);
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
    for memory in &profile.memories {
        present::brief(page, memory, zone);
    }
}
