//! One search over the store and the shelves whose vectors it does not have.
//!
//! The steps of an inquiry wait for nothing and shelves are waited for, so the store is asked for
//! evidence, and the inquiry is shown it when the shelves have added what they know.

use std::collections::{BTreeSet, HashMap};

use async_channel::Sender;

use super::Shelved;
use super::together::{Waiting, together};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Access, Cues, Embedding, Evidence, Filter, Groups, Identifier, Meaning, Memory, MemoryId,
    Place, Slot, Spread, Survey,
};
use crate::shelf::{Sampled, Within};
use crate::store::{Chosen, Cued, Foreseen, Found, Inquiry};

/// How many of the nearest a shelf is asked for at most.
const NEAREST: usize = 10_000;

/// How many of the nearest a shelf is asked for at least.
const SPARE: usize = 256;

/// On how many passages of a shelf the spread of cosines is measured.
const SAMPLE: usize = 512;

/// Of how many turns the cosine is looked up on shelves, unless that of every one is wanted: those
/// that words or names point to come first.
const COMPARED: usize = 1_024;

/// What shelves say to a question, before anything is known of the memories.
#[derive(Default)]
struct Said {
    near: Vec<(Slot, f32)>,
    sampled: Vec<Sampled>,
    /// Whether there is more than was sampled.
    more: bool,
    silent: BTreeSet<Identifier>,
}

impl Shelved {
    /// Follows an inquiry over the store and all shelves with vectors.
    pub(super) async fn search(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        let (mut inquiry, cues, meaning) = match self.cued(filter, limit, inquiry).await? {
            Begun::Over(found) => return Ok(found),
            Begun::Meant(inquiry, cues, meaning) => (inquiry, cues, meaning),
        };
        let mut said = self.ask(filter, &meaning, limit, cues.alone).await;
        let every_cosine = cues.every_cosine;
        let cues = Cues { near: std::mem::take(&mut said.near), ..cues };
        let (mut evidence, lacking) = self.gather(filter, limit, cues, every_cosine).await?;
        self.compare(filter, &meaning, lacking, &mut evidence, &mut said.silent).await?;
        evidence.cosines = joined(&evidence, &said);
        let chosen = Chosen(inquiry.choose(&evidence));
        let found = self.home.find(filter, limit, Box::new(chosen)).await?;
        Ok(Found { unavailable: said.silent.into_iter().collect(), ..found })
    }

    /// Finds out by what an inquiry looks; one that knows no meaning comes to its end in the store.
    async fn cued(
        &self,
        filter: &Filter,
        limit: usize,
        mut inquiry: Box<dyn Inquiry>,
    ) -> Result<Begun> {
        let mut cued = None;
        if inquiry.words().is_none() {
            match meant(inquiry.cues(&Survey::default())) {
                Ok((cues, meaning)) => return Ok(Begun::Meant(inquiry, cues, meaning)),
                Err(other) => cued = Some(*other),
            }
        }
        let (back, returned) = async_channel::bounded(1);
        let asking = Asking { inquiry: Some(inquiry), cued, back };
        let found = self.home.find(filter, limit, Box::new(asking)).await?;
        match returned.try_recv() {
            Ok((inquiry, cues, meaning)) => Ok(Begun::Meant(inquiry, cues, meaning)),
            Err(_) => Ok(Begun::Over(found)),
        }
    }

    /// Asks all shelves at once what is near, and what is usual unless each memory is weighed by
    /// itself.
    async fn ask(&self, filter: &Filter, meaning: &Meaning, limit: usize, alone: bool) -> Said {
        let within = within(filter);
        // Some have ended, are not meant for reasons that labels do not tell, or were placed anew.
        let limit = limit.saturating_mul(4).clamp(SPARE, NEAREST);
        let asked = self.finders().map(|(name, shelf)| {
            let (within, scopes) = (&within, &filter.scopes);
            let asked: Waiting<'_, _> = Box::pin(async move {
                let near = shelf.nearest(meaning, within, limit);
                // A shelf that is asked for nothing would seem to answer.
                let sampled = async {
                    if alone { Ok(Vec::new()) } else { shelf.sample(meaning, scopes, SAMPLE).await }
                };
                (name, both(near, sampled).await)
            });
            asked
        });
        let mut said = Said::default();
        for (name, answer) in together(asked.collect()).await {
            let Ok((near, sampled)) = answer else {
                said.silent.insert(name.clone());
                continue;
            };
            said.near.extend(near);
            said.more |= sampled.len() >= SAMPLE;
            said.sampled.extend(sampled);
        }
        said
    }

    /// Returns the evidence of the store, and the memories whose cosines it does not know.
    async fn gather(
        &self,
        filter: &Filter,
        limit: usize,
        cues: Cues,
        every_cosine: bool,
    ) -> Result<(Evidence, Vec<(Place, Memory)>)> {
        let (told, heard) = async_channel::bounded(1);
        let most = if every_cosine { usize::MAX } else { COMPARED };
        let gathering = Gathering { cues: Some(cues), most, told };
        let found = self.home.find(filter, limit, Box::new(gathering)).await?;
        let evidence = heard.try_recv().map_err(|_| unheard())?;
        Ok((evidence, found.memories))
    }

    /// Looks up on the shelves the cosines that the store does not know.
    async fn compare(
        &self,
        filter: &Filter,
        meaning: &Meaning,
        lacking: Vec<(Place, Memory)>,
        evidence: &mut Evidence,
        silent: &mut BTreeSet<Identifier>,
    ) -> Result<()> {
        let lacking = self.current(filter, lacking).await?;
        let mut by_shelf: HashMap<&Identifier, Vec<(Place, Slot)>> = HashMap::new();
        for (place, memory) in &lacking {
            let embedded = memory.embedding == Embedding::Ready(meaning.fingerprint.clone());
            let standing = memory.content.standing().filter(|it| it.vectors && embedded);
            if let Some((standing, slot)) = standing.zip(memory.slot()) {
                by_shelf.entry(&standing.shelf).or_default().push((*place, slot));
            }
        }
        let asked = by_shelf.into_iter().filter(|(name, _)| !silent.contains(*name));
        let asked = asked.map(|(name, places)| {
            let asked: Waiting<'_, _> =
                Box::pin(async move { (name, self.cosines(name, meaning, places).await) });
            asked
        });
        let mut known: HashMap<Place, f32> = HashMap::new();
        for (name, cosines) in together(asked.collect()).await {
            match cosines {
                Ok(cosines) => known.extend(cosines),
                Err(_) => drop(silent.insert(name.clone())),
            }
        }
        for turn in &mut evidence.turns {
            turn.cosine = turn.cosine.or_else(|| known.get(&turn.place).copied());
        }
        Ok(())
    }

    /// Returns memories as they are now, by which evidence speaks for them.
    async fn current(
        &self,
        filter: &Filter,
        memories: Vec<(Place, Memory)>,
    ) -> Result<Vec<(Place, Memory)>> {
        if filter.criteria.as_of.is_none() {
            return Ok(memories);
        }
        let places: HashMap<MemoryId, Place> =
            memories.into_iter().map(|(place, memory)| (memory.id, place)).collect();
        let ids: Vec<MemoryId> = places.keys().cloned().collect();
        let current = self.home.get_outlines(&Access::everything(), &ids).await?;
        let placed = |memory: Memory| Some((*places.get(&memory.id)?, memory));
        Ok(current.into_iter().filter_map(placed).collect())
    }

    async fn cosines(
        &self,
        name: &Identifier,
        meaning: &Meaning,
        places: Vec<(Place, Slot)>,
    ) -> Result<Vec<(Place, f32)>> {
        let (places, slots): (Vec<Place>, Vec<Slot>) = places.into_iter().unzip();
        let cosines = self.shelf(name)?.cosines(meaning, &slots).await?;
        let known = places.into_iter().zip(cosines);
        Ok(known.filter_map(|(place, cosine)| Some((place, cosine?))).collect())
    }
}

/// How far an inquiry came before shelves were asked.
enum Begun {
    /// To its end.
    Over(Found),
    /// To what the question means.
    Meant(Box<dyn Inquiry>, Cues, Meaning),
}

/// Returns cues that have a meaning, or what else was said.
fn meant(cued: Cued) -> std::result::Result<(Cues, Meaning), Box<Cued>> {
    match cued {
        Cued::By(cues) => match cues.meaning.clone() {
            Some(meaning) => Ok((cues, meaning)),
            None => Err(Box::new(Cued::By(cues))),
        },
        later @ Cued::Later(_) => Err(Box::new(later)),
    }
}

/// Returns among what shelves look; what was different earlier, the store alone can tell.
fn within(filter: &Filter) -> Within {
    let within = Within::scopes(filter.scopes.clone());
    if filter.criteria.as_of.is_some() {
        return within;
    }
    Within {
        kinds: filter.criteria.kinds.clone(),
        states: filter.criteria.states.clone(),
        ..within
    }
}

async fn both<A: Send, B: Send>(
    one: impl Future<Output = Result<A>> + Send,
    two: impl Future<Output = Result<B>> + Send,
) -> Result<(A, B)> {
    let (mut first, mut second) = (None, None);
    let all: Vec<Waiting<'_, ()>> = vec![
        Box::pin(async { first = Some(one.await) }),
        Box::pin(async { second = Some(two.await) }),
    ];
    together(all).await;
    Ok((first.ok_or_else(unheard)??, second.ok_or_else(unheard)??))
}

/// Joins how cosines are spread in the store and on the shelves.
fn joined(evidence: &Evidence, said: &Said) -> Groups<Spread> {
    let Groups { assistant, others } = evidence.cosines;
    let of = |group: bool| {
        let sampled = said.sampled.iter().filter(|sampled| sampled.assistant == group);
        Spread::of(sampled.map(|sampled| f64::from(sampled.cosine)))
    };
    // A sample stands for all passages that the store has no vectors of.
    let elsewhere = evidence.passages.saturating_sub(assistant.count + others.count) as f64;
    let share = if said.more { elsewhere / said.sampled.len().max(1) as f64 } else { 1.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count is a count"
    )]
    let whole = |spread: Spread| {
        let count = (spread.count as f64 * share.max(1.0)).round() as u64;
        Spread { count, ..spread }
    };
    Groups {
        assistant: Spread::joined([assistant, whole(of(true))]),
        others: Spread::joined([others, whole(of(false))]),
    }
}

/// Asks for what is usual, and for no more if the question has a meaning.
struct Asking {
    inquiry: Option<Box<dyn Inquiry>>,
    /// What the inquiry has said already.
    cued: Option<Cued>,
    back: Sender<(Box<dyn Inquiry>, Cues, Meaning)>,
}

impl Inquiry for Asking {
    fn words(&self) -> Option<&[String]> {
        self.inquiry.as_ref()?.words().filter(|_| self.cued.is_none())
    }

    fn cues(&mut self, survey: &Survey) -> Cued {
        if let Some(cued) = self.cued.take() {
            return cued;
        }
        let Some(mut inquiry) = self.inquiry.take() else {
            return Cued::Later(Foreseen::default());
        };
        match meant(inquiry.cues(survey)) {
            Ok((cues, meaning)) => {
                let model = Some(meaning.fingerprint.clone());
                let foreseen = Foreseen { words: cues.words.clone(), model };
                // It is heard, unless nobody waits for the answer any more.
                let _ = self.back.try_send((inquiry, cues, meaning));
                Cued::Later(foreseen)
            }
            Err(other) => {
                self.inquiry = Some(inquiry);
                *other
            }
        }
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<Place> {
        self.inquiry.as_mut().map(|inquiry| inquiry.choose(evidence)).unwrap_or_default()
    }
}

/// Asks for evidence, and for the memories of which it lacks the cosine.
struct Gathering {
    cues: Option<Cues>,
    most: usize,
    told: Sender<Evidence>,
}

impl Inquiry for Gathering {
    fn words(&self) -> Option<&[String]> {
        None
    }

    fn cues(&mut self, _survey: &Survey) -> Cued {
        Cued::By(self.cues.take().unwrap_or_default())
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<Place> {
        let _ = self.told.try_send(evidence.clone());
        let mut pointed_to: Vec<bool> = evidence.turns.iter().map(|turn| turn.named > 0).collect();
        for occurrence in evidence.words.iter().flat_map(|word| &word.found) {
            if let Some(turn) = pointed_to.get_mut(occurrence.turn as usize) {
                *turn = true;
            }
        }
        let lacking = evidence.turns.iter().zip(pointed_to);
        let mut lacking: Vec<(bool, Place)> = lacking
            .filter(|(turn, _)| turn.cosine.is_none())
            .map(|(turn, pointed_to)| (!pointed_to, turn.place))
            .collect();
        lacking.sort_by_key(|(others, _)| *others);
        lacking.into_iter().take(self.most).map(|(_, place)| place).collect()
    }
}

fn unheard() -> Error {
    Error::new(ErrorKind::Provider, "the store answered without following the inquiry")
}
