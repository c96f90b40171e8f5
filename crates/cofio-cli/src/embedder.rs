//! Who turns text into vectors, as the settings say.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use cofio::embed::Embedder;
use cofio_adapters::minilm::{self, Minilm};
use cofio_adapters::models::CATALOGUE;
use cofio_adapters::openai::{Key, OpenAi, Options};

use crate::settings::{EmbedderName, Settings, Surroundings};

/// Returns the embedder that the settings name.
///
/// There is none if nobody wants one, or if the model is not here yet: everything else works
/// without, and getting it is somebody else's decision.
pub fn embedder(settings: &Settings, around: &Surroundings) -> Result<Option<Arc<dyn Embedder>>> {
    match settings.embedder() {
        EmbedderName::None => Ok(None),
        EmbedderName::MiniLm => mini_lm(settings),
        EmbedderName::OpenAi => open_ai(settings, around).map(Some),
    }
}

fn mini_lm(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>> {
    // Without a folder for models there is no model, which is no reason to fail.
    let Ok(folder) = settings.models_dir() else { return Ok(None) };
    let Some(path) = CATALOGUE[0].installed(folder) else { return Ok(None) };
    let opened = Minilm::open(path, &minilm::Options::default())
        .context("cannot use the model: cofio model pull --force makes it anew")?;
    Ok(Some(Arc::new(opened)))
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
    fn chosen(variables: &[(&'static str, &'static str)]) -> Result<Option<String>> {
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
        let embedder = embedder(&settings, &around)?;
        Ok(embedder.map(|embedder| embedder.fingerprint().to_string()))
    }

    #[test]
    fn there_is_none_without_a_model_or_a_wish_for_one() {
        assert_eq!(chosen(&[]).unwrap(), None);
        assert_eq!(chosen(&[("COFIO_EMBEDDER", "none")]).unwrap(), None);
    }

    #[test]
    fn a_server_is_asked_with_the_key_of_the_variable() {
        let openai = ("COFIO_EMBEDDER", "openai");
        let own = "openai:api.openai.com/text-embedding-3-small/native";
        assert_eq!(chosen(&[openai]).unwrap().as_deref(), Some(own));
        let local = [
            openai,
            ("COFIO_OPENAI_URL", "http://127.0.0.1:11434/v1"),
            ("COFIO_OPENAI_MODEL", "nomic-embed-text"),
            ("COFIO_OPENAI_DIMENSIONS", "256"),
        ];
        let expected = "openai:127.0.0.1:11434/nomic-embed-text/256";
        assert_eq!(chosen(&local).unwrap().as_deref(), Some(expected));
        let keys = [openai, ("COFIO_OPENAI_KEY_ENV", "MY_KEY"), ("MY_KEY", "sk 123")];
        let error = format!("{:?}", chosen(&keys).unwrap_err());
        assert!(error.contains("cannot use the variable MY_KEY"), "{error}");
        assert!(!error.contains("123"), "{error}");
    }
}
