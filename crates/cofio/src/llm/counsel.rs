use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{ANSWER_BYTES, Charge, Ledger, Llm, Prompt, Shape};
use crate::error::{Error, ErrorKind, Result};
use crate::lifecycle::spend::{Budget, Cost, Money, Purpose, Usage};
use crate::model::CleanText;

/// A language model together with what it may cost.
#[derive(Clone)]
pub struct Counsel {
    llm: Arc<dyn Llm>,
    ledger: Arc<dyn Ledger>,
    budget: Budget,
    /// What was answered so far, for one who may ask the same again.
    answered: Option<Arc<Mutex<Answered>>>,
}

/// What makes two prompts ask for the same.
type Asked = (String, Vec<CleanText>);

/// Questions and what was answered.
type Answered = Vec<(Asked, Value)>;

impl fmt::Debug for Counsel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Counsel({}, {:?})", self.llm.model(), self.budget)
    }
}

/// What a model answered, in the shape that was asked for.
#[derive(Clone, PartialEq)]
pub struct Answer {
    /// The answer.
    pub value: Value,
    /// What it took, with an attempt that failed.
    pub usage: Usage,
}

/// Shows the cost only: an answer is made of memories.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({:?})", self.usage)
    }
}

impl Counsel {
    /// Takes a model, the ledger that its cost is written to, and a budget that something can be
    /// spent by.
    pub fn new(llm: Arc<dyn Llm>, ledger: Arc<dyn Ledger>, budget: Budget) -> Result<Self> {
        budget.check()?;
        Ok(Self { llm, ledger, budget, answered: None })
    }

    /// Returns the same counsel for one who may ask the same again, and gets the same answer then
    /// without paying twice.
    #[must_use]
    pub fn for_one_piece(&self) -> Self {
        Self { answered: Some(Arc::default()), ..self.clone() }
    }

    /// Returns about what it costs at most to ask once; asking again because of an answer that
    /// cannot be used costs as much again.
    pub fn estimate(&self, prompt: &Prompt) -> Cost {
        self.cost(prompt.estimate())
    }

    /// Returns about what it costs at most to ask each of these once.
    pub fn estimate_all(&self, prompts: &[Prompt]) -> Cost {
        let costs = prompts.iter().map(|prompt| self.estimate(prompt));
        costs.fold(Cost::default(), Cost::plus)
    }

    /// Asks, and returns an answer of the shape that was asked for.
    ///
    /// A model whose answer cannot be used is told why and asked once more.
    /// What a cap forbids is not asked; whoever stops waiting has paid what was reserved.
    pub async fn ask(&self, purpose: &Purpose, prompt: &Prompt) -> Result<Answer> {
        if let Some(value) = self.answered_before(prompt) {
            return Ok(Answer { value, usage: Usage::default() });
        }
        let answer = self.ask_anew(purpose, prompt).await?;
        if let Some(answered) = &self.answered {
            let asked = (prompt.instructions.clone(), prompt.material.clone());
            let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
            answered.push((asked, answer.value.clone()));
        }
        Ok(answer)
    }

    /// Returns what was answered to the same question, if anybody remembers.
    fn answered_before(&self, prompt: &Prompt) -> Option<Value> {
        let answered = self.answered.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |((instructions, material), _): &&(Asked, Value)| {
            *instructions == prompt.instructions && *material == prompt.material
        };
        answered.iter().find(same).map(|(_, value)| value.clone())
    }

    async fn ask_anew(&self, purpose: &Purpose, prompt: &Prompt) -> Result<Answer> {
        let (text, first) = self.call(purpose, prompt).await?;
        let fault = match read(&text, &prompt.shape) {
            Ok(value) => return Ok(Answer { value, usage: first }),
            Err(fault) => fault,
        };
        let (text, second) = self.call(purpose, &prompt.again(&text, fault)).await?;
        let value = read(&text, &prompt.shape).map_err(|fault| {
            let model = self.llm.model();
            let message = format!("cannot use what {model} answers, twice: {fault}");
            Error::new(ErrorKind::Provider, message)
        })?;
        Ok(Answer { value, usage: first.plus(second) })
    }

    /// Makes one call, and pays for it.
    async fn call(&self, purpose: &Purpose, prompt: &Prompt) -> Result<(String, Usage)> {
        let estimate = self.estimate(prompt);
        let model = self.llm.model();
        let ticket = self.ledger.reserve(&self.budget.caps, purpose, model, estimate).await?;
        let (text, charge) = match self.llm.reply(prompt).await {
            Ok(reply) => (Ok(reply.text), reply.charge),
            Err(failure) => (Err(failure.error), failure.charge),
        };
        let cost = match charge {
            Charge::Nothing => Cost::default(),
            Charge::Tokens(usage) => self.cost(usage),
            Charge::Unknown => estimate,
        };
        if charge == Charge::Nothing {
            self.ledger.release(ticket).await?;
        } else {
            self.ledger.settle(ticket, cost).await?;
        }
        Ok((text?, cost.usage))
    }

    fn cost(&self, usage: Usage) -> Cost {
        Cost {
            usage,
            money: self.budget.prices.map_or(Money::default(), |prices| prices.of(usage)),
        }
    }
}

/// Reads an answer of that shape, or says what is wrong with it, and nothing of its content.
fn read(text: &str, shape: &Shape) -> std::result::Result<Value, String> {
    if text.len() > ANSWER_BYTES {
        return Err(format!("it has more than {ANSWER_BYTES} bytes"));
    }
    let value: Value = serde_json::from_str(text.trim()).map_err(|error| {
        format!("it is not JSON at line {} column {}", error.line(), error.column())
    })?;
    shape.check(&value)?;
    Ok(value)
}

#[cfg(test)]
mod tests;
