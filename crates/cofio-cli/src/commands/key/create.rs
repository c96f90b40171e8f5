use std::str::FromStr;

use anyhow::Result;
use clap::Args;
use cofio::model::{Bound, Identifier, KeyDraft, Layer, Right, Rights, Timestamp, Trust};
use jiff::SignedDuration;

use super::{entropy, hand_out};
use crate::app::App;
use crate::failure::Refusal;
use crate::when::{self, When};

const EXAMPLES: &str = "\
Examples:
  cofio key create laptop --user alice
  cofio key create dashboard --read-only --any user --expires 90d
  cofio key create crawler --project cofio --project website --trust low
  cofio key create cleaner --user alice --session s1 --right read --right delete
  cofio key create operations --admin

A key for a user opens all of the user's sessions and agents, unless some are named.
The token is printed once, and kept nowhere.";

/// Makes a key, and prints its token once
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Create {
    /// What to call it, such as the program or machine that gets it
    name: String,
    /// What it may do: read, write or delete, each by itself; read and write by default
    #[arg(long = "right", value_name = "RIGHT")]
    rights: Vec<Right>,
    /// Lets it read and nothing else
    #[arg(long, conflicts_with = "rights")]
    read_only: bool,
    /// Lets it do everything everywhere, and manage keys
    #[arg(long, conflicts_with_all = ["rights", "read_only"])]
    admin: bool,
    /// A user whose memories it opens; this and the next can be repeated
    #[arg(long, value_name = "NAME", help_heading = "What it opens")]
    user: Vec<String>,
    /// An agent of the user
    #[arg(long, value_name = "NAME", help_heading = "What it opens")]
    agent: Vec<String>,
    /// A conversation of the user
    #[arg(long, value_name = "NAME", help_heading = "What it opens")]
    session: Vec<String>,
    /// A project
    #[arg(long, value_name = "NAME", help_heading = "What it opens")]
    project: Vec<String>,
    /// A team
    #[arg(long, value_name = "NAME", help_heading = "What it opens")]
    team: Vec<String>,
    /// An organisation
    #[arg(long, value_name = "NAME", help_heading = "What it opens")]
    org: Vec<String>,
    /// A company
    #[arg(long, value_name = "NAME", help_heading = "What it opens")]
    company: Vec<String>,
    /// Everything on a layer: agent, user, session, project, team, org or company
    #[arg(long, value_name = "LAYER", help_heading = "What it opens")]
    any: Vec<Layer>,
    /// How far what is written with it is trusted at most: low, medium or high
    #[arg(long, value_name = "TRUST", default_value_t = Trust::High)]
    trust: Trust,
    /// When it ends: after a time such as 90d, or on a day such as 2026-12-31; never by default
    #[arg(long, value_name = "TIME")]
    expires: Option<End>,
}

impl Create {
    pub async fn run(self, app: &App) -> Result<()> {
        let draft = self.draft(app)?;
        let (key, token) = app.engine.create_key(&app.caller_for(true), draft, entropy()?).await?;
        hand_out(app, &key, &token)
    }

    fn draft(self, app: &App) -> Result<KeyDraft> {
        if app.globals.layer.is_some() {
            let message = "a key opens names: give --user NAME and the like, or --any LAYER";
            return Err(Refusal::Usage(message.to_owned()).into());
        }
        let rights = self.rights();
        let bound = self.bound()?;
        if bound == Bound::default() && !rights.contains(Right::Admin) {
            let message = "a key needs something to open: add --user NAME, --project NAME or \
                           another name, --any LAYER for all of a layer, or --admin for everything";
            return Err(Refusal::Usage(message.to_owned()).into());
        }
        let expires_at = self.expires.map(|end| end.moment(app)).transpose()?;
        Ok(KeyDraft { rights, trust: self.trust, expires_at, ..KeyDraft::new(self.name, bound) })
    }

    fn rights(&self) -> Rights {
        match (self.admin, self.read_only) {
            (true, _) => Rights::ALL,
            (_, true) => Rights::of(&[Right::Read]),
            _ if self.rights.is_empty() => Rights::of(&[Right::Read, Right::Write]),
            _ => Rights::of(&self.rights),
        }
    }

    fn bound(&self) -> Result<Bound> {
        let named = [
            (Layer::User, &self.user),
            (Layer::Agent, &self.agent),
            (Layer::Session, &self.session),
            (Layer::Project, &self.project),
            (Layer::Team, &self.team),
            (Layer::Org, &self.org),
            (Layer::Company, &self.company),
        ];
        let mut bound = Bound::default();
        for (layer, names) in named {
            if !names.is_empty() && self.any.contains(&layer) {
                let message = format!("--any {layer} opens every {layer}: leave --{layer} out");
                return Err(Refusal::Usage(message).into());
            }
            for name in names {
                bound = bound.with(layer, Identifier::new(name)?);
            }
        }
        Ok(self.any.iter().fold(bound, |bound, layer| bound.with_any(*layer)))
    }
}

/// When a key ends.
#[derive(Debug, Clone, Copy)]
enum End {
    After(SignedDuration),
    At(When),
}

impl End {
    fn moment(self, app: &App) -> Result<Timestamp> {
        match self {
            Self::At(when) => when.last(app.zone()),
            Self::After(duration) => app.engine.now().checked_add(duration).map_err(|_| {
                Refusal::Usage("a time this long has no end in the calendar".to_owned()).into()
            }),
        }
    }
}

impl FromStr for End {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let after = when::duration(raw).map(Self::After);
        after.or_else(|_| raw.parse().map(Self::At)).map_err(|_: String| {
            "give a time such as 90d, a day such as 2026-01-31, or a moment such as \
             2026-01-31T12:00:00Z"
                .to_owned()
        })
    }
}
