//! Entries that are new in files.

use std::collections::HashMap;

use super::{Taken, Taking, brought_back, is_away, rewrite, told};
use crate::engine::{Engine, check_open};
use crate::error::{Error, Result};
use crate::files::compare::Added;
use crate::files::mirror::{self, Page, Text};
use crate::files::{Entry, Marker, normal};
use crate::ingest::Prepared;
use crate::lifecycle::plan::Step;
use crate::model::{Caller, Channel, Draft, Memory, MemoryId, Source};

/// The label of entries of a daily log.
const DAILY_TAG: &str = "daily";

/// What becomes of a new entry, before it is put under the rules of every write.
enum New {
    /// A memory comes back that was put away.
    Back(Box<Memory>),
    /// A memory is made.
    Made(Box<Draft>),
}

impl Engine {
    /// Takes in the new entries of a file, all of them at once, and tells of those that cannot be.
    pub(super) async fn take_added(
        &self,
        caller: &Caller,
        taking: &mut Taking<'_>,
        taken: &mut Taken,
    ) -> Result<()> {
        let away = self.away_before(caller, &taken.plan.added).await?;
        let (mut drafts, mut news) = (Vec::new(), Vec::new());
        for added in &taken.plan.added {
            let new = self.new_of(caller, taking, taken, added, &away);
            news.push(new.map(|new| match new {
                New::Back(memory) => Some(memory),
                New::Made(draft) => {
                    drafts.push(*draft);
                    None
                }
            }));
        }
        let mut prepared = self.prepare_each(caller, &drafts, taking.now).await?.into_iter();
        for (index, new) in news.into_iter().enumerate() {
            let marker = match new {
                Ok(Some(memory)) => Ok(bring_back(taking, *memory)),
                Ok(None) => match prepared.next() {
                    Some(prepared) => prepared.and_then(|one| create(taking, taken, index, one)),
                    None => Err(Error::invalid("nothing said")),
                },
                Err(error) => Err(error),
            };
            let marker = match marker {
                Ok(marker) => Some(marker),
                Err(error) => {
                    let place = taken.plan.added[index].place;
                    taking.report(taken, place, told(error)?);
                    None
                }
            };
            taken.added.push(marker);
        }
        Ok(())
    }

    /// Returns the memories that new entries say they are, of those that were put away or have faded.
    async fn away_before(
        &self,
        caller: &Caller,
        added: &[Added],
    ) -> Result<HashMap<MemoryId, Memory>> {
        let claimed: Vec<MemoryId> = added.iter().filter_map(|one| one.claimed.clone()).collect();
        if claimed.is_empty() {
            return Ok(HashMap::new());
        }
        let found = self.store.get(caller.access(), &claimed).await?.into_iter();
        Ok(found.filter(is_away).map(|memory| (memory.id.clone(), memory)).collect())
    }

    fn new_of(
        &self,
        caller: &Caller,
        taking: &Taking<'_>,
        taken: &Taken,
        added: &Added,
        away: &HashMap<MemoryId, Memory>,
    ) -> Result<New> {
        let text = self.text_of(taking, taken, added)?;
        let same = |memory: &&Memory| {
            memory.scope == text.scope && normal(memory.content.as_str()) == added.text
        };
        let claimed = added.claimed.as_ref().and_then(|id| away.get(id));
        if let Some(memory) = claimed.filter(same) {
            return Ok(New::Back(Box::new(memory.clone())));
        }
        check_open(caller, &text.scope)?;
        Ok(New::Made(Box::new(draft(taking, taken, added, text))))
    }

    /// Returns what a new entry is.
    fn text_of(&self, taking: &Taking<'_>, taken: &Taken, added: &Added) -> Result<Text> {
        let Page { path, document, .. } = &taken.sheet.page;
        let text = taking.layout.text(path.as_str(), document.form(), &added.path, self.zone());
        text.ok_or_else(|| Error::invalid("it stands in a file that is nobody's"))
    }
}

/// Plans to bring back a memory, and returns its marker.
fn bring_back(taking: &mut Taking<'_>, memory: Memory) -> Marker {
    let marker = mirror::marker(&memory);
    taking.steps.push(brought_back(memory, taking.now));
    marker
}

/// Plans to make a memory of a new entry, and returns its marker.
fn create(
    taking: &mut Taking<'_>,
    taken: &mut Taken,
    index: usize,
    mut prepared: Prepared,
) -> Result<Marker> {
    taking.check_secrets(&prepared.redactions)?;
    let Added { place, text, claimed, .. } = &taken.plan.added[index];
    // What stood in files before the store was made anew keeps its name.
    let kind = prepared.memory.kind;
    if let Some(id) = claimed.as_ref().filter(|id| id.kind() == Some(kind)) {
        prepared.memory.id = id.clone();
    }
    if normal(prepared.memory.content.as_str()) != *text {
        let place = *place;
        rewrite(&mut taken.plan, place, &prepared.memory);
    }
    let marker = mirror::marker(&prepared.memory);
    taking.new.insert(marker.id.clone(), (taking.taken.len(), index));
    let why = "somebody wrote it into a file";
    taking.steps.push(Step::create(prepared.memory, prepared.identity, why));
    Ok(marker)
}

/// Returns what is to be kept of a new entry.
fn draft(taking: &Taking<'_>, taken: &Taken, added: &Added, text: Text) -> Draft {
    let Page { path, document, .. } = &taken.sheet.page;
    let entry = document.entry(added.place);
    let trust = mirror::trust(entry.as_ref().and_then(Entry::marker));
    let mut source = Source::through(Channel::ExplicitSave).trusted_at_most(trust);
    source.reference = Some(path.as_str().to_owned());
    let Text { scope, kind, event_at, key, title, daily } = text;
    let mut draft = Draft::new(scope, kind, added.text.clone(), source);
    draft.metadata.title = title;
    draft.metadata.tags = if daily { vec![DAILY_TAG.to_owned()] } else { Vec::new() };
    Draft { event_at, key, doubt: taking.doubt(), ..draft }
}
