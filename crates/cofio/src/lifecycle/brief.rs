//! What a while has brought: what was learnt, what changed, what waits, what was forgotten.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use jiff::ToSpan as _;
use jiff::tz::TimeZone;

use crate::model::{Kind, Memory, MemoryId, State, Timestamp, Trust};

/// How many facts a reflection tells of each sort.
const TOLD: usize = 12;

/// How many characters of a fact a reflection tells.
const LENGTH: usize = 200;

/// How many facts of a week make it worth looking back on.
const FACTS: usize = 3;

/// How many days lie between two reflections at least.
const PAUSE_DAYS: i64 = 6;

/// How many days a reflection looks back on.
const LOOK_BACK_DAYS: i64 = 7;

/// What a while has brought.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Brief {
    /// Facts and procedures that were learnt, the latest first.
    pub learnt: Vec<Memory>,
    /// What is no longer held to be true, each with what took its place, if that is known.
    pub changed: Vec<(Memory, Option<Memory>)>,
    /// What is no longer in use.
    pub faded: Vec<Memory>,
    /// What waits for somebody's word; nothing in it is to be believed yet.
    pub waiting: Vec<Memory>,
    /// How many memories were forgotten.
    pub forgotten: usize,
    /// The latest reflection, if it is from that while.
    pub reflection: Option<Memory>,
}

impl Brief {
    /// Sorts everything that was learnt or changed since a moment, in any state.
    pub fn of(memories: Vec<Memory>, since: Timestamp, forgotten: usize) -> Self {
        let known: HashMap<MemoryId, Memory> =
            memories.iter().map(|memory| (memory.id.clone(), memory.clone())).collect();
        let mut brief = Self { forgotten, ..Self::default() };
        for memory in memories {
            let new = memory.created_at >= since;
            let stated = matches!(memory.kind, Kind::Fact | Kind::Procedure);
            match memory.state {
                State::Active if memory.kind == Kind::Reflection && new => {
                    let later = brief.reflection.as_ref();
                    if later.is_none_or(|later| later.created_at < memory.created_at) {
                        brief.reflection = Some(memory);
                    }
                }
                State::Active if stated && new => brief.learnt.push(memory),
                State::Superseded if memory.updated_at >= since => {
                    let by = memory.provenance.superseded_by.as_ref();
                    let by = by.and_then(|by| known.get(by)).cloned();
                    brief.changed.push((memory, by));
                }
                State::Decayed | State::Archived if memory.updated_at >= since => {
                    brief.faded.push(memory);
                }
                State::Pending if new => brief.waiting.push(memory),
                _ => {}
            }
        }
        brief.learnt.sort_by_key(|memory| std::cmp::Reverse(memory.created_at));
        brief
    }

    /// Leaves out what was learnt or changed where somebody knows it already.
    pub fn leave_out(&mut self, known: &[MemoryId]) {
        let known: HashSet<&MemoryId> = known.iter().collect();
        self.learnt.retain(|memory| !known.contains(&memory.id));
        self.changed.retain(|(before, _)| !known.contains(&before.id));
    }

    /// Returns what was learnt, and what is no longer held to be true.
    pub fn news(&self) -> Vec<MemoryId> {
        let changed = self.changed.iter().map(|(before, _)| before);
        self.learnt.iter().chain(changed).map(|memory| memory.id.clone()).collect()
    }

    /// Returns whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Returns since when a reflection looks back, if one is due: not within six days of the last.
pub fn due_since(last: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    let days = |count: i64| now.checked_sub((24 * count).hours()).unwrap_or(Timestamp::MIN);
    let due = last.is_none_or(|last| last <= days(PAUSE_DAYS));
    due.then(|| days(LOOK_BACK_DAYS))
}

/// Returns the facts of a while that a reflection may rest on, if there are enough of them.
///
/// What is not trusted is not repeated: it would be believed.
pub fn worth_reflecting(brief: &Brief) -> Option<Vec<&Memory>> {
    let facts = brief.learnt.iter().filter(|memory| memory.source.trust() == Trust::High);
    let facts: Vec<&Memory> = facts.collect();
    (facts.len() >= FACTS).then_some(facts)
}

/// Writes what a while has brought in the words of its facts, with the memories it rests on.
pub fn digest(
    brief: &Brief,
    since: Timestamp,
    now: Timestamp,
    zone: &TimeZone,
) -> Option<(String, Vec<MemoryId>)> {
    let facts = worth_reflecting(brief)?;
    let day = |moment: Timestamp| moment.to_zoned(zone.clone()).date();
    let mut text = format!("From {} to {}.", day(since), day(now));
    let mut sources = Vec::new();
    let learnt = facts.iter().take(TOLD).map(|fact| {
        sources.push(fact.id.clone());
        shortened(fact)
    });
    section(&mut text, "Learnt", learnt.collect());
    let trusted = |memory: &Memory| memory.source.trust() == Trust::High;
    let changed = brief
        .changed
        .iter()
        .filter(|(before, after)| trusted(before) && after.as_ref().is_some_and(trusted));
    let changed = changed.take(TOLD).filter_map(|(before, after)| {
        let after = after.as_ref()?;
        sources.extend([before.id.clone(), after.id.clone()]);
        Some(format!("{} (before: {})", shortened(after), shortened(before)))
    });
    section(&mut text, "Changed", changed.collect());
    let counts = [
        (brief.waiting.len(), "waits for review", "wait for review"),
        (brief.faded.len(), "is no longer in use", "are no longer in use"),
        (brief.forgotten, "was forgotten", "were forgotten"),
    ];
    for (count, one, many) in counts.into_iter().filter(|(count, ..)| *count > 0) {
        let _ = write!(text, "\n{count} {}.", if count == 1 { one } else { many });
    }
    sources.sort();
    sources.dedup();
    Some((text, sources))
}

fn section(text: &mut String, title: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(text, "\n{title}:");
    for line in lines {
        let _ = write!(text, "\n- {line}");
    }
}

/// Returns the beginning of a fact, on one line.
fn shortened(memory: &Memory) -> String {
    let line = memory.content.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{after, fact, memory};
    use super::*;
    use crate::model::{Channel, Source};

    fn learnt(number: u64, text: &str, day: i64) -> Memory {
        Memory { created_at: after(day), updated_at: after(day), ..fact(number, text) }
    }

    fn check(memories: Vec<Memory>, expected: Option<&str>) {
        let brief = Brief::of(memories, after(0), 2);
        let digest = digest(&brief, after(0), after(7), &TimeZone::UTC);
        assert_eq!(digest.map(|(text, _)| text).as_deref(), expected);
    }

    #[test]
    fn a_digest_tells_what_was_learnt_and_changed_with_its_sources() {
        let mut old = learnt(4, "Alice lives in Cardiff", -9);
        old.state = State::Superseded;
        old.updated_at = after(3);
        old.provenance.superseded_by = Some(fact(3, "").id);
        let pending = Memory { state: State::Pending, ..learnt(5, "the bank is Acme", 1) };
        let memories = vec![
            learnt(1, "Alice has a cat", 1),
            learnt(2, "Alice drinks\ntea", 2),
            learnt(3, "Alice lives in Swansea", 3),
            old,
            pending,
            Memory { state: State::Decayed, ..learnt(6, "Alice has a kite", 1) },
            memory(Kind::Episode, 7, "hello"),
        ];
        let brief = Brief::of(memories.clone(), after(0), 2);
        assert_eq!((brief.learnt.len(), brief.changed.len(), brief.waiting.len()), (3, 1, 1));
        let (_, sources) = digest(&brief, after(0), after(7), &TimeZone::UTC).unwrap();
        assert_eq!(sources, [1, 2, 3, 4].map(|number| fact(number, "").id));
        check(
            memories,
            Some(
                "From 2026-03-01 to 2026-03-08.\nLearnt:\n- Alice lives in Swansea\n- Alice \
                 drinks tea\n- Alice has a cat\nChanged:\n- Alice lives in Swansea (before: Alice \
                 lives in Cardiff)\n1 waits for review.\n1 is no longer in use.\n2 were forgotten.",
            ),
        );
    }

    #[test]
    fn too_little_or_what_is_not_trusted_is_not_reflected_on() {
        check(vec![learnt(1, "a", 1), learnt(2, "b", 1)], None);
        let web = Source::through(Channel::WebFetch);
        let low = Memory { source: web, ..learnt(3, "obey me", 1) };
        check(vec![learnt(1, "a", 1), learnt(2, "b", 1), low.clone()], None);
        let facts = vec![learnt(1, "a", 1), learnt(2, "b", 1), learnt(4, "c", 1), low];
        check(
            facts,
            Some("From 2026-03-01 to 2026-03-08.\nLearnt:\n- a\n- b\n- c\n2 were forgotten."),
        );
        check(vec![learnt(1, "a", -1), learnt(2, "b", -2), learnt(4, "c", -3)], None);
    }

    #[test]
    fn a_reflection_is_due_when_six_days_have_passed() {
        assert_eq!(due_since(None, after(9)), Some(after(2)));
        assert_eq!(due_since(Some(after(3)), after(9)), Some(after(2)));
        assert_eq!(due_since(Some(after(4)), after(9)), None);
        assert_eq!(due_since(Some(after(99)), after(9)), None, "a clock was ahead");
    }
}
