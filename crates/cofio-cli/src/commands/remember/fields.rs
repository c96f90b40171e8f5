use anyhow::Result;
use clap::Args;
use cofio::Error;
use cofio::model::{Channel, Draft, Fraction, Kind, Layer, Lifetime, Scope, Source, Triple};
use cofio::wire;
use jiff::SignedDuration;
use serde_json::{Map, Value};

use crate::app::App;
use crate::input;
use crate::when::{self, When};

/// What is said of a memory besides its text, by flags or in a line of JSON.
#[derive(Debug, Clone, Default, Args)]
pub struct Fields {
    /// What it is: working, context, episode, fact, procedure or reflection
    #[arg(long)]
    pub kind: Option<Kind>,
    /// A short name
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// A label to find it by; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = input::fraction)]
    pub importance: Option<Fraction>,
    /// How certain it is, from 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = input::fraction)]
    pub confidence: Option<Fraction>,
    /// Who wrote or said it
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
    /// Who spoke: user, assistant, tool or an agent's name
    #[arg(long)]
    pub role: Option<String>,
    /// When it happened: a day or a moment
    #[arg(long = "event-time", value_name = "TIME")]
    pub event_at: Option<When>,
    /// How long it lives, such as 1h, 7d or 12w
    #[arg(long, value_name = "TIME", value_parser = when::duration)]
    pub ttl: Option<SignedDuration>,
    /// How it arrived, which decides how far it is trusted: explicit-save, owner-message,
    /// other-message, tool-read, web-fetch, inference, knowledge-sync or import
    #[arg(long, value_name = "CHANNEL")]
    pub source: Option<Channel>,
    /// The tool that printed it
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// A page, file or call to find the original by
    #[arg(long, value_name = "TEXT")]
    pub reference: Option<String>,
    /// The message it came from
    #[arg(long, value_name = "ID")]
    pub message: Option<String>,
    /// What else is known about it.
    #[arg(skip)]
    pub metadata: Map<String, Value>,
    /// Subject, predicate and object.
    #[arg(skip)]
    pub fact: Option<Triple>,
}

impl Fields {
    /// Reads a line of JSON into its text and its fields.
    pub fn of_line(line: Map<String, Value>) -> Result<(Option<String>, Self)> {
        let mut fields = Self::default();
        let mut content = None;
        for (name, value) in line {
            match name.as_str() {
                "content" => content = Some(text(&name, value)?),
                "kind" => fields.kind = Some(text(&name, value)?.parse()?),
                "title" => fields.title = Some(text(&name, value)?),
                "tags" => fields.tags = tags(value)?,
                "importance" => fields.importance = Some(fraction(&name, &value)?),
                "confidence" => fields.confidence = Some(fraction(&name, &value)?),
                "author" => fields.author = Some(text(&name, value)?),
                "role" => fields.role = Some(text(&name, value)?),
                "eventAt" => fields.event_at = Some(read(&name, value, str::parse)?),
                "ttl" => fields.ttl = Some(read(&name, value, when::duration)?),
                "source" => fields.source = Some(text(&name, value)?.parse()?),
                "tool" => fields.tool = Some(text(&name, value)?),
                "reference" => fields.reference = Some(text(&name, value)?),
                "message" => fields.message = Some(text(&name, value)?),
                "metadata" => fields.metadata = object(&name, value)?,
                "fact" => fields.fact = Some(triple(object(&name, value)?)?),
                _ => return Err(unknown(&name).into()),
            }
        }
        Ok((content, fields))
    }

    /// Fills in what is not said here.
    pub fn or(self, others: &Self) -> Self {
        let mut metadata = others.metadata.clone();
        metadata.extend(self.metadata);
        Self {
            kind: self.kind.or(others.kind),
            title: self.title.or_else(|| others.title.clone()),
            tags: if self.tags.is_empty() { others.tags.clone() } else { self.tags },
            importance: self.importance.or(others.importance),
            confidence: self.confidence.or(others.confidence),
            author: self.author.or_else(|| others.author.clone()),
            role: self.role.or_else(|| others.role.clone()),
            event_at: self.event_at.or(others.event_at),
            ttl: self.ttl.or(others.ttl),
            source: self.source.or(others.source),
            tool: self.tool.or_else(|| others.tool.clone()),
            reference: self.reference.or_else(|| others.reference.clone()),
            message: self.message.or_else(|| others.message.clone()),
            metadata,
            fact: self.fact.or_else(|| others.fact.clone()),
        }
    }

    /// Makes the draft; a statement without a text is its own text.
    pub fn draft(self, content: Option<String>, scope: Scope, app: &App) -> Result<Draft> {
        let kind = self.kind(app.settings.kind())?;
        let content = content.or_else(|| self.fact.as_ref().map(Triple::sentence));
        let content = content.ok_or_else(|| Error::invalid("content is missing"))?;
        let mut source = Source::through(self.source.unwrap_or(Channel::ExplicitSave));
        source.session = app.settings.identifiers().get(Layer::Session).cloned();
        source.role = self.role;
        source.tool = self.tool;
        source.reference = self.reference;
        source.message = self.message;
        let mut metadata = wire::metadata(self.metadata)?;
        metadata.title = self.title.or(metadata.title);
        metadata.author = self.author.or(metadata.author);
        metadata.importance = self.importance.or(metadata.importance);
        metadata.confidence = self.confidence.or(metadata.confidence);
        metadata.tags.extend(self.tags);
        Ok(Draft {
            metadata,
            event_at: self.event_at.map(|when| when.first(app.zone())).transpose()?,
            lifetime: self.ttl.map_or(Lifetime::ByKind, Lifetime::For),
            triple: self.fact,
            ..Draft::new(scope, kind, content, source)
        })
    }

    /// Returns the kind: statements are procedures, and procedures are statements.
    fn kind(&self, default: Kind) -> Result<Kind, Error> {
        match (self.kind, &self.fact) {
            (None | Some(Kind::Procedure), Some(_)) => Ok(Kind::Procedure),
            (Some(kind), Some(_)) => {
                Err(Error::invalid(format!("a statement is a procedure, not of kind {kind}")))
            }
            (kind, None) => match kind.unwrap_or(default) {
                Kind::Procedure => Err(Error::invalid(
                    "a procedure needs a type, a subject, a predicate and an object",
                )),
                kind => Ok(kind),
            },
        }
    }
}

fn text(name: &str, value: Value) -> Result<String, Error> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(Error::invalid(format!("{name} needs a text"))),
    }
}

fn read<T>(
    name: &str,
    value: Value,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, Error> {
    read(&text(name, value)?).map_err(|advice| Error::invalid(format!("{name}: {advice}")))
}

fn fraction(name: &str, value: &Value) -> Result<Fraction, Error> {
    let number = value.as_f64().and_then(|number| Fraction::new(number).ok());
    number.ok_or_else(|| Error::invalid(format!("{name} needs a number from 0 to 1")))
}

fn tags(value: Value) -> Result<Vec<String>, Error> {
    match value {
        Value::Array(tags) => tags.into_iter().map(|tag| text("a tag", tag)).collect(),
        _ => Err(Error::invalid("tags needs a list of texts")),
    }
}

fn object(name: &str, value: Value) -> Result<Map<String, Value>, Error> {
    match value {
        Value::Object(fields) => Ok(fields),
        _ => Err(Error::invalid(format!("{name} needs a JSON object"))),
    }
}

fn triple(mut fields: Map<String, Value>) -> Result<Triple, Error> {
    let mut part = |name: &str| text(name, fields.remove(name).unwrap_or_default());
    let triple = Triple {
        fact_type: part("factType")?,
        subject: part("subject")?,
        predicate: part("predicate")?,
        object: part("object")?,
    };
    match fields.keys().next() {
        Some(name) => Err(unknown(name)),
        None => Ok(triple),
    }
}

fn unknown(name: &str) -> Error {
    let shown: String = name.chars().take(40).collect();
    Error::invalid(format!("unknown field {shown:?}"))
}
