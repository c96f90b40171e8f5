//! Who turns text into vectors, as the settings say.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use cofio::embed::Embedder;
use cofio::{Error, ErrorKind};
use cofio_adapters::minilm::{self, Minilm};
use cofio_adapters::models::CATALOGUE;
use cofio_adapters::openai::{Key, OpenAi, Options};

use crate::failure;
use crate::settings::{EmbedderName, Settings, Surroundings};

/// Who turns text into vectors, or why nobody does.
///
/// Everything but the vectors works without one, so this is never a reason to fail by itself.
pub enum Chosen {
    /// Somebody who loads what they need at first use.
    Ready(Arc<dyn Embedder>),
    /// Nobody is wanted.
    Unwanted,
    /// The model is not here yet, and getting it is somebody else's decision.
    Absent,
    /// Whoever is wanted cannot be used, for this reason.
    Unusable(String),
}

/// Returns the embedder that the settings name.
pub fn chosen(settings: &Settings, around: &Surroundings) -> Chosen {
    let found = match settings.embedder() {
        EmbedderName::None => return Chosen::Unwanted,
        EmbedderName::MiniLm => mini_lm(settings),
        EmbedderName::OpenAi => open_ai(settings, around).map(Some),
    };
    match found {
        Ok(Some(embedder)) => Chosen::Ready(embedder),
        Ok(None) => Chosen::Absent,
        Err(error) => Chosen::Unusable(failure::message(&error)),
    }
}

impl Chosen {
    /// Returns the embedder, if there is one.
    pub fn ready(&self) -> Option<&Arc<dyn Embedder>> {
        if let Self::Ready(embedder) = self { Some(embedder) } else { None }
    }

    /// Returns the embedder, or says what to do about there being none.
    pub fn required(&self) -> Result<&Arc<dyn Embedder>> {
        let message = match self {
            Self::Ready(embedder) => return Ok(embedder),
            Self::Unwanted => "nothing makes vectors, as the setting embedder is none".to_owned(),
            Self::Absent => {
                format!("{} is not here, so nothing makes vectors: get it by {PULL}", model())
            }
            Self::Unusable(why) => why.clone(),
        };
        Err(Error::new(ErrorKind::Configuration, message).into())
    }
}

/// The command that gets the model.
pub const PULL: &str = "cofio model pull";

/// Returns the name of the model that is computed here.
pub fn model() -> &'static str {
    CATALOGUE[0].name
}

fn mini_lm(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>> {
    // Without a folder for models there is no model.
    let Ok(folder) = settings.models_dir() else { return Ok(None) };
    let Some(path) = CATALOGUE[0].installed(folder) else { return Ok(None) };
    Ok(Some(Arc::new(Minilm::open(path, &minilm::Options::default())?)))
}

fn open_ai(settings: &Settings, around: &Surroundings) -> Result<Arc<dyn Embedder>> {
    let values = settings.values();
    let variable = &values.openai_key_env.value;
    let key = around.variable(variable).map(|key| Key::new(&key.to_string_lossy()));
    let key = key.transpose().with_context(|| format!("cannot use the variable {variable}"))?;
    let (url, model) = (&values.openai_url.value, &values.openai_model.value);
    let options =
        Options { key, dimensions: values.openai_dimensions.value, ..Options::new(url, model) };
    Ok(Arc::new(OpenAi::new(options)?))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::settings::Overrides;

    /// Returns the fingerprint of what these variables choose, or the error.
    fn fingerprint(variables: &[(&'static str, &'static str)]) -> Result<Option<String>> {
        let variables = variables.to_vec();
        let home = tempfile::tempdir()?;
        let around = Surroundings {
            env: Box::new(move |name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            }),
            home: Some(home.path().to_owned()),
            folder: PathBuf::from(home.path()),
            ..Surroundings::of_process()?
        };
        let settings = Settings::load(&around, &Overrides::default())?;
        match chosen(&settings, &around) {
            Chosen::Unusable(why) => Err(anyhow::anyhow!(why)),
            other => Ok(other.ready().map(|embedder| embedder.fingerprint().to_string())),
        }
    }

    #[test]
    fn there_is_none_without_a_model_or_a_wish_for_one() {
        assert_eq!(fingerprint(&[]).unwrap(), None);
        assert_eq!(fingerprint(&[("COFIO_EMBEDDER", "none")]).unwrap(), None);
    }

    #[test]
    fn a_server_is_asked_with_the_key_of_the_variable() {
        let openai = ("COFIO_EMBEDDER", "openai");
        let own = "openai:https://api.openai.com/v1#text-embedding-3-small/native";
        assert_eq!(fingerprint(&[openai]).unwrap().as_deref(), Some(own));
        let local = [
            openai,
            ("COFIO_OPENAI_URL", "http://127.0.0.1:11434/v1"),
            ("COFIO_OPENAI_MODEL", "nomic-embed-text"),
            ("COFIO_OPENAI_DIMENSIONS", "256"),
        ];
        let expected = "openai:http://127.0.0.1:11434/v1#nomic-embed-text/256";
        assert_eq!(fingerprint(&local).unwrap().as_deref(), Some(expected));
        let keys = [openai, ("COFIO_OPENAI_KEY_ENV", "MY_KEY"), ("MY_KEY", "sk 123")];
        let error = fingerprint(&keys).unwrap_err().to_string();
        assert!(error.contains("cannot use the variable MY_KEY"), "{error}");
        assert!(!error.contains("123"), "{error}");
    }
}
