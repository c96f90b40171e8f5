//! Which language model helps, as the settings say.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use cofio::Engine;
use cofio::engine::StoreLedger;
use cofio::llm::{Counsel, Ledger};
use cofio::store::Store;
use cofio_adapters::llm::{Key, Options, Remote};

use crate::settings::{Llm, Settings, Surroundings};

/// Returns the same engine, whose jobs ask the language model that the settings name, if they name one.
pub fn counselled(
    engine: Engine,
    store: Arc<dyn Store>,
    settings: &Settings,
    around: &Surroundings,
) -> Result<Engine> {
    let counsel = counsel(settings, around, Arc::new(StoreLedger(store)))?;
    Ok(match counsel {
        Some(counsel) => engine.with_counsel(counsel),
        None => engine,
    })
}

/// Returns the language model that the settings name, together with what it may cost.
///
/// What it costs is written to the ledger; nothing is asked yet.
pub fn counsel(
    settings: &Settings,
    around: &Surroundings,
    ledger: Arc<dyn Ledger>,
) -> Result<Option<Counsel>> {
    let Some(llm) = settings.llm() else { return Ok(None) };
    let Llm { dialect, url, model, budget, .. } = llm;
    let options = Options { key: key(llm, around)?, ..Options::new(url, model, *dialect) };
    let remote = Arc::new(Remote::new(options)?);
    Ok(Some(Counsel::new(remote, ledger, *budget)?))
}

/// Returns the key for the server, if there is one.
fn key(llm: &Llm, around: &Surroundings) -> Result<Option<Key>> {
    let variable = &llm.key_env;
    let key = around.variable(variable).map(|key| Key::new(&key.to_string_lossy()));
    key.transpose().with_context(|| format!("cannot use the variable {variable}"))
}

#[cfg(test)]
mod tests {
    use cofio::llm::MemoryLedger;

    use super::*;
    use crate::settings::Overrides;

    /// Returns what these variables choose, or the error.
    fn chosen(variables: &[(&'static str, &'static str)]) -> Result<Option<String>> {
        let variables = variables.to_vec();
        let home = tempfile::tempdir()?;
        let around = Surroundings {
            env: Box::new(move |name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            }),
            home: Some(home.path().to_owned()),
            folder: home.path().to_owned(),
            ..Surroundings::of_process()?
        };
        let settings = Settings::load(&around, &Overrides::default())?;
        let counsel = counsel(&settings, &around, Arc::new(MemoryLedger::default()))?;
        Ok(counsel.map(|counsel| format!("{counsel:?}")))
    }

    const LOCAL: [(&str, &str); 4] = [
        ("COFIO_LLM_PROVIDER", "openai"),
        ("COFIO_LLM_URL", "http://127.0.0.1:11434/v1"),
        ("COFIO_LLM_MODEL", "tiny"),
        ("COFIO_LLM_TOKENS_PER_DAY", "1000"),
    ];

    #[test]
    fn there_is_none_unless_somebody_wants_it() {
        assert_eq!(chosen(&[]).unwrap(), None);
        assert_eq!(chosen(&LOCAL[1..]).unwrap(), None);
    }

    #[test]
    fn a_model_comes_with_its_budget() {
        let shown = chosen(&LOCAL).unwrap().unwrap();
        assert!(shown.starts_with("Counsel(tiny, ") && shown.contains("Some(1000)"), "{shown}");
    }

    #[test]
    fn a_key_that_cannot_be_one_is_not_shown() {
        let keys = [LOCAL.as_slice(), &[("OPENAI_API_KEY", "sk 123")]].concat();
        let error = chosen(&keys).unwrap_err().to_string();
        assert!(error.contains("cannot use the variable OPENAI_API_KEY"), "{error}");
        assert!(!error.contains("123"), "{error}");
    }
}
