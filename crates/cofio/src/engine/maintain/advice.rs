//! What a language model is asked for, if there is one.

use std::collections::HashMap;

use crate::engine::Engine;
use crate::error::Result;
use crate::lifecycle::brief::{self, Brief};
use crate::lifecycle::extraction::Candidate;
use crate::lifecycle::spend::{Cost, Purpose};
use crate::llm::facts::{Basis, Portion, Said, portions};
use crate::llm::{Counsel, names, reflection};
use crate::model::{CleanText, Job, Memory, MemoryId, Scope, Timestamp};
use crate::recognise::{self, Recogniser, Span};

/// How many texts are read for names together: what was paid for is kept as soon as there is some.
const TEXTS: usize = 20;

/// What is being done.
#[derive(Debug, Clone, Copy)]
pub(super) enum Errand<'a> {
    /// Nothing: it is only looked what would be, and nobody is asked.
    Rehearsal,
    /// This job, by the advice of somebody who remembers what they said, if there is anybody.
    Job(&'a Job, Option<&'a Counsel>),
}

/// What comes of asking.
pub(super) enum Advice<T, U> {
    /// What the model said, as far as memories support it.
    Given(T, U),
    /// It was not asked, and would cost so much.
    Costs(Cost),
    /// There is no model to ask.
    NobodyToAsk,
}

/// A reflection, and the memories it rests on.
type Reflected = Option<(String, Vec<MemoryId>)>;

impl Engine {
    /// Asks which facts turns tell, in the words of people and in others.
    pub(super) async fn facts_told(
        &self,
        scope: &Scope,
        turns: &[Memory],
        errand: Errand<'_>,
        now: Timestamp,
    ) -> Result<Advice<Vec<Candidate>, Vec<Candidate>>> {
        let Some(counsel) = &self.counsel else { return Ok(Advice::NobodyToAsk) };
        let said: Vec<Said<'_>> = turns.iter().map(Said::of).collect();
        let portions = portions(&said);
        let Errand::Job(job, Some(counsel)) = errand else {
            let prompts: Vec<_> = portions.iter().map(Portion::prompt).collect();
            return Ok(Advice::Costs(counsel.estimate_all(&prompts)));
        };
        let purpose = self.purpose(job, scope, now);
        let (mut told, mut concluded) = (Vec::new(), Vec::new());
        for portion in portions {
            self.give_sign(job).await?;
            for fact in portion.ask(counsel, &purpose).await?.facts {
                match fact.basis {
                    Basis::OwnWords => told.push(fact.candidate),
                    Basis::Conclusion => concluded.push(fact.candidate),
                }
            }
        }
        Ok(Advice::Given(told, concluded))
    }

    /// Asks what texts name, unless another recogniser judges that.
    pub(super) async fn names_told(
        &self,
        scope: &Scope,
        memories: &[Memory],
        errand: Errand<'_>,
        now: Timestamp,
    ) -> Result<Advice<Told, ()>> {
        let Some(counsel) = self.counsel.as_ref().filter(|_| !self.recognisers.is_accurate())
        else {
            return Ok(Advice::NobodyToAsk);
        };
        let texts: Vec<CleanText> = memories.iter().map(|memory| memory.content.clone()).collect();
        let Errand::Job(job, Some(counsel)) = errand else {
            return Ok(Advice::Costs(counsel.estimate_all(&names::prompts(&texts))));
        };
        let purpose = self.purpose(job, scope, now);
        let mut told = Told::default();
        for some in texts.chunks(TEXTS) {
            self.give_sign(job).await?;
            let spans = names::recognise(counsel, &purpose, some).await?;
            let texts = some.iter().map(|text| text.as_str().to_owned());
            told.0.extend(texts.zip(spans));
        }
        Ok(Advice::Given(told, ()))
    }

    /// Asks for a look back on a while, if there is enough of it.
    pub(super) async fn reflection_told(
        &self,
        scope: &Scope,
        while_past: &Brief,
        errand: Errand<'_>,
        now: Timestamp,
    ) -> Result<Advice<Reflected, ()>> {
        let Some(counsel) = &self.counsel else { return Ok(Advice::NobodyToAsk) };
        let Some(facts) = brief::worth_reflecting(while_past) else {
            return Ok(Advice::Given(None, ()));
        };
        let facts: Vec<Memory> = facts.into_iter().cloned().collect();
        let Errand::Job(job, Some(counsel)) = errand else {
            return Ok(Advice::Costs(counsel.estimate(&reflection::prompt(&facts))));
        };
        let purpose = self.purpose(job, scope, now);
        self.give_sign(job).await?;
        let reflected = reflection::reflect(counsel, &purpose, &facts).await?;
        let reflected = reflected.map(|reflection| (reflection.text, reflection.rests_on));
        Ok(Advice::Given(reflected, ()))
    }

    /// Returns on whose account a call is made.
    fn purpose(&self, job: &Job, scope: &Scope, now: Timestamp) -> Purpose {
        let zone = self.config.expiry.time_zone.clone();
        Purpose { day: now.to_zoned(zone).date(), job: job.id.to_string(), scope: scope.clone() }
    }
}

/// Knows what a model said that texts name.
#[derive(Debug, Default)]
pub(super) struct Told(HashMap<String, Vec<Span>>);

impl Recogniser for Told {
    fn name(&self) -> &'static str {
        "llm"
    }

    fn cost(&self) -> recognise::Cost {
        recognise::Cost::Accurate
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn recognise(&self, text: &str) -> Vec<Span> {
        self.0.get(text).cloned().unwrap_or_default()
    }
}
