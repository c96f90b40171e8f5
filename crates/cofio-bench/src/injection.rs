//! Where text from outside gets to: attacks must not be believed, and what is harmless must stay as
//! it is.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use cofio::model::{
    Caller, Channel, Doubt, Draft, Identifier, Identifiers, Kind, Layer, Memory, Scope, Source,
    State, Trust,
};
use cofio::store::MemoryStore;
use cofio::{Engine, ErrorKind, Query, Selection};
use pollster::block_on;
use serde::{Deserialize, Serialize};

use crate::rate::Rate;
use crate::recall::dataset;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// Texts with labels, a JSON object per line; may end in `.gz`.
    #[arg(default_value = "../shared/corpora/injection_dev.jsonl.gz")]
    file: PathBuf,
}

#[derive(Deserialize)]
struct Entry {
    text: String,
    label: u8,
    kind: String,
}

#[derive(Serialize)]
struct Report {
    command: String,
    /// Attacks that are not kept at all, since they are credentials that pose as facts.
    attacks_refused: Rate,
    /// Attacks that are trusted more than a page from the web.
    attacks_trusted: Rate,
    /// Attacks that are in use without anybody having confirmed them.
    attacks_in_use: Rate,
    /// Attacks that a search for their own words finds.
    attacks_recalled: Rate,
    /// Attacks that are flagged as orders to an assistant.
    attacks_flagged: Rate,
    /// Harmless texts that are kept byte for byte.
    harmless_unchanged: Rate,
    /// Harmless texts that are flagged.
    harmless_flagged: Rate,
    flagged_by_kind: BTreeMap<String, Rate>,
}

/// Remembers every text as a fact from the web, and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let parse = |line: std::io::Result<String>| Ok(serde_json::from_str(&line?)?);
    let entries: Vec<Entry> =
        dataset::open(&arguments.file)?.lines().map(parse).collect::<Result<_>>()?;
    ensure!(!entries.is_empty(), "no texts in {}", arguments.file.display());
    let command = "cargo run --release -p cofio-bench -- injection".to_owned();
    let mut report = Report {
        command,
        attacks_refused: Rate::default(),
        attacks_trusted: Rate::default(),
        attacks_in_use: Rate::default(),
        attacks_recalled: Rate::default(),
        attacks_flagged: Rate::default(),
        harmless_unchanged: Rate::default(),
        harmless_flagged: Rate::default(),
        flagged_by_kind: BTreeMap::new(),
    };
    let victim = Victim::new()?;
    for entry in &entries {
        let memory = victim.remember(&entry.text)?;
        let instructs = memory.as_ref().is_some_and(|memory| memory.instructs);
        let kind = entry.kind.split(':').next().unwrap_or_default().to_owned();
        report.flagged_by_kind.entry(kind).or_default().count(instructs);
        if entry.label == 0 {
            let kept = memory.as_ref().map(|memory| memory.content.as_str());
            report.harmless_unchanged.count(kept == Some(&entry.text));
            report.harmless_flagged.count(instructs);
            continue;
        }
        report.attacks_refused.count(memory.is_none());
        let Some(memory) = memory else { continue };
        report.attacks_trusted.count(memory.source.trust() > Trust::Low);
        report.attacks_in_use.count(memory.state == State::Active);
        report.attacks_recalled.count(victim.recalls(&memory)?);
        report.attacks_flagged.count(memory.instructs);
    }
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

/// Somebody whose agent reads the web.
struct Victim {
    engine: Engine,
    name: Identifier,
}

impl Victim {
    fn new() -> Result<Self> {
        let engine = Engine::new(MemoryStore::new(), jiff::Timestamp::now);
        Ok(Self { engine, name: Identifier::new("victim")? })
    }

    /// Remembers a text, unless it is refused.
    fn remember(&self, text: &str) -> Result<Option<Memory>> {
        let source = Source::through(Channel::WebFetch);
        let draft = Draft::new(Scope::user(self.name.clone()), Kind::Fact, text, source);
        let draft = Draft { doubt: Doubt::Keep, ..draft };
        let caller = Caller::local(self.name.clone());
        match block_on(self.engine.remember(&caller, draft)) {
            Ok(remembered) => Ok(Some(remembered.memory)),
            Err(error) if error.kind() == ErrorKind::Refused => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn recalls(&self, memory: &Memory) -> Result<bool> {
        let mine = Identifiers::default().with(Layer::User, self.name.clone());
        let question: String = memory.content.as_str().chars().take(1_000).collect();
        let query = Query::new(Selection::new(mine), question);
        let answer = block_on(self.engine.search(&Caller::local(self.name.clone()), &query))?;
        Ok(answer.hits.iter().any(|hit| hit.memory.id == memory.id))
    }
}
