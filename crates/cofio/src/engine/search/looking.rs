//! Looking for the answer to a question: reading it, gathering what speaks for memories, ranking.
//!
//! A store is asked once if it is known what the question means, and twice if that has to be found
//! out in between.

use std::collections::HashMap;
use std::mem;

use async_channel::Sender;

use super::super::Engine;
use super::is_by_layer;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Level};
use crate::model::{Cues, Evidence, Filter, Identifier, Meaning, Memory, Place, Survey, Timestamp};
use crate::retrieval::{
    self, Aim, Interpretation, MeaningUsed, Mode, Query, Question, Scored, dates,
};
use crate::store::{Cued, Foreseen, Found, Inquiry};
use crate::text;

/// What was found out about a question.
pub(in super::super) struct Looked {
    pub(in super::super) cues: Cues,
    /// The best, best first.
    pub(in super::super) found: Vec<(Scored, Memory)>,
    /// For how many something speaks.
    pub(in super::super) total: usize,
    pub(in super::super) meaning: MeaningUsed,
    /// The shelves that did not answer.
    pub(in super::super) unavailable: Vec<Identifier>,
}

impl Engine {
    /// Ranks everything that speaks for an answer to a question, and loads the best.
    pub(in super::super) async fn look(
        &self,
        query: &Query,
        filter: &Filter,
        depth: usize,
        wanted: usize,
    ) -> Result<Looked> {
        let by_layer = is_by_layer(query, filter);
        let depth = if by_layer { usize::MAX } else { depth };
        // A secret is known by the words around it, so it goes before any of them is left out.
        let text =
            ingest::redact(&query.text, &self.config.secret_replacement, Level::Probable).text;
        let question = Question::new(text.as_str());
        let mut understood = understood_at_once(query, &question);
        loop {
            let (report, reports) = async_channel::bounded(1);
            let looking = Looking {
                engine: self.clone(),
                query: query.clone(),
                words: question.words(),
                question: question.clone(),
                understood,
                now: filter.now,
                size: Size { depth, wanted, by_layer },
                gathering: None,
                report,
            };
            let Found { memories, unavailable } =
                self.store.find(filter, depth, Box::new(looking)).await?;
            match reports.try_recv().map_err(|_| unheard())? {
                Report::Unclear(reading) => {
                    let meaning = self.meaning(query, &reading.by_meaning).await?;
                    understood = Some(Understood { reading, meaning });
                }
                Report::Ranked(Ranking { cues, ranked, total, meaning }) => {
                    let found = paired(ranked, memories);
                    return Ok(Looked { cues, found, total, meaning, unavailable });
                }
            }
        }
    }

    /// Returns what a question means as far as it is known without asking anybody.
    fn meaning_at_once(&self, query: &Query, text: &str) -> Option<HowMeant> {
        if !self.has_embedder() && query.mode != Mode::Semantic {
            return Some((None, MeaningUsed::NoEmbedder));
        }
        let known = self.recall_question(text)?;
        Some((Some(known), MeaningUsed::Compared { pending: 0 }))
    }

    /// Has a question embedded; where words can answer too, that may fail.
    async fn meaning(&self, query: &Query, text: &str) -> Result<HowMeant> {
        match self.embed_question(text).await {
            Ok(meaning) => Ok((Some(meaning), MeaningUsed::Compared { pending: 0 })),
            Err(error) if query.mode == Mode::Semantic => Err(error),
            Err(_) => Ok((None, MeaningUsed::Failed)),
        }
    }

    fn aim(&self, query: &Query, reading: &mut Interpretation, now: Timestamp) -> Aim {
        let reference = query.reference_time.or(query.selection.criteria.as_of).unwrap_or(now);
        let own = &self.config.expiry.time_zone;
        let time_zone = query.time_zone.as_ref().unwrap_or(own).clone();
        let day = time_zone.to_datetime(reference).date();
        Aim {
            mode: query.mode,
            fusion: query.fusion,
            speakers: mem::take(&mut reading.speakers),
            to_assistant: reading.to_assistant,
            dates: dates::mentioned(&query.text, day),
            threshold: query.least_cosine(),
            recency: query.recency,
            time_zone,
            now: reference.as_microsecond(),
        }
    }
}

/// What a question means, and whether and how that was found out.
type HowMeant = (Option<Meaning>, MeaningUsed);

/// A question as it is to be understood where it is asked.
struct Understood {
    reading: Interpretation,
    meaning: HowMeant,
}

/// How much is looked for.
struct Size {
    /// Among how many the best are.
    depth: usize,
    /// How many are loaded; of each layer, if `by_layer`.
    wanted: usize,
    by_layer: bool,
}

/// What is known in the store's thread, from one step to the next.
struct Looking {
    engine: Engine,
    query: Query,
    question: Question,
    /// Those of the question.
    words: Vec<String>,
    understood: Option<Understood>,
    now: Timestamp,
    size: Size,
    gathering: Option<Gathering>,
    report: Sender<Report>,
}

/// What evidence is gathered for.
struct Gathering {
    cues: Cues,
    aim: Aim,
    meaning: MeaningUsed,
}

/// How far an inquiry came.
enum Report {
    /// What the question means has to be found out first.
    Unclear(Interpretation),
    Ranked(Ranking),
}

/// What came of the evidence.
struct Ranking {
    cues: Cues,
    ranked: Vec<Scored>,
    total: usize,
    meaning: MeaningUsed,
}

impl Inquiry for Looking {
    fn words(&self) -> Option<&[String]> {
        self.understood.is_none().then_some(&self.words)
    }

    fn cues(&mut self, survey: &Survey) -> Cued {
        if let Some(understood) = self.understood.take() {
            return Cued::By(self.cues_of(understood));
        }
        let reading = self.question.interpret(survey);
        if let Some(meaning) = self.engine.meaning_at_once(&self.query, &reading.by_meaning) {
            return Cued::By(self.cues_of(Understood { reading, meaning }));
        }
        let foreseen = self.foreseen(&reading);
        self.tell(Report::Unclear(reading));
        Cued::Later(foreseen)
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<Place> {
        let Some(Gathering { cues, aim, meaning }) = self.gathering.take() else {
            return Vec::new();
        };
        let Size { depth, wanted, by_layer } = self.size;
        let (ranked, total) = retrieval::rank(evidence, &aim, depth);
        let best = if by_layer { best_of_each(&ranked, wanted) } else { best(&ranked, wanted) };
        let meaning = match meaning {
            MeaningUsed::Compared { .. } => MeaningUsed::Compared { pending: evidence.pending },
            other => other,
        };
        self.tell(Report::Ranked(Ranking { cues, ranked, total, meaning }));
        best
    }
}

impl Looking {
    fn cues_of(&mut self, understood: Understood) -> Cues {
        let Understood { mut reading, meaning: (meaning, used) } = understood;
        let mode = self.query.mode;
        let words = self.words_of(&reading);
        let names = if mode == Mode::Hybrid { self.question.names() } else { Vec::new() };
        let aim = self.engine.aim(&self.query, &mut reading, self.now);
        let times = if mode == Mode::Hybrid { times(&aim) } else { Vec::new() };
        // Nothing is farther than the opposite.
        let every_cosine = aim.threshold.is_some_and(|threshold| threshold > -1.0);
        let alone = !aim.weighs_surroundings();
        let cues = Cues { words, names, times, meaning, near: Vec::new(), every_cosine, alone };
        self.gathering = Some(Gathering { cues: cues.clone(), aim, meaning: used });
        cues
    }

    fn words_of(&self, reading: &Interpretation) -> Vec<Vec<String>> {
        match self.query.mode {
            Mode::Semantic => Vec::new(),
            Mode::Hybrid | Mode::Keyword => text::query_words(&reading.by_words),
        }
    }

    /// Returns what is to be looked by as soon as it is known what the question means.
    fn foreseen(&self, reading: &Interpretation) -> Foreseen {
        let embedder = self.engine.embedder.as_ref();
        let model = embedder.map(|embedder| embedder.fingerprint().clone());
        Foreseen { words: self.words_of(reading), model }
    }

    fn tell(&self, report: Report) {
        // It is heard, unless nobody waits for the answer any more.
        let _ = self.report.try_send(report);
    }
}

/// Returns what a question says that is taken word for word, wherever it is asked.
fn understood_at_once(query: &Query, question: &Question) -> Option<Understood> {
    let by_words = question.text().to_owned();
    let reading = Interpretation { by_words, ..Interpretation::default() };
    (query.mode == Mode::Keyword)
        .then_some(Understood { reading, meaning: (None, MeaningUsed::NotAsked) })
}

fn best(ranked: &[Scored], wanted: usize) -> Vec<Place> {
    ranked.iter().take(wanted).map(|scored| scored.place).collect()
}

fn best_of_each(ranked: &[Scored], wanted: usize) -> Vec<Place> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut is_wanted = |scored: &&Scored| {
        let count = counts.entry(scored.scope).or_default();
        *count += 1;
        *count <= wanted
    };
    ranked.iter().filter(|scored| is_wanted(scored)).map(|scored| scored.place).collect()
}

/// Returns the spans of time that a question certainly names, unless they are longer than a year.
fn times(aim: &Aim) -> Vec<(i64, i64)> {
    let named = aim
        .dates
        .iter()
        .filter(|mention| mention.certain && mention.precision() < dates::Precision::Longer);
    named.filter_map(|mention| mention.span(&aim.time_zone)).collect()
}

/// Pairs what was ranked with what is kept there, in the same order.
fn paired(ranked: Vec<Scored>, memories: Vec<(Place, Memory)>) -> Vec<(Scored, Memory)> {
    let mut memories = memories.into_iter().peekable();
    let pair = |scored: Scored| {
        let (_, memory) = memories.next_if(|(place, _)| *place == scored.place)?;
        Some((scored, memory))
    };
    ranked.into_iter().filter_map(pair).collect()
}

fn unheard() -> Error {
    Error::new(ErrorKind::Provider, "the store answered without following the inquiry")
}
