//! Which language model may be asked, and for how much.

use cofio::lifecycle::spend::{Budget, Cap, Caps, Prices};
use cofio_adapters::llm::Dialect;

use super::read::Provider;
use super::table::Values;
use super::{Result, SettingsError};

/// A language model that is wanted, with everything that has to be known to ask it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Llm {
    pub dialect: Dialect,
    /// The address of the server, up to the version.
    pub url: String,
    pub model: String,
    /// The variable that holds the key.
    pub key_env: String,
    /// What may be spent; something can be.
    pub budget: Budget,
}

impl Llm {
    /// Brings the settings together, or says what is missing; nothing is, if no model is wanted.
    pub(super) fn of(values: &Values) -> Result<Option<Self>> {
        let (dialect, own_url, own_key) = match values.llm_provider.value {
            Provider::None => return Ok(None),
            Provider::OpenAi => (Dialect::OpenAi, "https://api.openai.com/v1", "OPENAI_API_KEY"),
            Provider::Anthropic => {
                (Dialect::Anthropic, "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")
            }
        };
        let model = values.llm_model.value.clone().ok_or_else(|| {
            missing(values, "no model is named: set llm.model to the server's name for it")
        })?;
        let budget = budget(values)?;
        let or = |given: &Option<String>, own: &str| given.clone().unwrap_or(own.to_owned());
        let url = or(&values.llm_url.value, own_url);
        let key_env = or(&values.llm_key_env.value, own_key);
        Ok(Some(Self { dialect, url, model, key_env, budget }))
    }
}

/// Returns what may be spent, or says what to set.
fn budget(values: &Values) -> Result<Budget> {
    let cap = |tokens: Option<u64>, money| Cap { tokens, money };
    let caps = Caps {
        day: cap(values.llm_tokens_per_day.value, values.llm_money_per_day.value),
        job: cap(values.llm_tokens_per_job.value, values.llm_money_per_job.value),
        scope: cap(values.llm_tokens_per_scope.value, values.llm_money_per_scope.value),
    };
    let prices = match (values.llm_price_input.value, values.llm_price_output.value) {
        (Some(input), Some(output)) => Some(Prices { input, output }),
        (None, None) => None,
        _ => {
            let what = "only one price is known: set llm.price_input and llm.price_output";
            return Err(missing(values, what));
        }
    };
    let budget = Budget { caps, prices };
    if caps.day == Cap::default() {
        let what = "nobody said how much may be spent in a day: \
                    set llm.tokens_per_day, or llm.money_per_day with the prices";
        return Err(missing(values, what));
    }
    let advice = "set llm.price_input and llm.price_output, what a million tokens cost";
    budget.check().map_err(|error| missing(values, &format!("{error}: {advice}")))?;
    Ok(budget)
}

fn missing(values: &Values, what: &str) -> SettingsError {
    let provider = &values.llm_provider;
    let (name, origin) = (provider.value, &provider.origin);
    SettingsError::new(format!("cannot use {name} for llm.provider ({origin}), as {what}"))
}
